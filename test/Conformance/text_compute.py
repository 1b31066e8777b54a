"""Candidates for contractions, convolutions, reductions, sorts and the like."""

from __future__ import annotations

from typing import Iterator

from program import (
    BOUNDED,
    DTYPES,
    FLOATS,
    QUANTIZED,
    Program,
    array,
    binary_region,
    function,
    one_at_a_time,
    op,
    region,
    tensor,
)
from text_shape import I64, LISTS, reduction_bodies

PRECISIONS = [
    None, "[]", "[#stablehlo<precision DEFAULT>]", "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]",
    "[#stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>]", "[#stablehlo<precision BAD>]", "[1 : i64]",
    "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]",
]  # fmt: skip


def programs() -> Iterator[Program]:
    """All candidates of this file."""
    for generate in (
        _dot, _dot_general, _dot_algorithms, _einsum, _fft, _linear_algebra, _batch_norm, _rng,
        _reduce, _reduce_text, _reduce_window, _select_and_scatter, _sort, _map,
    ):  # fmt: skip
        yield from generate()


def _dot() -> Iterator[Program]:
    full = "stablehlo.dot"
    for dtype in [*DTYPES, *QUANTIZED[:2]]:
        kinds = [tensor("2x3", dtype), tensor("3x4", dtype)]
        for out in {dtype, "f32", "i32"}:
            yield Program(full, op(full, kinds, [tensor("2x4", out)]))
    for precision in PRECISIONS:
        attrs = {"precision_config": precision}
        yield Program(full, op(full, [tensor("2x3"), tensor("3x4")], [tensor("2x4")], attrs))
    for a in ["3", "2x3", "?x3", "2x?", "*", "", "2x2x3", "0x3"]:
        for b in ["3", "3x4", "3x?", "4x3", "*", "", "3x0"]:
            for r in ["", "2", "4", "2x4", "?x4", "2x?", "*", "0x4", "2x0"]:
                yield Program(full, op(full, [tensor(a), tensor(b)], [tensor(r)]))
    yield Program(full, op(full, [tensor("2x3"), tensor("3x4", "f64")], [tensor("2x4")]))


def dot_numbers(batch: tuple[str, str], contract: tuple[str, str]) -> str:
    """`#stablehlo.dot<...>`."""
    parts = [
        ("lhs_batching_dimensions", batch[0]), ("rhs_batching_dimensions", batch[1]),
        ("lhs_contracting_dimensions", contract[0]), ("rhs_contracting_dimensions", contract[1]),
    ]  # fmt: skip
    return "#stablehlo.dot<" + ", ".join(f"{k} = [{v}]" for k, v in parts if v) + ">"


