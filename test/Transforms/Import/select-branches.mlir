// RUN: hetero-opt %s -hetero-select-branches | FileCheck %s
// RUN: hetero-opt %s -hetero-select-branches -hetero-select-branches | FileCheck %s

// CHECK-LABEL: func.func @if
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4xf32>{{.*}} %[[OK:[a-z0-9]*]]: tensor<i1>
func.func @if(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
              %g: tensor<4xf32>, %ok: tensor<i1>)
    -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}, tensor<4xf32>) {
  // CHECK: %[[NEW:.*]] = stablehlo.subtract %[[W]]
  // CHECK: %[[NEXT:.*]] = stablehlo.select %[[OK]], %[[NEW]], %[[W]] : tensor<i1>, tensor<4xf32>
  // What is the same in both needs no choice.
  // CHECK: return %[[NEXT]], %[[W]]
  %0:2 = "stablehlo.if"(%ok) ({
    %1 = stablehlo.subtract %w, %g : tensor<4xf32>
    stablehlo.return %1, %w : tensor<4xf32>, tensor<4xf32>
  }, {
    stablehlo.return %w, %w : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// An index out of range names the last branch.
// CHECK-LABEL: func.func @case
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4xf32>{{.*}} %[[I:[a-z0-9]*]]: tensor<i32>
func.func @case(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>}, %i: tensor<i32>)
    -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  // CHECK: %[[A:.*]] = stablehlo.negate %[[W]]
  // CHECK: %[[B:.*]] = stablehlo.abs %[[W]]
  // CHECK: %[[ONE:.*]] = stablehlo.constant dense<1>
  // CHECK: %[[IS_ONE:.*]] = stablehlo.compare EQ, %[[I]], %[[ONE]]
  // CHECK: %[[LATER:.*]] = stablehlo.select %[[IS_ONE]], %[[B]], %[[W]]
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0>
  // CHECK: %[[IS_ZERO:.*]] = stablehlo.compare EQ, %[[I]], %[[ZERO]]
  // CHECK: %[[R:.*]] = stablehlo.select %[[IS_ZERO]], %[[A]], %[[LATER]]
  // CHECK: return %[[R]]
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %w : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %w : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %w : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Inner branches may make outer ones small.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: stablehlo.if
// CHECK: return
func.func @nested(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>}, %p: tensor<i1>, %q: tensor<i1>)
    -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.if"(%q) ({
      %2 = stablehlo.negate %w : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }, {
      stablehlo.return %w : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %w : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A product is computed only where it is wanted.
// CHECK-LABEL: func.func @product
// CHECK: stablehlo.if
func.func @product(%w: tensor<4x4xf32> {hetero.role = #hetero.role<parameter>}, %p: tensor<i1>)
    -> (tensor<4x4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.dot_general %w, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %1 : tensor<4x4xf32>
  }, {
    stablehlo.return %w : tensor<4x4xf32>
  }) : (tensor<i1>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @no_step
// CHECK: stablehlo.if
func.func @no_step(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
