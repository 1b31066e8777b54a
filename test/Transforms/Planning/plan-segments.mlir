// RUN: hetero-opt %s --hetero-plan=planner=spmd | FileCheck %s
// RUN: hetero-opt %s --hetero-plan=planner=spmd --hetero-schedule --hetero-partition | FileCheck %s --check-prefix=EXCHANGE
// RUN: hetero-opt %s --hetero-plan=planner=spmd --hetero-schedule --hetero-partition --hetero-verify -o /dev/null
// RUN: hetero-opt %s --hetero-plan=planner=hap --hetero-schedule --hetero-partition --hetero-verify -o /dev/null

// One class computes fast, the other reads fast. Products of a matrix for each
// sample and what is done to single elements are bound by memory, products with
// the parameters are not: they are segments with shares of their own, and what
// goes from one to another is exchanged.
// CHECK: hetero.mesh @stage0 (data = 1, tensor = 2) = [0, 1]
// CHECK: %[[H:.*]] = stablehlo.dot_general {{.*}}batching_dims
// CHECK-SAME: tensor = split 1 inner 4 : [3, 13]>
// CHECK: hetero.reshard %[[H]] to <@stage0, tensor = split 1 : [7, 57]>
// CHECK: %[[Y:.*]] = stablehlo.dot_general
// CHECK-SAME: tensor = split 1 inner 2 : [205, 51]>
// CHECK: %[[MOVED:.*]] = hetero.reshard %[[Y]] to <@stage0, tensor = split 1 : [57, 455]>
// CHECK: stablehlo.tanh %[[MOVED]]
// State comes back as it is stored.
// CHECK: stablehlo.subtract
// CHECK-SAME: tensor = split 1 inner 2 : [205, 51]>

// EXCHANGE: hetero.all_to_all %{{.*}} split 1 inner 4 : [3, 13] to 1 : [7, 57] over @stage0(tensor)
// EXCHANGE: hetero.all_to_all %{{.*}} split 1 inner 2 : [205, 51] to 1 : [57, 455] over @stage0(tensor)
hetero.cluster @pair {
  hetero.device_class @core memory 1 GB peak <f32: 8 GFLOP/s> bandwidth 1 GB/s
  hetero.device_class @wide memory 1 GB peak <f32: 2 GFLOP/s> bandwidth 8 GB/s
  hetero.node @box [1 x @core, 1 x @wide] link <pcie, 10 GB/s, 1 us>
}
func.func @step(%w: tensor<64x512xf32> {hetero.role = #hetero.role<parameter>},
                %a: tensor<60x64x64xf32> {hetero.role = #hetero.role<batch>},
                %x: tensor<60x64xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<64x512xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<f32> {hetero.role = #hetero.role<loss>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.dot_general %a, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<60x64x64xf32>, tensor<60x64xf32>) -> tensor<60x64xf32>
  %t = stablehlo.tanh %h : tensor<60x64xf32>
  %y = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0]
      : (tensor<60x64xf32>, tensor<64x512xf32>) -> tensor<60x512xf32>
  %z = stablehlo.tanh %y : tensor<60x512xf32>
  %l = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<60x512xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %t, %z, contracting_dims = [0] x [0]
      : (tensor<60x64xf32>, tensor<60x512xf32>) -> tensor<64x512xf32>
  %n = stablehlo.subtract %w, %g : tensor<64x512xf32>
  return %n, %l : tensor<64x512xf32>, tensor<f32>
}
