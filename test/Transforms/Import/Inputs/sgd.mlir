func.func @sgd(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  %loss = stablehlo.dot_general %w, %x, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %w1 = stablehlo.subtract %w, %x : tensor<4xf32>
  %norm = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %w1, %norm, %loss : tensor<4xf32>, tensor<f32>, tensor<f32>
}
