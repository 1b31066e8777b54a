"""Kernels that are large enough for several threads compute what JAX computes."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kernel import difference, run

from hetero import export


def _conv(x: jax.Array, w: jax.Array, stride: int) -> jax.Array:
    return jax.lax.conv_general_dilated(
        x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def _conv_gradients(stride: int):
    def gradients(x: jax.Array, w: jax.Array) -> tuple[jax.Array, ...]:
        return jax.grad(lambda x, w: jnp.sum(jnp.sin(_conv(x, w, stride))), (0, 1))(x, w)

    return gradients


# A function and the shapes of its arguments. Sizes do not divide by the threads.
CASES = {
    "rows": (lambda a, b: a @ b, [(301, 67), (67, 35)]),
    "columns": (lambda a, b: a @ b, [(35, 67), (67, 301)]),
    "transposed": (lambda a, b: a.T @ b.T, [(67, 301), (77, 67)]),
    "batch": (lambda a, b: jnp.einsum("bqhd,bkhd->bhqk", a, b), [(2, 65, 5, 33), (2, 65, 5, 33)]),
    "small_batch": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), [(2, 130, 40), (2, 40, 90)]),
    "sum_of_many": (lambda a, b: jnp.einsum("bshd,bsf->hdf", a, b), [(3, 50, 4, 16), (3, 50, 70)]),
    "convolution": (lambda x, w: _conv(x, w, 1), [(3, 17, 15, 5), (3, 3, 5, 20)]),
    "strided_convolution": (lambda x, w: _conv(x, w, 2), [(3, 33, 31, 6), (7, 7, 6, 20)]),
    "convolution_gradients": (_conv_gradients(1), [(3, 17, 15, 5), (3, 3, 5, 20)]),
    "strided_convolution_gradients": (_conv_gradients(2), [(3, 33, 31, 6), (3, 3, 6, 20)]),
    "sums": (lambda x: (x.sum(0), x.sum(1), x.max(1), x.sum()), [(301, 257)]),
    "transposes": (
        lambda x, y: (x.T * 2, y.transpose(1, 2, 0), y.transpose(0, 2, 1) + x[:3, :1, None]),
        [(301, 257), (3, 130, 75)],
    ),
    "random_bits": (
        lambda x: x + jax.random.uniform(jax.random.key(3), x.shape),
        [(301, 257)],
    ),
    "softmax": (lambda x: jax.nn.softmax(x), [(301, 257)]),
    "embedding": (
        jax.grad(lambda t, i: jnp.sum(jnp.sin(t[jnp.floor(jnp.abs(i) * 50).astype(jnp.int32) % 100]))),
        [(100, 130), (600,)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_threads(name: str, tmp_path: Path) -> None:
    function, shapes = CASES[name]
    rng = np.random.default_rng(7)
    arguments = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    lowered = jax.jit(function).lower(*arguments)
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(lowered.compile()(*arguments))]
    actual = run(export.text(lowered), arguments, tmp_path)
    again = run(export.text(lowered), arguments, tmp_path)
    for value, other, wanted in zip(actual, again, expected, strict=True):
        assert difference(value, wanted) < 2e-5
        assert np.array_equal(value, other)
