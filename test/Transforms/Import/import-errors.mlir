// RUN: hetero-opt --hetero-import --split-input-file --verify-diagnostics %s

// The types are checked before anything is rewritten.
func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) -> tensor<f32> {
  // expected-error @below {{op has a dynamic shape}}
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  return %1 : tensor<f32>
}
