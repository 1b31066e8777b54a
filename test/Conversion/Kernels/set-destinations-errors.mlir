// RUN: hetero-opt %s -split-input-file -hetero-set-destinations -verify-diagnostics

// expected-error @+1 {{returns 'f32', and a kernel returns ranked tensors}}
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @+1 {{has 2 blocks, and a kernel has one}}
func.func @blocks(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %a : tensor<4xf32>
}
