// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s

// Members in any order, empty ones left out; older spellings are read.
module attributes {
  // CHECK: jax.bounds = #stablehlo.bounds<1, ?>
  jax.bounds = #stablehlo.type_extensions<bounds = [1, ?]>,
  // CHECK-SAME: jax.channel = #stablehlo.channel_handle<handle = 1, type = -2>
  jax.channel = #stablehlo.channel_handle<type = -2, handle = 1>,
  // CHECK-SAME: jax.conv = #stablehlo.conv<[b, 1, 0, f]x[o, i, 1, 0]->[f, b, 0, 1]>
  jax.conv = #stablehlo.conv<[b, 1, 0, f]x[o, i, 1, 0]->[f, b, 0, 1]>,
  // CHECK-SAME: jax.conv_invalid = #stablehlo.conv<raw input_batch_dimension = 7, input_feature_dimension = 1,
  jax.conv_invalid = #stablehlo.conv<raw input_batch_dimension = 7, input_feature_dimension = 1>,
  // CHECK-SAME: jax.conv_raw = #stablehlo.conv<[b, f]x[i, o]->[b, f]>
  jax.conv_raw = #stablehlo.conv<raw input_feature_dimension = 1, kernel_output_feature_dimension = 1, output_feature_dimension = 1>,
  // CHECK-SAME: jax.dot = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
  jax.dot = #stablehlo.dot<rhs_contracting_dimensions = [0], lhs_batching_dimensions = [], lhs_contracting_dimensions = [1]>,
  // A number, although MLIR marks unknown sizes with it.
  // CHECK-SAME: jax.dot_smallest = #stablehlo.dot<lhs_batching_dimensions = [-9223372036854775808]>
  jax.dot_smallest = #stablehlo.dot<lhs_batching_dimensions = [?]>,
  // CHECK-SAME: jax.enum = #stablehlo<precision HIGHEST>
  jax.enum = #stablehlo<precision HIGHEST>,
  // CHECK-SAME: jax.gather = #stablehlo.gather<offset_dims = [1], start_index_map = [4], index_vector_dim = -1>
  jax.gather = #stablehlo.gather<index_vector_dim = -1, start_index_map = [4], offset_dims = [1],>,
  // CHECK-SAME: jax.scatter = #stablehlo.scatter<>
  jax.scatter = #stablehlo.scatter<index_vector_dim = 0>
} {
  // CHECK: func.func private @types(tensor<?x4xf32, #stablehlo.bounds<8, ?>>, !stablehlo.token, !stablehlo.future<tensor<2xf32>, tensor<i32>>)
  func.func private @types(tensor<?x4xf32, #stablehlo.bounds<8, ?>>, !stablehlo.token, !stablehlo.future<tensor<2xf32>, tensor<i32>>)
}
