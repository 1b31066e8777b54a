"""The scripts in utils: their options, and how test results are counted."""

import pathlib
import subprocess
import sys

import pytest

UTILS = pathlib.Path(__file__).resolve().parents[2] / "utils"


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


@pytest.mark.parametrize("script", ["test", "demo", "fuzz", "tidy", "lint"])
def test_help(script):
    result = run(UTILS / script, "--help")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("usage: ")


@pytest.mark.parametrize("script", ["test", "demo", "fuzz"])
def test_unknown_argument(script):
    result = run(UTILS / script, "--no-such-option")
    assert result.returncode == 1
    assert "error: unknown argument '--no-such-option'" in result.stderr


@pytest.mark.parametrize("path", [p for p in sorted(UTILS.iterdir()) if p.is_file()], ids=lambda p: p.name)
def test_shell_syntax(path):
    if "bash" in path.read_text().split("\n", 1)[0]:
        assert run("bash", "-n", path).returncode == 0


def count(directory, *times):
    return run(sys.executable, UTILS / "lib" / "count_results.py", directory, *times)


def suite(*cases):
    return "<testsuite>" + "".join(f"<testcase>{c}</testcase>" for c in cases) + "</testsuite>"


def test_counts_every_verdict(tmp_path):
    (tmp_path / "lit.xml").write_text(suite("", "", "<failure/>", "<skipped/>"))
    (tmp_path / "pytest.xml").write_text(suite("", "<error/>"))
    result = count(tmp_path, "build=0m01s", "lit=0m02s", "pytest=0m03s")
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        "    build        0m01s",
        "    lit          0m02s  2 passed, 1 failed, 1 skipped",
        "    pytest       0m03s  1 passed, 1 failed",
        "3 passed, 2 failed, 1 skipped",
    ]


def test_all_passed(tmp_path):
    (tmp_path / "lit.xml").write_text(suite("", ""))
    result = count(tmp_path, "lit=0m02s")
    assert result.returncode == 0
    assert result.stdout.endswith("\n2 passed, 0 failed\n")


def test_nothing_at_all_is_a_failure(tmp_path):
    assert count(tmp_path).returncode == 1


def test_a_report_cut_short_is_a_failure(tmp_path):
    (tmp_path / "lit.xml").write_text("<testsuite><testca")
    result = count(tmp_path, "lit=0m02s")
    assert result.returncode == 1
    assert result.stdout.endswith("\n0 passed, 1 failed\n")
