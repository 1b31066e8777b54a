// One program for each constraint of the specification, named for its label.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// convolution_c1
func.func @convolution_c1(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects convolution arguments to have same number of dimensions}}
  %0 = "stablehlo.convolution"(%x, %j) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c2
func.func @convolution_c2(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects window-strides to have same dimension-size as size of window dimensions (2), but got: 1}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c3
func.func @convolution_c3(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects window to have positive stride for 1-th window dimension, but got 0}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1, 0>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c4
func.func @convolution_c4(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects the shape of padding-attribute to be {N, 2}, but got}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<0> : tensor<2x3xi64>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c4_rank
func.func @convolution_c4_rank(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects the shape of padding-attribute to be {N, 2}, but got}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<0> : tensor<2xi64>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c4_length
func.func @convolution_c4_length(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects padding-entries to have same dimension-size as size of window dimensions (2), but got: 1000000000000}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<0> : tensor<1000000000000x2xi64>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c5
func.func @convolution_c5(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects base-dilation factors to have same dimension-size as size of window dimensions (2), but got: 3}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1, 1>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c6
func.func @convolution_c6(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects window to have positive base dilation factor for 0-th window dimension, but got -1}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: -1, 1>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c7
func.func @convolution_c7(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects window-dilation factors to have same dimension-size as size of window dimensions (2), but got: 1}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c8
func.func @convolution_c8(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects window to have positive window dilation factor for 1-th window dimension, but got 0}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1, 0>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c9
func.func @convolution_c9(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects window-reversal to have same dimension-size as size of window dimensions (2), but got: 1}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_reversal = array<i1: true>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c10
func.func @convolution_c10(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects input batch dimension (2) to be divisible by batch_group_count (3)}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 3 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c11
func.func @convolution_c11(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects input feature dimension (4) to be divisible by feature_group_count (3)}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c12
func.func @convolution_c12(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects convolution arguments to have 3 dimensions, got 4}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c13
func.func @convolution_c13(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects input dimension-numbers to be unique and in-range [0, 4), got {0, 3, 1, 1}}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c13_range
func.func @convolution_c13_range(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects input dimension-numbers to be unique and in-range [0, 4), got {0, 4, 1, 2}}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c14
func.func @convolution_c14(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects input feature dimension (4) / feature_group_count (2) = kernel input feature dimension (4)}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c15
func.func @convolution_c15(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x5xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects kernel output feature dimension (5) to be divisible by batch_group_count (2)}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32>
  return
}

// -----

// convolution_c16
func.func @convolution_c16(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x2x5xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects kernel output feature dimension (5) to be divisible by feature_group_count (2)}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x2x5xf32>) -> tensor<2x6x6x5xf32>
  return
}

// -----

