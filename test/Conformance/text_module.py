"""Candidates for what is around the ops: attributes, types, functions, modules."""

from __future__ import annotations

from typing import Iterator

from program import DTYPES, QUANTIZED, Program, function, tensor

ENUMS = {
    "precision": ["DEFAULT", "HIGH", "HIGHEST"],
    "comparison_direction": ["EQ", "NE", "GE", "GT", "LE", "LT"],
    "comparison_type": ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"],
    "fft_type": ["FFT", "IFFT", "RFFT", "IRFFT"],
    "transpose": ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"],
    "rng_distribution": ["UNIFORM", "NORMAL"],
    "rng_algorithm": ["DEFAULT", "THREE_FRY", "PHILOX"],
    "custom_call_api_version": ["API_VERSION_UNSPECIFIED", "API_VERSION_TYPED_FFI"],
    "result_accuracy_mode": ["DEFAULT", "HIGHEST", "TOLERANCE"],
}
DOT = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0, 1]"
GATHER = (
    "offset_dims = [1], collapsed_slice_dims = [0, 2], operand_batching_dims = [3], start_indices_batching_dims = [4], start_index_map = [0, 1], index_vector_dim = 1"
)
SCATTER = (
    "update_window_dims = [1], inserted_window_dims = [0, 2], input_batching_dims = [3], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"
)
STRUCTS = {
    "dot": [DOT, "", "lhs_contracting_dimensions = []", "rhs_contracting_dimensions = [-1]"],
    "gather": [GATHER, "", "index_vector_dim = 0", "index_vector_dim = -5", "offset_dims = []"],
    "scatter": [SCATTER, "", "index_vector_dim = 0", "update_window_dims = []"],
    "conv": ["[b, f]x[i, o]->[b, f]", "[b, 0, f]x[0, i, o]->[b, 0, f]", "[b, ?, 0, f]x[0, ?, i, o]->[b, ?, 0, f]",
    "[?]x[?]->[?]", "[b, 1, 0, f]x[1, 0, i, o]->[f, b, 0, 1]"],
    "channel_handle": ["handle = 1, type = 2", "handle = -1, type = -1", "handle = 1", "type = 1, handle = 1"],
    "output_operand_alias": [
        "output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []",
        "output_tuple_indices = [1, 2], operand_index = 3, operand_tuple_indices = [0]", "operand_index = 0",
    ],
    "dot_algorithm": [
        "lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false",
        "lhs_precision_type = i8, rhs_precision_type = f8E4M3FN, accumulation_type = i32, lhs_component_count = 0, rhs_component_count = -1, num_primitive_operations = 9, allow_imprecise_accumulation = true",
    ],
    "bounds": ["", "4", "4, ?", "?, ?, 7", "-1", "0", "4,", "9223372036854775807"],
    "type_extensions": ["bounds = [4, ?]", "bounds = []", ""],
    "result_accuracy": [
        "mode = #stablehlo.result_accuracy_mode<DEFAULT>",
        "atol = 1.000000e-05, rtol = 1.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>",
        "ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>",
        "rtol = 2.5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>", "mode = HIGHEST", "",
    ],
    "axis_ref": ['name = "x"', 'name = "x", sub_axis_info = (1)2', '"x"', ""],
    "mesh_axis": ['name = "x", size = 2', ""],
    "sub_axis_info": ["pre_size = 1, size = 2", "(1)2", ""],
    "replica_group_mesh_axes": ['mesh_name = @mesh, axes = [#stablehlo.axis_ref<name = "x">]',
    "mesh_name = @mesh, axes = []", ""],
}  # fmt: skip


def programs() -> Iterator[Program]:
    """All candidates of this file."""
    for generate in (_attributes, _types, _functions, _modules, _returns, _bool_constants, _lexical):
        yield from generate()


def _attribute(text: str) -> Program:
    return Program("attributes", f"module attributes {{test.attr = {text}}} {{\n}}")


