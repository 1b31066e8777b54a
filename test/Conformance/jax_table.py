"""JAX functions with options, control flow, random numbers and sharding."""

from __future__ import annotations

import functools
import itertools
from typing import Any, Callable, Iterator

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

Entry = tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def shape(*dims: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    """A shape to lower from."""
    return jax.ShapeDtypeStruct(dims, dtype)


def entries() -> Iterator[Entry]:
    """Family, function, arguments, options of `jax.jit`."""
    for generate in (_elementwise, _contractions, _convolutions, _windows, _indexing, _shapes, _control, _transforms,
            _random, _sharding, _jit, _layers):
        for entry in generate():
            yield entry if len(entry) == 4 else (*entry, {})


def _dtypes() -> list[Any]:
    small = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4",
        "float8_e4m3", "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2", "uint2"]
    found = [getattr(jnp, name) for name in small if hasattr(jnp, name)]
    return [*found, jnp.bool_, jnp.int8, jnp.int16, jnp.int32, jnp.int64, jnp.uint8, jnp.uint16, jnp.uint32, jnp.uint64,
        jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64, jnp.complex64, jnp.complex128]


def _elementwise() -> Iterator[Any]:
    for dtype in _dtypes():
        x, scalar = shape(2, 3, dtype=dtype), shape(dtype=dtype)
        yield "dtype add", lambda a, b: a + b, (x, x)
        yield "dtype select", lambda p, a: jnp.where(p, a, a[::-1]), (shape(2, 3, dtype=jnp.bool_), x)
        yield "dtype constant", lambda a, dtype=dtype: a + jnp.array([[1, 0, 1], [0, 1, 1]], dtype), (x,)
        yield "dtype long constant", lambda a, dtype=dtype: a + jnp.arange(120).astype(dtype).reshape(120), (shape(120,
            dtype=dtype),)
        yield "dtype reduce", lambda a: lax.reduce_max(a, (1,)), (x,)
        yield "dtype sum", lambda a: jnp.sum(a), (x,)
        yield "dtype iota", lambda a: a + lax.broadcasted_iota(a.dtype, a.shape, 1), (x,)
        yield "dtype dot", lambda a: a @ a.T, (x,)
        yield "dtype sort", jnp.sort, (x,)
        yield "dtype argmax", jnp.argmax, (x,)
        yield "dtype clamp", lax.clamp, (scalar, x, scalar)
        yield "dtype gather", lambda a, i: a[i], (x, shape(4, dtype=jnp.int32))
        yield "dtype scatter", lambda a, i: a.at[i].add(1), (x, shape(4, dtype=jnp.int32))
        yield "dtype cumsum", jnp.cumsum, (x,)
        yield "dtype pad", lambda a: jnp.pad(a, 1), (x,)
        for other in _dtypes()[::2]:
            yield "dtype convert", lambda a, other=other: a.astype(other), (x,)
            yield "dtype bitcast", lambda a, other=other: lax.bitcast_convert_type(a, other), (shape(4, 8, dtype=dtype),)
    for fn in (lax.exp, lax.log, lax.tanh, lax.sqrt, lax.rsqrt, lax.cbrt, lax.logistic, lax.sin, lax.cos, lax.tan, lax.exp2,
            lax.expm1, lax.log1p):
        for accuracy in (lax.Tolerance(atol=1e-4, rtol=1e-3, ulps=2), lax.AccuracyMode.HIGHEST, lax.AccuracyMode.DEFAULT):
            yield "accuracy", lambda a, fn=fn, accuracy=accuracy: fn(a, accuracy=accuracy), (shape(3),)
    for n in (-2, 0, 1, 2, 3, 7):
        yield "integer_pow", lambda a, n=n: lax.integer_pow(a, n), (shape(3),)
    yield "reduce_precision", lambda a: lax.reduce_precision(a, 5, 10), (shape(3),)
    yield "round", lambda a: (lax.round(a, lax.RoundingMethod.TO_NEAREST_EVEN),
        lax.round(a, lax.RoundingMethod.AWAY_FROM_ZERO)), (shape(3),)


