"""Candidates for control flow, calls, tuples, tokens and collectives."""

from __future__ import annotations

from typing import Iterator

from program import (
    BOUNDED,
    DTYPES,
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
from text_shape import I64, reduction_bodies

F, I, P, TOKEN = tensor("2"), tensor("", "i32"), tensor("", "i1"), "!stablehlo.token"


def programs() -> Iterator[Program]:
    """All candidates of this file."""
    for generate in (_if, _case, _while, _while_text, _tuple, _tokens, _barrier, _custom_call, _composite, _send_recv,
            _async):
        yield from generate()


def _leaf(value: str, kind: str) -> str:
    return region([], "", value, kind)


def _if() -> Iterator[Program]:
    full = "stablehlo.if"
    for dtype in [*DTYPES, QUANTIZED[0]]:
        kind = tensor("2", dtype)
        yield _branches(full, [P, kind], [kind], [_leaf("%arg1", kind)] * 2)
    for pred in [P, tensor("1", "i1"), tensor("", "i32"), tensor("?", "i1"), "i1", tensor("*", "i1")]:
        yield _branches(full, [pred, F], [F], [_leaf("%arg1", F)] * 2)
    two = region([], "", "%arg1, %arg1", f"{F}, {F}")
    yield _branches(full, [P, F], [F, F], [two, two])
    yield _branches(full, [P, F], [F, F], [two, _leaf("%arg1", F)])
    yield _branches(full, [P, F], [], [region([], "", "", "")] * 2)
    yield _branches(full, [P, F], [tensor("3")], [_leaf("%arg1", F)] * 2)
    yield _branches(full, [P, F], [tensor("?")], [_leaf("%arg1", F)] * 2)
    yield _branches(full, [P, tensor("?")], [F], [_leaf("%arg1", tensor("?"))] * 2)
    yield _branches(full, [P, F], [F], [_leaf("%arg1", F)])
    yield _branches(full, [P, F], [F], [_leaf("%arg1", F)] * 3)
    yield _branches(full, [P, F], [F], [region([F], "", "%a", F)] * 2)
    yield _branches(full, [P, TOKEN], [TOKEN], [_leaf("%arg1", TOKEN)] * 2)
    nested = '    %q = "stablehlo.if"(%arg0) ({\n      stablehlo.return %arg1 : tensor<2xf32>\n    }, {\n      stablehlo.return %arg1 : tensor<2xf32>\n    }) : (tensor<i1>) -> tensor<2xf32>'
    yield _branches(full, [P, F], [F], [f"{nested}\n    stablehlo.return %q : {F}"] * 2)


def _branches(full: str, operands: list[str], results: list[str], bodies: list[str], **attrs: str) -> Program:
    body = ", ".join("{\n" + text + "\n  }" for text in bodies)
    bound = {0: "", 1: "%r = "}.get(len(results), f"%r:{len(results)} = ")
    produced = results[0] if len(results) == 1 else f"({', '.join(results)})"
    line = f'  {bound}"{full}"(%arg0) ({body}) : ({operands[0]}) -> {produced}'
    return Program(full, function(operands, line, results))


def _case() -> Iterator[Program]:
    full = "stablehlo.case"
    for dtype in DTYPES:
        yield _branches(full, [tensor("", dtype), F], [F], [_leaf("%arg1", F)])
        yield _branches(full, [I, tensor("2", dtype)], [tensor("2", dtype)], [_leaf("%arg1", tensor("2", dtype))] * 2)
    for count in (0, 1, 2, 3, 7):
        yield _branches(full, [I, F], [F], [_leaf("%arg1", F)] * count)
    for index in [tensor("1", "i32"), tensor("?", "i32"), "i32", tensor("*", "i32")]:
        yield _branches(full, [index, F], [F], [_leaf("%arg1", F)] * 2)
    two = region([], "", "%arg1, %arg1", f"{F}, {F}")
    yield _branches(full, [I, F], [F, F], [two, two, two])
    yield _branches(full, [I, F], [F, F], [two, two, _leaf("%arg1", F)])
    yield _branches(full, [I, F], [], [region([], "", "", "")] * 2)
    yield _branches(full, [I, F], [tensor("?")], [_leaf("%arg1", F)] * 2)
    yield _branches(full, [I, F], [tensor("3")], [_leaf("%arg1", F)] * 2)
    yield _branches(full, [I, F], [F], [region([F], "", "%a", F)] * 2)
    yield _branches(full, [I, F], [F], [region([], "", "%arg1", F, "func.return")] * 2)


def _while() -> Iterator[Program]:
    full = "stablehlo.while"

    def program(kinds: list[str], cond: str, body: str, results: list[str] | None = None) -> Program:
        return Program(full, op(full, kinds, kinds if results is None else results, {}, [cond, body]))

    less = "%z = stablehlo.compare LT, %a, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>"
    for dtype in [*DTYPES, QUANTIZED[0]]:
        kinds = [I, tensor("2", dtype)]
        yield program(kinds, region(kinds, less, "%z", P), region(kinds, "", "%a, %b", ", ".join(kinds)))
    for kind in [F, tensor("?"), tensor("*"), TOKEN, BOUNDED.format("f32"), f"tuple<{F}>", tensor("0"), "f32",
            "!quant.uniform<i8:f32, 1.0>"]:
        kinds = [I, kind]
        yield program(kinds, region(kinds, less, "%z", P), region(kinds, "", "%a, %b", ", ".join(kinds)))
    kinds = [I, F]
    cond, body = region(kinds, less, "%z", P), region(kinds, "", "%a, %b", f"{I}, {F}")
    yield program(kinds, cond, region(kinds, "", "%a", I))
    yield program(kinds, cond, region([F, I], "", "%b, %a", f"{I}, {F}"))
    yield program(kinds, region(kinds, "", "%a", I), body)
    yield program(kinds, region(kinds, "", "%b", F), body)
    yield program(kinds, region([I], less, "%z", P), body)
    yield program(kinds, cond, body, [I])
    yield program(kinds, cond, body, [I, tensor("?")])
    yield program(kinds, cond, region(kinds, "", "", ""))
    yield program(kinds, cond, body, [I, tensor("3")])
    yield program([I], region([I], less, "%z", P), region([I], "", "%a", I))
    yield program([I, F, F, I], region([I, F, F, I], less, "%z", P), region([I, F, F, I], "", "%a, %c, %b, %d",
        f"{I}, {F}, {F}, {I}"))
    yield program([], "    %p = stablehlo.constant dense<false> : tensor<i1>\n    stablehlo.return %p : tensor<i1>",
        "    stablehlo.return")
    yield program([tensor("?")], region([tensor("?")], "%z = stablehlo.constant dense<true> : tensor<i1>", "%z", P),
        region([tensor("?")], "", "%a", tensor("?")), [F])


def _while_text() -> Iterator[Program]:
    """Spellings of the custom form, nested loops, names of loop variables."""
    full = "stablehlo.while"
    less = "      %z = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n      stablehlo.return %z : tensor<i1>"
    for head in [
        "stablehlo.while(%i = %arg0, %x = %arg1) : tensor<i32>, tensor<2xf32>",
        "stablehlo.while(%i = %arg0, %x = %arg1) : tensor<i32>, tensor<2xf32> attributes {foo = 1 : i8}",
        "stablehlo.while(%i = %arg0, %x = %arg1) : tensor<i32>, tensor<2xf32> attributes {mhlo.frontend_attributes = {a = \"b\"}, mhlo.sharding = \"x\"}",
        "stablehlo.while(%i = %arg0, %x = %arg1) : tensor<i32>",
        "stablehlo.while(%i = %arg0) : tensor<i32>, tensor<2xf32>",
        "stablehlo.while(%i = %arg0, %i = %arg1) : tensor<i32>, tensor<2xf32>",
        "stablehlo.while(%i, %x) : tensor<i32>, tensor<2xf32>",
    ]:  # fmt: skip
        text = f"  %r:2 = {head}\n    cond {{\n{less}\n    }} do {{\n      stablehlo.return %i, %x : tensor<i32>, tensor<2xf32>\n    }}"
        yield Program(full, function([I, F], text, [I, F]))
        text = f"  %r:2 = {head}\n    cond {{\n{less}\n    }}"
        yield Program(full, function([I, F], text, [I, F]))
    inner = (
        "      %q = stablehlo.while(%j = %i) : tensor<i32> cond {\n        %z = stablehlo.compare LT, %j, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "        stablehlo.return %z : tensor<i1>\n      } do {\n        %k = stablehlo.add %j, %i : tensor<i32>\n        stablehlo.return %k : tensor<i32>\n      }\n"
    )
    text = f"  %r = stablehlo.while(%i = %arg0) : tensor<i32> cond {{\n{less}\n    }} do {{\n{inner}      stablehlo.return %q : tensor<i32>\n    }}"
    yield Program(full, function([I], text, [I]))
    text = (
        f"  %s = stablehlo.while(%i = %arg0) : tensor<i32> cond {{\n{less}\n    }} do {{\n      stablehlo.return %i : tensor<i32>\n    }}\n"
        f"  %r = stablehlo.while(%i = %s) : tensor<i32> cond {{\n{less}\n    }} do {{\n      stablehlo.return %i : tensor<i32>\n    }}"
    )
    yield Program(full, function([I], text, [I]))
    zero = "  stablehlo.while() cond {\n    %p = stablehlo.constant dense<false> : tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  } do {\n    stablehlo.return\n  }"
    yield Program(full, function([], zero, []))


