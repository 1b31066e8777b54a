"""Random small functions of JAX, from a seed.

A function draws its operations from the seed while it is traced: what it draws
depends on shapes and types alone, so tracing it twice gives the same program.

Results have to be comparable with those of another compiler. A value is *exact*
if its elements are multiples of a power of two that its type has room for, so
that all orders of summation give the same bits; only exact values go into
operations that jump (comparisons, rounding, sorting, conversions to integers).
Others are kept below 1 in magnitude, where errors do not grow much.
"""

from __future__ import annotations

import dataclasses
import math
import random
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from cases import Case
from jax import lax

FLOATS = [jnp.float32, jnp.float64, jnp.bfloat16, jnp.float16]
INTS = [jnp.int8, jnp.int16, jnp.int32, jnp.int64, jnp.uint8, jnp.uint16, jnp.uint32, jnp.uint64]
TYPES = [*FLOATS, jnp.float32, jnp.float32, *INTS, jnp.int32, jnp.bool_, jnp.complex64, jnp.complex128]
MANTISSA = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
LARGEST = 400  # Elements of a value.


@dataclasses.dataclass
class Value:
    """An array; if it is exact, its elements are below `bound` and multiples of
    2^-`digits`."""

    array: Any
    bound: float | None = None
    digits: int = 0

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.array.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def kind(self) -> str:
        """b, i, u, f or c."""
        return "f" if jnp.issubdtype(self.dtype, jnp.floating) else self.dtype.kind

    @property
    def exact(self) -> bool:
        if self.kind in "biu":
            return True
        if self.kind == "c" or self.bound is None:
            return False
        return math.log2(max(self.bound, 1.0)) + self.digits < MANTISSA[self.dtype.name] and self.bound < 30000

    def like(self, array: Any, bound: float | None = None, digits: int | None = None) -> Value:
        """Another one, as exact as this one where nothing else is said."""
        if self.kind != "f" or not self.exact:
            return Value(array)
        return Value(array, self.bound if bound is None else bound, self.digits if digits is None else digits)


