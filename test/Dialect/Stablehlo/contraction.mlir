// Products, convolutions, transforms and normalisation: what is printed is what
// is read, in the custom and in the generic form.
// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s

//===----------------------------------------------------------------------===//
// dot_general and dot
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @dot_general_members
func.func @dot_general_members(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // CHECK: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] {foo = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // GENERIC: "stablehlo.dot_general"({{.*}}) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> {foo = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] {foo = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [] x [], precision = [] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x4x2x4x5xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [] x [], precision = [] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x4x2x4x5xf32>
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 2] x [0, 1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x5xf32>
  %2 = stablehlo.dot_general %a, %b, batching_dims = [] x [], contracting_dims = [0, 2] x [0, 1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x5xf32>
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x2x5xf32>
  %3 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [2]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x2x5xf32>
  return
}

// CHECK-LABEL: func @dot_general_algorithm
func.func @dot_general_algorithm(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) {
  // CHECK: contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E5M2, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E5M2, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// CHECK-LABEL: func @dot_algorithms_that_exist
// CHECK-SAME: accumulation_type = bf16
func.func @dot_algorithms_that_exist() attributes {algorithms = [
    #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = bf16, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>,
    #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 9, allow_imprecise_accumulation = false>,
    #stablehlo.dot_algorithm<lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f16, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>,
    #stablehlo.dot_algorithm<lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>,
    #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>,
    #stablehlo.dot_algorithm<lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>]} {
  return
}

// Sizes that are not known agree with any; element types are free.
// CHECK-LABEL: func @dot_general_dynamic
func.func @dot_general_dynamic(%a: tensor<?x3x?xbf16>, %b: tensor<2x4x?xbf16>) {
  // CHECK: -> tensor<2x3x7xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x3x?xbf16>, tensor<2x4x?xbf16>) -> tensor<2x3x7xf32>
  return
}

// CHECK-LABEL: func @dot_general_quantized
func.func @dot_general_quantized(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0:17>>, %b: tensor<3x2x!quant.uniform<i8:f32, 1.0>>, %c: tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>, %x: tensor<2x3xf32>) {
  // CHECK: -> tensor<2x2x!quant.uniform<i32:f32, 1.000000e+00>>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0:17>>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i32:f32, 1.0>>
  // CHECK: -> tensor<2x2x!quant.uniform<i32:f32:1, {1.000000e+00,2.000000e+00}>>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0:17>>, tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {1.0, 2.0}>>
  // CHECK: -> tensor<2x2xf32>
  %2 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2xf32>
  return
}

// CHECK-LABEL: func @dot
func.func @dot(%m: tensor<2x3xf32>, %n: tensor<3x5xf32>, %v: tensor<3xf32>) {
  // CHECK: stablehlo.dot %arg0, %arg1, precision = [DEFAULT, HIGHEST] {foo = 1 : i32} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  // GENERIC: "stablehlo.dot"({{.*}}) <{precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> {foo = 1 : i32}
  %0 = stablehlo.dot %m, %n, precision = [DEFAULT, HIGHEST] {foo = 1 : i32} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  // CHECK: stablehlo.dot %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %1 = stablehlo.dot %m, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.dot %arg2, %arg2 : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %2 = stablehlo.dot %v, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  // CHECK: stablehlo.dot %arg2, %arg1, precision = [] : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  %3 = stablehlo.dot %v, %n, precision = [] : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: func @einsum
func.func @einsum(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // CHECK: stablehlo.einsum %arg0, %arg1, config = "ab,bc->ac" {x} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  // GENERIC: "stablehlo.einsum"({{.*}}) <{einsum_config = "ab,bc->ac"}> {x}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" {x} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  // CHECK: stablehlo.unary_einsum %arg0, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @convolution
func.func @convolution(%x: tensor<2x8x8x3xf32>, %k: tensor<3x3x3x5xf32>) {
  // CHECK: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = {{\[\[1, 1\], \[1, 1\]\]}}, lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x8x8x5xf32>
  // GENERIC: "stablehlo.convolution"({{.*}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x8x8x5xf32>
  // CHECK: window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>
  // CHECK: window = {stride = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, zz} :
  %2 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [0, 1], stride = [2, 1]} {zz, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x3x6x5xf32>
  // A window that does not fit has no place.
  // CHECK: pad = {{\[\[-3, -3\], \[0, 0\]\]}}
  %3 = "stablehlo.convolution"(%x, %k) {padding = dense<[[-3, -3], [0, 0]]> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x0x6x5xf32>
  return
}

// Each of the two gradients of a strided convolution.
// CHECK-LABEL: func @convolution_gradients
func.func @convolution_gradients(%x: tensor<2x8x8x3xf32>, %k: tensor<3x3x3x5xf32>, %g: tensor<2x4x4x5xf32>) {
  // CHECK: dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = {{\[\[2, 1\], \[2, 1\]\]}}, lhs_dilate = [2, 2], reverse = [true, true]}
  %0 = stablehlo.convolution(%g, %k) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x5xf32>, tensor<3x3x3x5xf32>) -> tensor<2x8x8x3xf32>
  // CHECK: dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = {{\[\[0, 1\], \[0, 1\]\]}}, rhs_dilate = [2, 2]}
  %1 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 1], [0, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<2x4x4x5xf32>) -> tensor<3x3x3x5xf32>
  return
}

// CHECK-LABEL: func @convolution_shapes
func.func @convolution_shapes(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %x: tensor<?x8x4xf32>, %k: tensor<3x2x6xf32>, %y: tensor<4x8x3xf32>) {
  // CHECK: dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [], pad = [], lhs_dilate = []}
  // GENERIC: padding = dense<> : tensor<0x2xi64>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [], pad = [], lhs_dilate = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: feature_group_count = 2 : i64{{.*}} -> tensor<?x6x6xf32>
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<?x8x4xf32>, tensor<3x2x6xf32>) -> tensor<?x6x6xf32>
  // CHECK: batch_group_count = 2 : i64
  %2 = stablehlo.convolution(%y, %k) dim_numbers = [b, 0, f]x[i, o, 0]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x3xf32>, tensor<3x2x6xf32>) -> tensor<2x3x2xf32>
  return
}

// CHECK-LABEL: func @dynamic_conv
func.func @dynamic_conv(%x: tensor<2x8x8x3xf32>, %k: tensor<3x3x3x5xf32>, %p: tensor<2x2xi64>) {
  // CHECK: "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: true, false>, window_strides = array<i64: 1, 1>}> :
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides=array<i64:1,1>, window_reversal=array<i1:true,false>} : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>, tensor<2x2xi64>) -> tensor<2x8x?x5xf32>
  return
}