def _dot_general() -> Iterator[Program]:
    full = "stablehlo.dot_general"
    plain = {"dot_dimension_numbers": dot_numbers(("", ""), ("1", "0"))}
    batched = {"dot_dimension_numbers": dot_numbers(("0", "0"), ("2", "1"))}
    for dtype in [*DTYPES, *QUANTIZED]:
        for out in {dtype, "f32", "i32"}:
            yield Program(full, op(full, [tensor("2x3", dtype), tensor("3x4", dtype)], [tensor("2x4", out)], plain))
        yield Program(full, op(full, [tensor("5x2x3", dtype), tensor("5x3x4", dtype)], [tensor("5x2x4", dtype)], batched))
    for a, b in [("f32", "f64"), ("bf16", "f32"), ("i8", "ui8"), (QUANTIZED[0], "f32"), ("f32", QUANTIZED[0]),
            ("f8E4M3FN", "f8E5M2")]:
        yield Program(full, op(full, [tensor("2x3", a), tensor("3x4", b)], [tensor("2x4")], plain))
    for precision in PRECISIONS:
        attrs = {**plain, "precision_config": precision}
        yield Program(full, op(full, [tensor("2x3"), tensor("3x4")], [tensor("2x4")], attrs))
    shapes = [
        ("2x3", "3x4", "2x4"), ("3x2", "3x4", "2x4"), ("2x3", "4x3", "2x4"), ("5x2x3", "5x3x4", "5x2x4"), ("2x3", "3x4", "4x2"),
        ("3", "3", ""),
        ("2x3", "2x3", "2"), ("?x3", "3x4", "?x4"), ("2x?", "?x4", "2x4"), ("*", "3x4", "*"), ("*", "*", "*"),
        ("2x0", "0x4", "2x4"), ("2x3", "4x5", "2x3x4x5"),
        ("", "", ""), ("5x3x2", "5x3x4", "5x2x4"), ("2x3", "3x4", "2x?"), ("2x3", "3x4", "?x?"), ("5x2x3", "3x5x4", "5x2x4"),
        ("2x3", "3x4", "*"),
    ]  # fmt: skip
    numbers = [
        (("", ""), ("1", "0")), (("", ""), ("0", "0")), (("", ""), ("1", "1")), (("0", "0"), ("2", "1")), (("", ""), ("", "")),
        (("0", "0"), ("1", "1")), (("0, 1", "0, 1"), ("", "")), (("0", "1"), ("2", "0")), (("", ""), ("0, 1", "0, 1")),
        (("", ""), ("0", "")),
        (("0", ""), ("1", "0")), (("", ""), ("-1", "0")), (("", ""), ("5", "0")), (("0", "0"), ("0", "0")),
        (("", ""), ("1, 1", "0, 0")), (("7", "0"), ("1", "1")),
    ]  # fmt: skip
    for a, b, r in shapes:
        for batch, contract in numbers:
            attrs = {"dot_dimension_numbers": dot_numbers(batch, contract)}
            yield Program(full, op(full, [tensor(a), tensor(b)], [tensor(r)], attrs))
    for text in [
        "contracting_dims = [1] x [0]", "batching_dims = [] x [], contracting_dims = [1] x [0]", "contracting_dims = [] x []",
        "batching_dims = [0] x [0]",
        "batching_dims = [0] x [0], contracting_dims = [1] x [1]",
        "contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]",
        "contracting_dims = [1] x [0], precision = [HIGH, HIGHEST]", "contracting_dims = [1] x [0], precision = []",
        "contracting_dims = [1] x [0], precision = [BAD]",
        "contracting_dims = [1] x [0], precision = [DEFAULT]", "contracting_dims = [1] x [0] {foo = 1 : i8}",
        "contracting_dims = [1]", "contracting_dims = [1] [0]", "",
        "contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>",
        "contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>",
        "contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32>",
    ]:  # fmt: skip
        for a, b, r in [("2x3", "3x4", "2x4"), ("2x3", "2x3", "2"), ("2x3", "3x4", "2x3x3x4"), ("2x3", "2x4", "2x3x4")]:
            comma = ", " if text else " "
            line = f"  %r = stablehlo.dot_general %arg0, %arg1{comma}{text} : ({tensor(a)}, {tensor(b)}) -> {tensor(r)}"
            yield Program(full, function([tensor(a), tensor(b)], line, [tensor(r)]))
    for spelling in [
        "#stablehlo.dot<rhs_contracting_dimensions = [0], lhs_contracting_dimensions = [1]>",
        "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0],>",
        "#stablehlo.dot<lhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1]>",
        "#stablehlo.dot<>", "#stablehlo.dot<foo = [1]>", "#stablehlo.dot", "1 : i64", None,
    ]:  # fmt: skip
        attrs = {"dot_dimension_numbers": spelling}
        yield Program(full, op(full, [tensor("2x3"), tensor("3x4")], [tensor("2x4")], attrs))
    bounded = BOUNDED.format("f32")
    for r in ["tensor<?x4xf32, #stablehlo.bounds<4, ?>>", tensor("?x4")]:
        yield Program(full, op(full, [bounded, tensor("3x4")], [r], plain))