def _tuple() -> Iterator[Program]:
    for kinds in [[], [F], [F, I], [TOKEN, F], [tensor("?")], [f"tuple<{F}>"], [f"tuple<{F}, {I}>", P], ["f32"], ["index"]]:
        whole = f"tuple<{', '.join(kinds)}>"
        yield Program("stablehlo.tuple", op("stablehlo.tuple", kinds, [whole]))
        yield Program("stablehlo.tuple", op("stablehlo.tuple", kinds, [f"tuple<{F}>"]))
        line = f"  %r = stablehlo.tuple {', '.join(f'%arg{i}' for i in range(len(kinds)))} {{foo = 1 : i8}} : {whole}"
        yield Program("stablehlo.tuple", function(kinds, line, [whole]))
        for index in ["-1 : i32", "0 : i32", "1 : i32", "2 : i32", "0 : i64", None]:
            for result in {F, *kinds}:
                text = op("stablehlo.get_tuple_element", [whole], [result], {"index": index})
                yield Program("stablehlo.get_tuple_element", text)
    for index in ["[0]", "[1]", "[-1]", "[2]", "0"]:
        line = f"  %r = stablehlo.get_tuple_element %arg0{index} : (tuple<{F}, {F}>) -> {F}"
        yield Program("stablehlo.get_tuple_element", function([f"tuple<{F}, {F}>"], line, [F]))
    for kind in DTYPES:
        yield Program("stablehlo.tuple", op("stablehlo.tuple", [tensor("2", kind)] * 2,
            [f"tuple<{tensor('2', kind)}, {tensor('2', kind)}>"]))


