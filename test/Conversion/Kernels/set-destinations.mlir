// RUN: hetero-opt %s -hetero-set-destinations | FileCheck %s

// CHECK-LABEL: func.func @two_results
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {bufferization.writable = false}, %[[FIRST:.*]]: memref<4xf32>, %[[SECOND:.*]]: memref<4xf32>)
// CHECK-SAME: attributes {hetero.kernel}
func.func @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {jax.result_info = "y"}) {
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[FIRST]]
  // CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[SECOND]]
  // CHECK: return{{$}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0, %x : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
