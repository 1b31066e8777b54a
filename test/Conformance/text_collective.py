"""Candidates for the collective ops; jaxlib judges them."""

from __future__ import annotations

from typing import Iterator

from program import DTYPES, QUANTIZED, Program, binary_region, one_at_a_time, op, tensor
from text_shape import I64, reduction_bodies

GROUPS = [
    "dense<[[0, 1]]> : tensor<1x2xi64>", "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>",
    "dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>", "dense<> : tensor<0x0xi64>", "dense<> : tensor<1x0xi64>",
    "dense<[[0], [1]]> : tensor<2x1xi64>", "dense<[[0, 0]]> : tensor<1x2xi64>", "dense<[[0, 2]]> : tensor<1x2xi64>",
    "dense<[[-1, 0]]> : tensor<1x2xi64>", "dense<0> : tensor<1xi64>",
    "dense<[[0, 1]]> : tensor<1x2xi32>", "dense<[[1, 0]]> : tensor<1x2xi64>", "[[0, 1]]", None,
    "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>", "dense<0.0> : tensor<1x1xf32>",
    "#stablehlo.replica_group_mesh_axes<mesh_name = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>",
]  # fmt: skip
HANDLES = [None, "#stablehlo.channel_handle<handle = 0, type = 0>", "#stablehlo.channel_handle<handle = 1, type = 1>",
    "#stablehlo.channel_handle<handle = 1, type = 0>", "#stablehlo.channel_handle<handle = -1, type = 0>", "1 : i64"]
FLAGS = ["unit", "true", "1 : i64"]


def programs() -> Iterator[Program]:
    """All candidates of this file."""
    for generate in (_all_gather, _all_reduce, _reduce_scatter, _all_to_all, _permute, _broadcast, _cross_replica_sum):
        yield from generate()


def _all_gather() -> Iterator[Program]:
    full = "stablehlo.all_gather"
    base = {"all_gather_dim": "1 : i64", "replica_groups": GROUPS[0]}
    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x3", dtype)], [tensor("2x6", dtype)], base))
    for attrs in one_at_a_time(base, all_gather_dim=I64, replica_groups=GROUPS, channel_handle=HANDLES,
            use_global_device_ids=FLAGS):
        for a, r in [("2x3", "2x6"), ("2x3", "4x3"), ("2x3", "2x3"), ("?x3", "?x6"), ("2x?", "2x?"), ("*", "*"), ("", ""),
                ("2x0", "2x6"), ("2x0", "2x0"), ("2x3", "2x7"), ("2x3", "2"), ("2x3", "2x12")]:
            yield Program(full, op(full, [tensor(a)], [tensor(r)], attrs))
    yield Program(full, op(full, [tensor("2x3"), tensor("2x4", "i32")], [tensor("2x6"), tensor("2x8", "i32")], base))
    yield Program(full, op(full, [tensor("2x3"), tensor("2x4", "i32")], [tensor("2x6")], base))
    yield Program(full, op(full, [tensor("2x3")], [tensor("2x6", "f64")], base))
    for handle in HANDLES:
        yield Program(full, op(full, [tensor("2x3")], [tensor("2x6")], {**base, "channel_handle": handle,
            "use_global_device_ids": "unit"}))


def _all_reduce() -> Iterator[Program]:
    full = "stablehlo.all_reduce"
    base = {"replica_groups": GROUPS[0]}
    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x3", dtype)], [tensor("2x3", dtype)], base, [binary_region(dtype)]))
    for attrs in one_at_a_time(base, replica_groups=GROUPS, channel_handle=HANDLES, use_global_device_ids=FLAGS):
        for a, r in [("2x3", "2x3"), ("?x3", "?x3"), ("*", "*"), ("", ""), ("2x0", "2x0"), ("2x3", "2x4")]:
            yield Program(full, op(full, [tensor(a)], [tensor(r)], attrs, [binary_region("f32")]))
    for body in reduction_bodies("f32"):
        yield Program(full, op(full, [tensor("2x3")], [tensor("2x3")], base, [body]))
    yield Program(full, op(full, [tensor("2"), tensor("3")], [tensor("2"), tensor("3")], base, [binary_region("f32")]))
    yield Program(full, op(full, [tensor("2"), tensor("3", "i32")], [tensor("2"), tensor("3", "i32")], base,
        [binary_region("f32")]))
    yield Program(full, op(full, [tensor("2")], [tensor("2", "f64")], base, [binary_region("f64")]))
    for handle in HANDLES:
        yield Program(full, op(full, [tensor("2")], [tensor("2")], {**base, "channel_handle": handle,
            "use_global_device_ids": "unit"}, [binary_region("f32")]))


