"""Candidates for the ops that move, cut and index data; jaxlib judges them."""

from __future__ import annotations

from typing import Iterator

from program import (
    BOUNDED,
    DTYPES,
    QUANTIZED,
    SHAPES,
    Program,
    array,
    binary_region,
    function,
    one_at_a_time,
    op,
    region,
    tensor,
)

I64 = ["-1 : i64", "0 : i64", "1 : i64", "2 : i64", "3 : i64", "100 : i64", "1 : i32", None]
# Integer lists for attributes such as dimensions and sizes.
LISTS = [
    "array<i64>", array(0), array(1), array(0, 1), array(1, 0), array(0, 0), array(-1), array(-1, 0), array(2), array(0, 2),
    array(0, 1, 2), array(2, 1, 0), array(2, 3), array(9223372036854775807), array(9223372036854775807, 2),
    "array<i32: 0, 1>", "dense<[0, 1]> : tensor<2xi64>", "dense<0> : tensor<1xi64>", "dense<> : tensor<0xi64>", "[0, 1]",
    None,
]  # fmt: skip


def programs() -> Iterator[Program]:
    """All candidates of this file."""
    for generate in (
        _broadcast, _broadcast_in_dim, _dynamic_broadcast_in_dim, _concatenate, _slice, _dynamic_slice, _dynamic_update_slice,
        _real_dynamic_slice, _pad, _dynamic_pad, _reshape, _reverse, _transpose, _gather, _scatter, _torch_index_select,
        _dimension_size,
    ):  # fmt: skip
        yield from generate()


def _per_dtype(full: str, operands: list[str], results: list[str], attrs: dict[str, str | None]) -> Iterator[Program]:
    """The op for every dtype; shapes ending in @ keep the dtype after it."""

    def kind(shape: str, dtype: str) -> str:
        shape, _, fixed = shape.partition("@")
        return tensor(shape, fixed or dtype)

    for dtype in [*DTYPES, *QUANTIZED[:2], "index"]:
        yield Program(full, op(full, [kind(s, dtype) for s in operands], [kind(s, dtype) for s in results], attrs))
    yield Program(full, op(full, [kind(s, "f32") for s in operands], [kind(s, "f64") for s in results], attrs))
    dense = {name: value for name, value in attrs.items()}
    for properties in (False, True):
        yield Program(full, op(full, [kind(s, "f32") for s in operands], [kind(s, "f32") for s in results], dense,
                               properties=properties, extra={"foo.bar": "unit"}))  # fmt: skip
    base = [kind(s, "f32") for s in operands], [kind(s, "f32") for s in results]
    yield Program(full, op(full, base[0][:-1], base[1], attrs))
    yield Program(full, op(full, [*base[0], base[0][0]], base[1], attrs))
    yield Program(full, op(full, base[0], [*base[1], base[1][0]], attrs))
    for name in attrs:
        yield Program(full, op(full, *base, {**attrs, name: None}))
        for bad in ("unit", '"text"', "1 : i64", "array<i64>", "dense<1.0> : tensor<f32>"):
            yield Program(full, op(full, *base, {**attrs, name: bad}))


def _broadcast() -> Iterator[Program]:
    full = "stablehlo.broadcast"
    yield from _per_dtype(full, ["3"], ["2x3"], {"broadcast_sizes": array(2)})
    for sizes in [*LISTS, array(4, 0), array(1, 2, 3)]:
        for a in ["", "3", "?", "0", "*", "2x?"]:
            for b in ["", "3", "2x3", "2x?", "1x3", "0x1x3", "?x?", "4x0x3", "1x2x3x3", "*", "2x2x?"]:
                yield Program(full, op(full, [tensor(a)], [tensor(b)], {"broadcast_sizes": sizes}))


