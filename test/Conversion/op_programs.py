"""Small StableHLO programs, by family, with seeded inputs that include the edges."""

from __future__ import annotations

import dataclasses

import numpy as np
from kernel import parse_type


@dataclasses.dataclass(frozen=True)
class Program:
    """A module with @main, its arguments, and how far a result may be off."""

    name: str
    module: str
    arguments: list[np.ndarray]
    tolerance: float = 2e-6


INTS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f32", "f64", "bf16", "f16"]
COMPLEX = ["complex<f32>", "complex<f64>"]
TOLERANCE = {"f32": 4e-6, "f64": 1e-12, "bf16": 1e-2, "f16": 2e-3, "complex<f32>": 2e-5, "complex<f64>": 1e-11}


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
        special = [0, 1, -1, 1j]
    else:
        flat = (rng.normal(size=size) * scale).astype(dtype)
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -2.5]
    if edges and size >= 2 * len(special):
        flat[: len(special)] = np.array(special).astype(dtype)
        flat[-len(special) :] = np.roll(np.array(special), 2).astype(dtype)
    return flat.reshape(shape)


def program(
    name: str,
    arguments: list[str],
    results: list[str],
    body: str,
    tolerance: float | None = None,
    edges: bool = True,
    inputs: list[np.ndarray] | None = None,
) -> Program:
    """`body` names its arguments %0, %1, .. and ends in `return`."""
    signature = ", ".join(f"%{i}: {text}" for i, text in enumerate(arguments))
    outputs = ", ".join(results)
    module = f"module {{\n  func.func @main({signature}) -> ({outputs}) {{\n{body}\n  }}\n}}\n"
    seed = sum(map(ord, name))
    given = inputs or [values(text, seed + i, edges) for i, text in enumerate(arguments)]
    element = results[0].rsplit("x", 1)[-1].removeprefix("tensor<").removesuffix(">")
    if "complex" in results[0]:
        element = "complex<" + element.split("<")[-1]
        element = element if element.endswith(">") else element + ">"
    limit = TOLERANCE.get(element, 0.0) if tolerance is None else tolerance
    return Program(name, module, given, limit)


def unary(op: str, dtype: str, result: str | None = None, edges: bool = True) -> Program:
    """One operation on 5x7 elements."""
    type_, out = f"tensor<5x7x{dtype}>", f"tensor<5x7x{result or dtype}>"
    body = f'    %r = "stablehlo.{op}"(%0) : ({type_}) -> {out}\n    return %r : {out}'
    return program(f"{op}-{dtype}", [type_], [out], body, edges=edges)


def binary(op: str, dtype: str, edges: bool = True) -> Program:
    """One operation on two tensors of 5x7 elements."""
    type_ = f"tensor<5x7x{dtype}>"
    body = f"    %r = stablehlo.{op} %0, %1 : {type_}\n    return %r : {type_}"
    return program(f"{op}-{dtype}", [type_, type_], [type_], body, edges=edges)


def elementwise() -> list[Program]:
    """Every element-wise operation on every type that it has."""
    found = []
    for op in ["abs", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic",
               "negate", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh", "cbrt", "ceil", "floor",
               "round_nearest_afz", "round_nearest_even"]:  # fmt: skip
        found += [unary(op, dtype) for dtype in FLOATS]
    for op in ["exponential", "log", "negate", "sine", "cosine", "tanh", "sqrt", "rsqrt", "logistic", "sign"]:
        found += [unary(op, dtype, edges=False) for dtype in COMPLEX]
    found += [unary("abs", dtype, dtype[8:-1], edges=False) for dtype in COMPLEX]
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
    for op in ["add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "power",
               "and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"]:  # fmt: skip
        found += [binary(op, dtype) for dtype in INTS]
    for op in ["add", "subtract", "multiply", "divide", "power"]:
        found += [binary(op, dtype, edges=False) for dtype in COMPLEX]
    for op in ["add", "multiply", "maximum", "minimum", "and", "or", "xor"]:
        found.append(binary(op, "i1"))
    return found


