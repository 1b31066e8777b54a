"""Another project can find, link and run an installed hetero."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HETERO_BUILD_DIR", ROOT / "build"))
CONSUMER = pathlib.Path(__file__).parent / "Inputs" / "consumer"

pytestmark = pytest.mark.install


def run(*command):
    result = subprocess.run(
        [str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}"
    return result.stdout


def cache(name):
    """A variable of the build that is installed."""
    text = (BUILD / "CMakeCache.txt").read_text()
    match = re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE)
    return match.group(1) if match else ""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installed tree, moved after installation: nothing may depend on
    where it was."""
    base = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", base / "first")
    shutil.move(base / "first", base / "moved")
    return base / "moved"


def test_tools_are_installed_and_run(prefix):
    tools = sorted((prefix / "bin").iterdir())
    assert "hetero-opt" in [tool.name for tool in tools]
    for tool in tools:
        run(tool, "--help")


def test_cmake_files_name_no_build_path(prefix):
    files = list(prefix.rglob("*.cmake"))
    assert files
    for file in files:
        text = file.read_text()
        for path in (ROOT, BUILD, prefix.parent):
            assert str(path) not in text, f"{file.name} names {path}"


def test_headers_are_complete(prefix):
    """Every header that an installed header includes is installed too."""
    include = prefix / "include"
    headers = list(include.rglob("*.h"))
    assert headers
    for header in headers:
        for name in re.findall(r'#include "(hetero/[^"]+)"', header.read_text()):
            assert (include / name).exists(), f"{header.name} includes {name}"


def test_consumer_builds_and_runs(prefix, tmp_path):
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        CONSUMER,
        "-B",
        tmp_path,
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}",
        f"-DCMAKE_CXX_COMPILER={cache('CMAKE_CXX_COMPILER')}",
    )
    run("cmake", "--build", tmp_path)
    assert "func.func @consumer" in run(tmp_path / "consumer")


@pytest.mark.slow
def test_pip_installs_the_package(tmp_path):
    """The wheel has the compiled module and the command."""
    run(
        sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation",
        "--target", tmp_path, ROOT / "python",
    )  # fmt: skip
    os.environ["PYTHONPATH"] = str(tmp_path)
    try:
        output = run(tmp_path / "bin" / "hetero", "cluster", ROOT / "examples/clusters/demo.yaml")
    finally:
        del os.environ["PYTHONPATH"]
    assert "demo: 4 devices" in output