def _broadcast_in_dim() -> Iterator[Program]:
    full = "stablehlo.broadcast_in_dim"
    yield from _per_dtype(full, ["3"], ["2x3"], {"broadcast_dimensions": array(1)})
    for dims in LISTS:
        for a in ["", "3", "1", "0", "?", "2x3", "1x3", "2x?", "*"]:
            for b in ["", "3", "2x3", "3x2", "2x3x3", "0x3", "?x3", "2x?", "*"]:
                yield Program(full, op(full, [tensor(a)], [tensor(b)], {"broadcast_dimensions": dims}))
    for a, b in [(QUANTIZED[0], QUANTIZED[1]), (QUANTIZED[7], QUANTIZED[7]), (QUANTIZED[7], QUANTIZED[8]), ("f32", "f64")]:
        attrs = {"broadcast_dimensions": array(0, 1)}
        yield Program(full, op(full, [tensor("2x1", a)], [tensor("2x3", b)], attrs))
    bounded = BOUNDED.format("f32")
    yield Program(full, op(full, [bounded], [bounded], {"broadcast_dimensions": array(0, 1)}))
    yield Program(full, op(full, [tensor("1x3")], [bounded], {"broadcast_dimensions": array(0, 1)}))


def _dynamic_broadcast_in_dim() -> Iterator[Program]:
    full = "stablehlo.dynamic_broadcast_in_dim"
    base = {"broadcast_dimensions": array(1)}
    yield from _per_dtype(full, ["3", "2@i64"], ["?x?"], base)
    for size in ["2@i32", "2@index", "2@f32", "2@ui8", "3@i64", "?@i64", "2x1@i64", "*@i64", "0@i64"]:
        shape, _, dtype = size.partition("@")
        for b in ["2x3", "?x?", "?x3", "3x2", "?", "*", ""]:
            yield Program(full, op(full, [tensor("3"), tensor(shape, dtype)], [tensor(b)], base))
    for attrs in one_at_a_time(
        base,
        broadcast_dimensions=LISTS,
        known_expanding_dimensions=LISTS,
        known_nonexpanding_dimensions=LISTS,
    ):
        for a in ["3", "?", "1", "1x?"]:
            yield Program(full, op(full, [tensor(a), tensor("2", "i64")], [tensor("?x?")], attrs))
    for expanding in (array(0), array(1), array(0, 1), "array<i64>"):
        for nonexpanding in (array(0), array(1), array(0, 1), "array<i64>"):
            attrs = {"broadcast_dimensions": array(0, 1), "known_expanding_dimensions": expanding,
                     "known_nonexpanding_dimensions": nonexpanding}  # fmt: skip
            yield Program(full, op(full, [tensor("1x?"), tensor("2", "i64")], [tensor("?x?")], attrs))
    bounded = BOUNDED.format("f32")
    yield Program(full, op(full, [tensor("3"), tensor("2", "i64")], [bounded], base))


def _concatenate() -> Iterator[Program]:
    full = "stablehlo.concatenate"
    yield from _per_dtype(full, ["2x3", "4x3"], ["6x3"], {"dimension": "0 : i64"})
    shape_sets = [
        (["2x3"], "2x3"), (["2x3", "2x3"], "2x6"), (["2x3", "2x3"], "4x3"), (["2x3", "2x?"], "2x?"), (["?x3", "2x3"], "?x3"),
        (["?x3", "2x3"], "5x3"), (["?x3", "2x3"], "1x3"), (["2x3", "4x3", "0x3"], "6x3"), (["2x3", "3x2"], "5x3"), ([], "2x3"),
        (["", ""], "2"),
        (["2"] * 7, "14"), (["*", "*"], "*"), (["2x3", "2"], "4x3"), (["2x3", "2x3"], "2x3"), (["2x3", "*"], "?x3"),
        (["2x?", "2x3"], "4x3"),
    ]  # fmt: skip
    for operands, result in shape_sets:
        for dim in I64:
            kinds = [tensor(shape) for shape in operands]
            yield Program(full, op(full, kinds, [tensor(result)], {"dimension": dim}))
    bounded = [BOUNDED.format("f32")] * 2
    for result in ["tensor<?x3xf32, #stablehlo.bounds<8, ?>>", "tensor<?x3xf32, #stablehlo.bounds<4, ?>>", tensor("?x3")]:
        yield Program(full, op(full, bounded, [result], {"dimension": "0 : i64"}))
        yield Program(full, op(full, [bounded[0], tensor("2x3")], [result], {"dimension": "0 : i64"}))
    yield Program(full, op(full, bounded, ["tensor<?x6xf32, #stablehlo.bounds<4, ?>>"], {"dimension": "1 : i64"}))


