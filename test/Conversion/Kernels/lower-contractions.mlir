// RUN: hetero-opt %s -hetero-lower-contractions | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#b_transposed = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#trait = {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
#transposed = {indexing_maps = [#a, #b_transposed, #c], iterator_types = ["parallel", "parallel", "reduction"]}

// Three dimensions, accumulated; then for each dimension its size and the step
// of each operand.

// CHECK-LABEL: func.func @product
func.func @product(%a: memref<4x8xf32>, %b: memref<8x6xf32>, %c: memref<4x6xf32>) {
  // CHECK: hetero.call_library @hetero_contract_f32 [3, 1, 4, 8, 0, 6, 6, 0, 1, 1, 8, 1, 6, 0] accumulates
  // CHECK-SAME: reads %arg0, %arg1 : memref<4x8xf32>, memref<8x6xf32> writes %arg2 : memref<4x6xf32>
  // CHECK-NOT: linalg.generic
  linalg.generic #trait ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// A transposed operand needs no copy.
// CHECK-LABEL: func.func @turned
func.func @turned(%a: memref<4x8xf32>, %b: memref<6x8xf32>, %c: memref<4x6xf32>) {
  // CHECK: hetero.call_library @hetero_contract_f32 [3, 1, 4, 8, 0, 6, 6, 0, 8, 1, 8, 1, 1, 0]
  linalg.generic #transposed ins(%a, %b : memref<4x8xf32>, memref<6x8xf32>) outs(%c : memref<4x6xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// Other types stay loops.
// CHECK-LABEL: func.func @integers
func.func @integers(%a: memref<4x8xi32>, %b: memref<8x6xi32>, %c: memref<4x6xi32>) {
  // CHECK-NOT: hetero.call_library
  // CHECK: linalg.generic
  // CHECK-NOT: hetero.contraction
  linalg.generic #trait ins(%a, %b : memref<4x8xi32>, memref<8x6xi32>) outs(%c : memref<4x6xi32>) attrs = {hetero.contraction} {
  ^bb0(%x: i32, %y: i32, %s: i32):
    %p = arith.muli %x, %y : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}
