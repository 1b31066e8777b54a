// RUN: hetero-opt --hetero-inline-calls --split-input-file %s | FileCheck %s
// RUN: hetero-opt --hetero-inline-calls --hetero-inline-calls --split-input-file %s | FileCheck %s
// RUN: hetero-opt --hetero-inline-calls --mlir-print-debuginfo --split-input-file %s | FileCheck %s --check-prefix=LOC

// A helper that is called twice is copied, a chain of helpers flattened.
// CHECK-LABEL: func.func public @main
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[A:.*]] = stablehlo.add %[[X]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = stablehlo.add %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = stablehlo.multiply %[[B]], %[[A]]
// CHECK-NEXT: return %[[C]]
// CHECK-NOT: func
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @outer(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.multiply %0, %y : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @unused() {
  return
}

// -----

// Calls inside of regions, and a helper that returns its arguments.
// CHECK-LABEL: func.func @region
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<f32>)
// CHECK: stablehlo.reduce(%[[X]] init: %[[I]]) applies stablehlo.maximum
// CHECK-NOT: call
func.func @region(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0:2 = call @swap(%i, %x) : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  %1 = stablehlo.reduce(%0#0 init: %0#1) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %2 = func.call @max(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  return %1 : tensor<f32>
}
func.func private @swap(%a: tensor<f32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  return %b, %a : tensor<4xf32>, tensor<f32>
}
func.func private @max(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A composite stands for its decomposition.
// CHECK-LABEL: func.func @composite
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: return
// CHECK-NOT: func
func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.op" %x {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @impl(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What is still named stays.
// CHECK-LABEL: func.func @main
// CHECK: custom_call @f
// CHECK: func.func private @callback
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @f(%x) {called_computations = [@callback]} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @callback(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// The scope of the call is kept in the location.
// LOC: #[[CALLEE:.*]] = loc("inner")
// LOC: #[[CALLER:.*]] = loc("jvp(Dense_0)")
// LOC: loc(callsite(#[[CALLEE]] at #[[CALLER]]))
func.func @scope(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @callee(%x) : (tensor<f32>) -> tensor<f32> loc("jvp(Dense_0)")
  return %0 : tensor<f32>
}
func.func private @callee(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32> loc("inner")
  return %0 : tensor<f32>
}
