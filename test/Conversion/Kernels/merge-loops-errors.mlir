// RUN: hetero-opt %s -hetero-merge-loops -split-input-file -verify-diagnostics | FileCheck %s

// What has no body, or control flow, comes out as it is.
// CHECK: func.func private @external
func.func private @external(memref<4xf32>)

// -----

// CHECK-LABEL: func.func @blocks
// CHECK: cf.br
func.func @blocks(%x: memref<4xf32>) {
  cf.br ^next
^next:
  return
}

// -----

// A loop that is not one is refused before.
func.func @wrong_type(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{expected type of bb argument #0 ('f64') to match element or self type of the corresponding operand ('f32')}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%i: f64, %o: f32):
    linalg.yield %o : f32
  }
  return
}