def _contractions() -> Iterator[Any]:
    a, b = shape(4, 5), shape(5, 6)
    for precision in ("default", "high", "highest", "float32", "bfloat16", "tensorfloat32", "BF16_BF16_F32",
            "TF32_TF32_F32_X3", "BF16_BF16_F32_X6", "F32_F32_F32", "F16_F16_F16", "ANY_F8_ANY_F8_F32",
            "ANY_F8_ANY_F8_F32_FAST_ACCUM"):
        yield "dot precision", functools.partial(jnp.dot, precision=precision), (a, b)
    for kind in (jnp.float32, jnp.bfloat16, jnp.float16, jnp.int8, jnp.int32):
        for out in (jnp.float32, jnp.int32, None):
            yield "dot types", functools.partial(jnp.matmul, preferred_element_type=out), (shape(4, 5, dtype=kind),
                shape(5, 6, dtype=kind))
    for text, shapes in [("ij,jk->ik", (a, b)), ("bij,bjk->bik", (shape(2, 3, 4), shape(2, 4, 5))),
        ("ij,kj->ki", (a, shape(7, 5))), ("ij->ji", (a,)), ("ii->i", (shape(4, 4),)), ("ij->", (a,)),
        ("bhqd,bhkd->bhqk", (shape(2, 3, 4, 5), shape(2, 3, 6, 5))),
                         ("i,j->ij", (shape(3), shape(4))), ("abc,cd,de->abe", (shape(2, 3, 4), shape(4, 5), shape(5, 6))),
                         ("i,i->", (shape(3), shape(3))),
                         ("...ij,...jk->...ik", (shape(2, 3, 4), shape(2, 4, 5)))]:  # fmt: skip
        yield "einsum", functools.partial(jnp.einsum, text), shapes
    numbers = [(((1,), (0,)), ((), ())), (((2,), (1,)), ((0,), (0,))), (((), ()), ((), ())), (((), ()), ((0, 1), (0, 1)))]
    for numbers_, shapes in zip(numbers, [(a, b), (shape(2, 3, 4), shape(2, 4, 5)), (shape(3), shape(4)),
            (shape(2, 3, 4), shape(2, 3, 5))]):
        yield "dot_general", lambda x, y, n=numbers_: lax.dot_general(x, y, n), shapes
        yield "dot_general (grad)", jax.grad(lambda x, y, n=numbers_: lax.dot_general(x, y, n).sum(), (0, 1)), shapes
    yield "ragged_dot", lax.ragged_dot, (shape(11, 5), shape(3, 5, 7), shape(3, dtype=jnp.int32))
    yield "ragged_dot (grad)", jax.grad(lambda x, y, g: lax.ragged_dot(x, y, g).sum(), (0, 1)), (shape(11, 5),
        shape(3, 5, 7), shape(3, dtype=jnp.int32))
    if hasattr(lax, "ragged_dot_general"):
        dims = lax.RaggedDotDimensionNumbers(dot_dimension_numbers=(((1,), (1,)), ((), ())), lhs_ragged_dimensions=[0],
            rhs_group_dimensions=[0])
        yield "ragged_dot_general", lambda x, y, g: lax.ragged_dot_general(x, y, g, dims), (shape(11, 5), shape(3, 5, 7),
            shape(3, dtype=jnp.int32))
    for bits in itertools.product((True, False), repeat=4):
        left, lower, unit, transpose = bits
        yield "triangular_solve", lambda x, y, k=dict(left_side=left, lower=lower, unit_diagonal=unit,
            transpose_a=transpose): lax.linalg.triangular_solve(x, y, **k), (shape(4, 4), shape(4, 4))
    for fn in (lax.linalg.cholesky, jnp.linalg.qr, jnp.linalg.svd, jnp.linalg.eigh, jnp.linalg.inv, jnp.linalg.slogdet,
            lax.linalg.lu, jnp.linalg.pinv, jax.scipy.linalg.expm):
        yield "linalg", fn, (shape(4, 4),)
        yield "linalg batch", fn, (shape(3, 4, 4),)
    for kind, n in (("fft", (8,)), ("ifft", (8,)), ("rfft", (8,)), ("irfft", (8,))):
        fft_type = getattr(lax.FftType, kind.upper())
        dtype = jnp.float32 if kind == "rfft" else jnp.complex64
        yield "fft", lambda x, t=fft_type, n=n: lax.fft(x, t, n), (shape(3, 5 if kind == "irfft" else 8, dtype=dtype),)
    for fn in (jnp.fft.fft2, jnp.fft.rfft2, jnp.fft.fftn, jnp.fft.ifftn, jnp.fft.irfftn, jnp.fft.rfftn):
        yield "fft", fn, (shape(3, 4, 5),)