def _slice() -> Iterator[Program]:
    full = "stablehlo.slice"
    base = {"start_indices": array(1, 2), "limit_indices": array(3, 4), "strides": array(1, 1)}
    yield from _per_dtype(full, ["3x4"], ["2x2"], base)
    starts = [array(0, 0), array(-1, 2), array(3, 4), array(4, 4), array(1), array(1, 2, 3),
        "dense<[1, 2]> : tensor<2xi64>", None]
    limits = [array(3, 4), array(1, 2), array(0, 4), array(4, 4), array(3, 5), array(-1, 4), array(3), None]
    strides = [array(1, 1), array(2, 2), array(2, 1), array(0, 1), array(-1, 1), array(100, 9223372036854775807), array(1),
        None]
    for attrs in one_at_a_time(base, start_indices=starts, limit_indices=limits, strides=strides):
        for a in ["3x4", "?x4", "?x?", "*", "3", "3x4x5"]:
            for b in ["2x2", "1x1", "3x4", "0x2", "0x0", "?x2", "1x2", "2x1", "*"]:
                yield Program(full, op(full, [tensor(a)], [tensor(b)], attrs))
    for text, a, b in [
        ("[0:2]", "3", "2"), ("[0:2:1]", "3", "2"), ("[0:3:2]", "3", "2"), ("[]", "", ""), ("[0:2, 1:3]", "3x4", "2x2"),
        ("[0:2, 1:4:2]", "3x4", "2x2"), ("[0:0]", "3", "0"), ("[0:0]", "0", "0"), ("[0]", "3", "1"), ("[:2]", "3", "2"),
        ("[0:]", "3", "3"),
        ("[0:2:]", "3", "2"), ("[0:2,]", "3", "2"), ("[0 : 2 : 1]", "3", "2"), ("[-1:2]", "3", "2"), ("[0:2:0]", "3", "2"),
        ("[0:2:-1]", "3", "2"),
    ]:  # fmt: skip
        line = f"  %r = stablehlo.slice %arg0 {text} : ({tensor(a)}) -> {tensor(b)}"
        yield Program(full, function([tensor(a)], line, [tensor(b)]))
    yield Program(full, op(full, [BOUNDED.format("f32")], [tensor("?x2")], {**base, "limit_indices": array(3, 3)}))
    bounded = {"start_indices": array(0, 0), "limit_indices": array(4, 3), "strides": array(1, 1)}
    for result in (BOUNDED.format("f32"), tensor("4x3")):
        yield Program(full, op(full, [BOUNDED.format("f32")], [result], bounded))


def _dynamic_slice() -> Iterator[Program]:
    full = "stablehlo.dynamic_slice"
    base = {"slice_sizes": array(2, 2)}
    yield from _per_dtype(full, ["3x4", "@i32", "@i32"], ["2x2"], base)
    for dtype in DTYPES:
        yield Program(full, op(full, [tensor("3x4"), tensor("", dtype), tensor("", dtype)], [tensor("2x2")], base))
    yield Program(full, op(full, [tensor("3x4"), tensor("", "i32"), tensor("", "i64")], [tensor("2x2")], base))
    yield Program(full, op(full, [tensor("3x4"), tensor("1", "i32"), tensor("1", "i32")], [tensor("2x2")], base))
    for sizes in [array(2, 2), array(0, 0), array(3, 4), array(4, 4), array(-1, 1), array(2), array(2, 2, 2), "array<i64>",
            None]:
        for a, count in [("3x4", 2), ("?x4", 2), ("?x?", 2), ("*", 2), ("3", 1), ("", 0), ("3x4", 1), ("3x4", 3)]:
            for b in ["2x2", "0x0", "3x4", "2", "", "?x2", "*", "?x?"]:
                kinds = [tensor(a), *[tensor("", "i32")] * count]
                yield Program(full, op(full, kinds, [tensor(b)], {"slice_sizes": sizes}))
    for spelling in ["sizes = [2, 2]", "sizes = []", "sizes = [2,2]", "sizes = 2", "sizes=[2, 2] {foo = 1 : i32}"]:
        kinds = [tensor("3x4"), tensor("", "i32"), tensor("", "i32")]
        line = f"  %r = stablehlo.dynamic_slice %arg0, %arg1, %arg2, {spelling} : ({', '.join(kinds)}) -> {tensor('2x2')}"
        yield Program(full, function(kinds, line, [tensor("2x2")]))