def compares() -> list[Program]:
    """Comparisons, selections, clamps."""
    found = []
    for dtype in FLOATS + INTS + ["i1"]:
        type_ = f"tensor<6x7x{dtype}>"
        for direction in ["EQ", "NE", "GE", "GT", "LE", "LT"]:
            body = (
                f"    %r = stablehlo.compare {direction}, %0, %1 : ({type_}, {type_}) -> tensor<6x7xi1>\n"
                "    return %r : tensor<6x7xi1>"
            )
            found.append(program(f"compare-{direction}-{dtype}", [type_, type_], ["tensor<6x7xi1>"], body))
    for dtype in FLOATS:
        type_ = f"tensor<6x7x{dtype}>"
        body = (
            f"    %r = stablehlo.compare LT, %0, %1, TOTALORDER : ({type_}, {type_}) -> tensor<6x7xi1>\n"
            "    return %r : tensor<6x7xi1>"
        )
        found.append(program(f"totalorder-{dtype}", [type_, type_], ["tensor<6x7xi1>"], body))
    for dtype in ["f32", "bf16", "i32", "ui8"]:
        type_, scalar = f"tensor<6x7x{dtype}>", f"tensor<{dtype}>"
        body = f"    %r = stablehlo.clamp %0, %1, %2 : ({scalar}, {type_}, {scalar}) -> {type_}\n    return %r : {type_}"
        found.append(program(f"clamp-{dtype}", [scalar, type_, scalar], [type_], body, edges=dtype[0] != "b"))
        body = f"    %r = stablehlo.select %0, %1, %2 : tensor<i1>, {type_}\n    return %r : {type_}"
        found.append(program(f"select-scalar-{dtype}", ["tensor<i1>", type_, type_], [type_], body))
        body = f"    %r = stablehlo.select %0, %1, %2 : tensor<6x7xi1>, {type_}\n    return %r : {type_}"
        found.append(program(f"select-{dtype}", ["tensor<6x7xi1>", type_, type_], [type_], body))
    return found


def converts() -> list[Program]:
    """Every pair of element types."""
    found = []
    kinds = ["i1", *INTS, *FLOATS, *COMPLEX]
    for source in kinds:
        for target in kinds:
            if source == target or "complex" in source and "complex" not in target:
                continue
            type_, out = f"tensor<5x7x{source}>", f"tensor<5x7x{target}>"
            body = f"    %r = stablehlo.convert %0 : ({type_}) -> {out}\n    return %r : {out}"
            # Infinities of f16 range become other integers than those of XLA's code for vectors.
            found.append(program(f"convert-{source}-{target}", [type_], [out], body, edges="complex" not in target))
    for source, target, shape, out in [
        ("f32", "i32", "3x5", "3x5"), ("i32", "f32", "3x5", "3x5"), ("ui32", "f32", "4", "4"),
        ("f64", "ui32", "3", "3x2"), ("ui32", "f64", "3x2", "3"), ("bf16", "ui16", "7", "7"),
        ("ui8", "i32", "2x4", "2"), ("i32", "ui8", "2", "2x4"), ("f16", "i16", "4", "4"), ("i64", "f32", "2", "2x2"),
    ]:  # fmt: skip
        a, r = f"tensor<{shape}x{source}>", f"tensor<{out}x{target}>"
        body = f"    %r = stablehlo.bitcast_convert %0 : ({a}) -> {r}\n    return %r : {r}"
        found.append(program(f"bitcast-{source}-{target}", [a], [r], body, edges=False))
    for format_ in ["e5m10", "e8m7", "e4m3", "e11m52", "e2m1"]:
        for dtype in ["f32", "f64", "bf16"]:
            type_ = f"tensor<5x9x{dtype}>"
            body = f"    %r = stablehlo.reduce_precision %0, format = {format_} : {type_}\n    return %r : {type_}"
            found.append(program(f"reduce_precision-{format_}-{dtype}", [type_], [type_], body, tolerance=0.0))
    return found