def _dot_algorithms() -> Iterator[Program]:
    full = "stablehlo.dot_general"
    base = {"lhs_precision_type": "tf32", "rhs_precision_type": "tf32", "accumulation_type": "f32",
        "lhs_component_count": "1",
            "rhs_component_count": "1", "num_primitive_operations": "1", "allow_imprecise_accumulation": "false"}  # fmt: skip
    kinds = ["f32", "bf16", "f16", "tf32", "f64", "i32", "f8E5M2", "f8E4M3FN", "i8"]
    for members in one_at_a_time(
        base,
        lhs_precision_type=kinds,
        accumulation_type=kinds,
        lhs_component_count=["0", "1", "3", "-1"],
        num_primitive_operations=["0", "1", "3", "6", "9", "-1"],
        allow_imprecise_accumulation=["true"],
    ):
        members = {**members, "rhs_precision_type": members["lhs_precision_type"],
            "rhs_component_count": members["lhs_component_count"]}
        text = ", ".join(f"{k} = {v}" for k, v in members.items())
        attrs = {"dot_dimension_numbers": dot_numbers(("", ""), ("1", "0")), "algorithm": f"#stablehlo.dot_algorithm<{text}>"}
        for precision in (None, PRECISIONS[3], PRECISIONS[4]):
            yield Program(full, op(full, [tensor("2x3"), tensor("3x4")], [tensor("2x4")], {**attrs, "precision_config": precision}))
    for kind, count, operations in [("bf16", 3, 6), ("bf16", 3, 9), ("bf16", 2, 3), ("bf16", 1, 3), ("tf32", 3, 3),
            ("tf32", 1, 3), ("f16", 1, 1)]:
        text = ", ".join(f"{k} = {v}" for k, v in {**base, "lhs_precision_type": kind, "rhs_precision_type": kind,
            "lhs_component_count": count,
                                                    "rhs_component_count": count, "num_primitive_operations": operations}.items())  # fmt: skip
        attrs = {"dot_dimension_numbers": dot_numbers(("", ""), ("1", "0")), "algorithm": f"#stablehlo.dot_algorithm<{text}>"}
        yield Program(full, op(full, [tensor("2x3"), tensor("3x4")], [tensor("2x4")], attrs))


def _einsum() -> Iterator[Program]:
    for config in ['"ab,bc->ac"', '"ab,cb->ac"', '""', '"ab->ba"', None, "1 : i64", '"a\\"b"']:
        for r in ["2x4", "?x?", "*"]:
            attrs = {"einsum_config": config}
            yield Program("stablehlo.einsum", op("stablehlo.einsum", [tensor("2x3"), tensor("3x4")], [tensor(r)], attrs))
            yield Program("stablehlo.unary_einsum", op("stablehlo.unary_einsum", [tensor("2x3")], [tensor(r)], attrs))
    for dtype in DTYPES:
        attrs = {"einsum_config": '"ab,bc->ac"'}
        kinds = [tensor("2x3", dtype), tensor("3x4", dtype)]
        yield Program("stablehlo.einsum", op("stablehlo.einsum", kinds, [tensor("2x4", dtype)], attrs))
        attrs = {"einsum_config": '"ab->a"'}
        yield Program("stablehlo.unary_einsum", op("stablehlo.unary_einsum", kinds[:1], [tensor("2", dtype)], attrs))


def _fft() -> Iterator[Program]:
    full = "stablehlo.fft"
    kinds = [("FFT", "complex<f32>", "complex<f32>"), ("IFFT", "complex<f64>", "complex<f64>"),
        ("RFFT", "f32", "complex<f32>"),
             ("IRFFT", "complex<f32>", "f32"), ("RFFT", "f64", "complex<f64>"), ("FFT", "f32", "complex<f32>"),
             ("RFFT", "complex<f32>", "f32"),
             ("RFFT", "i32", "complex<f32>"), ("RFFT", "f32", "complex<f64>"), ("BAD", "f32", "f32")]  # fmt: skip
    shapes = [("2x9", "2x9"), ("2x9", "2x5"), ("2x5", "2x9"), ("2x5", "2x8"), ("?x9", "?x9"), ("2x?", "2x?"), ("", ""),
        ("0", "0"), ("0", "1"), ("*", "*"), ("2x9", "2x9x1"),
              ("9x9x9x9", "9x9x9x9"), ("9x9x9", "9x9x5")]  # fmt: skip
    lengths = [array(9), array(8), array(5), array(2, 9), array(9, 9), array(9, 9, 9), array(9, 9, 9, 9), array(0),
        array(-1), "array<i64>", "dense<9> : tensor<1xi64>", None]
    for kind, a, r in kinds:
        for source, target in shapes:
            for length in lengths:
                attrs = {"fft_type": f"#stablehlo<fft_type {kind}>", "fft_length": length}
                yield Program(full, op(full, [tensor(source, a)], [tensor(target, r)], attrs))
        line = f"  %r = stablehlo.fft %arg0, type = {kind}, length = [9] : ({tensor('9', a)}) -> {tensor('9', r)}"
        yield Program(full, function([tensor("9", a)], line, [tensor("9", r)]))


