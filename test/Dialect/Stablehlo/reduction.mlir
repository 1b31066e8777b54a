// RUN: hetero-opt %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: hetero-opt %s | hetero-opt | FileCheck %s --match-full-lines --strict-whitespace
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s --match-full-lines --strict-whitespace
// RUN: hetero-opt -emit-bytecode %s | hetero-opt | FileCheck %s --match-full-lines --strict-whitespace


// A body that is one commutative op is written by its name.
//CHECK-LABEL:  func.func @reduce(%arg0: tensor<4x5xf32>, %arg1: tensor<f32>) -> tensor<4xf32> {
// CHECK-NEXT:    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:    %1 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [0, 1] {kind = "all"} : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %2 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
// CHECK-NEXT:    return %0 : tensor<4xf32>
// CHECK-NEXT:  }
func.func @reduce(%x: tensor<4x5xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [0, 1] {kind = "all"} : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%x init: %c) applies stablehlo.multiply across dimensions = [] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  return %0 : tensor<4xf32>
}

// The generic form of the same; the named op needs the body's two arguments in order.
//CHECK-LABEL:  func.func @reduce_generic(%arg0: tensor<4x5xf32>, %arg1: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:    %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
// CHECK-NEXT:      %2 = stablehlo.add %arg3, %arg2 : tensor<f32>
// CHECK-NEXT:      stablehlo.return %2 : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0, %1 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:  }
func.func @reduce_generic(%x: tensor<4x5xf32>, %c: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// An op that does not commute, and one whose type is not the input's.
//CHECK-LABEL:  func.func @reduce_long(%arg0: tensor<4x5xi8>, %arg1: tensor<i8>) -> (tensor<4xi8>, tensor<4xi32>) {
// CHECK-NEXT:    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] {kind = "difference"} : (tensor<4x5xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:     reducer(%arg2: tensor<i8>, %arg3: tensor<i8>)  {
// CHECK-NEXT:      %2 = stablehlo.subtract %arg2, %arg3 : tensor<i8>
// CHECK-NEXT:      stablehlo.return %2 : tensor<i8>
// CHECK-NEXT:    }
// CHECK-NEXT:    %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<4x5xi8>, tensor<i8>) -> tensor<4xi32>
// CHECK-NEXT:     reducer(%arg2: tensor<i32>, %arg3: tensor<i32>)  {
// CHECK-NEXT:      %2 = stablehlo.add %arg2, %arg3 : tensor<i32>
// CHECK-NEXT:      stablehlo.return %2 : tensor<i32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0, %1 : tensor<4xi8>, tensor<4xi32>
// CHECK-NEXT:  }
func.func @reduce_long(%x: tensor<4x5xi8>, %c: tensor<i8>) -> (tensor<4xi8>, tensor<4xi32>) {
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [1] {kind = "difference"} : (tensor<4x5xi8>, tensor<i8>) -> tensor<4xi8>
   reducer(%a: tensor<i8>, %b: tensor<i8>) {
    %2 = stablehlo.subtract %a, %b : tensor<i8>
    stablehlo.return %2 : tensor<i8>
  }
  %1 = stablehlo.reduce(%x init: %c) across dimensions = [1] : (tensor<4x5xi8>, tensor<i8>) -> tensor<4xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %2 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }
  return %0, %1 : tensor<4xi8>, tensor<4xi32>
}

