// Ops that move data: one program for each constraint, named for its label.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// reshape_c1
func.func @reshape_c1(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{requires operand and result to have the same element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<6xf64>
  return
}

// -----

// reshape_c2
func.func @reshape_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{number of output elements (7) doesn't match expected number of elements (6)}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

// reshape_c2: more elements than an integer can count
func.func @reshape_c2(%arg0: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{has more elements than 64 bits can count}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<4294967296x4294967296xf32>) -> tensor<0xf32>
  return
}

// -----

// reshape_c3
func.func @reshape_c3(%arg0: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  // expected-error @+1 {{requires quantized dimensions 0 of the operand and 1 of the result, and the dimensions on either side of them, to have the same number of elements}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0,2.0}>>
  return
}

// -----

// reshape_result_shape
func.func @reshape_result_shape(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{statically shaped or single bounded dimension tensor}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<?xf32>
  return
}

// -----

// reshape_two_bounded
func.func @reshape_two_bounded(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{statically shaped or single bounded dimension tensor}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<?x?xf32, #stablehlo.bounds<2, 3>>
  return
}

// -----

// per_axis_scales
func.func @per_axis_scales(%arg0: tensor<3x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<3x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<3x1x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}

// -----

// bitcast_convert_c1
func.func @bitcast_convert_c1(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{requires compatible bit widths, but 2 elements of 8 bits do not make one of 32}}
  %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2xi32>) -> tensor<2x2xi8>
  return
}

// -----

// bitcast_convert_c1: one more dimension
func.func @bitcast_convert_c1(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{rank of smaller element type (1) should be 1 more than rank of larger element type (1)}}
  %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2xi32>) -> tensor<2xi8>
  return
}

// -----

// bitcast_convert_c1: other dimensions
func.func @bitcast_convert_c1(%arg0: tensor<3x4xi8>) {
  // expected-error @+1 {{requires all but the last dimension of 'tensor<3x4xi8>' to be those of 'tensor<2xi32>'}}
  %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x4xi8>) -> tensor<2xi32>
  return
}

// -----

// bitcast_convert_c1: equally wide
func.func @bitcast_convert_c1(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{requires equally wide elements to keep their shape}}
  %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2xi32>) -> tensor<3xf32>
  return
}

// -----

