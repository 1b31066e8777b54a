// RUN: hetero-opt %s --hetero-annotate-forms --split-input-file --verify-diagnostics | FileCheck %s

// The batch runs through two products; what contracts it is partial, and the
// update starts where a partial value is used with a whole one.

// CHECK-LABEL: func.func @step
// CHECK-SAME: hetero.forms = #hetero.forms<batch = split 0>
func.func @step(%w: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %one = stablehlo.constant dense<1.0> : tensor<8x6xf32>
  // CHECK: stablehlo.dot_general
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = split 0>]
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK: stablehlo.reshape
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = split 0 inner 6>]
  %flat = stablehlo.reshape %h : (tensor<8x6xf32>) -> tensor<48xf32>
  // CHECK: stablehlo.reduce
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = partial sum>]
  %loss = stablehlo.reduce(%flat init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<48xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dot_general
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = partial sum>]
  %g = stablehlo.dot_general %x, %one, contracting_dims = [0] x [0]
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  // CHECK: stablehlo.multiply
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = partial sum>]
  // expected-remark @below {{'tensor<4x6xf32>' is made whole: a partial value meets a whole one}}
  %u = stablehlo.multiply %g, %rate : tensor<4x6xf32>
  // CHECK: stablehlo.subtract
  // CHECK-SAME: hetero.forms = [#hetero.forms<at level 1>]
  // expected-note @below {{needed by this}}
  %n = stablehlo.subtract %w, %u : tensor<4x6xf32>
  return %loss, %n : tensor<f32>, tensor<4x6xf32>
}

// -----

// A mask of the batch's shape is made split, because its use is; a mean over
// the batch ties samples together and needs a second sweep.

// CHECK-LABEL: func.func @tied
func.func @tied(%x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.iota
  // CHECK-SAME: batch = split 0
  %i = stablehlo.iota dim = 0 : tensor<8x4xi32>
  %three = stablehlo.constant dense<3> : tensor<8x4xi32>
  // CHECK: stablehlo.compare
  // CHECK-SAME: batch = split 0
  %m = stablehlo.compare LT, %i, %three : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
  // CHECK: stablehlo.select
  %y = stablehlo.select %m, %x, %x : tensor<8x4xi1>, tensor<8x4xf32>
  // expected-remark @below {{'tensor<4xf32>' is made whole: operands are split differently}}
  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.divide
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = split 0 at level 1>]
  // expected-note @below {{needed by this}}
  %n = stablehlo.divide %y, %b : tensor<8x4xf32>
  return %n : tensor<8x4xf32>
}

// -----

// A constant that the batch and a parameter of the same shape share is not
// split for the batch: the parameter would be with it.

// CHECK-LABEL: func.func @shared
func.func @shared(%w: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>},
                  %x: tensor<4x6xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<4x6xf32> {hetero.role = #hetero.role<metric>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %c = stablehlo.constant dense<0.5> : tensor<4x6xf32>
  // CHECK: stablehlo.multiply
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = split 0>]
  %y = stablehlo.multiply %x, %c : tensor<4x6xf32>
  // CHECK: stablehlo.multiply
  // CHECK-SAME: hetero.forms = [#hetero.forms<at level 1>]
  %n = stablehlo.multiply %w, %c : tensor<4x6xf32>
  return %y, %n : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// The largest of sums is not the sum of the largest: the sum comes first. The
// largest over samples is one over parts of them.

// CHECK-LABEL: func.func @largest
func.func @largest(%x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-remark @below {{'tensor<4xf32>' is made whole: not linear in a partial value}}
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.maximum
  // CHECK-SAME: hetero.forms = [#hetero.forms<at level 1>]
  // expected-note @below {{needed by this}}
  %l = stablehlo.reduce(%s init: %zero) applies stablehlo.maximum across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.maximum
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = partial max>]
  %m = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.maximum
  // CHECK-SAME: hetero.forms = [#hetero.forms<batch = partial max>]
  %n = stablehlo.reduce(%m init: %zero) applies stablehlo.maximum across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
