// RUN: hetero-opt %s --hetero-schedule --hetero-partition | FileCheck %s
// RUN: hetero-opt %s --hetero-schedule --hetero-partition --hetero-select-collectives --hetero-verify -o /dev/null

// Two layers one after the other, both microbatches of each: the parameter of a
// layer is gathered before its forwards and again before its backwards, and its
// gradient is reduced after them.

// CHECK-LABEL: func.func @rank0
// CHECK-SAME: %[[P0:[a-z0-9]*]]: tensor<1x4xf32>
// CHECK-SAME: %[[P1:[a-z0-9]*]]: tensor<2x4xf32> {hetero.part = #hetero.part<1
// CHECK: %[[W0:.*]] = hetero.all_gather %[[P0]] split 0 : [1, 3]
// CHECK-NEXT: %[[W1:.*]] = hetero.all_gather %[[P1]] split 0 : [2, 2]
// CHECK: call @stage0_forward_{{.*}}%[[W0]]{{.*}}forward 0>
// CHECK: call @stage0_forward_{{.*}}%[[W0]]{{.*}}forward 1>
// CHECK: call @stage0_chunk1_forward_{{.*}}%[[W1]]{{.*}}forward 0 chunk 1>
// CHECK: call @stage0_chunk1_forward_{{.*}}%[[W1]]{{.*}}forward 1 chunk 1>
// CHECK: %[[AGAIN:.*]] = hetero.all_gather %[[P0]] split 0 : [1, 3]
// CHECK: call @stage0_chunk1_backward_{{.*}}%[[W1]]{{.*}}backward 0 chunk 1>
// CHECK: call @stage0_chunk1_backward_{{.*}}%[[W1]]{{.*}}backward 1 chunk 1>
// CHECK: %[[G1:.*]] = hetero.reduce_scatter sum %{{.*}} split 0 : [2, 2]
// CHECK: call @stage0_backward_
// CHECK: call @stage0_backward_
// CHECK: %[[G0:.*]] = hetero.reduce_scatter sum %{{.*}} split 0 : [1, 3]
// CHECK: call @stage0_update_0(%[[P0]], %[[G0]])
// CHECK: call @stage0_chunk1_update_0(%[[P1]], %[[G1]])

hetero.mesh @stage0 = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time
    batch 8 microbatches [5, 3] schedule layered predicted 1.2 ms {
  hetero.stage 0 on @stage0 layers [0, 1] samples [[4, 1], [2, 1]] in_flight 4 state full
}
func.func @step(
    %w0: tensor<4x4xf32> {hetero.role = #hetero.role<parameter>, hetero.storage = #hetero.sharding<@stage0, split 0 : [1, 3]>},
    %w1: tensor<4x4xf32> {hetero.role = #hetero.role<parameter>, hetero.storage = #hetero.sharding<@stage0, split 0 : [2, 2]>},
    %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<4x4xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<4x4xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<0, forward>}
      : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %t = stablehlo.tanh %h {hetero.layer = #hetero.layer<0, forward>} : tensor<8x4xf32>
  %y = stablehlo.dot_general %t, %w1, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<1, forward>}
      : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %g1 = stablehlo.dot_general %t, %y, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<1, backward>}
      : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %d = stablehlo.dot_general %y, %w1, contracting_dims = [1] x [1] {hetero.layer = #hetero.layer<1, backward>}
      : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.dot_general %d, %w0, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %g0 = stablehlo.dot_general %x, %e, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %n0 = stablehlo.subtract %w0, %g0 {hetero.layer = #hetero.layer<0, update>} : tensor<4x4xf32>
  %n1 = stablehlo.subtract %w1, %g1 {hetero.layer = #hetero.layer<1, update>} : tensor<4x4xf32>
  return %n0, %n1 : tensor<4x4xf32>, tensor<4x4xf32>
}
