"""Candidates for the elementwise ops of StableHLO, for constants and iota.

Nothing here is labelled valid or invalid: jaxlib decides.
"""

from __future__ import annotations

from typing import Iterator

from program import (
    ANY_DTYPES,
    BOUNDED,
    DTYPES,
    FLOATS,
    QUANTIZED,
    SHAPES,
    SIGNLESS,
    UNSIGNED,
    Program,
    function,
    op,
    tensor,
)

ACCURATE = [
    "cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one",
    "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh",
]  # fmt: skip
UNARY = [
    *ACCURATE, "abs", "ceil", "count_leading_zeros", "floor", "imag", "is_finite", "negate",
    "not", "popcnt", "real", "round_nearest_afz", "round_nearest_even", "sign",
]  # fmt: skip
BINARY = [
    "add", "and", "atan2", "complex", "divide", "maximum", "minimum", "multiply", "or",
    "power", "remainder", "shift_left", "shift_right_arithmetic", "shift_right_logical",
    "subtract", "xor",
]  # fmt: skip
RESULT_DTYPE = {
    "imag": {"complex<f32>": "f32", "complex<f64>": "f64"},
    "real": {"complex<f32>": "f32", "complex<f64>": "f64"},
    "abs": {"complex<f32>": "f32", "complex<f64>": "f64"},
    "complex": {"f32": "complex<f32>", "f64": "complex<f64>"},
}
ACCURACIES = [
    "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>",
    "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>",
    "#stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 1, "
    "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
    "#stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
    "#stablehlo.result_accuracy<ulps = -1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
    "#stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
    "#stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<DEFAULT>>",
    "1 : i64",
]
DISCARDABLE = [
    {"mhlo.sharding": '"{replicated}"'},
    {"some.thing": "unit", "mhlo.frontend_attributes": '{k = "v"}'},
    {"foo": "[1, 2.0, dense<3> : tensor<2xi32>]"},
]


def programs() -> Iterator[Program]:
    """All candidates of this file."""
    for generate in (_unary, _binary, _compare, _select, _clamp, _convert, _misc, _constant, _iota, _quantize):
        yield from generate()


def _result(name: str, dtype: str) -> str:
    if name == "is_finite":
        return "i1"
    return RESULT_DTYPE.get(name, {}).get(dtype, dtype)


def _shape_pairs() -> Iterator[tuple[str, str]]:
    """Operand and result shapes that may or may not go together."""
    yield from ((shape, shape) for shape in SHAPES)
    yield from [
        ("2x3", "2x?"), ("2x?", "2x3"), ("?x?", "2x3"), ("2x3", "3x2"), ("2x3", "6"), ("", "1"),
        ("2x?", "?x3"), ("*", "2x3"), ("2x3", "*"), ("2x3", "2x3x1"), ("0", "1"), ("2x?", "3x?"),
    ]  # fmt: skip


def _unary() -> Iterator[Program]:
    for name in UNARY:
        full = f"stablehlo.{name}"
        base = {"popcnt": "i32", "count_leading_zeros": "i32", "not": "i32", "real": "complex<f32>",
                "imag": "complex<f32>"}.get(name, "f32")  # fmt: skip
        out = _result(name, base)
        for dtype in [*ANY_DTYPES, *QUANTIZED]:
            kind = tensor("2x3", dtype)
            yield Program(full, op(full, [kind], [tensor("2x3", _result(name, dtype))]))
        for a, b in _shape_pairs():
            yield Program(full, op(full, [tensor(a, base)], [tensor(b, out)]))
        for other in ["i32", "i1", "f64", "ui8", "complex<f32>"]:
            yield Program(full, op(full, [tensor("2x3", base)], [tensor("2x3", other)]))
            yield Program(full, op(full, [tensor("2x3", other)], [tensor("2x3", other)]))
        bounded = [BOUNDED.format(base), BOUNDED.format(out)]
        yield Program(full, op(full, bounded[:1], bounded[1:]))
        yield Program(full, op(full, bounded[:1], [tensor("?x3", out)]))
        yield Program(full, op(full, [tensor("?x3", base)], bounded[1:]))
        one = [tensor("2x3", base)], [tensor("2x3", out)]
        for extra in DISCARDABLE:
            yield Program(full, op(full, *one, extra=extra))
        if name in ACCURATE:
            for accuracy in ACCURACIES:
                attrs = {"result_accuracy": accuracy}
                yield Program(full, op(full, *one, attrs))
                yield Program(full, op(full, *one, attrs, properties=False, extra=DISCARDABLE[0]))
        yield from _arity(full, one[0][0], one[1][0], 1)


