// The label names the constraint in the description of chlo.scan.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// scan_c1
func.func @nothing(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{at least one of inputs or outputs must be present}}
  %0 = chlo.scan() inits (%i) dimension=0 {
  ^bb0(%c: tensor<2xf32>):
    stablehlo.return %c : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// scan_c2
func.func @dimension(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{scan dimension of operand 0 is out of bounds: 2 is not below the rank 2}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=2 {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c2
func.func @output_dimension(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+2 {{scan dimension 7 is out of bounds for terminator operand 0 of rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.scan() inits (%i) dimension=7 {
  ^bb0(%c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c2
func.func @negative_dimension(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=-1 {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c3
func.func @size(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{invalid scan dimension size of operand 0: 3, expected 4}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 attributes {scan_dim_size = 4 : i64} {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c3
func.func @sizes(%x: tensor<2x3xf32>, %y: tensor<2x2xf32>) {
  // expected-error @+1 {{invalid scan dimension size of operand 1: 2, expected 3}}
  %0 = chlo.scan(%x, %y) inits () dimension=1 {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// scan_c4
func.func @argument_count(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{expects 2 arguments in the body, but got 1}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c4
func.func @argument_type(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{operand and body argument 0 are incompatible: 'tensor<2xf32>' and 'tensor<3xf32>'}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<3xf32>, %c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c4
func.func @carry_type(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{operand and body argument 1 are incompatible: 'tensor<2xf32>' and 'tensor<2xf64>'}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf64>):
    stablehlo.return %a, %a : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c5
func.func @few_results(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+2 {{body must return at least 2 values (carries), but it returns 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.scan(%x) inits (%i, %i) dimension=1 {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>):
    stablehlo.return %c : tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// scan_c6
func.func @results(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+2 {{incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    stablehlo.return %c : tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

// the text
func.func @operand_types(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{operand types must match the number of inputs and inits, 2, but there are 1}}
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// -----

// the text
func.func @result_types(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{not enough result types to cover the required carries: 0 of 1}}
  chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> ()
  return
}

// -----

func.func @outer_value(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = chlo.scan(%x) inits () dimension=1 {
  ^bb0(%a: tensor<2xf32>):
    // expected-error @+1 {{using value defined outside the region}}
    stablehlo.return %i : tensor<2xf32>
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{operand 0 is not ranked}}
  %0 = chlo.scan(%x) inits () dimension=1 {
  ^bb0(%a: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  } : (tensor<*xf32>) -> tensor<2x3xf32>
  return
}