def _dynamic_update_slice() -> Iterator[Program]:
    full = "stablehlo.dynamic_update_slice"
    yield from _per_dtype(full, ["3x4", "2x2", "@i32", "@i32"], ["3x4"], {})
    for dtype in [*DTYPES, "index"]:
        kinds = [tensor("3x4"), tensor("2x2"), tensor("", dtype), tensor("", dtype)]
        yield Program(full, op(full, kinds, [tensor("3x4")]))
    for a in ["3x4", "?x4", "?x?", "*", "3", "", "0x4"]:
        for u in ["2x2", "3x4", "4x4", "?x2", "0x0", "*", "2", ""]:
            for count in (0, 1, 2, 3):
                for b in {a, "3x4", "?x?"}:
                    kinds = [tensor(a), tensor(u), *[tensor("", "i32")] * count]
                    yield Program(full, op(full, kinds, [tensor(b)]))
    kinds = [tensor("3x4"), tensor("2x2", "f64"), tensor("", "i32"), tensor("", "i32")]
    yield Program(full, op(full, kinds, [tensor("3x4")]))
    kinds = [tensor("3x4"), tensor("2x2"), tensor("", "i32"), tensor("", "i64")]
    yield Program(full, op(full, kinds, [tensor("3x4")]))


def _real_dynamic_slice() -> Iterator[Program]:
    full = "stablehlo.real_dynamic_slice"
    yield from _per_dtype(full, ["3x4", "2@i64", "2@i64", "2@i64"], ["?x?"], {})
    for dtype in ["i32", "index", "ui8", "f32"]:
        yield Program(full, op(full, [tensor("3x4"), *[tensor("2", dtype)] * 3], [tensor("?x?")]))
    for a in ["3x4", "?x?", "*", "3", ""]:
        for size in ["2", "1", "0", "?", "3", "2x1", "*"]:
            for b in ["?x?", "2x2", "?", "*", ""]:
                yield Program(full, op(full, [tensor(a), *[tensor(size, "i64")] * 3], [tensor(b)]))
    kinds = [tensor("3x4"), tensor("2", "i64"), tensor("3", "i64"), tensor("2", "i64")]
    yield Program(full, op(full, kinds, [tensor("?x?")]))
    kinds = [tensor("3x4"), tensor("2", "i64"), tensor("2", "i32"), tensor("2", "i64")]
    yield Program(full, op(full, kinds, [tensor("?x?")]))
    constants = (
        "  %s = stablehlo.constant dense<[0, 1]> : tensor<2xi64>\n  %l = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
        "  %t = stablehlo.constant dense<1> : tensor<2xi64>\n"
    )
    for b in ["2x2", "?x?", "3x3"]:
        line = f"  %r = stablehlo.real_dynamic_slice %arg0, %s, %l, %t : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> {tensor(b)}"
        yield Program(full, function([tensor("3x4")], constants + line, [tensor(b)]))


