// RUN: hetero-opt %s --hetero-plan=planner=spmd | FileCheck %s
// RUN: hetero-opt %s --hetero-plan=planner=hap | FileCheck %s
// RUN: hetero-opt %s --hetero-plan=planner=spmd --hetero-schedule --hetero-partition --hetero-verify -o /dev/null
// `joint` takes such a program where no plan of layers is as fast.
// RUN: hetero-opt %s --hetero-plan | FileCheck %s
// RUN: hetero-opt %s --hetero-plan=state=full | FileCheck %s --check-prefix=LAYERS
// RUN: hetero-opt %s --hetero-plan="planner=spmd microbatches=2" | FileCheck %s --check-prefix=SAMPLES

// A product of a few samples with a large matrix, whose columns are divided: the
// gradient and the update are, too, and only the loss is a sum over devices.
// CHECK: hetero.mesh @stage0 (data = 1, tensor = 2) = [0, 1]
// All devices together cannot do the work faster.
// CHECK: hetero.plan {{.*}} predicted {{.*}} bound {{.*}} gap
// CHECK: hetero.stage 0 on @stage0 layers [0{{.*}}] samples (data) {{\[\[8\]\]}}
// CHECK: func.func @step(%[[W:.*]]: tensor<512x512xf32>
// CHECK: %[[Y:.*]] = stablehlo.dot_general
// CHECK-SAME: hetero.sharding = #hetero.sharding<@stage0, tensor = split 1 : [341, 171]>
// CHECK: %[[L:.*]] = stablehlo.reduce(%[[Y]]
// CHECK-SAME: hetero.sharding = #hetero.sharding<@stage0, tensor = partial sum>
// CHECK: stablehlo.subtract
// CHECK-SAME: hetero.sharding = #hetero.sharding<@stage0, tensor = split 1 : [341, 171]>
// CHECK: hetero.reshard %[[L]] to <@stage0>

// Who asks for microbatches gets a plan that divides samples alone.
// SAMPLES: hetero.mesh @stage0 = [
// SAMPLES-NOT: hetero.reshard

// And so does who says how state is held.
// LAYERS: hetero.plan {{.*}} planner "joint"
// LAYERS-NOT: hetero.reshard
hetero.cluster @pair {
  hetero.device_class @fast memory 1 GB peak <f32: 2 GFLOP/s> bandwidth 20 GB/s
  hetero.device_class @slow memory 1 GB peak <f32: 1 GFLOP/s> bandwidth 10 GB/s
  hetero.node @box [1 x @fast, 1 x @slow] link <pcie, 1 GB/s, 1 us>
}
func.func @step(%w: tensor<512x512xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x512xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<512x512xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<f32> {hetero.role = #hetero.role<loss>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
  %l = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x512xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
      : (tensor<8x512xf32>, tensor<8x512xf32>) -> tensor<512x512xf32>
  %n = stablehlo.subtract %w, %g : tensor<512x512xf32>
  return %n, %l : tensor<512x512xf32>, tensor<f32>
}
