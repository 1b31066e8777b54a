// RUN: hetero-opt %s -hetero-reuse-destinations | FileCheck %s
// RUN: hetero-opt %s -hetero-reuse-destinations -hetero-reuse-destinations | FileCheck %s

// CHECK-LABEL: func.func @in_result
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<4xf32>
func.func @in_result(%x: tensor<4xf32>, %out: memref<4xf32>) {
  // CHECK: %[[START:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
  // CHECK: linalg.exp ins({{.*}}) outs(%[[START]] : tensor<4xf32>)
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// The result may be read by others.
// CHECK-LABEL: func.func @through_loop
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<4xf32>
func.func @through_loop(%x: f32, %out: memref<4xf32>, %other: memref<4xf32>) {
  // CHECK: %[[START:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
  // CHECK: linalg.fill {{.*}} outs(%[[START]] : tensor<4xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %z) -> tensor<4xf32> {
    %b = tensor.insert %x into %a[%i] : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %r in restrict writable %other : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// Either loop may be the one that goes on in place of the zeros.
// CHECK-LABEL: func.func @shared_start
func.func @shared_start(%x: f32, %y: f32, %first: memref<4xf32>, %second: memref<4xf32>) {
  // CHECK-NOT: to_tensor
  // CHECK: %[[START:.*]] = tensor.empty
  // CHECK: linalg.fill {{.*}} outs(%[[START]] : tensor<4xf32>)
  // CHECK-NOT: to_tensor
  // CHECK: return
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %z) -> tensor<4xf32> {
    %b = tensor.insert %x into %a[%i] : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %z) -> tensor<4xf32> {
    %b = tensor.insert %y into %a[%i] : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %first : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %s in restrict writable %second : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// The start is a result as well.
// CHECK-LABEL: func.func @start_is_result
func.func @start_is_result(%x: f32, %first: memref<4xf32>, %second: memref<4xf32>) {
  // CHECK-DAG: %[[VALUE:.*]] = bufferization.to_tensor %{{.*}} restrict writable
  // CHECK-DAG: linalg.fill {{.*}} outs(%[[VALUE]] : tensor<4xf32>)
  // CHECK-DAG: materialize_in_destination %{{.*}} in restrict writable %arg1
  // CHECK-DAG: materialize_in_destination %{{.*}} in writable %arg2
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert %x into %z[%c0] : tensor<4xf32>
  bufferization.materialize_in_destination %r in restrict writable %first : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %z in restrict writable %second : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
