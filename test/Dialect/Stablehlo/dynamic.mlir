// Ops with shapes of run time: what is printed is what is read, in the custom
// and in the generic form.
// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s

// CHECK-LABEL: func @dynamic_broadcast_in_dim
func.func @dynamic_broadcast_in_dim(%a: tensor<3xf32>, %b: tensor<1x?xf32>, %s: tensor<2xi64>, %t: tensor<2xindex>) {
  // CHECK: stablehlo.dynamic_broadcast_in_dim %arg0, %arg2, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  // GENERIC: "stablehlo.dynamic_broadcast_in_dim"({{%.*}}) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  // CHECK: stablehlo.dynamic_broadcast_in_dim %arg1, %arg3, dims = [0, 1] {foo = 1 : i32, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  // GENERIC: <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>}> {foo = 1 : i32}
  %1 = stablehlo.dynamic_broadcast_in_dim %b, %t, dims = [0, 1] {known_nonexpanding_dimensions = array<i64: 1>, foo = 1 : i32, known_expanding_dimensions = array<i64: 0>} : (tensor<1x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func @dynamic_gather
func.func @dynamic_gather(%a: tensor<3x4xf32>, %i: tensor<2x1xi32>, %s: tensor<2xi32>) {
  // CHECK: "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  // CHECK: indices_are_sorted = true}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  %1 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true} : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @dynamic_iota
func.func @dynamic_iota(%s: tensor<2xi64>, %t: tensor<1xui8>) {
  // CHECK: stablehlo.dynamic_iota %arg0, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  // GENERIC: "stablehlo.dynamic_iota"({{%.*}}) <{iota_dimension = 1 : i64}> : (tensor<2xi64>) -> tensor<?x?xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  // CHECK: stablehlo.dynamic_iota %arg1, dim = 0 {foo} : (tensor<1xui8>) -> tensor<4xf32>
  %1 = stablehlo.dynamic_iota %t, dim = 0 {foo} : (tensor<1xui8>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @dynamic_pad
func.func @dynamic_pad(%a: tensor<?x3xf32>, %v: tensor<f32>, %p: tensor<2xi64>) {
  // CHECK: stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // GENERIC: "stablehlo.dynamic_pad"({{%.*}}) : (
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %p : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func @dynamic_reshape
func.func @dynamic_reshape(%a: tensor<?xf32>, %b: tensor<f32>, %s: tensor<2xi32>, %t: tensor<0xindex>) {
  // CHECK: stablehlo.dynamic_reshape %arg0, %arg2 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  // GENERIC: "stablehlo.dynamic_reshape"({{%.*}}) : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  // CHECK: stablehlo.dynamic_reshape %arg1, %arg3 : (tensor<f32>, tensor<0xindex>) -> tensor<f32>
  %1 = stablehlo.dynamic_reshape %b, %t : (tensor<f32>, tensor<0xindex>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @real_dynamic_slice
func.func @real_dynamic_slice(%a: tensor<2x?xf32>, %p: tensor<2xindex>) {
  // CHECK: stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<2x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<?x?xf32>
  // GENERIC: "stablehlo.real_dynamic_slice"({{%.*}}) : (
  %0 = stablehlo.real_dynamic_slice %a, %p, %p, %p : (tensor<2x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<?x?xf32>
  return
}
