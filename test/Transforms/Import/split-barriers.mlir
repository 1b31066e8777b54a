// RUN: hetero-opt %s -hetero-split-barriers | FileCheck %s
// RUN: hetero-opt %s -hetero-split-barriers -hetero-split-barriers | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4x4xf32>
func.func @step(%w: tensor<4x4xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>},
                %scale: tensor<f32> {hetero.role = #hetero.role<hyper_parameter>})
    -> (tensor<8x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<8x4xf32>) {
  // CHECK: %[[H:.*]] = stablehlo.dot_general
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[SCALE:.*]] = stablehlo.negate
  %s = stablehlo.negate %scale : tensor<f32>
  // CHECK: %[[SAME:.*]]:2 = stablehlo.optimization_barrier %[[W]], %[[SCALE]]
  // CHECK: %[[OTHER:.*]] = stablehlo.optimization_barrier %[[H]]
  %0:3 = stablehlo.optimization_barrier %w, %h, %s : tensor<4x4xf32>, tensor<8x4xf32>, tensor<f32>
  // What follows from one barrier counts in the next.
  // CHECK: %[[ALL:.*]]:2 = stablehlo.optimization_barrier %[[OTHER]], %[[H]]
  %1:2 = stablehlo.optimization_barrier %0#1, %h : tensor<8x4xf32>, tensor<8x4xf32>
  // CHECK: return %[[ALL]]#0, %[[SAME]]#0, %[[SAME]]#1, %[[ALL]]#1
  return %1#0, %0#0, %0#2, %1#1 : tensor<8x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<8x4xf32>
}

// Values that reach a barrier through a region.
// CHECK-LABEL: func.func @region
func.func @region(%w: tensor<4xf32>, %x: tensor<4xf32> {hetero.role = #hetero.role<batch>}, %p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %w : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: stablehlo.optimization_barrier %arg0 : tensor<4xf32>
  // CHECK: stablehlo.optimization_barrier %{{[0-9]+}} : tensor<4xf32>
  %1:2 = stablehlo.optimization_barrier %0, %w : tensor<4xf32>, tensor<4xf32>
  return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
}

// Without roles nothing is known.
// CHECK-LABEL: func.func @no_roles
func.func @no_roles(%w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: stablehlo.optimization_barrier %arg0, %arg1
  %0:2 = stablehlo.optimization_barrier %w, %x : tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func private @declared
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
