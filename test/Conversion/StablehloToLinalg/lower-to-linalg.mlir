// RUN: hetero-opt %s -hetero-lower-to-linalg | FileCheck %s
// RUN: hetero-opt %s -hetero-lower-to-linalg | hetero-opt | FileCheck %s

// CHECK-DAG: #[[$MATRIX:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>

// A broadcast is read through, and a chain is one loop.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[BIAS:.*]]: tensor<8xf32>)
func.func @chain(%x: tensor<4x8xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[LOOP:.*]] = linalg.generic {indexing_maps = [#[[$MATRIX]], #[[$COLUMN]], #[[$MATRIX]]]
  // CHECK-SAME: ins(%[[X]], %[[BIAS]] :
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: math.tanh %[[SUM]]
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[LOOP]]
  %0 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.add %x, %0 : tensor<4x8xf32>
  %2 = stablehlo.tanh %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// What is cheaply made of one stored tensor is made again where it is used.
// CHECK-LABEL: func.func @again
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[BIAS:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x8xf32>)
func.func @again(%x: tensor<4x8xf32>, %bias: tensor<8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: ins(%[[X]], %[[BIAS]] :
  // CHECK: math.tanh
  // CHECK: arith.mulf
  // CHECK: hetero.contraction
  // CHECK: ins(%[[X]], %[[BIAS]], %[[Y]] :
  // CHECK: math.tanh
  // CHECK: arith.mulf
  %0 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.add %x, %0 : tensor<4x8xf32>
  %2 = stablehlo.tanh %1 : tensor<4x8xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<4x8xf32>
  %4 = stablehlo.dot_general %3, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.multiply %2, %y : tensor<4x8xf32>
  return %4, %5 : tensor<4x8xf32>, tensor<4x8xf32>
}

// What is made of two tensors is stored, and read twice.
// CHECK-LABEL: func.func @once
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>)
func.func @once(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] :
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]] :
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]] :
  %0 = stablehlo.add %x, %y : tensor<4x8xf32>
  %1 = stablehlo.negate %0 : tensor<4x8xf32>
  %2 = stablehlo.abs %0 : tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// What a reduction sums up is computed in its loop.
// CHECK-LABEL: func.func @reduction
func.func @reduction(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$MATRIX]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]}
  // CHECK: %[[SQUARE:.*]] = arith.mulf
  // CHECK: arith.addf %{{.*}}, %[[SQUARE]]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %a, %a : tensor<4x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Threads share the rows of a large sum, and a second one adds their sums.
// CHECK-LABEL: func.func @large_sum
// CHECK-SAME: (%[[A:.*]]: tensor<256x512xf32>)
func.func @large_sum(%a: tensor<256x512xf32>) -> tensor<f32> {
  // CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[A]] : tensor<256x512xf32>) outs(%{{.*}} : tensor<256xf32>)
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[SUMS]] : tensor<256xf32>) outs(%{{.*}} : tensor<f32>)
  // CHECK: return %[[SUM]]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x512xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Cumulative sums take one step for each element.
