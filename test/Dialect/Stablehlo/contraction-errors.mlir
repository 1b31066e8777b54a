// One program for each constraint of the specification, named for its label.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// dot_general_c1
func.func @dot_general_c1(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{lhs and rhs should have the same number of batching dimensions, got 1 and 0}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c2
func.func @dot_general_c2(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{lhs and rhs should have the same number of contracting dimensions, got 1 and 2}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1, 2]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c3
func.func @dot_general_c3(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{has duplicated dimension from lhs_batching_dimensions and lhs_contracting_dimensions: 0}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c4
func.func @dot_general_c4(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{has duplicated dimension from rhs_batching_dimensions and rhs_contracting_dimensions: 0}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c5
func.func @dot_general_c5(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{lhs_batching_dimensions value: -1 is out of range: [0, 3)}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [-1], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c6
func.func @dot_general_c6(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{lhs_contracting_dimensions value: 3 is out of range: [0, 3)}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c7
func.func @dot_general_c7(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{rhs_batching_dimensions value: 3 is out of range: [0, 3)}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [3], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c8
func.func @dot_general_c8(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{rhs_contracting_dimensions value: -9223372036854775807 is out of range: [0, 3)}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [-9223372036854775807]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c9
func.func @dot_general_c9(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{batching dimension sizes must match for lhs/rhs, got 2 and 5}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c10
func.func @dot_general_c10(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{contracting dimension sizes must match for lhs/rhs, got 3 and 4}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c11
func.func @dot_general_c11(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expects precision config to be empty or have <= 2 elements, got 3}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c12
func.func @dot_general_c12(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{inferred shape '[2, 3, 5]' is incompatible with return type of operation 'tensor<2x3x6xf32>'}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

// dot_general_c14
func.func @dot_general_c14(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{expects rhs to be quantized, and lhs and result both or neither}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// dot_general_c14_result
func.func @dot_general_c14_result(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{expects rhs to be quantized, and lhs and result both or neither}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2xf32>
  return
}

// -----

// dot_general_c15
func.func @dot_general_c15(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2x!quant.uniform<i8:f32, 1.0:3>>) {
  // expected-error @+1 {{expects the zero point of rhs to be 0, got 3}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32, 1.0:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// dot_general_c15_per_axis
func.func @dot_general_c15_per_axis(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2x!quant.uniform<i8:f32:1, {1.0:0, 1.0:4}>>) {
  // expected-error @+1 {{expects the zero points of rhs to be 0, got 4}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32:1, {1.0:0, 1.0:4}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 1.0}>>
  return
}

// -----

// dot_general_c16
func.func @dot_general_c16(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0}>>) {
  // expected-error @+1 {{expects rhs not to be quantized along its contracting dimension 0}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// dot_general_c17
func.func @dot_general_c17(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2x!quant.uniform<i16:f32, 1.0>>) {
  // expected-error @+1 {{expects lhs and rhs to have the same storage type, got 'i8' and 'i16'}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i16:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// dot_general_c18
func.func @dot_general_c18(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{expects operands and result to have the same expressed type, got 'f32', 'f32' and 'f64'}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f64, 1.0>>
  return
}

// -----

// dot_general_c19
func.func @dot_general_c19(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{expects the result to be quantized per tensor, as rhs is}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 1.0}>>
  return
}

// -----

// dot_general_c20
func.func @dot_general_c20(%a: tensor<2x3xf64>, %b: tensor<3x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{expects lhs and result to have the element type 'f32' that rhs expresses, got 'f64' and 'f32'}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2xf32>
  return
}

// -----

// dot_general_c21
func.func @dot_general_c21(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{must specify DEFAULT precision config when algorithm is set}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// dot_general_c22
// expected-error @+1 {{lhs component count must be positive, got 0}}
func.func private @dot_general_c22() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}

// -----

// dot_general_c23
// expected-error @+1 {{rhs component count must be positive, got -1}}
func.func private @dot_general_c23() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = -1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}

// -----

// dot_general_c24
// expected-error @+1 {{num primitive operations must be positive, got 0}}
func.func private @dot_general_c24() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false>}

// -----

// dot_general_i8
// expected-error @+1 {{dot algorithm not known to be supported on any hardware}}
func.func private @dot_general_i8() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f16, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}

// -----

// dot_general_i9
// expected-error @+1 {{dot algorithm not known to be supported on any hardware}}
func.func private @dot_general_i9() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = i32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}

// -----

// dot_general_i10
// expected-error @+1 {{dot algorithm not known to be supported on any hardware}}
func.func private @dot_general_i10() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}

// -----

// dot_algorithm_imprecise
// expected-error @+1 {{dot algorithm not known to be supported on any hardware}}
func.func private @dot_algorithm_imprecise() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true>}

// -----

// dot_algorithm_components
// expected-error @+1 {{dot algorithm not known to be supported on any hardware}}
func.func private @dot_algorithm_components() attributes {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 2, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}

// -----

// dot_c1
func.func @dot_c1(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x3x4xf32>, %d: tensor<f32>) {
  // expected-error @+1 {{expected both lhs/rhs ranks to be either 1 or 2, got 2 and 3}}
  %0 = stablehlo.dot %a, %c : (tensor<2x3xf32>, tensor<2x3x4xf32>) -> tensor<2xf32>
  return
}

// -----

// dot_c1_scalar
func.func @dot_c1_scalar(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x3x4xf32>, %d: tensor<f32>) {
  // expected-error @+1 {{expected both lhs/rhs ranks to be either 1 or 2, got 0 and 2}}
  %0 = stablehlo.dot %d, %a : (tensor<f32>, tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

// dot_c1_sizes
func.func @dot_c1_sizes(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x3x4xf32>, %d: tensor<f32>) {
  // expected-error @+1 {{contracting dimension sizes must match for lhs/rhs, got 3 and 2}}
  %0 = stablehlo.dot %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dot_c2
func.func @dot_c2(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x3x4xf32>, %d: tensor<f32>) {
  // expected-error @+1 {{expects precision config to be empty or have <= 2 elements, got 3}}
  %0 = stablehlo.dot %a, %b, precision = [HIGH, HIGH, HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// dot_c3
func.func @dot_c3(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x3x4xf32>, %d: tensor<f32>) {
  // expected-error @+1 {{inferred shape '[2, 4]' is incompatible with return type of operation 'tensor<2x5xf32>'}}
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

// cholesky_c1
func.func @cholesky_c1(%a: tensor<3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x3xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.cholesky %a : (tensor<3x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// cholesky_c2
func.func @cholesky_c2(%a: tensor<3xf32>) {
  // expected-error @+2 {{argument 'a' must have rank >= 2, got 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.cholesky %a : tensor<3xf32>
  return
}

// -----

// cholesky_c3
func.func @cholesky_c3(%a: tensor<3x4xf32>) {
  // expected-error @+2 {{minor dimensions of 'a' must have equal size, got 'tensor<3x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.cholesky %a : tensor<3x4xf32>
  return
}

// -----

// triangular_solve_c1
func.func @triangular_solve_c1(%a: tensor<3x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf64>) -> tensor<3x2xf32>
  return
}

// -----

// triangular_solve_c2
func.func @triangular_solve_c2(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{operand 'a' must have rank >= 2, but got 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// triangular_solve_c2_ranks
func.func @triangular_solve_c2_ranks(%a: tensor<3x3xf32>, %b: tensor<1x3x3xf32>) {
  // expected-error @+2 {{operands must have equal rank, but got 'tensor<3x3xf32>' and 'tensor<1x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  return
}

// -----

// triangular_solve_c3
func.func @triangular_solve_c3(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+2 {{two minor dimensions of operand 'a' must be compatible, but got 'tensor<3x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// triangular_solve_c3_left
func.func @triangular_solve_c3_left(%a: tensor<3x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+2 {{shared dimension of operands 'a' and 'b' must be compatible, but got 'tensor<3x3xf32>' and 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// triangular_solve_c3_right
func.func @triangular_solve_c3_right(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+2 {{shared dimension of operands 'a' and 'b' must be compatible, but got 'tensor<3x3xf32>' and 'tensor<3x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// triangular_solve_c3_batch
func.func @triangular_solve_c3_batch(%a: tensor<4x3x3xf32>, %b: tensor<5x3x3xf32>) {
  // expected-error @+2 {{batch dimensions of the operands must be compatible, but got 'tensor<4x3x3xf32>' and 'tensor<5x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x3x3xf32>, tensor<5x3x3xf32>) -> tensor<5x3x3xf32>
  return
}

// -----

// triangular_solve_c4
func.func @triangular_solve_c4(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  return
}

// -----

// triangular_solve_i6
func.func @triangular_solve_i6(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+2 {{invalid transpose option value TRANSPOSE_INVALID for triangular solve}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// fft_c1
func.func @fft_c1(%x: tensor<9xcomplex<f32>>) {
  // expected-error @+2 {{operand rank must not be less than fft rank of 2 for operand of type 'tensor<9xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = FFT, length = [9, 9] : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return
}

// -----

// fft_c2
func.func @fft_c2(%x: tensor<9xf32>) {
  // expected-error @+2 {{FFT takes a complex tensor as input, but is given 'tensor<9xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = FFT, length = [9] : (tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

// fft_c2_rfft
func.func @fft_c2_rfft(%x: tensor<9xf16>) {
  // expected-error @+2 {{RFFT takes an f32 or f64 tensor as input, but is given 'tensor<9xf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = RFFT, length = [9] : (tensor<9xf16>) -> tensor<5xcomplex<f32>>
  return
}

// -----

// fft_c3
func.func @fft_c3(%x: tensor<9xcomplex<f32>>) {
  // expected-error @+2 {{rank must be between 1 and 3, but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = FFT, length = [] : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return
}

// -----

// fft_c3_many
func.func @fft_c3_many(%x: tensor<1x1x1x1xcomplex<f32>>) {
  // expected-error @+2 {{rank must be between 1 and 3, but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = FFT, length = [1, 1, 1, 1] : (tensor<1x1x1x1xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>>
  return
}

// -----

// fft_c4
func.func @fft_c4(%x: tensor<9xf32>) {
  // expected-error @+2 {{RFFT requires the innermost dimensions to agree with fft_length, here [8], but the operand is 'tensor<9xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<9xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

// fft_c4_irfft
func.func @fft_c4_irfft(%x: tensor<3x8xcomplex<f32>>) {
  // expected-error @+2 {{IRFFT requires the innermost dimensions to agree with fft_length, here [3, 9], but the operand is 'tensor<3x8xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = IRFFT, length = [3, 16] : (tensor<3x8xcomplex<f32>>) -> tensor<3x16xf32>
  return
}

// -----

// fft_c4_result
func.func @fft_c4_result(%x: tensor<9xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<5xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<9xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = RFFT, length = [9] : (tensor<9xf32>) -> tensor<9xcomplex<f32>>
  return
}

// -----

// fft_c5
func.func @fft_c5(%x: tensor<3x9xcomplex<f32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x9xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<4x9xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %x, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<4x9xcomplex<f32>>
  return
}

// -----

// batch_norm_training_c1
func.func @batch_norm_training_c1(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) {
  // expected-error @+2 {{expects featureIndex to be smaller than the rank of multi-dimensional operands; got featureIndex 2, and rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c1_negative
func.func @batch_norm_training_c1_negative(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'feature_index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = -1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c2
func.func @batch_norm_training_c2(%a0: tensor<8x4xf32>, %a1: tensor<4xf64>, %a2: tensor<4xf32>) {
  // expected-error @+2 {{requires compatible element types for all operands}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf64>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c3
func.func @batch_norm_training_c3(%a0: tensor<8x4xf32>, %a1: tensor<5xf32>, %a2: tensor<4xf32>) {
  // expected-error @+2 {{expects single-dimensional operands to have compatible shapes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<5xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c4
func.func @batch_norm_training_c4(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<5xf32>) {
  // expected-error @+2 {{expects single-dimensional operands to have compatible shapes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<5xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_features
func.func @batch_norm_training_features(%a0: tensor<8x4xf32>, %a1: tensor<5xf32>, %a2: tensor<5xf32>) {
  // expected-error @+2 {{the size of single-dimensional operands is 5 and the feature count is 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c7
func.func @batch_norm_training_c7(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x6xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c5
func.func @batch_norm_training_c5(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<6xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c6
func.func @batch_norm_training_c6(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<6xf32>)
  return
}

// -----

// batch_norm_inference_c1
func.func @batch_norm_inference_c1(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+2 {{expects featureIndex to be smaller than the rank of multi-dimensional operands; got featureIndex 2, and rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_c1_negative
func.func @batch_norm_inference_c1_negative(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'feature_index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = -1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_c2
func.func @batch_norm_inference_c2(%a0: tensor<8x4xf32>, %a1: tensor<4xf64>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+2 {{requires compatible element types for all operands}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_c3
func.func @batch_norm_inference_c3(%a0: tensor<8x4xf32>, %a1: tensor<5xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+2 {{expects single-dimensional operands to have compatible shapes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_c4
func.func @batch_norm_inference_c4(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<5xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+2 {{expects single-dimensional operands to have compatible shapes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_c5
func.func @batch_norm_inference_c5(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<5xf32>, %a4: tensor<4xf32>) {
  // expected-error @+2 {{expects single-dimensional operands to have compatible shapes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<4xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_c6
func.func @batch_norm_inference_c6(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<5xf32>) {
  // expected-error @+2 {{expects single-dimensional operands to have compatible shapes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_features
func.func @batch_norm_inference_features(%a0: tensor<8x4xf32>, %a1: tensor<5xf32>, %a2: tensor<5xf32>, %a3: tensor<5xf32>, %a4: tensor<5xf32>) {
  // expected-error @+2 {{the size of single-dimensional operands is 5 and the feature count is 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<8x4xf32>)
  return
}

// -----

// batch_norm_inference_c7
func.func @batch_norm_inference_c7(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x6xf32>)
  return
}

// -----

// batch_norm_grad_c1
func.func @batch_norm_grad_c1(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<8x4xf32>) {
  // expected-error @+2 {{expects featureIndex to be smaller than the rank of multi-dimensional operands; got featureIndex 2, and rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_grad_c1_negative
func.func @batch_norm_grad_c1_negative(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<8x4xf32>) {
  // expected-error @+1 {{attribute 'feature_index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = -1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_grad_c2
func.func @batch_norm_grad_c2(%a0: tensor<8x4xf32>, %a1: tensor<4xf64>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<8x4xf32>) {
  // expected-error @+2 {{requires compatible element types for all operands}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_grad_c3
func.func @batch_norm_grad_c3(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<8x5xf32>) {
  // expected-error @+2 {{expects multi-dimensional operands to have compatible shapes, got 'tensor<8x4xf32>' and 'tensor<8x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x5xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_grad_c4
func.func @batch_norm_grad_c4(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<5xf32>, %a3: tensor<4xf32>, %a4: tensor<8x4xf32>) {
  // expected-error @+2 {{expects single-dimensional operands to have compatible shapes, got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_grad_c5
func.func @batch_norm_grad_c5(%a0: tensor<8x4xf32>, %a1: tensor<5xf32>, %a2: tensor<5xf32>, %a3: tensor<5xf32>, %a4: tensor<8x4xf32>) {
  // expected-error @+2 {{the size of single-dimensional operands is 5 and the feature count is 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_grad_c4_result
func.func @batch_norm_grad_c4_result(%a0: tensor<8x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<8x4xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<5xf32>, tensor<4xf32>)
  return
}