def _pad() -> Iterator[Program]:
    full = "stablehlo.pad"
    base = {"edge_padding_low": array(0, 1), "edge_padding_high": array(2, 1), "interior_padding": array(0, 0)}
    yield from _per_dtype(full, ["2x3", ""], ["4x5"], base)
    low = [array(0, 1), array(-1, 0), array(-5, 0), array(0), array(0, 1, 2), None]
    interior = [array(0, 0), array(1, 2), array(-1, 0), array(9223372036854775807, 0), array(0), None]
    for attrs in one_at_a_time(base, edge_padding_low=low, edge_padding_high=low, interior_padding=interior):
        for a in ["2x3", "?x3", "0x3", "?x?", "*", "2"]:
            for b in ["4x5", "?x5", "3x4", "5x9", "2x5", "1x5", "?x?", "*"]:
                yield Program(full, op(full, [tensor(a), tensor("")], [tensor(b)], attrs))
    for value in [tensor("1"), tensor("", "f64"), tensor("?"), "f32"]:
        yield Program(full, op(full, [tensor("2x3"), value], [tensor("4x5")], base))
    scalar = {name: "array<i64>" for name in base}
    yield Program(full, op(full, [tensor(""), tensor("")], [tensor("")], scalar))
    yield Program(full, op(full, [BOUNDED.format("f32"), tensor("")], ["tensor<?x5xf32, #stablehlo.bounds<6, ?>>"], base))
    yield Program(full, op(full, [BOUNDED.format("f32"), tensor("")], [tensor("?x5")], base))
    for order in ["low = [0, 1], high = [2, 1], interior = [0, 0]", "high = [2, 1], low = [0, 1], interior = [0, 0]",
                  "low = [0, 1], high = [2, 1]", "low = [0,1], high = [2,1], interior = [0,0] {x = 1 : i8}"]:  # fmt: skip
        line = f"  %r = stablehlo.pad %arg0, %arg1, {order} : ({tensor('2x3')}, {tensor('')}) -> {tensor('4x5')}"
        yield Program(full, function([tensor("2x3"), tensor("")], line, [tensor("4x5")]))


def _dynamic_pad() -> Iterator[Program]:
    full = "stablehlo.dynamic_pad"
    yield from _per_dtype(full, ["2x3", "", "2@i64", "2@i64", "2@i64"], ["?x?"], {})
    for a in ["2x3", "?x?", "2", "", "*"]:
        for size in ["2", "1", "0", "?", "2x1", "*"]:
            for b in ["?x?", "4x5", "?", "*", ""]:
                kinds = [tensor(a), tensor(""), *[tensor(size, "i64")] * 3]
                yield Program(full, op(full, kinds, [tensor(b)]))
    for dtypes in (["i32"] * 3, ["index"] * 3, ["f32"] * 3, ["i64", "i32", "i64"], ["ui8"] * 3):
        kinds = [tensor("2x3"), tensor(""), *[tensor("2", dtype) for dtype in dtypes]]
        yield Program(full, op(full, kinds, [tensor("?x?")]))
    for value in [tensor("1"), tensor("", "f64")]:
        yield Program(full, op(full, [tensor("2x3"), value, *[tensor("2", "i64")] * 3], [tensor("?x?")]))


def _reshape() -> Iterator[Program]:
    full = "stablehlo.reshape"
    yield from _per_dtype(full, ["2x3"], ["6"], {})
    shapes = [*SHAPES, "6", "3x2", "1x6", "?x6", "0x5", "1x1x1", "24", "6x0", "4294967296x4294967296",
        "18446744073709551616"]
    for a in shapes:
        for b in shapes:
            yield Program(full, op(full, [tensor(a)], [tensor(b)]))
    for a, b in [(QUANTIZED[0], QUANTIZED[1]), (QUANTIZED[7], QUANTIZED[7]), ("f32", QUANTIZED[0])]:
        yield Program(full, op(full, [tensor("2x3", a)], [tensor("2x3x1", b)]))
    for b in [BOUNDED.format("f32"), "tensor<?xf32, #stablehlo.bounds<12>>", tensor("12")]:
        yield Program(full, op(full, [BOUNDED.format("f32")], [b]))
    full = "stablehlo.dynamic_reshape"
    yield from _per_dtype(full, ["2x3", "2@i64"], ["?x?"], {})
    for size in ["2@i64", "2@index", "1@i32", "?@i64", "0@i64", "2@f32", "2x1@i64", "*@i64", "3@ui8", "@i64"]:
        shape, _, dtype = size.partition("@")
        for a in ["2x3", "?x?", "*", "", "0"]:
            for b in ["6", "?", "?x?", "2x?", "*", "", "7", "3x2"]:
                yield Program(full, op(full, [tensor(a), tensor(shape, dtype)], [tensor(b)]))
    yield Program(full, op(full, [tensor("2x3"), tensor("2", "i64")], [BOUNDED.format("f32")]))