def _convolutions() -> Iterator[Any]:
    x, k = shape(2, 8, 8, 4), shape(3, 3, 4, 6)
    nhwc = ("NHWC", "HWIO", "NHWC")
    base: dict[str, Any] = {"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": nhwc}
    for change in [{}, {"padding": "VALID"}, {"window_strides": (2, 2)}, {"padding": [(0, 1), (2, 0)]},
            {"lhs_dilation": (2, 2)}, {"rhs_dilation": (2, 1)}, {"precision": "highest"},
            {"preferred_element_type": jnp.float32}]:
        conv = functools.partial(lax.conv_general_dilated, **{**base, **change})
        yield "conv", conv, (x, k)
        yield "conv (grad)", jax.grad(lambda a, b, conv=conv: conv(a, b).sum(), (0, 1)), (x, k)
        yield "conv (vmap)", jax.vmap(conv), (shape(3, 2, 8, 8, 4), shape(3, 3, 3, 4, 6))
    for groups in ({"feature_group_count": 2}, {"feature_group_count": 4}):
        conv = functools.partial(lax.conv_general_dilated, **base, **groups)
        kernel = shape(3, 3, 4 // groups["feature_group_count"], 8)
        yield "conv groups", conv, (x, kernel)
        yield "conv groups (grad)", jax.grad(lambda a, b, conv=conv: conv(a, b).sum(), (0, 1)), (x, kernel)
    yield "conv batch groups", functools.partial(lax.conv_general_dilated, **base, batch_group_count=2), (x,
        shape(3, 3, 4, 6))
    for numbers, a, b in [(("NCHW", "OIHW", "NCHW"), shape(2, 4, 8, 8), shape(6, 4, 3, 3)),
            (("NHC", "HIO", "NHC"), shape(2, 8, 4), shape(3, 4, 6)), (("NHWDC", "HWDIO", "NHWDC"), shape(2, 8, 8, 8, 4),
            shape(3, 3, 3, 4, 6)), (("CNHW", "IHWO", "HWNC"), shape(4, 2, 8, 8), shape(4, 3, 3, 6))]:
        strides = (1,) * (len(numbers[0]) - 2)
        yield "conv layouts", lambda u, v, n=numbers, s=strides: lax.conv_general_dilated(u, v, s, "SAME",
            dimension_numbers=n), (a, b)
    for dtype in (jnp.bfloat16, jnp.float16, jnp.int8, jnp.complex64, jnp.float64):
        yield "conv dtypes", functools.partial(lax.conv_general_dilated, **base), (shape(2, 8, 8, 4, dtype=dtype),
            shape(3, 3, 4, 6, dtype=dtype))
    yield "conv_transpose", lambda a, b: lax.conv_transpose(a, b, (2, 2), "SAME", dimension_numbers=nhwc), (x, k)
    yield "conv_local", lambda a, b: lax.conv_general_dilated_local(a, b, (1, 1), "VALID", (3, 3),
        dimension_numbers=nhwc), (x, shape(6, 6, 36, 6))
    yield "patches", lambda a: lax.conv_general_dilated_patches(a, (3, 3), (1, 1), "SAME", dimension_numbers=nhwc), (x,)


def _windows() -> Iterator[Any]:
    x = shape(2, 8, 8, 4)
    for padding in ("SAME", "VALID", ((0, 0), (1, 2), (0, 1), (0, 0))):
        for init, fn in ((-jnp.inf, lax.max), (0.0, lax.add), (jnp.inf, lax.min), (1.0, lax.mul)):
            pool = lambda a, init=init, fn=fn, padding=padding: lax.reduce_window(a, init, fn, (1, 2, 2, 1), (1, 2, 2, 1),
                padding)  # noqa: E731
            yield "reduce_window", pool, (x,)
            yield "reduce_window (grad)", jax.grad(lambda a, pool=pool: pool(a).sum()), (x,)
    yield "reduce_window dilated", lambda a: lax.reduce_window(a, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID",
        (1, 2, 1, 1), (1, 1, 2, 1)), (x,)
    yield "reduce_window general", lambda a: lax.reduce_window(a, 0.0, lambda p, q: p * q + p, (1, 2, 2, 1), (1, 2, 2, 1),
        "SAME"), (x,)
    two = lambda a, b: lax.reduce_window((a, b), (0.0, 0), lambda p, q: (p[0] + q[0], p[1] + q[1]), (2,), (1,),
        "SAME")  # noqa: E731
    yield "reduce_window two", two, (shape(8), shape(8, dtype=jnp.int32))
    for fn in (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp):
        for reverse in (False, True):
            yield "cumulative", lambda a, fn=fn, reverse=reverse: fn(a, axis=1, reverse=reverse), (shape(3, 5),)
            yield "cumulative (grad)", jax.grad(lambda a, fn=fn, reverse=reverse: fn(a, axis=1, reverse=reverse).sum()), (shape(3,
                5),)
    for fn, init in ((lax.add, 0.0), (lax.max, -jnp.inf), (lax.mul, 1.0), (lambda a, b: a * b + a, 0.0),
            (lambda a, b: b, 0.0)):
        for dims in ((0,), (1,), (0, 1), ()):
            yield "reduce", lambda a, fn=fn, init=init, dims=dims: lax.reduce(a, init, fn, dims), (shape(3, 5),)
    yield "reduce two", lambda a, b: lax.reduce((a, b), (0.0, 0), lambda p, q: (p[0] + q[0], lax.max(p[1], q[1])),
        (1,)), (shape(3, 5), shape(3, 5, dtype=jnp.int32))
    for fn in (jnp.all, jnp.any):
        yield "reduce bool", fn, (shape(3, 5, dtype=jnp.bool_),)
    yield "argminmax", lambda a: (lax.argmax(a, 1, jnp.int32), lax.argmin(a, 0, jnp.uint8)), (shape(3, 5),)


def _indexing() -> Iterator[Any]:
    x, i = shape(5, 6, 7), shape(3, dtype=jnp.int32)
    for mode in ("clip", "fill", "promise_in_bounds", "wrap", "drop"):
        yield "take", lambda a, j, m=mode: a.at[j].get(mode=m), (x, i)
        for name in ("set", "add", "multiply", "min", "max", "divide", "power"):
            if mode in ("clip", "fill", "promise_in_bounds", "drop"):
                yield "scatter", lambda a, j, m=mode, n=name: getattr(a.at[j], n)(2.0, mode=m), (x, i)
    yield "scatter apply", lambda a, j: a.at[j].apply(jnp.sin), (x, i)
    yield "index forms", lambda a, j: (a[j, j], a[:, j], a[j, :, j], a[1:3, j], a[..., 0], a[None, ::2, ::-1],
        a[j[:, None], j[None]]), (x, i)
    yield "index (grad)", jax.grad(lambda a, j: (a[j, j].sum() + (a[:, j] ** 2).sum())), (x, i)
    yield "unique sorted", lambda a, j: a.at[j].get(unique_indices=True, indices_are_sorted=True), (x, i)
    yield "unique sorted set", lambda a, j: a.at[j].set(0.0, unique_indices=True, indices_are_sorted=True), (x, i)
    yield "gather (vmap)", jax.vmap(lambda a, j: a[j]), (shape(4, 5, 6), shape(4, 3, dtype=jnp.int32))
    yield "scatter (vmap)", jax.vmap(lambda a, j: a.at[j].add(1.0)), (shape(4, 5, 6), shape(4, 3, dtype=jnp.int32))
    yield "dynamic_slice", lambda a, j: lax.dynamic_slice(a, (j[0], j[1], 0), (2, 3, 4)), (x, i)
    yield "dynamic_update_slice", lambda a, j: lax.dynamic_update_slice(a, a[:2, :2, :2], (j[0], 1, j[2])), (x, i)
    yield "dynamic_slice (grad)", jax.grad(lambda a, j: lax.dynamic_slice(a, (j[0], j[1], 0), (2, 3, 4)).sum()), (x, i)
    for dtype in (jnp.int8, jnp.uint8, jnp.int64, jnp.uint32):
        yield "dynamic_index", lambda a, j: lax.dynamic_index_in_dim(a, j, 1), (x, shape(dtype=dtype))
    for dim, stable, keys in itertools.product((0, 1), (True, False), (1, 2)):
        yield "sort", lambda a, b, d=dim, s=stable, k=keys: lax.sort((a, b), dimension=d, is_stable=s,
            num_keys=k), (shape(4, 5), shape(4, 5, dtype=jnp.int32))
    yield "sort (grad)", jax.grad(lambda a: (jnp.sort(a) * jnp.arange(5.0)).sum()), (shape(4, 5),)
    for k in (1, 3):
        yield "top_k", lambda a, k=k: lax.top_k(a, k), (shape(4, 5),)
        yield "top_k (grad)", jax.grad(lambda a, k=k: lax.top_k(a, k)[0].sum()), (shape(4, 5),)
        yield "approx_max_k", lambda a, k=k: lax.approx_max_k(a, k), (shape(4, 512),)
    yield "searchsorted", jnp.searchsorted, (shape(8), shape(3))
    yield "one_hot", lambda j: jax.nn.one_hot(j, 5), (i,)
    yield "segment_sum", lambda a, j: jax.ops.segment_sum(a, j, 4), (shape(3, 2), i)
    yield "histogram", lambda a: jnp.histogram(a, 5), (shape(8),)
    yield "unique", lambda a: jnp.unique(a, size=3), (shape(8),)


def _shapes() -> Iterator[Any]:
    x = shape(2, 3, 4)
    yield "reshape", lambda a: (a.reshape(6, 4), a.reshape(-1), a.reshape(2, 1, 12),
        lax.reshape(a, (4, 6), (2, 0, 1))), (x,)
    yield "transpose", lambda a: (a.T, jnp.swapaxes(a, 0, 1), jnp.moveaxis(a, 0, -1)), (x,)
    yield "broadcast", lambda a: (jnp.broadcast_to(a, (5, 2, 3, 4)), lax.broadcast(a, (2, 2)), a[:, None]), (x,)
    yield "concatenate", lambda a: (jnp.concatenate([a, a, a], 1), jnp.stack([a, a]), jnp.tile(a, (2, 1, 3)),
        jnp.repeat(a, 2, 1)), (x,)
    for config in (((0, 1, 0), (1, 0, 2), (0, 0, 0)), ((-1, 0, 0), (0, -1, 0), (1, 1, 1))):
        yield "pad", lambda a, c=config: lax.pad(a, 0.0, c), (x,)
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "mean", "linear_ramp"):
        yield "jnp.pad", lambda a, m=mode: jnp.pad(a, 1, mode=m), (x,)
    yield "slice", lambda a: (lax.slice(a, (0, 1, 0), (2, 3, 4), (1, 2, 3)), a[1:1], jnp.flip(a, (0, 2)),
        jnp.roll(a, 1)), (x,)
    yield "empty", lambda a: (a + 1, a.sum(), jnp.concatenate([a, a]), a @ a.T, jnp.sort(a)), (shape(0, 3),)
    yield "scalar", lambda a: (a * 2, jnp.broadcast_to(a, (3,)), a.reshape(1, 1), lax.squeeze(a.reshape(1),
        (0,))), (shape(),)
    yield "complex", lambda a: (a * a, a.real, a.imag, jnp.conj(a), jnp.abs(a), lax.complex(a.real, a.imag), jnp.exp(a),
        a**2, jnp.angle(a)), (shape(3, dtype=jnp.complex64),)
    yield "image", lambda a: jax.image.resize(a, (4, 4, 3), "bilinear"), (shape(8, 8, 3),)
    yield "tri", lambda a: (jnp.tril(a), jnp.triu(a, 1), jnp.diag(a), jnp.eye(3)), (shape(3, 3),)


