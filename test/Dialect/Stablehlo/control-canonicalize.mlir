// RUN: hetero-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @if_true
// CHECK-SAME: (%[[A:.*]]: tensor<f32>)
// CHECK-NEXT: %[[N:.*]] = stablehlo.negate %[[A]]
// CHECK-NEXT: return %[[N]]
func.func @if_true(%a: tensor<f32>) -> tensor<f32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func @if_false
// CHECK-SAME: (%[[A:.*]]: tensor<f32>)
// CHECK-NEXT: return %[[A]]
func.func @if_false(%a: tensor<f32>) -> tensor<f32> {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The branch's type is not the result's: the op stays.
// CHECK-LABEL: func @if_other_type
// CHECK: stablehlo.if
func.func @if_other_type(%a: tensor<4xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func @case
// CHECK-SAME: (%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>)
// An index out of range, also a negative one, names the last branch.
// CHECK-NEXT: return %[[B]], %[[C]], %[[C]]
func.func @case(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%one) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }, {
    stablehlo.return %c : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %1 = "stablehlo.case"(%nine) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }, {
    stablehlo.return %c : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %2 = "stablehlo.case"(%minus) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %c : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @case_of_one
// CHECK-SAME: (%[[I:.*]]: tensor<i32>, %[[A:.*]]: tensor<f32>)
// CHECK-NEXT: return %[[A]]
func.func @case_of_one(%i: tensor<i32>, %a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func @while_never_runs
// CHECK-SAME: (%[[A:.*]]: tensor<f32>)
// CHECK-NEXT: return %[[A]]
func.func @while_never_runs(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%b = %a) : tensor<f32> cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A condition with an effect is evaluated once.
// CHECK-LABEL: func @while_condition_with_effect
// CHECK: stablehlo.while
func.func @while_condition_with_effect(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%b = %a) : tensor<f32> cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @log() {has_side_effect = true} : () -> ()
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// The weight is returned as it came, and the bound is the operand itself.
// CHECK-LABEL: func @while_invariants
// CHECK-SAME: (%[[X:.*]]: tensor<f32>, %[[W:.*]]: tensor<f32>, %[[N:.*]]: tensor<i32>)
// CHECK: %[[R:.*]]:2 = stablehlo.while(%[[I:.*]] = %{{.*}}, %[[S:.*]] = %[[X]]) : tensor<i32>, tensor<f32> attributes {name = "scan"}
// CHECK: stablehlo.compare LT, %[[I]], %[[N]]
// CHECK: stablehlo.multiply %[[S]], %[[W]]
// CHECK: return %[[R]]#1, %[[W]]
func.func @while_invariants(%x: tensor<f32>, %w: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:4 = stablehlo.while(%weight = %w, %i = %zero, %bound = %n, %sum = %x) : tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>
  attributes {name = "scan"}
  cond {
    %1 = stablehlo.compare LT, %i, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %sum, %weight : tensor<f32>
    stablehlo.return %weight, %1, %n, %2 : tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>
  }
  return %0#3, %0#0 : tensor<f32>, tensor<f32>
}

// Two values that only feed each other are not carried.
// CHECK-LABEL: func @while_dead
// CHECK-SAME: (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<f32>)
// CHECK: %[[R:.*]] = stablehlo.while(%[[A:.*]] = %[[X]]) : tensor<f32>
// CHECK: do
// CHECK-NEXT: stablehlo.negate %[[A]]
// CHECK-NEXT: stablehlo.return
// CHECK: return %[[R]]
func.func @while_dead(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0:3 = stablehlo.while(%a = %x, %b = %x, %c = %x) : tensor<f32>, tensor<f32>, tensor<f32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %a : tensor<f32>
    %2 = stablehlo.add %b, %c : tensor<f32>
    %3 = stablehlo.multiply %b, %a : tensor<f32>
    stablehlo.return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#0 : tensor<f32>
}

// An effect in the body, also in a nested region, keeps what it uses.
// CHECK-LABEL: func @while_effect
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<f32>, tensor<f32>
func.func @while_effect(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0:2 = stablehlo.while(%a = %x, %b = %x) : tensor<f32>, tensor<f32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %a : tensor<f32>
    %2 = stablehlo.sine %b : tensor<f32>
    "stablehlo.if"(%p) ({
      stablehlo.custom_call @log(%2) {has_side_effect = true} : (tensor<f32>) -> ()
      stablehlo.return
    }, {
      stablehlo.return
    }) : (tensor<i1>) -> ()
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
  }
  return %0#0 : tensor<f32>
}

// CHECK-LABEL: func @get_tuple_element
// CHECK-SAME: (%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<i32>)
// CHECK-NEXT: return %[[B]]
func.func @get_tuple_element(%a: tensor<f32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<f32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}

// An empty barrier holds nothing back, one with operands stays.
// CHECK-LABEL: func @optimization_barrier
// CHECK-NEXT: stablehlo.optimization_barrier %
// CHECK-NEXT: return
func.func @optimization_barrier(%a: tensor<f32>) -> tensor<f32> {
  stablehlo.optimization_barrier()
  %0 = stablehlo.optimization_barrier %a : tensor<f32>
  return %0 : tensor<f32>
}

// A call without side effects is dropped when nothing uses its results.
// CHECK-LABEL: func @custom_call
// CHECK-NEXT: stablehlo.custom_call @kept
// CHECK-NEXT: return
func.func @custom_call(%a: tensor<f32>) {
  %0 = stablehlo.custom_call @dropped(%a) : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.custom_call @kept(%a) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @reduce_no_dimension
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<f32>)
// CHECK-NEXT: return %[[X]]
func.func @reduce_no_dimension(%x: tensor<4xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @reduce_nothing
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<-1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: return %[[C]]
func.func @reduce_nothing(%x: tensor<4x0xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<-1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<4x0xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
