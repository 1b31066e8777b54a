// Two dense layers with momentum, a batch of 8.
func.func @step(
    %w0: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>},
    %w1: tensor<6x2xf32> {hetero.role = #hetero.role<parameter>},
    %m0: tensor<4x6xf32> {hetero.role = #hetero.role<optimizer_state>},
    %m1: tensor<6x2xf32> {hetero.role = #hetero.role<optimizer_state>},
    %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 1>},
        tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 2>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 3>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x2xf32>
  %rate0 = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %rate1 = stablehlo.constant dense<0.1> : tensor<6x2xf32>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %y = stablehlo.dot_general %h, %w1, contracting_dims = [1] x [0]
      : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %dw1 = stablehlo.dot_general %h, %one, contracting_dims = [0] x [0]
      : (tensor<8x6xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  %dh = stablehlo.dot_general %one, %w1, contracting_dims = [1] x [1]
      : (tensor<8x2xf32>, tensor<6x2xf32>) -> tensor<8x6xf32>
  %dw0 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0]
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %a0 = stablehlo.add %m0, %dw0 : tensor<4x6xf32>
  %u0 = stablehlo.multiply %a0, %rate0 : tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0, %u0 : tensor<4x6xf32>
  %a1 = stablehlo.add %m1, %dw1 : tensor<6x2xf32>
  %u1 = stablehlo.multiply %a1, %rate1 : tensor<6x2xf32>
  %n1 = stablehlo.subtract %w1, %u1 : tensor<6x2xf32>
  return %loss, %n0, %n1, %a0, %a1
      : tensor<f32>, tensor<4x6xf32>, tensor<6x2xf32>, tensor<4x6xf32>, tensor<6x2xf32>
}
