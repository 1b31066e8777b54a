// RUN: hetero-opt %s -hetero-reuse-destinations -split-input-file -verify-diagnostics

// What else may be in the buffer is not known.
func.func @shared_buffer(%x: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{to_tensor ops without `restrict` are not supported by One-Shot Analysis}}
  %t = bufferization.to_tensor %x : memref<4xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %t in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
