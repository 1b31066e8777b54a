// RUN: hetero-opt %s -split-input-file -hetero-lower-host-to-cuda -verify-diagnostics

func.func @store(%a: memref<f32>, %x: f32) {
  // expected-error @+1 {{has not become a kernel: 'memref.store' on the host is not supported on CUDA}}
  memref.store %x, %a[] : memref<f32>
  return
}

// -----

func.func @complex(%a: memref<complex<f64>>) -> complex<f64> {
  // expected-error @+1 {{a decision on the host that depends on 'complex<f64>' is not supported on CUDA}}
  %0 = memref.load %a[] : memref<complex<f64>>
  return %0 : complex<f64>
}
