// RUN: hetero-opt %s -hetero-outline-loops=device -verify-diagnostics

func.func @layout(%a: memref<4xf32, strided<[?], offset: ?>>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{reads or writes a buffer whose layout is not known when it is compiled, which is not supported on CUDA}}
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32, strided<[?], offset: ?>>)
  return
}
