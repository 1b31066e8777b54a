"""Random programs, compiled for the CPU, compute what JAX computes.

HETERO_RANDOM_PROGRAMS is how many, HETERO_RANDOM_SEED where to begin; the slow
test runs 20,000. One in a thousand may be refused by XLA.
"""

from __future__ import annotations

import os
from pathlib import Path

import jax
import pytest
import random_programs
from cases import failures_of_groups, without_refused

COUNT = int(os.environ.get("HETERO_RANDOM_PROGRAMS", "300"))
SEED = int(os.environ.get("HETERO_RANDOM_SEED", "0"))
GROUP = 6  # Programs of a module.
BATCH = 60  # Programs of a process.


def _check(first: int, count: int, directory: Path) -> None:
    wrong: dict[str, str] = {}
    refused: list[str] = []
    for begin in range(first, first + count, BATCH):
        seeds = range(begin, min(begin + BATCH, first + count))
        programs = [random_programs.make(seed) for seed in seeds]
        groups = [programs[i : i + GROUP] for i in range(0, len(programs), GROUP)]
        try:
            wrong |= failures_of_groups(groups, directory)
        except jax.errors.JaxRuntimeError:
            wrong |= failures_of_groups(without_refused(groups, refused), directory)
    assert len(refused) * 1000 <= count, f"XLA does not compile {', '.join(refused)}"
    assert not wrong, "\n".join(f"{name}: {message}" for name, message in wrong.items())


def test_some(tmp_path: Path) -> None:
    _check(SEED, COUNT, tmp_path)


@pytest.mark.slow
def test_many(tmp_path: Path) -> None:
    _check(1_000_000 + SEED, 20_000, tmp_path)
