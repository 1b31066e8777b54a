// Ops that move data: what is printed is what is read, in the custom and in the
// generic form.
// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s

// CHECK-LABEL: func @reshape
func.func @reshape(%a: tensor<2x3xf32>, %b: tensor<?x3xf32>, %e: tensor<0x4xi1>) {
  // CHECK: stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
  // GENERIC: "stablehlo.reshape"({{%.*}}) : (tensor<2x3xf32>) -> tensor<6xf32>
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.reshape %arg1 {foo.bar} : (tensor<?x3xf32>) -> tensor<6xf32>
  %1 = stablehlo.reshape %b {foo.bar} : (tensor<?x3xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.reshape %arg2 : (tensor<0x4xi1>) -> tensor<7x0xi1>
  %2 = stablehlo.reshape %e : (tensor<0x4xi1>) -> tensor<7x0xi1>
  // CHECK: stablehlo.reshape %arg1 : (tensor<?x3xf32>) -> tensor<?xf32, #stablehlo.bounds<12>>
  %3 = stablehlo.reshape %b : (tensor<?x3xf32>) -> tensor<?xf32, #stablehlo.bounds<12>>
  return
}

// CHECK-LABEL: func @reshape_per_axis
func.func @reshape_per_axis(%a: tensor<1x2x3x!quant.uniform<i8:f32:1, {1.0,2.0}>>) {
  // CHECK: -> tensor<2x3x1x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>
  %0 = stablehlo.reshape %a : (tensor<1x2x3x!quant.uniform<i8:f32:1, {1.0,2.0}>>) -> tensor<2x3x1x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}

// CHECK-LABEL: func @bitcast_convert
func.func @bitcast_convert(%a: tensor<2xf64>, %b: tensor<2x?xi8>, %c: tensor<complex<f64>>) {
  // CHECK: stablehlo.bitcast_convert %arg0 : (tensor<2xf64>) -> tensor<2x4xf16>
  // GENERIC: "stablehlo.bitcast_convert"({{%.*}}) : (tensor<2xf64>) -> tensor<2x4xf16>
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf64>) -> tensor<2x4xf16>
  // CHECK: stablehlo.bitcast_convert %arg1 : (tensor<2x?xi8>) -> tensor<?xui32>
  %1 = stablehlo.bitcast_convert %b : (tensor<2x?xi8>) -> tensor<?xui32>
  // CHECK: stablehlo.bitcast_convert %arg2 : (tensor<complex<f64>>) -> tensor<2xcomplex<f32>>
  %2 = stablehlo.bitcast_convert %c : (tensor<complex<f64>>) -> tensor<2xcomplex<f32>>
  return
}