def _arity(full: str, operand: str, result: str, arity: int) -> Iterator[Program]:
    """The op with too few and too many operands and results."""
    for count in range(4):
        if count != arity:
            yield Program(full, op(full, [operand] * count, [result]))
    yield Program(full, op(full, [operand] * arity, []))
    yield Program(full, op(full, [operand] * arity, [result, result]))
    yield Program(full, op(full, ["f32"] * arity, ["f32"]))
    yield Program(full, op(full, ["!stablehlo.token"] * arity, ["!stablehlo.token"]))
    yield Program(full, op(full, [operand] * arity, [result], regions=["    stablehlo.return"]))


def _binary() -> Iterator[Program]:
    for name in BINARY:
        full = f"stablehlo.{name}"
        base = "i32" if name in ("and", "or", "xor") or "shift" in name else "f32"
        out = _result(name, base)
        for dtype in [*ANY_DTYPES, *QUANTIZED]:
            kind = tensor("2x3", dtype)
            yield Program(full, op(full, [kind, kind], [tensor("2x3", _result(name, dtype))]))
        for a, b in _shape_pairs():
            yield Program(full, op(full, [tensor(a, base), tensor(a, base)], [tensor(b, out)]))
            yield Program(full, op(full, [tensor(a, base), tensor(b, base)], [tensor(b, out)]))
        for other in ["i32", "f64", "i1", "ui32"]:
            yield Program(full, op(full, [tensor("2", base), tensor("2", other)], [tensor("2", out)]))
            yield Program(full, op(full, [tensor("2", other)] * 2, [tensor("2", out)]))
        bounded, plain = BOUNDED.format(base), tensor("?x3", base)
        for operands in ([bounded, bounded], [bounded, plain], [plain, bounded]):
            for result in (BOUNDED.format(out), tensor("?x3", out)):
                yield Program(full, op(full, operands, [result]))
        for first, second, result in [
            (QUANTIZED[0], QUANTIZED[0], QUANTIZED[1]),
            (QUANTIZED[0], QUANTIZED[1], QUANTIZED[0]),
            (QUANTIZED[0], "f32", QUANTIZED[0]),
            (QUANTIZED[0], "f32", "f32"),
            (QUANTIZED[7], QUANTIZED[7], QUANTIZED[7]),
        ]:
            kinds = [tensor("2x3", kind) for kind in (first, second, result)]
            yield Program(full, op(full, kinds[:2], kinds[2:]))
        for extra in DISCARDABLE:
            yield Program(full, op(full, [tensor("2", base)] * 2, [tensor("2", out)], extra=extra))
        yield from _arity(full, tensor("2", base), tensor("2", out), 2)