def _control() -> Iterator[Any]:
    x = shape(3)
    body = lambda c, v: (c * 0.9 + v, c)  # noqa: E731
    for options in ({}, {"reverse": True}, {"unroll": 2}, {"length": 5}):
        yield "scan", lambda c, v, o=options: lax.scan(body, c, v, **o), (x, shape(5, 3))
        yield "scan (grad)", jax.grad(lambda c, v, o=options: lax.scan(body, c, v, **o)[0].sum(), (0, 1)), (x, shape(5, 3))
    yield "scan none", lambda c: lax.scan(lambda a, _: (a + 1, None), c, None, length=4), (x,)
    yield "scan remat", jax.grad(lambda c, v: lax.scan(jax.checkpoint(body), c, v)[0].sum()), (x, shape(5, 3))
    yield "scan nested", lambda c, v: lax.scan(lambda a, w: lax.scan(body, a, jnp.stack([w, w])), c, v), (x, shape(5, 3))
    yield "fori_loop", lambda a: lax.fori_loop(0, 5, lambda i, v: v + i, a), (x,)
    yield "fori_loop dynamic", lambda a, n: lax.fori_loop(0, n, lambda i, v: v * 2, a), (x, shape(dtype=jnp.int32))
    yield "while_loop", lambda a: lax.while_loop(lambda v: v.sum() < 9, lambda v: v + 1, a), (x,)
    yield "while_loop (vmap)", jax.vmap(lambda a: lax.while_loop(lambda v: v.sum() < 9, lambda v: v + 1, a)), (shape(4, 3),)
    yield "while_loop tuple", lambda a, b: lax.while_loop(lambda s: s[1] < 9, lambda s: (s[0] * 2, s[1] + 1), (a, b)), (x,
        shape(dtype=jnp.int32))
    for fn in (lambda p, a: lax.cond(p, jnp.sin, jnp.cos, a), lambda p, a: lax.cond(p, lambda: a, lambda: a + 1), lambda p,
            a: lax.cond(p, lambda v: (v, v.sum()), lambda v: (v * 2, 0.0), a)):
        yield "cond", fn, (shape(dtype=jnp.bool_), x)
        yield "cond (grad)", jax.grad(lambda a, p, fn=fn: sum(v.sum() for v in jax.tree.leaves(fn(p, a)))), (x,
            shape(dtype=jnp.bool_))
        yield "cond (vmap)", jax.vmap(fn), (shape(4, dtype=jnp.bool_), shape(4, 3))
    yield "switch", lambda i, a: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan, jnp.exp], a), (shape(dtype=jnp.int32), x)
    yield "switch (grad)", jax.grad(lambda a, i: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], a).sum()), (x,
        shape(dtype=jnp.int32))
    yield "map", lambda a: lax.map(jnp.sin, a), (shape(4, 3),)
    yield "map batched", lambda a: lax.map(jnp.sin, a, batch_size=2), (shape(5, 3),)
    yield "associative_scan", lambda a: lax.associative_scan(jnp.add, a), (shape(7, 3),)
    yield "custom_root", lambda a: lax.custom_root(lambda v: v**2 - a, a, lambda f, v: v * 0.5, lambda g,
        y: y / g(1.0)), (shape(),)
    yield "cg", lambda a, b: jax.scipy.sparse.linalg.cg(a, b, maxiter=5), (shape(3, 3), x)
    yield "platform_dependent", lambda a: lax.platform_dependent(a, cpu=jnp.sin, default=jnp.cos), (x,)
    yield "barrier", lambda a: lax.optimization_barrier((a, a.sum())), (x,)
    yield "tokens", lambda a: lax.create_token(a), (x,)


