"""CHLO programs as text, for every op, form and dtype; jaxlib judges them."""

from __future__ import annotations

from typing import Iterator

from program import ANY_DTYPES, BOUNDED, DTYPES, QUANTIZED, Program, array, function, one_at_a_time, op, region, tensor
from text_compute import PRECISIONS
from text_elementwise import DISCARDABLE, _shape_pairs

UNARY = [
    "_asin_acos_kernel", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj", "cosh", "digamma", "erf",
    "erf_inv", "erfc",
    "is_inf", "is_neg_inf", "is_pos_inf", "lgamma", "sinh", "square", "tan",
]  # fmt: skip
BINARY = ["mulhi", "next_after", "polygamma", "zeta"]
BROADCAST = [
    "add", "and", "atan2", "compare", "complex", "divide", "maximum", "minimum", "multiply", "next_after", "or",
    "polygamma", "power", "remainder", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "subtract", "xor", "zeta",
]  # fmt: skip


def candidates() -> Iterator[Program]:
    """Every generated program, valid or not."""
    for generate in (_unary, _binary, _broadcast, _broadcast_select, _constants, _top_k, _ragged_dot, _scan):
        yield from generate()


def _unary() -> Iterator[Program]:
    for name in UNARY:
        full = f"chlo.{name}"
        out = "i1" if name.startswith("is_") else None
        base = "complex<f32>" if name == "_asin_acos_kernel" else "f32"
        for dtype in [*ANY_DTYPES, *QUANTIZED[:2]]:
            for result in {out or dtype, {"complex<f32>": "f32"}.get(dtype, dtype)}:
                yield Program(full, op(full, [tensor("2x3", dtype)], [tensor("2x3", result)]))
        for a, b in _shape_pairs():
            yield Program(full, op(full, [tensor(a, base)], [tensor(b, out or base)]))
        yield Program(full, op(full, [BOUNDED.format(base)], [BOUNDED.format(out or base)]))
        yield Program(full, op(full, [BOUNDED.format(base)], [tensor("?x3", out or base)]))
        for extra in DISCARDABLE:
            yield Program(full, op(full, [tensor("2", base)], [tensor("2", out or base)], extra=extra))
        for line in [f"{full} %arg0 : {tensor('2')} -> {tensor('2')}", f"{full} %arg0 : {tensor('2')}",
                f"{full} %arg0 {{a}} : {tensor('2')} -> {tensor('2', 'i1')}",
                f"{full} %arg0 : ({tensor('2')}) -> {tensor('2')}"]:
            yield Program(full, function([tensor("2")], f"  %r = {line}", [tensor("2", "i1" if "i1" in line else "f32")]))
        for count in (0, 2):
            yield Program(full, op(full, [tensor("2")] * count, [tensor("2")]))


def _binary() -> Iterator[Program]:
    for name in BINARY:
        full = f"chlo.{name}"
        base = "i32" if name == "mulhi" else "f32"
        for dtype in [*ANY_DTYPES, *QUANTIZED[:2]]:
            kind = tensor("2x3", dtype)
            yield Program(full, op(full, [kind, kind], [kind]))
        for a, b in _shape_pairs():
            yield Program(full, op(full, [tensor(a, base)] * 2, [tensor(b, base)]))
            yield Program(full, op(full, [tensor(a, base), tensor(b, base)], [tensor(b, base)]))
        yield Program(full, op(full, [tensor("2", base), tensor("2", "f64")], [tensor("2", base)]))
        for extra in DISCARDABLE:
            yield Program(full, op(full, [tensor("2", base)] * 2, [tensor("2", base)], extra=extra))
        for line in [f"%arg0, %arg1 : {tensor('2', base)}, {tensor('2', base)} -> {tensor('2', base)}",
                f"%arg0, %arg1 : {tensor('2', base)}",
                f"%arg0, %arg1 : ({tensor('2', base)}, {tensor('2', base)}) -> {tensor('2', base)}"]:
            yield Program(full, function([tensor("2", base)] * 2, f"  %r = {full} {line}", [tensor("2", base)]))


