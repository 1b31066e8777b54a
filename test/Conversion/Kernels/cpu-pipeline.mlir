// RUN: hetero-opt %s -hetero-cpu-pipeline | FileCheck %s

// CHECK: llvm.func @hetero_contract_f32
// CHECK-NOT: stablehlo
// CHECK: llvm.func internal @layer.impl
// CHECK: llvm.call @hetero_contract_f32
// CHECK: llvm.call @loop
// CHECK: llvm.func @layer(%{{.*}}: !llvm.ptr)
// CHECK-NOT: builtin.unrealized_conversion_cast
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.tanh %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// One element each is added to copies of the same zeros: no list of buffers has
// to be compared at run time to know which of them to free.
// CHECK-LABEL: llvm.func internal @two_elements.impl
// CHECK-NOT: dealloc_helper
// CHECK: llvm.func @two_elements(
func.func @two_elements(%i: tensor<i32>, %j: tensor<i32>, %x: tensor<f32>) -> tensor<11xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<11xf32>
  %0 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.reshape %j : (tensor<i32>) -> tensor<1xi32>
  %2 = "stablehlo.scatter"(%zeros, %0, %x) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<11xf32>, tensor<1xi32>, tensor<f32>) -> tensor<11xf32>
  %3 = "stablehlo.scatter"(%zeros, %1, %x) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<11xf32>, tensor<1xi32>, tensor<f32>) -> tensor<11xf32>
  %4 = stablehlo.add %2, %3 : tensor<11xf32>
  return %4 : tensor<11xf32>
}

// A product without free dimensions.
// CHECK-LABEL: llvm.func internal @inner_product.impl
// CHECK: llvm.func @inner_product(
func.func @inner_product(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// A window without dimensions.
// CHECK-LABEL: llvm.func internal @scalar_window.impl
// CHECK: llvm.func @scalar_window(
func.func @scalar_window(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The front of a dimension that is longer than the loop over it, and a sum of
// nothing.
// CHECK-LABEL: llvm.func internal @front.impl
// CHECK: llvm.func @front(
func.func @front(%x: tensor<7x8xf32>, %y: tensor<7x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.slice %x [0:7, 0:3] : (tensor<7x8xf32>) -> tensor<7x3xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [0] x [0] : (tensor<7x3xf32>, tensor<7x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
// CHECK-LABEL: llvm.func internal @nothing.impl
// CHECK: llvm.func @nothing(
func.func @nothing(%x: tensor<0x3xf32>, %y: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<0x3xf32>, tensor<0x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// A logarithm has a vectorized form, a log1p has none.
// CHECK-LABEL: llvm.func internal @log_plus_one.impl
// CHECK-NOT: @log1p
// CHECK: llvm.intr.log(
func.func @log_plus_one(%x: tensor<64xf64>) -> tensor<64xf64> {
  %0 = stablehlo.log_plus_one %x : tensor<64xf64>
  return %0 : tensor<64xf64>
}
