// RUN: hetero-opt --hetero-infer-roles --split-input-file %s | FileCheck %s
// RUN: hetero-opt --hetero-infer-roles --hetero-infer-roles --split-input-file %s | FileCheck %s

// Momentum without names and without donation: the new moment can only come
// from the old one, so the new weight comes from the weight.
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

// Names pair trees; a gradient is no new state; a key is one by its use; the
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
