// The label names the constraint in the description of chlo.ragged_dot.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// ragged_dot_c1
func.func @precision(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{expects precision config to be empty or have <= 2 elements, got 3}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{precision_config = [#chlo<precision HIGH>, #chlo<precision HIGH>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c2
func.func @batching_count(%x: tensor<4x11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{the same number of batching dimensions, got 1 and 0}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<4x11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c3
func.func @contracting_count(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{the same number of contracting dimensions, got 1 and 0}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c4
func.func @contracting_range(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{lhs_contracting_dimensions value: 9 is out of range: [0, 2)}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [9], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c4
func.func @contracting_negative(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{rhs_contracting_dimensions value: -1 is out of range: [0, 3)}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [-1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c4
func.func @duplicate(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{has duplicated dimension 1 in lhs_contracting_dimensions}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c4
func.func @group_duplicate(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{has duplicated dimension 1 in rhs_group_dimensions}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c5
func.func @contracting_sizes(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{contracting dimension sizes must match for lhs/rhs, got 5 and 7}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c6
func.func @no_ragged(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{exactly one ragged dimension in the lhs, got 0}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c6
func.func @two_ragged(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{exactly one ragged dimension in the lhs, got 2}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c6
func.func @ragged_range(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{lhs_ragged_dimensions value: 2 is out of range: [0, 2)}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c7
func.func @group_sizes_rank(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<1x3xi32>) {
  // expected-error @+1 {{expected group_sizes to have rank 1, got 2}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<1x3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c7
func.func @group_sizes_prefix(%x: tensor<4x11x5xf32>, %w: tensor<3x4x5x7xf32>, %g: tensor<5x3xi32>) {
  // expected-error @+1 {{expected dimension 0 of group_sizes to have the size of lhs dimension 0}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<4x11x5xf32>, tensor<3x4x5x7xf32>, tensor<5x3xi32>) -> tensor<4x11x7xf32>
  return
}

// -----

// ragged_dot_c8
func.func @no_group(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{exactly one group dimension in the rhs when the lhs ragged dimension is non-contracting, got 0}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c8
func.func @unwanted_group(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{zero group dimensions in the rhs when the ragged dimension is batch or contracting, got 1}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<3x11x7xf32>
  return
}

// -----

// ragged_dot_c8
func.func @group_count(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<4xi32>) {
  // expected-error @+1 {{rhs group dimension is expected to have size=4, got 3}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi32>) -> tensor<11x7xf32>
  return
}

// -----

// ragged_dot_c9
func.func @result(%x: tensor<11x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{inferred shape [11, 7] is incompatible with return type of operation}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x8xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{requires ranked lhs and rhs}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<*xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return
}

// -----

// expected-error @+1 {{duplicated `lhs_ragged_dimensions` entry}}
func.func private @duplicate_member() attributes {a = #chlo.ragged_dot<lhs_ragged_dimensions = [0], lhs_ragged_dimensions = [1]>}

// -----

// expected-error @+1 {{expected one of: `lhs_batching_dimensions`, `rhs_batching_dimensions`}}
func.func private @unknown_member() attributes {a = #chlo.ragged_dot<rows = [0]>}
