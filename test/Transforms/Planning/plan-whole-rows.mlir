// RUN: hetero-opt %s --hetero-plan="planner=dp-even state=full" | FileCheck %s

// A third of the state on each of three devices would fit, but not two of its
// five rows on a small one: a plan that divides it so is none, and the large
// device takes all. The bound is that of all devices.
// CHECK: hetero.plan
// CHECK-SAME: bound
// CHECK: hetero.share 0 state 20 B memory
// CHECK-NOT: hetero.share
// CHECK: func.func @step(%{{.*}}: tensor<5xf32> {hetero.role = #hetero.role<parameter>}
hetero.cluster @three {
  hetero.device_class @large memory 4 KB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.device_class @small memory 117 B peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [1 x @large, 2 x @small] link <nvlink, 1 TB/s, 1 ns>
}
func.func @step(%w: tensor<5xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<9x5xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<5xf32> {hetero.role = #hetero.role<updated_state of 0>}, tensor<f32> {hetero.role = #hetero.role<loss>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9x5xf32>, tensor<f32>) -> tensor<5xf32>
  %n = stablehlo.subtract %w, %s : tensor<5xf32>
  %l = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  return %n, %l : tensor<5xf32>, tensor<f32>
}
