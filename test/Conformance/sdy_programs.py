"""sdy programs as text: attributes, ops and seeded random shardings.

`programs` are valid and `invalid_programs` are not, on both sides. `candidates`
has all of these and many that only jaxlib can judge.
"""

from __future__ import annotations

import pathlib
from typing import Iterator

from program import Program
from sdy_random import random_programs

MESHES = """sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
sdy.mesh @swapped = <["x"=2, "y"=2], device_ids=[1, 0, 2, 3]>
sdy.mesh @line = <["x"=2, "y"=2]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @any = <[]>
"""

# Written as `#sdy...`; how they are printed is up to jaxlib.
ATTRIBUTES = [
    '.mesh<["a"=2]>', ".mesh<[]>", ".mesh<[], device_ids=[0]>", '.mesh<["a"=2,"b"=3]>', '.mesh<["a"=2], device_ids=[1,0]>',
    '.mesh<["a"=2], device_ids=[0,1]>', '.mesh<["a"=1], device_ids=[0]>', '.mesh<["a"=0x2]>', '.mesh<["a\\22b\\0A"=2]>', '.mesh<[""=2]>',
    '.mesh<["a"=9223372036854775807]>', '<mesh<["a"=2]>>', '<mesh_axis"a"=2>', '<axis_ref"a">', '<axis_ref "a" : (1) 2>', '<axis_ref"a":(0)-1>',
    '<axis_ref"a":#sdy<sub_axis_info(1)2>>', "<sub_axis_info(2)4>", "<manual_axes{}>", '<manual_axes{"a", "b", "a"}>', '<manual_axes{"a" : i32}>',
    '<dimension_sharding{}>', '<dimension_sharding{?}>', '<dimension_sharding{"a", "b":(1)2, ?}p3>', '<dimension_sharding{}p0>',
    '<dimension_sharding{}p9223372036854775807>', '.sharding<@m, []>', '.sharding<@"a b", [{"a"}, {}, {?}, {"b":(1)2, ?}p1]>',
    '.sharding<@m, [], replicated={"a"}, unreduced={"b"}>', '.sharding<@m, [], unreduced={"b"}, replicated={"a"}>', '.sharding<mesh<["a"=2]>, [{"a"}]>',
    '.sharding<mesh<[]>, [#sdy<dimension_sharding{?}p1>]>', ".sharding_per_value<[]>", ".sharding_per_value<[<@m, [{}]>, #sdy.sharding<mesh<[]>, []>]>",
    "<axis_ref_list{}>", '<axis_ref_list{#sdy<axis_ref"a">, "b"}>', "<list_of_axis_ref_lists[]>", '<list_of_axis_ref_lists[{"a"}, {}]>',
    '<all_to_all_param{"a"} : 0 -> 1>', "<all_to_all_param_list[]>", '<all_to_all_param_list[{"a"}: 0->1, {"b", "c":(1)2}: 2->3]>',
    ".op_sharding_rule<([i, j])->([j]) {i=2, j=3}>", ".op_sharding_rule<([ij], [z_1zz_12])->([j]) {i=2} reduction={z_12, i}>",
    ".op_sharding_rule<([i])->([i]) {i=2} reduction={i} need_replication={i} permutation={i} blocked_propagation={i}, custom>",
    ".op_sharding_rule<([], [])->([]) {} reduction= permutation={}>", ".op_sharding_rule<([i,,j])->([,]) {i=-2, j=0}>", "<tensor_mapping[i, jk]>",
    "<dim_mapping>", '.propagation_edges<[{step-0=[{"x"=operand-0->[result-0]}]}]>', "<edge_value_ref operand-10>",
    '.propagation_edges<[{step-2=[{"x":(1)2=operand-0->[result-0, operand-1]}, {"y"="result"-0->[operand-3]}]}, {step-0=[{"x"=operand-0->[result-0]}]}]>',
    '<propagation_one_step{step-0 = [{"x" = operand-0 -> [result-0]}]}>', '<axis_to_propagation_details{"x" = operand-0 -> [result-0]}>',
]  # fmt: skip