def _linear_algebra() -> Iterator[Program]:
    full = "stablehlo.cholesky"
    for dtype in DTYPES:
        yield Program(full, op(full, [tensor("3x3", dtype)], [tensor("3x3", dtype)], {"lower": "true"}))
    for lower in [None, "true", "false", "unit", "1 : i32"]:
        for a in ["3x3", "2x3", "5x3x3", "3", "", "?x?", "?x3", "*", "0x0", "2x?x3"]:
            for r in {a, "3x3"}:
                yield Program(full, op(full, [tensor(a)], [tensor(r)], {"lower": lower}))
    for text in ["lower = true", "lower = false", "", "lower = 1", "lower = true {x = 1 : i8}"]:
        comma = "," if text else ""
        line = f"  %r = stablehlo.cholesky %arg0{comma} {text} : {tensor('3x3')}"
        yield Program(full, function([tensor("3x3")], line, [tensor("3x3")]))
    full = "stablehlo.triangular_solve"
    base = {"left_side": "true", "lower": "true", "unit_diagonal": "false",
        "transpose_a": "#stablehlo<transpose NO_TRANSPOSE>"}
    for dtype in DTYPES:
        kind = tensor("3x3", dtype)
        yield Program(full, op(full, [kind, kind], [kind], base))
    transposes = ["#stablehlo<transpose TRANSPOSE>", "#stablehlo<transpose ADJOINT>",
        "#stablehlo<transpose TRANSPOSE_INVALID>", "#stablehlo<transpose X>", None]
    flags = ["true", "false", None, "1 : i64"]
    for attrs in one_at_a_time(base, left_side=flags, lower=flags, unit_diagonal=flags, transpose_a=transposes):
        for a, b in [("3x3", "3x2"), ("3x3", "2x3"), ("5x3x3", "5x3x2"), ("5x3x3", "3x2"), ("3x4", "3x2"), ("3", "3"),
                ("?x?", "?x2"), ("*", "*"), ("3x3", "*"), ("0x0", "0x2"), ("2x3x3", "5x3x2")]:
            for r in {b, "3x2"}:
                yield Program(full, op(full, [tensor(a), tensor(b)], [tensor(r)], attrs))
    yield Program(full, op(full, [tensor("3x3"), tensor("3x2", "f64")], [tensor("3x2")], base))


def _batch_norm() -> Iterator[Program]:
    base = {"epsilon": "1.000000e-03 : f32", "feature_index": "3 : i64"}
    forms = {
        "batch_norm_training": (["X", "C", "C"], ["X", "C", "C"]),
        "batch_norm_inference": (["X", "C", "C", "C", "C"], ["X"]),
        "batch_norm_grad": (["X", "C", "C", "C", "X"], ["X", "C", "C"]),
    }
    for name, (operands, results) in forms.items():
        full = f"stablehlo.{name}"

        def build(x: str, c: str, dtype: str, attrs: dict[str, str | None], other: str = "") -> Program:
            def kind(slot: str, last: bool = False) -> str:
                return tensor(x if slot == "X" else c, other if other and last else dtype)

            ins = [kind(slot, i == 1) for i, slot in enumerate(operands)]
            return Program(full, op(full, ins, [kind(slot) for slot in results], attrs))

        for dtype in [*DTYPES, *QUANTIZED[:1]]:
            yield build("2x3x4x5", "5", dtype, base)
        for attrs in one_at_a_time(base, epsilon=["0.0 : f32", "-1.0 : f32", "1.0 : f64", None, "1 : i32"], feature_index=I64):
            for x, c in [("2x3x4x5", "5"), ("2x3", "3"), ("2x3x4x5", "4"), ("?x?x?x?", "?"), ("?x?x?x5", "5"), ("*", "*"),
                    ("2x3x4x0", "0"), ("5", "5"), ("2x3x4x5", "1x5"), ("2x3x4x5", "?"), ("", "")]:
                yield build(x, c, "f32", attrs)
        yield build("2x3x4x5", "5", "f32", base, "f64")
        yield Program(full, op(full, [tensor("2x3x4x5")], [tensor("2x3x4x5")], base))