def _attributes() -> Iterator[Program]:
    for dialect in ("stablehlo", "chlo"):
        for name, values in ENUMS.items():
            for value in [*values, "WRONG", values[0].lower(), f'"{values[0]}"', "0", ""]:
                yield _attribute(f"#{dialect}<{name} {value}>")
                yield _attribute(f"#{dialect}.{name}<{value}>")
                yield _attribute(f"#{dialect}<{name}<{value}>>")
        for name, bodies in STRUCTS.items():
            for body in bodies:
                yield _attribute(f"#{dialect}.{name}<{body}>")
                yield _attribute(f"#{dialect}<{name}<{body}>>")
                yield _attribute(f"#{dialect}.{name}<{body},>")
            yield _attribute(f"#{dialect}.{name}")
        yield _attribute(f"#{dialect}.nothing<1>")
        yield _attribute(f"#{dialect}")
    for parts in (DOT, GATHER, SCATTER):
        kind = "dot" if parts is DOT else "gather" if parts is GATHER else "scatter"
        items = parts.split(", ")
        # A list with a comma inside was split: join it again.
        joined: list[str] = []
        for item in items:
            if joined and joined[-1].count("[") != joined[-1].count("]"):
                joined[-1] += f", {item}"
            else:
                joined.append(item)
        for i in range(len(joined)):
            rotated = joined[i:] + joined[:i]
            yield _attribute(f"#stablehlo.{kind}<{', '.join(rotated)}>")
            yield _attribute(f"#stablehlo.{kind}<{', '.join(joined[:i] + joined[i + 1 :])}>")
            yield _attribute(f"#stablehlo.{kind}<{', '.join([*joined, joined[i]])}>")


def _types() -> Iterator[Program]:
    kinds = [
        "!stablehlo.token", "!stablehlo<token>", "!stablehlo.future<tensor<f32>>",
        "!stablehlo.future<tensor<f32>, !stablehlo.token>", "!stablehlo.future<>", "!stablehlo.future",
        "!stablehlo.nothing", "!chlo.token",
        "tuple<>", "tuple<tensor<f32>>", "tuple<tuple<tensor<2xi1>>, !stablehlo.token>", "tensor<?xf32, #stablehlo.bounds<3>>",
        "tensor<?x?xf32, #stablehlo.bounds<3, ?>>", "tensor<2xf32, #stablehlo.bounds<3>>",
        "tensor<?xf32, #stablehlo.bounds<?>>", "tensor<?xf32, #stablehlo.bounds<3, 4>>",
        "tensor<?xf32, #stablehlo.type_extensions<bounds = [3]>>", "tensor<f32, #stablehlo.bounds<>>",
        "tensor<2xf32, 1 : i64>", "tensor<2xf32, \"x\">",
        "tensor<*xf32>", "tensor<0x0xi1>", "tensor<2x!stablehlo.token>", "tensor<2xtuple<>>", "tensor<2xvector<3xf32>>",
        "vector<4xf32>", "memref<2xf32>", "complex<f32>", "i1", "ui8", "si8", "index", "none", "tensor<2xindex>",
        "tensor<18446744073709551616xf32>", "tensor<-1xf32>", "tensor<9223372036854775807xf32>", "tensor<2 x 3 x f32>",
        "tensor<2x3f32>", "tensor<>", "tensor<x3xf32>", "tensor<0x3xf32>", "tensor<0xf32>",
    ]  # fmt: skip
    for kind in [*kinds, *(tensor("2", dtype) for dtype in DTYPES), *(tensor("2x3", dtype) for dtype in QUANTIZED)]:
        yield Program("types", function([kind], "", [kind], "%arg0"))
        yield Program("types", f"func.func private @f({kind}) -> {kind}")
        yield Program("types", f"module attributes {{test.type = {kind}}} {{\n}}")


