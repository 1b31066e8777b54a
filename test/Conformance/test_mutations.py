"""hetero-opt accepts and rejects what jaxlib does, on mutated programs."""

from __future__ import annotations

from typing import Callable

import pytest
from compare import compare, label
from corpus import SOURCES, candidates, mutants, sample
from oracle import HeteroOpt, Jaxlib

COUNTS = {"stablehlo": 3000, "chlo": 1000, "sdy": 1000, "jax": 500, "jax_tests": 500}


def _check(source: str, count: int, seed: int, per_family: int, jaxlib: Jaxlib, opt: HeteroOpt, full: bool) -> list:
    programs = sample(candidates(source, full), per_family, seed)
    labelled = label(programs, jaxlib)
    return compare(label(mutants(labelled, count, seed), jaxlib), opt, jaxlib)


@pytest.mark.parametrize("source", SOURCES)
def test_sample(source: str, jaxlib: Jaxlib, hetero_opt: HeteroOpt, expect_agreement: Callable) -> None:
    expect_agreement(_check(source, COUNTS[source], 0, 20, jaxlib, hetero_opt, full=False))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("source", SOURCES)
def test_many(source: str, seed: int, jaxlib: Jaxlib, hetero_opt: HeteroOpt, expect_agreement: Callable) -> None:
    expect_agreement(_check(source, 6 * COUNTS[source], seed, 1000, jaxlib, hetero_opt, full=True))