def _reverse() -> Iterator[Program]:
    full = "stablehlo.reverse"
    yield from _per_dtype(full, ["2x3"], ["2x3"], {"dimensions": array(1)})
    for dims in LISTS:
        for a, b in [("2x3", "2x3"), ("2x3", "2x?"), ("?x?", "?x?"), ("*", "*"), ("", ""), ("0", "0"), ("2x3", "3x2")]:
            yield Program(full, op(full, [tensor(a)], [tensor(b)], {"dimensions": dims}))
    bounded = BOUNDED.format("f32")
    yield Program(full, op(full, [bounded], [bounded], {"dimensions": array(0)}))


def _transpose() -> Iterator[Program]:
    full = "stablehlo.transpose"
    yield from _per_dtype(full, ["2x3"], ["3x2"], {"permutation": array(1, 0)})
    for dims in LISTS:
        for a in ["2x3", "?x3", "?x?", "*", "", "0", "1x2x3"]:
            for b in ["2x3", "3x2", "3x?", "?x?", "*", "", "0", "3x2x1"]:
                yield Program(full, op(full, [tensor(a)], [tensor(b)], {"permutation": dims}))
    bounded = BOUNDED.format("f32")
    for b in ["tensor<3x?xf32, #stablehlo.bounds<?, 4>>", "tensor<3x?xf32>", "tensor<3x?xf32, #stablehlo.bounds<4, ?>>"]:
        yield Program(full, op(full, [bounded], [b], {"permutation": array(1, 0)}))
    for a, b in [(QUANTIZED[7], QUANTIZED[7]), (QUANTIZED[0], QUANTIZED[0])]:
        yield Program(full, op(full, [tensor("2x3", a)], [tensor("3x2", b)], {"permutation": array(1, 0)}))


GATHERS = [
    "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, offset_dims = [1]",
    "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0]",
    "offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [-1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [5], index_vector_dim = 1",
    "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1",
    "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2",
    "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = -1",
    "offset_dims = [1, 1], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1",
    "offset_dims = [1], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1",
    "offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1",
    "offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], "
    "start_index_map = [1], index_vector_dim = 1",
    "offset_dims = [1], operand_batching_dims = [0, 0], start_indices_batching_dims = [0], start_index_map = [1]",
    "offset_dims = [1], bad_dims = [0]",
    "offset_dims = [1], offset_dims = [1]",
    "offset_dims = 1",
    "",
]


def _gather() -> Iterator[Program]:
    full = "stablehlo.gather"
    base = {"dimension_numbers": f"#stablehlo.gather<{GATHERS[0]}>", "slice_sizes": array(1, 4),
        "indices_are_sorted": "false"}
    yield from _per_dtype(full, ["3x4", "2x1@i32"], ["2x4"], base)
    for dtype in DTYPES:
        yield Program(full, op(full, [tensor("3x4"), tensor("2x1", dtype)], [tensor("2x4")], base))
    for numbers in GATHERS:
        for sizes in [array(1, 4), array(1, 2), array(0, 4), array(3, 4), array(4, 4), array(-1, 4), array(1), None]:
            attrs = {**base, "dimension_numbers": f"#stablehlo.gather<{numbers}>", "slice_sizes": sizes}
            for a, i, r in [("3x4", "2x1", "2x4"), ("3x4", "2", "2x4"), ("?x4", "?x1", "?x4"), ("3x4", "2x1", "2x1x4"),
                            ("3x4", "2x1", "2x2"), ("3x4", "", "4"), ("*", "*", "*"), ("2x4", "2x1", "2x4"), ("2x4", "2x1", "2x2")]:  # fmt: skip
                yield Program(full, op(full, [tensor(a), tensor(i, "i32")], [tensor(r)], attrs))
    for sorted_ in [None, "true", "false", "unit", "1 : i32"]:
        yield Program(full, op(full, [tensor("3x4"), tensor("2x1", "i32")], [tensor("2x4")],
            {**base, "indices_are_sorted": sorted_}))
    full = "stablehlo.dynamic_gather"
    del base["slice_sizes"]
    yield from _per_dtype(full, ["3x4", "2x1@i32", "2@i32"], ["2x4"], base)
    for numbers in GATHERS:
        attrs = {**base, "dimension_numbers": f"#stablehlo.gather<{numbers}>"}
        for sizes in [tensor("2", "i32"), tensor("2", "i64"), tensor("?", "i32"), tensor("1", "i32"), tensor("2", "f32"),
                tensor("2x1", "i32")]:
            for r in ["2x4", "2x?", "?x?", "*", "2x1x?"]:
                kinds = [tensor("3x4"), tensor("2x1", "i32"), sizes]
                yield Program(full, op(full, kinds, [tensor(r)], attrs))