def _compare() -> Iterator[Program]:
    full = "stablehlo.compare"
    for dtype in [*ANY_DTYPES, QUANTIZED[0]]:
        for kind in [None, "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED", "NOTYPE"]:
            direction = "EQ" if dtype.startswith("complex") else "LT"
            attrs = {
                "comparison_direction": f"#stablehlo<comparison_direction {direction}>",
                "compare_type": kind and f"#stablehlo<comparison_type {kind}>",
            }
            yield Program(full, op(full, [tensor("2x3", dtype)] * 2, [tensor("2x3", "i1")], attrs))
    for direction in ["EQ", "NE", "GE", "GT", "LE", "LT", "XX"]:
        attrs = {"comparison_direction": f"#stablehlo<comparison_direction {direction}>"}
        for dtype in ("f32", "complex<f32>", "i1"):
            yield Program(full, op(full, [tensor("2", dtype)] * 2, [tensor("2", "i1")], attrs))
        short = f"  %r = stablehlo.compare {direction}, %arg0, %arg1"
        kinds = [tensor("2"), tensor("2")]
        for middle in ["", ", FLOAT", ",  FLOAT", ", TOTALORDER", ", NOTYPE", ", BAD", " {foo = 1 : i32}"]:
            text = f"{short}{middle} : ({kinds[0]}, {kinds[1]}) -> {tensor('2', 'i1')}"
            yield Program(full, function(kinds, text, [tensor("2", "i1")]))
    attrs = {"comparison_direction": "#stablehlo<comparison_direction EQ>"}
    for a, b in _shape_pairs():
        yield Program(full, op(full, [tensor(a)] * 2, [tensor(b, "i1")], attrs))
        yield Program(full, op(full, [tensor(a), tensor(b)], [tensor(b, "i1")], attrs))
    for result in ["i8", "f32", "ui8"]:
        yield Program(full, op(full, [tensor("2")] * 2, [tensor("2", result)], attrs))
    yield Program(full, op(full, [tensor("2"), tensor("2", "f64")], [tensor("2", "i1")], attrs))
    bounded = BOUNDED.format("f32")
    yield Program(full, op(full, [bounded] * 2, [BOUNDED.format("i1")], attrs))
    yield Program(full, op(full, [tensor("2")] * 2, [tensor("2", "i1")]))
    for old in ['"EQ"', '"LT"', "0 : i32", "unit"]:
        yield Program(full, op(full, [tensor("2")] * 2, [tensor("2", "i1")], {"comparison_direction": old}))
    yield from _arity(full, tensor("2"), tensor("2", "i1"), 2)


def _select() -> Iterator[Program]:
    full = "stablehlo.select"
    for dtype in [*ANY_DTYPES, *QUANTIZED]:
        kind = tensor("2x3", dtype)
        for pred in ("2x3", ""):
            yield Program(full, op(full, [tensor(pred, "i1"), kind, kind], [kind]))
    for pred in ["", "2", "2x3", "3x2", "?x3", "?x?", "2x?", "*", "1x1", "1"]:
        for a, b, c in [
            ("2x3", "2x3", "2x3"), ("2x?", "2x3", "2x3"), ("2x3", "2x3", "?x3"), ("?x?", "?x?", "?x?"),
            ("*", "*", "*"), ("2x3", "3x2", "2x3"), ("2x3", "2x3", "3x2"), ("", "", ""),
        ]:  # fmt: skip
            kinds = [tensor(pred, "i1"), tensor(a), tensor(b)]
            yield Program(full, op(full, kinds, [tensor(c)]))
    for kinds, result in [
        (["i8", "f32", "f32"], "f32"), (["i1", "f32", "f64"], "f32"), (["i1", "f32", "f32"], "f64"),
        (["i1", QUANTIZED[0], QUANTIZED[1]], QUANTIZED[0]),
    ]:  # fmt: skip
        yield Program(full, op(full, [tensor("2", kind) for kind in kinds], [tensor("2", result)]))
    bounded = BOUNDED.format("f32")
    yield Program(full, op(full, [BOUNDED.format("i1"), bounded, bounded], [bounded]))
    yield from _arity(full, tensor("2", "i1"), tensor("2", "i1"), 3)


def _clamp() -> Iterator[Program]:
    full = "stablehlo.clamp"
    for dtype in [*ANY_DTYPES, *QUANTIZED[:3]]:
        kind, scalar = tensor("2x3", dtype), tensor("", dtype)
        for low in (kind, scalar):
            for high in (kind, scalar):
                yield Program(full, op(full, [low, kind, high], [kind]))
    for low in ["", "2", "2x3", "3x2", "?x3", "?", "*"]:
        for a, c in [("2x3", "2x3"), ("2x?", "2x3"), ("?x?", "?x?"), ("*", "*"), ("2x3", "3x2"), ("", "")]:
            yield Program(full, op(full, [tensor(low), tensor(a), tensor(low)], [tensor(c)]))
    yield Program(full, op(full, [tensor("", "f64"), tensor("2"), tensor("")], [tensor("2")]))
    yield from _arity(full, tensor("2"), tensor("2"), 3)


