// RUN: hetero-opt %s -split-input-file -hetero-cuda-pipeline="arch=sm_80 format=ptx" -verify-diagnostics

func.func @hessenberg(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{stablehlo.custom_call with target 'lapack_sgehrd_ffi' is not supported on CUDA}}
  %0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {low = 1 : i32, high = 4 : i32}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<i32>)
  return %0#0 : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{an argument of type 'tensor<?xf32>' is not supported on CUDA}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
