// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --canonicalize | FileCheck %s --check-prefix=KEPT

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK: sdy.mesh @one = <[], device_ids=[3]> {note}
sdy.mesh @one = <[], device_ids=[3]> {note}

// CHECK-LABEL: func.func @function_shardings(
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
// CHECK-SAME: %arg1: tensor<*xf32> {sdy.sharding = #sdy.sharding<@one, []>},
// CHECK-SAME: %arg2: index {sdy.sharding = #sdy.sharding<@mesh, []>})
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}p1, {"y":(2)2}p0], replicated={"x"}>})
func.func @function_shardings(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
    %b: tensor<*xf32> {sdy.sharding = #sdy.sharding<@one, []>},
    %c: index {sdy.sharding = #sdy.sharding<@mesh, []>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}p1, {"y":(2)2}p0], replicated={"x"}>}) {
  return %a : tensor<8x8xf32>
}

// A constraint stays even if nothing uses it.
// KEPT-LABEL: func.func @constraints
// KEPT: sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]>
// KEPT: sdy.sharding_group

// CHECK-LABEL: func.func @constraints(
func.func @constraints(%a: tensor<8x8xf32>, %t: tuple<tensor<4xf32>>) -> tensor<8x8xf32> {
  // CHECK: sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_constraint %arg1 <@mesh, [{"y", ?}]> {note} : tuple<tensor<4xf32>>
  %1 = sdy.sharding_constraint %t <@mesh, [{"y", ?}]> {note} : tuple<tensor<4xf32>>
  // CHECK: %[[RESHARD:.*]] = sdy.reshard %arg0 <mesh<["x"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
  %2 = sdy.reshard %a <mesh<["x"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %[[RESHARD]] group_id=12 : tensor<8x8xf32>
  sdy.sharding_group %2 group_id=12 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %[[RESHARD]] allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @computations(
func.func @computations(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: %[[MANUAL:.*]] = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y", ?}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x"} (%arg1: tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y", ?}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x"} (%b: tensor<8x8xf32>) {
    // CHECK: sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[] manual_axes={"y"} (%arg2: tensor<8x2xf32>) {
    sdy.manual_computation(%b) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[] manual_axes={"y"} (%c: tensor<8x2xf32>) {
      // CHECK: sdy.return
      sdy.return
    // CHECK: } : (tensor<8x8xf32>) -> ()
    } : (tensor<8x8xf32>) -> ()
    sdy.return %b : tensor<8x8xf32>
  // CHECK: } {note} : (tensor<16x8xf32>) -> tensor<16x8xf32>
  } {note} : (tensor<16x8xf32>) -> tensor<16x8xf32>
  // CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  // CHECK: %[[NAMED:.*]]:2 = sdy.named_computation<"layer">(%[[MANUAL]], %arg0) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] (%arg1: tensor<16x8xf32>, %arg2: tensor<16x8xf32>) {
  %1:2 = sdy.named_computation<"layer">(%0, %a) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] (%b: tensor<16x8xf32>, %c: tensor<16x8xf32>) {
    // CHECK: sdy.return {note} %arg1, %arg2 : tensor<16x8xf32>, tensor<16x8xf32>
    sdy.return {note} %b, %c : tensor<16x8xf32>, tensor<16x8xf32>
  } : (tensor<16x8xf32>, tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>)
  // CHECK: sdy.data_flow_edge %[[NAMED]]#0 sharding=<@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  %2 = sdy.data_flow_edge %1#0 sharding=<@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  // CHECK: sdy.data_flow_edge %[[NAMED]]#1 : tensor<16x8xf32>
  %3 = sdy.data_flow_edge %1#1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @function_edges(
func.func @function_edges(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[ARGUMENT:.*]] = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
  %0 = sdy.func_data_flow_edge %a : tensor<8xf32>
  %1 = call @function_edges(%0) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.func_data_flow_edge %{{.*}} : tensor<8xf32>
  %2 = sdy.func_data_flow_edge %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @constants()
// KEPT-LABEL: func.func @constants()
// KEPT-COUNT-2: sdy.constant dense<1.000000e+00> : tensor<2xf32>
func.func @constants() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<2xf32>
  %0 = sdy.constant dense<1.0> : tensor<2xf32>
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<2xf32>
  %1 = sdy.constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  // CHECK: sdy.constant {note} dense<1.000000e+00> : tensor<2xf32>
  %2 = sdy.constant {note} dense<1.0> : tensor<2xf32>
  sdy.return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

func.func private @dot(tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>

// CHECK-LABEL: func.func @rule(
func.func @rule(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>) {
  // CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}, custom>
  %0 = call @dot(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}, custom>}
         : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

// CHECK-LABEL: func.func @edges(
func.func @edges(%a: tensor<8xf32>) {
  // CHECK: sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>
  %0 = sdy.propagation_barrier %a allowed_direction=NONE
         {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>,
          sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
