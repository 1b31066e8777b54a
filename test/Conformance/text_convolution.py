"""Candidates for convolution and dynamic_conv; jaxlib judges them."""

from __future__ import annotations

from typing import Iterator

from program import BOUNDED, DTYPES, QUANTIZED, Program, array, function, one_at_a_time, op, tensor
from text_compute import PRECISIONS

NUMBERS = [
    "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
    "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
    "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
    "[b, 1, 0, f]x[0, 1, i, o]->[b, 0, 1, f]",
    "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
    "[b, f]x[i, o]->[b, f]",
    "[b, 0, f]x[0, i, o]->[b, 0, f]",
    "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
    "[b, 0, 1, ?, f]x[0, 1, ?, i, o]->[b, 0, 1, ?, f]",
    "[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]",
    "[b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f]",
    "[b, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f]",
    "[b, 0, 1, f]x[0, 1, i, f]->[b, 0, 1, f]",
    "[b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]",
    "[b, 0, 1, f]x[0, i, o]->[b, 0, 1, f]",
    "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, f]",
    "[b, 0, 1, x]x[0, 1, i, o]->[b, 0, 1, f]",
    "[b, -1, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
    "[]x[]->[]",
    "[b,0,1,f]x[0,1,i,o]->[b,0,1,f]",
]


def programs() -> Iterator[Program]:
    """All candidates of this file."""
    for generate in (_generic, _shapes, _spellings, _quantized, _dynamic):
        yield from generate()


def _base() -> dict[str, str | None]:
    return {
        "batch_group_count": "1 : i64",
        "feature_group_count": "1 : i64",
        "dimension_numbers": f"#stablehlo.conv<{NUMBERS[0]}>",
    }


def _generic() -> Iterator[Program]:
    full = "stablehlo.convolution"
    kinds = [tensor("1x8x8x4"), tensor("3x3x4x16")]
    for dtype in [*DTYPES, *QUANTIZED]:
        for out in {dtype, "f32", "i32"}:
            operands = [tensor("1x8x8x4", dtype), tensor("3x3x4x16", dtype)]
            yield Program(full, op(full, operands, [tensor("1x6x6x16", out)], _base()))
    lists = [None, array(1, 1), array(2, 2), array(2, 1), array(0, 1), array(-1, 1), array(1), array(1, 1, 1),
        "dense<1> : tensor<2xi64>"]
    paddings = [None, "dense<0> : tensor<2x2xi64>", "dense<1> : tensor<2x2xi64>",
        "dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>", "dense<-1> : tensor<2x2xi64>",
                "dense<-20> : tensor<2x2xi64>", "dense<1> : tensor<2xi64>", "dense<1> : tensor<1x2xi64>",
                "dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>", "dense<0> : tensor<2x2xi32>"]  # fmt: skip
    reversals = [None, "array<i1: false, false>", "array<i1: true, false>", "array<i1: true>", "dense<true> : tensor<2xi1>",
        "dense<[true, false]> : tensor<2xi1>"]
    groups = ["0 : i64", "1 : i64", "2 : i64", "4 : i64", "16 : i64", "-1 : i64", "3 : i64", None]
    results = ["1x6x6x16", "1x8x8x16", "1x3x3x16", "1x4x4x16", "?x?x?x?", "1x7x7x16", "1x13x13x16", "1x6x6x8", "1x4x6x16",
        "*", "1x3x6x16", "1x4x8x16"]
    for attrs in one_at_a_time(
        _base(), window_strides=lists, padding=paddings, lhs_dilation=lists, rhs_dilation=lists, window_reversal=reversals,
        batch_group_count=groups, feature_group_count=groups, precision_config=PRECISIONS,
    ):  # fmt: skip
        for result in results:
            yield Program(full, op(full, kinds, [tensor(result)], attrs))
    for count in ("2", "4"):
        grouped = {**_base(), "feature_group_count": f"{count} : i64"}
        kernel = tensor(f"3x3x{4 // int(count)}x16")
        yield Program(full, op(full, [kinds[0], kernel], [tensor("1x6x6x16")], grouped))
        grouped = {**_base(), "batch_group_count": f"{count} : i64"}
        yield Program(full, op(full, [tensor("4x8x8x4"), kinds[1]], [tensor(f"{4 // int(count)}x6x6x16")], grouped))
        grouped = {**_base(), "feature_group_count": f"{count} : i64", "batch_group_count": f"{count} : i64"}
        yield Program(full, op(full, [tensor("4x8x8x4"), kernel], [tensor("4x6x6x16")], grouped))
    yield Program(full, op(full, [kinds[0], tensor("3x3x4x16", "f64")], [tensor("1x6x6x16")], _base()))


