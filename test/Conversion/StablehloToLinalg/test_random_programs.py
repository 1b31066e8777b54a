"""Random programs, compiled for the CPU, compute what JAX computes.

HETERO_RANDOM_PROGRAMS is how many, HETERO_RANDOM_SEED where to begin; the slow
test runs 20,000.

XLA is the peer, and not always right: it refuses some programs, ends its process
on others (a constant 0 % 0), and rewrites a few into others (it takes products of
integers not to overflow, and updates a reversed slice in place while it reads
it). So it has a process of its own, and where results differ JAX runs the
operations of the program one by one: the difference is XLA's if those agree with
ours. Programs that it loses in either way are counted, and have to be few.
"""

from __future__ import annotations

import multiprocessing
import os
import warnings
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Callable

import jax
import numpy as np
import pytest
import random_programs
from cases import Difference, Reference, compare, outcome, reference, single_operations

COUNT = int(os.environ.get("HETERO_RANDOM_PROGRAMS", "300"))
SEED = int(os.environ.get("HETERO_RANDOM_SEED", "0"))
GROUP = 6  # Programs of a module.
BATCH = 60  # Programs of a process.
TASKS = 200  # Groups of a process of the peer, which keeps something of each.


def _reference(seeds: list[int]) -> Reference | str:
    """What JAX makes of a group, or why there is nothing."""
    try:
        return reference([random_programs.make(seed) for seed in seeds])
    except jax.errors.JaxRuntimeError as refusal:
        return str(refusal).splitlines()[0]


def _single_operations(seed: int) -> list[np.ndarray] | str:
    """What JAX computes operation by operation, or why there is nothing."""
    try:
        return single_operations(random_programs.make(seed))
    except jax.errors.JaxRuntimeError as refusal:
        return str(refusal).splitlines()[0]


class Peer:
    """JAX in a process of its own, which is started again when it ends."""

    def __init__(self) -> None:
        self.lost: dict[int, str] = {}
        self._count = 0
        self._pool = self._start()

    @staticmethod
    def _start() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))

    def submit(self, function: Callable[[Any], Any], argument: Any) -> Future[Any]:
        self._count += 1
        if self._count % TASKS == 0:
            self._pool.shutdown(wait=False)  # What it was asked before, it still does.
            self._pool = self._start()
        try:
            return self._pool.submit(function, argument)
        except BrokenProcessPool:
            self.close()
            self._pool = self._start()
            return self._pool.submit(function, argument)

    @staticmethod
    def answer(future: Future[Any]) -> Any:
        """What the process said; a string if it ended."""
        try:
            return future.result()
        except BrokenProcessPool:
            return "the process ended"

    def references(self, seeds: list[int], asked: Future[Any] | None = None) -> list[tuple[list[int], Reference]]:
        """The seeds as one group, or each for itself where one of them is lost."""
        made = self.answer(asked or self.submit(_reference, seeds))
        if isinstance(made, Reference):
            return [(seeds, made)]
        if len(seeds) > 1:
            return [pair for seed in seeds for pair in self.references([seed])]
        self.lost[seeds[0]] = made
        return []

    def is_wrong(self, difference: Difference) -> bool:
        """Whether ours agrees with the operations one by one."""
        second = self.answer(self.submit(_single_operations, random_programs.seed_of(difference.case)))
        return not isinstance(second, str) and outcome(difference.case, difference.found, second) is None

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def _check(first: int, count: int, directory: Path) -> None:
    groups = [list(range(begin, min(begin + GROUP, first + count))) for begin in range(first, first + count, GROUP)]
    batches = [groups[i : i + BATCH // GROUP] for i in range(0, len(groups), BATCH // GROUP)]
    wrong: dict[str, str] = {}
    rewritten: list[str] = []
    peer = Peer()
    asked = [peer.submit(_reference, seeds) for seeds in batches[0]]
    for batch, following in zip(batches, [*batches[1:], []], strict=True):
        ahead = [peer.submit(_reference, seeds) for seeds in following]
        known = [pair for seeds, future in zip(batch, asked, strict=True) for pair in peer.references(seeds, future)]
        programs = [[random_programs.make(seed) for seed in seeds] for seeds, _ in known]
        for name, difference in compare(programs, [made for _, made in known], directory).items():
            if peer.is_wrong(difference):
                rewritten.append(name)
            else:
                wrong[name] = difference.message
        asked = ahead
    peer.close()
    if peer.lost or rewritten:
        lost = ", ".join(f"seed {seed} ({reason})" for seed, reason in peer.lost.items())
        warnings.warn(f"of {count} programs, XLA does not compile {lost or 'none'}, and rewrites {', '.join(rewritten) or 'none'}")
    assert not wrong, "\n".join(f"{name}: {message}" for name, message in wrong.items())
    assert len(peer.lost) <= max(count // 500, 2), f"XLA does not compile {peer.lost}"
    assert len(rewritten) <= max(count // 500, 2), f"XLA is not equal to single operations on {', '.join(rewritten)}"


def test_some(tmp_path: Path) -> None:
    _check(SEED, COUNT, tmp_path)


@pytest.mark.slow
def test_many(tmp_path: Path) -> None:
    _check(1_000_000 + SEED, 20_000, tmp_path)
