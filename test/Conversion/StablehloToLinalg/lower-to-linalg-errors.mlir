// RUN: hetero-opt %s -split-input-file -hetero-lower-to-linalg -verify-diagnostics

func.func @unknown_call(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stablehlo.custom_call with target 'nobody_knows' is not supported on the CPU}}
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

// -----

func.func @too_few(%a: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{calls 'lapack_sorgqr_ffi' with 1 operands, but it has 2}}
  %0 = stablehlo.custom_call @lapack_sorgqr_ffi(%a) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

func.func @results(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{calls 'lapack_spotrf_ffi' for 1 results, but it has 2}}
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @no_option(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>) {
  // expected-error @+1 {{calls 'lapack_spotrf_ffi' without the attribute 'uplo'}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<i32>
}

// -----

func.func @half(%a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error @+1 {{stablehlo.cholesky with these element types is not supported on the CPU}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}