//===----------------------------------------------------------------------===//
// Matrices and transforms
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @cholesky
func.func @cholesky(%a: tensor<2x3x3xf32>) {
  // CHECK: stablehlo.cholesky %arg0, lower = true {x} : tensor<2x3x3xf32>
  // GENERIC: "stablehlo.cholesky"({{.*}}) <{lower = true}> {x}
  %0 = stablehlo.cholesky %a, lower = true {x} : tensor<2x3x3xf32>
  // CHECK: stablehlo.cholesky %arg0 : tensor<2x3x3xf32>
  %1 = stablehlo.cholesky %a : tensor<2x3x3xf32>
  // CHECK: stablehlo.cholesky %arg0 : tensor<2x3x3xf32>
  // GENERIC: "stablehlo.cholesky"({{.*}}) <{lower = false}> :
  %2 = stablehlo.cholesky %a, lower = false : tensor<2x3x3xf32>
  return
}

// CHECK-LABEL: func @triangular_solve
func.func @triangular_solve(%a: tensor<2x3x3xcomplex<f64>>, %b: tensor<2x3x5xcomplex<f64>>) {
  // CHECK: "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x3x3xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<2x3x3xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
  return
}

// CHECK-LABEL: func @fft
func.func @fft(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x16xf32>, %z: tensor<3x0xf32>) {
  // CHECK: stablehlo.fft %arg0, type = FFT, length = [9] {a} : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  // GENERIC: "stablehlo.fft"({{.*}}) <{fft_length = array<i64: 9>, fft_type = #stablehlo<fft_type FFT>}> {a}
  %0 = stablehlo.fft %c, type = FFT, length = [9] {a} : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  // CHECK: stablehlo.fft %arg0, type = IRFFT, length = [3, 16] : (tensor<3x9xcomplex<f32>>) -> tensor<3x16xf32>
  %1 = stablehlo.fft %c, type = IRFFT, length = [3, 16] : (tensor<3x9xcomplex<f32>>) -> tensor<3x16xf32>
  // CHECK: stablehlo.fft %arg1, type = RFFT, length = [16] : (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>
  %2 = stablehlo.fft %r, type = RFFT, length = [16] : (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>
  // CHECK: stablehlo.fft %arg2, type = RFFT, length = [0] : (tensor<3x0xf32>) -> tensor<3x0xcomplex<f32>>
  %3 = stablehlo.fft %z, type = RFFT, length = [0] : (tensor<3x0xf32>) -> tensor<3x0xcomplex<f32>>
  return
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @batch_norm
func.func @batch_norm(%x: tensor<2x8x3xf32>, %v: tensor<3xf32>, %d: tensor<?xf32>) {
  // CHECK: %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-01 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg1, %arg1) <{epsilon = 1.000000e-01 : f32, feature_index = 2 : i64}> :
  %1 = "stablehlo.batch_norm_inference"(%x, %v, %d, %v, %v) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<?xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x8x3xf32>
  // CHECK: %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0)
  %2:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