def _shapes() -> Iterator[Program]:
    full = "stablehlo.convolution"
    cases = [
        ("1x8x8x4", "3x3x4x16", "1x6x6x16"), ("1x4x8x8", "16x4x3x3", "1x16x6x6"), ("4x8x8x1", "4x3x3x16", "6x6x1x16"),
        ("5x4", "4x3", "5x3"),
        ("1x8x4", "3x4x16", "1x6x16"), ("1x8x8x8x4", "3x3x3x4x16", "1x6x6x6x16"), ("?x8x8x4", "3x3x4x16", "?x6x6x16"),
        ("1x?x?x4", "3x3x4x16", "1x?x?x16"),
        ("*", "3x3x4x16", "*"), ("*", "*", "*"), ("0x8x8x4", "3x3x4x16", "0x6x6x16"), ("1x2x2x4", "3x3x4x16", "1x0x0x16"),
        ("1x8x8x4", "0x3x4x16", "1x8x6x16"),
        ("1x8x8x4", "3x3x4x16", "1x6x6x17"), ("1x8x8x5", "3x3x4x16", "1x6x6x16"), ("1x8x8x4", "3x3x16x4", "1x6x6x16"),
        ("", "", ""), ("1x8x8x4", "?x?x4x16", "1x?x?x16"),
    ]  # fmt: skip
    for numbers in NUMBERS:
        attrs = {**_base(), "dimension_numbers": f"#stablehlo.conv<{numbers}>"}
        for a, b, r in cases:
            yield Program(full, op(full, [tensor(a), tensor(b)], [tensor(r)], attrs))
    bounded = "tensor<?x8x8x4xf32, #stablehlo.bounds<4, ?, ?, ?>>"
    for r in ["tensor<?x6x6x16xf32, #stablehlo.bounds<4, ?, ?, ?>>", tensor("?x6x6x16"), tensor("4x6x6x16"),
            BOUNDED.format("f32")]:
        yield Program(full, op(full, [bounded, tensor("3x3x4x16")], [r], _base()))
    raw = (
        "#stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_output_feature_dimension = 3, "
        "kernel_input_feature_dimension = 2, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>"
    )
    for spelling in [raw, raw.replace("raw ", ""), raw.replace("= 3", "= 7"), raw.replace("[1, 2]", "[1, 5]"),
        raw.replace("[1, 2]", "[1]"), raw.replace("[0, 1]", "[0, 0]"),
                     raw.replace("input_batch_dimension = 0, ", ""), raw.replace("= 0", "= -1")]:  # fmt: skip
        attrs = {**_base(), "dimension_numbers": spelling}
        yield Program(full, op(full, [tensor("1x8x8x4"), tensor("3x3x4x16")], [tensor("1x6x6x16")], attrs))


def _spellings() -> Iterator[Program]:
    full = "stablehlo.convolution"
    groups = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    windows = [
        "", "stride = [1, 1]", "stride = [2, 2]", "pad = [[0, 0], [0, 0]]", "pad = [[1, 1], [1, 1]]", "pad = [[0, 1], [1, 0]]",
        "lhs_dilate = [1, 1]", "rhs_dilate = [2, 2]",
        "reverse = [false, false]", "reverse = [true, true]", "reverse = [0, 1]",
        "stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]",
        "pad = [[1, 1], [1, 1]], stride = [2, 2]", "stride = [1, 1], stride = [1, 1]", "stride = [1]", "pad = [1, 1]",
        "pad = [[1], [1]]", "pad = []", "bad = [1, 1]", "stride = 1",
        "stride = [1, 1],", "pad = [[0, 0]]", "lhs_dilate = [2, 1]",
    ]  # fmt: skip
    for window in windows:
        for result in ["1x6x6x16", "1x8x8x16", "1x3x3x16", "1x4x4x16", "1x7x7x16", "1x13x6x16"]:
            yield _conv(f"dim_numbers = {NUMBERS[0]}, window = {{{window}}} {groups}", result)
    for numbers in NUMBERS:
        yield _conv(f"dim_numbers = {numbers}, window = {{}} {groups}", "1x6x6x16")
    for dictionary in [
        "", "{}", "{batch_group_count = 1 : i64}", "{feature_group_count = 1 : i64}",
        "{feature_group_count = 1 : i64, batch_group_count = 1 : i64}",
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}",
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = []}",
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64, mhlo.sharding = \"x\", foo}",
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>}",
        "{batch_group_count = 1 : i32, feature_group_count = 1 : i64}",
    ]:  # fmt: skip
        yield _conv(f"dim_numbers = {NUMBERS[0]}, window = {{}} {dictionary}", "1x6x6x16")
    yield _conv(f"dim_numbers = {NUMBERS[0]} {groups}", "1x6x6x16")
    yield _conv(f"window = {{}} {groups}", "1x6x6x16")


