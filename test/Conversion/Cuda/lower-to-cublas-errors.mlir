// RUN: hetero-opt %s -hetero-lower-to-cublas | FileCheck %s

// The pass has no errors: what cuBLAS does not take stays a loop.

// CHECK-LABEL: func.func @mixed_types
// CHECK-NOT: hetero.call_library
// CHECK: linalg.generic
// CHECK-NOT: hetero.contraction
func.func @mixed_types(%a: memref<4x8xf32>, %b: memref<8x6xf64>, %c: memref<4x6xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x6xf64>) outs(%c : memref<4x6xf64>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f64, %s: f64):
    %w = arith.extf %x : f32 to f64
    %p = arith.mulf %w, %y : f64
    %t = arith.addf %s, %p : f64
    linalg.yield %t : f64
  }
  return
}
