// RUN: hetero-opt %s --hetero-partition | FileCheck %s
// RUN: hetero-opt %s --hetero-partition --hetero-select-collectives --hetero-verify -o /dev/null
// RUN: sed 's/%x: tensor<8x4xf32> {/&hetero.sharding = #hetero.sharding<@all, tensor = split 0 : [5, 3]>, /' %s > %t.mlir
// RUN: hetero-opt %t.mlir --hetero-partition > %t.ranks.mlir
// RUN: FileCheck %s --check-prefix=GIVEN < %t.ranks.mlir
// RUN: hetero-opt %t.ranks.mlir --hetero-select-collectives --hetero-verify -o /dev/null
// RUN: sed 's/part<2 : .5 to 8/part<2 : [4 to 7/' %t.ranks.mlir > %t.wrong.mlir
// RUN: not hetero-opt %t.wrong.mlir --hetero-verify 2>&1 | FileCheck %s --check-prefix=WRONG

// Shardings on operations: every device has the batch, and takes 5 or 3 samples
// of it. The gradient of %v is a sum over them, that of %w is computed everywhere
// from both of its factors (sufficient factor broadcasting), and half of the
// columns of %v is stored on each device.

// CHECK-LABEL: func.func private @stage0_prepare_0(
// CHECK: hetero.all_gather %{{.*}} split 1 inner 3 : [1, 1] over @all(tensor) : tensor<6x3xf32> -> tensor<6x6xf32>

// CHECK-LABEL: func.func private @stage0_forward_0(
// CHECK-SAME: %[[BATCH:[a-z0-9]*]]: tensor<8x4xf32>
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4x6xf32>
// CHECK: %[[X:.*]] = stablehlo.dynamic_slice %[[BATCH]]
// CHECK-SAME: -> tensor<5x4xf32>
// CHECK: stablehlo.dot_general %[[X]], %[[W]]
// CHECK-SAME: -> tensor<5x6xf32>

// CHECK-LABEL: func.func private @stage0_backward_0(
// CHECK: %[[YS:.*]] = hetero.all_gather %{{.*}} split 0 : [5, 3] over @all(tensor) : tensor<5x6xf32> -> tensor<8x6xf32>
// CHECK: stablehlo.dot_general %{{.*}}, %[[YS]]
// CHECK-SAME: -> tensor<4x6xf32>
// CHECK: hetero.reduce_scatter sum %{{.*}} split 1 inner 3 : [1, 1] over @all(tensor) : tensor<6x6xf32> -> tensor<6x3xf32>

// CHECK-LABEL: func.func @rank1
// CHECK-SAME: tensor<4x6xf32> {hetero.part = #hetero.part<0 : [0 to 4] x [0 to 6]>
// CHECK-SAME: tensor<6x3xf32> {hetero.part = #hetero.part<1 : [0 to 6] x [3 to 6]>
// CHECK-SAME: tensor<8x4xf32> {hetero.part = #hetero.part<2 : [0 to 8] x [0 to 4]>

// With a sharding on the batch each device is given its own samples, and whoever
// needs the others gathers them.
// GIVEN-LABEL: func.func private @stage0_forward_0(
// GIVEN-SAME: tensor<5x4xf32>
// GIVEN-NOT: stablehlo.dynamic_slice
// GIVEN-LABEL: func.func private @stage0_backward_0(
// GIVEN: hetero.all_gather %{{.*}} split 0 : [5, 3] over @all(tensor) : tensor<5x4xf32> -> tensor<8x4xf32>
// GIVEN-LABEL: func.func @rank1
// GIVEN-SAME: tensor<3x4xf32> {hetero.part = #hetero.part<2 : [5 to 8] x [0 to 4]>
// WRONG: argument 2 of rank 1 is #hetero.part<2 : [4 to 7] x [0 to 4]>, and member 1 of @all should have [5 to 8] of dimension 0

hetero.mesh @all (data = 1, tensor = 2) = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time
    batch 8 microbatches [8] predicted 1.2 ms {
  hetero.stage 0 on @all layers [0] samples (data) [[8]] in_flight 1
}
func.func @step(
    %w: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>},
    %v: tensor<6x6xf32> {hetero.role = #hetero.role<parameter>,
                         hetero.sharding = #hetero.sharding<@all, tensor = split 1 : [3, 3]>},
    %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<6x6xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %xp = hetero.reshard %x to <@all, tensor = split 0 : [5, 3]> {hetero.layer = #hetero.layer<0, forward>} : tensor<8x4xf32>
  %h = stablehlo.dot_general %xp, %w, contracting_dims = [1] x [0]
      {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = split 0 : [5, 3]>}
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %vs = hetero.reshard %v to <@all> {hetero.layer = #hetero.layer<0, forward>} : tensor<6x6xf32>
  %y = stablehlo.dot_general %h, %vs, contracting_dims = [1] x [0]
      {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = split 0 : [5, 3]>}
      : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  %ys = hetero.reshard %y to <@all> {hetero.layer = #hetero.layer<0, backward>} : tensor<8x6xf32>
  %gw = stablehlo.dot_general %x, %ys, contracting_dims = [0] x [0] {hetero.layer = #hetero.layer<0, backward>}
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %gv = stablehlo.dot_general %h, %y, contracting_dims = [0] x [0]
      {hetero.layer = #hetero.layer<0, backward>, hetero.sharding = #hetero.sharding<@all, tensor = partial sum>}
      : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<6x6xf32>
  %gvs = hetero.reshard %gv to <@all, tensor = split 1 : [3, 3]> {hetero.layer = #hetero.layer<0, backward>} : tensor<6x6xf32>
  %nw = stablehlo.subtract %w, %gw {hetero.layer = #hetero.layer<0, update>} : tensor<4x6xf32>
  %nv = stablehlo.subtract %v, %gvs
      {hetero.layer = #hetero.layer<0, update>, hetero.sharding = #hetero.sharding<@all, tensor = split 1 : [3, 3]>}
      : tensor<6x6xf32>
  return %nw, %nv : tensor<4x6xf32>, tensor<6x6xf32>
}
