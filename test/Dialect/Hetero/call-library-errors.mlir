// RUN: hetero-opt %s -split-input-file -verify-diagnostics

func.func @layout(%a: memref<4xf32, affine_map<(i) -> (i floordiv 2)>>) {
  // expected-error @+1 {{call_library_c1: operand 0 is 'memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>', whose layout is not strided}}
  hetero.call_library @f [1] reads %a : memref<4xf32, affine_map<(i) -> (i floordiv 2)>>
  return
}

// -----

func.func @elements(%a: memref<4xf32>, %b: memref<4xmemref<2xf32>>) {
  // expected-error @+1 {{call_library_c2: operand 1 has elements of 'memref<2xf32>', which have no size}}
  hetero.call_library @f [1] reads %a : memref<4xf32> writes %b : memref<4xmemref<2xf32>>
  return
}