def _functions() -> Iterator[Program]:
    body = "{\n  return %a : tensor<2xf32>\n}"
    for visibility in ("", "public ", "private ", "nested ", "hidden "):
        yield Program("functions", f"func.func {visibility}@f(%a: tensor<2xf32>) -> tensor<2xf32> {body}")
        yield Program("functions", f"func.func {visibility}@f(tensor<2xf32>) -> tensor<2xf32>")
    for attrs in [
        "{tf.aliasing_output = 0 : i32}", "{jax.buffer_donor = true}", '{mhlo.sharding = "{replicated}"}',
        '{mhlo.layout_mode = "default"}', "{jax.arg_info = \"x\"}", "{stablehlo.foo = 1 : i64}",
        "{mhlo.is_same_data_across_replicas = true}",
        '{mhlo.memory_kind = "device", foo = unit}', "{nodialect = 1}", "{tf.aliasing_output = 7 : i32}", "{chlo.x}",
        "{sdy.sharding = 1 : i32}",
    ]:  # fmt: skip
        yield Program("functions", f"func.func @f(%a: tensor<2xf32> {attrs}) -> (tensor<2xf32> {attrs}) {body}")
        yield Program("functions", f"func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> attributes {attrs} {body}")
    for name in ["f", '"a b"', "main", "f.1", '""', "0", "f$-x", '"\\22"']:
        yield Program("functions", f"func.func @{name}(%a: tensor<2xf32>) -> tensor<2xf32> {body}")
    for call in ["call @g(%a)", "func.call @g(%a)", "call @missing(%a)", "call @g(%a, %a)", "func.call @f(%a)"]:
        text = f"func.func private @g(tensor<2xf32>) -> tensor<2xf32>\nfunc.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {{\n  %0 = {call} : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}}"
        yield Program("functions", text)
        yield Program("functions", text.replace(") : (", ") {mhlo.x = 1 : i8} : ("))
    two = "func.func @f() {\n  return\n}\n"
    yield Program("functions", two + two)
    yield Program("functions", two + two.replace("@f", "@g"))
    yield Program("functions", "func.func @f() -> tensor<2xf32> {\n  return\n}")
    yield Program("functions", "func.func @f() {\n}")
    yield Program("functions", "func.func @f(%a: tensor<2xf32>) {\n  %0 = stablehlo.abs %b : tensor<2xf32>\n  return\n}")
    yield Program("functions",
        "func.func @f(%a: tensor<2xf32>) {\n  %0 = stablehlo.abs %1 : tensor<2xf32>\n  %1 = stablehlo.abs %0 : tensor<2xf32>\n  return\n}")
    yield Program("functions", "func.func @f(%a: tensor<i1>) {\n  cf.cond_br %a, ^a, ^b\n^a:\n  return\n^b:\n  return\n}")
    yield Program("functions", "func.func @f(%a: tensor<f32>) {\n  cf.br ^a\n^a:\n  return\n}")
    for name in ("arith.constant 1 : i32", "tensor.empty() : tensor<2xf32>", "shape.const_shape [1, 2] : tensor<2xindex>"):
        yield Program("functions", f"func.func @f() {{\n  %0 = {name}\n  return\n}}")


def _modules() -> Iterator[Program]:
    inner = "func.func @f() {\n    return\n  }"
    for head in ["module", "module @m", 'module @"a b"', "module attributes {}",
        "module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32}",
        "module @m attributes {jax.uses_shape_polymorphism = true}",
                 "module attributes {mhlo.cross_program_prefetches = [], mhlo.use_auto_spmd_partitioning = false}",
                 "module attributes {stablehlo.x = #stablehlo<precision HIGH>}", "builtin.module @m",
                 "module attributes {x}",
                 'module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{}"}}']:  # fmt: skip
        yield Program("modules", f"{head} {{\n  {inner}\n}}")
        yield Program("modules", f"{head} {{\n  module @inner {{\n  {inner}\n  }}\n}}")
    yield Program("modules", "")
    yield Program("modules", "// only a comment\n")
    yield Program("modules", "module {\n}\nmodule {\n}")
    aliases = '#x = #stablehlo<precision HIGH>\n!t = tensor<2xf32>\nfunc.func @f(%a: !t) -> !t attributes {p = #x} {\n  return %a : !t\n}'
    yield Program("modules", aliases)
    yield Program("modules", aliases.replace("#x =", "#stablehlo ="))
    yield Program("modules", '#loc1 = loc("f.py":1:2)\nfunc.func @f() {\n  return loc(#loc1)\n} loc(#loc1)')
    for place in ['"x"', '"f.py":1:2', 'callsite("x" at "y")', 'fused["x", "y"]', 'fused<"k">["x"]', "unknown",
            '"jit(f)/jvp(g)/dot"("f.py":1:2 to 3:4)', '"f.py":1:2 to :4', "bad"]:
        yield Program("modules",
            f"func.func @f(%a: tensor<2xf32> loc({place})) {{\n  %0 = stablehlo.abs %a : tensor<2xf32> loc({place})\n  return loc({place})\n}} loc({place})")
    resource = 'func.func @f() -> tensor<2xf32> {\n  %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n'
    for data in ["0x040000000000803F00000040", "0x04000000", "0x", "xyz"]:
        yield Program("modules",
            f'{resource}\n{{-#\n  dialect_resources: {{\n    builtin: {{\n      blob: "{data}"\n    }}\n  }}\n#-}}')
    yield Program("modules", resource)