# Not attributes at all. Counts and orders that only a verifier rejects are in
# test/Dialect/Sdy/*-errors.mlir.
NO_ATTRIBUTES = [
    '.mesh<["a"=9223372036854775808]>', ".mesh<[a=2]>", '.mesh<["a"=2], device_ids=[]>', '.mesh_axis<"a"=2>', '.axis_ref<"a">', ".sub_axis_info<(1)2>",
    '.manual_axes<{"a"}>', "<manual_axes{a}>", '<dimension_sharding{"a",}>', '<dimension_sharding{,"a"}>', '<dimension_sharding{"a" "b"}>',
    '<dimension_sharding{"a"}p>', '<dimension_sharding{"a"}p-1>', ".sharding<@m>", ".sharding<@m, [],>", ".sharding<@m, [], replicated={}>",
    '.sharding<@m, [], unreduced=max{"a"}>', ".sharding<#sdy.mesh<[]>, []>", ".sharding<meshx<[]>, []>", ".sharding_per_value<>", "<axis_ref_list{,}>",
    "<all_to_all_param{}: 0->1>", ".op_sharding_rule<()->()>", ".op_sharding_rule<([*])->([i]) {i=2}>", ".op_sharding_rule<([i])->([i]) i=2>",
    ".op_sharding_rule<([i])->([i]) {i=2147483648}>", ".op_sharding_rule<([i])->([i]) {ij=2}>", ".op_sharding_rule<([i])->([i]) {i=2}, other>",
    ".op_sharding_rule<([i])->([i]) {i=2} permutation={i} reduction={i}>", ".propagation_edges<[]>", ".propagation_edges<[{step-0=[]}]>", ".unknown", "<unknown>",
]  # fmt: skip

T = "tensor<8x8xf32>"

# Bodies of a function with the arguments %a to %f.
BODIES = {
    "sharding_constraint": [
        f'%0 = sdy.sharding_constraint %a <@mesh, [{{"x"}}, {{"y":(1)2, ?}}], unreduced={{"z"}}> : {T}',
        f'%0 = "sdy.sharding_constraint"(%a) <{{sharding = #sdy.sharding<@one, []>}}> {{note}} : ({T}) -> {T}',
        "%0 = sdy.sharding_constraint %c <@mesh, []> : index",
        '%0 = sdy.sharding_constraint %d <@mesh, [{"y", ?}p1]> : tuple<tensor<8xf32>>',
        "%0 = sdy.sharding_constraint %e <@one, []> : tensor<*xf32>",
    ],
    "reshard": [f'%0 = sdy.reshard %a <mesh<["q"=2]>, [{{}}, {{"q"}}]> : {T}', '%0 = sdy.reshard %f <@mesh, [{"x"}]> : memref<8xf32>'],
    "sharding_group": [f"sdy.sharding_group %a group_id=12 : {T}", f"sdy.sharding_group %a group_id=-1 {{note}} : {T}"],
    "propagation_barrier": [f"%0 = sdy.propagation_barrier %a allowed_direction={way} : {T}" for way in ("NONE", "FORWARD", "BACKWARD")],
    "constant": [
        "%0 = sdy.constant dense<[1, 2]> : tensor<2xi32>",
        "%0 = sdy.constant {note} dense<1.0> : tensor<f32>",
        "%0 = sdy.constant() {note, value = dense<1> : tensor<2xi32>} : () -> tensor<2xi32>",
        "%0 = sdy.constant dense<> : tensor<0xcomplex<f32>>",
        "%0 = sdy.constant dense_resource<r> : tensor<2xi32>",
    ],
    "data_flow_edge": [f'%0 = sdy.data_flow_edge %b sharding=<@mesh, [{{"x"}}, {{}}]> {{note}} : {T}', "%0 = sdy.data_flow_edge %f : memref<8xf32>"],
    "func_data_flow_edge": [f"%0 = sdy.func_data_flow_edge %b {{note}} : {T}"],
    "named_computation": [
        f'%0:2 = sdy.named_computation<"n">(%a, %c) in_shardings=[<@mesh, [{{}}, {{}}]>, <@mesh, []>] (%p: {T}, %q: index) {{\n  sdy.return {{note}} %q, %p : index, {T}\n'
        f"}} {{note}} : ({T}, index) -> (index, {T})",
        'sdy.named_computation<"">() () {\n  sdy.return\n} : () -> ()',
    ],
    "manual_computation": [
        f'%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>] out_shardings=[<@mesh, [{{"x", "z", ?}}p1, {{}}]>] manual_axes={{"x"}} (%p: tensor<4x8xf32>) {{\n'
        '  %1 = sdy.sharding_constraint %p <@mesh, [{}, {"y"}]> : tensor<4x8xf32>\n'
        '  sdy.manual_computation(%1) in_shardings=[<@mesh, [{"z"}, {?}]>] out_shardings=[] manual_axes={"z"} (%q: tensor<2x8xf32>) {\n    sdy.return\n  } : (tensor<4x8xf32>) -> ()\n'
        f"  sdy.return %1 : tensor<4x8xf32>\n}} {{note}} : ({T}) -> {T}",
        'sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {\n  sdy.return\n} : () -> ()',
        "%0 = sdy.manual_computation(%c) in_shardings=[<@any, []>] out_shardings=[<@mesh, []>] manual_axes={} (%p: index) {\n  sdy.return %p : index\n} : (index) -> index",
    ],
    "all_gather": [f'%0 = sdy.all_gather [{{}}, {{"y":(2)4}}] %g out_sharding=<@mesh, [{{"x"}}, {{"y":(1)2}}]> : {T}'],
    "all_slice": [f'%0 = sdy.all_slice [{{"z"}}, {{}}] %g out_sharding=<@mesh, [{{"x", "z"}}, {{"y"}}]> : {T}', f'%0 = sdy.all_slice [{{}}, {{"z"}}] %a out_sharding=<@mesh, [{{}}, {{"z"}}]> : {T}'],
    "all_to_all": [f'%0 = sdy.all_to_all [{{"x"}}: 0->1] %g out_sharding=<@mesh, [{{}}, {{"y", "x"}}]> {{note}} : {T}'],
    "all_reduce": [f'%0 = sdy.all_reduce {{"z"}} %g out_sharding=<@mesh, [{{"x"}}, {{"y"}}]> : {T}', f"%0 = sdy.all_reduce {{}} %a out_sharding=<@mesh, [{{}}, {{?}}]> : {T}"],
    "reduce_scatter": [f'%0 = sdy.reduce_scatter [{{}}, {{"z"}}] %g out_sharding=<@mesh, [{{"x"}}, {{"y", "z"}}]> : {T}'],
    "collective_permute": [
        f'%0 = sdy.collective_permute %g out_sharding=<@mesh, [{{"z"}}, {{"y":(4)2, "y":(1)4}}]> : {T}',
        f'%0 = sdy.reshard %a <@line, [{{"x"}}, {{}}]> : {T}\n%1 = sdy.collective_permute %0 out_sharding=<@swapped, [{{"y"}}, {{}}]> : {T}',
    ],
    "sharded_to_unreduced": [f'%0 = sdy.sharded_to_unreduced [{{"x"}}, {{}}] %g out_sharding=<@mesh, [{{}}, {{"y"}}], unreduced={{"x"}}> : {T}'],
    "replicated_to_unreduced": [f'%0 = sdy.replicated_to_unreduced {{"z"}} %g out_sharding=<@mesh, [{{"x"}}, {{"y"}}], unreduced={{"z"}}> : {T}'],
}  # fmt: skip


