"""hetero-opt reads, prints and imports every step of the zoo."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hetero import export, zoo

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Conformance"))

from oracle import Jaxlib  # noqa: E402

SIZES = ["test", pytest.param("paper", marks=pytest.mark.slow)]


def _run(*command: object) -> str:
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[:2000]
    return run.stdout.strip()


@functools.lru_cache(maxsize=4)
def _lowered(name: str, size: str):  # noqa: ANN202
    step = zoo.get(name, size)
    return step, step.lower()


@pytest.fixture(scope="module")
def jaxlib():  # noqa: ANN201
    oracle = Jaxlib()
    yield oracle
    oracle.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", zoo.names())
def test_round_trip(name: str, size: str, hetero_opt: Path, jaxlib: Jaxlib, tmp_path: Path) -> None:
    """Text, text with locations and bytecode all give jaxlib's print."""
    _, lowered = _lowered(name, size)
    expected, _ = jaxlib.check_all([export.text(lowered)])[0]
    (tmp_path / "step.mlir").write_text(export.text(lowered))
    (tmp_path / "debug.mlir").write_text(export.text(lowered, debug_info=True))
    (tmp_path / "step.mlirbc").write_bytes(export.bytecode(lowered))
    for file in ("step.mlir", "debug.mlir", "step.mlirbc"):
        assert _run(hetero_opt, tmp_path / file) == expected.text, file


@pytest.mark.parametrize("debug_info", [False, True], ids=["plain", "debug"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", zoo.names())
def test_import_infers_roles(
    name: str, size: str, debug_info: bool, hetero_opt: Path, tmp_path: Path
) -> None:
    """The importer finds the roles that the zoo says, with and without locations."""
    step, lowered = _lowered(name, size)
    path = tmp_path / "step.mlir"
    path.write_text(export.text(lowered, debug_info=debug_info))
    text = _run(hetero_opt, "--hetero-import", path)
    header = next(line for line in text.splitlines() if "@main" in line)
    found = re.findall(r"hetero\.role = #hetero\.role<(\w+)", header)
    kept = [step.roles.arguments[index] for index in step.kept_arguments(lowered)]
    arguments, results = found[: len(kept)], found[len(kept) :]
    names = [f"argument {i}" for i in range(len(kept))] + [f"result {i}" for i in range(len(results))]
    expected = [*kept, *step.roles.results]
    wrong = [
        f"{where}: expected {want}, found {got}"
        for where, want, got in zip(names, expected, found, strict=True)
        if want != got
    ]
    assert not wrong, "\n".join(wrong[:20])
    assert "call @" not in text and "chlo." not in text