// convolution_c17
func.func @convolution_c17(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects the same size for input, kernel and output spatial-dimensions, but got 2, 1, and 2 resp.}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c18
func.func @convolution_c18(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects kernel dimension-numbers to be unique and in-range [0, 4), got {-1, 3, 0, 1}}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = -1, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c19
func.func @convolution_c19(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects the same size for input, kernel and output spatial-dimensions, but got 2, 2, and 0 resp.}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = []>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c20
func.func @convolution_c20(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects output dimension-numbers to be unique and in-range [0, 4), got {3, 3, 1, 2}}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 3, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c21
func.func @convolution_c21(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{attribute 'feature_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c22
func.func @convolution_c22(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = -1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c23
func.func @convolution_c23(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects batch_group_count and feature_group_count not to be both greater than 1, got 2 and 2 resp.}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c24
func.func @convolution_c24(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects precision config to be empty or have <= 2 elements, got 3}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c25
func.func @convolution_c25(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{inferred shape '[2, 6, 6, 6]' is incompatible with return type of operation 'tensor<2x6x5x6xf32>'}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x5x6xf32>
  return
}

// -----

// convolution_c26
func.func @convolution_c26(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{inferred shape '[2, 4, 6, 6]' is incompatible with return type of operation 'tensor<2x6x6x6xf32>'}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 2, 1>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c26_overflow
func.func @convolution_c26_overflow(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{size of spatial dimension 0 of the result does not fit in 64 bits}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<[[9223372036854775807, 1], [0, 0]]> : tensor<2x2xi64>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_c27
func.func @convolution_c27(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x6xf64>, %j: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects lhs and rhs to have compatible element type, got 'f32' and 'f64'}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

// convolution_empty_window
func.func @convolution_empty_window(%x: tensor<2x8x4xf32>, %k: tensor<0x4x6xf32>) {
  // expected-error @+1 {{expects window to have positive size for 0-th window dimension, but got 0}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x4xf32>, tensor<0x4x6xf32>) -> tensor<2x8x6xf32>
  return
}

// -----

// convolution_c28
func.func @convolution_c28(%x: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %k: tensor<3x2xf32>) {
  // expected-error @+1 {{expects rhs to be quantized, and lhs and result both or neither}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// convolution_c29
func.func @convolution_c29(%x: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %k: tensor<3x2x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0}>>) {
  // expected-error @+1 {{expects rhs to be quantized along its output feature dimension 1, got 0}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// convolution_c30
func.func @convolution_c30(%x: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %k: tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 1.0}>>) {
  // expected-error @+1 {{expects result to be quantized along its output feature dimension 1, got 0}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 1.0}>>
  return
}

// -----

// convolution_c31
func.func @convolution_c31(%x: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %k: tensor<3x2x!quant.uniform<i16:f32, 1.0>>) {
  // expected-error @+1 {{expects lhs and rhs to have the same storage type, got 'i8' and 'i16'}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i16:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// convolution_c32
func.func @convolution_c32(%x: tensor<2x3x!quant.uniform<i8:f64, 1.0>>, %k: tensor<3x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{expects operands and result to have the same expressed type, got 'f64', 'f32' and 'f32'}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x!quant.uniform<i8:f64, 1.0>>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// convolution_c33
func.func @convolution_c33(%x: tensor<2x3x!quant.uniform<i8:f32, 1.0>>, %k: tensor<3x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{expects the result to be quantized per tensor, as rhs is}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 1.0}>>
  return
}

// -----

// convolution_c34
func.func @convolution_c34(%x: tensor<2x3xf32>, %k: tensor<3x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{expects lhs and result to have the element type 'f32' that rhs expresses, got 'f32' and 'f64'}}
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2xf64>
  return
}

// -----

// A window's member is written once, and is one of five.
func.func @window_duplicate(%x: tensor<2x3xf32>, %k: tensor<3x2xf32>) {
  // expected-error @+1 {{duplicated `pad` entry}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {pad = [], pad = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
}

// -----

func.func @window_unknown(%x: tensor<2x3xf32>, %k: tensor<3x2xf32>) {
  // expected-error @+1 {{expected '}'}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {pad = [], padding = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
}

// -----

func.func @window_pairs(%x: tensor<2x3xf32>, %k: tensor<3x2xf32>) {
  // expected-error @+1 {{expected array with 2 elements, got 1 elements instead}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {pad = [[1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
}

// -----

func.func @window_flags(%x: tensor<2x3xf32>, %k: tensor<3x2xf32>) {
  // expected-error @+1 {{expected true, false, 1 or 0, got 2}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {reverse = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
}

// -----

// dynamic_conv_c1
func.func @dynamic_conv_c1(%x: tensor<2x8x4xf32>, %k: tensor<3x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error @+1 {{expects convolution arguments to have same number of dimensions}}
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x4xf32>, tensor<3x4xf32>, tensor<1x2xi64>) -> tensor<2x?x6xf32>
  return
}

// -----

// dynamic_conv_c3
func.func @dynamic_conv_c3(%x: tensor<2x8x4xf32>, %k: tensor<3x4x6xf32>) {
  %p = stablehlo.constant dense<0> : tensor<1x2xi64>
  // expected-error @+1 {{expects window to have positive stride for 0-th window dimension, but got 0}}
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 0>}> : (tensor<2x8x4xf32>, tensor<3x4x6xf32>, tensor<1x2xi64>) -> tensor<2x?x6xf32>
  return
}

// -----

// dynamic_conv_c4
func.func @dynamic_conv_c4(%x: tensor<2x8x4xf32>, %k: tensor<3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error @+1 {{expects padding to be of shape [1, 2], but got 'tensor<2x2xi64>'}}
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x4xf32>, tensor<3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x?x6xf32>
  return
}

// -----

// dynamic_conv_c4_rank
func.func @dynamic_conv_c4_rank(%x: tensor<2x8x4xf32>, %k: tensor<3x4x6xf32>, %p: tensor<2xi64>) {
  // expected-error @+1 {{expects padding to be of shape [1, 2], but got 'tensor<2xi64>'}}
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x4xf32>, tensor<3x4x6xf32>, tensor<2xi64>) -> tensor<2x?x6xf32>
  return
}

// -----

// dynamic_conv_c11
func.func @dynamic_conv_c11(%x: tensor<2x8x4xf32>, %k: tensor<3x4x6xf32>, %p: tensor<1x2xi64>) {
  // expected-error @+1 {{expects input feature dimension (4) to be divisible by feature_group_count (3)}}
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<2x8x4xf32>, tensor<3x4x6xf32>, tensor<1x2xi64>) -> tensor<2x?x6xf32>
  return
}
