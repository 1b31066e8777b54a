// RUN: hetero-opt --hetero-unroll-layers --split-input-file %s | FileCheck %s
// RUN: hetero-opt --hetero-unroll-layers --hetero-unroll-layers --split-input-file %s | FileCheck %s
// RUN: hetero-opt --hetero-unroll-layers="all=true" --split-input-file %s | FileCheck %s --check-prefix=ALL
// RUN: hetero-opt --hetero-unroll-layers="max-trip-count=1" --split-input-file %s | FileCheck %s --check-prefix=LIMIT

// A loop over stacked parameters is unrolled; what it stacks is joined.
// CHECK-LABEL: func.func @layers
// CHECK-NOT: stablehlo.while
// CHECK: %[[H1:.*]] = stablehlo.dot_general
// CHECK: %[[H2:.*]] = stablehlo.dot_general
// CHECK: %[[STACK:.*]] = stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
// CHECK: return %[[H2]], %[[STACK]]
// LIMIT-LABEL: func.func @layers
// LIMIT: stablehlo.while
func.func @layers(%w: tensor<2x4x4xf32> {hetero.role = #hetero.role<parameter>}, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<2x4xf32>
  %r:4 = stablehlo.while(%i = %c0, %h = %x, %ws = %w, %ys = %z) : tensor<i32>, tensor<4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %c2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %neg = stablehlo.compare LT, %i, %c0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %wrapped = stablehlo.add %i, %c2 : tensor<i32>
    %k = stablehlo.select %neg, %wrapped, %i : tensor<i1>, tensor<i32>
    %s = stablehlo.dynamic_slice %ws, %k, %c0, %c0, sizes = [1, 4, 4] : (tensor<2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %wi = stablehlo.reshape %s : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %h1 = stablehlo.dot_general %h, %wi, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %row = stablehlo.reshape %h1 : (tensor<4xf32>) -> tensor<1x4xf32>
    %ys1 = stablehlo.dynamic_update_slice %ys, %row, %k, %c0 : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %h1, %ws, %ys1 : tensor<i32>, tensor<4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>
  }
  return %r#1, %r#3 : tensor<4xf32>, tensor<2x4xf32>
}

// -----

// A loop over time slices data, and stays.
// CHECK-LABEL: func.func @time
// CHECK: stablehlo.while
// ALL-LABEL: func.func @time
// ALL-NOT: stablehlo.while
func.func @time(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>}, %xs: tensor<3x4xf32> {hetero.role = #hetero.role<batch>}) -> tensor<4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %h = %w) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %xs, %i, %c0, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %xi = stablehlo.reshape %s : (tensor<1x4xf32>) -> tensor<4xf32>
    %h1 = stablehlo.multiply %h, %xi : tensor<4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %h1 : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// A loop whose end is not known stays, whatever is asked for.
// ALL-LABEL: func.func @unknown
// ALL: stablehlo.while
func.func @unknown(%n: tensor<i32>) -> tensor<i32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %c0) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}