def _tokens() -> Iterator[Program]:
    for name in ("create_token", "partition_id", "replica_id"):
        full = f"stablehlo.{name}"
        for result in [TOKEN, tensor("", "ui32"), tensor("", "i32"), tensor("1", "ui32"), F]:
            yield Program(full, op(full, [], [result]))
            yield Program(full, op(full, [result], [result]))
            yield Program(full, op(full, [], [result], extra={"foo": "unit"}))
            yield Program(full, function([], f"  %r = {full} : {result}", [result]))
            yield Program(full, function([], f"  %r = {full} {{x = 1 : i8}} : {result}", [result]))
    full = "stablehlo.after_all"
    for kinds in [[], [TOKEN], [TOKEN] * 3, [F], [TOKEN, F]]:
        for result in (TOKEN, F):
            yield Program(full, op(full, kinds, [result]))
        line = f"  %r = stablehlo.after_all {', '.join(f'%arg{i}' for i in range(len(kinds)))} : {TOKEN}"
        yield Program(full, function(kinds, line, [TOKEN]))
    for kinds in [[TOKEN], [F], [TOKEN, TOKEN]]:
        for results in [[F, TOKEN], [TOKEN], [F, I, TOKEN], [F], [TOKEN, F], []]:
            for attrs in one_at_a_time({"infeed_config": '""', "layout": "[[0]]"}, infeed_config=['"x"', None, "1 : i64"],
                                       layout=[None, "[]", "[[0], []]", "[[0], [0]]", "[[1, 0]]", "[0]", '"x"', "[[0], [0], [0]]", "[[5]]"]):  # fmt: skip
                yield Program("stablehlo.infeed", op("stablehlo.infeed", kinds, results, attrs))
    for kinds in [[F, TOKEN], [TOKEN], [F, I, TOKEN], [F], [], [TOKEN, F]]:
        for result in (TOKEN, F):
            for config in [None, '""', '"x"', "1 : i64"]:
                yield Program("stablehlo.outfeed", op("stablehlo.outfeed", kinds, [result], {"outfeed_config": config}))