SCATTERS = [
    numbers.replace("offset_dims", "update_window_dims").replace("collapsed_slice_dims", "inserted_window_dims")
    .replace("operand_batching_dims", "input_batching_dims").replace("start_indices_batching_dims",
    "scatter_indices_batching_dims")
    .replace("start_index_map", "scatter_dims_to_operand_dims")
    for numbers in GATHERS
]  # fmt: skip


def _scatter() -> Iterator[Program]:
    full = "stablehlo.scatter"

    def attrs(numbers: str, **more: str | None) -> dict[str, str | None]:
        return {"scatter_dimension_numbers": f"#stablehlo.scatter<{numbers}>", "indices_are_sorted": "false",
            "unique_indices": "false", **more}

    for dtype in DTYPES:
        add = [binary_region(dtype)]
        kinds = [tensor("3x4", dtype), tensor("2x1", "i32"), tensor("2x4", dtype)]
        yield Program(full, op(full, kinds, [kinds[0]], attrs(SCATTERS[0]), add))
        kinds = [tensor("3x4"), tensor("2x1", dtype), tensor("2x4")]
        yield Program(full, op(full, kinds, [kinds[0]], attrs(SCATTERS[0]), [binary_region("f32")]))
    for numbers in SCATTERS:
        for a, i, u in [("3x4", "2x1", "2x4"), ("3x4", "2", "2x4"), ("?x4", "?x1", "?x4"), ("3x4", "2x1", "2x1x4"),
            ("3x4", "2x1", "2x5"),
                        ("3x4", "2x1", "2x2"), ("3x4", "", "4"), ("*", "*", "*"), ("2x4", "2x1", "2x4"), ("2x4", "2x1", "2x2"),
                        ("2x4", "3x1", "3x4")]:  # fmt: skip
            for r in {a, "3x4"}:
                kinds = [tensor(a), tensor(i, "i32"), tensor(u)]
                yield Program(full, op(full, kinds, [tensor(r)], attrs(numbers), [binary_region("f32")]))
    base = [tensor("3x4"), tensor("2x1", "i32"), tensor("2x4")]
    for name in ("indices_are_sorted", "unique_indices"):
        for value in [None, "true", "unit", "1 : i64"]:
            yield Program(full, op(full, base, [base[0]], attrs(SCATTERS[0], **{name: value}), [binary_region("f32")]))
    two = [tensor("3x4"), tensor("3x4", "i32"), tensor("2x1", "i32"), tensor("2x4"), tensor("2x4", "i32")]
    scalars = [tensor(""), tensor("", "i32"), tensor(""), tensor("", "i32")]
    both = region(scalars, "", "%a, %d", f"{scalars[0]}, {scalars[1]}")
    yield Program(full, op(full, two, two[:2], attrs(SCATTERS[0]), [both]))
    yield Program(full, op(full, two, two[:1], attrs(SCATTERS[0]), [both]))
    yield Program(full, op(full, two[:-1], two[:2], attrs(SCATTERS[0]), [both]))
    for body in reduction_bodies("f32"):
        yield Program(full, op(full, base, [base[0]], attrs(SCATTERS[0]), [body]))
    yield Program(full, op(full, base, [base[0]], attrs(SCATTERS[0])))


