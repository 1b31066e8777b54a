"""The functions of compiled kernels are good to a few units in the last place.

Numbers of the whole range are tried: patterns of bits at equal distances, others
close to where functions have a zero or a pole, and the edges. References are
computed with more digits (long double, or double for f32). Results that are not
finite, and the signs of zeros, have to be right everywhere. A result below the
smallest normal number may be off by that.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from kernel import run

COUNT = 1 << 18
Wide = np.longdouble


def _erf(x: np.ndarray) -> np.ndarray:
    # Doubles: exact enough for f32, and to half a unit for f64.
    return np.array([math.erf(value) for value in x.astype(np.float64)], Wide)


# What is called, what it computes, and how many units it may be off for f32 and f64.
FUNCTIONS: dict[str, tuple[str, Callable[..., np.ndarray], tuple[float, float]]] = {
    "exp": ("stablehlo.exponential", np.exp, (3, 4)),
    "expm1": ("stablehlo.exponential_minus_one", np.expm1, (6, 6)),
    "log": ("stablehlo.log", np.log, (4, 4)),
    "log1p": ("stablehlo.log_plus_one", np.log1p, (6, 6)),
    "tanh": ("stablehlo.tanh", np.tanh, (5, 4)),
    "logistic": ("stablehlo.logistic", lambda x: 1 / (1 + np.exp(-x)), (4, 4)),
    "erf": ("chlo.erf", _erf, (6, 4)),
    "sin": ("stablehlo.sine", np.sin, (4, 4)),
    "cos": ("stablehlo.cosine", np.cos, (4, 4)),
    "tan": ("stablehlo.tan", np.tan, (4, 4)),
    "sqrt": ("stablehlo.sqrt", np.sqrt, (0.5, 0.5)),
    "rsqrt": ("stablehlo.rsqrt", lambda x: 1 / np.sqrt(x), (1.5, 1.5)),
    "cbrt": ("stablehlo.cbrt", np.cbrt, (4, 4)),
}


def _numbers(dtype: Any) -> np.ndarray:
    """COUNT numbers of the type."""
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    info = np.finfo(dtype)
    rng = np.random.default_rng(0)
    around = [rng.standard_normal(COUNT // 8) * width + center for width, center in [(1e-2, 0), (1e-2, 1), (1, 0), (10, 0)]]
    edges = [0.0, np.inf, np.nan, 1.0, 2.0, info.max, info.tiny, info.smallest_subnormal, info.eps, 1 + info.eps, 1 - info.eps]
    special = np.concatenate([edges, np.negative(edges), *around]).astype(dtype)
    count = COUNT - special.size
    step = (2 ** (8 * bits.itemsize) - 1) // count
    spread = np.arange(count, dtype=bits) * bits.type(step)
    return np.concatenate([special, spread.view(dtype)])


def _worst(actual: np.ndarray, exact: np.ndarray, x: np.ndarray, bound: float) -> str | None:
    """Where the error is more than so many units in the last place."""
    tiny = np.finfo(actual.dtype).tiny
    with np.errstate(all="ignore"):
        rounded = exact.astype(actual.dtype)
        unit = np.abs(np.spacing(np.where(np.isfinite(rounded), rounded, 1)))
        error = np.abs(actual.astype(Wide) - exact)
        good = error <= bound * unit.astype(Wide)
        good |= (np.abs(exact) < tiny) & (error < tiny)
        good &= (exact != 0) | (np.signbit(actual) == np.signbit(rounded))
        good |= (actual == rounded) & ~np.isfinite(rounded)
        good |= np.isnan(actual) & np.isnan(rounded)
        if good.all():
            return None
        where = int(np.argmax(np.where(good, 0, np.nan_to_num(error / unit, nan=np.inf))))
        return f"{actual[where]!r} instead of {rounded[where]!r} of {x[where]!r}, {float(error[where] / unit[where]):.2f} units; {np.sum(~good)} in all"


@pytest.mark.parametrize("name,dtype", [("f32", np.float32), ("f64", np.float64)])
def test_units_in_the_last_place(name: str, dtype: Any, tmp_path: Path) -> None:
    kind = f"tensor<{COUNT}x{name}>"
    lines = [f"module {{\n  func.func public @main(%x: {kind}) -> ({', '.join([kind] * len(FUNCTIONS))}) {{"]
    for key, (operation, _, _) in FUNCTIONS.items():
        lines.append(f"    %{key} = {operation} %x : {kind}" + (f" -> {kind}" if operation.startswith("chlo") else ""))
    lines.append(f"    return {', '.join('%' + key for key in FUNCTIONS)} : {', '.join([kind] * len(FUNCTIONS))}\n  }}\n}}\n")
    x = _numbers(dtype)
    results = run("\n".join(lines), [x], tmp_path)
    wrong = {}
    for (key, (_, function, bounds)), actual in zip(FUNCTIONS.items(), results, strict=True):
        with np.errstate(all="ignore"):
            exact = function(x.astype(Wide))
        message = _worst(actual, exact, x, bounds[name == "f64"])
        if message:
            wrong[key] = message
    assert not wrong, "\n".join(f"{key}: {message}" for key, message in wrong.items())


# Shapes, and which dimensions are summed: to a row as in normalizations, to a
# number, and along rows.
SUMS = [((8, 32, 32, 64), (0, 1, 2)), ((16, 64, 256), (0, 1)), ((512, 512), (0, 1)), ((64, 4096), (1,))]


@pytest.mark.parametrize("shape,dims", SUMS)
def test_sums_lose_few_digits(shape: tuple[int, ...], dims: tuple[int, ...], tmp_path: Path) -> None:
    kept = [size for dim, size in enumerate(shape) if dim not in dims]
    kind, result = (f"tensor<{''.join(f'{size}x' for size in sizes)}f32>" for sizes in (shape, kept))
    module = f"""module {{
  func.func public @main(%x: {kind}) -> {result} {{
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = {list(dims)} : ({kind}, tensor<f32>) -> {result}
    return %sum : {result}
  }}
}}
"""
    x = (np.random.default_rng(0).standard_normal(shape) + 1).astype(np.float32)
    (actual,) = run(module, [x], tmp_path)
    exact = x.astype(np.float64).sum(dims)
    assert np.max(np.abs(actual - exact) / np.abs(exact)) < 1.5e-6
