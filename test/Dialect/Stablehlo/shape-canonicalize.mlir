// Folding and canonicalisation of ops that move data.
// RUN: hetero-opt %s -canonicalize | FileCheck %s

//===----------------------------------------------------------------------===//
// Another shape for the same elements
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>,
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<2x3xf32>, %v: tensor<f32>, %i: tensor<i32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.transpose %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.slice %x [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %5 = stablehlo.concatenate %x, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 3] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %7 = stablehlo.reverse %x, dims = [] : tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// A permutation of equal sizes is no identity.
// CHECK-LABEL: func @square_transpose
// CHECK: stablehlo.transpose %arg0, dims = [1, 0]
func.func @square_transpose(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: func @reshape_chain
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<2x6xf32>) -> tensor<12xf32>
// CHECK-NEXT: return %[[R]], %arg0
func.func @reshape_chain(%x: tensor<2x6xf32>) -> (tensor<12xf32>, tensor<2x6xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x3xf32>) -> tensor<12xf32>
  %3 = stablehlo.reshape %1 : (tensor<4x3xf32>) -> tensor<2x6xf32>
  return %2, %3 : tensor<12xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func @transpose_chain
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[T]], %arg0
func.func @transpose_chain(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %1, %2 : tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func @bitcast_and_back
// CHECK-NEXT: return %arg0
func.func @bitcast_and_back(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x4xi8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x4xi8>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @reverse_and_back
// CHECK-NEXT: %[[R:.*]] = stablehlo.reverse %arg1, dims = [0]
// CHECK-NEXT: return %arg0, %arg1, %[[R]]
func.func @reverse_and_back(%x: tensor<2x3xf32>, %y: tensor<3x1xf32>) -> (tensor<2x3xf32>, tensor<3x1xf32>, tensor<3x1xf32>) {
  %0 = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xf32>
  %1 = stablehlo.reverse %0, dims = [1, 0] : tensor<2x3xf32>
  %2 = stablehlo.reverse %y, dims = [1] : tensor<3x1xf32>
  %3 = stablehlo.reverse %y, dims = [0] : tensor<3x1xf32>
  return %1, %2, %3 : tensor<2x3xf32>, tensor<3x1xf32>, tensor<3x1xf32>
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @broadcast_chain
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<3xf32>) -> tensor<5x2x3xf32>
// CHECK-NEXT: return %[[B]]
func.func @broadcast_chain(%x: tensor<3xf32>) -> tensor<5x2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  return %2 : tensor<5x2x3xf32>
}

// CHECK-LABEL: func @broadcast_that_only_permutes
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[T]]
func.func @broadcast_that_only_permutes(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @transposed_broadcast
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[B]]
func.func @transposed_broadcast(%x: tensor<4xf32>) -> tensor<4x2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @broadcast_to_broadcast_in_dim
// CHECK-NEXT: stablehlo.broadcast_in_dim %arg0, dims = [2, 3] {mhlo.sharding = "x"} : (tensor<2x3xf32>) -> tensor<5x4x2x3xf32>
func.func @broadcast_to_broadcast_in_dim(%x: tensor<2x3xf32>) -> tensor<5x4x2x3xf32> {
  %0 = stablehlo.broadcast %x, sizes = [5, 4] {mhlo.sharding = "x"} : (tensor<2x3xf32>) -> tensor<5x4x2x3xf32>
  return %0 : tensor<5x4x2x3xf32>
}

