// RUN: hetero-opt %s -hetero-lower-to-linalg=target=cuda -split-input-file -verify-diagnostics | FileCheck %s

// cuFFT does not divide.
// CHECK-LABEL: func.func @inverse
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xcomplex<f32>>)
func.func @inverse(%x: tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32> {
  // CHECK: %[[FROM:.*]] = bufferization.to_buffer %[[X]] read_only
  // CHECK: %[[TO:.*]] = memref.alloc() : memref<2x6xf32>
  // CHECK: hetero.call_library @hetero_cuda_fft [3, 0, 2, 1, 6] in_list reads %[[FROM]] : memref<2x4xcomplex<f32>> writes %[[TO]] : memref<2x6xf32>
  // CHECK: %[[SUMS:.*]] = bufferization.to_tensor %[[TO]] restrict
  // CHECK: linalg.generic
  // CHECK: %[[SUM:.*]] = tensor.extract %[[SUMS]]
  // CHECK: arith.mulf %[[SUM]], %{{.*}} : f32
  %0 = stablehlo.fft %x, type = IRFFT, length = [6] : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// Forward there is nothing to divide.
// CHECK-LABEL: func.func @forward
// CHECK: hetero.call_library @hetero_cuda_fft [2, 0, 2, 1, 6]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @forward(%x: tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
  return %0 : tensor<2x4xcomplex<f32>>
}

// cuSOLVER says whether there is a factor, and leaves the other triangle alone.
// CHECK-LABEL: func.func @cholesky
func.func @cholesky(%a: tensor<3x4x4xf64>) -> tensor<3x4x4xf64> {
  // CHECK: %[[FACTOR:.*]] = memref.alloc() : memref<3x4x4xf64>
  // CHECK: %[[INFO:.*]] = memref.alloc() : memref<3xi32>
  // CHECK: hetero.call_library @hetero_cuda_lapack [0, 1, 3, 4, 4, 0, 76, 0, 0, 0] in_list reads %{{.*}} writes %[[FACTOR]], %[[INFO]]
  // CHECK: %[[INFOS:.*]] = bufferization.to_tensor %[[INFO]]
  // CHECK: linalg.generic
  // CHECK: arith.cmpi sge
  // CHECK: tensor.extract %[[INFOS]]
  // CHECK: arith.select
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x4x4xf64>
  return %0 : tensor<3x4x4xf64>
}

// CHECK-LABEL: func.func @triangular
// CHECK: hetero.call_library @hetero_cuda_lapack [1, 0, 1, 4, 2, 0, 76, 85, 84, 78] in_list
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @triangular(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @unknown(%a: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{stablehlo.custom_call with target 'cusolver_geqrf_ffi' is not supported on CUDA}}
  %0 = stablehlo.custom_call @cusolver_geqrf_ffi(%a) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

func.func @half(%a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error @+1 {{stablehlo.cholesky with these element types is not supported on CUDA}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}