def _conv(text: str, result: str) -> Program:
    kinds = [tensor("1x8x8x4"), tensor("3x3x4x16")]
    line = f"  %r = stablehlo.convolution(%arg0, %arg1) {text} : ({', '.join(kinds)}) -> {tensor(result)}"
    return Program("stablehlo.convolution", function(kinds, line, [tensor(result)]))


def _quantized() -> Iterator[Program]:
    full = "stablehlo.convolution"
    per_axis = "!quant.uniform<i8:f32:3, {1.0,2.0}>"
    for a, b, r in [
        (QUANTIZED[0], QUANTIZED[0], QUANTIZED[5]), (QUANTIZED[0], per_axis, "!quant.uniform<i32:f32:3, {1.0,2.0}>"),
        (QUANTIZED[0], per_axis, QUANTIZED[5]),
        ("f32", QUANTIZED[0], "f32"), (QUANTIZED[0], "f32", "f32"), (per_axis, QUANTIZED[0], QUANTIZED[5]),
        (QUANTIZED[0], QUANTIZED[2], QUANTIZED[5]),
        (QUANTIZED[0], "!quant.uniform<i8:f32:2, {1.0,2.0}>", QUANTIZED[5]), ("f32", per_axis, "f32"),
    ]:  # fmt: skip
        kinds = [tensor("1x8x8x2", a), tensor("3x3x2x2", b)]
        yield Program(full, op(full, kinds, [tensor("1x6x6x2", r)], _base()))
        dot = {"dot_dimension_numbers": "#stablehlo.dot<lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>"}
        yield Program("stablehlo.dot_general", op("stablehlo.dot_general", kinds, [tensor("1x8x8x3x3x2", r)], dot))


def _dynamic() -> Iterator[Program]:
    full = "stablehlo.dynamic_conv"
    base = {**_base()}
    for dtype in DTYPES:
        kinds = [tensor("1x8x8x4", dtype), tensor("3x3x4x16", dtype), tensor("2x2", "i64")]
        yield Program(full, op(full, kinds, [tensor("1x?x?x16", dtype)], base))
    for padding in [tensor("2x2", "i64"), tensor("2x2", "i32"), tensor("?x2", "i64"), tensor("1x2", "i64"),
            tensor("2", "i64"), tensor("2x2", "f32"), tensor("2x2", "index"), tensor("*", "i64")]:
        for r in ["1x?x?x16", "1x6x6x16", "?x?x?x?", "*", "1x?x?x8"]:
            yield Program(full, op(full, [tensor("1x8x8x4"), tensor("3x3x4x16"), padding], [tensor(r)], base))
    lists = [None, array(1, 1), array(2, 2), array(0, 1), array(1)]
    groups = ["0 : i64", "2 : i64", "4 : i64", None]
    for attrs in one_at_a_time(base, window_strides=lists, lhs_dilation=lists, rhs_dilation=lists,
        window_reversal=[None, "array<i1: true, false>"],
                               batch_group_count=groups, feature_group_count=groups, precision_config=PRECISIONS,
                               dimension_numbers=[f"#stablehlo.conv<{numbers}>" for numbers in NUMBERS]):  # fmt: skip
        for a, b, r in [("1x8x8x4", "3x3x4x16", "1x?x?x16"), ("*", "*", "*"), ("?x?x?x?", "?x?x?x?", "?x?x?x?")]:
            yield Program(full, op(full, [tensor(a), tensor(b), tensor("2x2", "i64")], [tensor(r)], attrs))
