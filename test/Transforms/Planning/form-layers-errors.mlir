// RUN: not hetero-opt %s --hetero-form-layers=max-layers=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: hetero-opt %s --hetero-form-layers --verify-diagnostics

// ZERO: error: max-layers is 0 and must be at least 1

// expected-error @below {{has no argument with the role 'batch', so there is nothing to share out}}
func.func @no_batch(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
