// Dynamic ops with constant operands become static.
// RUN: hetero-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @broadcast
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1] {foo.bar} : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[B]]
func.func @broadcast(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] {foo.bar} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The result's type would change, or the shape is not known.
// CHECK-LABEL: func @broadcast_left_alone
// CHECK-COUNT-2: stablehlo.dynamic_broadcast_in_dim
func.func @broadcast_left_alone(%x: tensor<3xf32>, %shape: tensor<2xi64>) -> (tensor<?x3xf32>, tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %c, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @gather
// CHECK-NEXT: "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
func.func @gather(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func @iota
// CHECK: stablehlo.iota dim = 1 : tensor<2x3xi32>
// CHECK: stablehlo.dynamic_iota %{{.*}}, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi1>
func.func @iota() -> (tensor<2x3xi32>, tensor<2x3xi1>) {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi32>
  %1 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi1>
  return %0, %1 : tensor<2x3xi32>, tensor<2x3xi1>
}

// CHECK-LABEL: func @pad
// CHECK-NEXT: stablehlo.pad %arg0, %arg1, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x4xf32>
func.func @pad(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<4x4xf32> {
  %low = stablehlo.constant dense<[1, -1]> : tensor<2xi8>
  %high = stablehlo.constant dense<[0, 2]> : tensor<2xi8>
  %interior = stablehlo.constant dense<[1, 0]> : tensor<2xi8>
  %0 = stablehlo.dynamic_pad %x, %v, %low, %high, %interior : (tensor<2x3xf32>, tensor<f32>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A shape that is computed from constants is constant as well.
// CHECK-LABEL: func @reshape
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @reshape(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x3xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %three, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func @slice
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %arg0 [0:2, 1:5:2] : (tensor<3x5xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return %[[S]]
func.func @slice(%x: tensor<3x5xf32>) -> tensor<2x2xf32> {
  %starts = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %limits = stablehlo.constant dense<[2, 5]> : tensor<2xi64>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %0 = stablehlo.real_dynamic_slice %x, %starts, %limits, %strides : (tensor<3x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// What slice would not accept is left to run time: a limit beyond the operand,
// a stride of zero, another size of the result, another rank.
// CHECK-LABEL: func @slice_left_alone
// CHECK-COUNT-4: stablehlo.real_dynamic_slice
func.func @slice_left_alone(%x: tensor<5xf32>) -> (tensor<6xf32>, tensor<5xf32>, tensor<4xf32>, tensor<1x5xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<1xi64>
  %c1 = stablehlo.constant dense<1> : tensor<1xi64>
  %c5 = stablehlo.constant dense<5> : tensor<1xi64>
  %c6 = stablehlo.constant dense<6> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %x, %c0, %c6, %c1 : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  %1 = stablehlo.real_dynamic_slice %x, %c0, %c5, %c0 : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  %2 = stablehlo.real_dynamic_slice %x, %c0, %c5, %c1 : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  %3 = stablehlo.real_dynamic_slice %x, %c0, %c5, %c1 : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x5xf32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<5xf32>, tensor<4xf32>, tensor<1x5xf32>
}