def _barrier() -> Iterator[Program]:
    full = "stablehlo.optimization_barrier"
    for dtype in [*DTYPES, *QUANTIZED[:1]]:
        yield Program(full, op(full, [tensor("2", dtype)], [tensor("2", dtype)]))
    for kinds in [[], [F], [F, I], [TOKEN], [tensor("?"), tensor("*")], [f"tuple<{F}>"], ["f32"],
            [BOUNDED.format("f32"), TOKEN]]:
        yield Program(full, op(full, kinds, kinds))
        yield Program(full, op(full, kinds, [F]))
        yield Program(full, op(full, kinds, kinds, extra={"foo": "1 : i8"}))
    yield Program(full, op(full, [F], [tensor("?")]))
    for line in ["%r = stablehlo.optimization_barrier %arg0 : tensor<2xf32>",
        "%r = stablehlo.optimization_barrier %arg0 {x} : tensor<2xf32>",
                 "%r:2 = stablehlo.optimization_barrier %arg0, %arg0 : tensor<2xf32>, tensor<2xf32>", "stablehlo.optimization_barrier",
                 "stablehlo.optimization_barrier()",
                 "%r:2 = stablehlo.optimization_barrier %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)"]:  # fmt: skip
        results = [F, F] if ":2" in line else [F] if "%r" in line else []
        yield Program(full, function([F], f"  {line}", results))


