// REQUIRES: ptxas
// RUN: hetero-opt %s -hetero-cuda-pipeline="arch=sm_80,sm_90" | FileCheck %s

// ptxas accepts the kernels of all kinds of operations.
// CHECK-DAG: llvm.mlir.global private constant @image_sm_80("\7FELF
// CHECK-DAG: llvm.mlir.global private constant @image_sm_90("\7FELF

// CHECK-DAG: llvm.func @elementwise(%{{.*}}: !llvm.ptr)
func.func @elementwise(%x: tensor<7x33xf32>, %y: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %0 = stablehlo.tanh %x : tensor<7x33xf32>
  %1 = stablehlo.exponential %0 : tensor<7x33xf32>
  %2 = stablehlo.power %1, %y : tensor<7x33xf32>
  %3 = stablehlo.log_plus_one %2 : tensor<7x33xf32>
  %4 = stablehlo.atan2 %3, %y : tensor<7x33xf32>
  %5 = stablehlo.cbrt %4 : tensor<7x33xf32>
  %6 = stablehlo.exponential_minus_one %5 : tensor<7x33xf32>
  %7 = stablehlo.logistic %6 : tensor<7x33xf32>
  %8 = stablehlo.sine %7 : tensor<7x33xf32>
  %9 = stablehlo.cosine %8 : tensor<7x33xf32>
  %10 = stablehlo.tan %9 : tensor<7x33xf32>
  %11 = stablehlo.round_nearest_even %10 : tensor<7x33xf32>
  %12 = stablehlo.round_nearest_afz %11 : tensor<7x33xf32>
  %13 = stablehlo.rsqrt %12 : tensor<7x33xf32>
  %14 = stablehlo.maximum %13, %y : tensor<7x33xf32>
  %15 = stablehlo.remainder %14, %y : tensor<7x33xf32>
  %16 = stablehlo.sign %15 : tensor<7x33xf32>
  %17 = stablehlo.log %16 : tensor<7x33xf32>
  return %17 : tensor<7x33xf32>
}

// CHECK-DAG: llvm.func @doubles(
func.func @doubles(%x: tensor<5xf64>, %y: tensor<5xf64>) -> tensor<5xf64> {
  %0 = stablehlo.tanh %x : tensor<5xf64>
  %1 = stablehlo.exponential %0 : tensor<5xf64>
  %2 = stablehlo.power %1, %y : tensor<5xf64>
  %3 = stablehlo.remainder %2, %y : tensor<5xf64>
  return %3 : tensor<5xf64>
}

// CHECK-DAG: llvm.func @halves(
func.func @halves(%x: tensor<5xf16>, %y: tensor<5xbf16>) -> (tensor<5xf16>, tensor<5xbf16>) {
  %0 = stablehlo.exponential %x : tensor<5xf16>
  %1 = stablehlo.maximum %0, %x : tensor<5xf16>
  %2 = stablehlo.tanh %y : tensor<5xbf16>
  %3 = stablehlo.divide %2, %y : tensor<5xbf16>
  %4 = stablehlo.remainder %3, %y : tensor<5xbf16>
  return %1, %4 : tensor<5xf16>, tensor<5xbf16>
}

// CHECK-DAG: llvm.func @integers(
func.func @integers(%x: tensor<5xi32>, %y: tensor<5xui8>, %z: tensor<5xi64>) -> (tensor<5xi32>, tensor<5xui8>, tensor<5xi64>) {
  %0 = stablehlo.popcnt %x : tensor<5xi32>
  %1 = stablehlo.count_leading_zeros %0 : tensor<5xi32>
  %2 = stablehlo.divide %1, %x : tensor<5xi32>
  %3 = stablehlo.shift_right_logical %y, %y : tensor<5xui8>
  %4 = stablehlo.power %3, %y : tensor<5xui8>
  %5 = stablehlo.abs %z : tensor<5xi64>
  %6 = stablehlo.remainder %5, %z : tensor<5xi64>
  return %2, %4, %6 : tensor<5xi32>, tensor<5xui8>, tensor<5xi64>
}

// CHECK-DAG: llvm.func @complexes(
func.func @complexes(%x: tensor<5xcomplex<f32>>, %y: tensor<5xcomplex<f32>>) -> (tensor<5xcomplex<f32>>, tensor<5xf32>) {
  %0 = stablehlo.multiply %x, %y : tensor<5xcomplex<f32>>
  %1 = stablehlo.exponential %0 : tensor<5xcomplex<f32>>
  %2 = stablehlo.abs %1 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  return %1, %2 : tensor<5xcomplex<f32>>, tensor<5xf32>
}

// CHECK-DAG: llvm.func @reductions(
func.func @reductions(%x: tensor<50x300xf32>) -> (tensor<50xf32>, tensor<300xf32>, tensor<f32>, tensor<50xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<50x300xf32>, tensor<f32>) -> tensor<50xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<50x300xf32>, tensor<f32>) -> tensor<300xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<50x300xf32>, tensor<f32>) -> tensor<f32>
  %i = stablehlo.iota dim = 1 : tensor<50x300xi32>
  %3:2 = stablehlo.reduce(%x init: %low), (%i init: %none) across dimensions = [1] : (tensor<50x300xf32>, tensor<50x300xi32>, tensor<f32>, tensor<i32>) -> (tensor<50xf32>, tensor<50xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>)  {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<f32>
    %n = stablehlo.select %gt, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<f32>, tensor<i32>
  }
  return %0, %1, %2, %3#1 : tensor<50xf32>, tensor<300xf32>, tensor<f32>, tensor<50xi32>
}