def _rng() -> Iterator[Program]:
    full = "stablehlo.rng"
    for kind in ["UNIFORM", "NORMAL", "BAD"]:
        attrs = {"rng_distribution": f"#stablehlo<rng_distribution {kind}>"}
        for dtype in [*DTYPES, "index"]:
            kinds = [tensor("", dtype), tensor("", dtype), tensor("2", "i64")]
            yield Program(full, op(full, kinds, [tensor("2x3", dtype)], attrs))
        for shape in [tensor("2", "i64"), tensor("1", "i64"), tensor("?", "i64"), tensor("2", "i32"), tensor("2", "index"),
                tensor("2", "f32"), tensor("2x1", "i64"), tensor("0", "i64")]:
            for r in ["2x3", "?x?", "2", "", "*", "0x3"]:
                yield Program(full, op(full, [tensor(""), tensor(""), shape], [tensor(r)], attrs))
        for a, b, r in [("1", "", "2x3"), ("", "1", "2x3")]:
            yield Program(full, op(full, [tensor(a), tensor(b), tensor("2", "i64")], [tensor(r)], attrs))
        line = f"  %r = stablehlo.rng %arg0, %arg1, %arg2, distribution = {kind} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>"
        yield Program(full, function([tensor(""), tensor(""), tensor("2", "i64")], line, [tensor("2x3")]))
    constant = "  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
    for r in ["2x3", "?x?", "3x2", "2x4"]:
        line = f"  %r = stablehlo.rng %arg0, %arg1, %c, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> {tensor(r)}"
        yield Program(full, function([tensor(""), tensor("")], constant + line, [tensor(r)]))
    full = "stablehlo.rng_bit_generator"
    for kind in ["DEFAULT", "PHILOX", "THREE_FRY", "BAD"]:
        attrs = {"rng_algorithm": f"#stablehlo<rng_algorithm {kind}>"}
        for state in ["1", "2", "3", "4", "?", "*", "", "2x1"]:
            for dtype in ["ui64", "ui32", "i64", "f32"]:
                yield Program(full, op(full, [tensor(state, dtype)], [tensor(state, dtype), tensor("2x3", "ui32")], attrs))
        for dtype in DTYPES:
            yield Program(full, op(full, [tensor("2", "ui64")], [tensor("2", "ui64"), tensor("2x3", dtype)], attrs))
        for r in ["", "0", "?", "*"]:
            yield Program(full, op(full, [tensor("2", "ui64")], [tensor("2", "ui64"), tensor(r, "ui32")], attrs))
        yield Program(full, op(full, [tensor("2", "ui64")], [tensor("3", "ui64"), tensor("2", "ui32")], attrs))
        line = f"  %r:2 = stablehlo.rng_bit_generator %arg0, algorithm = {kind} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)"
        yield Program(full, function([tensor("2", "ui64")], line, [tensor("2", "ui64"), tensor("2", "ui32")]))


def _reduce() -> Iterator[Program]:
    full = "stablehlo.reduce"
    dims = {"dimensions": array(1)}
    for dtype in [*DTYPES, *QUANTIZED[:2]]:
        kinds = [tensor("2x3", dtype), tensor("", dtype)]
        for name in ("add", "maximum", "and", "multiply"):
            yield Program(full, op(full, kinds, [tensor("2", dtype)], dims, [binary_region(dtype, f"stablehlo.{name}")]))
    for dimensions in LISTS:
        for a, r in [("2x3", "2"), ("2x3", "3"), ("2x3", ""), ("?x3", "?"), ("2x3", "2x3"), ("*", "*"), ("0x3", "3"), ("", ""),
                ("2x3", "?"), ("?x?", ""), ("2", "")]:
            yield Program(full, op(full, [tensor(a), tensor("")], [tensor(r)], {"dimensions": dimensions}, [binary_region("f32")]))
    base = [tensor("2x3"), tensor("")]
    for body in reduction_bodies("f32"):
        yield Program(full, op(full, base, [tensor("2")], dims, [body]))
    for init in ["1", "?", "*", "2x3"]:
        yield Program(full, op(full, [tensor("2x3"), tensor(init)], [tensor("2")], dims, [binary_region("f32")]))
    for wide in ("f64", "bf16", "i32"):
        body = binary_region(wide)
        for init in ("f32", wide):
            for result in ("f32", wide):
                yield Program(full, op(full, [tensor("2x3"), tensor("", init)], [tensor("2", result)], dims, [body]))
    for a, b in [("i4", "i32"), ("i8", "i32"), ("f8E5M2", "f32"), ("i32", "i8"), ("bf16", "f32")]:
        yield Program(full, op(full, [tensor("2x3", a), tensor("", b)], [tensor("2", b)], dims, [binary_region(b)]))
        yield Program(full, op(full, [tensor("2x3", a), tensor("", a)], [tensor("2", b)], dims, [binary_region(b)]))
    two = [tensor("2x3"), tensor("2x3", "i32"), tensor(""), tensor("", "i32")]
    scalars = [tensor(""), tensor("", "i32"), tensor(""), tensor("", "i32")]
    body = region(scalars, "", "%a, %d", f"{scalars[0]}, {scalars[1]}")
    for results in ([tensor("2"), tensor("2", "i32")], [tensor("2")], [tensor("2"), tensor("3", "i32")],
            [tensor("2", "i32"), tensor("2")]):
        yield Program(full, op(full, two, results, dims, [body]))
    yield Program(full, op(full, [*two[:1], tensor("2x?", "i32"), *two[2:]], [tensor("2"), tensor("2", "i32")], dims,
        [body]))
    yield Program(full, op(full, [*two[:1], tensor("3x3", "i32"), *two[2:]], [tensor("2"), tensor("2", "i32")], dims,
        [body]))
    yield Program(full, op(full, two[:3], [tensor("2")], dims, [body]))
    yield Program(full, op(full, [], [], dims, [region([], "", "", "")]))
    outside = function([tensor("2x3"), tensor(""), tensor("")],
        '  %r = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 1>}> ({\n'
        "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %y = stablehlo.add %a, %b : tensor<f32>\n    %z = stablehlo.add %y, %arg2 : tensor<f32>\n"
        "    stablehlo.return %z : tensor<f32>\n  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
        [tensor("2")])  # fmt: skip
    yield Program(full, outside)