// CHECK-LABEL: func @transpose
func.func @transpose(%a: tensor<2x3xf32>, %b: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %s: tensor<f32>) {
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // GENERIC: "stablehlo.transpose"({{%.*}}) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.transpose %arg1, dims = [1, 0] {foo = 1 : i8} : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
  %1 = "stablehlo.transpose"(%b) {permutation = array<i64: 1, 0>, foo = 1 : i8} : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
  // CHECK: stablehlo.transpose %arg2, dims = [] : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.transpose %s, dims = [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @reverse
func.func @reverse(%a: tensor<2x3xf32>) {
  // CHECK: stablehlo.reverse %arg0, dims = [1, 0] : tensor<2x3xf32>
  // GENERIC: "stablehlo.reverse"({{%.*}}) <{dimensions = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.reverse %a, dims = [1, 0] : tensor<2x3xf32>
  // CHECK: stablehlo.reverse %arg0, dims = [] : (tensor<2x3xf32>) -> tensor<?x3xf32>
  %1 = stablehlo.reverse %a, dims = [] : (tensor<2x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @broadcasts
func.func @broadcasts(%a: tensor<1x3xf32>, %s: tensor<f32>, %b: tensor<?x1xf32, #stablehlo.bounds<4, ?>>) {
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [2, 1] : (tensor<1x3xf32>) -> tensor<2x3x4xf32>
  // GENERIC: "stablehlo.broadcast_in_dim"({{%.*}}) <{broadcast_dimensions = array<i64: 2, 1>}> : (tensor<1x3xf32>) -> tensor<2x3x4xf32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<1x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<0x3xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<0x3xf32>
  // CHECK: stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<?x1xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  %2 = stablehlo.broadcast_in_dim %b, dims = [0, 1] : (tensor<?x1xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  // CHECK: stablehlo.broadcast %arg0, sizes = [2, 0] : (tensor<1x3xf32>) -> tensor<2x0x1x3xf32>
  // GENERIC: "stablehlo.broadcast"({{%.*}}) <{broadcast_sizes = array<i64: 2, 0>}> : (tensor<1x3xf32>) -> tensor<2x0x1x3xf32>
  %3 = stablehlo.broadcast %a, sizes = [2, 0] : (tensor<1x3xf32>) -> tensor<2x0x1x3xf32>
  return
}

// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<3x8xi64>, %b: tensor<?x8xi64, #stablehlo.bounds<4, ?>>, %s: tensor<f32>) {
  // CHECK: stablehlo.slice %arg0 [1:3, 0:8:2] : (tensor<3x8xi64>) -> tensor<2x4xi64>
  // GENERIC: "stablehlo.slice"({{%.*}}) <{limit_indices = array<i64: 3, 8>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 2>}> : (tensor<3x8xi64>) -> tensor<2x4xi64>
  %0 = stablehlo.slice %a [1:3, 0:8:2] : (tensor<3x8xi64>) -> tensor<2x4xi64>
  // CHECK: stablehlo.slice %arg0 [3:3, 0:8:9223372036854775807] {foo} : (tensor<3x8xi64>) -> tensor<0x1xi64>
  %1 = stablehlo.slice %a[3:3:1, 0:8:9223372036854775807] {foo} : (tensor<3x8xi64>) -> tensor<0x1xi64>
  // CHECK: stablehlo.slice %arg1 [0:4, 0:8] : (tensor<?x8xi64, #stablehlo.bounds<4, ?>>) -> tensor<4x8xi64>
  %2 = stablehlo.slice %b [0:4, 0:8] : (tensor<?x8xi64, #stablehlo.bounds<4, ?>>) -> tensor<4x8xi64>
  // CHECK: stablehlo.slice %arg2 [] : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @dynamic_slice
func.func @dynamic_slice(%a: tensor<3x4xf32>, %i: tensor<i64>, %s: tensor<f32>) {
  // CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 2] : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  // GENERIC: "stablehlo.dynamic_slice"({{%.*}}) <{slice_sizes = array<i64: 2, 2>}> : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 2] : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  // CHECK: stablehlo.dynamic_slice %arg2, , sizes = [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_slice %arg2, , sizes = [] : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.dynamic_slice %s, , sizes = [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @dynamic_update_slice
func.func @dynamic_update_slice(%a: tensor<3x?xf32>, %u: tensor<2x2xf32>, %i: tensor<ui8>, %s: tensor<f32>) {
  // CHECK: stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<3x?xf32>, tensor<2x2xf32>, tensor<ui8>, tensor<ui8>) -> tensor<3x?xf32>
  // GENERIC: "stablehlo.dynamic_update_slice"({{%.*}}) : (tensor<3x?xf32>, tensor<2x2xf32>, tensor<ui8>, tensor<ui8>) -> tensor<3x?xf32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<3x?xf32>, tensor<2x2xf32>, tensor<ui8>, tensor<ui8>) -> tensor<3x?xf32>
  // CHECK: stablehlo.dynamic_update_slice %arg3, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_update_slice %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @concatenate
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %d: tensor<?x?xf32>) {
  // CHECK: stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // GENERIC: "stablehlo.concatenate"({{%.*}}) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK: stablehlo.concatenate %arg0, dim = 1 {foo = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.concatenate %a, dim = 1 {foo = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: -> tensor<?x3xf32, #stablehlo.bounds<6, ?>>
  %2 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<6, ?>>
  // CHECK: -> tensor<2x?xf32>
  %3 = stablehlo.concatenate %d, %a, dim = 1 : (tensor<?x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  return
}

// CHECK-LABEL: func @pad
func.func @pad(%a: tensor<2x3xi32>, %b: tensor<?x3xi32, #stablehlo.bounds<4, ?>>, %v: tensor<i32>) {
  // CHECK: stablehlo.pad %arg0, %arg2, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  // GENERIC: "stablehlo.pad"({{%.*}}) <{edge_padding_high = array<i64: 2, 1>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 1, 2>}> : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  %0 = stablehlo.pad %a, %v, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  // CHECK: stablehlo.pad %arg1, %arg2, low = [-1, -3], high = [0, 0], interior = [1, 0] : (tensor<?x3xi32, #stablehlo.bounds<4, ?>>, tensor<i32>) -> tensor<?x0xi32, #stablehlo.bounds<6, ?>>
  %1 = stablehlo.pad %b, %v, low = [-1, -3], high = [0, 0], interior = [1, 0] : (tensor<?x3xi32, #stablehlo.bounds<4, ?>>, tensor<i32>) -> tensor<?x0xi32, #stablehlo.bounds<6, ?>>
  // CHECK: stablehlo.pad %arg2, %arg2, low = [], high = [], interior = [] : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %2 = stablehlo.pad %v, %v, low = [], high = [], interior = [] : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<3x4xf32>, %i: tensor<2x1xi32>, %j: tensor<?xi64, #stablehlo.bounds<6>>, %b: tensor<2x4xf32>) {
  // CHECK: "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  // GENERIC: "stablehlo.gather"({{%.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  // An index vector of one component needs no dimension; bounds of the indices
  // are bounds of the result.
  // CHECK: indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> {foo} : (tensor<3x4xf32>, tensor<?xi64, #stablehlo.bounds<6>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 6>>
  %1 = "stablehlo.gather"(%a, %j) {foo, dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>} : (tensor<3x4xf32>, tensor<?xi64, #stablehlo.bounds<6>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 6>>
  // CHECK: #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>
  %2 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x4xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @torch_index_select
func.func @torch_index_select(%a: tensor<5x1x5xi32>, %i: tensor<2xi32>) {
  // CHECK: "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<2x1x5xi32>
  %0 = "stablehlo.torch_index_select"(%a, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<5x1x5xi32>, tensor<2xi32>) -> tensor<2x1x5xi32>
  return
}

// CHECK-LABEL: func @dimension_sizes
func.func @dimension_sizes(%a: tensor<2x?xf32>, %b: tensor<4x3xf32>, %n: tensor<i32>) {
  // CHECK: stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  // GENERIC: "stablehlo.get_dimension_size"({{%.*}}) <{dimension = 1 : i64}> : (tensor<2x?xf32>) -> tensor<i32>
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  // CHECK: stablehlo.set_dimension_size %arg1, %arg2, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  // GENERIC: "stablehlo.set_dimension_size"({{%.*}}) <{dimension = 0 : i64}> : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  %1 = stablehlo.set_dimension_size %b, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  // Setting a size to itself leaves it static.
  // CHECK: stablehlo.set_dimension_size %arg1, %{{.*}}, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  %c = stablehlo.constant dense<4> : tensor<i32>
  %2 = stablehlo.set_dimension_size %b, %c, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  return
}
