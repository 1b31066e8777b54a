// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// reduce_c1
func.func @reduce_shapes(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects inputs of compatible shapes, input #1 has 'tensor<5x4xf32>' and input #0 'tensor<4x5xf32>'}}
  %0:2 = stablehlo.reduce(%x init: %c), (%y init: %c) across dimensions = [0] : (tensor<4x5xf32>, tensor<5x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<f32>, %e: tensor<f32>) {
    stablehlo.return %a, %d : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// reduce_c2
func.func @reduce_element_type(%x: tensor<4xi8>, %c: tensor<i8>) {
  // expected-error@+2 {{inferred type(s) 'tensor<i32>' are incompatible with return type(s) of operation 'tensor<i8>'}}
  // expected-error@+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    stablehlo.return %a : tensor<i32>
  }
  return
}

// -----

// reduce_c3
func.func @reduce_nothing() {
  // expected-error@+1 {{expects at least one input}}
  "stablehlo.reduce"() ({
    stablehlo.return
  }) {dimensions = array<i64>} : () -> ()
  return
}

// -----

// reduce_c4
func.func @reduce_dimension(%x: tensor<4x5xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{dimension 2 is out of range for inputs of rank 2}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [2] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c5
func.func @reduce_dimension_twice(%x: tensor<4x5xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{dimension 1 is named twice}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1, 1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c6
func.func @reduce_body_arguments(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects the body to take 2 arguments, got 1}}
  %0 = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// reduce_c6
func.func @reduce_body_results(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects the body to return 1 values, got 2}}
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// reduce_c6
func.func @reduce_body_accumulates(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{the body returns 'tensor<f32>', but accumulates in 'tensor<f64>'}}
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f64>, %b: tensor<f32>) {
    stablehlo.return %b : tensor<f32>
  }
  return
}

// -----

// reduce_c6
func.func @reduce_body_adds(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{the body returns 'tensor<f32>', but adds elements of 'tensor<i32>'}}
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<i32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// reduce_c6
func.func @reduce_init_value(%x: tensor<4xi8>, %c: tensor<i16>) {
  // expected-error@+1 {{the body returns 'tensor<i8>', which an initial value of 'tensor<i16>' cannot be promoted to}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xi8>, tensor<i16>) -> tensor<i8>
  return
}

// -----

// reduce_c6
func.func @reduce_narrows(%x: tensor<4xi16>, %c: tensor<i8>) {
  // expected-error@+1 {{the body adds elements of 'tensor<i8>', which elements of 'tensor<4xi16>' cannot be promoted to}}
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xi16>, tensor<i8>) -> tensor<i8>
   reducer(%a: tensor<i8>, %b: tensor<i8>) {
    stablehlo.return %a : tensor<i8>
  }
  return
}

// -----

// reduce_c6
func.func @reduce_body_rank(%x: tensor<4x5xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{expects the body to combine tensors of rank 0, got 'tensor<3xf32>'}}
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4x5xf32>, tensor<3xf32>) -> tensor<5xf32>
   reducer(%a: tensor<3xf32>, %b: tensor<3xf32>) {
    stablehlo.return %a : tensor<3xf32>
  }
  return
}

// -----