//===----------------------------------------------------------------------===//
// Cutting and joining
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @slice_chain
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %arg0 [5:12:6] : (tensor<20xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[S]]
func.func @slice_chain(%x: tensor<20xf32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %x [3:19:2] : (tensor<20xf32>) -> tensor<8xf32>
  %1 = stablehlo.slice %0 [1:7:3] : (tensor<8xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @slice_of_one_input
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %arg1 [1:3, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return %arg0, %[[S]]
func.func @slice_of_one_input(%a: tensor<2x2xf32>, %b: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %1 = stablehlo.slice %0 [0:2, 0:2] : (tensor<5x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.slice %0 [3:5, 0:2] : (tensor<5x2xf32>) -> tensor<2x2xf32>
  return %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func @slice_of_some_inputs
// CHECK-NEXT: %[[C:.*]] = stablehlo.concatenate %arg1, %arg2, dim = 0 : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %[[C]] [1:4:2] : (tensor<7xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[S]]
func.func @slice_of_some_inputs(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<4xf32>, %d: tensor<1xf32>) -> tensor<2xf32> {
  %0 = stablehlo.concatenate %a, %b, %c, %d, dim = 0 : (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<1xf32>) -> tensor<10xf32>
  %1 = stablehlo.slice %0 [3:7:2] : (tensor<10xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The last stride reaches beyond the input that holds the last element.
// CHECK-LABEL: func @slice_with_a_long_stride
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %arg0 [1:2:4] : (tensor<2xf32>) -> tensor<1xf32>
// CHECK-NEXT: return %[[S]]
func.func @slice_with_a_long_stride(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<1xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = stablehlo.slice %0 [1:5:4] : (tensor<5xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// CHECK-LABEL: func @empty_slice
// CHECK: stablehlo.concatenate
// CHECK: stablehlo.slice %{{.*}} [2:2]
func.func @empty_slice(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<0xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = stablehlo.slice %0 [2:2] : (tensor<5xf32>) -> tensor<0xf32>
  return %1 : tensor<0xf32>
}

// CHECK-LABEL: func @dynamic_slice_at_constants
// CHECK-NEXT: %[[A:.*]] = stablehlo.slice %arg0 [1:3, 2:4] : (tensor<4x5xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.slice %arg0 [0:2, 3:5] : (tensor<4x5xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.slice %arg0 [2:4, 0:5] : (tensor<4x5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @dynamic_slice_at_constants(%x: tensor<4x5xf32>, %i: tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x5xf32>) {
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %c1, %c2, sizes = [2, 2] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  // Starts are moved until the box fits.
  %low = stablehlo.constant dense<-7> : tensor<i32>
  %high = stablehlo.constant dense<7> : tensor<i32>
  %1 = stablehlo.dynamic_slice %x, %low, %high, sizes = [2, 2] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  // A start does not matter where all of a dimension is taken.
  %2 = stablehlo.dynamic_slice %x, %high, %i, sizes = [2, 5] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x5xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x5xf32>
}

// CHECK-LABEL: func @whole_and_empty_updates
// CHECK-NEXT: return %arg1, %arg0
func.func @whole_and_empty_updates(%x: tensor<4xf32>, %u: tensor<4xf32>, %e: tensor<0xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %1 = stablehlo.dynamic_update_slice %x, %e, %i : (tensor<4xf32>, tensor<0xf32>, tensor<i32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @nested_and_empty_inputs
// CHECK-NEXT: %[[C:.*]] = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 0 : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<7xf32>
// CHECK-NEXT: return %[[C]]
func.func @nested_and_empty_inputs(%a: tensor<2xf32>, %b: tensor<3xf32>, %e: tensor<0xf32>) -> tensor<7xf32> {
  %0 = stablehlo.concatenate %a, %e, %b, dim = 0 : (tensor<2xf32>, tensor<0xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = stablehlo.concatenate %0, %a, dim = 0 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// CHECK-LABEL: func @pad_that_takes_away
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %arg0 [1:4, 0:2] : (tensor<4x5xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: return %[[S]]
func.func @pad_that_takes_away(%x: tensor<4x5xf32>, %v: tensor<f32>) -> tensor<3x2xf32> {
  %0 = stablehlo.pad %x, %v, low = [-1, 0], high = [0, -3], interior = [0, 0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @splats
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<1000x1000xf32>
// CHECK-NEXT: return %[[C]], %[[C]], %[[C]], %[[C]], %[[C]], %[[C]], %[[C]], %[[C]]
func.func @splats(%i: tensor<i32>, %j: tensor<1000x1xi32>) -> (tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>,
    tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>) {
  %s = stablehlo.constant dense<1.0> : tensor<f32>
  %m = stablehlo.constant dense<1.0> : tensor<1000000xf32>
  %x = stablehlo.constant dense<1.0> : tensor<2000x1000xf32>
  %h = stablehlo.constant dense<1.0> : tensor<500x1000xf32>
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
  %1 = stablehlo.reshape %m : (tensor<1000000xf32>) -> tensor<1000x1000xf32>
  %2 = stablehlo.slice %x [0:2000:2, 0:1000] : (tensor<2000x1000xf32>) -> tensor<1000x1000xf32>
  %3 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1000, 1000] : (tensor<2000x1000xf32>, tensor<i32>, tensor<i32>) -> tensor<1000x1000xf32>
  %4 = stablehlo.concatenate %h, %h, dim = 0 : (tensor<500x1000xf32>, tensor<500x1000xf32>) -> tensor<1000x1000xf32>
  %5 = stablehlo.pad %h, %s, low = [500, 0], high = [0, 0], interior = [0, 0] : (tensor<500x1000xf32>, tensor<f32>) -> tensor<1000x1000xf32>
  %6 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1000>}> : (tensor<2000x1000xf32>, tensor<1000x1xi32>) -> tensor<1000x1000xf32>
  %7 = stablehlo.dynamic_update_slice %0, %h, %i, %i : (tensor<1000x1000xf32>, tensor<500x1000xf32>, tensor<i32>, tensor<i32>) -> tensor<1000x1000xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>, tensor<1000x1000xf32>
}

// CHECK-LABEL: func @small_reshape
// CHECK-NEXT: stablehlo.constant dense<{{\[}}[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
func.func @small_reshape() -> tensor<3x2xi32> {
  %c = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = stablehlo.reshape %c : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// CHECK-LABEL: func @small_transpose
// CHECK-NEXT: stablehlo.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
func.func @small_transpose() -> tensor<3x2xi32> {
  %c = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = stablehlo.transpose %c, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// CHECK-LABEL: func @small_transpose_of_rank_3
// CHECK-NEXT: stablehlo.constant dense<{{\[}}{{\[}}[1, 3, 5]], {{\[}}[2, 4, 6]]]> : tensor<2x1x3xi32>
func.func @small_transpose_of_rank_3() -> tensor<2x1x3xi32> {
  %c = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi32>
  %0 = stablehlo.transpose %c, dims = [2, 0, 1] : (tensor<1x3x2xi32>) -> tensor<2x1x3xi32>
  return %0 : tensor<2x1x3xi32>
}

// CHECK-LABEL: func @small_broadcast
// CHECK-NEXT: stablehlo.constant dense<{{\[}}[true, true], [false, false]]> : tensor<2x2xi1>
func.func @small_broadcast() -> tensor<2x2xi1> {
  %c = stablehlo.constant dense<[[true], [false]]> : tensor<2x1xi1>
  %0 = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x2xi1>
  return %0 : tensor<2x2xi1>
}

// CHECK-LABEL: func @small_reverse
// CHECK-NEXT: stablehlo.constant dense<{{\[}}[3.000000e+00, 2.000000e+00, 1.000000e+00]]> : tensor<1x3xbf16>
func.func @small_reverse() -> tensor<1x3xbf16> {
  %c = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xbf16>
  %0 = stablehlo.reverse %c, dims = [1] : tensor<1x3xbf16>
  return %0 : tensor<1x3xbf16>
}

// CHECK-LABEL: func @small_slice
// CHECK-NEXT: stablehlo.constant dense<[(1.000000e+00,2.000000e+00), (5.000000e+00,6.000000e+00)]> : tensor<2xcomplex<f32>>
func.func @small_slice() -> tensor<2xcomplex<f32>> {
  %c = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.slice %c [0:3:2] : (tensor<3xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// CHECK-LABEL: func @small_concatenate
// CHECK-NEXT: stablehlo.constant dense<{{\[}}[1, 2, 7, 5], [3, 4, 8, 5]]> : tensor<2x4xi64>
func.func @small_concatenate() -> tensor<2x4xi64> {
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %b = stablehlo.constant dense<[[7], [8]]> : tensor<2x1xi64>
  %c = stablehlo.constant dense<5> : tensor<2x1xi64>
  %0 = stablehlo.concatenate %a, %b, %c, dim = 1 : (tensor<2x2xi64>, tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>
  return %0 : tensor<2x4xi64>
}

// CHECK-LABEL: func @small_pad
// CHECK-NEXT: %[[A:.*]] = stablehlo.constant dense<[9, 1, 9, 2, 9, 3, 9, 9]> : tensor<8xi32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant dense<[9, 2, 9]> : tensor<3xi32>
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @small_pad() -> (tensor<8xi32>, tensor<3xi32>) {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.pad %x, %v, low = [1], high = [2], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<8xi32>
  %1 = stablehlo.pad %x, %v, low = [-1], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %1 : tensor<8xi32>, tensor<3xi32>
}

// Constants that would grow the module, or have no elements, stay as they are.
// CHECK-LABEL: func @left_alone
// CHECK-DAG: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<2xi32>) -> tensor<200x2xi32>
// CHECK-DAG: stablehlo.broadcast_in_dim %{{.*}}, dims = [0] : (tensor<2xi32>) -> tensor<2x0xi32>
func.func @left_alone() -> (tensor<200x2xi32>, tensor<2x0xi32>) {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xi32>) -> tensor<200x2xi32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<2xi32>) -> tensor<2x0xi32>
  return %0, %1 : tensor<200x2xi32>, tensor<2x0xi32>
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @sizes
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<3> : tensor<i32>
// CHECK-DAG: %[[D:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: return %[[C]], %[[D]], %arg1
func.func @sizes(%x: tensor<?x3xf32>, %y: tensor<4xf32>) -> (tensor<i32>, tensor<i32>, tensor<4xf32>) {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x3xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<4> : tensor<i32>
  %2 = stablehlo.set_dimension_size %y, %c, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<4xf32>
}

// Values of unreachable code may depend on themselves.
// CHECK-LABEL: func @unreachable_cycles
// CHECK-NEXT: return
func.func @unreachable_cycles(%v: tensor<1xf32>) {
  return
^bb1:
  %0 = stablehlo.reshape %2 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x2xf32>) -> tensor<4xf32>
  %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.transpose %5, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %6 = stablehlo.slice %6 [0:2, 0:2] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %7 = stablehlo.concatenate %8, %v, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %8 = stablehlo.slice %7 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %9 = stablehlo.broadcast_in_dim %10, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