def _convert() -> Iterator[Program]:
    kinds = [*DTYPES, QUANTIZED[0], "index", "si32", "i3"]
    bits = ["i1", "i2", "i4", "i8", "i64", "ui32", "f8E5M2", "bf16", "f32", "complex<f64>", QUANTIZED[0]]
    for source in kinds:
        for target in kinds:
            yield Program(
                "stablehlo.convert",
                op("stablehlo.convert", [tensor("2x3", source)], [tensor("2x3", target)]),
            )
            if source not in bits and target not in bits:
                continue
            for a, b in (("4", "4"), ("4x2", "4"), ("4", "4x2"), ("4x4", "4"), ("4", "4x4")):
                yield Program(
                    "stablehlo.bitcast_convert",
                    op("stablehlo.bitcast_convert", [tensor(a, source)], [tensor(b, target)]),
                )
    for name in ("convert", "bitcast_convert"):
        full = f"stablehlo.{name}"
        for a, b in [*_shape_pairs(), ("2x?", "2x?x4"), ("?x4", "?"), ("", "4"), ("4", "")]:
            for target in ("f32", "i32", "i8"):
                yield Program(full, op(full, [tensor(a)], [tensor(b, target)]))
                yield Program(full, op(full, [tensor(a, target)], [tensor(b)]))
        bounded = [BOUNDED.format("f32")], [BOUNDED.format("i32")]
        yield Program(full, op(full, *bounded))
        yield from _arity(full, tensor("2"), tensor("2"), 1)


def _misc() -> Iterator[Program]:
    full = "stablehlo.reduce_precision"
    for dtype in [*FLOATS, "i32", "complex<f32>", *QUANTIZED[:1]]:
        kind = tensor("2x3", dtype)
        yield Program(full, op(full, [kind], [kind], {"exponent_bits": "8 : i32", "mantissa_bits": "10 : i32"}))
    for exponent in ["-1 : i32", "0 : i32", "1 : i32", "5 : i32", "100 : i32", "5 : i64", None]:
        for mantissa in ["-1 : i32", "0 : i32", "7 : i32", "1.0 : f32", None]:
            attrs = {"exponent_bits": exponent, "mantissa_bits": mantissa}
            yield Program(full, op(full, [tensor("2")], [tensor("2")], attrs))
    for form in ["e8m10", "e0m2", "e2m0", "E8M10", "e8", "8m10", "e8m", "e-1m2", "e8m10x", "e99999999999m1"]:
        text = f"  %r = stablehlo.reduce_precision %arg0, format = {form} : {tensor('2')}"
        yield Program(full, function([tensor("2")], text, [tensor("2")]))
    attrs = {"exponent_bits": "8 : i32", "mantissa_bits": "10 : i32"}
    for a, b in _shape_pairs():
        yield Program(full, op(full, [tensor(a)], [tensor(b)], attrs))


