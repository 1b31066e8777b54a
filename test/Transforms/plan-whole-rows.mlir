// RUN: not hetero-opt %s --hetero-plan="planner=dp-even state=full" 2>&1 | FileCheck %s
// RUN: sed 's/43 B/44 B/' %s | hetero-opt --hetero-plan="planner=dp-even state=full" | FileCheck %s --check-prefix=ROWS

// Half of the state on each of two devices would fit, but not two of its three
// rows: a plan that divides it is none.
// CHECK: finds no plan that fits
// ROWS: hetero.share 0 state 8 B memory 44 B
// ROWS-NEXT: hetero.share 1 state 4 B memory 40 B
hetero.cluster @pair {
  hetero.device_class @c memory 43 B peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
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
