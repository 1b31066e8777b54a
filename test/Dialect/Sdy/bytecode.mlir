// RUN: hetero-opt %s --emit-bytecode | hetero-opt | FileCheck %s
// RUN: hetero-opt %S/Inputs/jaxlib.mlirbc | FileCheck %s
// RUN: head -c 600 %S/Inputs/jaxlib.mlirbc > %t
// RUN: not hetero-opt %t 2>&1 | FileCheck %s --check-prefix=TRUNCATED

// Inputs/jaxlib.mlirbc is this module as jaxlib 0.10.2 writes it.

// TRUNCATED: error:

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
// CHECK: sdy.mesh @order = <["x"=2], device_ids=[1, 0]>
sdy.mesh @order = <["x"=2], device_ids=[1, 0]>
// CHECK: func.func private @callee(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func private @callee(tensor<8x8xf32>) -> tensor<8x8xf32>

// CHECK: func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}p1, {"y":(2)2}p0], replicated={"x"}, unreduced={"z"}>}) {
func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}p1, {"y":(2)2}p0], replicated={"x"}, unreduced={"z"}>}) {
  // CHECK: sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {"z"}]>
  %0 = sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {"z"}]> : tensor<8x8xf32>
  // CHECK: sdy.all_slice [{"y":(1)2}, {}]
  %1 = sdy.all_slice [{"y":(1)2}, {}] %0 out_sharding=<@mesh, [{"x", "y":(1)2}, {"z"}]> : tensor<8x8xf32>
  // CHECK: sdy.all_to_all [{"y":(1)2}: 0->1]
  %2 = sdy.all_to_all [{"y":(1)2}: 0->1] %1 out_sharding=<@mesh, [{"x"}, {"z", "y":(1)2}]> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"y":(2)2}
  %3 = sdy.all_reduce {"y":(2)2} %2 out_sharding=<@mesh, [{"x"}, {"z", "y":(1)2}]> : tensor<8x8xf32>
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}], unreduced={"z"}>] manual_axes={"x"}
  %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}], unreduced={"z"}>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: call @callee(%{{.*}}) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8, k=8} reduction={j} need_replication={k} blocked_propagation={i}, custom>}
  %5 = call @callee(%4) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8, k=8} reduction={j} need_replication={k} blocked_propagation={i}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=BACKWARD {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>}
  %6 = sdy.propagation_barrier %5 allowed_direction=BACKWARD {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8x8xf32>
  // CHECK: sdy.named_computation<"n">(%{{.*}}) out_shardings=[<@mesh, [{}, {}]>]
  %7 = sdy.named_computation<"n">(%6) out_shardings=[<@mesh, [{}, {}]>] (%arg1: tensor<8x8xf32>) {
    sdy.return %arg1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} : tensor<8x8xf32>
  %8 = sdy.data_flow_edge %7 : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id=3
  sdy.sharding_group %8 group_id=3 : tensor<8x8xf32>
  // CHECK: sdy.constant dense<0.000000e+00> : tensor<2xf32>
  %9 = sdy.constant dense<0.0> : tensor<2xf32>
  return %8 : tensor<8x8xf32>
}
