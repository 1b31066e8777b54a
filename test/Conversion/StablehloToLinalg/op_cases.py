"""Functions of JAX, by family: what steps are made of besides single operations."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from cases import Case
from jax import lax

FLOATS = [np.float32, np.float64, jnp.bfloat16, np.float16]
WIDE = [np.float32, np.float64]
COMPLEX = [np.complex64, np.complex128]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def array(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Seeded elements of moderate size."""
    rng = np.random.default_rng(seed + sum(shape))
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -9, 10, shape).astype(dtype)
    values = rng.normal(size=shape)
    if kind == "c":
        return (values + 1j * rng.normal(size=shape)).astype(dtype)
    return values.astype(dtype)


def special(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Elements with NaN, infinities and both zeros among them, each several times."""
    values = array(shape, dtype, seed)
    flat = values.reshape(-1)
    edges = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.0, -0.0, np.nan]
    places = np.random.default_rng(seed).permutation(flat.size)[: len(edges)]
    flat[places] = np.array(edges[: len(places)]).astype(dtype)
    return values


def name(text: str, dtype: Any) -> str:
    """The name of a case of one dtype."""
    return f"{text}-{np.dtype(dtype).name}"


def fft() -> Iterator[Case]:
    """Transforms of lengths with small and large factors, of one to three dimensions."""
    for complex_, real in zip(COMPLEX, WIDE, strict=True):
        for n in [1, 2, 7, 8, 12, 30, 37, 97, 210, 509]:
            for function in [jnp.fft.fft, jnp.fft.ifft]:
                yield Case(name(f"{function.__name__}-{n}", complex_), function, [array((3, n), complex_)], True)
            yield Case(name(f"rfft-{n}", real), jnp.fft.rfft, [array((3, n), real)], True)
            half = array((3, n // 2 + 1), complex_)
            yield Case(name(f"irfft-{n}", complex_), lambda x, n=n: jnp.fft.irfft(x, n), [half], True)
        for shape in [(4, 6), (5, 1), (3, 7)]:
            for function in [jnp.fft.fft2, jnp.fft.ifft2]:
                yield Case(name(f"{function.__name__}-{shape}", complex_), function, [array((2, *shape), complex_)], True)
            yield Case(name(f"rfft2-{shape}", real), jnp.fft.rfft2, [array((2, *shape), real)], True)
        cube = array((4, 3, 5), complex_)
        for function in [jnp.fft.fftn, jnp.fft.ifftn]:
            yield Case(name(function.__name__, complex_), function, [cube], True)
        yield Case(name("rfftn", real), jnp.fft.rfftn, [array((4, 3, 5), real)], True)
        yield Case(name("irfftn", complex_), lambda x: jnp.fft.irfftn(x, (4, 3, 8)), [cube], True)
        yield Case(name("hfft", complex_), lambda x: jnp.fft.hfft(x, 7), [cube], True)
        yield Case(name("fft-empty", complex_), jnp.fft.fft, [array((0, 4), complex_)], True)
        yield Case(name("rfft-gradient", real), jax.grad(lambda x: jnp.abs(jnp.fft.rfft(x)).sum()), [array((9,), real)], True)


def _definite(n: int, dtype: Any, batch: tuple[int, ...] = ()) -> np.ndarray:
    a = array((*batch, n, n), dtype)
    return (a @ np.swapaxes(a, -1, -2).conj() + n * np.eye(n)).astype(dtype)


def linear_algebra() -> Iterator[Case]:
    """Factorizations and solutions; what is determined up to a sign is made unique."""
    for dtype in WIDE + COMPLEX:
        square, tall = array((5, 5), dtype), array((6, 4), dtype)
        batch = array((2, 3, 4, 4), dtype)
        factor = 100.0
        definite = _definite(5, dtype)

        def case(text: str, function: Callable[..., Any], *arguments: np.ndarray, dtype: Any = dtype) -> Case:
            return Case(name(text, dtype), function, arguments, True, factor)

        yield case("cholesky", jnp.linalg.cholesky, definite)
        yield case("cholesky-upper", lambda a: jnp.linalg.cholesky(a, upper=True), definite)
        yield case("cholesky-batch", jnp.linalg.cholesky, _definite(3, dtype, (2, 2)))
        yield case("cholesky-bad", jnp.linalg.cholesky, -definite)
        yield case("solve", jnp.linalg.solve, square, tall[:5])
        yield case("solve-batch", jnp.linalg.solve, batch, array((2, 3, 4, 2), dtype))
        yield case("inv", jnp.linalg.inv, square)
        yield case("det", jnp.linalg.det, batch)
        yield case("slogdet", jnp.linalg.slogdet, square)
        yield case("lu", lambda a: jsp.linalg.lu(a), tall)
        yield case("lu-wide", lambda a: lax.linalg.lu(a), tall.T)
        yield case("qr", jnp.linalg.qr, tall)
        yield case("qr-full", lambda a: jnp.linalg.qr(a, mode="complete"), tall)
        yield case("qr-wide", jnp.linalg.qr, np.swapaxes(tall, 0, 1))
        yield case("qr-batch", jnp.linalg.qr, batch)
        yield case("eigh", lambda a: jnp.linalg.eigh(a)[0], definite)
        yield case("eigh-vectors", lambda a: abs(jnp.linalg.eigh(a)[1]), definite)
        yield case("eigvalsh-batch", jnp.linalg.eigvalsh, _definite(4, dtype, (3,)))
        yield case("svd-values", lambda a: jnp.linalg.svd(a, compute_uv=False), tall)
        yield case("svd", lambda a: [abs(x) for x in jnp.linalg.svd(a, full_matrices=False)], tall)
        yield case("svd-full", lambda a: jnp.linalg.svd(a)[1], tall.T)
        yield case("pinv", jnp.linalg.pinv, tall)
        yield case("matrix_rank", jnp.linalg.matrix_rank, tall)
        yield case("eigvals", lambda a: jnp.sort_complex(jnp.linalg.eigvals(a)), square)
        yield case("eig", lambda a: jnp.sort(abs(jnp.linalg.eig(a)[1]), axis=None), square)
        yield case("hessenberg", lambda a: jsp.linalg.hessenberg(a), square)
        yield case("tridiagonal", lambda a: lax.linalg.tridiagonal(a), definite)
        yield case("schur", lambda a: abs(lax.linalg.schur(a)[1]), definite)
        yield case("tridiagonal_solve", lax.linalg.tridiagonal_solve, *(definite[:3]), square[:, :2])
        yield case("expm", jsp.linalg.expm, square / 4)
        yield case("cho_solve", lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b), definite, square)
        yield case("qr-pivots", lambda a: jsp.linalg.qr(a, pivoting=True), tall)
        for lower in [False, True]:
            for trans in ["N", "T", "C"]:
                for unit in [False, True]:
                    yield case(
                        f"solve_triangular-{lower}-{trans}-{unit}",
                        lambda a, b, lower=lower, trans=trans, unit=unit: jsp.linalg.solve_triangular(
                            a, b, trans=trans, lower=lower, unit_diagonal=unit
                        ),
                        definite,
                        square[:, :3],
                    )
        yield case(
            "triangular_solve-right",
            lambda a, b: lax.linalg.triangular_solve(a, b, left_side=False, lower=True, transpose_a=True),
            batch + 5 * np.eye(4, dtype=dtype),
            array((2, 3, 2, 4), dtype),
        )
        if np.dtype(dtype).kind != "c":
            yield case("cholesky-gradient", jax.grad(lambda a: jnp.linalg.cholesky(a).sum()), definite)
            yield case("solve-gradient", jax.grad(lambda a, b: jnp.linalg.solve(a, b).sum()), square, tall[:5])
            yield case("eigh-gradient", jax.grad(lambda a: jnp.linalg.eigh(a)[0][0]), definite)
            yield case("svd-gradient", jax.grad(lambda a: jnp.linalg.svd(a, compute_uv=False)[0]), tall)
            yield case("qr-gradient", jax.grad(lambda a: jnp.linalg.qr(a)[1].sum()), square)


def random() -> Iterator[Case]:
    """Random numbers of each generator; integers and bits exactly."""
    for generator in ["threefry2x32", "rbg", "unsafe_rbg"]:

        def case(
            text: str, function: Callable[[jax.Array], Any], generator: str = generator, by_scale: bool = False
        ) -> Case:
            def draw(seed: jax.Array) -> Any:
                return function(jax.random.key(seed, impl=generator))

            return Case(f"{generator}-{text}", draw, [np.uint32(7)], by_scale)

        for dtype in [np.uint8, np.uint16, np.uint32, np.uint64]:
            for shape in [(), (5,), (4, 3)] if generator != "unsafe_rbg" else [(3, 5, 2), (0, 3)]:
                yield case(name(f"bits-{shape}", dtype), lambda k, s=shape, d=dtype: jax.random.bits(k, s, d))
        for dtype in FLOATS:
            yield case(name("uniform", dtype), lambda k, d=dtype: jax.random.uniform(k, (7, 3), d))
            yield case(name("normal", dtype), lambda k, d=dtype: jax.random.normal(k, (7, 3), d))
        yield case("randint", lambda k: jax.random.randint(k, (9,), -5, 100))
        yield case("split", lambda k: jax.random.key_data(jax.random.split(k, 3)))
        yield case("fold_in", lambda k: jax.random.key_data(jax.random.fold_in(k, 3)))
        yield case("bernoulli", lambda k: jax.random.bernoulli(k, 0.3, (11,)))
        yield case("permutation", lambda k: jax.random.permutation(k, 10))
        yield case("categorical", lambda k: jax.random.categorical(k, jnp.arange(12.0).reshape(3, 4)))
        yield case("gumbel", lambda k: jax.random.gumbel(k, (5,)))
        yield case("truncated_normal", lambda k: jax.random.truncated_normal(k, -1.0, 2.0, (5,)))
        yield case("gamma", lambda k: jax.random.gamma(k, jnp.array([0.5, 2.0, 7.0])), by_scale=True)
        yield case("choice", lambda k: jax.random.choice(k, 9, (4,), replace=False))
    yield Case("poisson", lambda s: jax.random.poisson(jax.random.key(s), 3.0, (6,)), [np.uint32(7)])
    for algorithm in [lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX, lax.RandomAlgorithm.RNG_DEFAULT]:
        for dtype in [np.uint8, np.uint16, np.uint32, np.uint64]:
            for shape in [(), (4, 3)] if dtype == np.uint64 else [(5, 3, 1)]:
                for words in [np.array([1, 2], np.uint64), np.array([9, 2**64 - 1], np.uint64), np.arange(4, dtype=np.uint32)]:
                    yield Case(
                        name(f"{algorithm}-{shape}-{words}", dtype),
                        lambda s, a=algorithm, d=dtype, shape=shape: lax.rng_bit_generator(s, shape, d, algorithm=a),
                        [words],
                    )


def sorting() -> Iterator[Case]:
    """Orders, with ties, NaN and both zeros."""
    for dtype in FLOATS:
        x = special((4, 17), dtype)
        yield Case(name("sort", dtype), jnp.sort, [x])
        yield Case(name("sort-0", dtype), lambda x: jnp.sort(x, axis=0), [x])
        yield Case(name("argsort", dtype), jnp.argsort, [x])
        yield Case(name("argsort-down", dtype), lambda x: jnp.argsort(x, descending=True), [x])
        yield Case(name("top_k", dtype), lambda x: lax.top_k(x, 5), [array((4, 17), dtype)])
        yield Case(name("median", dtype), lambda x: jnp.median(x, axis=1), [array((4, 16), dtype)])
        yield Case(name("argmax", dtype), lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), [x])
        yield Case(name("unique", dtype), lambda x: jnp.unique(x, size=9), [np.round(array((20,), dtype))])
    for dtype in INTS:
        x = array((3, 11), dtype)
        yield Case(name("sort", dtype), jnp.sort, [x])
        yield Case(name("argsort", dtype), lambda x: jnp.argsort(x, axis=0), [x])
        yield Case(name("top_k", dtype), lambda x: lax.top_k(x, 3), [x])
        yield Case(name("searchsorted", dtype), lambda x, y: jnp.searchsorted(jnp.sort(x), y), [x[0], x[1]])
    yield Case("sort-bool", jnp.sort, [array((9,), np.bool_)])
    yield Case("sort-complex", jnp.sort_complex, [np.round(array((9,), np.complex64))])
    keys = array((30,), np.int32) % 4
    yield Case("sort-two-keys", lambda a, b, c: lax.sort((a, b, c), num_keys=2), [keys, keys[::-1] * 1.0, np.arange(30)])
    yield Case("lexsort", lambda a, b: jnp.lexsort((a, b)), [keys, keys[::-1].copy()])
    yield Case("sort-empty", jnp.sort, [array((3, 0))])
    yield Case("sort-one", jnp.sort, [array((3, 1))])
    yield Case("quantile", lambda x: jnp.quantile(x, jnp.array([0.1, 0.5]), axis=0), [array((7, 3))])
    yield Case("percentile", lambda x: jnp.percentile(x, 30), [array((7, 3))])


def indexing() -> Iterator[Case]:
    """Gathers and scatters in all modes, dynamic slices with any start."""
    x = array((6, 5, 4))
    wild = np.array([[0, 4], [-1, 2], [7, -9], [5, 5], [-6, 0], [2, 3]], np.int32)
    modes = ["clip", "fill", "promise_in_bounds"]
    for mode in modes:
        indices = np.abs(wild) % 4 if mode == "promise_in_bounds" else wild
        if mode != "promise_in_bounds":
            yield Case(f"take-{mode}", lambda x, i, m=mode: jnp.take(x, i, axis=1, mode=m), [x, indices])
        yield Case(f"get-{mode}", lambda x, i, m=mode: x.at[i[:, 0], i[:, 1]].get(mode=m), [x, indices])
    yield Case("take-wrap", lambda x, i: jnp.take(x, i, axis=1, mode="wrap"), [x, wild])
    for kind in ["clip", "drop"]:
        for op in ["set", "add", "mul", "min", "max"]:
            for unique in [False, True]:
                yield Case(
                    f"scatter-{kind}-{op}-{unique}",
                    lambda x, i, u, kind=kind, op=op, unique=unique: getattr(x.at[i[:, 0], :, i[:, 1]], op)(
                        u, mode=kind, unique_indices=unique
                    ),
                    [x, np.array([[0, 1], [9, 2], [3, 3], [-9, 0], [5, 1], [1, -1]], np.int32), array((6, 5))],
                )
        yield Case(f"apply-{kind}", lambda x, i, k=kind: x.at[i].apply(jnp.tanh, mode=k), [x, np.array([1, 3, 9], np.int32)])
    for dtype in [np.int8, np.uint8, np.int64, np.uint64, jnp.bfloat16, np.float16, np.complex64, np.bool_]:
        operand = array((7, 3), dtype)
        index = np.array([1, 1, 4, 6, -1], np.int64)
        yield Case(name("take", dtype), lambda x, i: x[i], [operand, index])
        yield Case(name("set", dtype), lambda x, i: x.at[i[1:]].set(x[:4]), [operand, index])
        if dtype != np.bool_:
            yield Case(name("add", dtype), lambda x, i: x.at[i].add(x[:5]), [operand, index], True)
    for dtype in INTS:
        index = np.array(3 if np.dtype(dtype).kind == "u" else -2, dtype)
        large = np.array(np.iinfo(dtype).max, dtype)
        for i, text in [(index, "inside"), (large, "beyond")]:
            yield Case(name(f"dynamic_slice-{text}", dtype), lambda x, i: lax.dynamic_slice(x, (i, i, i), (2, 3, 1)), [x, i])
            yield Case(
                name(f"dynamic_update-{text}", dtype),
                lambda x, i, u: lax.dynamic_update_slice(x, u, (i, i, i)),
                [x, i, array((2, 3, 1), seed=3)],
            )
    yield Case("dynamic_slice-i32-min", lambda x, i: lax.dynamic_slice(x, (i, i, i), (2, 3, 1)), [x, np.int32(-(2**31))])
    yield Case("take_along_axis", lambda x, i: jnp.take_along_axis(x, i, 1), [x, np.argsort(x, 1)])
    yield Case("gather-gradient", jax.grad(lambda x, i: (x[i] ** 2).sum()), [x, np.array([0, 0, 3], np.int32)])
    yield Case("batched", jax.vmap(lambda x, i: x[i]), [x, array((6, 3), np.uint8) % 5])
    yield Case("batched-scatter", jax.vmap(lambda x, i: x.at[i].add(1.0)), [x, array((6, 3), np.uint8) % 5])
    yield Case("one_hot", lambda i: jax.nn.one_hot(i, 5), [np.array([0, 4, 5, -1], np.int32)])
    yield Case("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4), [x, np.array([0, 1, 1, 3, 9, -1], np.int32)])
    yield Case("segment_max", lambda x, i: jax.ops.segment_max(x, i, 4), [x, np.array([0, 1, 1, 3, 3, 0], np.int32)])
    yield Case("histogram", lambda x: jnp.histogram(x, 5, (-2.0, 2.0))[0], [x])
    yield Case("nonzero", lambda x: jnp.nonzero(x > 0.5, size=9), [x])
    yield Case("gather-empty", lambda x, i: x[i], [x, np.zeros((0,), np.int32)])
    yield Case("gather-none", lambda x, i: x[i], [np.zeros((0, 3), np.float32), np.zeros((0,), np.int32)])
    yield Case("windows", lambda x: jnp.stack([lax.dynamic_slice(x, (i, 0, 0), (2, 5, 4)) for i in range(-1, 7)]), [x])
    yield Case("roll", lambda x: jnp.roll(x, 2, 1), [x])
    yield Case("dynamic_roll", lambda x, n: jnp.roll(x, n, 1), [x, np.int32(-3)])
    yield Case(
        "variadic-scatter",
        lambda x, y, i: lax.scatter_add(
            x, i, y, lax.ScatterDimensionNumbers((1,), (0,), (0,)), mode=lax.GatherScatterMode.CLIP
        ),
        [array((5, 4)), array((3, 2)), np.array([[0], [4], [9]], np.int32)],
    )


def reductions() -> Iterator[Case]:
    """Sums, products, extrema, logical ones and any region."""
    for dtype in FLOATS:
        x = array((5, 3, 4), dtype)
        y = special((5, 3, 4), dtype)
        for function in [jnp.sum, jnp.prod, jnp.mean, jnp.var]:
            yield Case(name(function.__name__, dtype), lambda x, f=function: f(x, axis=1), [x], True, 2.0)
        for function in [jnp.max, jnp.min]:
            yield Case(name(function.__name__, dtype), lambda x, f=function: f(x, axis=(0, 2)), [y])
        yield Case(name("nanmax", dtype), lambda x: jnp.nanmax(x, 0), [y])
        yield Case(name("sum-all", dtype), jnp.sum, [x], True, 4.0)
    for dtype in INTS:
        x = array((5, 3, 4), dtype)
        for function in [jnp.sum, jnp.prod, jnp.max, jnp.min]:
            yield Case(name(function.__name__, dtype), lambda x, f=function, d=dtype: f(x, axis=1, dtype=d) if f in (jnp.sum, jnp.prod) else f(x, axis=1), [x])
        for op in [lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor]:
            yield Case(name(op.__name__, dtype), lambda x, op=op, d=dtype: lax.reduce(x, np.array(-1 if op is lax.bitwise_and else 0).astype(d), op, (0,)), [x])
    for dtype in COMPLEX:
        yield Case(name("sum", dtype), lambda x: jnp.sum(x, 0), [array((5, 3), dtype)], True)
        yield Case(name("prod", dtype), lambda x: jnp.prod(x, 0), [array((5, 3), dtype)], True)
    bits = array((4, 6), np.bool_)
    yield Case("all", lambda x: (jnp.all(x, 0), jnp.any(x, 1)), [bits])
    yield Case("logsumexp", lambda x: jax.nn.logsumexp(x, axis=1), [special((5, 40))])
    yield Case("softmax", jax.nn.softmax, [array((5, 40))])
    yield Case("argmax-ties", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 1)), [np.round(array((6, 9)))])
    yield Case("argmax-nan", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 1)), [special((3, 9))])
    yield Case("empty", lambda x: (jnp.sum(x, 0), jnp.sum(x, 1), jnp.prod(x)), [array((0, 3))])
    yield Case("scalar", lambda x: lax.reduce(x, np.float32(1), lax.add, ()), [array((3,))])
    yield Case("everything-1", lambda x: jnp.sum(x), [array((1, 1))])

    def both(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        return a[0] * b[0], a[1] + b[1] * a[0]

    yield Case(
        "two", lambda x, y: lax.reduce((x, y), (np.float32(1), np.float32(0)), both, (1,)), [array((4, 3)), array((4, 3), seed=1)], True
    )
    yield Case("norm", lambda x: jnp.linalg.norm(x, axis=1), [array((3, 4))])
    yield Case("ptp", lambda x: jnp.ptp(x, axis=1), [array((3, 4))])
    yield Case("count_nonzero", lambda x: jnp.count_nonzero(x, axis=1), [bits])
    yield Case("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), [special((5, 9))])


def windows() -> Iterator[Case]:
    """Pools, cumulative sums and what gradients make of them."""
    for dtype in FLOATS + [np.int32, np.uint8]:
        x = array((2, 9, 8, 3), dtype)
        zero = np.array(0).astype(dtype)
        low = np.array(-np.inf if np.dtype(dtype).kind not in "iu" else np.iinfo(dtype).min).astype(dtype)
        for padding in ["SAME", "VALID"]:
            yield Case(
                name(f"max-{padding}", dtype),
                lambda x, low=low, p=padding: lax.reduce_window(x, low, lax.max, (1, 3, 2, 1), (1, 2, 2, 1), p),
                [x],
            )
            yield Case(
                name(f"sum-{padding}", dtype),
                lambda x, zero=zero, p=padding: lax.reduce_window(x, zero, lax.add, (1, 3, 2, 1), (1, 2, 1, 1), p),
                [x],
                True,
                2.0,
            )
        yield Case(
            name("dilated", dtype),
            lambda x, zero=zero: lax.reduce_window(
                x, zero, lax.add, (2, 3, 2, 1), (1, 2, 2, 1), ((1, 0), (2, -1), (0, 3), (0, 0)), (1, 2, 1, 1), (1, 1, 3, 1)
            ),
            [x],
            True,
            2.0,
        )
        for function in ["cumsum", "cumprod", "cummax", "cummin"]:
            yield Case(name(function, dtype), lambda x, f=function: getattr(lax, f)(x, axis=1), [x / zero.dtype.type(2) if dtype in WIDE else x], True, 8.0)
    x = array((2, 9, 8, 3))
    yield Case("cumlogsumexp", lambda x: lax.cumlogsumexp(x, axis=2), [x], True)
    yield Case("cumsum-back", lambda x: lax.cumsum(x, axis=2, reverse=True), [x], True)
    yield Case("cumsum-long", lambda x: jnp.cumsum(x), [array((1000,))], True, 4.0)
    yield Case("scan", lambda x: lax.associative_scan(jnp.multiply, x, axis=1), [x], True)

    def pool(x: Any, op: Any, start: Any) -> Any:
        return (lax.reduce_window(x, start, op, (1, 3, 2, 1), (1, 2, 1, 1), "SAME") ** 2).sum()

    yield Case("max-gradient", jax.grad(lambda x: pool(x, lax.max, -jnp.inf)), [x], True)
    yield Case("max-gradient-ties", jax.grad(lambda x: pool(x, lax.max, -jnp.inf)), [np.round(x)], True)
    yield Case("min-gradient", jax.grad(lambda x: pool(x, lax.min, jnp.inf)), [x], True)
    yield Case("sum-gradient", jax.grad(lambda x: pool(x, lax.add, 0.0)), [x], True)
    yield Case("cummax-gradient", jax.grad(lambda x: (lax.cummax(x, axis=1) ** 2).sum()), [x], True)
    yield Case("patches", lambda x: lax.conv_general_dilated_patches(x, (2, 3), (1, 2), "SAME"), [x], True)


def convolutions() -> Iterator[Case]:
    """Grouped, dilated, transposed, of one to three dimensions, and gradients."""

    def conv(**options: Any) -> Callable[[Any, Any], Any]:
        return lambda x, w: lax.conv_general_dilated(x, w, **options)

    image, plain = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")
    for dtype in FLOATS + COMPLEX + [np.int32, np.int8]:
        x, w = array((2, 7, 6, 4), dtype), array((3, 2, 4, 6), dtype, 1)
        yield Case(name("plain", dtype), conv(window_strides=(1, 1), padding="SAME", dimension_numbers=image), [x, w], True, 4.0)
    x, w = array((2, 7, 6, 4)), array((3, 2, 4, 6), seed=1)
    forms = {
        "strided": dict(window_strides=(2, 3), padding="VALID"),
        "padded": dict(window_strides=(1, 2), padding=((2, 1), (0, 3))),
        "cropped": dict(window_strides=(1, 1), padding=((-1, 2), (1, -2))),
        "dilated": dict(window_strides=(1, 1), padding="SAME", rhs_dilation=(2, 3)),
        "spread": dict(window_strides=(1, 1), padding=((2, 2), (1, 1)), lhs_dilation=(2, 3)),
        "both": dict(window_strides=(2, 1), padding=((2, 2), (3, 1)), lhs_dilation=(2, 2), rhs_dilation=(1, 2)),
    }
    for text, options in forms.items():
        function = conv(dimension_numbers=image, **options)
        yield Case(text, function, [x, w], True)
        yield Case(f"{text}-gradients", jax.grad(lambda x, w, f=function: (f(x, w) ** 2).sum(), (0, 1)), [x, w], True)
    for text, options, kernel in [
        ("grouped", dict(feature_group_count=2), (3, 2, 2, 6)),
        ("depthwise", dict(feature_group_count=4), (3, 2, 1, 8)),
    ]:
        function = conv(window_strides=(1, 2), padding="SAME", dimension_numbers=image, **options)
        arguments = [x, array(kernel, seed=2)]
        yield Case(text, function, arguments, True)
        yield Case(f"{text}-gradients", jax.grad(lambda x, w, f=function: (f(x, w) ** 2).sum(), (0, 1)), arguments, True)
    yield Case(
        "batch-groups",
        conv(window_strides=(1, 1), padding="VALID", dimension_numbers=image, batch_group_count=2),
        [x, array((3, 2, 4, 6), seed=3)],
        True,
    )
    yield Case("channels-first", conv(window_strides=(1, 1), padding="SAME", dimension_numbers=plain), [array((2, 3, 5, 6)), array((4, 3, 2, 3))], True)
    yield Case("line", conv(window_strides=(2,), padding="SAME", dimension_numbers=("NWC", "WIO", "NWC")), [array((2, 9, 3)), array((4, 3, 5))], True)
    yield Case("space", conv(window_strides=(1, 2, 1), padding="SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")), [array((1, 4, 5, 6, 2)), array((2, 3, 1, 2, 3))], True)
    yield Case("point", conv(window_strides=(), padding=(), dimension_numbers=("NC", "IO", "NC")), [array((3, 4)), array((4, 2))], True)
    yield Case("transposed", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=image), [x, w], True)
    yield Case("empty", conv(window_strides=(1, 1), padding="VALID", dimension_numbers=image), [array((0, 7, 6, 4)), w], True)
    yield Case("jnp.convolve", jnp.convolve, [array((9,)), array((4,))], True)


def products() -> Iterator[Case]:
    """dot_general with any dimensions and types."""
    for dtype in FLOATS + COMPLEX + INTS:
        a, b = array((2, 3, 4), dtype), array((2, 4, 5), dtype, 1)
        yield Case(name("matmul", dtype), jnp.matmul, [a, b], True, 2.0)
        yield Case(name("vector", dtype), jnp.dot, [a[0, 0], b[0, :, 0]], True, 2.0)
        yield Case(name("outer", dtype), jnp.outer, [a[0, 0], b[0, 0]])
        yield Case(name("two", dtype), lambda a, b: jnp.einsum("abc,acb->", a, b[:, :, :3]), [a, b], True, 4.0)
    yield Case("bool", lambda a, b: lax.dot(a, b), [array((3, 4), np.bool_), array((4, 2), np.bool_)])
    for out, inputs in [(np.float32, jnp.bfloat16), (np.float64, np.float32), (np.int32, np.int8), (np.float32, np.float16)]:
        yield Case(
            name("preferred", inputs),
            lambda a, b, out=out: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=out),
            [array((3, 40), inputs), array((40, 5), inputs, 1)],
            True,
        )
    yield Case("empty-sum", lambda a, b: a @ b, [array((3, 0)), array((0, 4))])
    yield Case("empty", lambda a, b: a @ b, [array((0, 3)), array((3, 4))])
    yield Case("einsum", lambda a, b, c: jnp.einsum("ij,kjl,lmi->mk", a, b, c), [array((3, 4)), array((2, 4, 5)), array((5, 6, 3))], True)
    yield Case("nan", lambda a, b: a @ b, [special((3, 4)), array((4, 5))])


def movement() -> Iterator[Case]:
    """Pads, reverses, transposes, broadcasts, concatenations."""
    for dtype in [np.float32, jnp.bfloat16, np.int8, np.uint64, np.bool_, np.complex64]:
        x = array((4, 5, 3), dtype)
        zero = np.array(1).astype(dtype)
        for config in [((1, 2, 0), (0, 0, 1), (2, 0, 2)), ((-1, -2, 0), (3, -1, 1), (-2, 4, 3)), ((-9, 5, 0), (-9, 9, 2), (0, -1, 0))]:
            yield Case(name(f"pad-{config}", dtype), lambda x, z, c=config: lax.pad(x, z, c), [x, zero])
        yield Case(name("reverse", dtype), lambda x: lax.rev(x, (0, 2)), [x])
        yield Case(name("transpose", dtype), lambda x: jnp.transpose(x, (2, 0, 1)), [x])
        yield Case(name("broadcast", dtype), lambda x: jnp.broadcast_to(x[:, :1], (2, 4, 5, 3)), [x])
        yield Case(name("concatenate", dtype), lambda x: jnp.concatenate([x, x[:, :2], x[:, :0], x[:, ::-1]], 1), [x])
        yield Case(name("slice", dtype), lambda x: x[1:4:2, ::-1, 1:1], [x])
        yield Case(name("strided", dtype), lambda x: lax.slice(x, (0, 1, 0), (4, 5, 3), (3, 2, 2)), [x])
        yield Case(name("reshape", dtype), lambda x: (x.reshape(6, 10), x.reshape(-1), x.reshape(2, 2, 15)), [x])
        yield Case(name("tril", dtype), lambda x: jnp.tril(x, 1), [x])
        yield Case(name("where", dtype), lambda x: jnp.where(x != 0, x, x[::-1]), [x])
    for dtype in [*FLOATS, *INTS, *COMPLEX]:
        yield Case(name("iota", dtype), lambda d=dtype: lax.broadcasted_iota(d, (3, 9), 1), [])
    yield Case("constants", lambda: (jnp.arange(7), jnp.eye(3), jnp.linspace(0, 1, 5), np.array([True, False])), [])
    yield Case("scalar", lambda x: (x.reshape(()), x.reshape(1, 1)), [array((1,))])
    yield Case("pad-empty", lambda x: lax.pad(x, np.float32(3), ((2, 1, 1), (0, 0, 0))), [array((0, 2))])


def control() -> Iterator[Case]:
    """Loops and branches, with state of several types, nested and never entered."""
    x = array((4, 3))
    index = np.int32(2)

    yield Case("while", lambda x: lax.while_loop(lambda s: s[0].sum() < 50, lambda s: (s[0] * s[0] + 1, s[1] + 1), (x, 0)), [x])
    yield Case("while-never", lambda x: lax.while_loop(lambda s: False, lambda s: s + 1, x), [x])
    yield Case("fori", lambda x, n: lax.fori_loop(0, n, lambda i, s: s.at[i].add(s[i - 1]), x), [x, index])
    yield Case("fori-swap", lambda x: lax.fori_loop(0, 3, lambda i, s: (s[1], s[0] + i), (x, x * 2)), [x])
    yield Case("scan", lambda x: lax.scan(lambda c, r: (c + r, (c * r, r > 0)), jnp.zeros(3), x), [x], True)
    yield Case("scan-reverse", lambda x: lax.scan(lambda c, r: (c + r, c), jnp.zeros(3), x, reverse=True), [x], True)
    yield Case("scan-gradient", jax.grad(lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), jnp.zeros(3), x)[1].sum()), [x], True)
    yield Case("nested", lambda x: lax.fori_loop(0, 3, lambda i, s: lax.fori_loop(0, i, lambda j, t: t + x[j], s), x), [x], True)
    for value in [-3, 0, 1, 2, 9]:
        yield Case(f"switch-{value}", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda x: x], x), [np.int32(value), x])
        yield Case(f"cond-{value}", lambda i, x: lax.cond(i > 0, lambda x: (x, i), lambda x: (x * 2, i + 1), x), [np.int32(value), x])
    yield Case("cond-in-scan", lambda x: lax.scan(lambda c, r: lax.cond(r.sum() > 0, lambda c: (c + r, c), lambda c: (c, c - 1), c), jnp.zeros(3), x), [x], True)
    yield Case("while-in-cond", lambda p, x: lax.cond(p, lambda x: lax.while_loop(lambda s: s.sum() < 9, lambda s: s + 1, x), lambda x: x, x), [np.bool_(True), x])
    yield Case("map", lambda x: lax.map(lambda r: jnp.sort(r), x), [x])
    yield Case("vmapped-while", jax.vmap(lambda x: lax.while_loop(lambda s: s < 3.0, lambda s: s * 2 + 1, x)), [np.abs(x[:, 0])])
    yield Case("barrier", lambda x: lax.optimization_barrier((x, x + 1)), [x])
    yield Case("same-twice", lambda x: (x, x, x + 1), [x])


def functions() -> Iterator[Case]:
    """Functions of jax.numpy, jax.nn and jax.scipy that are more than one operation."""
    for dtype in FLOATS:
        x = special((5, 9), dtype)
        y = special((5, 9), dtype, 1)
        factor = 2.0
        for function in [jax.nn.gelu, jax.nn.silu, jax.nn.softplus, jax.nn.relu, jnp.arctan, jnp.sinh, jnp.cosh, jnp.arcsinh,
                         jnp.exp2, jnp.log2, jnp.log10, jnp.square, jnp.sinc, jnp.rint, jnp.trunc, jnp.signbit, jnp.isnan,
                         jnp.isinf, jnp.reciprocal, jnp.nan_to_num, jsp.special.erf, jsp.special.erfc, lax.erf_inv]:  # fmt: skip
            if dtype in (np.float64, np.float16) and function.__name__[0] in "aes":
                continue  # Two types are enough for what is a chain of operations.
            near = function in (jnp.sinc, jnp.sinh, jsp.special.erfc, jax.nn.gelu)
            yield Case(name(function.__name__, dtype), function, [array((5, 9), dtype) if near else x], near, factor)
        for function in [jnp.maximum, jnp.minimum, jnp.fmax, jnp.fmin, jnp.hypot, jnp.logaddexp, jnp.mod, jnp.fmod,
                         jnp.floor_divide, jnp.copysign, jnp.nextafter, jnp.heaviside, jnp.arctan2, jnp.power]:  # fmt: skip
            yield Case(name(function.__name__, dtype), function, [x, y], False, factor)
        yield Case(name("integer_pow", dtype), lambda x: (x**2, x**3, x**-2, x**0), [array((5, 9), dtype)], False, 4.0)
        yield Case(name("clip", dtype), lambda x: jnp.clip(x, -0.5, 0.5), [x])
        yield Case(name("frexp", dtype), jnp.frexp, [array((5, 9), dtype)])
        yield Case(name("divmod", dtype), lambda x, y: jnp.divmod(x, y), [array((5, 9), dtype), array((5, 9), dtype, 1)], True)
        yield Case(name("round", dtype), lambda x: jnp.round(x, 1), [array((5, 9), dtype)], True)
        yield Case(name("rsqrt-gradient", dtype), jax.grad(lambda x: lax.rsqrt(jnp.abs(x) + 1).sum()), [array((5, 9), dtype)], True, 2.0)
    positive = np.abs(array((5, 9))) + np.float32(0.1)
    for function in [jsp.special.gammaln, jsp.special.i0, jsp.special.entr]:
        yield Case(function.__name__, function, [positive], True, 20.0)
    for dtype in INTS:
        x, y = array((5, 9), dtype), array((5, 9), dtype, 1)
        info = np.iinfo(dtype)
        x.reshape(-1)[:6] = [info.max, info.min, 0, 1, info.min, info.max]
        y.reshape(-1)[:6] = [0, 0, 0, 2, -1 if info.min else 3, info.max]
        for function in [jnp.floor_divide, jnp.mod, jnp.maximum, jnp.left_shift, jnp.right_shift, jnp.bitwise_xor]:
            yield Case(name(function.__name__, dtype), function, [x, y])
        # JAX's own code does not end for the smallest number.
        yield Case(name("gcd", dtype), jnp.gcd, [array((5, 9), dtype), array((5, 9), dtype, 1)])
        yield Case(name("power", dtype), lambda x: x ** jnp.asarray(3, x.dtype), [x])
        yield Case(name("bits", dtype), lambda x: (lax.population_count(x), lax.clz(x), ~x), [x])
    for dtype in COMPLEX:
        x, y = array((5, 9), dtype), array((5, 9), dtype, 1)
        for function in [jnp.sinh, jnp.cosh, jnp.arctan, jnp.arcsin, jnp.arccosh, jnp.square, jnp.conj, jnp.angle, jnp.log10]:
            yield Case(name(function.__name__, dtype), function, [x], True, 4.0)
        yield Case(name("complex", dtype), lambda x, y: (x * y, x / y, x**y, x.real + 1j * y.imag), [x, y], True, 8.0)


FAMILIES = {
    function.__name__: function
    for function in [
        products, reductions, windows, convolutions, movement, indexing, sorting, control, functions, random, fft,
        linear_algebra,
    ]
}  # fmt: skip
