// gather: one program for each constraint, named for its label.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// gather_c1
func.func @gather_c1(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{offset_dims, collapsed_slice_dims and operand_batching_dims have 3 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c2
func.func @gather_c2(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{index_vector_dim 3 is out of range [0, 2] for start indices}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c3
func.func @gather_c3(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{start_index_map has 2 entries, but an index vector has 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c4
func.func @gather_c4(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{offset_dims contains 1 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c4: sorted
func.func @gather_c4(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{offset_dims should be sorted, got [2, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c5
func.func @gather_c5(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{offset_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c6
func.func @gather_c6(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{collapsed_slice_dims with operand_batching_dims contains 0 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c7
func.func @gather_c7(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{collapsed_slice_dims should be sorted, got [1, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c8
func.func @gather_c8(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{collapsed_slice_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c9
func.func @gather_c9(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{slice size of dimension 0 of collapsed_slice_dims should be at most 1, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c10
func.func @gather_c10(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x1xi32>) {
  // expected-error @+2 {{operand_batching_dims should be sorted, got [1, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x2x2xf32>, tensor<2x2x1xi32>) -> tensor<2x2xf32>
  return
}

// -----

// gather_c11
func.func @gather_c11(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{operand_batching_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [2], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c12
func.func @gather_c12(%arg0: tensor<2x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{slice size of dimension 0 of operand_batching_dims should be at most 1, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>}> : (tensor<2x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c13
func.func @gather_c13(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x1xi32>) {
  // expected-error @+2 {{start_indices_batching_dims contains 0 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x2x2xf32>, tensor<2x2x1xi32>) -> tensor<2x2xf32>
  return
}

// -----

// gather_c14
func.func @gather_c14(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{start_indices_batching_dims contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c15
func.func @gather_c15(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{start_indices_batching_dims contains 1, which is the index_vector_dim}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c16
func.func @gather_c16(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{operand_batching_dims has 1 entries, but start_indices_batching_dims has 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c17
func.func @gather_c17(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{operand batching dimension 0 has size 3, but start indices batching dimension 0 has size 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c18
func.func @gather_c18(%arg0: tensor<3x4xf32>, %arg1: tensor<2x2xi32>) {
  // expected-error @+2 {{start_index_map with operand_batching_dims contains 0 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c19
func.func @gather_c19(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{start_index_map contains 2, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c20
func.func @gather_c20(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{slice_sizes has 1 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c21
func.func @gather_c21(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{slice size 5 is out of bounds for operand dimension 1 of size 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c21: negative
func.func @gather_c21(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{slice size -1 is out of bounds for operand dimension 0 of size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: -1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather_c22
func.func @gather_c22(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x5xf32>
  return
}

// -----

// gather_c23
func.func @gather_c23(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>) {
  // expected-error @+1 {{failed to verify that all of {operand, result} have same element type}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf64>
  return
}
