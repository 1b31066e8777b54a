// RUN: hetero-opt %s --hetero-select-collectives --split-input-file --verify-diagnostics

// expected-error @below {{has no rank programs; run hetero-partition first}}
module {
}

// -----

func.func @rank0(%x: tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [0]>} {
  // expected-error @below {{is started by rank 0 and never waited for}}
  %0 = hetero.send %x to 1 : tensor<4xf32> -> !hetero.handle
  return
}
