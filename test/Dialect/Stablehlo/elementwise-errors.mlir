// RUN: hetero-opt --split-input-file --verify-diagnostics %s

// add_c1
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{requires compatible types}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

// exponential_c1
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{op all non-scalar operands/results must have the same shape and base type}}
  %0 = "stablehlo.exponential"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// A size beyond the bound.
func.func @f(%a: tensor<5xf32>, %b: tensor<?xf32, #stablehlo.bounds<4>>) {
  // expected-error @below {{requires compatible types}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<5xf32>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<*xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor}}
  %0 = stablehlo.add %a, %a : tensor<*xf32>
  return
}

// -----

// abs_c2
func.func @f(%a: tensor<2xcomplex<f32>>) {
  // expected-error @below {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

// real_c2
func.func @f(%a: tensor<2xcomplex<f32>>) {
  // expected-error @below {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.real %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

// is_finite_c1
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{op all non-scalar operands/results must have the same shape and base type}}
  %0 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

// convert_c1
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{op all non-scalar operands/results must have the same shape and base type}}
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

// reduce_precision_c2
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{attribute 'exponent_bits' failed to satisfy constraint}}
  %0 = stablehlo.reduce_precision %a, format = e0m3 : tensor<2xf32>
  return
}

// -----

// reduce_precision_c3
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{attribute 'mantissa_bits' failed to satisfy constraint}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 3 : i32, mantissa_bits = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{expected a format like e5m10, got 'e5'}}
  %0 = stablehlo.reduce_precision %a, format = e5 : tensor<2xf32>
  return
}

// -----

// complex_c1
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{requires compatible types, got 'tensor<2xf32>' and 'tensor<2xf64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.complex %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

// complex_c3
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2xcomplex<f32>>' are incompatible}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

// compare_c1
func.func @f(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @below {{requires compatible types, got 'tensor<2xf32>' and 'tensor<2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

// clamp_c1
func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{min shape [3] is not scalar and is not compatible to operand shape [2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.clamp %b, %a, %a : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// clamp_c2
func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{max shape [3] is not scalar and is not compatible to operand shape [2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.clamp %a, %a, %b : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// clamp_c3
func.func @f(%a: tensor<2xf32>, %b: tensor<f64>) {
  // expected-error @below {{min has element type 'f64', the operand has 'f32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.clamp %b, %a, %a : (tensor<f64>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// clamp_c4
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2xf32>' are incompatible}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.clamp %a, %a, %a : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

// select_c1
func.func @f(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error @below {{requires the predicate's shape [3] to be scalar or that of the branches, [2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<2xf32>
  return
}

// -----

// select_c2
func.func @f(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{requires branches with the same element type, got 'tensor<2xf32>' and 'tensor<2xf64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

// select_c2: parameters of quantization count
func.func @f(%p: tensor<i1>, %a: tensor<2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x!quant.uniform<i8:f32, 1.0:5>>) {
  // expected-error @below {{requires branches with the same element type}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f32, 1.0:5>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// select_c2: shapes
func.func @f(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{requires compatible types, got 'tensor<2xf32>' and 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// constant_c1
func.func @f() {
  // expected-error @below {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<2xi64>
  return
}

// -----

// iota_c1
func.func @f() {
  // expected-error @below {{iota dimension 2 is out of range for a result of rank 2}}
  %0 = stablehlo.iota dim = 2 : tensor<2x3xi32>
  return
}

// -----

// uniform_quantize_c2
func.func @f(%a: tensor<2xf64>) {
  // expected-error @below {{expresses 'f32', but the operand's elements are 'f64'}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// uniform_dequantize_c2
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{inferred type(s) 'tensor<2xf32>' are incompatible}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2xf64>
  return
}

// -----

// A zero point that is not among the numbers that are stored.
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 1.0:128>>) {
  // expected-error @below {{op operand #0 must be ranked tensor of}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i8:f32, 1.0:128>>
  return
}

// -----

// One of a slice, in a narrowed range.
func.func @f(%a: tensor<2x!quant.uniform<i8<-5:5>:f32:0, {1.0:5, 1.0:6}>>) {
  // expected-error @below {{op operand #0 must be ranked tensor of}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i8<-5:5>:f32:0, {1.0:5, 1.0:6}>>
  return
}

// -----

// Three bits are no storage of StableHLO.
func.func @f(%a: tensor<2x!quant.uniform<i3:f32, 1.0>>) {
  // expected-error @below {{op operand #0 must be ranked tensor of}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i3:f32, 1.0>>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{2 operands present, but expected 1}}
  %0 = stablehlo.add %a, %a : (tensor<2xf32>) -> tensor<2xf32>
  return
}
