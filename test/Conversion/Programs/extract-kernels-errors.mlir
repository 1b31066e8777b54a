// RUN: hetero-opt %s -hetero-extract-kernels -verify-diagnostics

// expected-error @+1 {{an argument has no hetero.part, so it is not known what it is of the step}}
func.func @rank0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hetero.program = #hetero.program<on [0]>} {
  return %x : tensor<4xf32>
}
