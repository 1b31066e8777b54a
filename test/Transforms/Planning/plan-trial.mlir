// RUN: hetero-opt %s -split-input-file --verify-diagnostics --hetero-plan="planner=single microbatches=4" | FileCheck %s

// The formulas of planners have 544 bytes for this step, and its program needs
// more than 600: what it returns of each sample is there until the end.
// CHECK: hetero.plan
// CHECK: hetero.share 1 state 32 B memory 544 B
hetero.cluster @two {
  hetero.device_class @fast memory 600 B peak <f32: 2 GFLOP/s> bandwidth 2 GB/s
  hetero.device_class @slow memory 4 KB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [1 x @fast, 1 x @slow] link <nvlink, 1 TB/s, 1 ns>
}
func.func @step(%w: tensor<8xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x8xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<8xf32> {hetero.role = #hetero.role<updated_state of 0>}, tensor<f32> {hetero.role = #hetero.role<loss>}, tensor<8x8xf32> {hetero.role = #hetero.role<metric>}, tensor<8x8xf32> {hetero.role = #hetero.role<metric>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %x, %x : tensor<8x8xf32>
  %z = stablehlo.add %y, %x : tensor<8x8xf32>
  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %n = stablehlo.subtract %w, %s : tensor<8xf32>
  %l = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %n, %l, %y, %z : tensor<8xf32>, tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Nobody has so much.
hetero.cluster @two {
  hetero.device_class @fast memory 600 B peak <f32: 2 GFLOP/s> bandwidth 2 GB/s
  hetero.device_class @slow memory 600 B peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [1 x @fast, 1 x @slow] link <nvlink, 1 TB/s, 1 ns>
}
// expected-error@+3 {{is short of}}
// expected-note@+2 {{of a fast, }}
// expected-note@+1 {{of a slow, }}
func.func @step(%w: tensor<8xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x8xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<8xf32> {hetero.role = #hetero.role<updated_state of 0>}, tensor<f32> {hetero.role = #hetero.role<loss>}, tensor<8x8xf32> {hetero.role = #hetero.role<metric>}, tensor<8x8xf32> {hetero.role = #hetero.role<metric>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %x, %x : tensor<8x8xf32>
  %z = stablehlo.add %y, %x : tensor<8x8xf32>
  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %n = stablehlo.subtract %w, %s : tensor<8xf32>
  %l = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %n, %l, %y, %z : tensor<8xf32>, tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>
}