def _reduce_text() -> Iterator[Program]:
    """Spellings of the custom form, and bodies that must not be shortened."""
    full = "stablehlo.reduce"
    kinds = f"({tensor('2x3')}, {tensor('')}) -> {tensor('2')}"
    for text in [
        f"(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : {kinds}",
        f"(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] {{foo = 1 : i8}} : {kinds}",
        f"(%arg0 init: %arg1) applies stablehlo.abs across dimensions = [1] : {kinds}",
        f"(%arg0 init: %arg1) applies stablehlo.nothing across dimensions = [1] : {kinds}",
        f"(%arg0 init: %arg1) applies func.call across dimensions = [1] : {kinds}",
        f"(%arg0 init: %arg1) applies stablehlo.compare across dimensions = [1] : {kinds}",
        f"(%arg0 init: %arg1) applies stablehlo.add across dimensions = [] : {kinds}",
        f"(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1, 1] : {kinds}",
        f"(%arg0 init: %arg1) applies add across dimensions = [1] : {kinds}",
        f"(%arg0 init: %arg1) across dimensions = [1] : {kinds}\n   reducer(%a: tensor<f32>, %b: tensor<f32>) {{\n"
        "    %z = stablehlo.add %b, %a : tensor<f32>\n    stablehlo.return %z : tensor<f32>\n  }",
        f"(%arg0 init: %arg1) across dimensions = [1] : {kinds}\n   reducer(%a: tensor<f32>, %b: tensor<f32>) {{\n"
        "    %z = stablehlo.add %a, %a : tensor<f32>\n    stablehlo.return %z : tensor<f32>\n  }",
        f"(%arg0 init: %arg1) across dimensions = [1] : {kinds}\n   reducer(%a: tensor<f32>, %b: tensor<f32>) {{\n"
        "    %z = stablehlo.add %a, %b {foo = 1 : i8} : tensor<f32>\n    stablehlo.return %z : tensor<f32>\n  }",
        f"(%arg0 init: %arg1) across dimensions = [1] : {kinds}\n   reducer(%a: tensor<f32>, %b: tensor<f32>) {{\n"
        "    %z = stablehlo.add %a, %b : tensor<f32> loc(\"x\")\n    stablehlo.return %z : tensor<f32>\n  }",
        f"(%arg0 init: %arg1) across dimensions = [1] : {kinds}\n   reducer(%a: tensor<f32>) {{\n    stablehlo.return %a : tensor<f32>\n  }}",
        f"(%arg0 init: %arg1) across dimensions = [1] : {kinds}",
        f"(%arg0, %arg1) applies stablehlo.add across dimensions = [1] : {kinds}",
    ]:  # fmt: skip
        yield Program(full, function([tensor("2x3"), tensor("")], f"  %r = stablehlo.reduce{text}", [tensor("2")]))
    for name in ["add", "and", "or", "minimum", "multiply", "xor", "subtract", "divide", "atan2", "power", "shift_left",
            "complex", "compare", "remainder"]:
        for dtype in ("i1", "i32", "f32"):
            body = binary_region(dtype, f"stablehlo.{name}")
            yield Program(full, op(full, [tensor("2x3", dtype), tensor("", dtype)], [tensor("2", dtype)], {"dimensions": array(1)},
                [body]))
            line = f"  %r = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.{name} across dimensions = [1] : ({tensor('2x3', dtype)}, {tensor('', dtype)}) -> {tensor('2', dtype)}"
            yield Program(full, function([tensor("2x3", dtype), tensor("", dtype)], line, [tensor("2", dtype)]))