def _transforms() -> Iterator[Any]:
    x = shape(3, 4)

    @jax.custom_vjp
    def clipped(a: Any) -> Any:
        return jnp.clip(a, 0, 1)

    clipped.defvjp(lambda a: (clipped(a), a), lambda a, g: (jnp.where(a > 0, g, 0.1 * g),))

    @jax.custom_jvp
    def softplus(a: Any) -> Any:
        return jnp.log1p(jnp.exp(a))

    softplus.defjvp(lambda p, t: (softplus(p[0]), jax.nn.sigmoid(p[0]) * t[0]))
    for name, fn in (("custom_vjp", clipped), ("custom_jvp", softplus), ("tanh", jnp.tanh)):
        total = lambda a, fn=fn: fn(a).sum()  # noqa: E731
        yield name, fn, (x,)
        yield f"{name} (grad)", jax.grad(total), (x,)
        yield f"{name} (vmap)", jax.vmap(fn), (x,)
        if name != "custom_vjp":
            yield f"{name} (jvp)", lambda a, t, fn=fn: jax.jvp(fn, (a,), (t,)), (x, x)
        yield f"{name} (value_and_grad)", jax.value_and_grad(total), (x,)
        yield f"{name} (remat)", jax.grad(jax.checkpoint(total)), (x,)
        for policy in ("dots_saveable", "nothing_saveable", "everything_saveable"):
            yield f"{name} (policy)", jax.grad(jax.checkpoint(total, policy=getattr(jax.checkpoint_policies, policy))), (x,)
    yield "hessian", jax.hessian(lambda a: (a**3).sum()), (shape(3),)
    yield "jacfwd", jax.jacfwd(jnp.sin), (shape(3),)
    yield "jacrev", jax.jacrev(jnp.sin), (shape(3),)
    yield "linearize", lambda a: jax.linearize(jnp.sin, a)[1](a), (shape(3),)
    yield "stop_gradient", jax.grad(lambda a: (a * lax.stop_gradient(a)).sum()), (shape(3),)
    yield "named_scope", lambda a: jax.named_call(jnp.sin, name="inner")(a), (x,)
    yield "composite", lambda a: jax.lax.composite(lambda v: v * 2, name="my.op", version=3)(a), (x,)
    yield "composite attributes", lambda a: jax.lax.composite(lambda v, k: v * k, name="my.op")(a, k=2.0), (x,)


