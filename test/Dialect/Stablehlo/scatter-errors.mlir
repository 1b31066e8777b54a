// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// scatter_c1
func.func @inputs(%x: tensor<8x4xf32>, %y: tensor<8x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expects inputs of compatible shapes, got 'tensor<8x4xf32>' and 'tensor<8x5xf32>'}}
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8x4xf32>, tensor<8x5xf32>, tensor<3x1xi32>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<8x4xf32>, tensor<8x5xf32>)
  return
}

// -----

// scatter_c2
func.func @dimension_count(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{update_window_dims, inserted_window_dims and input_batching_dims together to be as many as the inputs' dimensions, 3, got 2}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c3
func.func @updates(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>, %v: tensor<3x3xf32>) {
  // expected-error@+1 {{expects updates of compatible shapes, got 'tensor<3x4xf32>' and 'tensor<3x3xf32>'}}
  %0:2 = "stablehlo.scatter"(%x, %x, %i, %u, %v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>, tensor<3x3xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  return
}

// -----

// scatter_c4
func.func @update_rank(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4x1xf32>) {
  // expected-error@+1 {{expects updates of rank 3, with 1 window and 2 scatter dimensions, got 'tensor<2x3x4x1xf32>'}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4x1xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c4
func.func @update_window(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x8xf32>) {
  // expected-error@+1 {{expects window dimension 2 of the updates to be at most the input's size 7, got 8}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x8xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c4
func.func @update_scatter(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x4x4xf32>) {
  // expected-error@+1 {{expects scatter dimension 1 of the updates to have the indices' size 3, got 4}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x4x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c5
func.func @nothing(%i: tensor<3x1xi32>) {
  // expected-error@+1 {{expects at least one input}}
  "stablehlo.scatter"(%i) ({
    stablehlo.return
  }) {scatter_dimension_numbers = #stablehlo.scatter<>} : (tensor<3x1xi32>) -> ()
  return
}

// -----

// scatter_c6
func.func @update_element_type(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xi32>) {
  // expected-error@+1 {{update_computation adds elements of 'tensor<f32>', which elements of 'tensor<2x3x4xi32>' cannot be promoted to}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xi32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c7
func.func @update_window_dims_sorted(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects update_window_dims to be sorted, got [2, 1]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c7
func.func @update_window_dims_distinct(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects update_window_dims to be distinct, but dimension 2 is named twice}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c8
func.func @update_window_dims_range(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{dimension 3 of update_window_dims is out of range for rank 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c9
func.func @inserted_distinct(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects inserted_window_dims and input_batching_dims to be distinct, but dimension 0 is named twice}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c10
func.func @inserted_sorted(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects inserted_window_dims to be sorted, got [2, 1]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2, 1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c11
func.func @inserted_range(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{dimension 3 of inserted_window_dims is out of range for rank 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c12
func.func @batching_sorted(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects input_batching_dims to be sorted, got [2, 0]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [2, 0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c13
func.func @batching_range(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{dimension -1 of input_batching_dims is out of range for rank 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [-1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c14
func.func @indices_batching_distinct(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{scatter_indices_batching_dims}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c15
func.func @indices_batching_range(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{scatter_indices_batching_dims is out of range for rank 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c16
func.func @indices_batching_vector(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects scatter_indices_batching_dims not to contain index_vector_dim 2}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c17
func.func @batching_count(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects as many input_batching_dims as scatter_indices_batching_dims, got 1 and 0}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c18
func.func @batching_size(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects batching dimension 0 of the inputs and 1 of the indices to have the same size, got 2 and 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c19
func.func @index_components(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects scatter_dims_to_operand_dims to have 1 members, one for each component of an index, got 0}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c20
func.func @index_map_distinct(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects scatter_dims_to_operand_dims and input_batching_dims to be distinct, but dimension 0 is named twice}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c21
func.func @index_map_range(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{dimension 3 of scatter_dims_to_operand_dims is out of range for rank 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [3], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c22
func.func @index_vector_dim(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{index_vector_dim 4 is out of range for indices of rank 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 4>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c22
func.func @index_vector_dim_negative(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{index_vector_dim -1 is out of range for indices of rank 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = -1>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c23
func.func @computation_arguments(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{expects update_computation to take 2 arguments, got 1}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c23
func.func @computation_rank(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+1 {{update_computation returns 'tensor<1xf32>', which an initial value of 'tensor<f32>' cannot be promoted to}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<1xf32>, %b: tensor<1xf32>):
    stablehlo.return %a : tensor<1xf32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

// scatter_c24
func.func @result_shape(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x5x7xf32>' are incompatible with return type(s) of operation 'tensor<2x5x8xf32>'}}
  // expected-error@+1 {{'stablehlo.scatter' op failed to infer returned types}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x8xf32>
  return
}

// -----

// scatter_c25
func.func @result_element_type(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3x4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x5x7xf64>' are incompatible with return type(s) of operation 'tensor<2x5x7xf32>'}}
  // expected-error@+1 {{'stablehlo.scatter' op failed to infer returned types}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x5x7xf32>, tensor<2x3x1xi32>, tensor<2x3x4xf32>) -> tensor<2x5x7xf32>
  return
}
