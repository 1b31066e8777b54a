// RUN: hetero-opt %s -split-input-file -hetero-cuda-pipeline="arch=sm_80 format=ptx" -verify-diagnostics

func.func @half(%a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error @+1 {{stablehlo.cholesky with these element types is not supported on CUDA}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// -----

// expected-error @+1 {{an argument of type 'tensor<?xf32>' is not supported on CUDA}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
