// RUN: hetero-opt %s -split-input-file -hetero-cuda-pipeline="arch=sm_80 format=ptx" -verify-diagnostics

func.func @fft(%x: tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>> {
  // expected-error @+1 {{stablehlo.fft is not supported on CUDA}}
  %0 = stablehlo.fft %x, type = FFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  return %0 : tensor<16xcomplex<f32>>
}

// -----

// expected-error @+1 {{an argument of type 'tensor<?xf32>' is not supported on CUDA}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