def _custom_call() -> Iterator[Program]:
    full = "stablehlo.custom_call"
    base = {"call_target_name": '"foo"'}
    layouts = ["[dense<0> : tensor<1xindex>]", "[dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]",
        "[dense<[1, 0]> : tensor<2xindex>]", "[]", "[dense<0> : tensor<1xi64>]", "[0]", "[dense<1> : tensor<1xindex>]"]
    aliases = ["[]",
        "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]",
               "[#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]",
               "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 9, operand_tuple_indices = []>]",
               "[#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [0]>]", "[1]",
               "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]"]  # fmt: skip
    versions = [f"{n} : i32" for n in range(-1, 6)] + ["1 : i64", None]
    for attrs in one_at_a_time(
        base, call_target_name=['""', '"a.b"', '"a b"', '"$cublas"', "@foo", None, "1 : i64"], has_side_effect=["true", "false",
        "unit", "1 : i64"],
        backend_config=['""', '"x\\22y"', "{}", "{a = 1 : i32}", "1 : i64", '"\\00\\FF"'], api_version=versions,
        called_computations=["[]", "[@foo]", "[@main]", "[@main, @other]", "[1]", "@main"],
        operand_layouts=layouts, result_layouts=layouts, output_operand_aliases=aliases,
    ):  # fmt: skip
        for kinds, results in [([F], [F]), ([F, I], [F]), ([F], [F, I]), ([], []), ([F], []), ([TOKEN], [TOKEN]),
                ([tensor("2x3")], [tensor("2x3")]), ([f"tuple<{F}, {I}>"], [f"tuple<{F}, {I}>"])]:
            yield Program(full, op(full, kinds, results, attrs))
        yield Program(full, op(full, [F], [F], {**attrs, "operand_layouts": layouts[0], "result_layouts": layouts[0]}))
    for config in ('""', "{}", "{x = 2 : i8}", '"s"'):
        for version in versions:
            yield Program(full, op(full, [F], [F], {**base, "api_version": version, "backend_config": config},
                extra={"mhlo.sharding": '"x"', "foo": "unit"}))
    for dtype in [*DTYPES, *QUANTIZED, "index"]:
        yield Program(full, op(full, [tensor("2", dtype)], [tensor("2", dtype)], base))
    for kind in [tensor("?"), tensor("*"), "f32", "i32", "index", BOUNDED.format("f32"), "memref<2xf32>", "vector<2xf32>",
            "none", f"tuple<{TOKEN}>", "tensor<f32, #stablehlo.type_extensions<bounds = []>>"]:
        yield Program(full, op(full, [kind], [kind], base))
    for target in ["@foo", '@"a b"', "foo", '"foo"', "@foo.bar", "@foo::@bar"]:
        for tail in ["(%arg0) : (tensor<2xf32>) -> tensor<2xf32>",
            "(%arg0) {backend_config = \"x\"} : (tensor<2xf32>) -> tensor<2xf32>",
            " %arg0 : (tensor<2xf32>) -> tensor<2xf32>",
            "(%arg0) {has_side_effect = false, api_version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>",
                     "(%arg0) : tensor<2xf32>", "(%arg0) {call_target_name = \"z\"} : (tensor<2xf32>) -> tensor<2xf32>"]:  # fmt: skip
            yield Program(full, function([F], f"  %r = stablehlo.custom_call {target}{tail}", [F]))
    # Targets whose operands and results jaxlib's verifier knows.
    for target in ["stablehlo.dynamic_reduce_window", "stablehlo.dynamic_rng_bit_generator", "stablehlo.dynamic_top_k",
            "mhlo.topk", "Sharding", "SPMDFullToShardShape", "shape_assertion", "annotate_device_placement"]:
        yield Program(full, op(full, [F], [F], {"call_target_name": f'"{target}"'}))
        yield Program(full, op(full, [F], [F], {"call_target_name": f'"{target}"', "api_version": "1 : i32"}))


def _composite() -> Iterator[Program]:
    full = "stablehlo.composite"
    callee = f"func.func private @impl(%x: {F}) -> {F} {{\n  return %x : {F}\n}}\n"
    base = {"name": '"ns.op"', "decomposition": "@impl"}

    def program(kinds: list[str], results: list[str], attrs: dict[str, str | None], prefix: str = callee,
            **options: object) -> Program:
        return Program(full, prefix + op(full, kinds, results, attrs, **options))

    for attrs in one_at_a_time(base, name=['"op"', '"a.b.c"', '""', '".x"', '"x."', '"1.2"', '"a-b.c"', '"a.b_1"',
        "1 : i64", None], decomposition=["@main", "@missing", '"impl"', None, "@impl::@x"],
                               composite_attributes=["{}", "{a = 1 : i64}", '{b = "x", c = [1, 2], d = {e = 1.0 : f32}}', "[]", '"x"'],
                               version=["0 : i32", "1 : i32", "-1 : i32", "7 : i32", "1 : i64"]):  # fmt: skip
        yield program([F], [F], attrs)
        yield program([F], [F], attrs, extra={"foo": "unit"})
    yield program([F, F], [F], base)
    yield program([F], [F, F], base)
    yield program([], [F], base)
    yield program([tensor("3")], [F], base)
    yield program([F], [tensor("3")], base)
    yield program([tensor("?")], [tensor("?")], base)
    yield program([F], [F], base, "")
    yield program([F], [F], base, regions=[_leaf("%arg0", F)])
    for kind in [TOKEN, f"tuple<{F}>", tensor("*"), "f32"]:
        yield program([kind], [kind], base, f"func.func private @impl(%x: {kind}) -> {kind} {{\n  return %x : {kind}\n}}\n")
    for dtype in DTYPES:
        kind = tensor("2", dtype)
        yield program([kind], [kind], base, f"func.func private @impl(%x: {kind}) -> {kind} {{\n  return %x : {kind}\n}}\n")
    for text in ['"ns.op" %arg0 {decomposition = @impl} : (tensor<2xf32>) -> tensor<2xf32>',
        '"ns.op" %arg0 {composite_attributes = {}, decomposition = @impl, version = 0 : i32} : (tensor<2xf32>) -> tensor<2xf32>',
                 '"ns.op"(%arg0) {decomposition = @impl} : (tensor<2xf32>) -> tensor<2xf32>',
                 'ns.op %arg0 {decomposition = @impl} : (tensor<2xf32>) -> tensor<2xf32>',
                 '"ns.op" %arg0 {decomposition = @impl, version = 3 : i32, z} : (tensor<2xf32>) -> tensor<2xf32>',
                 '"ns.op" %arg0 : (tensor<2xf32>) -> tensor<2xf32>']:  # fmt: skip
        yield Program(full, callee + function([F], f"  %r = stablehlo.composite {text}", [F]))