def _reduce_window() -> Iterator[Program]:
    full = "stablehlo.reduce_window"
    base = {"window_dimensions": array(2, 2), "window_strides": array(2, 2)}
    add = [binary_region("f32")]
    for dtype in [*DTYPES, *QUANTIZED[:2]]:
        yield Program(full, op(full, [tensor("4x4", dtype), tensor("", dtype)], [tensor("2x2", dtype)], base,
            [binary_region(dtype)]))
    lists = [None, array(1, 1), array(2, 2), array(0, 1), array(-1, 1), array(1), array(1, 2, 1), array(5, 5), array(3, 1),
        "dense<1> : tensor<2xi64>"]
    paddings = [None, "dense<0> : tensor<2x2xi64>", "dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>", "dense<1> : tensor<2xi64>",
        "dense<-1> : tensor<2x2xi64>", "dense<1> : tensor<2x2xi32>",
                "dense<-9> : tensor<2x2xi64>", "dense<0> : tensor<1x2xi64>", "dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi64>",
                "dense<0> : tensor<2x1xi64>"]  # fmt: skip
    for attrs in one_at_a_time(base, window_dimensions=lists, window_strides=lists, base_dilations=lists,
            window_dilations=lists, padding=paddings):
        for a, r in [("4x4", "2x2"), ("4x4", "3x3"), ("?x4", "?x2"), ("4x4", "?x?"), ("*", "*"), ("0x4", "0x2"), ("4x4", "1x1"),
                ("4", "2"), ("4x4", "0x0"), ("4x4", "4x4")]:
            yield Program(full, op(full, [tensor(a), tensor("")], [tensor(r)], attrs, add))
    for body in reduction_bodies("f32"):
        yield Program(full, op(full, [tensor("4x4"), tensor("")], [tensor("2x2")], base, [body]))
    two = [tensor("4x4"), tensor("4x4", "i32"), tensor(""), tensor("", "i32")]
    scalars = [tensor(""), tensor("", "i32"), tensor(""), tensor("", "i32")]
    body = region(scalars, "", "%a, %d", f"{scalars[0]}, {scalars[1]}")
    yield Program(full, op(full, two, [tensor("2x2"), tensor("2x2", "i32")], base, [body]))
    yield Program(full, op(full, two[:3], [tensor("2x2"), tensor("2x2", "i32")], base, [body]))
    scalar = {"window_dimensions": "array<i64>"}
    yield Program(full, op(full, [tensor(""), tensor("")], [tensor("")], scalar, add))
    for wide in ("f64", "bf16"):
        yield Program(full, op(full, [tensor("4x4"), tensor("")], [tensor("2x2", wide)], base, [binary_region(wide)]))


def _select_and_scatter() -> Iterator[Program]:
    full = "stablehlo.select_and_scatter"
    base = {"window_dimensions": array(2, 2), "window_strides": array(2, 2)}

    def regions(dtype: str) -> list[str]:
        scalar = tensor("", dtype)
        body = f"%z = stablehlo.compare GE, %a, %b : ({scalar}, {scalar}) -> tensor<i1>"
        return [region([scalar, scalar], body, "%z", "tensor<i1>"), binary_region(dtype)]

    def program(a: str, s: str, r: str, dtype: str, attrs: dict[str, str | None], bodies: list[str]) -> Program:
        kinds = [tensor(a, dtype), tensor(s, dtype), tensor("", dtype)]
        return Program(full, op(full, kinds, [tensor(r, dtype)], attrs, bodies))

    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield program("4x4", "2x2", "4x4", dtype, base, regions(dtype))
    lists = [None, array(1, 1), array(2, 2), array(0, 1), array(-1, 1), array(1), array(3, 3)]
    paddings = [None, "dense<0> : tensor<2x2xi64>", "dense<1> : tensor<2x2xi64>", "dense<1> : tensor<2xi64>",
        "dense<0> : tensor<1x2xi64>"]
    for attrs in one_at_a_time(base, window_dimensions=lists, window_strides=lists, padding=paddings):
        for a, s, r in [("4x4", "2x2", "4x4"), ("4x4", "3x3", "4x4"), ("?x4", "?x2", "?x4"), ("*", "*", "*"),
                ("4x4", "2x2", "2x2"), ("4x4", "2", "4x4"), ("0x4", "0x2", "0x4")]:
            yield program(a, s, r, "f32", attrs, regions("f32"))
    good = regions("f32")
    for body in reduction_bodies("f32"):
        yield program("4x4", "2x2", "4x4", "f32", base, [good[0], body])
        yield program("4x4", "2x2", "4x4", "f32", base, [body, good[1]])
    yield program("4x4", "2x2", "4x4", "f32", base, good[:1])


