// RUN: hetero-opt %s -hetero-cpu-pipeline -verify-diagnostics

func.func @unknown_call(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stablehlo.custom_call}}
  %0 = stablehlo.custom_call @nobody_knows(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
