// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
sdy.mesh @swapped = <["x"=2, "y"=4, "z"=2], device_ids=[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]>

// CHECK-LABEL: func.func @chain(
func.func @chain(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z", ?}]>}) {
  // CHECK: %0 = sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {"z"}]> : tensor<8x8xf32>
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@mesh, [{"x"}, {"z"}]> : tensor<8x8xf32>
  // CHECK: %1 = sdy.all_slice [{"y":(1)2}, {}] %0 out_sharding=<@mesh, [{"x", "y":(1)2}, {"z"}]> {note} : tensor<8x8xf32>
  %1 = sdy.all_slice [{"y":(1)2}, {}] %0 out_sharding=<@mesh, [{"x", "y":(1)2}, {"z"}]> {note} : tensor<8x8xf32>
  // CHECK: %2 = sdy.all_to_all [{"y":(1)2}: 0->1] %1 out_sharding=<@mesh, [{"x"}, {"z", "y":(1)2}]> : tensor<8x8xf32>
  %2 = sdy.all_to_all [{"y":(1)2}: 0->1] %1 out_sharding=<@mesh, [{"x"}, {"z", "y":(1)2}]> : tensor<8x8xf32>
  // CHECK: %3 = sdy.all_reduce {"y":(2)2} %2 out_sharding=<@mesh, [{"x"}, {"z", "y":(1)2}]> : tensor<8x8xf32>
  %3 = sdy.all_reduce {"y":(2)2} %2 out_sharding=<@mesh, [{"x"}, {"z", "y":(1)2}]> : tensor<8x8xf32>
  // The two halves of "y" are merged.
  // CHECK: %4 = sdy.reduce_scatter [{}, {"y":(2)2}] %3 out_sharding=<@mesh, [{"x"}, {"z", "y"}]> : tensor<8x8xf32>
  %4 = sdy.reduce_scatter [{}, {"y":(2)2}] %3 out_sharding=<@mesh, [{"x"}, {"z", "y"}]> : tensor<8x8xf32>
  // CHECK: %5 = sdy.collective_permute %4 out_sharding=<@swapped, [{"z"}, {"y", "x"}]> : tensor<8x8xf32>
  %5 = sdy.collective_permute %4 out_sharding=<@swapped, [{"z"}, {"y", "x"}]> : tensor<8x8xf32>
  // CHECK: %6 = sdy.sharded_to_unreduced [{}, {"x"}] %5 out_sharding=<@swapped, [{"z"}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
  %6 = sdy.sharded_to_unreduced [{}, {"x"}] %5 out_sharding=<@swapped, [{"z"}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
  // Half of "y" goes, the other half stays.
  // CHECK: %7 = sdy.all_gather [{"z"}, {"y":(2)2}] %6 out_sharding=<@swapped, [{}, {"y":(1)2}], unreduced={"x"}> : tensor<8x8xf32>
  %7 = sdy.all_gather [{"z"}, {"y":(2)2}] %6 out_sharding=<@swapped, [{}, {"y":(1)2}], unreduced={"x"}> : tensor<8x8xf32>
  // CHECK: %8 = sdy.replicated_to_unreduced {"y":(2)2, "z"} %7 out_sharding=<@swapped, [{}, {"y":(1)2}], unreduced={"x", "y":(2)2, "z"}> : tensor<8x8xf32>
  %8 = sdy.replicated_to_unreduced {"y":(2)2, "z"} %7 out_sharding=<@swapped, [{}, {"y":(1)2}], unreduced={"x", "y":(2)2, "z"}> : tensor<8x8xf32>
  return
}

// These do not need a sharding on the operand.
// CHECK-LABEL: func.func @without_sharding(
func.func @without_sharding(%a: tensor<8xf32>) {
  // CHECK: sdy.all_slice [{"x"}] %arg0
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK: sdy.all_reduce {} %arg0
  %1 = sdy.all_reduce {} %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // CHECK: sdy.reduce_scatter [{"x"}] %arg0
  %2 = sdy.reduce_scatter [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return
}

func.func private @other(tensor<8xf32>) -> tensor<8xf32>

// Where the sharding of an operand comes from.
// CHECK-LABEL: func.func @sources(
func.func @sources(%a: tensor<8xf32>) {
  %0 = call @other(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.all_gather
  %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"y"}]> : tensor<8xf32>
  // CHECK: sdy.all_gather
  %3 = sdy.all_gather [{"y"}] %2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // CHECK: sdy.manual_computation
  %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "z"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    // The body does not see the manual axis.
    // CHECK: sdy.all_gather [{"y"}] %arg1
    %6 = sdy.all_gather [{"y"}] %arg1 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    sdy.return %6 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.all_gather [{"x", "z"}]
  %5 = sdy.all_gather [{"x", "z"}] %4 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @loop_variable(
func.func @loop_variable(%a: tensor<8xf32>) {
  %0 = stablehlo.while(%p = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    // CHECK: sdy.all_gather [{"x"}]
    %g = sdy.all_gather [{"x"}] %p out_sharding=<@mesh, [{}]> : tensor<8xf32>
    stablehlo.return %g : tensor<8xf32>
  }
  return
}