// Narrow and wide numbers pass between the threads of a block.
// CHECK-DAG: llvm.func @rows(
func.func @rows(%p: tensor<4x100xi1>, %x: tensor<4x100xbf16>, %y: tensor<4x100xf64>, %z: tensor<4x100xui8>) -> (tensor<4xi1>, tensor<4xbf16>, tensor<4xf64>, tensor<4xui8>) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %none = stablehlo.constant dense<0> : tensor<ui8>
  %0 = stablehlo.reduce(%p init: %false) applies stablehlo.or across dimensions = [1] : (tensor<4x100xi1>, tensor<i1>) -> tensor<4xi1>
  %1 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x100xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %2 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x100xf64>, tensor<f64>) -> tensor<4xf64>
  %3 = stablehlo.reduce(%z init: %none) applies stablehlo.add across dimensions = [1] : (tensor<4x100xui8>, tensor<ui8>) -> tensor<4xui8>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xbf16>, tensor<4xf64>, tensor<4xui8>
}

// CHECK-DAG: llvm.func @softmax(
func.func @softmax(%x: tensor<6x200xf32>) -> tensor<6x200xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x200xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xf32>) -> tensor<6x200xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<6x200xf32>
  %3 = stablehlo.exponential %2 : tensor<6x200xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x200xf32>, tensor<f32>) -> tensor<6xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xf32>) -> tensor<6x200xf32>
  %6 = stablehlo.divide %3, %5 : tensor<6x200xf32>
  return %6 : tensor<6x200xf32>
}

// CHECK-DAG: llvm.func @embedding(
func.func @embedding(%table: tensor<100x16xf32>, %ids: tensor<9x1xi32>, %gradient: tensor<9x16xf32>) -> (tensor<9x16xf32>, tensor<100x16xf32>) {
  %0 = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<100x16xf32>, tensor<9x1xi32>) -> tensor<9x16xf32>
  %1 = "stablehlo.scatter"(%table, %ids, %gradient) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<100x16xf32>, tensor<9x1xi32>, tensor<9x16xf32>) -> tensor<100x16xf32>
  return %0, %1 : tensor<9x16xf32>, tensor<100x16xf32>
}

// CHECK-DAG: llvm.func @sort(
func.func @sort(%x: tensor<3x37xf32>, %i: tensor<3x37xi32>) -> (tensor<3x37xf32>, tensor<3x37xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3x37xf32>, tensor<3x37xi32>) -> (tensor<3x37xf32>, tensor<3x37xi32>)
  return %0#0, %0#1 : tensor<3x37xf32>, tensor<3x37xi32>
}

// CHECK-DAG: llvm.func @random(
func.func @random(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7xui32>, tensor<2xui64>, tensor<5x7xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7xui32>)
  %2, %3 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7xui32>)
  return %0, %1, %2, %3 : tensor<2xui64>, tensor<5x7xui32>, tensor<2xui64>, tensor<5x7xui32>
}

// CHECK-DAG: llvm.func @convolution(
func.func @convolution(%x: tensor<2x9x9x4xf32>, %k: tensor<3x3x4x5xf32>) -> tensor<2x9x9x5xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x4x5xf32>) -> tensor<2x9x9x5xf32>
  return %0 : tensor<2x9x9x5xf32>
}

// CHECK-DAG: llvm.func @pooling(
func.func @pooling(%x: tensor<1x8x8x3xf32>, %g: tensor<1x4x4x3xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x8x8x3xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x4x4x3xf32>
  %1 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<1x8x8x3xf32>, tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
  return %0, %1 : tensor<1x4x4x3xf32>, tensor<1x8x8x3xf32>
}

// CHECK-DAG: llvm.func @movement(
func.func @movement(%x: tensor<8x6xf32>, %i: tensor<i32>) -> (tensor<2x6xf32>, tensor<8x6xf32>, tensor<6x16xf32>, tensor<10x13xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %pad = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %zero, %i : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
  %3 = stablehlo.concatenate %2, %2, dim = 1 : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x16xf32>
  %4 = stablehlo.pad %x, %pad, low = [1, 1], high = [1, 1], interior = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<10x13xf32>
  return %0, %1, %3, %4 : tensor<2x6xf32>, tensor<8x6xf32>, tensor<6x16xf32>, tensor<10x13xf32>
}

// CHECK-DAG: llvm.func @control(
func.func @control(%x: tensor<8xf32>, %i: tensor<i32>, %limit: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %fzero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%k = %zero, %a = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %3 = stablehlo.compare LT, %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %3 = stablehlo.add %a, %a : tensor<8xf32>
    %4 = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<8xf32>
  }
  %1 = stablehlo.while(%a = %x) : tensor<8xf32>
  cond {
    %3 = stablehlo.reduce(%a init: %fzero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.compare LT, %3, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %3 = stablehlo.add %a, %a : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }
  %2 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<8xf32>
  }, {
    %3 = stablehlo.negate %x : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0#1, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-DAG: llvm.func @constants(
func.func @constants(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = stablehlo.add %x, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