def _broadcast() -> Iterator[Program]:
    for name in BROADCAST:
        full = f"chlo.broadcast_{name}"
        base = "i32" if name in ("and", "or", "xor") or "shift" in name else "f32"
        out = {"compare": "i1", "complex": "complex<f32>"}.get(name, base)
        fixed = {"comparison_direction": "#chlo<comparison_direction LT>"} if name == "compare" else {}
        for dtype in [*ANY_DTYPES, QUANTIZED[0]]:
            result = {"compare": "i1", "complex": f"complex<{dtype}>"}.get(name, dtype)
            yield Program(full, op(full, [tensor("2x3", dtype)] * 2, [tensor("2x3", result)], fixed))
        for dims in [None, array(0), array(1), array(0, 1), "array<i64>", array(2), array(-1), array(1, 0),
                "dense<1> : tensor<1xi64>"]:
            if dims == array(-1) and name != "add":
                continue  # It crashes jaxlib, which costs time.
            for a, b, r in [("2x3", "2x3", "2x3"), ("2x3", "3", "2x3"), ("2x3", "", "2x3"), ("2x3", "2", "2x3"),
                ("?x?", "?", "?x?"), ("*", "*", "*"), ("2x1", "1x3", "2x3"), ("3", "2x3", "2x3"), ("2x3", "4", "2x3"),
                            ("2x3", "3", "?x?"), ("?", "?", "?"), ("*", "", "*"), ("", "", "")]:  # fmt: skip
                yield Program(full, op(full, [tensor(a, base), tensor(b, base)], [tensor(r, out)],
                    {**fixed, "broadcast_dimensions": dims}))
        yield Program(full, op(full, [BOUNDED.format(base), tensor("3", base)], [BOUNDED.format(out)], fixed))
        yield Program(full, op(full, [tensor("2", base), tensor("2", "f64")], [tensor("2", out)], fixed))
        line = f"  %r = {full} %arg0, %arg1 : ({tensor('2', base)}, {tensor('2', base)}) -> {tensor('2', out)}"
        yield Program(full, function([tensor("2", base)] * 2, line, [tensor("2", out)]))
        for direction in ["EQ", "NE", "GE", "GT", "LE", "LT", "XX"]:
            for kind in [None, "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED", "XX"]:
                if name == "compare":
                    attrs = {"comparison_direction": f"#chlo<comparison_direction {direction}>",
                        "compare_type": kind and f"#chlo<comparison_type {kind}>"}
                    yield Program(full, op(full, [tensor("2")] * 2, [tensor("2", "i1")], attrs))


def _broadcast_select() -> Iterator[Program]:
    full = "chlo.broadcast_select"
    for dtype in ANY_DTYPES:
        yield Program(full, op(full, [tensor("2", "i1"), tensor("2", dtype), tensor("2", dtype)], [tensor("2", dtype)]))
    for p in ["", "2", "2x3", "?", "*", "3"]:
        for a, b, r in [("2", "2", "2"), ("2x3", "3", "2x3"), ("?", "2", "?"), ("*", "*", "*"), ("", "", ""),
                ("2x1", "1x3", "2x3"), ("2", "3", "2")]:
            yield Program(full, op(full, [tensor(p, "i1"), tensor(a), tensor(b)], [tensor(r)]))
    yield Program(full, op(full, [tensor("2", "i8"), tensor("2"), tensor("2")], [tensor("2")]))


def _constants() -> Iterator[Program]:
    for dtype in ANY_DTYPES:
        for value in ["1", "1.0", "true", "(1.0, 2.0)"]:
            kind = tensor("2", dtype)
            yield Program("chlo.constant", op("chlo.constant", [], [kind], {"value": f"dense<{value}> : {kind}"}))
            yield Program("chlo.constant", function([], f"  %r = chlo.constant dense<{value}> : {kind}", [kind]))
            scalar = f"{value} : {dtype}" if value in ("1", "1.0") else value
            for shape in ("2", "?", "*", ""):
                operand = tensor(shape, dtype)
                yield Program("chlo.constant_like", op("chlo.constant_like", [operand], [operand], {"value": scalar}))
    for text in ["%r = \"chlo.constant_like\"(%arg0) {value = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>",
        "%r = \"chlo.constant_like\"(%arg0) {value = 1 : i32} : (tensor<2xf32>) -> tensor<2xi32>",
                 "%r = \"chlo.constant_like\"(%arg0) {value = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>"]:  # fmt: skip
        yield Program("chlo.constant_like", function([tensor("2")], f"  {text}",
            [tensor("2", "i32" if "2xi32" in text else "f32")]))


def _top_k() -> Iterator[Program]:
    full = "chlo.top_k"
    for dtype in [*ANY_DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("3x16", dtype)], [tensor("3x8", dtype), tensor("3x8", "i32")], {"k": "8 : i64"}))
    for k in ["0 : i64", "1 : i64", "16 : i64", "17 : i64", "-1 : i64", "8 : i32", None]:
        for a, r in [("3x16", "3x8"), ("16", "8"), ("?x16", "?x8"), ("3x?", "3x8"), ("", ""), ("*", "*"), ("3x16", "3x16"),
                ("3x16", "3x0"), ("3x16", "3x1")]:
            for index in ("i32", "i64"):
                yield Program(full, op(full, [tensor(a)], [tensor(r), tensor(r, index)], {"k": k}))
    for text in ["k = 8", "k=8", "k = -1", "k = 8 {a = 1 : i8}", "8"]:
        line = f"  %r:2 = chlo.top_k(%arg0, {text}) : {tensor('16')} -> ({tensor('8')}, {tensor('8', 'i32')})"
        yield Program(full, function([tensor("16")], line, [tensor("8"), tensor("8", "i32")]))
    yield Program(full, op(full, [BOUNDED.format("f32")], [tensor("?x1"), tensor("?x1", "i32")], {"k": "1 : i64"}))


