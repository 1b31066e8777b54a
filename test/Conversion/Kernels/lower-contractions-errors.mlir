// RUN: hetero-opt %s -hetero-lower-contractions | FileCheck %s

// The pass has no errors: what the library does not take stays a loop.

// CHECK-LABEL: func.func @unknown_layout
// CHECK-NOT: hetero.call_library
// CHECK: linalg.generic
// CHECK-NOT: hetero.contraction
func.func @unknown_layout(%a: memref<4x8xf32, strided<[?, 1]>>, %b: memref<8x6xf32>, %c: memref<4x6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32, strided<[?, 1]>>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