def precision(dtype: np.dtype) -> int:
    """The bits of the mantissa of a float or complex type."""
    return MANTISSA[{"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)]


def tame(value: Value) -> Value:
    """Below 1 in magnitude, if it is a float or complex number that is not exact."""
    if value.kind == "f" and not value.exact:
        return Value(value.array / (1 + jnp.abs(value.array)))
    if value.kind == "c":
        return Value(value.array / (1 + jnp.abs(value.array)).astype(value.array.real.dtype))
    return value


def draw_shape(rng: random.Random) -> tuple[int, ...]:
    """Of rank 0 to 4, sometimes without elements."""
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
    return tuple(0 if rng.random() < 0.03 else rng.randint(1, 5) for _ in range(rank))


def draw_argument(rng: random.Random) -> np.ndarray:
    """Small multiples of 1/2, or any integers."""
    dtype = np.dtype(rng.choice(TYPES))
    shape = draw_shape(rng)
    source = np.random.default_rng(rng.getrandbits(32))
    if dtype.kind == "b":
        return source.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        if rng.random() < 0.3:
            info = np.iinfo(dtype)
            return source.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        return source.integers(0 if dtype.kind == "u" else -8, 9, shape).astype(dtype)
    halves = source.integers(-8, 9, shape) / 2
    if dtype.kind == "c":
        return (halves + 1j * source.integers(-8, 9, shape) / 2).astype(dtype)
    return halves.astype(dtype)


class Drawing:
    """The values of a function that is being drawn, and the operations."""

    def __init__(self, rng: random.Random, arguments: tuple[Any, ...]) -> None:
        self.rng = rng
        self.values = []
        for array in arguments:
            value = Value(array)
            self.values.append(Value(array, 4.0, 1) if value.kind == "f" else value)

    def pick(self, test: Callable[[Value], bool] = lambda value: True) -> Value | None:
        found = [value for value in self.values if test(value)]
        # The newer ones more often: programs become deep.
        return self.rng.choice(found + found[-2:]) if found else None

    def partner(self, value: Value) -> Value:
        """A value of the same type and shape."""
        other = self.pick(lambda v: v.dtype == value.dtype and v.shape == value.shape)
        assert other
        if other is value and self.rng.random() < 0.5:
            flat = value.like(jnp.flip(value.array)) if value.shape else value
            return flat
        return other

    # What follows are operations: each gives a new value or None.

    def unary(self) -> Value | None:
        x = self.pick()
        assert x
        a, kind = x.array, x.kind
        if kind == "b":
            return x.like(jnp.logical_not(a))
        if kind in "iu":
            ops = [lambda: -a, lambda: ~a, lambda: lax.population_count(a), lambda: lax.clz(a)]
            if kind == "i":
                ops += [lambda: jnp.abs(a), lambda: jnp.sign(a)]
            return Value(self.rng.choice(ops)())
        if kind == "c":
            ops = [lambda: -a, lambda: jnp.conj(a), lambda: jnp.abs(a), lambda: a.real, lambda: a.imag, lambda: jnp.exp(a / 8)]
            return tame(Value(self.rng.choice(ops)()))
        if self.rng.random() < 0.4:
            op = self.rng.choice([lambda: -a, lambda: jnp.abs(a)])
            return x.like(op())
        if x.exact and self.rng.random() < 0.4:
            op = self.rng.choice([jnp.floor, jnp.ceil, jnp.round, jnp.trunc, jnp.sign, lambda a: lax.round(a)])
            return x.like(op(a), x.bound + 1)
        op = self.rng.choice([
            jnp.tanh, jnp.sin, jnp.cos, jax.nn.sigmoid, jnp.arctan, lambda a: jnp.exp(-jnp.abs(a)), lambda a: jnp.log1p(jnp.abs(a)),
            lambda a: jnp.sqrt(jnp.abs(a)), lambda a: lax.rsqrt(1 + jnp.abs(a)), lambda a: jnp.cbrt(1 + jnp.abs(a)),
            lambda a: jnp.expm1(-jnp.abs(a)), jsp_erf,
        ])  # fmt: skip
        return tame(Value(op(a)))

    def binary(self) -> Value | None:
        x = self.pick()
        assert x
        y = self.partner(x)
        a, b = x.array, y.array
        if x.kind == "b":
            return Value(self.rng.choice([jnp.logical_and, jnp.logical_or, jnp.logical_xor])(a, b))
        if x.kind in "iu":
            op = self.rng.choice([
                lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min, lax.bitwise_and, lax.bitwise_or,
                lax.bitwise_xor, lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic, jnp.floor_divide, jnp.mod,
            ])  # fmt: skip
            return Value(op(a, b))
        if x.kind == "c":
            return tame(Value(self.rng.choice([lax.add, lax.sub, lax.mul])(a, b)))
        exact = x.exact and y.exact
        bounds = (x.bound or 1.0, y.bound or 1.0)
        digits = max(x.digits, y.digits)
        name = self.rng.choice(["add", "sub", "mul", "max", "min", "div", "atan2", "pow"])
        if name in ("add", "sub"):
            made = Value(getattr(lax, name)(a, b), sum(bounds) if exact else None, digits)
        elif name == "mul":
            made = Value(a * b, bounds[0] * bounds[1] if exact else None, x.digits + y.digits)
        elif name in ("max", "min"):
            made = Value(getattr(lax, name)(a, b), max(bounds) if exact else None, digits)
        elif name == "div":
            made = Value(a / (1 + jnp.abs(b)))
        elif name == "atan2":
            made = Value(jnp.arctan2(a, 1 + jnp.abs(b)))
        else:
            made = Value(jnp.power(0.5 + jnp.abs(tame(Value(a)).array), tame(Value(b)).array))
        return tame(made)

    def compare(self) -> Value | None:
        x = self.pick(lambda v: v.exact)
        if not x:
            return None
        y = self.partner(x)
        if not y.exact:
            return None
        op = self.rng.choice([lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge])
        return Value(op(x.array, y.array))

    def select(self) -> Value | None:
        x = self.pick()
        assert x
        mask = self.pick(lambda v: v.kind == "b" and v.shape in ((), x.shape))
        if not mask:
            return None
        y = self.partner(x)
        both = x.exact and y.exact and x.kind == "f"
        bound = max(x.bound or 0, y.bound or 0) if both else None
        return tame(Value(jnp.where(mask.array, x.array, y.array), bound, max(x.digits, y.digits)))

    def convert(self) -> Value | None:
        x = self.pick(lambda v: v.kind != "c")
        if not x:
            return None
        target = np.dtype(self.rng.choice(TYPES))
        made = Value(x.array.astype(target))
        if made.kind in "biu" and x.kind == "f":
            if not x.exact:
                return None
            low = 0 if made.kind == "u" else -100
            array = x.array if made.kind == "b" else jnp.clip(x.array, low, 100)
            return Value(array.astype(target))
        if made.kind == "f" and x.kind == "f" and x.exact:
            made = Value(made.array, x.bound, x.digits)
            return made if made.exact else tame(Value(made.array))
        if x.kind == "f" and not x.exact and precision(target) > precision(x.dtype):
            return None  # Its error is that of the narrower type.
        if made.kind == "f" and x.kind == "b":
            return Value(made.array, 1.0, 0)
        if made.kind == "f" and x.kind in "iu":
            small = jnp.clip(x.array, 0 if x.kind == "u" else -64, 64)
            return Value(small.astype(target), 64.0, 0)
        return tame(made)

    def bits(self) -> Value | None:
        x = self.pick(lambda v: v.kind in "iu" or v.kind == "f" and v.exact)
        if not x:
            return None
        width = x.dtype.itemsize * 8
        kinds = [t for t in INTS if np.dtype(t).itemsize * 8 in (width, width // 2) and np.dtype(t).kind == "u"]
        return Value(lax.bitcast_convert_type(x.array, self.rng.choice(kinds)))

    def reshape(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0)
        if not x:
            return None
        size = math.prod(x.shape)
        choice = self.rng.random()
        if size == 0 or choice < 0.3:
            return x.like(x.array.reshape(-1))
        if choice < 0.6:
            position = self.rng.randint(0, len(x.shape))
            return x.like(jnp.expand_dims(x.array, position))
        factor = self.rng.choice([f for f in range(1, size + 1) if size % f == 0])
        return x.like(x.array.reshape(factor, size // factor))

    def transpose(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 1)
        if not x:
            return None
        order = list(range(len(x.shape)))
        self.rng.shuffle(order)
        return x.like(jnp.transpose(x.array, order))

    def broadcast(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) < 4)
        if not x:
            return None
        extra = self.rng.randint(1, 3)
        if math.prod(x.shape) * extra > LARGEST:
            return None
        position = self.rng.randint(0, len(x.shape))
        shape = (*x.shape[:position], extra, *x.shape[position:])
        dims = [d for d in range(len(shape)) if d != position]
        return x.like(lax.broadcast_in_dim(x.array, shape, dims))

    def slice(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0)
        if not x:
            return None
        starts = [self.rng.randint(0, size) for size in x.shape]
        limits = [self.rng.randint(start, size) if self.rng.random() < 0.3 else size for start, size in zip(starts, x.shape)]
        strides = [self.rng.choice([1, 1, 2, 3]) for _ in x.shape]
        return x.like(lax.slice(x.array, starts, limits, strides))

    def pad(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0)
        if not x:
            return None
        config = []
        for size in x.shape:
            inner = self.rng.choice([0, 0, 0, 1, 2])
            spread = size + max(size - 1, 0) * inner
            low, high = self.rng.randint(-2, 2), self.rng.randint(-2, 2)
            if low + high + spread < 0:
                low, high = 0, 0
            config.append((low, high, inner))
        made = x.like(lax.pad(x.array, jnp.asarray(1, x.dtype), config))
        return made if math.prod(made.shape) <= LARGEST else None

    def concatenate(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0)
        if not x:
            return None
        y = self.partner(x)
        axis = self.rng.randrange(len(x.shape))
        if math.prod(x.shape) * 2 > LARGEST:
            return None
        both = x.exact and y.exact and x.kind == "f"
        return tame(Value(jnp.concatenate([x.array, y.array], axis), max(x.bound or 0, y.bound or 0) if both else None, max(x.digits, y.digits)))

    def reverse(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0)
        return x and x.like(lax.rev(x.array, [d for d in range(len(x.shape)) if self.rng.random() < 0.6]))

    def reduce(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0)
        if not x:
            return None
        axes = tuple(d for d in range(len(x.shape)) if self.rng.random() < 0.6)
        count = math.prod(x.shape[d] for d in axes)
        if x.kind == "b":
            return Value(self.rng.choice([jnp.any, jnp.all])(x.array, axes))
        if x.kind == "c":
            return tame(Value(jnp.sum(x.array, axes)))
        op = self.rng.choice(["sum", "max", "min", "prod"])
        if op in ("max", "min"):
            if count == 0:
                return None
            return x.like(getattr(jnp, op)(x.array, axes))
        if op == "prod" and x.kind == "f":
            return tame(Value(jnp.prod(tame(Value(x.array)).array, axes)))
        made = getattr(jnp, op)(x.array, axes, dtype=x.dtype)
        return tame(x.like(made, (x.bound or 0) * max(count, 1)))

    def cumulate(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0 and v.kind in "iuf")
        if not x:
            return None
        axis = self.rng.randrange(len(x.shape))
        op = self.rng.choice([lax.cumsum, lax.cummax, lax.cummin])
        bound = (x.bound or 0) * max(x.shape[axis], 1) if op is lax.cumsum else x.bound
        return tame(x.like(op(x.array, axis=axis, reverse=self.rng.random() < 0.3), bound))

    def window(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0 and v.kind in "iuf" and 0 not in v.shape)
        if not x:
            return None
        sizes = [self.rng.randint(1, min(3, size)) for size in x.shape]
        strides = [self.rng.choice([1, 1, 2]) for _ in x.shape]
        op = self.rng.choice(["max", "add"])
        start = jnp.asarray(0 if op == "add" else -np.inf if x.kind == "f" else np.iinfo(x.dtype).min, x.dtype)
        made = lax.reduce_window(x.array, start, getattr(lax, op), sizes, strides, self.rng.choice(["SAME", "VALID"]))
        return tame(x.like(made, (x.bound or 0) * math.prod(sizes) if op == "add" else x.bound))

    def dot(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0 and v.kind in "iufc")
        if not x:
            return None
        axis = self.rng.randrange(len(x.shape))
        y = self.pick(lambda v: v.dtype == x.dtype and x.shape[axis] in v.shape)
        assert y
        other = self.rng.choice([d for d, size in enumerate(y.shape) if size == x.shape[axis]])
        if math.prod(x.shape) * math.prod(y.shape) / max(x.shape[axis], 1) ** 2 > LARGEST:
            return None
        if len(x.shape) + len(y.shape) > 6:
            return None
        made = lax.dot_general(x.array, y.array, (((axis,), (other,)), ((), ())))
        exact = x.exact and y.exact and x.kind == "f"
        bound = (x.bound or 0) * (y.bound or 0) * max(x.shape[axis], 1)
        return tame(Value(made, bound if exact else None, x.digits + y.digits))

    def convolve(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) == 2 and v.kind == "f" and 0 not in v.shape)
        if not x:
            return None
        y = self.pick(lambda v: len(v.shape) == 2 and v.dtype == x.dtype and 0 not in v.shape)
        assert y
        made = lax.conv_general_dilated(
            x.array[:, None], y.array[:, None], (self.rng.choice([1, 2]),), [(self.rng.randint(0, 2), y.shape[1])],
            lhs_dilation=(self.rng.choice([1, 2]),), rhs_dilation=(self.rng.choice([1, 2]),),
        )  # fmt: skip
        return tame(Value(made)) if math.prod(made.shape) <= LARGEST else None

    def _index(self, size: int) -> Any:
        """A scalar index, which may lie outside."""
        known = self.pick(lambda v: v.kind in "iu" and v.shape == ())
        if known and self.rng.random() < 0.5:
            return known.array.astype(jnp.int32)
        return jnp.int32(self.rng.randint(-3, size + 3))

    def dynamic_slice(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0)
        if not x:
            return None
        sizes = [self.rng.randint(0 if self.rng.random() < 0.1 else min(1, size), size) for size in x.shape]
        starts = [self._index(size) for size in x.shape]
        if self.rng.random() < 0.5:
            return x.like(lax.dynamic_slice(x.array, starts, sizes))
        update = lax.slice(jnp.flip(x.array), [0] * len(sizes), sizes)
        return x.like(lax.dynamic_update_slice(x.array, update, starts))

    def gather(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0 and 0 not in v.shape)
        if not x:
            return None
        axis = self.rng.randrange(len(x.shape))
        indices = self.pick(lambda v: v.kind in "iu" and len(v.shape) < 3 and math.prod(v.shape) * math.prod(x.shape) <= LARGEST * x.shape[axis])
        index = indices.array if indices else jnp.asarray([self.rng.randint(-2, 6) for _ in range(3)], jnp.int32)
        made = jnp.take(x.array, index, axis, mode=self.rng.choice(["clip", "wrap"]))
        return x.like(made)

    def scatter(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0 and 0 not in v.shape and v.kind in "iuf")
        if not x:
            return None
        count = self.rng.randint(1, 4)
        index = jnp.asarray([self.rng.randint(-7, 7) for _ in range(count)], jnp.int32)
        update = jnp.broadcast_to(x.array[:1], (count, *x.shape[1:]))
        op = self.rng.choice(["add", "max", "min", "set", "mul"])
        if op == "set":
            index = jnp.asarray([self.rng.randint(-7, 7)], jnp.int32)
            update = update[:1]
        made = getattr(x.array.at[index], op)(update, mode=self.rng.choice(["drop", "clip"]))
        bound = (x.bound or 0) * (count + 1) if op == "add" else (x.bound or 0) ** (count + 1) if op == "mul" else x.bound
        return tame(x.like(made, bound, x.digits * (count + 1) if op == "mul" else x.digits))

    def order(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0 and v.exact and v.kind != "b")
        if not x:
            return None
        axis = self.rng.randrange(len(x.shape))
        op = self.rng.choice(["sort", "argsort", "argmax", "argmin", "top_k"])
        if op == "sort":
            return x.like(jnp.sort(x.array, axis))
        if op == "argsort":
            return Value(jnp.argsort(x.array, axis))
        if x.shape[axis] == 0:
            return None
        if op == "top_k":
            values, indices = lax.top_k(jnp.moveaxis(x.array, axis, -1), self.rng.randint(1, x.shape[axis]))
            return self.rng.choice([x.like(values), Value(indices)])
        return Value(getattr(jnp, op)(x.array, axis))

    def loop(self) -> Value | None:
        x = self.pick(lambda v: v.kind in "iuf")
        if not x:
            return None
        y = self.partner(x)
        count = self.rng.randint(0, 4)
        if x.kind == "f":
            body = self.rng.choice([lambda i, s: (s[1], tame(Value(s[0] + s[1])).array), lambda i, s: (jnp.sin(s[0] + jnp.asarray(i, s[0].dtype)), s[0])])
        else:
            body = self.rng.choice([lambda i, s: (s[1] + 1, s[0] ^ s[1]), lambda i, s: (s[0] * 3 + jnp.asarray(i, s[0].dtype), s[0])])
        return Value(lax.fori_loop(0, count, body, (tame(Value(x.array)).array, tame(Value(y.array)).array))[self.rng.randrange(2)])

    def branch(self) -> Value | None:
        x = self.pick()
        assert x
        mask = self.pick(lambda v: v.kind == "b" and v.shape == ())
        index = self.pick(lambda v: v.kind in "iu" and v.shape == ())
        y = self.partner(x)
        if mask and self.rng.random() < 0.7:
            return Value(lax.cond(mask.array, lambda a, b: a, lambda a, b: b, x.array, y.array))
        if index:
            return Value(lax.switch(index.array.astype(jnp.int32), [lambda a, b: a, lambda a, b: b, lambda a, b: jnp.flip(a)], x.array, y.array))
        return None

    def scan(self) -> Value | None:
        x = self.pick(lambda v: len(v.shape) > 0 and v.kind in "iu")
        if not x:
            return None
        carry, lines = lax.scan(lambda c, r: (c + r, c ^ r), jnp.zeros(x.shape[1:], x.dtype), x.array)
        return Value(self.rng.choice([carry, lines]))

    OPERATIONS = [
        unary, unary, unary, binary, binary, binary, binary, compare, select, convert, convert, bits, reshape, transpose, broadcast,
        slice, pad, concatenate, reverse, reduce, reduce, cumulate, window, dot, dot, convolve, dynamic_slice, gather, scatter,
        order, loop, branch, scan,
    ]  # fmt: skip


def jsp_erf(a: Any) -> Any:
    """The error function."""
    return lax.erf(a)


def make(seed: int) -> Case:
    """The program of a seed."""
    rng = random.Random(seed)
    arguments = [draw_argument(rng) for _ in range(rng.randint(1, 3))]
    body_seed = rng.getrandbits(64)
    count = rng.randint(2, 9)

    def function(*arrays: Any) -> list[Any]:
        drawing = Drawing(random.Random(body_seed), arrays)
        made = 0
        for _ in range(8 * count):
            operation = drawing.rng.choice(Drawing.OPERATIONS)
            value = operation(drawing)
            if value is not None and math.prod(value.shape) <= LARGEST and len(value.shape) <= 6:
                drawing.values.append(value)
                made += 1
                if made == count:
                    break
        new = drawing.values[len(arrays) :] or drawing.values
        extra = [value for value in drawing.values[:-1] if drawing.rng.random() < 0.25]
        return [value.array for value in [new[-1], *extra]]

    return Case(f"seed {seed}", function, arguments, by_scale=True, factor=FACTOR, noise=NOISE)


def seed_of(case: Case) -> int:
    """The seed that a program was made from."""
    return int(case.name.removeprefix("seed "))


# Errors of several operations add up, and may be all that is left of a value.
FACTOR = 20.0
NOISE = 16.0
