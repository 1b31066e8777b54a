// RUN: hetero-opt %s --hetero-form-layers=max-layers=2 | FileCheck %s

// Both layers use the broadcast scale: each gets one of its own, and the scale
// itself is what goes from the first to the second.
// CHECK: hetero.layer 0 {{.*}} output 24 B
// CHECK-LABEL: func.func @step
// CHECK: %[[SCALE:.*]] = stablehlo.negate {{.*}}hetero.layer<0, forward>
// CHECK: %[[FIRST:.*]] = stablehlo.broadcast_in_dim %[[SCALE]], {{.*}}hetero.layer<0, forward>
// CHECK: stablehlo.multiply %{{.*}}, %[[FIRST]] {{.*}}hetero.layer<0, forward>
// CHECK: %[[SECOND:.*]] = stablehlo.broadcast_in_dim %[[SCALE]], {{.*}}hetero.layer<1, forward>
// CHECK: stablehlo.multiply %{{.*}}, %[[SECOND]] {{.*}}hetero.layer<1, forward>
func.func @step(
  %w0: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>},
  %w1: tensor<6x6xf32> {hetero.role = #hetero.role<parameter>},
  %s: tensor<f32>,
  %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<6x6xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.negate %s : tensor<f32>
  %b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %hs = stablehlo.multiply %h, %b : tensor<8x6xf32>
  %y = stablehlo.dot_general %hs, %w1, contracting_dims = [1] x [0]
      : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  %ys = stablehlo.multiply %y, %b : tensor<8x6xf32>
  %loss = stablehlo.reduce(%ys init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
  %g1 = stablehlo.dot_general %hs, %b, contracting_dims = [0] x [0]
      : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<6x6xf32>
  %d = stablehlo.dot_general %b, %w1, contracting_dims = [1] x [1]
      : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  %g0 = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0]
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u0 = stablehlo.subtract %w0, %g0 : tensor<4x6xf32>
  %u1 = stablehlo.subtract %w1, %g1 : tensor<6x6xf32>
  return %loss, %u0, %u1 : tensor<f32>, tensor<4x6xf32>, tensor<6x6xf32>
}