def _constant() -> Iterator[Program]:
    full = "stablehlo.constant"

    def constant(value: str, kind: str, result: str = "") -> Iterator[Program]:
        result = result or kind
        yield Program(full, op(full, [], [result], {"value": f"{value} : {kind}"}))
        if result == kind:
            yield Program(full, function([], f"  %r = stablehlo.constant {value} : {kind}", [kind]))
            text = f"  %r = stablehlo.constant {{foo = 1 : i32}} {value} : {kind}"
            yield Program(full, function([], text, [kind]))

    for dtype in [*ANY_DTYPES, *QUANTIZED]:
        values = {"i1": ["true", "false", "[true, false]"]}.get(
            dtype, ["1", "-1", "0", "[0, 1]", "1.0", "-0.5", "[1.0, 2.5]"]
        )
        if dtype.startswith("complex"):
            values = ["(1.0,-2.0)", "[(1.0,0.0), (0.0,-1.5)]", "(1,2)", "1.0"]
        if dtype in FLOATS:
            bits = _float_bits(dtype)
            values = [*values, *(f"0x{pattern:0{(bits + 3) // 4}X}" for pattern in (0, 1, 2 ** (bits - 1)))]
        for value in values:
            yield from constant(f"dense<{value}>", tensor("2", dtype))
        yield from constant(f"dense<{values[0]}>", tensor("", dtype))
        yield from constant("dense<>", tensor("0", dtype))
        yield from constant("dense<>", tensor("2x0x3", dtype))
    for dtype in ["i1", "i4", "i8", "ui8", "i32", "i64", "f32", "bf16", "f8E5M2", "complex<f32>", "f64"]:
        for count in (99, 100, 101, 150):
            item = {"i1": ("true", "false"), "complex<f32>": ("(1.0,2.0)", "(0.0,-1.0)")}.get(
                dtype, ("1.5", "2.0") if dtype in FLOATS else ("1", "2")
            )
            elements = ", ".join(item[i % 3 % 2] for i in range(count))
            yield from constant(f"dense<[{elements}]>", tensor(str(count), dtype))
            rows = ", ".join(f"[{item[i % 3 % 2]}, {item[0]}]" for i in range(count // 2))
            yield from constant(f"dense<[{rows}]>", tensor(f"{count // 2}x2", dtype))
    for dtype, text in [("f32", "0x7FC00000"), ("f32", "0xFF800000"), ("f32", "0x7F800001"), ("f64", "0x7FF0000000000000"),
                        ("bf16", "0x7FC0"), ("f16", "0xFC00"), ("i32", "0xFF"), ("f32", "0x7FC0")]:  # fmt: skip
        yield from constant(f"dense<{text}>", tensor("2", dtype))
        yield from constant(f"dense<[{text}, {text}]>", tensor("2", dtype))
    for value in ["1.0e-45", "3.40282347E+38", "1e39", "0.1", "1.000000e+00", "123456789.0", "-0.0", "1e-7", "16777217.0"]:
        for dtype in ("f32", "f64", "bf16", "f16"):
            yield from constant(f"dense<{value}>", tensor("", dtype))
    for dtype, value in [("i8", "127"), ("i8", "128"), ("i8", "-128"), ("i8", "-129"), ("i8", "255"), ("ui8", "255"),
                         ("ui8", "256"), ("ui8", "-1"), ("i64", "9223372036854775807"), ("i64", "-9223372036854775808"),
                         ("ui64", "18446744073709551615"), ("i4", "7"), ("i4", "-8"), ("ui4", "15"), ("i2", "1"), ("i2", "-2"),
                         ("ui2", "3"), ("i1", "1"), ("i1", "0"), ("i1", "-1")]:  # fmt: skip
        yield from constant(f"dense<{value}>", tensor("", dtype))
        yield from constant(f"dense<[{value}, 0]>", tensor("2", dtype))
    yield from constant('dense<"0x0000803F00000040">', tensor("2"))
    yield from constant('dense<"0x0000803F">', tensor("2"))
    yield from constant('dense<"0x01020304">', tensor("4", "i8"))
    yield from constant('dense<"0x0102">', tensor("4", "i8"))
    yield from constant("sparse<[[0]], [1.0]>", tensor("3"))
    yield from constant("dense_resource<blob>", tensor("2"))
    yield from constant("dense<1.0>", tensor("2"), tensor("3"))
    yield from constant("dense<1.0>", tensor("2"), tensor("?"))
    yield from constant("dense<1.0>", tensor("2"), tensor("2", "f64"))
    yield from constant("dense<1>", tensor("2", "i8"), tensor("2", QUANTIZED[0]))
    yield from constant("dense<1.0>", tensor("?"))
    yield from constant("dense<1.0>", "vector<2xf32>")
    yield Program(full, op(full, [], [tensor("2")], {"value": "1.0 : f32"}))
    yield Program(full, op(full, [], [tensor("2")]))
    two = '  %c = stablehlo.constant dense<1> : tensor<i32>\n  %cst = stablehlo.constant dense<1.0> : tensor<f32>\n'
    yield Program(full, function([], two + "  %r = stablehlo.constant dense<2> : tensor<i32>", ["tensor<i32>"]))


def _float_bits(dtype: str) -> int:
    digits = "".join(c for c in dtype.split("E")[0] if c.isdigit())
    return int(digits)


def _iota() -> Iterator[Program]:
    full = "stablehlo.iota"
    for dtype in [*ANY_DTYPES, *QUANTIZED[:1]]:
        yield Program(full, op(full, [], [tensor("2x3", dtype)], {"iota_dimension": "0 : i64"}))
        yield Program(
            "stablehlo.dynamic_iota",
            op("stablehlo.dynamic_iota", [tensor("2", "i64")], [tensor("?x?", dtype)], {"iota_dimension": "1 : i64"}),
        )
    for shape in SHAPES:
        for dim in [-1, 0, 1, 4]:
            yield Program(full, op(full, [], [tensor(shape)], {"iota_dimension": f"{dim} : i64"}))
            text = f"  %r = stablehlo.iota dim = {dim} : {tensor(shape)}"
            yield Program(full, function([], text, [tensor(shape)]))
            for count, kind in [
                ("0", "i64"), ("1", "i64"), ("2", "i64"), ("3", "index"), ("?", "i32"),
                ("2x2", "i64"), ("2", "f32"), ("1", "ui32"), ("2", "index"),
            ]:  # fmt: skip
                if dim != 4:
                    operand, attrs = tensor(count, kind), {"iota_dimension": f"{dim} : i64"}
                    text = op("stablehlo.dynamic_iota", [operand], [tensor(shape, "i32")], attrs)
                    yield Program("stablehlo.dynamic_iota", text)
    yield Program(full, op(full, [], [BOUNDED.format("f32")], {"iota_dimension": "0 : i64"}))
    yield Program(full, op(full, [], [tensor("2")], {"iota_dimension": "0 : i32"}))
    yield Program(full, op(full, [], [tensor("2")]))


def _quantize() -> Iterator[Program]:
    for source in [*FLOATS, "i8", *QUANTIZED]:
        for target in [*QUANTIZED, "f32", "i8"]:
            yield Program(
                "stablehlo.uniform_quantize",
                op("stablehlo.uniform_quantize", [tensor("2x3", source)], [tensor("2x3", target)]),
            )
    for source in [*QUANTIZED, "f32", "i8"]:
        for target in ["f32", "bf16", "f64", "i8", QUANTIZED[0]]:
            for a, b in (("2x3", "2x3"), ("?x3", "?x3"), ("2x3", "3x2"), ("", ""), ("*", "*"), ("0x3", "0x3")):
                yield Program(
                    "stablehlo.uniform_dequantize",
                    op("stablehlo.uniform_dequantize", [tensor(a, source)], [tensor(b, target)]),
                )
    spellings = [
        "!quant.uniform<i8:f32, 1.0>", "!quant.uniform<i8:f32, 0.0>", "!quant.uniform<i8:f32, -1.0>",
        "!quant.uniform<i8:f32, 2.0:200>",
        "!quant.uniform<i8<-8:7>:f32, 2.0:3>", "!quant.uniform<i8:f32:5, {1.0,2.0}>", "!quant.uniform<i8:f32:0, {1.0,2.0,3.0}>",
        "!quant.uniform<i8:f32:{0:1, 1:1}, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}>", "!quant.any<i8:f32>",
        "!quant.calibrated<f32<-1.0:1.0>>",
        "!quant.uniform<i64:f64, 1.0>", "!quant.uniform<i8:i32, 1.0>", "!quant.uniform<i8, 1.0>",
    ]  # fmt: skip
    for kind in spellings:
        yield Program("types", function([tensor("2x3", kind)], "", [tensor("2x3", kind)], "%arg0"))
        yield Program("types", op("stablehlo.add", [tensor("2x3", kind)] * 2, [tensor("2x3", kind)]))
    for kind in [*SIGNLESS, *UNSIGNED]:
        yield Program("types", function([tensor("2", kind), tensor("", kind)], "", [tensor("2", kind)], "%arg0"))