def _random() -> Iterator[Any]:
    key, raw = jax.eval_shape(lambda: jax.random.key(0)), shape(2, dtype=jnp.uint32)
    draws: dict[str, Callable[[Any], Any]] = {
        "normal": lambda k: jax.random.normal(k, (3, 4)), "uniform": lambda k: jax.random.uniform(k, (3,), minval=-1),
        "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (5,)), "randint": lambda k: jax.random.randint(k, (5,), 0,
        9),
        "bits": lambda k: jax.random.bits(k, (7,)), "bits8": lambda k: jax.random.bits(k, (7,), jnp.uint8),
        "permutation": lambda k: jax.random.permutation(k, 8), "choice": lambda k: jax.random.choice(k, 8, (3,),
        replace=False),
        "categorical": lambda k: jax.random.categorical(k, jnp.zeros((3, 4))), "gumbel": lambda k: jax.random.gumbel(k, (3,)),
        "truncated_normal": lambda k: jax.random.truncated_normal(k, -1, 1, (3,)),
        "split": lambda k: jax.random.split(k, 3),
        "fold_in": lambda k: jax.random.fold_in(k, 7), "exponential": lambda k: jax.random.exponential(k, (3,)),
        "gamma": lambda k: jax.random.gamma(k, 2.0, (3,)), "beta": lambda k: jax.random.beta(k, 2.0, 3.0),
        "poisson": lambda k: jax.random.poisson(k, 3.0, (2,)),
        "laplace": lambda k: jax.random.laplace(k, (3,)), "orthogonal": lambda k: jax.random.orthogonal(k, 3),
        "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3)), "normal bf16": lambda k: jax.random.normal(k, (3,),
        jnp.bfloat16),
    }  # fmt: skip
    for name, fn in draws.items():
        for kind in (key, raw):
            yield f"random {name}", fn, (kind,)
        yield f"random {name} (vmap)", lambda k, fn=fn: jax.vmap(fn)(jax.random.split(k, 3)), (raw,)
    for implementation in ("rbg", "unsafe_rbg"):
        other = jax.eval_shape(lambda implementation=implementation: jax.random.key(0, impl=implementation))
        for name in ("normal", "uniform", "bits", "split", "fold_in", "bernoulli"):
            yield f"random {implementation} {name}", draws[name], (other,)
    for algorithm in lax.RandomAlgorithm.__members__.values():
        yield "rng_bit_generator", lambda k, a=algorithm: lax.rng_bit_generator(k, (3, 4), jnp.uint32,
            a), (shape(4, dtype=jnp.uint32),)
    yield "rng_uniform", lambda a, b: lax.rng_uniform(a, b, (3, 4)), (shape(), shape())


