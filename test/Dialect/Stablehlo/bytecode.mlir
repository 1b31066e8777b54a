// Every attribute and type has a binary form, and comes back from it.
// RUN: hetero-opt %s --emit-bytecode | hetero-opt | FileCheck %s

// Inputs/attributes.mlirbc is this file, written by jaxlib 0.10.2:
//   module.operation.write_bytecode(file)
// RUN: hetero-opt %S/Inputs/attributes.mlirbc | FileCheck %s

// None of them was written as text.
// RUN: hetero-opt %s --emit-bytecode | not grep -a "#stablehlo\|!stablehlo"

// Damaged copies are refused or read, but do not end the program.
// RUN: %python %S/../../Tools/Inputs/corrupt.py %S/Inputs/attributes.mlirbc hetero-opt | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: {{[1-9][0-9]+}} refused

// CHECK: module attributes {
// CHECK-SAME: t.alias = #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 0, operand_tuple_indices = [1]>,
// CHECK-SAME: t.bounds = tensor<?x?x4xf32, #stablehlo.bounds<8, ?, ?>>,
// CHECK-SAME: t.channel = #stablehlo.channel_handle<handle = 1, type = -2>,
// CHECK-SAME: t.conv = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
// CHECK-SAME: t.dot = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [4]>,
// CHECK-SAME: t.dot_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>,
// CHECK-SAME: t.enums = [#stablehlo<comparison_direction LT>, #stablehlo<comparison_type TOTALORDER>, #stablehlo<fft_type RFFT>, #stablehlo<precision HIGHEST>, #stablehlo<rng_algorithm PHILOX>, #stablehlo<rng_distribution NORMAL>, #stablehlo<transpose ADJOINT>, #stablehlo.result_accuracy_mode<TOLERANCE>],
// CHECK-SAME: t.gather = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [5], start_indices_batching_dims = [6], start_index_map = [0], index_vector_dim = 1>,
// CHECK-SAME: t.groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>], device_ids=dense<[7, 6, 5, 4, 3, 2, 1, 0]> : tensor<8xi64>>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "x">]>,
// CHECK-SAME: t.mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>,
// CHECK-SAME: t.result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 3.000000e+00, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>,
// CHECK-SAME: t.scatter = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [3], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
// CHECK-SAME: t.types = [!stablehlo.token, !stablehlo.future<tensor<2xf32>, tensor<i1>>]}
module attributes {
    t.alias = #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 0, operand_tuple_indices = [1]>,
    t.bounds = tensor<?x?x4xf32, #stablehlo.bounds<8, ?, ?>>,
    t.channel = #stablehlo.channel_handle<handle = 1, type = -2>,
    t.conv = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
    t.dot = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [4]>,
    t.dot_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>,
    t.enums = [#stablehlo<comparison_direction LT>, #stablehlo<comparison_type TOTALORDER>, #stablehlo<fft_type RFFT>, #stablehlo<precision HIGHEST>, #stablehlo<rng_algorithm PHILOX>, #stablehlo<rng_distribution NORMAL>, #stablehlo<transpose ADJOINT>, #stablehlo.result_accuracy_mode<TOLERANCE>],
    t.gather = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [5], start_indices_batching_dims = [6], start_index_map = [0], index_vector_dim = 1>,
    t.groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>], device_ids=dense<[7, 6, 5, 4, 3, 2, 1, 0]> : tensor<8xi64>>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "x">]>,
    t.mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>,
    t.result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 3.0, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>,
    t.scatter = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [3], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    t.types = [!stablehlo.token, !stablehlo.future<tensor<2xf32>, tensor<i1>>]} {
  // CHECK-LABEL: func @properties
  func.func @properties(%x: tensor<2x8xf32>, %t: !stablehlo.token) {
    // CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x2xf32>
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x2xf32>
    // CHECK-NEXT: stablehlo.convolution(%arg0, %arg0) dim_numbers = [b, f]x[o, i]->[b, f], window = {stride = [], pad = [], lhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]}
    %1 = stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[o, i]->[b, f], window = {stride = [], pad = [], lhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x2xf32>
    // CHECK-NEXT: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[0, 1\], \[2, 3\]\]}}> : tensor<2x2xi64>, use_global_device_ids}>
    %2 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x8xf32>) -> tensor<2x16xf32>
    // CHECK-NEXT: "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<{{\[\[0, 1\], \[2, 3\]\]}}> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}>
    %3 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<2x8xf32>) -> tensor<4x4xf32>
    // CHECK-NEXT: "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}>
    %4 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<2x8xf32>, !stablehlo.token) -> !stablehlo.token
    // CHECK-NEXT: "stablehlo.triangular_solve"(%0, %0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
    %5 = "stablehlo.triangular_solve"(%0, %0) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    // CHECK-NEXT: stablehlo.cholesky %0, lower = true : tensor<2x2xf32>
    %6 = stablehlo.cholesky %0, lower = true : tensor<2x2xf32>
    // CHECK-NEXT: stablehlo.fft %arg0, type = RFFT, length = [8]
    %7 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
    // CHECK-NEXT: stablehlo.compare LT, %arg0, %arg0, FLOAT
    %8 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xi1>
    return
  }
}
