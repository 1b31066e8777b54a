// RUN: not hetero-opt %s --hetero-form-layers=max-layers=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: hetero-opt %s --hetero-form-layers --verify-diagnostics

// NEGATIVE: error: max-layers is -1 and must be at least 0, for no limit

// expected-error @below {{has no argument with the role 'batch', so there is nothing to share out}}
func.func @no_batch(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
