// RUN: hetero-opt %s --hetero-partition --hetero-verify -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: hetero-opt %t.mlir --hetero-verify='remarks=true' -o %t.again.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: diff %t.mlir %t.again.mlir
// RUN: hetero-opt %S/../Partition/partition.mlir --hetero-partition --hetero-verify -o /dev/null

// Two stages. The first has two tensor members, so that a product is completed
// inside of its units, for each of two data members with uneven samples.

// CHECK-LABEL: func.func private @step(tensor<4x6xf32>
// CHECK-LABEL: func.func private @stage0_forward_0
// CHECK-SAME: hetero.forms = #hetero.forms<batch = split 0>
// CHECK: dot_general
// CHECK: dot_general
// CHECK-SAME: hetero.forms = [#hetero.forms<tensor = partial sum>]
// CHECK: hetero.all_reduce sum {{.*}} over @stage0(tensor)
// CHECK-LABEL: func.func private @stage0_backward_0
// CHECK-SAME: -> (tensor<4x4xf32> {hetero.forms = #hetero.forms<batch = partial sum, tensor = split 1 inner 2>}

// REMARK: remark: rank 0 needs the most memory here: {{[0-9]+}} bytes
// REMARK: remark: rank 4 needs the most memory here: {{[0-9]+}} bytes

hetero.mesh @stage0 (data = 2, tensor = 2) = [0, 1, 2, 3]
hetero.mesh @stage1 = [4]
hetero.plan @plan of @step planner "hand" minimizes time
    batch 8 microbatches [5, 3] predicted 1.2 ms {
  hetero.stage 0 on @stage0 layers [0] samples (data) [[4, 1], [2, 1]] in_flight 2
  hetero.stage 1 on @stage1 layers [1] samples [[5], [3]] in_flight 1
}
func.func @step(
    %w0: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>,
        hetero.sharding = #hetero.sharding<@stage0, tensor = split 1 : [4, 2]>},
    %w1: tensor<6x4xf32> {hetero.role = #hetero.role<parameter>,
        hetero.sharding = #hetero.sharding<@stage0, tensor = split 0 : [4, 2]>},
    %w2: tensor<4x2xf32> {hetero.role = #hetero.role<parameter>},
    %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<6x4xf32> {hetero.role = #hetero.role<updated_state of 1>},
        tensor<4x2xf32> {hetero.role = #hetero.role<updated_state of 2>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x2xf32>
  %rate0 = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %rate1 = stablehlo.constant dense<0.1> : tensor<6x4xf32>
  %rate2 = stablehlo.constant dense<0.1> : tensor<4x2xf32>
  %a = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<0, forward>}
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %h = stablehlo.dot_general %a, %w1, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<0, forward>}
      : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %t = stablehlo.tanh %h {hetero.layer = #hetero.layer<0, forward>} : tensor<8x4xf32>
  %y = stablehlo.dot_general %t, %w2, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<1, forward>}
      : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] {hetero.layer = #hetero.layer<1, forward>}
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %dw2 = stablehlo.dot_general %t, %one, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<1, backward>}
      : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %dt = stablehlo.dot_general %one, %w2, contracting_dims = [1] x [1] {hetero.layer = #hetero.layer<1, backward>}
      : (tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<8x4xf32>
  %dw1 = stablehlo.dot_general %a, %dt, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<8x6xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %da = stablehlo.dot_general %dt, %w1, contracting_dims = [1] x [1] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %dw0 = stablehlo.dot_general %x, %da, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u0 = stablehlo.multiply %dw0, %rate0 {hetero.layer = #hetero.layer<0, update>} : tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0, %u0 {hetero.layer = #hetero.layer<0, update>} : tensor<4x6xf32>
  %u1 = stablehlo.multiply %dw1, %rate1 {hetero.layer = #hetero.layer<0, update>} : tensor<6x4xf32>
  %n1 = stablehlo.subtract %w1, %u1 {hetero.layer = #hetero.layer<0, update>} : tensor<6x4xf32>
  %u2 = stablehlo.multiply %dw2, %rate2 {hetero.layer = #hetero.layer<1, update>} : tensor<4x2xf32>
  %n2 = stablehlo.subtract %w2, %u2 {hetero.layer = #hetero.layer<1, update>} : tensor<4x2xf32>
  return %loss, %n0, %n1, %n2 : tensor<f32>, tensor<4x6xf32>, tensor<6x4xf32>, tensor<4x2xf32>
}