def _ragged_dot() -> Iterator[Program]:
    full = "chlo.ragged_dot"

    def numbers(lhs_batch: str = "", rhs_batch: str = "", lhs: str = "1", rhs: str = "1", ragged: str = "0",
            group: str = "0") -> str:
        parts = {"lhs_batching_dimensions": lhs_batch, "rhs_batching_dimensions": rhs_batch, "lhs_contracting_dimensions": lhs,
            "rhs_contracting_dimensions": rhs, "lhs_ragged_dimensions": ragged, "rhs_group_dimensions": group}
        return f"#chlo.ragged_dot<{', '.join(f'{k} = [{v}]' for k, v in parts.items())}>"

    for dtype in [*DTYPES, QUANTIZED[0]]:
        kinds = [tensor("11x5", dtype), tensor("3x5x7", dtype), tensor("3", "i64")]
        for result in {dtype, "f32"}:
            yield Program(full, op(full, kinds, [tensor("11x7", result)], {"ragged_dot_dimension_numbers": numbers()}))
        yield Program(full, op(full, [tensor("11x5"), tensor("3x5x7"), tensor("3", dtype)], [tensor("11x7")],
            {"ragged_dot_dimension_numbers": numbers()}))
    spellings = [
        numbers(), numbers(group=""), numbers(ragged="1", rhs="0", group=""), numbers(ragged="0", lhs_batch="0", rhs_batch="0",
        lhs="2", rhs="1", group=""), numbers(lhs_batch="0", rhs_batch="0", lhs="2", rhs="2", ragged="1", group="1"),
        numbers(ragged=""), numbers(ragged="0, 1"), numbers(lhs="7"), numbers(rhs="0"), numbers(lhs="-1"), numbers(ragged="5"),
        numbers(group="5"), numbers(group="1"), "#chlo.ragged_dot<>", "1 : i64", None,
        numbers(lhs="0", rhs="0", ragged="0", group=""),
        "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>",
    ]  # fmt: skip
    shapes = [("11x5", "3x5x7", "3", "11x7"), ("11x5", "5x7", "3", "3x11x7"), ("5x11", "5x7", "3", "3x11x7"),
        ("2x11x5", "2x5x7", "3", "2x11x7"), ("2x11x5", "2x3x5x7", "3", "2x11x7"), ("2x11x5", "2x3x5x7", "2x3",
        "2x11x7"),
              ("11x5", "3x5x7", "4", "11x7"), ("?x5", "3x5x7", "3", "?x7"), ("*", "*", "*", "*"), ("11x5", "3x6x7", "3", "11x7"),
              ("11x5", "3x5x7", "3", "11x8"), ("11x5", "3x5x7", "", "11x7")]  # fmt: skip
    for spelling in spellings:
        for a, b, g, r in shapes:
            yield Program(full, op(full, [tensor(a), tensor(b), tensor(g, "i64")], [tensor(r)],
                {"ragged_dot_dimension_numbers": spelling}))
    for precision in [*PRECISIONS, *(p.replace("#stablehlo<", "#chlo<") for p in PRECISIONS if p)]:
        attrs = {"ragged_dot_dimension_numbers": numbers(), "precision_config": precision}
        yield Program(full, op(full, [tensor("11x5"), tensor("3x5x7"), tensor("3", "i64")], [tensor("11x7")], attrs))


def _scan() -> Iterator[Program]:
    full = "chlo.scan"
    scalar = tensor("")
    body = region([scalar, scalar], f"%z = stablehlo.add %a, %b : {scalar}", "%z, %z", f"{scalar}, {scalar}")
    rows = region([tensor("3"), tensor("3")], f"%z = stablehlo.add %a, %b : {tensor('3')}", "%z, %z",
        f"{tensor('3')}, {tensor('3')}")
    base = {"dimension": "0 : i64", "is_reverse": "false", "operandSegmentSizes": "array<i32: 1, 1>",
        "resultSegmentSizes": "array<i32: 1, 1>"}
    for text in (body, rows):
        for attrs in one_at_a_time(base, dimension=["1 : i64", "-1 : i64", "5 : i64", None], is_reverse=["true", None, "unit"],
            scan_dim_size=["4 : i64", "2 : i64", "-1 : i64"], is_associative=["true", "false", "unit", None],
                                   operandSegmentSizes=["array<i32: 2, 0>", None], resultSegmentSizes=["array<i32: 0, 2>", "array<i32: 2, 0>",
                                   None]):  # fmt: skip
            for a, c, r in [("2x3", "3", "2x3"), ("4", "", "4"), ("?", "", "?"), ("2x3", "2", "2x3"), ("*", "*", "*")]:
                yield Program(full, op(full, [tensor(a), tensor(c)], [tensor(r), tensor(c)], attrs, [text]))
    line = f"chlo.scan (%arg0) inits (%arg1) dimension=0 {{\n{body}\n  }} : ({tensor('4')}, {scalar}) -> ({tensor('4')}, {scalar})"
    yield Program(full, function([tensor("4"), scalar], f"  %r:2 = {line}", [tensor("4"), scalar]))
