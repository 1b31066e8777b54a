// RUN: hetero-opt %s -hetero-extract-kernels -split-input-file | FileCheck %s
// RUN: hetero-opt %s -hetero-extract-kernels -hetero-extract-kernels -split-input-file | FileCheck %s

// CHECK-NOT: hetero.mesh
// CHECK-NOT: @rank0
// CHECK: func.func @unit(
// CHECK: stablehlo.negate
// CHECK-NOT: @rank1

hetero.mesh @both = [0, 1]
func.func private @unit(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @rank0(%x: tensor<4xf32> {hetero.part = #hetero.part<0 : [0 to 4]>})
    -> (tensor<4xf32> {hetero.part = #hetero.part<0 : [0 to 4]>}) attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = call @unit(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = hetero.all_reduce sum %0 over @both : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @rank1(%x: tensor<4xf32> {hetero.part = #hetero.part<0 : [4 to 8]>})
    -> (tensor<4xf32> {hetero.part = #hetero.part<0 : [0 to 4]>}) attributes {hetero.program = #hetero.program<on [1]>} {
  %0 = call @unit(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = hetero.all_reduce sum %0 over @both : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A program that does not communicate is one kernel.
// CHECK-NOT: @first
// CHECK: func.func @rank0_step(%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[NEGATED:.*]] = stablehlo.negate %[[X]]
// CHECK: %[[SUM:.*]] = stablehlo.add %[[NEGATED]], %[[X]]
// CHECK: return %[[SUM]]

func.func private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @second(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @rank0(%x: tensor<4xf32> {hetero.part = #hetero.part<0 : [0 to 4]>})
    -> (tensor<4xf32> {hetero.part = #hetero.part<0 : [0 to 4]>}) attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = call @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @second(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
