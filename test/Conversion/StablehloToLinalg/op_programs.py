"""Small StableHLO programs, by family, with seeded inputs that include the edges."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
from kernel import parse_type


@dataclasses.dataclass(frozen=True)
class Program:
    """The body of a function, whose arguments are %0, %1, .. and result %r."""

    name: str
    types: list[str]
    result: str
    body: str
    arguments: list[np.ndarray]
    by_scale: bool = False
    factor: float = 1.0


def module(programs: list[Program]) -> str:
    """One module whose results are those of all programs."""
    arguments, lines, position = [], [], 0
    for number, program in enumerate(programs):
        body = re.sub(r"%r\b", f"%r{number}", program.body)
        body = re.sub(r"%(\d+)", lambda match: f"%a{position + int(match[1])}", body)  # noqa: B023
        arguments += [f"%a{position + i}: {text}" for i, text in enumerate(program.types)]
        lines.append("    " + body)
        position += len(program.types)
    names = ", ".join(f"%r{number}" for number in range(len(programs)))
    results = ", ".join(program.result for program in programs)
    return (
        f"module {{\n  func.func @main({', '.join(arguments)}) -> ({results}) {{\n"
        + "\n".join(lines)
        + f"\n    return {names} : {results}\n  }}\n}}\n"
    )


INTS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f32", "f64", "bf16", "f16"]
COMPLEX = ["complex<f32>", "complex<f64>"]

def values(text: str, seed: int, edges: bool = True, scale: float = 3.0) -> np.ndarray:
    """Random elements of a tensor type, with the edges of its type among them."""
    shape, dtype = parse_type(text)
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape, dtype=np.int64))
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(bool).reshape(shape)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = max(info.min, -20), min(info.max, 20)
        flat = rng.integers(low, high, size, endpoint=True).astype(dtype)
        special = [info.min, info.max, 0, 1, info.max - 1]
    elif dtype.kind == "c":
        flat = (rng.normal(size=size) + 1j * rng.normal(size=size)).astype(dtype)
        special = [0, 1, -1, 1j, -1j, 1e-3, -1e-3j, 5 + 5j]
    else:
        flat = (rng.normal(size=size) * scale).astype(dtype)
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -2.5]
    if edges and size >= 2 * len(special):
        flat[: len(special)] = np.array(special).astype(dtype)
        flat[-len(special) :] = np.roll(np.array(special), 2).astype(dtype)
    return flat.reshape(shape)


def program(
    name: str, types: list[str], result: str, body: str, edges: bool = True, scale: float = 3.0
) -> Program:
    """A program with seeded arguments."""
    seed = sum(map(ord, name))
    return Program(name, types, result, body, [values(text, seed + i, edges, scale) for i, text in enumerate(types)])


def unary(op: str, dtype: str, result: str | None = None, edges: bool = True) -> Program:
    """One operation on 5x7 elements."""
    type_, out = f"tensor<5x7x{dtype}>", f"tensor<5x7x{result or dtype}>"
    return program(f"{op}-{dtype}", [type_], out, f'%r = "stablehlo.{op}"(%0) : ({type_}) -> {out}', edges)


def binary(op: str, dtype: str, edges: bool = True) -> Program:
    """One operation on two tensors of 5x7 elements."""
    type_ = f"tensor<5x7x{dtype}>"
    return program(f"{op}-{dtype}", [type_, type_], type_, f"%r = stablehlo.{op} %0, %1 : {type_}", edges)


def elementwise() -> list[Program]:
    """Every element-wise operation on every type that it has."""
    found = []
    for op in ["abs", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic",
               "negate", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh", "cbrt", "ceil", "floor",
               "round_nearest_afz", "round_nearest_even"]:  # fmt: skip
        found += [unary(op, dtype) for dtype in FLOATS]
    # Near 0, where 1 + x and exp(x) have lost their digits.
    for op in ["exponential_minus_one", "log_plus_one", "tanh", "sine", "tan", "cbrt", "logistic"]:
        for dtype in ["f32", "f64"]:
            type_ = f"tensor<5x7x{dtype}>"
            body = f'%r = "stablehlo.{op}"(%0) : ({type_}) -> {type_}'
            found.append(program(f"{op}-small-{dtype}", [type_], type_, body, edges=False, scale=1e-5))
    for op in ["exponential", "exponential_minus_one", "log", "log_plus_one", "negate", "sine", "cosine", "tan", "tanh",
               "sqrt", "rsqrt", "logistic", "sign"]:  # fmt: skip
        found += [unary(op, dtype) for dtype in COMPLEX]
    found += [unary("abs", dtype, dtype[8:-1]) for dtype in COMPLEX]
    found += [unary("real", dtype, dtype[8:-1]) for dtype in COMPLEX]
    found += [unary("imag", dtype, dtype[8:-1]) for dtype in COMPLEX]
    found += [unary("is_finite", dtype, "i1") for dtype in FLOATS]
    for op in ["negate", "count_leading_zeros", "popcnt", "not"]:
        found += [unary(op, dtype) for dtype in INTS]
    for op in ["abs", "sign"]:
        found += [unary(op, dtype) for dtype in INTS if dtype[0] == "i"]
    found.append(unary("not", "i1"))
    for op in ["add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "power", "atan2"]:
        found += [binary(op, dtype) for dtype in FLOATS]
    # XLA's powers with large exponents are not those modulo 2^64.
    found += [binary("power", dtype, edges=False) for dtype in INTS]
    for op in ["add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum",
               "and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"]:  # fmt: skip
        found += [binary(op, dtype) for dtype in INTS]
    for op in ["add", "subtract", "multiply", "divide", "power", "atan2"]:
        found += [binary(op, dtype) for dtype in COMPLEX]
    for op in ["add", "multiply", "maximum", "minimum", "and", "or", "xor"]:
        found.append(binary(op, "i1"))
    return found


def compares() -> list[Program]:
    """Comparisons, selections, clamps."""
    found = []
    bits = "tensor<6x7xi1>"
    for dtype in FLOATS + INTS + ["i1"]:
        type_ = f"tensor<6x7x{dtype}>"
        for direction in ["EQ", "NE", "GE", "GT", "LE", "LT"]:
            body = f"%r = stablehlo.compare {direction}, %0, %1 : ({type_}, {type_}) -> {bits}"
            found.append(program(f"compare-{direction}-{dtype}", [type_, type_], bits, body))
    for dtype in COMPLEX:
        type_ = f"tensor<6x7x{dtype}>"
        for direction in ["EQ", "NE"]:
            body = f"%r = stablehlo.compare {direction}, %0, %1 : ({type_}, {type_}) -> {bits}"
            found.append(program(f"compare-{direction}-{dtype}", [type_, type_], bits, body))
    for dtype in FLOATS:
        type_ = f"tensor<6x7x{dtype}>"
        for direction in ["EQ", "LT", "GE"]:
            body = f"%r = stablehlo.compare {direction}, %0, %1, TOTALORDER : ({type_}, {type_}) -> {bits}"
            found.append(program(f"totalorder-{direction}-{dtype}", [type_, type_], bits, body))
    for dtype in FLOATS + INTS:
        type_, scalar = f"tensor<6x7x{dtype}>", f"tensor<{dtype}>"
        body = f"%r = stablehlo.clamp %0, %1, %2 : ({scalar}, {type_}, {scalar}) -> {type_}"
        found.append(program(f"clamp-{dtype}", [scalar, type_, scalar], type_, body))
        body = f"%r = stablehlo.clamp %0, %1, %2 : {type_}"
        found.append(program(f"clamp-each-{dtype}", [type_, type_, type_], type_, body))
    for dtype in FLOATS + INTS + COMPLEX + ["i1"]:
        type_ = f"tensor<6x7x{dtype}>"
        body = f"%r = stablehlo.select %0, %1, %2 : tensor<i1>, {type_}"
        found.append(program(f"select-scalar-{dtype}", ["tensor<i1>", type_, type_], type_, body))
        body = f"%r = stablehlo.select %0, %1, %2 : {bits}, {type_}"
        found.append(program(f"select-{dtype}", [bits, type_, type_], type_, body))
    return found


def converts() -> list[Program]:
    """Every pair of element types; bits as other types; fewer bits."""
    found = []
    kinds = ["i1", *INTS, *FLOATS, *COMPLEX]
    for source in kinds:
        for target in kinds:
            type_, out = f"tensor<5x7x{source}>", f"tensor<5x7x{target}>"
            found.append(
                program(f"convert-{source}-{target}", [type_], out, f"%r = stablehlo.convert %0 : ({type_}) -> {out}")
            )
    for source, target, shape, out in [
        ("f32", "i32", "3x5", "3x5"), ("i32", "f32", "3x5", "3x5"), ("ui32", "f32", "4", "4"),
        ("f64", "ui32", "3", "3x2"), ("ui32", "f64", "3x2", "3"), ("bf16", "ui16", "7", "7"),
        ("ui8", "i32", "2x4", "2"), ("i32", "ui8", "2", "2x4"), ("f16", "i16", "4", "4"), ("i64", "f32", "2", "2x2"),
        ("ui64", "f16", "3", "3x4"), ("i8", "f64", "2x8", "2"), ("f32", "f32", "3", "3"), ("i1", "i1", "3", "3"),
        ("complex<f32>", "complex<f32>", "3", "3"),
    ]:  # fmt: skip
        a, r = f"tensor<{shape}x{source}>", f"tensor<{out}x{target}>"
        found.append(
            program(f"bitcast-{source}-{target}", [a], r, f"%r = stablehlo.bitcast_convert %0 : ({a}) -> {r}", False)
        )
    for format_ in ["e5m10", "e8m7", "e4m3", "e11m52", "e2m1", "e8m0"]:
        for dtype in FLOATS:
            type_ = f"tensor<5x9x{dtype}>"
            body = f"%r = stablehlo.reduce_precision %0, format = {format_} : {type_}"
            found.append(program(f"reduce_precision-{format_}-{dtype}", [type_], type_, body))
    return found
