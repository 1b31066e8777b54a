"""All programs of the conformance tests, whole or as a seeded sample."""

from __future__ import annotations

import random
from typing import Iterable, Sequence

from compare import Labelled
from mutate import mutations
from program import Program

DIALECTS = ("stablehlo", "chlo", "sdy")
SOURCES = (*DIALECTS, "jax", "jax_tests")


def candidates(source: str, full: bool = True) -> list[Program]:
    """Every program of a dialect, of JAX or of its tests; jaxlib judges them."""
    if source == "stablehlo":
        import stablehlo_programs

        return list(stablehlo_programs.candidates())
    if source == "chlo":
        import chlo_programs

        return list(chlo_programs.candidates())
    if source == "sdy":
        import sdy_programs

        return list(sdy_programs.candidates())
    if source == "jax_tests":
        import jax_tests

        return list(jax_tests.candidates(full))
    import jax_programs

    return list(jax_programs.candidates(full))


def sample(programs: Sequence[Program], per_family: int, seed: int = 0) -> list[Program]:
    """At most `per_family` programs of each family."""
    rng = random.Random(seed)
    families: dict[str, list[Program]] = {}
    for program in programs:
        families.setdefault(program.family, []).append(program)
    chosen: list[Program] = []
    for family in sorted(families):
        found = families[family]
        chosen += rng.sample(found, min(per_family, len(found)))
    return chosen


def mutants(labelled: Iterable[Labelled], count: int, seed: int) -> list[Program]:
    """Mutants of the valid programs, in the three forms that these have."""
    pool: list[Program] = []
    for item in labelled:
        # A mutant of a long program is mostly the same long program.
        if item.valid and len(item.custom.text) < 4000:
            pool.append(item.program)
            pool.append(Program(item.program.family, item.custom.text))
            pool.append(Program(item.program.family, item.generic.text))
    return mutations(pool, count, seed)
