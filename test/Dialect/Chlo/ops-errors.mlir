// The label names the constraint in the op's description.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// erf_c1
func.func @sizes(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{must have the same shape}}
  %0 = chlo.erf %x : tensor<2x3xf32> -> tensor<2x4xf32>
  return
}

// -----

// erf_c1
func.func @element_types(%x: tensor<2xf32>) {
  // expected-error @+1 {{requires compatible types for all operands and results}}
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf64>
  return
}

// -----

func.func @no_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of 4/6/8/16/32/64-bit float or complex type}}
  %0 = chlo.tan %x : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @no_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{operand #0 must be tensor of 4/6/8/16/32/64-bit float values}}
  %0 = chlo.lgamma %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @no_reals(%x: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of complex type}}
  %0 = chlo._asin_acos_kernel %x : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// is_inf_c1
func.func @predicate(%x: tensor<2xf32>) {
  // expected-error @+1 {{must have the same shape}}
  %0 = "chlo.is_inf"(%x) : (tensor<2xf32>) -> tensor<i1>
  return
}

// -----

// zeta_c1
func.func @binary(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{requires compatible types for all operands and results}}
  %0 = chlo.zeta %x, %y : tensor<2xf32>, tensor<3xf32> -> tensor<2xf32>
  return
}

// -----

// broadcast_and_c1
func.func @broadcast_elements(%x: tensor<2xi1>, %y: tensor<2xi8>) {
  // expected-error @+2 {{mismatched operand types: elements of 'i1' and 'i8'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_and %x, %y : (tensor<2xi1>, tensor<2xi8>) -> tensor<2xi1>
  return
}

// -----

// broadcast_add_c1
func.func @broadcast_add_elements(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{requires compatible element types for all operands and results, got 'f64' and 'f32'}}
  %0 = chlo.broadcast_add %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

// broadcast_add_c2
func.func @broadcast_result(%x: tensor<2x1xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

// broadcast_add_c3
func.func @broadcast_dimensions(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{broadcast_dimensions must not be negative, got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: -1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @compare_direction(%x: tensor<2xf32>) {
  // expected-error @+1 {{requires attribute 'comparison_direction'}}
  %0 = chlo.broadcast_compare %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_enum(%x: tensor<2xf32>) {
  // expected-error @+2 {{to be one of: EQ, NE, GE, GT, LE, LT}}
  // expected-error @+1 {{failed to parse CHLO_ComparisonDirectionAttr parameter}}
  %0 = chlo.broadcast_compare %x, %x {comparison_direction = #chlo<comparison_direction SPACESHIP>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

// broadcast_select_c1
func.func @select_elements(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+2 {{mismatched operand types: elements of 'f32' and 'f64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

// broadcast_select_c2
func.func @select_result(%p: tensor<2x1xi1>, %x: tensor<2xf32>) {
  // expected-error @+2 {{incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_select %p, %x, %x : (tensor<2x1xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// constant_c1
func.func @constant() {
  // expected-error @+2 {{inferred type(s) 'tensor<3xi32>' are incompatible with return type(s) of operation 'tensor<4xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "chlo.constant"() <{value = dense<1> : tensor<3xi32>}> : () -> tensor<4xi32>
  return
}

// -----

// constant_like_c1
func.func @constant_like(%x: tensor<3xi32>) {
  // expected-error @+1 {{value's type 'f64' doesn't match element return type 'f32'}}
  %0 = "chlo.constant_like"(%x) <{value = 1.0 : f64}> : (tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

// constant_like_c1
func.func @constant_like_tensor(%x: tensor<3xi32>) {
  // expected-error @+1 {{value's type 'tensor<3xf32>' doesn't match element return type 'i32'}}
  %0 = "chlo.constant_like"(%x) <{value = dense<1.0> : tensor<3xf32>}> : (tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// constant_like_c2
func.func @constant_like_shape(%x: tensor<3xi32>) {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  %0 = "chlo.constant_like"(%x) <{value = 1.0 : f32}> : (tensor<3xi32>) -> tensor<4xf32>
  return
}

// -----

// top_k_c1
func.func @top_k_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{operand's rank must be at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%x, k = 1) : tensor<f32> -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

// top_k_c2
func.func @top_k_too_many(%x: tensor<5xf32>) {
  // expected-error @+2 {{operand's last dimension must be at least 6, but it is 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%x, k = 6) : tensor<5xf32> -> (tensor<6xf32>, tensor<6xi32>)
  return
}

// -----

// top_k_c3
func.func @top_k_negative(%x: tensor<5xf32>) {
  // expected-error @+2 {{k must not be negative, got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%x, k = -1) : tensor<5xf32> -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

// top_k_c4
func.func @top_k_indices(%x: tensor<5xf32>) {
  // expected-error @+2 {{incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%x, k = 2) : tensor<5xf32> -> (tensor<2xf32>, tensor<2xi64>)
  return
}