// CHECK-LABEL: func.func @cumulative
// CHECK-SAME: (%[[A:.*]]: tensor<16xf32>)
func.func @cumulative(%a: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}) -> (tensor<16xf32>)
  // CHECK: %[[BEFORE:.*]] = scf.if
  // CHECK: tensor.extract %[[SUMS]]
  // CHECK: %[[ELEMENT:.*]] = tensor.extract %[[A]][%[[I]]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[ELEMENT]]
  // CHECK: tensor.insert %[[SUM]] into %[[SUMS]][%[[I]]]
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[15, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 16>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: func.func @contraction
func.func @contraction(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK-SAME: hetero.contraction
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Types become signless, the operation stays unsigned, and a divisor of zero
// gives all ones.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: tensor<4xi8>
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  // CHECK: %[[ONES:.*]] = arith.constant -1 : i8
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq
  // CHECK: %[[QUOTIENT:.*]] = arith.divui
  // CHECK: arith.select %[[ZERO]], %[[ONES]], %[[QUOTIENT]]
  %0 = stablehlo.divide %a, %b : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// A few rounds over a large tensor are one loop over its elements, with elements
// of constants in it.
// CHECK-LABEL: func.func @rounds
// CHECK-NOT: scf.for
// CHECK: linalg.generic
// CHECK-COUNT-3: arith.shli
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rounds(%x: tensor<4096xui32>) -> tensor<4096xui32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %shifts = stablehlo.constant dense<[13, 17]> : tensor<2xui32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<4096xui32>
  cond {
    %less = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %next = stablehlo.add %i, %c1 : tensor<i32>
    %s = stablehlo.slice %shifts [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %e = stablehlo.reshape %s : (tensor<1xui32>) -> tensor<ui32>
    %b = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<ui32>) -> tensor<4096xui32>
    %z = stablehlo.shift_left %y, %b : tensor<4096xui32>
    %w = stablehlo.xor %z, %y : tensor<4096xui32>
    stablehlo.return %next, %w : tensor<i32>, tensor<4096xui32>
  }
  return %r#1 : tensor<4096xui32>
}

// Numbers and buffers go to the runtime.
// CHECK-LABEL: func.func @fft
// CHECK-SAME: (%[[X:.*]]: tensor<2x6xf32>)
func.func @fft(%x: tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>> {
  // CHECK: %[[FROM:.*]] = bufferization.to_buffer %[[X]] read_only
  // CHECK: %[[TO:.*]] = memref.alloc() : memref<2x4xcomplex<f32>>
  // CHECK: hetero.call_library @hetero_fft [2, 0, 2, 1, 6] in_list reads %[[FROM]] : memref<2x6xf32> writes %[[TO]] : memref<2x4xcomplex<f32>>
  // CHECK: bufferization.to_tensor %[[TO]] restrict
  %0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
  return %0 : tensor<2x4xcomplex<f32>>
}

// What is put between elements and taken away at the end leaves the shape, and
// not the elements.
// CHECK-LABEL: func.func @pad_to_the_same_shape
// CHECK: tensor.extract_slice %{{.*}}[0] [2] [1] : tensor<3xf32> to tensor<2xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0] [2] [2] : tensor<2xf32> into tensor<3xf32>
func.func @pad_to_the_same_shape(%x: tensor<3xf32>, %p: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.pad %x, %p, low = [0], high = [-2], interior = [1]
      : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @lapack
func.func @lapack(%a: tensor<6x4xf32>, %tau: tensor<4xf32>) -> tensor<6x4xf32> {
  // CHECK: hetero.call_library @hetero_lapack [5, 0, 1, 6, 4, 4, 0, 0, 0, 0] in_list
  %0 = stablehlo.custom_call @lapack_sorgqr_ffi(%a, %tau) : (tensor<6x4xf32>, tensor<4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// Where results are to be computed is decided here: in the memory of an operand
// that ends with the kernel, if each element is read where it is written, or all
// of it before.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: hetero.in_place = array<i64: 1, 0, 0, 1>
func.func @in_place(%m: tensor<4x4xf32> {hetero.last_use}, %w: tensor<4x4xf32> {hetero.last_use}, %g: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot_general %m, %g, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.subtract %w, %0 : tensor<4x4xf32>
  %2 = stablehlo.dot_general %0, %g, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Not if it is read at other places, nor if it is read later.
// CHECK-LABEL: func.func @beside
// CHECK-NOT: hetero.in_place
// CHECK-LABEL: func.func @read_later
// CHECK-NOT: hetero.in_place
func.func @beside(%w: tensor<4x4xf32> {hetero.last_use}, %g: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.add %0, %g : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
func.func @read_later(%w: tensor<4x4xf32> {hetero.last_use}, %g: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.add %w, %g : tensor<4x4xf32>
  %1 = stablehlo.slice %w [0:2, 0:2] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<2x2xf32>
}

