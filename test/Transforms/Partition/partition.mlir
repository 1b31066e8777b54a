// RUN: hetero-opt %s --hetero-partition | FileCheck %s
// RUN: hetero-opt %s --hetero-partition | hetero-opt | FileCheck %s

// Two stages, the first on two devices that share 5 and 3 samples unevenly and
// store 1 and 3 of the 4 rows of the parameter.

// CHECK-LABEL: func.func @rank0
// CHECK-SAME: %[[PART:.*]]: tensor<1x6xf32> {hetero.part = #hetero.part<0 : [0 to 1] x [0 to 6]>
// CHECK-SAME: %[[X0:.*]]: tensor<4x4xf32> {hetero.part = #hetero.part<2 : [0 to 4] x [0 to 4]>
// CHECK-SAME: %[[X1:.*]]: tensor<2x4xf32> {hetero.part = #hetero.part<2 : [5 to 7] x [0 to 4]>
// CHECK-SAME: -> (tensor<1x6xf32> {hetero.part = #hetero.part<1 : [0 to 1] x [0 to 6]>
// CHECK: %[[W:.*]] = hetero.all_gather %[[PART]] split 0 : [1, 3] over @stage0
// CHECK: %[[H0:.*]] = call @stage0_forward_0(%[[X0]], %[[W]]) {hetero.instruction = #hetero.instruction<forward 0>}
// CHECK: %[[S0:.*]] = hetero.send %[[H0]] to 2
// CHECK: call @stage0_forward_1(%[[X1]], %[[W]])
// CHECK: %[[D0:.*]] = hetero.recv from 2 channel 2 : tensor<4x6xf32>
// CHECK: hetero.wait %[[S0]]
// CHECK: %[[G0:.*]] = call @stage0_backward_0(%[[X0]], %[[D0]])
// CHECK: %[[D1:.*]] = hetero.recv from 2 channel 3 : tensor<2x6xf32>
// CHECK: %[[G1:.*]] = call @stage0_backward_1(%[[X1]], %[[D1]])
// CHECK: %[[SUM:.*]] = hetero.accumulate sum %[[G1]] into %[[G0]]
// CHECK: %[[G:.*]] = hetero.reduce_scatter sum %[[SUM]] split 0 : [1, 3] over @stage0
// CHECK: %[[NEW:.*]] = call @stage0_update_0(%[[PART]], %[[G]])
// CHECK: return %[[NEW]]

// Rank 1 has one sample of each microbatch: one function serves both.
// CHECK-LABEL: func.func @rank1
// CHECK: call @stage0_forward_2
// CHECK: call @stage0_forward_2

// CHECK-LABEL: func.func @rank2
// CHECK: %[[A:.*]] = hetero.recv from 0 : tensor<4x6xf32>
// CHECK: %[[B:.*]] = hetero.recv from 1 : tensor<1x6xf32>
// CHECK: stablehlo.concatenate %[[A]], %[[B]], dim = 0

hetero.mesh @stage0 = [0, 1]
hetero.mesh @stage1 = [2]
hetero.plan @plan of @step planner "hand" minimizes time
    batch 8 microbatches [5, 3] predicted 1.2 ms {
  hetero.stage 0 on @stage0 layers [0] samples [[4, 1], [2, 1]] in_flight 2
  hetero.stage 1 on @stage1 layers [1] samples [[5], [3]] in_flight 1
}
func.func @step(
  %w0: tensor<4x6xf32>
          {hetero.role = #hetero.role<parameter>, hetero.storage = #hetero.sharding<@stage0, split 0 : [1, 3]>},
  %w1: tensor<6x2xf32>
          {hetero.role = #hetero.role<parameter>},
  %x: tensor<8x4xf32>
         {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32>
         {hetero.role = #hetero.role<updated_state of 0>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x2xf32>
  %rate0 = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %rate1 = stablehlo.constant dense<0.1> : tensor<6x2xf32>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<0, forward>}
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %y = stablehlo.dot_general %h, %w1, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<1, forward>}
      : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] {hetero.layer = #hetero.layer<1, forward>}
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %dw1 = stablehlo.dot_general %h, %one, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<1, backward>}
      : (tensor<8x6xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  %dh = stablehlo.dot_general %one, %w1, contracting_dims = [1] x [1] {hetero.layer = #hetero.layer<1, backward>}
      : (tensor<8x2xf32>, tensor<6x2xf32>) -> tensor<8x6xf32>
  %dw0 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u0 = stablehlo.multiply %dw0, %rate0  {hetero.layer = #hetero.layer<0, update>}: tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0, %u0  {hetero.layer = #hetero.layer<0, update>}: tensor<4x6xf32>
  %u1 = stablehlo.multiply %dw1, %rate1  {hetero.layer = #hetero.layer<1, update>}: tensor<6x2xf32>
  %n1 = stablehlo.subtract %w1, %u1  {hetero.layer = #hetero.layer<1, update>}: tensor<6x2xf32>
  return %loss, %n0, %n1 : tensor<f32>, tensor<4x6xf32>, tensor<6x2xf32>
}
