// RUN: hetero-opt --hetero-infer-roles --split-input-file --verify-diagnostics %s
// RUN: not hetero-opt --hetero-infer-roles="roles=arg9=batch" %S/Inputs/sgd.mlir 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not hetero-opt --hetero-infer-roles="roles=arg0=weight" %S/Inputs/sgd.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hetero-opt --hetero-infer-roles="roles=arg0=loss" %S/Inputs/sgd.mlir 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: not hetero-opt --hetero-infer-roles="roles=x=loss" %S/Inputs/sgd.mlir 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: hetero-opt --hetero-infer-roles="roles=arg1=model_state,result1=metric" %S/Inputs/sgd.mlir | FileCheck %s --check-prefix=GIVEN

// RANGE: error: invalid role 'arg9=batch': the step has 2 arguments
// UNKNOWN: error: invalid role 'arg0=weight': unknown role 'weight'
// SIDE: error: invalid role 'arg0=loss': not a role of arguments
// FORM: error: invalid role 'x=loss': expected arg<N>=<role> or result<N>=<role>
// GIVEN: tensor<4xf32> {hetero.role = #hetero.role<model_state>}

// expected-error @below {{cannot tell which result is the loss: #1, #2}}
// expected-note @below {{put hetero.role = #hetero.role<loss> on one of them, or pass roles="result1=loss" to hetero-infer-roles}}
func.func @two_losses(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  %w1 = stablehlo.negate %w : tensor<4xf32>
  %a = stablehlo.dot_general %w, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %b = stablehlo.dot_general %w, %w1, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %w1, %a, %b : tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// It is not clear which of the two has the samples in front.
// expected-note @below {{put hetero.role = #hetero.role<batch> (data) or #hetero.role<model_state> (a frozen parameter) on it: roles="arg2=batch" of hetero.jit and hetero-infer-roles, --role=arg2=batch of hetero-run}}
func.func @frozen(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>,
    // expected-error @below {{cannot tell whether argument #2 of type 'tensor<4x4xf32>' is data or a frozen parameter: its first size is not the 8 of other data}}
    %f: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %xf = stablehlo.dot_general %x, %f, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %p = stablehlo.dot_general %xf, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %loss = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %w1 = stablehlo.negate %w : tensor<4xf32>
  return %w1, %loss : tensor<4xf32>, tensor<f32>
}

// -----

// Time may come first in most arguments, and the samples in the labels alone.
// expected-note @below {{roles="arg3=batch"}}
func.func @time_first(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<5x8x4xf32>, %m: tensor<5x8xf32>,
    // expected-error @below {{cannot tell whether argument #3 of type 'tensor<8xf32>' is data or a frozen parameter: its first size is not the 5 of other data}}
    %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<5x8x4xf32>, tensor<4xf32>) -> tensor<5x8xf32>
  %pm = stablehlo.multiply %p, %m : tensor<5x8xf32>
  %py = stablehlo.dot_general %pm, %y, contracting_dims = [1] x [0] : (tensor<5x8xf32>, tensor<8xf32>) -> tensor<5xf32>
  %loss = stablehlo.dot_general %py, %py, contracting_dims = [0] x [0] : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
  %w1 = stablehlo.negate %w : tensor<4xf32>
  return %w1, %loss : tensor<4xf32>, tensor<f32>
}

// -----

// Not steps: a forward, and state that nothing is minimised for.
// expected-warning @below {{not a training step: no result is the updated value of an argument}}
func.func @forward(%w: tensor<4x2xf32>, %x: tensor<8x4xf32>) -> tensor<8x2xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %y : tensor<8x2xf32>
}

// expected-warning @below {{not a training step: no result is known to be the loss}}
func.func @filter(%s: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<4xf32>) -> tensor<4xf32> {
  %s1 = stablehlo.subtract %s, %x : tensor<4xf32>
  return %s1 : tensor<4xf32>
}

// -----

// JAX gives the donated buffer of a parameter to its gradient.
// expected-note @below {{put hetero.role = #hetero.role<updated_state of 0> or #hetero.role<gradient of 0> on the result, or pass roles="result1=updated_state:0" to hetero-infer-roles}}
func.func public @gradient(
    // expected-error @below {{cannot tell whether result #1 is the updated value of argument #0 or its gradient: the argument's buffer is donated, but no result is computed from it element by element}}
    %arg0: tensor<4x8xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<16x4xf32>, %arg2: tensor<16x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}) {
  %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.subtract %0, %arg2 : tensor<16x8xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<16x8xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
  %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
  %5 = stablehlo.multiply %1, %4 : tensor<16x8xf32>
  %6 = stablehlo.multiply %4, %1 : tensor<16x8xf32>
  %7 = stablehlo.add %5, %6 : tensor<16x8xf32>
  %8 = stablehlo.dot_general %7, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %9 = stablehlo.transpose %8, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %3, %9 : tensor<f32>, tensor<4x8xf32>
}
