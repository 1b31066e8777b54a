// RUN: hetero-opt %s -hetero-name-operations -verify-diagnostics --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// It has no errors of its own: what it cannot describe has a name alone, and
// what is not StableHLO is left as it is.

// CHECK-LABEL: func.func @no_tensor
func.func @no_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.create_token {{.*}} loc(fused<"create_token">[
  %token = stablehlo.create_token : !stablehlo.token
  // CHECK: arith.addf {{.*}} loc("
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