def _reduce_scatter() -> Iterator[Program]:
    full = "stablehlo.reduce_scatter"
    base = {"scatter_dimension": "1 : i64", "replica_groups": GROUPS[0]}
    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x6", dtype)], [tensor("2x3", dtype)], base, [binary_region(dtype)]))
    for attrs in one_at_a_time(base, scatter_dimension=I64, replica_groups=GROUPS, channel_handle=HANDLES,
            use_global_device_ids=FLAGS):
        for a, r in [("2x6", "2x3"), ("4x3", "2x3"), ("2x3", "2x3"), ("?x6", "?x3"), ("2x?", "2x?"), ("*", "*"), ("", ""),
                ("2x6", "2x0"), ("2x0", "2x0"), ("2x6", "2x4"), ("2x6", "2")]:
            yield Program(full, op(full, [tensor(a)], [tensor(r)], attrs, [binary_region("f32")]))
    for body in reduction_bodies("f32"):
        yield Program(full, op(full, [tensor("2x6")], [tensor("2x3")], base, [body]))
    for handle in HANDLES:
        yield Program(full, op(full, [tensor("2x6")], [tensor("2x3")], {**base, "channel_handle": handle,
            "use_global_device_ids": "unit"}, [binary_region("f32")]))


def _all_to_all() -> Iterator[Program]:
    full = "stablehlo.all_to_all"
    base = {"split_dimension": "1 : i64", "concat_dimension": "0 : i64", "split_count": "2 : i64",
        "replica_groups": GROUPS[0]}
    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x4", dtype)], [tensor("4x2", dtype)], base))
    for attrs in one_at_a_time(base, split_dimension=I64, concat_dimension=I64, split_count=I64, replica_groups=GROUPS,
            channel_handle=HANDLES):
        for a, r in [("2x4", "4x2"), ("2x4", "2x4"), ("?x4", "?x2"), ("?x?", "?x?"), ("*", "*"), ("", ""), ("2x3", "4x2"),
                ("0x4", "0x2"), ("2x4", "4x?")]:
            yield Program(full, op(full, [tensor(a)], [tensor(r)], attrs))
    yield Program(full, op(full, [tensor("2x4"), tensor("2x8", "i32")], [tensor("4x2"), tensor("4x4", "i32")], base))
    yield Program(full, op(full, [tensor("2x4"), tensor("2x8", "i32")], [tensor("4x2")], base))


def _permute() -> Iterator[Program]:
    full = "stablehlo.collective_permute"
    base = {"source_target_pairs": "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>"}
    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x3", dtype)], [tensor("2x3", dtype)], base))
    pairs = ["dense<[[0, 1]]> : tensor<1x2xi64>", "dense<> : tensor<0x2xi64>", "dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>",
        "dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>", "dense<[[0, 0]]> : tensor<1x2xi64>",
             "dense<[[-1, 1]]> : tensor<1x2xi64>", "dense<0> : tensor<1x3xi64>", "dense<0> : tensor<2xi64>",
             "dense<0> : tensor<1x2xi32>", None]  # fmt: skip
    for attrs in one_at_a_time(base, source_target_pairs=pairs, channel_handle=HANDLES):
        for a, r in [("2x3", "2x3"), ("?x3", "?x3"), ("*", "*"), ("", ""), ("2x0", "2x0"), ("2x3", "2x4"), ("2x3", "2x?")]:
            yield Program(full, op(full, [tensor(a)], [tensor(r)], attrs))


def _broadcast() -> Iterator[Program]:
    full = "stablehlo.collective_broadcast"
    base = {"replica_groups": GROUPS[0]}
    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x3", dtype)], [tensor("2x3", dtype)], base))
    for attrs in one_at_a_time(base, replica_groups=GROUPS, channel_handle=HANDLES):
        for a, r in [("2x3", "2x3"), ("?x3", "?x3"), ("*", "*"), ("", ""), ("2x0", "2x0"), ("2x3", "2x4")]:
            yield Program(full, op(full, [tensor(a)], [tensor(r)], attrs))


def _cross_replica_sum() -> Iterator[Program]:
    full = "stablehlo.cross-replica-sum"
    for dtype in [*DTYPES, QUANTIZED[0]]:
        yield Program(full, op(full, [tensor("2x3", dtype)], [tensor("2x3", dtype)], {"replica_groups": GROUPS[0]}))
    for groups in GROUPS:
        for a, r in [("2x3", "2x3"), ("?x3", "?x3"), ("*", "*"), ("", ""), ("2x0", "2x0"), ("2x3", "2x4")]:
            yield Program(full, op(full, [tensor(a)], [tensor(r)], {"replica_groups": groups}))
