"""Damaged rank programs are rejected by hetero-verify, or compute the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import mutations
import plans
import steps


def _partition(name: str, kind: str, seed: int) -> str:
    step = plans.read(steps.layered(name))
    text = plans.apply(step, plans.random_plan(step, seed, kind, 4))
    done = subprocess.run(
        [steps.tool("hetero-opt"), "-", "--hetero-partition", "--hetero-select-collectives", "--hetero-verify"],
        input=text, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _is_accepted(text: str) -> bool:
    done = subprocess.run(
        [steps.tool("hetero-opt"), "-", "--hetero-verify", "-o", "/dev/null"],
        input=text, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return done.returncode == 0


def _run(text: str, arguments: list[np.ndarray], directory: Path) -> list[np.ndarray] | None:
    """The results, or nothing if the run ends with an error."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "ranks.mlir").write_text(text)
    steps.save(directory / "in.npz", arguments)
    done = subprocess.run(
        [steps.tool("hetero-run"), "ranks.mlir", "--args=in.npz", "--out=out.npz", "--opt-level=1"],
        cwd=directory, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if done.returncode != 0:
        return None
    with np.load(directory / "out.npz") as file:
        return [file[name] for name in file.files]


def _check(name: str, kind: str, seed: int, count: int, directory: Path) -> tuple[int, int]:
    """Numbers of mutations that were rejected, and that changed nothing."""
    text = _partition(name, kind, seed)
    arguments = steps.get(name).arguments
    expected = _run(text, arguments, directory)
    assert expected is not None
    mutator = mutations.Mutator(text)
    rejected = harmless = 0
    for number in range(count):
        mutated = mutator.mutate(seed * 10000 + number)
        if mutated is None:
            continue
        what, damaged = mutated
        if not _is_accepted(damaged):
            rejected += 1
            continue
        results = _run(damaged, arguments, directory)
        assert results is not None, what
        for index, (got, want) in enumerate(zip(results, expected, strict=True)):
            np.testing.assert_array_equal(got, want, err_msg=f"result {index} after {what}")
        harmless += 1
    return rejected, harmless


@pytest.mark.parametrize("kind", ["pipeline", "data", "mixed"])
def test_mutations(kind: str, tmp_path: Path) -> None:
    rejected, harmless = _check("mlp", kind, 1, 25, tmp_path)
    assert rejected > harmless


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipeline", "data", "tensor", "mixed"])
@pytest.mark.parametrize("name", ["mlp", "gpt"])
def test_many_mutations(name: str, kind: str, tmp_path: Path) -> None:
    for seed in range(3):
        _check(name, kind, seed, 60, tmp_path / str(seed))
