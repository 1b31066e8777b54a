// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s

hetero.mesh @line = [0 to 5]
hetero.mesh @grid (data = 2, tensor = 3) = [0 to 5]

// CHECK-LABEL: module @forms
// CHECK-SAME: t.a = #hetero.form<split 1 outer 2>, t.b = #hetero.form<split 1 inner 2>
module @forms attributes {
  t.a = #hetero.form<split 1 outer 2 inner 1>,
  t.b = #hetero.form<split 1 inner 2>
} {}

// CHECK-LABEL: func.func @values
// CHECK-SAME: tensor<12x7xf32> {hetero.forms = #hetero.forms<microbatch = split 0, data = replicated>
// CHECK-SAME: hetero.placement = #hetero.placement<stage = 1>
// CHECK-SAME: hetero.sharding = #hetero.sharding<@line>
// CHECK-SAME: hetero.storage = #hetero.sharding<@line, split 0 : [6 x 2]>
// CHECK-SAME: -> (tensor<12x7xf32> {hetero.sharding = #hetero.sharding<@grid, data = split 0 : batch>})
func.func @values(
    %x: tensor<12x7xf32> {
      hetero.forms = #hetero.forms<microbatch = split 0, data = replicated>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@line>,
      hetero.storage = #hetero.sharding<@line, split 0 : [2, 2, 2, 2, 2, 2]>})
    -> (tensor<12x7xf32> {
      hetero.sharding = #hetero.sharding<@grid, data = split 0 : batch>}) {
  // CHECK: hetero.sharding = #hetero.sharding<@line, split 0 inner 2 : [6, 5 x 0]>
  %0 = arith.negf %x {
    hetero.sharding = #hetero.sharding<@line, split 0 inner 2 : [6, 0, 0, 0, 0, 0]>}
    : tensor<12x7xf32>
  // CHECK: hetero.sharding = #hetero.sharding<@grid, data = split 0 outer 3 : [3, 1], tensor = split 1 : [4, 2, 1]>
  %1 = arith.negf %0 {
    hetero.sharding = #hetero.sharding<@grid, data = split 0 outer 3 : [3, 1],
                                              tensor = split 1 : [4, 2, 1]>}
    : tensor<12x7xf32>
  // The axes may be taken in either order.
  // CHECK: hetero.sharding = #hetero.sharding<@grid, (tensor, data) = split 1 : [2, 2, 1, 1, 1, 0]>
  %2 = arith.negf %1 {
    hetero.sharding = #hetero.sharding<@grid, (tensor, data) = split 1 : [2, 2, 1, 1, 1, 0]>}
    : tensor<12x7xf32>
  // CHECK: hetero.forms = [#hetero.forms<microbatch = partial sum at level 2>]
  // CHECK-SAME: hetero.layer = #hetero.layer<4, backward>
  // CHECK-SAME: hetero.placement = #hetero.placement<stage = 0, mesh = @grid, chunk = 1>
  // CHECK-SAME: hetero.sharding = [#hetero.sharding<@grid, data = partial sum, tensor = partial max>]
  %3 = arith.negf %2 {
    hetero.forms = [#hetero.forms<microbatch = partial sum at level 2>],
    hetero.layer = #hetero.layer<4, backward>,
    hetero.placement = #hetero.placement<stage = 0, mesh = @grid, chunk = 1>,
    hetero.sharding = [#hetero.sharding<@grid, data = partial sum, tensor = partial max>]}
    : tensor<12x7xf32>
  return %3 : tensor<12x7xf32>
}

// A dynamic dimension takes any sizes.
// CHECK-LABEL: func.func private @dynamic
// CHECK-SAME: #hetero.sharding<@grid, data = split 0 : [100, 1]>
func.func private @dynamic(tensor<?xf32> {
  hetero.sharding = #hetero.sharding<@grid, data = split 0 : [100, 1]>})
