// RUN: hetero-opt %s -hetero-select-branches -split-input-file -verify-diagnostics

// expected-error @+1 {{has 2 blocks, and a step has one}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}
