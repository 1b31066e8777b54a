// RUN: hetero-opt %s -split-input-file -hetero-lower-to-linalg -verify-diagnostics

func.func @unknown_call(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stablehlo.custom_call}}
  %0 = stablehlo.custom_call @nobody_knows(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{an argument of type 'tensor<?xf32>' is not supported on}}
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

// expected-error @+1 {{has 2 blocks, and a kernel has one}}
func.func @blocks(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %a : tensor<4xf32>
}