def _send_recv() -> Iterator[Program]:
    handles = ["#stablehlo.channel_handle<handle = 5, type = 2>", "#stablehlo.channel_handle<handle = 0, type = 1>",
        "#stablehlo.channel_handle<handle = 1, type = 0>", "#stablehlo.channel_handle<handle = 5, type = 9>",
               "#stablehlo.channel_handle<type = 2, handle = 5>", "#stablehlo.channel_handle<handle = 1>",
               "#stablehlo.channel_handle<handle = -1, type = 3>", None, "1 : i64"]  # fmt: skip
    pairs = [None, "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>", "dense<[[0, 1]]> : tensor<1x2xi64>",
        "dense<> : tensor<0x2xi64>", "dense<0> : tensor<1x3xi64>", "dense<[[0, 0]]> : tensor<1x2xi64>",
        "dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>", "dense<0> : tensor<1x2xi32>"]
    base = {"channel_handle": handles[0], "is_host_transfer": "true"}
    for attrs in one_at_a_time(base, channel_handle=handles, is_host_transfer=["false", None, "1 : i64"],
            source_target_pairs=pairs):
        for kinds in [[F, TOKEN], [TOKEN], [F, I, TOKEN], [F], [TOKEN, F]]:
            yield Program("stablehlo.send", op("stablehlo.send", kinds, [TOKEN], attrs))
            yield Program("stablehlo.recv", op("stablehlo.recv", [TOKEN], kinds, attrs))
        yield Program("stablehlo.send", op("stablehlo.send", [F, TOKEN], [F], attrs))
        yield Program("stablehlo.recv", op("stablehlo.recv", [F], [F, TOKEN], attrs))
        device = {**attrs, "is_host_transfer": "false", "channel_handle": handles[1], "source_target_pairs": pairs[1]}
        yield Program("stablehlo.send", op("stablehlo.send", [F, TOKEN], [TOKEN], device))
        yield Program("stablehlo.recv", op("stablehlo.recv", [TOKEN], [F, TOKEN], device))


def _async() -> Iterator[Program]:
    future = f"!stablehlo.future<{F}>"
    inner = {
        "collective_permute": (f"%z = \"stablehlo.collective_permute\"(%a) <{{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}}> : ({F}) -> {F}"),
        "add": f"%z = stablehlo.add %a, %a : {F}",
        "all_gather": "%z = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>",
        "slice": f"%z = stablehlo.slice %a [0:2] : ({F}) -> {F}",
        "none": "",
    }  # fmt: skip
    for name, body in inner.items():
        text = region([F], body, "%z" if body else "%a", F)
        for result in [future, f"!stablehlo.future<{I}>", F, f"!stablehlo.future<{F}, {I}>", f"!stablehlo.future<tuple<{F}>>",
                "!stablehlo.future<>"]:
            yield Program("stablehlo.async_start", op("stablehlo.async_start", [F], [result], {}, [text]))
    for kind in [future, f"!stablehlo.future<{F}, {I}>", "!stablehlo.future<>", F]:
        for results in [[F], [F, I], [], [I]]:
            yield Program("stablehlo.async_done", op("stablehlo.async_done", [kind], results))
    yield Program("types", function([future], "", [future], "%arg0"))
    yield Program("stablehlo.add", op("stablehlo.add", [future, future], [future]))


