// RUN: hetero-opt %s -inline | FileCheck %s

// A call inside the regions of stablehlo ops is replaced by its callee.
// CHECK-LABEL: func.func @step
// CHECK-NOT: call
// CHECK: stablehlo.while
// CHECK: stablehlo.compare LT
// CHECK: do
// CHECK: "stablehlo.if"
// CHECK: stablehlo.negate
// CHECK: stablehlo.reduce
// CHECK: stablehlo.maximum
// CHECK-NOT: call
func.func @step(%x: tensor<4xf32>, %n: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = stablehlo.while(%a = %x) : tensor<4xf32> cond {
    %1 = func.call @less(%n) : (tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @less(%n) : (tensor<f32>) -> tensor<i1>
    %2 = "stablehlo.if"(%1) ({
      %4 = func.call @silu(%a) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %4 : tensor<4xf32>
    }, {
      stablehlo.return %a : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }
  %3 = stablehlo.reduce(%0 init: %n) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%b: tensor<f32>, %c: tensor<f32>) {
    %4 = func.call @max(%b, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }
  return %0, %3 : tensor<4xf32>, tensor<f32>
}

func.func private @less(%a: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func private @silu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func private @max(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