def _sort() -> Iterator[Program]:
    full = "stablehlo.sort"
    base = {"dimension": "1 : i64", "is_stable": "true"}

    def comparator(dtypes: list[str], end: str = "tensor<i1>") -> str:
        scalars = [tensor("", dtype) for dtype in dtypes for _ in range(2)]
        body = f"%z = stablehlo.compare LT, %a, %b : ({scalars[0]}, {scalars[1]}) -> {end}"
        return region(scalars, body, "%z", end)

    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x3", dtype)], [tensor("2x3", dtype)], base, [comparator([dtype])]))
    for attrs in one_at_a_time(base, dimension=I64, is_stable=["false", None, "1 : i32"]):
        for a, b in [("2x3", "2x3"), ("?x3", "?x3"), ("*", "*"), ("", ""), ("0x3", "0x3"), ("2x3", "3x2"), ("2x3", "2x?"),
                ("3", "3")]:
            yield Program(full, op(full, [tensor(a)], [tensor(b)], attrs, [comparator(["f32"])]))
            kinds = [tensor(a), tensor(b, "i32")]
            yield Program(full, op(full, kinds, kinds, attrs, [comparator(["f32", "i32"])]))
    for body in reduction_bodies("f32"):
        yield Program(full, op(full, [tensor("2x3")], [tensor("2x3")], base, [body]))
    kinds = [tensor("2x3"), tensor("2x3", "i32"), tensor("2x3", "ui8")]
    yield Program(full, op(full, kinds, kinds, base, [comparator(["f32", "i32", "ui8"])]))
    yield Program(full, op(full, kinds, kinds, base, [comparator(["f32", "i32"])]))
    yield Program(full, op(full, kinds, kinds[:2], base, [comparator(["f32", "i32", "ui8"])]))
    yield Program(full, op(full, [], [], base, [comparator(["f32"])]))


def _map() -> Iterator[Program]:
    full = "stablehlo.map"
    for dtype in [*DTYPES, QUANTIZED[0]]:
        kind = tensor("2x3", dtype)
        yield Program(full, op(full, [kind, kind], [kind], {"dimensions": array(0, 1)}, [binary_region(dtype)]))
    for dimensions in LISTS:
        for a, b in [("2x3", "2x3"), ("2x3", "2x?"), ("?x?", "?x?"), ("*", "*"), ("2", "2"), ("2x3", "3x2"), ("0x3", "0x3"),
                ("", "")]:
            yield Program(full, op(full, [tensor(a)] * 2, [tensor(b)], {"dimensions": dimensions}, [binary_region("f32")]))
    for body in reduction_bodies("f32"):
        for result in ("f32", "i1"):
            yield Program(full, op(full, [tensor("2x3")] * 2, [tensor("2x3", result)], {"dimensions": array(0, 1)}, [body]))
    one = region([tensor("")], f"%z = stablehlo.abs %a : {tensor('')}", "%z", tensor(""))
    yield Program(full, op(full, [tensor("2x3")], [tensor("2x3")], {"dimensions": array(0, 1)}, [one]))
    yield Program(full, op(full, [], [tensor("2x3")], {"dimensions": array(0, 1)}, [one]))
    for dtype in FLOATS[:3]:
        body = region([tensor("")], f"%z = stablehlo.convert %a : (tensor<f32>) -> {tensor('', dtype)}", "%z",
            tensor("", dtype))
        yield Program(full, op(full, [tensor("2")], [tensor("2", dtype)], {"dimensions": array(0)}, [body]))
