"""Functions of JAX with inputs, run by JAX and by compiled kernels.

A family of cases is one module, so that both compilers are started once for it;
only when something is wrong is each case looked at by itself.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Callable, Sequence

import jax
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
    each element. `factor` widens the tolerance.
    """

    name: str
    function: Callable[..., Any]
    arguments: Sequence[np.ndarray]
    by_scale: bool = False
    factor: float = 1.0


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
        good = np.abs(a - e) <= tolerance * size + float(ml_dtypes.finfo(expected.dtype).tiny)
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


def _outcome(case: Case, found: list[np.ndarray] | str, expected: list[np.ndarray]) -> str | None:
    if isinstance(found, str):
        return found
    wrong = [error(a, e, case) for a, e in zip(found, expected, strict=True)]
    return next((text for text in wrong if text), None)


def _failures_alone(cases: Sequence[Case], directory: Path) -> dict[str, str]:
    compiled = [compile_jax(case.function, case.arguments) for case in cases]
    found = run_all([text for text, _ in compiled], [list(case.arguments) for case in cases], directory)
    failures = {}
    for case, result, (_, expected) in zip(cases, found, compiled, strict=True):
        wrong = _outcome(case, result, expected)
        if wrong:
            failures[case.name] = wrong
    return failures


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


def without_refused(groups: Sequence[Sequence[Case]], refused: list[str]) -> list[list[Case]]:
    """The groups without cases that XLA itself does not compile, whose names are
    added to `refused`."""

    def is_compiled(cases: Sequence[Case]) -> bool:
        try:
            compile_jax(*_merge(cases))
        except jax.errors.JaxRuntimeError:
            return False
        return True

    kept = []
    with jax.enable_x64(True):
        for group in groups:
            good = list(group)
            if not is_compiled(group):
                alone = [(case, is_compiled([case])) for case in group]
                good = [case for case, compiles in alone if compiles]
                refused.extend(case.name for case, compiles in alone if not compiles)
            if good:
                kept.append(good)
    return kept


def failures_of_groups(groups: Sequence[Sequence[Case]], directory: Path) -> dict[str, str]:
    """What is wrong with each case that has something wrong with it. Each group
    is one module."""
    wrong = {}
    with jax.enable_x64(True):
        merged = [_merge(group) for group in groups]
        compiled = [compile_jax(function, arguments) for function, arguments in merged]
        found = run_all([text for text, _ in compiled], [arguments for _, arguments in merged], directory)
        for group, results, (_, expected) in zip(groups, found, compiled, strict=True):
            if isinstance(results, str):
                wrong |= _failures_alone(group, directory) or {group[0].name: f"with those after it, {results}"}
                continue
            position = 0
            for case in group:
                size = len(jax.tree.leaves(jax.eval_shape(case.function, *case.arguments)))
                part = slice(position, position + size)
                message = _outcome(case, results[part], expected[part])
                if message:
                    wrong[case.name] = message
                position += size
    return wrong


def failures(cases: Sequence[Case], directory: Path) -> dict[str, str]:
    """The same for one group."""
    return failures_of_groups([cases], directory)