// The maximum and where it is, as argmax computes them.
//CHECK-LABEL:  func.func @reduce_variadic(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>) {
// CHECK-NEXT:    %0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [0] : (tensor<4x?xf32>, tensor<4x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
// CHECK-NEXT:     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
// CHECK-NEXT:      %1 = stablehlo.compare GT, %arg4, %arg6 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:      %2 = stablehlo.select %1, %arg4, %arg6 : tensor<i1>, tensor<f32>
// CHECK-NEXT:      %3 = stablehlo.select %1, %arg5, %arg7 : tensor<i1>, tensor<i32>
// CHECK-NEXT:      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
// CHECK-NEXT:  }
func.func @reduce_variadic(%x: tensor<4x?xf32>, %i: tensor<4x?xi32>, %c: tensor<f32>, %d: tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %0:2 = stablehlo.reduce(%x init: %c), (%i init: %d) across dimensions = [0] : (tensor<4x?xf32>, tensor<4x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
}

// Bounds of the dimensions that are left are kept.
//CHECK-LABEL:  func.func @reduce_bounded(%arg0: tensor<?x?x4xf32, #stablehlo.bounds<8, 6, ?>>, %arg1: tensor<f32>) -> tensor<?x4xf32, #stablehlo.bounds<6, ?>> {
// CHECK-NEXT:    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.minimum across dimensions = [0] : (tensor<?x?x4xf32, #stablehlo.bounds<8, 6, ?>>, tensor<f32>) -> tensor<?x4xf32, #stablehlo.bounds<6, ?>>
// CHECK-NEXT:    return %0 : tensor<?x4xf32, #stablehlo.bounds<6, ?>>
// CHECK-NEXT:  }
func.func @reduce_bounded(%x: tensor<?x?x4xf32, #stablehlo.bounds<8, 6, ?>>, %c: tensor<f32>) -> tensor<?x4xf32, #stablehlo.bounds<6, ?>> {
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.minimum across dimensions = [0] : (tensor<?x?x4xf32, #stablehlo.bounds<8, 6, ?>>, tensor<f32>) -> tensor<?x4xf32, #stablehlo.bounds<6, ?>>
  return %0 : tensor<?x4xf32, #stablehlo.bounds<6, ?>>
}

//CHECK-LABEL:  func.func @reduce_window(%arg0: tensor<4x6xf32>, %arg1: tensor<f32>) -> tensor<2x3xf32> {
// CHECK-NEXT:    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %1 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
// CHECK-NEXT:      stablehlo.return %1 : tensor<f32>
// CHECK-NEXT:    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %0 : tensor<2x3xf32>
// CHECK-NEXT:  }
func.func @reduce_window(%x: tensor<4x6xf32>, %c: tensor<f32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// 3 elements dilated by 2 and padded by 2 and 1 fill 8 places; 2 elements dilated by 3 fill 4.
//CHECK-LABEL:  func.func @reduce_window_all(%arg0: tensor<3x2xi32>, %arg1: tensor<3x?xf32>, %arg2: tensor<i32>, %arg3: tensor<f32>) -> (tensor<2x2xi32>, tensor<2x?xf32>) {
// CHECK-NEXT:    %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) <{base_dilations = array<i64: 2, 1>, padding = dense<{{\[\[}}2, 1], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 3, 1>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>}> ({
// CHECK-NEXT:    ^bb0(%arg4: tensor<i32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>):
// CHECK-NEXT:      stablehlo.return %arg4, %arg7 : tensor<i32>, tensor<f32>
// CHECK-NEXT:    }) : (tensor<3x2xi32>, tensor<3x?xf32>, tensor<i32>, tensor<f32>) -> (tensor<2x2xi32>, tensor<2x?xf32>)
// CHECK-NEXT:    return %0#0, %0#1 : tensor<2x2xi32>, tensor<2x?xf32>
// CHECK-NEXT:  }
func.func @reduce_window_all(%x: tensor<3x2xi32>, %y: tensor<3x?xf32>, %c: tensor<i32>, %d: tensor<f32>) -> (tensor<2x2xi32>, tensor<2x?xf32>) {
  %0:2 = "stablehlo.reduce_window"(%x, %y, %c, %d) ({
  ^bb0(%a: tensor<i32>, %e: tensor<f32>, %b: tensor<i32>, %f: tensor<f32>):
    stablehlo.return %a, %f : tensor<i32>, tensor<f32>
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi32>, tensor<3x?xf32>, tensor<i32>, tensor<f32>) -> (tensor<2x2xi32>, tensor<2x?xf32>)
  return %0#0, %0#1 : tensor<2x2xi32>, tensor<2x?xf32>
}

// A window that is wider than the padded input has no position.
//CHECK-LABEL:  func.func @reduce_window_empty(%arg0: tensor<0x3xf32>, %arg1: tensor<f32>) -> tensor<0x0xf32> {
// CHECK-NEXT:    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<{{\[\[}}1, 1], [-1, -1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 2>}> ({
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      stablehlo.return %arg3 : tensor<f32>
// CHECK-NEXT:    }) : (tensor<0x3xf32>, tensor<f32>) -> tensor<0x0xf32>
// CHECK-NEXT:    return %0 : tensor<0x0xf32>
// CHECK-NEXT:  }
func.func @reduce_window_empty(%x: tensor<0x3xf32>, %c: tensor<f32>) -> tensor<0x0xf32> {
  %0 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[1, 1], [-1, -1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<0x3xf32>, tensor<f32>) -> tensor<0x0xf32>
  return %0 : tensor<0x0xf32>
}

//CHECK-LABEL:  func.func @select_and_scatter(%arg0: tensor<4x6xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<f32>) -> tensor<4x6xf32> {
// CHECK-NEXT:    %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %1 = stablehlo.compare GE, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:      stablehlo.return %1 : tensor<i1>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT:      stablehlo.return %1 : tensor<f32>
// CHECK-NEXT:    }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
// CHECK-NEXT:    return %0 : tensor<4x6xf32>
// CHECK-NEXT:  }
func.func @select_and_scatter(%x: tensor<4x6xf32>, %s: tensor<2x3xf32>, %c: tensor<f32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The gradient of an embedding: rows of the updates are added to rows of the table.
//CHECK-LABEL:  func.func @scatter(%arg0: tensor<8x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x4xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT:    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT:      stablehlo.return %1 : tensor<f32>
// CHECK-NEXT:    }) : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    return %0 : tensor<8x4xf32>
// CHECK-NEXT:  }
func.func @scatter(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Batching dimensions, several inputs, windows smaller than the inputs, indices of rank 0.
//CHECK-LABEL:  func.func @scatter_variadic(%arg0: tensor<2x5x7xf32>, %arg1: tensor<2x5x7xi32>, %arg2: tensor<2x3x1xi64>, %arg3: tensor<2x3x4xf32>, %arg4: tensor<2x3x4xi32>) -> (tensor<2x5x7xf32>, tensor<2x5x7xi32>) {
// CHECK-NEXT:    %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
// CHECK-NEXT:    ^bb0(%arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
// CHECK-NEXT:      stablehlo.return %arg7, %arg8 : tensor<f32>, tensor<i32>
// CHECK-NEXT:    }) : (tensor<2x5x7xf32>, tensor<2x5x7xi32>, tensor<2x3x1xi64>, tensor<2x3x4xf32>, tensor<2x3x4xi32>) -> (tensor<2x5x7xf32>, tensor<2x5x7xi32>)
// CHECK-NEXT:    return %0#0, %0#1 : tensor<2x5x7xf32>, tensor<2x5x7xi32>
// CHECK-NEXT:  }
func.func @scatter_variadic(%x: tensor<2x5x7xf32>, %y: tensor<2x5x7xi32>, %i: tensor<2x3x1xi64>, %u: tensor<2x3x4xf32>, %v: tensor<2x3x4xi32>) -> (tensor<2x5x7xf32>, tensor<2x5x7xi32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    stablehlo.return %c, %d : tensor<f32>, tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x5x7xi32>, tensor<2x3x1xi64>, tensor<2x3x4xf32>, tensor<2x3x4xi32>) -> (tensor<2x5x7xf32>, tensor<2x5x7xi32>)
  return %0#0, %0#1 : tensor<2x5x7xf32>, tensor<2x5x7xi32>
}

//CHECK-LABEL:  func.func @scatter_scalar_index(%arg0: tensor<8x?xf32>, %arg1: tensor<i32>, %arg2: tensor<?xf32>) -> tensor<8x?xf32> {
// CHECK-NEXT:    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
// CHECK-NEXT:    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:      stablehlo.return %arg4 : tensor<f32>
// CHECK-NEXT:    }) : (tensor<8x?xf32>, tensor<i32>, tensor<?xf32>) -> tensor<8x?xf32>
// CHECK-NEXT:    return %0 : tensor<8x?xf32>
// CHECK-NEXT:  }
func.func @scatter_scalar_index(%x: tensor<8x?xf32>, %i: tensor<i32>, %u: tensor<?xf32>) -> tensor<8x?xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x?xf32>, tensor<i32>, tensor<?xf32>) -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

//CHECK-LABEL:  func.func @sort(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>) {
// CHECK-NEXT:    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = -2 : i64, is_stable = true}> ({
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
// CHECK-NEXT:      %2 = stablehlo.compare LT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:      stablehlo.return %2 : tensor<i1>
// CHECK-NEXT:    }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
// CHECK-NEXT:    %1 = "stablehlo.sort"(%0#0) ({
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %2 = stablehlo.compare GT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:      stablehlo.return %2 : tensor<i1>
// CHECK-NEXT:    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    return %1, %0#1 : tensor<4x6xf32>, tensor<4x6xi32>
// CHECK-NEXT:  }
func.func @sort(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = -2 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %2 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  %1 = "stablehlo.sort"(%0#0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1, %0#1 : tensor<4x6xf32>, tensor<4x6xi32>
}

//CHECK-LABEL:  func.func @map(%arg0: tensor<4x?xf32>, %arg1: tensor<4x3xf32>) -> tensor<4x3xi1> {
// CHECK-NEXT:    %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %1 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:      stablehlo.return %1 : tensor<i1>
// CHECK-NEXT:    }) : (tensor<4x?xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
// CHECK-NEXT:    return %0 : tensor<4x3xi1>
// CHECK-NEXT:  }
func.func @map(%x: tensor<4x?xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xi1> {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x?xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
  return %0 : tensor<4x3xi1>
}
