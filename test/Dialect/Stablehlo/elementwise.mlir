// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt --mlir-print-op-generic %s | hetero-opt | FileCheck %s

// CHECK-LABEL: func.func @unary_float
func.func @unary_float(%x: tensor<2x3xf32>) {
  // CHECK-NEXT: stablehlo.cbrt %arg0 : tensor<2x3xf32>
  %0 = stablehlo.cbrt %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.ceil %arg0 : tensor<2x3xf32>
  %1 = stablehlo.ceil %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.cosine %arg0 : tensor<2x3xf32>
  %2 = stablehlo.cosine %x : tensor<2x3xf32>
  // The default accuracy is not printed, another is.
  // CHECK-NEXT: stablehlo.exponential %arg0 : tensor<2x3xf32>
  %3 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.exponential_minus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
  %4 = stablehlo.exponential_minus_one %x {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.floor
  %5 = stablehlo.floor %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.log %
  %6 = stablehlo.log %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.log_plus_one
  %7 = stablehlo.log_plus_one %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.logistic
  %8 = stablehlo.logistic %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.negate
  %9 = stablehlo.negate %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.round_nearest_afz
  %10 = stablehlo.round_nearest_afz %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.round_nearest_even
  %11 = stablehlo.round_nearest_even %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.rsqrt
  %12 = stablehlo.rsqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.sign
  %13 = stablehlo.sign %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.sine
  %14 = stablehlo.sine %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.sqrt
  %15 = stablehlo.sqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.tan %
  %16 = stablehlo.tan %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.tanh
  %17 = stablehlo.tanh %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %18 = stablehlo.is_finite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2x3xf32>
  %19 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  %20 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  // CHECK-NEXT: stablehlo.abs %arg0 : (tensor<2x3xf32>) -> tensor<?x3xf32>
  %21 = stablehlo.abs %x : (tensor<2x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<4xui8>, %p: tensor<4xi1>) {
  // CHECK-NEXT: stablehlo.not %arg1 : tensor<4xi1>
  %0 = stablehlo.not %p : tensor<4xi1>
  // CHECK-NEXT: stablehlo.popcnt %arg0 : tensor<4xui8>
  %1 = stablehlo.popcnt %x : tensor<4xui8>
  // CHECK-NEXT: stablehlo.count_leading_zeros
  %2 = stablehlo.count_leading_zeros %x : tensor<4xui8>
  // CHECK-NEXT: stablehlo.and %arg0, %arg0 : tensor<4xui8>
  %3 = stablehlo.and %x, %x : tensor<4xui8>
  // CHECK-NEXT: stablehlo.or
  %4 = stablehlo.or %p, %p : tensor<4xi1>
  // CHECK-NEXT: stablehlo.xor
  %5 = stablehlo.xor %x, %x : tensor<4xui8>
  // CHECK-NEXT: stablehlo.shift_left
  %6 = stablehlo.shift_left %x, %x : tensor<4xui8>
  // CHECK-NEXT: stablehlo.shift_right_arithmetic
  %7 = stablehlo.shift_right_arithmetic %x, %x : tensor<4xui8>
  // CHECK-NEXT: stablehlo.shift_right_logical
  %8 = stablehlo.shift_right_logical %x, %x : tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%x: tensor<2x3xf32>, %d: tensor<?x3xf32>, %b: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) {
  // CHECK-NEXT: stablehlo.add %arg0, %arg0 {note} : tensor<2x3xf32>
  %0 = stablehlo.add %x, %x {note} : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.atan2
  %1 = stablehlo.atan2 %x, %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.divide
  %2 = stablehlo.divide %x, %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.maximum
  %3 = stablehlo.maximum %x, %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.minimum
  %4 = stablehlo.minimum %x, %x : tensor<2x3xf32>
  // A dynamic dimension agrees with a static one, also within its bound.
  // CHECK-NEXT: stablehlo.multiply %arg0, %arg1 : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  %5 = stablehlo.multiply %x, %d : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.power %arg0, %arg2 : (tensor<2x3xf32>, tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x?xf32>
  %6 = stablehlo.power %x, %b : (tensor<2x3xf32>, tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x?xf32>
  // CHECK-NEXT: stablehlo.remainder
  %7 = stablehlo.remainder %x, %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.subtract
  %8 = stablehlo.subtract %x, %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.compare LT, %arg0, %arg0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %9 = stablehlo.compare LT, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: stablehlo.compare NE, %arg0, %arg0, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %10 = stablehlo.compare  NE, %x, %x,  TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: func.func @complex
func.func @complex(%x: tensor<2xf64>) {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.complex %arg0, %arg0 : tensor<2xcomplex<f64>>
  %0 = stablehlo.complex %x, %x : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  // CHECK-NEXT: stablehlo.real %[[C]] : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %1 = stablehlo.real %0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  // CHECK-NEXT: stablehlo.imag %arg0 : tensor<2xf64>
  %2 = stablehlo.imag %x : tensor<2xf64>
  // CHECK-NEXT: stablehlo.abs %[[C]] : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %3 = stablehlo.abs %0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func.func @ternary
func.func @ternary(%x: tensor<2x3xf32>, %s: tensor<f32>, %p: tensor<i1>, %q: tensor<2x3xi1>, %d: tensor<?x3xf32>, %e: tensor<4x3xf32>) {
  // CHECK-NEXT: stablehlo.clamp %arg1, %arg0, %arg1 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.clamp %arg0, %arg0, %arg0 : tensor<2x3xf32>
  %1 = stablehlo.clamp %x, %x, %x : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.select %arg2, %arg0, %arg0 : tensor<i1>, tensor<2x3xf32>
  %2 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.select %arg3, %arg0, %arg4 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.select %q, %x, %d : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  // The predicate is held against on_true alone.
  // CHECK-NEXT: stablehlo.select %arg3, %arg4, %arg5 : (tensor<2x3xi1>, tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %4 = stablehlo.select %q, %d, %e : (tensor<2x3xi1>, tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return
}

// Integers are called %c, all else %cst.
// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK-NEXT: %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.constant dense<true> : tensor<i1>
  // CHECK-NEXT: %cst = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  %1 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  // CHECK-NEXT: %c_0 = stablehlo.constant {note} dense<> : tensor<0x4xui8>
  %2 = stablehlo.constant {note} dense<> : tensor<0x4xui8>
  // CHECK-NEXT: %c_1 = stablehlo.constant dense<[1, 2]> : tensor<2xui8>
  %3 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xui8>}> : () -> tensor<2xui8>
  // CHECK-NEXT: %cst_2 = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>
  %4 = "stablehlo.constant"() {value = dense<1> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  // CHECK-NEXT: stablehlo.iota dim = 1 : tensor<4x5xi32>
  %5 = stablehlo.iota dim = 1 : tensor<4x5xi32>
  return
}

// CHECK-LABEL: func.func @quantized
func.func @quantized(%x: tensor<2xf32>) {
  // CHECK-NEXT: %[[Q:.*]] = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.1:-30>>
  // CHECK-NEXT: stablehlo.uniform_dequantize %[[Q]] : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>) -> tensor<2xf32>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.1:-30>>) -> tensor<2xf32>
  return
}