def _returns() -> Iterator[Program]:
    """`stablehlo.return` in places that are its own, and in others."""
    for line in ["stablehlo.return %arg0 : tensor<2xf32>", "stablehlo.return",
        '"stablehlo.return"(%arg0) : (tensor<2xf32>) -> ()', '"stablehlo.return"() : () -> ()',
        "stablehlo.return %arg0, %arg0 : tensor<2xf32>, tensor<2xf32>",
                 "stablehlo.return %arg0 {x = 1 : i8} : tensor<2xf32>"]:  # fmt: skip
        yield Program("stablehlo.return", f"func.func @f(%arg0: tensor<2xf32>) {{\n  {line}\n}}")
        yield Program("stablehlo.return", f"func.func @f(%arg0: tensor<2xf32>) {{\n  {line}\n  return\n}}")
        text = f'  %r = "stablehlo.case"(%p) ({{\n    {line}\n  }}) : (tensor<i32>) -> tensor<2xf32>'
        yield Program("stablehlo.return", f"func.func @f(%arg0: tensor<2xf32>, %p: tensor<i32>) {{\n{text}\n  return\n}}")


def _bool_constants() -> Iterator[Program]:
    """Large i1 constants: a byte per element in new printers, a bit in old ones."""
    for count in (101, 104, 128, 200):
        for shape in (str(count), f"{count}x1"):
            for data in ("01" * count, "0100" * (count // 2) + "01" * (count % 2), "F0" * ((count + 7) // 8), "FF" * count, "00",
                    "02" * count, "01" * (count - 1)):
                kind = tensor(shape, "i1")
                yield Program("bool constants", function([], f'  %r = stablehlo.constant dense<"0x{data}"> : {kind}', [kind]))


def _lexical() -> Iterator[Program]:
    """Odd but legal text, and text that only looks legal."""
    base = function(["tensor<2xf32>"], "  %r = stablehlo.abs %arg0 : tensor<2xf32>", ["tensor<2xf32>"])
    for text in [
        base.replace("\n", " "), base.replace(" ", "  "), base.replace("\n", "\r\n"), base.replace("\n", "\n\n// note\n"),
        f"// é ü 漢\n{base}", base + "\n// end", base.replace("%r", "%a_b.c-d$1"), base.replace("%r", "%0"),
        base.replace("%r", "%1"),
        base + " garbage", base[:-1], base.replace("tensor", "Tensor"), base.replace("stablehlo.abs", "stablehlo.Abs"),
        base.replace("stablehlo.abs", "abs"), base.replace("stablehlo.abs", '"stablehlo.abs"'),
        base.replace("stablehlo.abs %arg0", 'stablehlo.abs(%arg0)'),
        base.replace(": tensor<2xf32>\n", ": tensor<2xf32>;\n"), base.replace("f32", "F32"), base.replace("2xf32", "0x2xf32"),
        base.replace("2xf32", "2_xf32"), "\t" + base, base.replace("%r", "%" + "x" * 300),
        base.replace("@main", "@" + "y" * 300),
    ]:  # fmt: skip
        yield Program("lexical", text)
