// RUN: hetero-translate --summary %s | FileCheck %s
// RUN: hetero-translate --json %s | FileCheck %s --check-prefix=JSON
// RUN: not hetero-translate %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK: @main: 15 operations, 570 FLOP
// CHECK: parameter {{ *}}1 {{ *}}20 {{ *}}80 B
// CHECK: batch {{ *}}1 {{ *}}32 {{ *}}128 B
// CHECK: stablehlo.dot_general {{ *}}1 {{ *}}320 FLOP
// JSON: "flops": 570
// MISSING: error: {{.*}}missing

// The product runs once (2*8*4*5 = 320), the loop's body five times (40 a
// time, and 2 for the counter), the sum over 40 elements: 570.
func.func @main(%w: tensor<4x5xf32> {hetero.role = #hetero.role<parameter>}, %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8x5xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = stablehlo.while(%i = %c0, %h = %0) : tensor<i32>, tensor<8x5xf32>
  cond {
    %p = stablehlo.compare LT, %i, %c5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %e = stablehlo.exponential %h : tensor<8x5xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %e : tensor<i32>, tensor<8x5xf32>
  }
  %s = stablehlo.reduce(%r#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %r#1 : tensor<8x5xf32>
}
