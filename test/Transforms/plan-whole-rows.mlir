// RUN: hetero-opt %s --hetero-plan="planner=dp-even state=full" | FileCheck %s

// Half of the state on each of two devices would fit, but not two of its three
// rows: a plan that divides it is none.
// CHECK: hetero.share 0 state 12 B memory
// CHECK-NOT: hetero.share
// CHECK: func.func @step(%{{.*}}: tensor<3xf32> {hetero.role = #hetero.role<parameter>}
hetero.cluster @pair {
  hetero.device_class @c memory 57 B peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [2 x @c] link <nvlink, 1 TB/s, 1 ns>
}
func.func @step(%w: tensor<3xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x3xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<3xf32> {hetero.role = #hetero.role<updated_state of 0>}, tensor<f32> {hetero.role = #hetero.role<loss>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
  %n = stablehlo.subtract %w, %s : tensor<3xf32>
  %l = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %n, %l : tensor<3xf32>, tensor<f32>
}