def reduction_bodies(dtype: str) -> Iterator[str]:
    """Region bodies for one operand of `dtype`, good and bad."""
    scalar = tensor("", dtype)
    for name in ["add", "multiply", "maximum", "minimum", "subtract", "and", "divide", "atan2"]:
        yield binary_region(dtype, f"stablehlo.{name}")
    yield region([scalar, scalar], "", "%b", scalar)
    yield region([scalar, scalar], "", "%a, %b", f"{scalar}, {scalar}")
    yield region([scalar, scalar], "", "", "")
    yield region([scalar], "", "%a", scalar)
    yield region([scalar] * 3, "", "%a", scalar)
    yield region([], "", "", "")
    yield region([tensor("1", dtype)] * 2, "", "%a", tensor("1", dtype))
    yield region([scalar, tensor("", "f64")], "", "%a", scalar)
    yield region([scalar, scalar], f"%z = stablehlo.convert %a : ({scalar}) -> tensor<i1>", "%z", "tensor<i1>")
    yield region([scalar, scalar], f"%z = stablehlo.convert %a : ({scalar}) -> tensor<f64>", "%z", "tensor<f64>")
    yield region([scalar, scalar], "", "%a", scalar, "func.return")
    yield region([scalar, scalar], f"%y = stablehlo.add %a, %b : {scalar}\n    %z = stablehlo.multiply %y, %b : {scalar}",
        "%z", scalar)
    yield region([tensor("", "f64")] * 2, "", "%a", tensor("", "f64"))
    yield ""


def _torch_index_select() -> Iterator[Program]:
    full = "stablehlo.torch_index_select"
    base = {"dim": "0 : i64", "batch_dims": "0 : i64"}
    yield from _per_dtype(full, ["5x1x5", "2@i32"], ["2x1x5"], base)
    for attrs in one_at_a_time(base, dim=I64, batch_dims=I64):
        for a, i, r in [("5x1x5", "2", "2x1x5"), ("5x1x5", "2x3", "2x3x1x5"), ("*", "*", "*"), ("?x?", "?", "?x?"),
                ("", "", ""), ("4", "", "")]:
            yield Program(full, op(full, [tensor(a), tensor(i, "i32")], [tensor(r)], attrs))
    for dtype in ["i64", "ui8", "f32", "i1"]:
        yield Program(full, op(full, [tensor("5x1x5"), tensor("2", dtype)], [tensor("2x1x5")], base))


def _dimension_size() -> Iterator[Program]:
    full = "stablehlo.get_dimension_size"
    yield from _per_dtype(full, ["2x3"], ["@i32"], {"dimension": "0 : i64"})
    for dim in I64:
        for a in [*SHAPES]:
            yield Program(full, op(full, [tensor(a)], [tensor("", "i32")], {"dimension": dim}))
    for result in [tensor("", "i64"), tensor("1", "i32"), tensor("", "f32"), "i32"]:
        yield Program(full, op(full, [tensor("2x3")], [result], {"dimension": "0 : i64"}))
    yield Program(full, op(full, [BOUNDED.format("f32")], [tensor("", "i32")], {"dimension": "0 : i64"}))
    full = "stablehlo.set_dimension_size"
    yield from _per_dtype(full, ["2x3", "@i32"], ["?x3"], {"dimension": "0 : i64"})
    for dim in I64:
        for a in ["2x3", "?x3", "*", ""]:
            for b in ["2x3", "?x3", "2x?", "*", "tensor<?x3xf32, #stablehlo.bounds<2, ?>>",
                    "tensor<?x3xf32, #stablehlo.bounds<9, ?>>"]:
                for size in (tensor("", "i32"), tensor("", "i64"), tensor("1", "i32")):
                    result = b if b.startswith("tensor") else tensor(b)
                    yield Program(full, op(full, [tensor(a), size], [result], {"dimension": dim}))
