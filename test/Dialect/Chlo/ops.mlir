// Every op reads and prints as jaxlib prints it, in both forms.
// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --emit-bytecode | hetero-opt | FileCheck %s

// CHECK-LABEL: func @unary
func.func @unary(%x: tensor<2x3xf32>) {
  // CHECK: chlo.acos %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %0 = chlo.acos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.acosh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = chlo.acosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.asin %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = chlo.asin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.asinh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = chlo.asinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.atan %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = chlo.atan %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.atanh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = chlo.atanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.bessel_i1e %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %6 = chlo.bessel_i1e %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.conj %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %7 = chlo.conj %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.cosh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %8 = chlo.cosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.sinh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %9 = chlo.sinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.square %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %10 = chlo.square %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.tan %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %11 = chlo.tan %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.digamma %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %12 = chlo.digamma %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.erf %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %13 = chlo.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.erf_inv %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %14 = chlo.erf_inv %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.erfc %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %15 = chlo.erfc %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: chlo.lgamma %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %16 = chlo.lgamma %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @complex_unary
func.func @complex_unary(%x: tensor<4xcomplex<f32>>) {
  // CHECK: chlo._asin_acos_kernel %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %0 = chlo._asin_acos_kernel %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.acos %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %1 = chlo.acos %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.acosh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %2 = chlo.acosh %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.asin %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %3 = chlo.asin %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.asinh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %4 = chlo.asinh %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.atan %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %5 = chlo.atan %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.atanh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %6 = chlo.atanh %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.bessel_i1e %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %7 = chlo.bessel_i1e %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.conj %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %8 = chlo.conj %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.cosh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %9 = chlo.cosh %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.sinh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %10 = chlo.sinh %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.square %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %11 = chlo.square %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.tan %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %12 = chlo.tan %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func @predicates
func.func @predicates(%x: tensor<bf16>) {
  // CHECK: chlo.is_inf %arg0 : tensor<bf16> -> tensor<i1>
  %0 = chlo.is_inf %x : tensor<bf16> -> tensor<i1>
  // CHECK: chlo.is_neg_inf %arg0 : tensor<bf16> -> tensor<i1>
  %1 = chlo.is_neg_inf %x : tensor<bf16> -> tensor<i1>
  // CHECK: chlo.is_pos_inf %arg0 : tensor<bf16> -> tensor<i1>
  %2 = chlo.is_pos_inf %x : tensor<bf16> -> tensor<i1>
  return
}

// CHECK-LABEL: func @binary
func.func @binary(%x: tensor<?xf64>, %i: tensor<3xui8>) {
  // CHECK: chlo.next_after %arg0, %arg0 : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  %0 = chlo.next_after %x, %x : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  // CHECK: chlo.polygamma %arg0, %arg0 : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  %1 = chlo.polygamma %x, %x : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  // CHECK: chlo.zeta %arg0, %arg0 : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  %2 = chlo.zeta %x, %x : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  // CHECK: chlo.mulhi %arg1, %arg1 {note = "kept"} : tensor<3xui8>, tensor<3xui8> -> tensor<3xui8>
  %m = chlo.mulhi %i, %i {note = "kept"} : tensor<3xui8>, tensor<3xui8> -> tensor<3xui8>
  return
}

// CHECK-LABEL: func @broadcast
func.func @broadcast(%x: tensor<2x1xf32>, %y: tensor<3xf32>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = chlo.broadcast_add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_atan2 %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_atan2 %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_divide %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = chlo.broadcast_divide %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_maximum %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = chlo.broadcast_maximum %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_minimum %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = chlo.broadcast_minimum %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_multiply %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %5 = chlo.broadcast_multiply %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_next_after %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %6 = chlo.broadcast_next_after %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_polygamma %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %7 = chlo.broadcast_polygamma %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_power %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %8 = chlo.broadcast_power %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_remainder %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %9 = chlo.broadcast_remainder %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_subtract %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %10 = chlo.broadcast_subtract %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_zeta %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %11 = chlo.broadcast_zeta %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_complex %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  %c = chlo.broadcast_complex %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  return
}

// CHECK-LABEL: func @broadcast_integer
func.func @broadcast_integer(%x: tensor<2x1xi32>, %y: tensor<3xi32>) {
  // CHECK: chlo.broadcast_and %arg0, %arg1 : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %0 = chlo.broadcast_and %x, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_or %arg0, %arg1 : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %1 = chlo.broadcast_or %x, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_shift_left %arg0, %arg1 : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %2 = chlo.broadcast_shift_left %x, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_shift_right_arithmetic %arg0, %arg1 : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %3 = chlo.broadcast_shift_right_arithmetic %x, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_shift_right_logical %arg0, %arg1 : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %4 = chlo.broadcast_shift_right_logical %x, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_xor %arg0, %arg1 : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %5 = chlo.broadcast_xor %x, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return
}

// CHECK-LABEL: func @broadcast_dimensions
func.func @broadcast_dimensions(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_compare %arg0, %arg1 {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi1>
  %1 = chlo.broadcast_compare %x, %y {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: func @broadcast_select
func.func @broadcast_select(%p: tensor<2x1xi1>, %x: tensor<3xf32>, %y: tensor<f32>) {
  // CHECK: chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<2x1xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<2x1xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @broadcast_dynamic
func.func @broadcast_dynamic(%x: tensor<?x1xf32>, %y: tensor<?xf32, #stablehlo.bounds<4>>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 : (tensor<?x1xf32>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>>
  %0 = chlo.broadcast_add %x, %y : (tensor<?x1xf32>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>>
  return
}

// Bounds that are not the same leave the result open, and so does a list of
// dimensions: any size that is given is taken.
// CHECK-LABEL: func.func @broadcast_bounds
func.func @broadcast_bounds(%x: tensor<2x?xf32, #stablehlo.bounds<?, 3>>, %y: tensor<4xf32>, %z: tensor<?xf32>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>, tensor<4xf32>) -> tensor<2x3xf32>
  %0 = chlo.broadcast_add %x, %y : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>, tensor<4xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_add %arg0, %arg2 {broadcast_dimensions = array<i64: 0>} : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>, tensor<?xf32>) -> tensor<2x5xf32>
  %1 = chlo.broadcast_add %x, %z {broadcast_dimensions = array<i64: 0>} : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>, tensor<?xf32>) -> tensor<2x5xf32>
  return
}

// Shapes that do not broadcast are only found out by the expansion.
// CHECK-LABEL: func @no_broadcast
func.func @no_broadcast(%x: tensor<2xf32>, %y: tensor<3xf32>, %u: tensor<*xf32>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 : (tensor<2xf32>, tensor<3xf32>) -> tensor<7xf32>
  %0 = chlo.broadcast_add %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<7xf32>
  // CHECK: chlo.erf %arg2 : tensor<*xf32> -> tensor<*xf32>
  %1 = chlo.erf %u : tensor<*xf32> -> tensor<*xf32>
  return
}

// CHECK-LABEL: func @constants
func.func @constants(%x: tensor<?x3xi32>) {
  // CHECK: chlo.constant {note = "kept"} dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = chlo.constant {note = "kept"} dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<?x3xi32>) -> tensor<?x3xf32>
  %1 = "chlo.constant_like"(%x) <{value = 1.000000e+00 : f32}> : (tensor<?x3xi32>) -> tensor<?x3xf32>
  // CHECK: "chlo.constant_like"(%arg0) <{value = #complex.number<:f32 1.000000e+00, 2.000000e+00> : complex<f32>}>
  %2 = "chlo.constant_like"(%x) <{value = #complex.number<:f32 1.0, 2.0>}> : (tensor<?x3xi32>) -> tensor<?x3xcomplex<f32>>
  return
}

// CHECK-LABEL: func @top_k
func.func @top_k(%x: tensor<?x5xf32>) {
  // CHECK: %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<?x5xf32> -> (tensor<?x2xf32>, tensor<?x2xi32>)
  %0:2 = chlo.top_k(%x, k = 2) : tensor<?x5xf32> -> (tensor<?x2xf32>, tensor<?x2xi32>)
  // CHECK: %values_0, %indices_1 = chlo.top_k(%arg0, k = 0) {note = "kept"} : tensor<?x5xf32> -> (tensor<?x0xf32>, tensor<?x0xi32>)
  %1:2 = chlo.top_k(%x, k = 0) {note = "kept"} : tensor<?x5xf32> -> (tensor<?x0xf32>, tensor<?x0xi32>)
  return
}

// The older attribute dictionary is read, members may have any order.
// CHECK-LABEL: func @ragged_free
func.func @ragged_free(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // CHECK: "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  %0 = "chlo.ragged_dot"(%x, %w, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<rhs_group_dimensions = [0], lhs_ragged_dimensions = [0], lhs_batching_dimensions = [], rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>]} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// CHECK-LABEL: func @ragged_contracting
func.func @ragged_contracting(%x: tensor<4x11x5xf32>, %w: tensor<4x5x7xf32>, %g: tensor<4x3xi32>) {
  // CHECK: "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}> : (tensor<4x11x5xf32>, tensor<4x5x7xf32>, tensor<4x3xi32>) -> tensor<3x4x11x7xf32>
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}> : (tensor<4x11x5xf32>, tensor<4x5x7xf32>, tensor<4x3xi32>) -> tensor<3x4x11x7xf32>
  return
}

// CHECK-LABEL: func @ragged_batching
func.func @ragged_batching(%x: tensor<4x11x5xf32>, %w: tensor<4x5x7xf32>, %g: tensor<3xi64>) {
  // CHECK: lhs_ragged_dimensions = [0]>}> : (tensor<4x11x5xf32>, tensor<4x5x7xf32>, tensor<3xi64>) -> tensor<4x11x7xf32>
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<4x11x5xf32>, tensor<4x5x7xf32>, tensor<3xi64>) -> tensor<4x11x7xf32>
  return
}
