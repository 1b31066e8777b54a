// RUN: hetero-opt --hetero-infer-roles --split-input-file %s | FileCheck %s
// RUN: hetero-opt --hetero-infer-roles --hetero-infer-roles --split-input-file %s | FileCheck %s

// Momentum without names and without donation: the new moment can only come
// from the old one, so the updated parameter comes from the weight.
// CHECK-LABEL: func.func @momentum
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xf32> {hetero.role = #hetero.role<optimizer_state>}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xf32> {hetero.role = #hetero.role<parameter>}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8x4xf32> {hetero.role = #hetero.role<batch>}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<f32> {hetero.role = #hetero.role<hyper_parameter>}
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 1>}
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<loss>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}
func.func @momentum(%m: tensor<4xf32>, %w: tensor<4xf32>, %x: tensor<8x4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %decay = stablehlo.constant dense<0.9> : tensor<4xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %yy = stablehlo.multiply %y, %y : tensor<8xf32>
  %loss = stablehlo.reduce(%yy init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %y, %x, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  %md = stablehlo.multiply %m, %decay : tensor<4xf32>
  %m1 = stablehlo.add %md, %g : tensor<4xf32>
  %lrs = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %d = stablehlo.multiply %m1, %lrs : tensor<4xf32>
  %w1 = stablehlo.subtract %w, %d : tensor<4xf32>
  return %w1, %loss, %m1 : tensor<4xf32>, tensor<f32>, tensor<4xf32>
}

// -----

// Donation pairs buffers by type and is crossed here; data flow decides.
// CHECK-LABEL: func.func @crossed
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 1>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}
func.func @crossed(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a1 = stablehlo.negate %a : tensor<4xf32>
  %b1 = stablehlo.sine %b : tensor<4xf32>
  %loss = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %b1, %a1, %loss : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// -----

// Names pair trees; a gradient is no updated state; a key is one by its use; the
// loss is the result of that name.
// CHECK-LABEL: func.func @names
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<parameter>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<batch>}
// CHECK-SAME: tensor<2xui32> {hetero.role = #hetero.role<rng>}
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<gradient of 0>
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<metric>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<loss>
func.func @names(%w: tensor<4xf32> loc("params['w']"), %x: tensor<4xf32> loc("x"), %k: tensor<2xui32> loc("key"))
    -> (tensor<4xf32> {jax.result_info = "result[0]['w']"}, tensor<4xf32> {jax.result_info = "result[1]['w']"},
        tensor<f32> {jax.result_info = "result[2]['norm']"}, tensor<f32> {jax.result_info = "result[2]['loss']"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %mixed = stablehlo.xor %k, %k : tensor<2xui32>
  %noise = stablehlo.convert %mixed : (tensor<2xui32>) -> tensor<2xf32>
  %n = stablehlo.reduce(%noise init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %dot = stablehlo.dot_general %w, %x, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %loss = stablehlo.add %dot, %n : tensor<f32>
  %ls = stablehlo.broadcast_in_dim %loss, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %g = stablehlo.multiply %x, %ls : tensor<4xf32>
  %norm = stablehlo.dot_general %g, %g, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %w1 = stablehlo.subtract %w, %g : tensor<4xf32>
  return %g, %w1, %norm, %loss : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// Counters belong to the optimizer, statistics that the loss does not need to
// the model; through a loop value by value.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<model_state>
// CHECK-SAME: tensor<i32> {hetero.role = #hetero.role<optimizer_state>
// CHECK-SAME: tensor<8x4xf32> {hetero.role = #hetero.role<batch>
func.func @loop(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %mean: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %count: tensor<i32> {tf.aliasing_output = 2 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %r:3 = stablehlo.while(%i = %c0, %h = %w, %s = %mean) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %c1 : tensor<i32>
    %h1 = stablehlo.multiply %h, %sum : tensor<4xf32>
    %s1 = stablehlo.add %s, %sum : tensor<4xf32>
    stablehlo.return %j, %h1, %s1 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  %loss = stablehlo.reduce(%r#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %w1 = stablehlo.subtract %w, %r#1 : tensor<4xf32>
  %count1 = stablehlo.add %count, %c1 : tensor<i32>
  return %w1, %r#2, %count1, %loss : tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>
}

// -----

// A role that is there is kept, and the others follow from it.
// CHECK-LABEL: func.func @given
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<model_state>
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<metric>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<loss>
func.func @given(%w: tensor<4xf32> {hetero.role = #hetero.role<model_state>, tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<f32>, tensor<f32> {hetero.role = #hetero.role<loss>}) {
  %w1 = stablehlo.negate %w : tensor<4xf32>
  %a = stablehlo.dot_general %w, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %b = stablehlo.dot_general %w, %w1, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %w1, %a, %b : tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// A function without state, or without a loss, is no step.
// CHECK-LABEL: func.func @inference
// CHECK-NOT: hetero.role
func.func @inference(%w: tensor<4x2xf32>, %x: tensor<8x4xf32>) -> tensor<8x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

// Nobody says that this is a step, and it is not clearly one.
// CHECK-LABEL: func.func @undeclared
// CHECK-NOT: hetero.role
func.func @undeclared(%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  %w1 = stablehlo.negate %w : tensor<4xf32>
  %a = stablehlo.dot_general %w, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %b = stablehlo.dot_general %w, %w1, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %w1, %a, %b : tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// As JAX lowers a step with a dynamic loss scale: both the loss and the next
// scale are computed from the scale, and donation pairs it with the loss. The
// next scale depends on the gradient by a decision alone, so it is no parameter.
// CHECK-LABEL: func.func public @loss_scale
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<f32> {hetero.role = #hetero.role<optimizer_state>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x8xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x4xf32> {hetero.role = #hetero.role<batch>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x8xf32> {hetero.role = #hetero.role<batch>
// CHECK-SAME: -> (tensor<f32> {hetero.role = #hetero.role<loss>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<updated_state of 0>
// CHECK-SAME: tensor<4x8xf32> {hetero.role = #hetero.role<updated_state of 1>
func.func public @loss_scale(%arg0: tensor<f32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4x8xf32> {tf.aliasing_output = 2 : i32}, %arg2: tensor<16x4xf32>, %arg3: tensor<16x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}, tensor<4x8xf32> {jax.result_info = "result[2]"}) {
  %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.subtract %0, %arg3 : tensor<16x8xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<16x8xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.multiply %3, %arg0 : tensor<f32>
  %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.multiply %cst_0, %arg0 : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
  %7 = stablehlo.multiply %1, %6 : tensor<16x8xf32>
  %8 = stablehlo.multiply %6, %1 : tensor<16x8xf32>
  %9 = stablehlo.add %7, %8 : tensor<16x8xf32>
  %10 = stablehlo.dot_general %9, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %12 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %13 = stablehlo.divide %11, %12 : tensor<4x8xf32>
  %14 = stablehlo.abs %13 : tensor<4x8xf32>
  %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %16 = stablehlo.compare LT, %15, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %17 = stablehlo.divide %4, %arg0 : tensor<f32>
  %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %18 = stablehlo.multiply %arg0, %cst_3 : tensor<f32>
  %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %19 = stablehlo.divide %arg0, %cst_4 : tensor<f32>
  %20 = stablehlo.select %16, %18, %19 : tensor<i1>, tensor<f32>
  %21 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i1>) -> tensor<4x8xi1>
  %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
  %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %23 = stablehlo.multiply %22, %13 : tensor<4x8xf32>
  %24 = stablehlo.subtract %arg1, %23 : tensor<4x8xf32>
  %25 = stablehlo.select %21, %24, %arg1 : tensor<4x8xi1>, tensor<4x8xf32>
  return %17, %20, %25 : tensor<f32>, tensor<f32>, tensor<4x8xf32>
}

// -----

// As JAX lowers momentum with a penalty on the weights: the gradient that is
// returned depends on the weights element by element too, from further away
// than the updated parameters, and has the buffer of one of them.
// CHECK-LABEL: func.func public @penalty
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x8xf32> {hetero.role = #hetero.role<optimizer_state>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x8xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x4xf32> {hetero.role = #hetero.role<batch>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x8xf32> {hetero.role = #hetero.role<batch>
// CHECK-SAME: -> (tensor<f32> {hetero.role = #hetero.role<loss>
// CHECK-SAME: tensor<4x8xf32> {hetero.role = #hetero.role<metric>
// CHECK-SAME: tensor<4x8xf32> {hetero.role = #hetero.role<updated_state of 1>
// CHECK-SAME: tensor<4x8xf32> {hetero.role = #hetero.role<updated_state of 0>
func.func public @penalty(%arg0: tensor<4x8xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<4x8xf32> {tf.aliasing_output = 2 : i32}, %arg2: tensor<16x4xf32>, %arg3: tensor<16x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}, tensor<4x8xf32> {jax.result_info = "result[2]"}, tensor<4x8xf32> {jax.result_info = "result[3]"}) {
  %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.subtract %0, %arg3 : tensor<16x8xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<16x8xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.multiply %arg1, %arg1 : tensor<4x8xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %cst_1 = stablehlo.constant dense<0.00999999977> : tensor<f32>
  %6 = stablehlo.multiply %cst_1, %5 : tensor<f32>
  %7 = stablehlo.add %3, %6 : tensor<f32>
  %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<f32>
  %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.multiply %cst_2, %cst_3 : tensor<f32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %10 = stablehlo.multiply %arg1, %9 : tensor<4x8xf32>
  %11 = stablehlo.multiply %9, %arg1 : tensor<4x8xf32>
  %12 = stablehlo.add %10, %11 : tensor<4x8xf32>
  %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
  %14 = stablehlo.multiply %1, %13 : tensor<16x8xf32>
  %15 = stablehlo.multiply %13, %1 : tensor<16x8xf32>
  %16 = stablehlo.add %14, %15 : tensor<16x8xf32>
  %17 = stablehlo.dot_general %16, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %19 = stablehlo.add %12, %18 : tensor<4x8xf32>
  %cst_5 = stablehlo.constant dense<0.899999976> : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %21 = stablehlo.multiply %20, %arg0 : tensor<4x8xf32>
  %22 = stablehlo.add %21, %19 : tensor<4x8xf32>
  %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
  %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %24 = stablehlo.multiply %23, %22 : tensor<4x8xf32>
  %25 = stablehlo.subtract %arg1, %24 : tensor<4x8xf32>
  return %7, %19, %25, %22 : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// As JAX lowers a recurrent step: what it hands on is paired by its buffer
// alone, and is no weight.
// CHECK-LABEL: func.func public @carry
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x8xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x8xf32> {hetero.role = #hetero.role<model_state>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x4xf32> {hetero.role = #hetero.role<batch>
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<16x8xf32> {hetero.role = #hetero.role<batch>
// CHECK-SAME: -> (tensor<4x8xf32> {hetero.role = #hetero.role<updated_state of 0>
// CHECK-SAME: tensor<16x8xf32> {hetero.role = #hetero.role<updated_state of 1>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<loss>
func.func public @carry(%arg0: tensor<4x8xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<16x8xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<16x4xf32>, %arg3: tensor<16x8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
  %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %2 = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
  %4 = stablehlo.add %1, %3 : tensor<8x8xi32>
  %5 = stablehlo.compare EQ, %4, %2, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %6 = stablehlo.convert %5 : (tensor<8x8xi1>) -> tensor<8x8xf32>
  %7 = stablehlo.dot_general %arg1, %6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %8 = stablehlo.add %0, %7 : tensor<16x8xf32>
  %9 = stablehlo.tanh %8 : tensor<16x8xf32>
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
  %11 = stablehlo.subtract %10, %9 : tensor<16x8xf32>
  %12 = stablehlo.subtract %9, %arg3 : tensor<16x8xf32>
  %13 = stablehlo.multiply %12, %12 : tensor<16x8xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %14 = stablehlo.reduce(%13 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<f32>
  %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
  %16 = stablehlo.multiply %12, %15 : tensor<16x8xf32>
  %17 = stablehlo.multiply %15, %12 : tensor<16x8xf32>
  %18 = stablehlo.add %16, %17 : tensor<16x8xf32>
  %19 = stablehlo.multiply %18, %11 : tensor<16x8xf32>
  %20 = stablehlo.multiply %19, %9 : tensor<16x8xf32>
  %21 = stablehlo.add %19, %20 : tensor<16x8xf32>
  %22 = stablehlo.dot_general %21, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
  %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %25 = stablehlo.multiply %24, %23 : tensor<4x8xf32>
  %26 = stablehlo.subtract %arg0, %25 : tensor<4x8xf32>
  return %26, %9, %14 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<f32>
}

// -----

// The old weights are kept too: what is returned as it is comes last.
// CHECK-LABEL: func.func @previous
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<optimizer_state>
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 1>
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>
func.func @previous(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %old: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %loss = stablehlo.dot_general %w, %x, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %speed = stablehlo.subtract %w, %old : tensor<4xf32>
  %ahead = stablehlo.add %w, %speed : tensor<4xf32>
  %w1 = stablehlo.subtract %ahead, %x : tensor<4xf32>
  return %w, %w1, %loss : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// -----

// Rows are updated in place, as of an embedding.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: tensor<8x4xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: -> (tensor<8x4xf32> {hetero.role = #hetero.role<updated_state of 0>
func.func @rows(%w: tensor<8x4xf32>, %i: tensor<i32>) -> (tensor<8x4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %row = stablehlo.dynamic_slice %w, %i, %c0, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %square = stablehlo.multiply %row, %row : tensor<1x4xf32>
  %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<f32>
  %w1 = stablehlo.dynamic_update_slice %w, %square, %i, %c0 : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %w1, %loss : tensor<8x4xf32>, tensor<f32>
}

// -----

// A result that is given another role is not the updated value of anything.
// CHECK-LABEL: func.func @given_metric
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<metric>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>
func.func @given_metric(%w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32> {hetero.role = #hetero.role<metric>}, tensor<4xf32>, tensor<f32>) {
  %loss = stablehlo.dot_general %w, %x, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %a = stablehlo.negate %w : tensor<4xf32>
  %b = stablehlo.sine %a : tensor<4xf32>
  return %a, %b, %loss : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// -----

// The norm of the gradient is joined to the weights as the loss is, and needs
// no less of the state: the first of them is the loss. A penalty that no data
// takes part in is not.
// CHECK-LABEL: func.func @loss_and_norm
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<metric>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<loss>
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<metric>
func.func @loss_and_norm(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %penalty = stablehlo.dot_general %w, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %dot = stablehlo.dot_general %w, %x, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %loss = stablehlo.multiply %dot, %dot : tensor<f32>
  %scale = stablehlo.broadcast_in_dim %dot, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %g = stablehlo.multiply %x, %scale : tensor<4xf32>
  %norm = stablehlo.dot_general %g, %g, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %w1 = stablehlo.subtract %w, %g : tensor<4xf32>
  return %w1, %penalty, %loss, %norm : tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A tree of weights that the step does not update, beside data.
// CHECK-LABEL: func.func @frozen
// CHECK-SAME: tensor<6x4xf32> {hetero.role = #hetero.role<model_state>
// CHECK-SAME: tensor<4x4xf32> {hetero.role = #hetero.role<model_state>
// CHECK-SAME: tensor<8x6xf32> {hetero.role = #hetero.role<batch>
func.func @frozen(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32} loc("params"),
    %f0: tensor<6x4xf32> loc("base['first']"), %f1: tensor<4x4xf32> loc("base['second']"), %x: tensor<8x6xf32> loc("x"))
    -> (tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.dot_general %x, %f0, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %b = stablehlo.dot_general %a, %f1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %p = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %loss = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %w1 = stablehlo.negate %w : tensor<4xf32>
  return %w1, %loss : tensor<4xf32>, tensor<f32>
}

// -----

// What has no dimension of samples is whole on every device, as a parameter is;
// what has one elsewhere is data.
// CHECK-LABEL: func.func @other_sizes
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: tensor<8x4xf32> {hetero.role = #hetero.role<batch>}
// CHECK-SAME: tensor<8xf32> {hetero.role = #hetero.role<batch>}
// CHECK-SAME: tensor<4x4xf32> {hetero.role = #hetero.role<model_state>}
// CHECK-SAME: tensor<2x8xf32> {hetero.role = #hetero.role<batch>}
func.func @other_sizes(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>, %y: tensor<8xf32>,
    %f: tensor<4x4xf32>, %z: tensor<2x8xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %xf = stablehlo.dot_general %x, %f, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %p = stablehlo.dot_general %xf, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %pz = stablehlo.dot_general %z, %p, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2xf32>
  %squares = stablehlo.dot_general %pz, %pz, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %py = stablehlo.dot_general %p, %y, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %loss = stablehlo.add %py, %squares : tensor<f32>
  %w1 = stablehlo.negate %w : tensor<4xf32>
  return %w1, %loss : tensor<4xf32>, tensor<f32>
}

// -----

// Weights in half precision follow their copies in full, which are updated.
// CHECK-LABEL: func.func @master_copy
// CHECK-SAME: tensor<4xbf16> {hetero.role = #hetero.role<parameter>
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<optimizer_state>
// CHECK-SAME: -> (tensor<4xbf16> {hetero.role = #hetero.role<updated_state of 0>}, tensor<4xf32> {hetero.role = #hetero.role<updated_state of 1>}
func.func @master_copy(%w: tensor<4xbf16> {tf.aliasing_output = 0 : i32}, %m: tensor<4xf32> {tf.aliasing_output = 1 : i32},
    %x: tensor<8x4xbf16>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<bf16>) {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4xbf16>) -> tensor<8xbf16>
  %loss = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<bf16>
  %g = stablehlo.dot_general %p, %x, contracting_dims = [0] x [0] : (tensor<8xbf16>, tensor<8x4xbf16>) -> tensor<4xbf16>
  %g32 = stablehlo.convert %g : (tensor<4xbf16>) -> tensor<4xf32>
  %m1 = stablehlo.subtract %m, %g32 : tensor<4xf32>
  %w1 = stablehlo.convert %m1 : (tensor<4xf32>) -> tensor<4xbf16>
  return %w1, %m1, %loss : tensor<4xbf16>, tensor<4xf32>, tensor<bf16>
}