def _sharding() -> Iterator[Any]:
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    x = shape(8, 16)

    def named(*spec: Any) -> NamedSharding:
        return NamedSharding(mesh, PartitionSpec(*spec))

    for spec in (("x",), ("x", "y"), (None, "y"), (("x", "y"),), (), ("y", "x")):
        yield "sharding in", jnp.sin, (x,), {"in_shardings": named(*spec)}
        yield "sharding out", jnp.sin, (x,), {"out_shardings": named(*spec)}
        yield "sharding constraint", lambda a, s=spec: lax.with_sharding_constraint(a, named(*s)) * 2, (x,)
    spec = PartitionSpec("x", "y")
    collectives: dict[str, Callable[[Any], Any]] = {
        "psum": lambda a: lax.psum(a, "x"), "psum both": lambda a: lax.psum(a, ("x", "y")), "pmax": lambda a: lax.pmax(a, "y"),
        "pmin": lambda a: lax.pmin(a, "x"), "pmean": lambda a: lax.pmean(a, "x"),
        "all_gather": lambda a: lax.all_gather(a, "x", axis=1, tiled=True), "all_gather untiled": lambda a: lax.all_gather(a,
        "y"), "psum_scatter": lambda a: lax.psum_scatter(a, "y", scatter_dimension=1, tiled=True),
        "ppermute": lambda a: lax.ppermute(a, "x", [(0, 1), (1, 2), (2, 3)]), "all_to_all": lambda a: lax.all_to_all(a, "y", 1,
        0, tiled=True), "axis_index": lambda a: a + lax.axis_index("x"),
        "psum groups": lambda a: lax.psum(a, "x", axis_index_groups=[[0, 1], [2, 3]]),
    }  # fmt: skip
    for name, fn in collectives.items():
        for manual in ({"x", "y"}, None):
            options: dict[str, Any] = {"mesh": mesh, "in_specs": spec, "out_specs": spec, "check_vma": False}
            if manual:
                options["axis_names"] = manual
            yield f"shard_map {name}", lambda a, fn=fn, options=options: jax.shard_map(fn, **options)(a), (x,)
    partial = {"mesh": mesh, "in_specs": PartitionSpec("x"), "out_specs": PartitionSpec("x"), "axis_names": {"x"},
        "check_vma": False}
    yield "shard_map partial", lambda a: jax.shard_map(lambda v: v * 2, **partial)(a), (x,)
    yield "shard_map (grad)", jax.grad(lambda a: jax.shard_map(lambda v: lax.psum((v**2).sum(), ("x", "y")), mesh=mesh,
        in_specs=spec, out_specs=PartitionSpec())(a)), (x,)


