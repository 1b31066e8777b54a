// Ops with shapes of run time: one program for each constraint, named for its
// label. Constant shapes are checked like static ones.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// dynamic_gather_c1
func.func @dynamic_gather_c1(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{offset_dims, collapsed_slice_dims and operand_batching_dims have 3 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c2
func.func @dynamic_gather_c2(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{index_vector_dim 3 is out of range [0, 2] for start indices}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c3
func.func @dynamic_gather_c3(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{start_index_map has 2 entries, but an index vector has 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c4
func.func @dynamic_gather_c4(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{offset_dims contains 1 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c4: sorted
func.func @dynamic_gather_c4(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{offset_dims should be sorted, got [2, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c5
func.func @dynamic_gather_c5(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{offset_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c6
func.func @dynamic_gather_c6(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{collapsed_slice_dims with operand_batching_dims contains 0 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c7
func.func @dynamic_gather_c7(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{collapsed_slice_dims should be sorted, got [1, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c8
func.func @dynamic_gather_c8(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{collapsed_slice_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c9
func.func @dynamic_gather_c9(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  // expected-error @+2 {{slice size of dimension 0 of collapsed_slice_dims should be at most 1, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c10
func.func @dynamic_gather_c10(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 1, 1]> : tensor<3xi32>
  // expected-error @+2 {{operand_batching_dims should be sorted, got [1, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>}> : (tensor<2x2x2xf32>, tensor<2x2x1xi32>, tensor<3xi32>) -> tensor<2x2xf32>
  return
}

// -----

// dynamic_gather_c11
func.func @dynamic_gather_c11(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{operand_batching_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [2], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c12
func.func @dynamic_gather_c12(%arg0: tensor<2x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  // expected-error @+2 {{slice size of dimension 0 of operand_batching_dims should be at most 1, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>}> : (tensor<2x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c13
func.func @dynamic_gather_c13(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 1, 1]> : tensor<3xi32>
  // expected-error @+2 {{start_indices_batching_dims contains 0 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 2>}> : (tensor<2x2x2xf32>, tensor<2x2x1xi32>, tensor<3xi32>) -> tensor<2x2xf32>
  return
}

// -----

// dynamic_gather_c14
func.func @dynamic_gather_c14(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{start_indices_batching_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c15
func.func @dynamic_gather_c15(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{start_indices_batching_dims contains 1, which is the index_vector_dim}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c16
func.func @dynamic_gather_c16(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{operand_batching_dims has 1 entries, but start_indices_batching_dims has 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c17
func.func @dynamic_gather_c17(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{operand batching dimension 0 has size 3, but start indices batching dimension 0 has size 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c18
func.func @dynamic_gather_c18(%arg0: tensor<3x4xf32>, %arg1: tensor<2x2xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{start_index_map with operand_batching_dims contains 0 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c19
func.func @dynamic_gather_c19(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{start_index_map contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c20
func.func @dynamic_gather_c20(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1]> : tensor<1xi32>
  // expected-error @+2 {{slice_sizes has 1 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c21
func.func @dynamic_gather_c21(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  // expected-error @+2 {{slice size 5 is out of bounds for operand dimension 1 of size 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c21: negative
func.func @dynamic_gather_c21(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[-1, 4]> : tensor<2xi32>
  // expected-error @+2 {{slice size -1 is out of bounds for operand dimension 0 of size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// dynamic_gather_c22
func.func @dynamic_gather_c22(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+2 {{inferred type(s) 'tensor<2x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x5xf32>
  return
}

// -----

// dynamic_gather_c23
func.func @dynamic_gather_c23(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  // expected-error @+1 {{failed to verify that all of {operand, result} have same element type}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf64>
  return
}

// -----

// dynamic_broadcast_in_dim_c1
func.func @dynamic_broadcast_in_dim_c1(%arg0: tensor<3xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{requires operand and result to have the same element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf64>
  return
}

// -----

// dynamic_broadcast_in_dim_c2
func.func @dynamic_broadcast_in_dim_c2(%arg0: tensor<3xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{broadcast_dimensions has 2 entries, but the operand has rank 1}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c3
func.func @dynamic_broadcast_in_dim_c3(%arg0: tensor<3xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{broadcast_dimensions contains 2, which is not in range [0, 2)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 2>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c4
func.func @dynamic_broadcast_in_dim_c4(%arg0: tensor<3x3xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{broadcast_dimensions contains 1 more than once}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 1, 1>}> : (tensor<3x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c5
func.func @dynamic_broadcast_in_dim_c5(%arg0: tensor<3xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{size of operand dimension 0 (3) is neither 1 nor the size of result dimension 1 (4)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c5: constant shape
func.func @dynamic_broadcast_in_dim_c5(%arg0: tensor<3xf32>) {
  %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  // expected-error @+1 {{size of operand dimension 0 (3) is neither 1 nor the value of the output shape at index 1 (4)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %shape) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c6
func.func @dynamic_broadcast_in_dim_c6(%arg0: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{result quantization dimension 0 is not what operand quantization dimension 0 becomes}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 1, 0>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}

// -----

// dynamic_broadcast_in_dim_c7
func.func @dynamic_broadcast_in_dim_c7(%arg0: tensor<3xf32>) {
  %shape = stablehlo.constant dense<[2, 2, 3]> : tensor<3xi64>
  // expected-error @+1 {{output shape [2, 2, 3] is incompatible with the result's type 'tensor<?x3xf32>'}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %shape) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<3xi64>) -> tensor<?x3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c8
func.func @dynamic_broadcast_in_dim_c8(%arg0: tensor<?x?xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{known_expanding_dimensions with known_nonexpanding_dimensions contains 0 more than once}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c9
func.func @dynamic_broadcast_in_dim_c9(%arg0: tensor<?x?xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{known_expanding_dimensions contains 2, which is not in range [0, 2)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 2>}> : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c10
func.func @dynamic_broadcast_in_dim_c10(%arg0: tensor<?x?xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{known_nonexpanding_dimensions contains -1, which is not in range [0, 2)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 0, 1>, known_nonexpanding_dimensions = array<i64: -1>}> : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_shape
func.func @dynamic_broadcast_in_dim_shape(%arg0: tensor<3xf32>, %arg1: tensor<?xi64>) {
  // expected-error @+1 {{operand #1 must be statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  return
}

// -----

// dynamic_iota_c1
func.func @dynamic_iota_c1(%arg0: tensor<2xi64>) {
  // expected-error @+1 {{iota dimension 2 is out of range for a result of rank 2}}
  %0 = "stablehlo.dynamic_iota"(%arg0) <{iota_dimension = 2 : i64}> : (tensor<2xi64>) -> tensor<?x?xi32>
  return
}

// -----

// dynamic_iota_c2
func.func @dynamic_iota_c2() {
  %shape = stablehlo.constant dense<[2]> : tensor<1xi64>
  // expected-error @+1 {{output shape [2] is incompatible with the result's type 'tensor<?x?xi32>'}}
  %0 = "stablehlo.dynamic_iota"(%shape) <{iota_dimension = 0 : i64}> : (tensor<1xi64>) -> tensor<?x?xi32>
  return
}

// -----

// dynamic_iota_c2: negative
func.func @dynamic_iota_c2() {
  %shape = stablehlo.constant dense<[2, -1]> : tensor<2xi64>
  // expected-error @+1 {{output shape [2, -1] is incompatible with the result's type 'tensor<?x?xi32>'}}
  %0 = "stablehlo.dynamic_iota"(%shape) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xi32>
  return
}

// -----

// dynamic_pad_c1
func.func @dynamic_pad_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<f64>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>, %arg4: tensor<2xi64>) {
  // expected-error @+1 {{failed to verify that all of {operand, padding_value, result} have same element type}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xf32>, tensor<f64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_pad_c2
func.func @dynamic_pad_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<3xi64>, %arg3: tensor<3xi64>, %arg4: tensor<3xi64>) {
  // expected-error @+1 {{padding operands have 3 elements, but the operand has rank 2}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xf32>, tensor<f32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_pad_c2: types
func.func @dynamic_pad_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>, %arg4: tensor<2xi32>) {
  // expected-error @+1 {{failed to verify that all of {edge_padding_low, edge_padding_high, interior_padding} have same type}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_pad_c3
func.func @dynamic_pad_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>) {
  %interior = stablehlo.constant dense<[-1, 0]> : tensor<2xi64>
  // expected-error @+1 {{interior padding must not be negative, got [-1, 0]}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %interior) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_pad_c4
func.func @dynamic_pad_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>, %arg4: tensor<2xi64>) {
  // expected-error @+1 {{failed to verify that all of {operand, result} have same rank}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// dynamic_pad_c4: size
func.func @dynamic_pad_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %high = stablehlo.constant dense<[0, 0]> : tensor<2xi64>
  %interior = stablehlo.constant dense<[0, 0]> : tensor<2xi64>
  // expected-error @+1 {{padding gives dimension 0 the size 3, but the result's is 5}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %low, %high, %interior) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x?xf32>
  return
}

// -----

// dynamic_pad_c4: negative
func.func @dynamic_pad_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  %low = stablehlo.constant dense<[-3, 0]> : tensor<2xi64>
  %high = stablehlo.constant dense<[0, 0]> : tensor<2xi64>
  %interior = stablehlo.constant dense<[0, 0]> : tensor<2xi64>
  // expected-error @+1 {{padding results in negative size for dimension 0}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %low, %high, %interior) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_reshape_c1
func.func @dynamic_reshape_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{requires operand and result to have the same element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf64>
  return
}

// -----

// dynamic_reshape_c2
func.func @dynamic_reshape_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{output shape [7, 1] has 7 elements, but the operand has 6}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<7x1xf32>
  return
}

// -----

// dynamic_reshape_c2: constant shape
func.func @dynamic_reshape_c2(%arg0: tensor<2x3xf32>) {
  %shape = stablehlo.constant dense<[7, 1]> : tensor<2xi64>
  // expected-error @+1 {{output shape [7, 1] has 7 elements, but the operand has 6}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %shape) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_reshape_c3
func.func @dynamic_reshape_c3(%arg0: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{requires quantized dimensions 0 of the operand and 1 of the result}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0,2.0}>>
  return
}

// -----

// dynamic_reshape_c4
func.func @dynamic_reshape_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<3xi64>) {
  // expected-error @+1 {{output shape has 3 elements, but the result has rank 2}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

// dynamic_reshape_c4: constant shape
func.func @dynamic_reshape_c4(%arg0: tensor<?xf32>) {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error @+1 {{output shape [2, 3] is incompatible with the result's type 'tensor<3x?xf32>'}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  return
}

// -----

// real_dynamic_slice_c1
func.func @real_dynamic_slice_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>) {
  // expected-error @+1 {{failed to verify that all of {operand, result} have same element type}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
  return
}

// -----

// real_dynamic_slice_c2
func.func @real_dynamic_slice_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi32>, %arg3: tensor<2xi64>) {
  // expected-error @+1 {{failed to verify that all of {start_indices, limit_indices, strides} have same type}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// real_dynamic_slice_c3
func.func @real_dynamic_slice_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<3xi64>, %arg2: tensor<3xi64>, %arg3: tensor<3xi64>) {
  // expected-error @+1 {{has 3 start indices, but the operand has rank 2}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

// real_dynamic_slice_c3: unknown length
func.func @real_dynamic_slice_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<?xi64>, %arg2: tensor<?xi64>, %arg3: tensor<?xi64>) {
  // expected-error @+1 {{requires start_indices of 2 elements, got 'tensor<?xi64>'}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x?xf32>
  return
}