// bitcast_convert_c2
func.func @bitcast_convert_c2(%arg0: tensor<2xf64>) {
  // expected-error @+1 {{cannot convert between real and complex types}}
  %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

// transpose_c1
func.func @transpose_c1(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{requires operand and result to have the same element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}

// -----

// transpose_c1: quantization
func.func @transpose_c1(%arg0: tensor<2x3x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{requires operand and result to have the same element type}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3x2x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

// transpose_c2
func.func @transpose_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{permutation contains 1 more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// transpose_c2: length
func.func @transpose_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{permutation has 3 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// transpose_c2: range
func.func @transpose_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{permutation contains -1, which is not in range [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, -1>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// transpose_c3
func.func @transpose_c3(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// transpose_c4
func.func @transpose_c4(%arg0: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  // expected-error @+1 {{operand quantization dimension 0 does not become result quantization dimension 0}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}

// -----

// transpose_c4: scales
func.func @transpose_c4(%arg0: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  // expected-error @+1 {{requires the scales and zero points of operand and result to be the same}}
  %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0,3.0}>>
  return
}

// -----

// reverse_c1
func.func @reverse_c1(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{requires compatible types for all operands and results}}
  %0 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 1>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// reverse_c2
func.func @reverse_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{dimensions contains 1 more than once}}
  %0 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// reverse_c3
func.func @reverse_c3(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{dimensions contains 2, which is not in range [0, 2)}}
  %0 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 2>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_in_dim_c1
func.func @broadcast_in_dim_c1(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{requires operand and result to have the same element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

// broadcast_in_dim_c2
func.func @broadcast_in_dim_c2(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{broadcast_dimensions has 2 entries, but the operand has rank 1}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_in_dim_c3
func.func @broadcast_in_dim_c3(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{broadcast_dimensions contains 2, which is not in range [0, 2)}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 2>}> : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_in_dim_c4
func.func @broadcast_in_dim_c4(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{broadcast_dimensions contains 1 more than once}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

// broadcast_in_dim_c5
func.func @broadcast_in_dim_c5(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{size of operand dimension 0 (3) is neither 1 nor the size of result dimension 1 (2)}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// broadcast_in_dim_c5: bounded
func.func @broadcast_in_dim_c5(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{size of operand dimension 0 (3) is not 1, but result dimension 0 is dynamic}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xf32>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// broadcast_in_dim_c6
func.func @broadcast_in_dim_c6(%arg0: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  // expected-error @+1 {{result quantization dimension 0 is not what operand quantization dimension 0 becomes}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1, 0>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}

// -----

// broadcast_in_dim_c6: scales
func.func @broadcast_in_dim_c6(%arg0: tensor<1x2x!quant.uniform<i8:f32:0, {1.0}>>) {
  // expected-error @+1 {{requires all scales and zero points of the result to be those of the operand's only slice}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x2x!quant.uniform<i8:f32:0, {1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}

// -----

// broadcast_c1
func.func @broadcast_c1(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "stablehlo.broadcast"(%arg0) <{broadcast_sizes = array<i64: 2>}> : (tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

// broadcast_c2
func.func @broadcast_c2(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{broadcast size -1 is negative}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.broadcast"(%arg0) <{broadcast_sizes = array<i64: -1>}> : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_c3
func.func @broadcast_c3(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x3xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.broadcast"(%arg0) <{broadcast_sizes = array<i64: 4>}> : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// slice_c1
func.func @slice_c1(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 2>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf64>
  return
}

// -----

// slice_c2
func.func @slice_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{start_indices has 1 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1, 2>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// slice_c2: limits
func.func @slice_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{limit_indices has 3 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 2, 3>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// slice_c2: strides
func.func @slice_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{strides has 0 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 2>, strides = array<i64>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// slice_c3
func.func @slice_c3(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{limit index 4 is larger than dimension size 3 in dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 4>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// slice_c3: bound
func.func @slice_c3(%arg0: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) {
  // expected-error @+2 {{limit index 5 is larger than dimension bound 4 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 5, 3>, strides = array<i64: 1, 1>}> : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<5x3xf32>
  return
}

// -----

// slice_c3: start
func.func @slice_c3(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{negative start index -1 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: -1, 0>, limit_indices = array<i64: 1, 2>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// slice_c3: order
func.func @slice_c3(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{start index 2 is larger than limit index 1 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 2, 0>, limit_indices = array<i64: 1, 2>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// slice_c4
func.func @slice_c4(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{stride must be positive but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 2>, strides = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// slice_c5
func.func @slice_c5(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x3xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 3>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

// dynamic_slice_c1
func.func @dynamic_slice_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) {
  // expected-error @+1 {{failed to verify that all of {operand, result} have same element type}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
  return
}

// -----

// dynamic_slice_c2
func.func @dynamic_slice_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) {
  // expected-error @+2 {{slice_sizes has 1 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) <{slice_sizes = array<i64: 1>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  return
}

// -----

// dynamic_slice_c2: indices
func.func @dynamic_slice_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>) {
  // expected-error @+2 {{has 1 start indices, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x2xf32>
  return
}

// -----

// dynamic_slice_c3
func.func @dynamic_slice_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i64>) {
  // expected-error @+2 {{start indices must have same element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i64>) -> tensor<1x2xf32>
  return
}

// -----

// dynamic_slice_c4
func.func @dynamic_slice_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) {
  // expected-error @+2 {{has slice size 4 greater than dimension size 3 in dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) <{slice_sizes = array<i64: 1, 4>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

// dynamic_slice_c4: negative
func.func @dynamic_slice_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) {
  // expected-error @+2 {{has negative slice size -1 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) <{slice_sizes = array<i64: -1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

// dynamic_slice_c5
func.func @dynamic_slice_c5(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x2xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

// dynamic_update_slice_c1
func.func @dynamic_update_slice_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  return
}

// -----

// dynamic_update_slice_c2
func.func @dynamic_update_slice_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<1x2xf64>, %arg2: tensor<i32>, %arg3: tensor<i32>) {
  // expected-error @+1 {{failed to verify that all of {operand, update, result} have same element type}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// dynamic_update_slice_c3
func.func @dynamic_update_slice_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) {
  // expected-error @+2 {{update has rank 1, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// dynamic_update_slice_c4
func.func @dynamic_update_slice_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<1x2xf32>, %arg2: tensor<i32>) {
  // expected-error @+2 {{has 1 start indices, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// dynamic_update_slice_c5
func.func @dynamic_update_slice_c5(%arg0: tensor<2x3xf32>, %arg1: tensor<1x2xf32>, %arg2: tensor<i32>, %arg3: tensor<ui32>) {
  // expected-error @+2 {{start indices must have same element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<ui32>) -> tensor<2x3xf32>
  return
}

// -----

// dynamic_update_slice_c6
func.func @dynamic_update_slice_c6(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) {
  // expected-error @+2 {{update has size 3 in dimension 0, more than the operand's 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// concatenate_c1
func.func @concatenate_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf64>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

// concatenate_c2
func.func @concatenate_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<2x2xf32>) {
  // expected-error @+2 {{inputs have sizes 3 and 2 in dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

// concatenate_c2: rank
func.func @concatenate_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{input #1 has rank 1, but input #0 has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// concatenate_c2: bound
func.func @concatenate_c2(%arg0: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %arg1: tensor<5x3xf32>) {
  // expected-error @+2 {{an input's size 5 exceeds another's bound 4 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 1 : i64}> : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<5x3xf32>) -> tensor<?x6xf32>
  return
}

// -----

// concatenate_c3
func.func @concatenate_c3() {
  // expected-error @+1 {{expected 1 or more operands}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<4x3xf32>
  return
}

// -----

// concatenate_c4
func.func @concatenate_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) {
  // expected-error @+2 {{dimension 2 is out of range for inputs of rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 2 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// concatenate_c4: negative
func.func @concatenate_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) {
  // expected-error @+1 {{attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = -1 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// concatenate_c5
func.func @concatenate_c5(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf64>
  return
}

// -----

// concatenate_c6
func.func @concatenate_c6(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x3xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

// concatenate_c6: overflow
func.func @concatenate_c6(%arg0: tensor<9223372036854775807xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{concatenated size exceeds 64 bits: 9223372036854775807 + 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<9223372036854775807xf32>, tensor<1xf32>) -> tensor<?xf32>
  return
}

// -----

// pad_c1
func.func @pad_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<f64>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f64>) -> tensor<4x3xf32>
  return
}

// -----

// pad_c2
func.func @pad_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{edge_padding_low has 1 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// pad_c2: high
func.func @pad_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{edge_padding_high has 3 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 1, 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// pad_c2: interior
func.func @pad_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{interior_padding has 0 entries, but the operand has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// pad_c3
func.func @pad_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{interior padding -1 is negative in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64: -1, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// pad_c4
func.func @pad_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<5x3xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64: 1, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// -----

// pad_c4: negative
func.func @pad_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{padding results in negative size for dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: -3, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return
}

// -----

// pad_c4: overflow
func.func @pad_c4(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{padding results in too large size for dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 9223372036854775807, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

// get_dimension_size_c1
func.func @get_dimension_size_c1(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{requires dimension attribute in range [0, 2), got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.get_dimension_size"(%arg0) <{dimension = 2 : i64}> : (tensor<2x3xf32>) -> tensor<i32>
  return
}

// -----

// set_dimension_size_c1
func.func @set_dimension_size_c1(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>) {
  // expected-error @+2 {{requires dimension attribute in range [0, 2), got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.set_dimension_size"(%arg0, %arg1) <{dimension = 2 : i64}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32>
  return
}

// -----

// set_dimension_size_c2
func.func @set_dimension_size_c2(%arg0: tensor<2x3xf32>, %arg1: tensor<1xi32>) {
  // expected-error @+2 {{requires size to have rank 0, got 'tensor<1xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.set_dimension_size"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<?x3xf32>
  return
}

// -----

// set_dimension_size_c3
func.func @set_dimension_size_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xf32, #stablehlo.bounds<2, ?>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.set_dimension_size"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x4xf32>
  return
}
