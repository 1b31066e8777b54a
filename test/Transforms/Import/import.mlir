// RUN: hetero-opt --hetero-import %s | FileCheck %s
// RUN: hetero-opt --hetero-import --hetero-import %s | FileCheck %s
// RUN: hetero-opt --hetero-import="infer-roles=false" %s | FileCheck %s --check-prefix=PLAIN

// One function with roles, without calls, CHLO or dead code.
// CHECK-LABEL: func.func public @main
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<batch>
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<loss>
// CHECK-NOT: call
// CHECK-NOT: chlo.
// CHECK-NOT: stablehlo.sine
// PLAIN-NOT: hetero.role
module @jit_step {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
    %dead = stablehlo.sine %w : tensor<4xf32>
    %0 = call @square(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %loss = stablehlo.dot_general %0, %x, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %w1 = stablehlo.subtract %w, %x : tensor<4xf32>
    return %w1, %loss : tensor<4xf32>, tensor<f32>
  }
  func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
