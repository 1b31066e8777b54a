// RUN: hetero-opt %s --hetero-partition --hetero-verify -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// A product that is partial on the tensor axis is needed for all samples at
// once. Its pieces of each microbatch are put together as sums of the same
// member, and completed afterwards.

// CHECK-LABEL: func.func @rank0
// CHECK: %[[FIRST:.*]] = call @stage0_forward_sweep0_0
// CHECK: %[[SECOND:.*]] = call @stage0_forward_sweep0_1
// CHECK: %[[ALL:.*]] = hetero.all_gather %[[FIRST]]
// CHECK: %[[MORE:.*]] = hetero.all_gather %[[SECOND]]
// CHECK: %[[WHOLE:.*]] = stablehlo.concatenate %[[ALL]], %[[MORE]], dim = 0
// CHECK: call @stage0_{{.*}}(%[[WHOLE]]
// CHECK-LABEL: func.func private @stage0_forward_sweep0_0
// CHECK-SAME: hetero.forms = #hetero.forms<batch = split 0, tensor = partial sum>

// A piece that is completed before the others are added is not the same sum.
// RUN: sed 's/stablehlo.concatenate %2,/stablehlo.concatenate %early,/; /all_gather %0 /s/$/ %early = hetero.all_reduce sum %2 over @stage0(tensor) : tensor<4x3xf32> -> tensor<4x3xf32>/' %t.mlir \
// RUN:   | not hetero-opt --hetero-verify 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'stablehlo.concatenate' op of rank 1 uses operand 1 as a whole, which is a sum of members [1 to 2] of the tensor axis; members [0 to 1] of the tensor axis are missing

hetero.mesh @stage0 (data = 2, tensor = 2) = [0, 1, 2, 3]
hetero.plan @plan of @step planner "hand" minimizes time
    batch 7 microbatches [4, 3] predicted 1 ms {
  hetero.stage 0 on @stage0 layers [0] samples (data) [[3, 1], [1, 2]] in_flight 1
}
func.func @step(
    %w: tensor<5x3xf32> {hetero.role = #hetero.role<parameter>,
        hetero.sharding = #hetero.sharding<@stage0, tensor = split 0 : [3, 2]>},
    %x: tensor<7x5xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<5x3xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.1> : tensor<5x3xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<0, forward>}
      : (tensor<7x5xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
  %running = "stablehlo.reduce_window"(%y, %zero) <{padding = dense<[[6, 0], [0, 0]]> : tensor<2x2xi64>,
      window_dimensions = array<i64: 7, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {hetero.layer = #hetero.layer<0, forward>} : (tensor<7x3xf32>, tensor<f32>) -> tensor<7x3xf32>
  %t = stablehlo.tanh %running {hetero.layer = #hetero.layer<0, forward>} : tensor<7x3xf32>
  %loss = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] {hetero.layer = #hetero.layer<0, forward>}
      : (tensor<7x3xf32>, tensor<f32>) -> tensor<f32>
  %dw = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<7x5xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  %d = stablehlo.multiply %dw, %rate {hetero.layer = #hetero.layer<0, update>} : tensor<5x3xf32>
  %new = stablehlo.subtract %w, %d {hetero.layer = #hetero.layer<0, update>} : tensor<5x3xf32>
  return %loss, %new : tensor<f32>, tensor<5x3xf32>
}
