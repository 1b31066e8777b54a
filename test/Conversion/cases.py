"""Functions of JAX with inputs, run by JAX and by compiled kernels.

A family of cases is one module, so that both compilers are started once for it;
only when something is wrong is each case looked at by itself.
"""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from kernel import run_all

# How far an element may be off, relative to its own size and, for sums, to the
# largest one of the tensor. XLA's approximations of exp, tanh, log and others
# are good to a few units in the last place.
TOLERANCES = {
    np.dtype(np.float64): 1e-12,
    np.dtype(np.float32): 1e-5,
    np.dtype(ml_dtypes.bfloat16): 1.6e-2,
    np.dtype(np.float16): 2e-3,
    np.dtype(np.complex128): 1e-11,
    np.dtype(np.complex64): 2e-5,
}


@dataclasses.dataclass
class Case:
    """A function and its arguments.

    `by_scale`: errors are measured by the largest element of a tensor, not by
    each element. `factor` widens the tolerance. `noise` is what may be left where
    values of about 1 cancel, in units of the last place of 1.
    """

    name: str
    function: Callable[..., Any]
    arguments: Sequence[np.ndarray]
    by_scale: bool = False
    factor: float = 1.0
    noise: float = 0.0


@dataclasses.dataclass
class Difference:
    """A case whose results, or the reason why there are none, are not those of JAX."""

    case: Case
    found: list[np.ndarray] | str
    message: str


def error(actual: np.ndarray, expected: np.ndarray, case: Case) -> str | None:
    """What is wrong with the actual values, if anything is."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{actual.dtype}{actual.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "biu":
        if np.array_equal(actual, expected):
            return None
        where = np.unravel_index(np.argmax(actual != expected), expected.shape)
        return f"{actual[where]} instead of {expected[where]} at {tuple(map(int, where))}"
    if expected.dtype.kind == "c" and not np.isfinite(expected).all():
        strange = ~np.isfinite(expected)
        for a, e in [(actual.real, expected.real), (actual.imag, expected.imag)]:
            wrong = error(a[strange], e[strange], case)
            if wrong:
                return f"of those that are not finite, {wrong}"
        actual, expected = actual[~strange], expected[~strange]
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, e = np.atleast_1d(actual.astype(wide)), np.atleast_1d(expected.astype(wide))
    tolerance = TOLERANCES[expected.dtype] * case.factor
    with np.errstate(all="ignore"):
        size = np.abs(e)
        if case.by_scale and np.isfinite(e).any():
            size = np.full(e.shape, size[np.isfinite(e)].max())
        info = ml_dtypes.finfo(expected.dtype)
        good = np.abs(a - e) <= tolerance * size + case.noise * float(info.eps) + float(info.tiny)
    good |= a == e
    good |= np.isnan(a) & np.isnan(e)
    if good.all():
        return None
    where = np.unravel_index(np.argmin(good), e.shape)
    return f"{a[where]} instead of {e[where]} at {tuple(map(int, where))}"


def compile_jax(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[str, list[np.ndarray]]:
    """The text of the function, and what JAX computes; each operation is
    rounded to its type, as the text says."""
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    compiled = lowered.compile(compiler_options={"xla_allow_excess_precision": False})
    return lowered.as_text(), [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*arguments))]


def outcome(case: Case, found: list[np.ndarray] | str, expected: list[np.ndarray]) -> str | None:
    """What is wrong with the results of a case, if anything is."""
    if isinstance(found, str):
        return found
    wrong = [error(a, e, case) for a, e in zip(found, expected, strict=True)]
    return next((text for text in wrong if text), None)


def _merge(cases: Sequence[Case]) -> tuple[Callable[..., Any], list[np.ndarray]]:
    """One function for all cases, whose results are lists of theirs."""
    counts = [len(case.arguments) for case in cases]
    ends = [sum(counts[: i + 1]) for i in range(len(counts))]

    def everything(*arguments: Any) -> list[Any]:
        return [
            jax.tree.leaves(case.function(*arguments[end - count : end]))
            for case, count, end in zip(cases, counts, ends, strict=True)
        ]

    return everything, [argument for case in cases for argument in case.arguments]


@dataclasses.dataclass
class Reference:
    """A group of cases as one module, what JAX computes for it, and how many of
    the results belong to each case."""

    text: str
    results: list[np.ndarray]
    counts: list[int]

    def parts(self, results: list[np.ndarray]) -> list[list[np.ndarray]]:
        """Results of the module, by cases."""
        rest = iter(results)
        return [list(itertools.islice(rest, count)) for count in self.counts]


def reference(group: Sequence[Case]) -> Reference:
    """The group, compiled and run by JAX."""
    with jax.enable_x64(True):
        text, results = compile_jax(*_merge(group))
        shapes = [jax.eval_shape(case.function, *case.arguments) for case in group]
    return Reference(text, results, [len(jax.tree.leaves(shape)) for shape in shapes])


def single_operations(case: Case) -> list[np.ndarray]:
    """What JAX computes for the case when each operation is a program of its own."""
    with jax.enable_x64(True), jax.disable_jit():
        results = case.function(*[jnp.asarray(argument) for argument in case.arguments])
        return [np.asarray(leaf) for leaf in jax.tree.leaves(results)]


def _run_alone(cases: Sequence[Case], directory: Path) -> list[list[np.ndarray] | str]:
    """Each case as a module of its own."""
    with jax.enable_x64(True):
        lowered = [jax.jit(case.function, keep_unused=True).lower(*case.arguments) for case in cases]
    return run_all([module.as_text() for module in lowered], [list(case.arguments) for case in cases], directory)


def compare(groups: Sequence[Sequence[Case]], references: Sequence[Reference], directory: Path) -> dict[str, Difference]:
    """The cases with which something is wrong."""
    arguments = [[argument for case in group for argument in case.arguments] for group in groups]
    found = run_all([reference.text for reference in references], arguments, directory)
    wrong = {}
    for group, results, expected in zip(groups, found, references, strict=True):
        by_case = _run_alone(group, directory) if isinstance(results, str) else expected.parts(results)
        messages = [outcome(*each) for each in zip(group, by_case, expected.parts(expected.results), strict=True)]
        if isinstance(results, str) and not any(messages):
            messages[0] = f"with those after it, {results}"
        for case, part, message in zip(group, by_case, messages, strict=True):
            if message:
                wrong[case.name] = Difference(case, part, message)
    return wrong


def failures(cases: Sequence[Case], directory: Path) -> dict[str, str]:
    """What is wrong with each case that has something wrong with it."""
    return {name: wrong.message for name, wrong in compare([cases], [reference(cases)], directory).items()}
