// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --emit-bytecode | hetero-opt | FileCheck %s

// CHECK-LABEL: func @sums
func.func @sums(%x: tensor<2x3xf32>, %zero: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
  // CHECK:      %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=1  {
  // CHECK-NEXT: ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
  // CHECK-NEXT:   %1 = stablehlo.add %input, %carry : tensor<2xf32>
  // CHECK-NEXT:   stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
  // CHECK-NEXT: } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %0:2 = chlo.scan(%x) inits (%zero) dimension=1 {
  ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
    %s = stablehlo.add %input, %carry : tensor<2xf32>
    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @attributes
func.func @attributes(%x: tensor<3xi1>, %y: tensor<3x2xf32>, %i: tensor<f32>) {
  // CHECK:      chlo.scan(%arg0, %arg1) inits (%arg2, %arg2) dimension=0  attributes {is_associative = false, is_reverse = true, note = "kept", scan_dim_size = 3 : i64} {
  // CHECK-NEXT: ^bb0(%input: tensor<i1>, %input_0: tensor<2xf32>, %carry: tensor<f32>, %carry_1: tensor<f32>):
  %0:2 = chlo.scan(%x, %y) inits (%i, %i) dimension=0 attributes {is_reverse = true, is_associative = false, scan_dim_size = 3 : i64, note = "kept"} {
  ^bb0(%a: tensor<i1>, %b: tensor<2xf32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %d, %c : tensor<f32>, tensor<f32>
  } : (tensor<3xi1>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// Outputs alone: the number of steps is given, or follows from the result.
// CHECK-LABEL: func @no_inputs
func.func @no_inputs(%i: tensor<2xf32>) {
  // CHECK: chlo.scan() inits (%arg0) dimension=0  attributes {scan_dim_size = 5 : i64} {
  // CHECK: } : (tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>)
  %0:2 = chlo.scan() inits (%i) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: func @dynamic
func.func @dynamic(%x: tensor<2x?xf32, #stablehlo.bounds<?, 4>>) {
  // CHECK: chlo.scan(%arg0) inits () dimension=1  {
  // CHECK: } : (tensor<2x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 4>>
  %0 = "chlo.scan"(%x) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<2x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 4>>
  return
}
