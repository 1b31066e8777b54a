// RUN: hetero-opt %s --hetero-expand-chlo -split-input-file -verify-diagnostics

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{cannot be expanded: operand #0 has no rank, 'tensor<*xf32>'}}
  %0 = chlo.erf %x : tensor<*xf32> -> tensor<*xf32>
  return
}

// -----

func.func @quantized(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @+1 {{cannot be expanded: operand #0 is quantized}}
  %0 = chlo.broadcast_add %x, %x : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @complex_bessel(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{cannot be expanded for complex elements, 'tensor<2xcomplex<f32>>'}}
  %0 = chlo.bessel_i1e %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @next_after_format(%x: tensor<2xf8E4M3FNUZ>) {
  // expected-error @+1 {{cannot be expanded for elements of type 'f8E4M3FNUZ'}}
  %0 = chlo.next_after %x, %x : tensor<2xf8E4M3FNUZ>, tensor<2xf8E4M3FNUZ> -> tensor<2xf8E4M3FNUZ>
  return
}

// -----

func.func @broadcast_dynamic(%x: tensor<?xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{cannot be expanded: operand #0 has a dynamic shape, 'tensor<?xf32>'}}
  %0 = chlo.broadcast_add %x, %y : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @no_broadcast(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{cannot be expanded: 'tensor<2xf32>' does not broadcast to 'tensor<3xf32>'}}
  %0 = chlo.broadcast_add %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_dimension(%x: tensor<2xf32>, %y: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot be expanded: 'tensor<2xf32>' does not broadcast to 'tensor<2x3xf32>'}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 7>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @no_select(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{cannot be expanded: 'tensor<3xf32>' does not broadcast to 'tensor<2xf32>'}}
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<i1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @shifted_float(%x: tensor<2xf32>) {
  // expected-error @+1 {{cannot be expanded for elements of type 'f32'}}
  %0 = chlo.broadcast_shift_left %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @integer_polygamma(%x: tensor<2xi32>) {
  // expected-error @+1 {{cannot be expanded for elements of type 'i32'}}
  %0 = chlo.broadcast_polygamma %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @top_k_dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{cannot be expanded: operand #0 has a dynamic shape}}
  %0:2 = chlo.top_k(%x, k = 2) : tensor<?xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @top_k_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{cannot be expanded: elements of type 'complex<f32>' have no order}}
  %0:2 = chlo.top_k(%x, k = 2) : tensor<4xcomplex<f32>> -> (tensor<2xcomplex<f32>>, tensor<2xi32>)
  return
}

// -----

func.func @ragged_dot_dynamic(%x: tensor<?x5xf32>, %w: tensor<3x5x7xf32>, %g: tensor<3xi32>) {
  // expected-error @+1 {{cannot be expanded: operand #0 has a dynamic shape}}
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<?x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<?x7xf32>
  return
}

// -----

func.func @scan_dynamic_body(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot be expanded: argument #0 of the body has a dynamic shape, 'tensor<?xf32>'}}
  %0 = chlo.scan(%x) inits () dimension=1 {
  ^bb0(%input: tensor<?xf32>):
    stablehlo.return %input : tensor<?xf32>
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scan_carries(%x: tensor<4xf32>, %init: tensor<f32>) {
  // expected-error @+1 {{cannot be expanded: it carries ('tensor<f32>') in and ('tensor<4xf32>', 'tensor<f32>') out}}
  %0:2 = "chlo.scan"(%x, %init) <{dimension = 0 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 0, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %z = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %z, %z : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----

func.func @scan_carry_type(%x: tensor<4xf32>, %init: tensor<f32>) {
  // expected-error @+1 {{cannot be expanded: it carries ('tensor<f32>') in and ('tensor<3xf32>') out}}
  %0:2 = chlo.scan(%x) inits (%init) dimension=0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %y = stablehlo.constant dense<0.0> : tensor<3xf32>
    stablehlo.return %a, %y : tensor<f32>, tensor<3xf32>
  } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<3xf32>)
  return
}