// reduce_c7
func.func @reduce_result(%x: tensor<4x5xf32>, %c: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error@+1 {{'stablehlo.reduce' op failed to infer returned types}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @reduce_applies(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a commutative binary op of stablehlo, got 'stablehlo.subtract'}}
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.subtract across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_applies_to_nothing() {
  // expected-error@+1 {{expected an input of tensor type}}
  stablehlo.reduce applies stablehlo.add across dimensions = [0] : () -> ()
  return
}

// -----

// reduce_window_c1
func.func @reduce_window_nothing() {
  // expected-error@+1 {{expects at least one input}}
  "stablehlo.reduce_window"() ({
    stablehlo.return
  }) {window_dimensions = array<i64>} : () -> ()
  return
}

// -----

// reduce_window_c2
func.func @reduce_window_shapes(%x: tensor<4xf32>, %y: tensor<5xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects inputs of compatible shapes, input #1 has 'tensor<5xf32>' and input #0 'tensor<4xf32>'}}
  %0:2 = "stablehlo.reduce_window"(%x, %y, %c, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reduce_window_c3
func.func @reduce_window_init(%x: tensor<4xf32>, %c: tensor<i32>) {
  // expected-error@+1 {{the body returns 'tensor<f32>', which an initial value of 'tensor<i32>' cannot be promoted to}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c4
func.func @reduce_window_sizes(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects window_dimensions to have 1 members, got 2}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c5
func.func @reduce_window_positive(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects window_dimensions to be positive, got 0}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c6
func.func @reduce_window_strides(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects window_strides to have 1 members, got 2}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c7
func.func @reduce_window_positive_strides(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects window_strides to be positive, got -1}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: -1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c8
func.func @reduce_window_base_dilations(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects base_dilations to have 1 members, got 2}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c9
func.func @reduce_window_positive_base_dilations(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects base_dilations to be positive, got 0}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c10
func.func @reduce_window_dilations(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects window_dilations to have 1 members, got 2}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_dilations = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c11
func.func @reduce_window_positive_dilations(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects window_dilations to be positive, got 0}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_dilations = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c12
func.func @reduce_window_padding(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects padding of the shape [1, 2], got [2]}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<0> : tensor<2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c13
func.func @reduce_window_body(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects the body to take 2 arguments, got 0}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_window_c14, reduce_window_c15
func.func @reduce_window_result(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error@+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_window_c16
func.func @reduce_window_element_type(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf64>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_overflow(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+2 {{the padded and dilated size of a dimension of 4 exceeds 64 bits}}
  // expected-error@+1 {{'stablehlo.reduce_window' op failed to infer returned types}}
  %0 = "stablehlo.reduce_window"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 9223372036854775807>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// select_and_scatter_c1
func.func @select_and_scatter_source(%x: tensor<4xf32>, %s: tensor<2xi32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{scatter adds elements of 'tensor<f32>', which elements of 'tensor<2xi32>' cannot be promoted to}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xi32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c2
func.func @select_and_scatter_source_shape(%x: tensor<4xf32>, %s: tensor<3xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects the source to have the type 'tensor<2xf32>', one element for each position of the window, got 'tensor<3xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c3
func.func @select_and_scatter_init(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{scatter returns 'tensor<f32>', which an initial value of 'tensor<i32>' cannot be promoted to}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c4
func.func @select_and_scatter_sizes(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects window_dimensions to have 1 members, got 0}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c5
func.func @select_and_scatter_positive(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects window_dimensions to be positive, got -2}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: -2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c6
func.func @select_and_scatter_strides(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects window_strides to have 1 members, got 2}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c7
func.func @select_and_scatter_positive_strides(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects window_strides to be positive, got 0}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c8
func.func @select_and_scatter_padding(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects padding of the shape [1, 2], got [2, 2]}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c9
func.func @select_and_scatter_select(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expects select to return tensor<i1>, got 'tensor<f32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c10
func.func @select_and_scatter_scatter(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects scatter to take 2 arguments, got 3}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// select_and_scatter_c11, select_and_scatter_c12
func.func @select_and_scatter_result(%x: tensor<4xf32>, %s: tensor<2xf32>, %c: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf64>'}}
  // expected-error@+1 {{'stablehlo.select_and_scatter' op failed to infer returned types}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf64>
  return
}

// -----

// sort_c1
func.func @sort_nothing(%p: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.sort' op expected 1 or more operands, but found 0}}
  "stablehlo.sort"() ({
    stablehlo.return %p : tensor<i1>
  }) : () -> ()
  return
}

// -----

// sort_c2
func.func @sort_result(%x: tensor<4xf32>, %p: tensor<i1>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xf64>'}}
  // expected-error@+1 {{'stablehlo.sort' op failed to infer returned types}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// sort_c3
func.func @sort_shapes(%x: tensor<4xf32>, %y: tensor<5xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.sort' op requires the same shape for all operands and results}}
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

// sort_c4
func.func @sort_dimension(%x: tensor<4x5xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{dimension -3 is out of range for inputs of rank 2}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) {dimension = -3 : i64} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// sort_c4: a tensor of rank 0 has no dimension to sort along
func.func @sort_scalar(%x: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{dimension -1 is out of range for inputs of rank 0}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// sort_c5
func.func @sort_comparator_arguments(%x: tensor<4xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{expects argument #1 of the comparator to be 'tensor<f32>', got 'tensor<f64>'}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// sort_c5
func.func @sort_comparator_result(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects the comparator to return one value, got 0}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// map_c1
func.func @map_shapes(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires the same shape for all operands and results}}
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// map_c2
func.func @map_nothing(%c: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.map' op expected 1 or more operands, but found 0}}
  %0 = "stablehlo.map"() ({
    stablehlo.return %c : tensor<f32>
  }) {dimensions = array<i64>} : () -> tensor<f32>
  return
}

// -----

// map_c3
func.func @map_dimensions(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{expects dimensions to be all 2 in order, got [1, 0]}}
  // expected-error@+1 {{'stablehlo.map' op failed to infer returned types}}
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// map_c4
func.func @map_arguments(%x: tensor<4xf32>) {
  // expected-error@+2 {{expects argument #0 of the computation to be 'tensor<f32>', got 'tensor<1xf32>'}}
  // expected-error@+1 {{'stablehlo.map' op failed to infer returned types}}
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<1xf32>):
    stablehlo.return %a : tensor<1xf32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// map_c4
func.func @map_result(%x: tensor<4xf32>) {
  // expected-error@+2 {{expects the computation to return one tensor of rank 0, got ('tensor<4xf32>')}}
  // expected-error@+1 {{'stablehlo.map' op failed to infer returned types}}
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %x : tensor<4xf32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
