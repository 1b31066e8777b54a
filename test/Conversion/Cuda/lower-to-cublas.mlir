// RUN: hetero-opt %s -hetero-lower-to-cublas | FileCheck %s

// type 11 is f32, 10 bf16, 12 f64: ElementType of hetero/Runtime/Program.h

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// A product of matrices, the fill goes into the call.
// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: memref<4x8xf32>, %b: memref<8x6xf32>, %c: memref<4x6xf32>) {
  // CHECK-NOT: linalg
  // CHECK: hetero.call_library @hetero_cuda_gemm [11, 11, 0, 1, 4, 6, 8, 0, 8, 1, 0, 6, 1, 0, 6, 1, 0]
  // CHECK-SAME: reads %arg0, %arg1 : memref<4x8xf32>, memref<8x6xf32> writes %arg2 : memref<4x6xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x6xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// CHECK-LABEL: func.func @accumulates
func.func @accumulates(%a: memref<4x8xf32>, %b: memref<8x6xf32>, %c: memref<4x6xf32>) {
  // CHECK: hetero.call_library @hetero_cuda_gemm [11, 11, 1, 1, 4, 6, 8, 0, 8, 1, 0, 6, 1, 0, 6, 1, 0] accumulates
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// Queries times keys, with heads between positions and features: the heads are
// the batch, samples a loop around it.
// CHECK-LABEL: func.func @heads
func.func @heads(%q: memref<2x5x3x16xf32>, %k: memref<2x7x3x16xf32>, %s: memref<2x3x5x7xf32>) {
  // CHECK: hetero.call_library @hetero_cuda_gemm [11, 11, 0, 3, 5, 7, 16, 16, 48, 1, 16, 1, 48, 35, 7, 1, 1, 2, 240, 336, 105]
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<2x3x5x7xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(b, h, i, j, k) -> (b, i, h, k)>, affine_map<(b, h, i, j, k) -> (b, j, h, k)>,
                       affine_map<(b, h, i, j, k) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%q, %k : memref<2x5x3x16xf32>, memref<2x7x3x16xf32>) outs(%s : memref<2x3x5x7xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %p = arith.mulf %x, %y : f32
    %u = arith.addf %t, %p : f32
    linalg.yield %u : f32
  }
  return
}

// 16-bit floats are summed in f32.
// CHECK-LABEL: func.func @narrow
func.func @narrow(%a: memref<4x8xbf16>, %b: memref<8x6xbf16>, %c: memref<4x6xf32>) {
  // CHECK: hetero.call_library @hetero_cuda_gemm [10, 11, 0, 1, 4, 6, 8, 0, 8, 1, 0, 6, 1, 0, 6, 1, 0]
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x6xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xbf16>, memref<8x6xbf16>) outs(%c : memref<4x6xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %v = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// Integers are not for cuBLAS.
// CHECK-LABEL: func.func @integers
func.func @integers(%a: memref<4x8xi32>, %b: memref<8x6xi32>, %c: memref<4x6xi32>) {
  // CHECK-NOT: hetero.call_library
  // CHECK: linalg.generic
  // CHECK-NOT: hetero.contraction
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xi32>, memref<8x6xi32>) outs(%c : memref<4x6xi32>) attrs = {hetero.contraction} {
  ^bb0(%x: i32, %y: i32, %s: i32):
    %p = arith.muli %x, %y : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// cuBLAS does not go backwards.
// CHECK-LABEL: func.func @backwards
func.func @backwards(%a: memref<4x8xf32>, %b: memref<8x6xf32>, %c: memref<4x6xf32>) {
  // CHECK-NOT: hetero.call_library
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, -k + 7)>, #b, #c],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) attrs = {hetero.contraction} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// A small convolution would be nine small products: a kernel is better.
// CHECK-LABEL: func.func @small_window
func.func @small_window(%x: memref<1x6x6x4xf32>, %k: memref<3x3x4x5xf32>, %y: memref<1x4x4x5xf32>) {
  // CHECK-NOT: hetero.call_library
  // CHECK: linalg.generic
  linalg.generic {
      indexing_maps = [affine_map<(n, h, w, o, p, q, i) -> (n, h + p, w + q, i)>, affine_map<(n, h, w, o, p, q, i) -> (p, q, i, o)>,
                       affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %k : memref<1x6x6x4xf32>, memref<3x3x4x5xf32>) outs(%y : memref<1x4x4x5xf32>) attrs = {hetero.contraction} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// A large one is a loop over the rows of the window.
// CHECK-LABEL: func.func @large_window
func.func @large_window(%x: memref<1x34x34x64xf32>, %k: memref<3x3x64x32xf32>, %y: memref<1x32x32x32xf32>) {
  // CHECK-NOT: linalg.generic
  // batch 32 x 32x32x192, a loop over the rows of the window
  // CHECK: hetero.call_library @hetero_cuda_gemm [11, 11, 1, 32, 32, 32, 192, 64, 2176, 1, 0, 32, 1, 32, 1024, 1, 1, 3, 2176, 6144, 0] accumulates
  linalg.generic {
      indexing_maps = [affine_map<(n, h, w, o, p, q, i) -> (n, h + p, w + q, i)>, affine_map<(n, h, w, o, p, q, i) -> (p, q, i, o)>,
                       affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %k : memref<1x34x34x64xf32>, memref<3x3x64x32xf32>) outs(%y : memref<1x32x32x32xf32>) attrs = {hetero.contraction} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}
