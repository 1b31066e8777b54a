// A step with a plan: two stages, three devices that share samples and state
// unevenly. It is equal to the same step on one device, and both are equal to
// the rank programs that were written in between.

// RUN: rm -rf %t && mkdir %t
// RUN: hetero-run %s --steps=2 --seed=3 --out=%t/plan.npz --emit-partitioned=%t/ranks.mlir --trace=%t/run.json | FileCheck %s
// RUN: hetero-run %t/ranks.mlir --steps=2 --seed=3 --compare=%t/plan.npz --rtol=0 | FileCheck %s --check-prefix=SAME
// RUN: sed -e '/hetero.mesh/d;/hetero.plan/,/^}/d;s/hetero.storage = [^>]*>,//' %s > %t/one.mlir
// RUN: hetero-run %t/one.mlir --steps=2 --seed=3 --compare=%t/plan.npz | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=TRACE < %t/run.json

// CHECK: step 1: loss [[LOSS:.*]]
// CHECK-NEXT: step 2: loss
// SAME: step 2: loss
// SAME-NEXT: 3 results agree; the largest differences:
// TRACE: forward

hetero.mesh @stage0 = [0, 1]
hetero.mesh @stage1 = [2]
hetero.plan @plan of @step planner "hand" minimizes time
    batch 8 microbatches [5, 3] predicted 1.2 ms {
  hetero.stage 0 on @stage0 layers [0] samples [[4, 1], [2, 1]] in_flight 2
  hetero.stage 1 on @stage1 layers [1] samples [[5], [3]] in_flight 1
}
func.func @step(
  %w0: tensor<4x6xf32> {hetero.storage = #hetero.sharding<@stage0, split 0 : [1, 3]>, hetero.role = #hetero.role<parameter>},
  %w1: tensor<6x2xf32> {hetero.role = #hetero.role<parameter>},
  %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>},
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
  %u0 = stablehlo.multiply %dw0, %rate0 {hetero.layer = #hetero.layer<0, update>} : tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0, %u0 {hetero.layer = #hetero.layer<0, update>} : tensor<4x6xf32>
  %u1 = stablehlo.multiply %dw1, %rate1 {hetero.layer = #hetero.layer<1, update>} : tensor<6x2xf32>
  %n1 = stablehlo.subtract %w1, %u1 {hetero.layer = #hetero.layer<1, update>} : tensor<6x2xf32>
  return %loss, %n0, %n1 : tensor<f32>, tensor<4x6xf32>, tensor<6x2xf32>
}