def _jit() -> Iterator[Any]:
    x = shape(3, 4)
    inner = jax.jit(lambda a: jnp.sin(a) * 2, inline=False)
    yield "nested jit", lambda a: inner(a) + inner(a * 2), (x,)
    yield "donate", lambda a, b: (a + b, b), (x, x), {"donate_argnums": (0,)}
    yield "donate unused", lambda a, b: b * 2, (shape(7), x), {"donate_argnums": (0,)}
    yield "keep_unused", lambda a, b: b * 2, (shape(7), x), {"keep_unused": True}
    yield "no arguments", lambda: jnp.ones(3), ()
    yield "no results", lambda a: None, (x,)
    yield "identity", lambda a: a, (x,)
    yield "same twice", lambda a: (a, a), (x,)
    yield "trees", lambda t: {"s": t["a"] + t["b"][0], "n": (t["b"][1],)}, ({"a": x, "b": (x, x)},)
    yield "constants", lambda a: a + jnp.arange(12.0).reshape(3, 4) + jnp.full((3, 4), 2.5), (x,)
    yield "bool constants", lambda a: jnp.where(jnp.arange(200) % 3 == 0, a, 0), (shape(200),)
    import numpy

    table = numpy.arange(300) % 7 < 3
    yield "long bool constant", lambda a: jnp.where(table, a, 0), (shape(300),)
    values = numpy.linspace(0, 1, 300, dtype=numpy.float32)
    yield "long constant", lambda a: a * values, (shape(300),)


def _layers() -> Iterator[Any]:
    def attention(q: Any, k: Any, v: Any) -> Any:
        return jax.nn.dot_product_attention(q, k, v, is_causal=True)

    qkv = (shape(2, 6, 3, 4),) * 3
    yield "attention", attention, qkv
    yield "attention (grad)", jax.grad(lambda *a: attention(*a).sum(), (0, 1, 2)), qkv
    yield "layer_norm", lambda a: jax.nn.standardize(a), (shape(3, 8),)
    yield "softmax loss", jax.grad(lambda a, y: -(jax.nn.log_softmax(a) * jax.nn.one_hot(y, 5)).sum()), (shape(3, 5),
        shape(3, dtype=jnp.int32))
    for name in ("relu", "gelu", "silu", "elu", "selu", "softplus", "sigmoid", "log_sigmoid", "leaky_relu", "celu", "glu",
            "hard_tanh", "hard_swish", "mish", "squareplus", "relu6", "soft_sign"):
        fn = getattr(jax.nn, name)
        yield f"nn {name} (grad)", jax.grad(lambda a, fn=fn: fn(a).sum()), (shape(4, 4, dtype=jnp.bfloat16),)
    for name in ("gammaln", "digamma", "erf", "erfc", "erfinv", "betainc", "gammainc", "gammaincc", "i0", "i0e", "i1",
            "i1e", "zeta", "polygamma", "ndtri", "logsumexp", "expi", "xlogy", "entr", "logit", "bernoulli", "spence",
            "hyp1f1"):
        fn = getattr(jax.scipy.special, name, None)
        for count in (1, 2, 3):
            if fn:
                yield "special", fn, (shape(3),) * count
