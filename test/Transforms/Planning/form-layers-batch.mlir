// RUN: hetero-opt %s -hetero-form-layers -split-input-file -verify-diagnostics
// RUN: hetero-opt %s -hetero-annotate-forms -split-input-file | FileCheck %s

// Samples are the size that most arguments have somewhere.
// CHECK-LABEL: func.func @time_major
// CHECK-SAME: %{{.*}}: tensor<5x7xf32> {{{.*}}split 1
// CHECK-SAME: %{{.*}}: tensor<7xf32> {{{.*}}split 0
func.func @time_major(
    %w: tensor<f32> {hetero.role = #hetero.role<parameter>},
    %x: tensor<5x7xf32> {hetero.role = #hetero.role<batch>},
    %y: tensor<7xf32> {hetero.role = #hetero.role<batch>},
    // expected-warning @+1 {{argument 3 of type 'tensor<4xf32>' has no dimension of 7 samples, so every device gets all of it}}
    %table: tensor<4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = stablehlo.multiply %0, %y : tensor<7xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.reduce(%table init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.add %2, %3 : tensor<f32>
  %5 = stablehlo.subtract %w, %4 : tensor<f32>
  return %5 : tensor<f32>
}

// -----

// A sharding of the user says which dimension has the samples: microbatches of
// the step itself come first here.
// CHECK-LABEL: func.func @own_microbatches
// CHECK-SAME: tensor<3x5xf32> {hetero.forms = #hetero.forms<batch = split 1>
// CHECK-SAME: tensor<3x5xf32> {hetero.forms = #hetero.forms<batch = split 1>
sdy.mesh @mesh = <["data"=2]>
func.func @own_microbatches(
    %w: tensor<f32> {hetero.role = #hetero.role<parameter>},
    %x: tensor<3x5xf32> {hetero.role = #hetero.role<batch>},
    %y: tensor<3x5xf32> {hetero.role = #hetero.role<batch>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>})
    -> (tensor<f32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %y : tensor<3x5xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.subtract %w, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// The step loops over parts of its batch: the devices share the samples of each.
// CHECK-LABEL: func.func @loop_over_parts
// CHECK-SAME: tensor<3x5xf32> {hetero.forms = #hetero.forms<batch = split 1>
// CHECK: stablehlo.while
// CHECK-SAME: #hetero.forms<batch = partial sum>
func.func @loop_over_parts(
    %w: tensor<f32> {hetero.role = #hetero.role<parameter>},
    %x: tensor<3x5xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %i0, %sum = %zero) : tensor<i32>, tensor<f32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %part = stablehlo.dynamic_slice %x, %i, %i0, sizes = [1, 5] : (tensor<3x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %s = stablehlo.reduce(%part init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x5xf32>, tensor<f32>) -> tensor<f32>
    %next = stablehlo.add %sum, %s : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<f32>
  }
  %n = stablehlo.subtract %w, %r#1 : tensor<f32>
  return %n : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @parts_by_reshape
// CHECK-SAME: tensor<15xf32> {hetero.forms = #hetero.forms<batch = split 0 outer 3>
// CHECK: stablehlo.while
// CHECK-SAME: #hetero.forms<batch = partial sum>
func.func @parts_by_reshape(
    %w: tensor<f32> {hetero.role = #hetero.role<parameter>},
    %x: tensor<15xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %parts = stablehlo.reshape %x : (tensor<15xf32>) -> tensor<3x5xf32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %i0, %sum = %zero) : tensor<i32>, tensor<f32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %part = stablehlo.dynamic_slice %parts, %i, %i0, sizes = [1, 5] : (tensor<3x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %s = stablehlo.reduce(%part init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x5xf32>, tensor<f32>) -> tensor<f32>
    %next = stablehlo.add %sum, %s : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<f32>
  }
  %n = stablehlo.subtract %w, %r#1 : tensor<f32>
  return %n : tensor<f32>
}

// -----

// A plan says what its batch is.
// CHECK-LABEL: func.func @planned
// CHECK-SAME: tensor<3x5xf32> {hetero.forms = #hetero.forms<batch = split 1>
hetero.mesh @all = [0]
hetero.plan @plan of @planned planner "hand" minimizes time batch 5 microbatches [5] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[5]] in_flight 1
}
func.func @planned(
    %w: tensor<f32> {hetero.role = #hetero.role<parameter>},
    %x: tensor<3x5xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.subtract %w, %0 : tensor<f32>
  return %1 : tensor<f32>
}