def candidates() -> Iterator[Program]:
    """Every program, valid or not."""
    for name, text in [*programs(), *invalid_programs()]:
        yield Program("sdy." + name.split("-")[0], text)
    for family, text in random_programs(seed=0, count=2000):
        yield Program(f"sdy.{family}", text)


def programs() -> list[tuple[str, str]]:
    """Valid programs with their names."""
    found = [(f"attribute-{i}", _with_attribute(text)) for i, text in enumerate(ATTRIBUTES)]
    for op, bodies in BODIES.items():
        found += [(f"{op}-{i}", _function(body)) for i, body in enumerate(bodies)]
    found += [(f"discardable-{i}", MESHES + text) for i, text in enumerate(_discardable())]
    return found


def invalid_programs() -> list[tuple[str, str]]:
    """Programs that are to be rejected, with their names."""
    found = [(f"attribute-bad-{i}", _with_attribute(text)) for i, text in enumerate(NO_ATTRIBUTES)]
    folder = pathlib.Path(__file__).resolve().parent.parent / "Dialect" / "Sdy"
    for path in sorted(folder.glob("*-errors.mlir")):
        for i, text in enumerate(path.read_text().split("// -----\n")):
            # Stricter than jaxlib, see disagreements.py.
            if "z_9223372036854775807" not in text:
                found.append((f"{path.stem}-{i}", text))
    return found


def _with_attribute(text: str) -> str:
    return f"module attributes {{test.attr = #sdy{text}}} {{\n}}"


def _function(body: str) -> str:
    kinds = {"a": T, "b": T, "c": "index", "d": "tuple<tensor<8xf32>>", "e": "tensor<*xf32>", "f": "memref<8xf32>"}
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in kinds.items())
    sharding = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}'
    return f"{MESHES}func.func @main({arguments}, %g: {T} {sharding}) {{\n{body}\nreturn\n}}"


def _discardable() -> Iterator[str]:
    """Attributes of the dialect on functions and other operations."""
    sharding = '#sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)4}], replicated={"z"}>'
    yield f"func.func private @f({T} {{sdy.sharding = {sharding}, sdy.other}}) -> ({T} {{sdy.sharding = {sharding}}}) attributes {{sdy.other = 1}}"
    call = f"func.func private @g({T}) -> {T}\nfunc.func @f(%a: {T} {{sdy.sharding = {sharding}}}) {{\n%0 = call @g(%a) {{ATTRS}} : ({T}) -> {T}\nreturn\n}}"
    for attrs in [
        'sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>',
        "sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>",
        "sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, l]) {i=4, j=2, k=8, l=8} reduction={j, k} need_replication={l}, custom>",
        'sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>',
        "sdy.result_propagation_edges = [], sdy.block_arg_propagation_edges = []",
    ]:
        yield call.replace("ATTRS", attrs)
    yield "func.func @f() {\nreturn {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}\n}"
    yield "func.func @f() {\nsdy.return {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>}\n}"
    yield 'module @inner {\nsdy.mesh @mesh = <["i"=2]>\nfunc.func private @f(tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}]>})\n}'
