// RUN: hetero-opt %s --hetero-form-layers=max-layers=2 > %t
// RUN: FileCheck %s < %t
// RUN: hetero-opt %t --hetero-form-layers=max-layers=1 | diff %t -

// Layers that are there stay as they are, whatever is asked for.

// CHECK: hetero.layer_table @layers {
// CHECK-NEXT: hetero.layer 0 "layer_0" forward 48 FLOP backward 48 FLOP parameters 96 B saved 24 B output 24 B
// CHECK-NEXT: hetero.layer 1 "layer_1" forward {{[0-9]+}} FLOP backward {{[0-9]+}} FLOP parameters 48 B saved 0 B output 0 B

// CHECK-LABEL: func.func @step
func.func @step(
  %w0: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>},
  %m0: tensor<4x6xf32> {hetero.role = #hetero.role<optimizer_state>},
  %w1: tensor<6x2xf32> {hetero.role = #hetero.role<parameter>},
  %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>},
  %t: tensor<8x2xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 1>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 2>}) {
  // What depends on no argument belongs to no layer.
  // CHECK-NOT: hetero.layer
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  // CHECK: dot_general {{.*}}hetero.layer<0, forward>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK: dot_general {{.*}}hetero.layer<1, forward>
  %y = stablehlo.dot_general %h, %w1, contracting_dims = [1] x [0]
      : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  // CHECK: multiply {{.*}}hetero.layer<1, forward>
  %e = stablehlo.multiply %y, %t : tensor<8x2xf32>
  // CHECK: reduce{{.*}}hetero.layer<1, forward>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  // The gradient of the second layer uses what the first one handed over.
  // CHECK: dot_general {{.*}}hetero.layer<1, backward>
  %g1 = stablehlo.dot_general %h, %t, contracting_dims = [0] x [0]
      : (tensor<8x6xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  // CHECK: dot_general {{.*}}hetero.layer<1, backward>
  %dh = stablehlo.dot_general %t, %w1, contracting_dims = [1] x [1]
      : (tensor<8x2xf32>, tensor<6x2xf32>) -> tensor<8x6xf32>
  // CHECK: dot_general {{.*}}hetero.layer<0, backward>
  %g0 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0]
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  // The decay of a moment goes with the gradient that it meets.
  // CHECK: multiply {{.*}}hetero.layer<0, update>
  %d0 = stablehlo.multiply %m0, %rate : tensor<4x6xf32>
  // CHECK: add {{.*}}hetero.layer<0, update>
  %s0 = stablehlo.add %d0, %g0 : tensor<4x6xf32>
  // CHECK: subtract {{.*}}hetero.layer<0, update>
  %n0 = stablehlo.subtract %w0, %s0 : tensor<4x6xf32>
  // CHECK: subtract {{.*}}hetero.layer<1, update>
  %n1 = stablehlo.subtract %w1, %g1 : tensor<6x2xf32>
  return %loss, %n0, %s0, %n1 : tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x2xf32>
}
