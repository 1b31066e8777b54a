// RUN: hetero-opt %s --hetero-partition | FileCheck %s
// RUN: hetero-opt %s --hetero-partition --hetero-select-collectives --hetero-verify -o /dev/null

// A change from one split to another is one exchange: along another dimension,
// to other sizes, and between the inner and the outer part of one dimension.

// CHECK-LABEL: func.func private @stage0_forward_0(
// CHECK: %[[ROWS:.*]] = stablehlo.dot_general
// CHECK-SAME: -> tensor<5x12xf32>
// CHECK: %[[COLUMNS:.*]] = hetero.all_to_all %[[ROWS]] split 0 : [5, 3] to 1 : [7, 5] over @all(tensor) : tensor<5x12xf32> -> tensor<8x7xf32>
// CHECK: stablehlo.tanh %[[COLUMNS]]
// Other sizes of the same dimension.
// CHECK: %[[OTHER:.*]] = hetero.all_to_all %{{.*}} split 1 : [7, 5] to 1 inner 4 : [1, 2] over @all(tensor) : tensor<8x7xf32> -> tensor<8x4xf32>
// CHECK: stablehlo.negate %[[OTHER]]
// From the outer 3 of 12 columns to the inner 4.
// CHECK: %[[OUTER:.*]] = stablehlo.reshape %{{.*}} : (tensor<8x4xf32>) -> tensor<8x1x4xf32>
// CHECK: %[[INNER:.*]] = hetero.all_to_all %[[OUTER]] split 1 : [1, 2] to 2 : [3, 1] over @all(tensor) : tensor<8x1x4xf32> -> tensor<8x3x3xf32>
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %[[INNER]] : (tensor<8x3x3xf32>) -> tensor<8x9xf32>
// CHECK: stablehlo.exponential %[[FLAT]]
// Units that are not whole ones of the other split are gathered.
// CHECK: hetero.all_gather %{{.*}} split 1 outer 3 : [3, 1]
// CHECK: stablehlo.dynamic_slice
// CHECK-SAME: -> tensor<8x2x3xf32>

// CHECK-LABEL: func.func @rank1
hetero.mesh @all (data = 1, tensor = 2) = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time
    batch 8 microbatches [8] predicted 1.2 ms {
  hetero.stage 0 on @all layers [0] samples (data) [[8]] in_flight 1
}
func.func @step(
    %w: tensor<4x12xf32> {hetero.role = #hetero.role<parameter>},
    %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<4x12xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<f32> {hetero.role = #hetero.role<loss>}) {
  %zero = stablehlo.constant {hetero.layer = #hetero.layer<0, forward>} dense<0.0> : tensor<f32>
  %xp = hetero.reshard %x to <@all, tensor = split 0 : [5, 3]> {hetero.layer = #hetero.layer<0, forward>} : tensor<8x4xf32>
  %h = stablehlo.dot_general %xp, %w, contracting_dims = [1] x [0]
      {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = split 0 : [5, 3]>}
      : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
  %hc = hetero.reshard %h to <@all, tensor = split 1 : [7, 5]> {hetero.layer = #hetero.layer<0, forward>} : tensor<8x12xf32>
  %a = stablehlo.tanh %hc {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = split 1 : [7, 5]>} : tensor<8x12xf32>
  %ac = hetero.reshard %a to <@all, tensor = split 1 inner 4 : [1, 2]> {hetero.layer = #hetero.layer<0, forward>} : tensor<8x12xf32>
  %b = stablehlo.negate %ac {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = split 1 inner 4 : [1, 2]>} : tensor<8x12xf32>
  %bc = hetero.reshard %b to <@all, tensor = split 1 outer 3 : [3, 1]> {hetero.layer = #hetero.layer<0, forward>} : tensor<8x12xf32>
  %c = stablehlo.exponential %bc {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = split 1 outer 3 : [3, 1]>} : tensor<8x12xf32>
  %cc = hetero.reshard %c to <@all, tensor = split 1 outer 2 : [3, 3]> {hetero.layer = #hetero.layer<0, forward>} : tensor<8x12xf32>
  %d = stablehlo.sqrt %cc {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = split 1 outer 2 : [3, 3]>} : tensor<8x12xf32>
  %dr = hetero.reshard %d to <@all, tensor = split 0 : [2, 6]> {hetero.layer = #hetero.layer<0, forward>} : tensor<8x12xf32>
  %l = stablehlo.reduce(%dr init: %zero) applies stablehlo.add across dimensions = [0, 1] {hetero.layer = #hetero.layer<0, forward>, hetero.sharding = #hetero.sharding<@all, tensor = partial sum>}
      : (tensor<8x12xf32>, tensor<f32>) -> tensor<f32>
  %ls = hetero.reshard %l to <@all> {hetero.layer = #hetero.layer<0, forward>} : tensor<f32>
  %xb = hetero.reshard %x to <@all, tensor = split 0 : [2, 6]> {hetero.layer = #hetero.layer<0, backward>} : tensor<8x4xf32>
  %g = stablehlo.dot_general %xb, %dr, contracting_dims = [0] x [0]
      {hetero.layer = #hetero.layer<0, backward>, hetero.sharding = #hetero.sharding<@all, tensor = partial sum>}
      : (tensor<8x4xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
  %gs = hetero.reshard %g to <@all> {hetero.layer = #hetero.layer<0, backward>} : tensor<4x12xf32>
  %n = stablehlo.subtract %w, %gs {hetero.layer = #hetero.layer<0, update>} : tensor<4x12xf32>
  return %n, %ls : tensor<4x12xf32>, tensor<f32>
}
