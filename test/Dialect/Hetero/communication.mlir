// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s
// RUN: hetero-opt -canonicalize -cse %s | FileCheck %s --check-prefix=KEPT

hetero.mesh @line = [2, 3, 5]
hetero.mesh @grid (data = 2, tensor = 2) = [0, 1, 2, 3]

// CHECK-LABEL: func.func @all_gather
// KEPT-LABEL: func.func @all_gather
func.func @all_gather(%part: tensor<4x7xf32>) -> tensor<12x7xf32>
    attributes {hetero.program = #hetero.program<on [5]>} {
  // CHECK: hetero.all_gather %{{.*}} split 0 outer 2 : [3, 1, 2] over @line : tensor<4x7xf32> -> tensor<12x7xf32>
  %0 = hetero.all_gather %part split 0 outer 2 : [3, 1, 2] over @line : tensor<4x7xf32> -> tensor<12x7xf32>
  // Transfers that look alike are still two.
  // KEPT-COUNT-2: hetero.all_gather
  // CHECK: hetero.all_gather %{{.*}} algorithm grouped bucket 2 channel 7 : tensor<4x7xf32> -> tensor<12x7xf32>
  %1 = hetero.all_gather %part split 0 outer 2 : [3, 1, 2] over @line
      channel 7 bucket 2 algorithm grouped : tensor<4x7xf32> -> tensor<12x7xf32>
  return %0 : tensor<12x7xf32>
}

// Ranks 1 and 3 are both the second member along `tensor`.
// CHECK-LABEL: func.func @all_gather_shared
func.func @all_gather_shared(%part: tensor<2xf32>) -> tensor<5xf32>
    attributes {hetero.program = #hetero.program<stage 0 forward on [1, 3]>} {
  // CHECK: hetero.all_gather %{{.*}} split 0 : [3, 2] over @grid(tensor) : tensor<2xf32>
  %0 = hetero.all_gather %part split 0 : [3, 2] over @grid(tensor) : tensor<2xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// Which rank runs this is not known: the part of any member will do.
// CHECK-LABEL: func.func @all_gather_any
func.func @all_gather_any(%a: tensor<0x4xf32>, %b: tensor<?x4xf32>) -> (tensor<9x4xf32>, tensor<?x4xf32>) {
  %0 = hetero.all_gather %a split 0 : [9, 0, 0] over @line : tensor<0x4xf32> -> tensor<9x4xf32>
  %1 = hetero.all_gather %b split 0 : [9, 0, 0] over @line : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0, %1 : tensor<9x4xf32>, tensor<?x4xf32>
}

// The order of the axes is the order of the members: rank 1 is at (0, 1), so
// it is member 1 of (data, tensor) and member 2 of (tensor, data).
// CHECK-LABEL: func.func @axis_order
func.func @axis_order(%a: tensor<6xf32>, %b: tensor<5xf32>) -> (tensor<18xf32>, tensor<18xf32>)
    attributes {hetero.program = #hetero.program<on [1]>} {
  // CHECK: over @grid(data, tensor)
  %0 = hetero.all_gather %a split 0 : [7, 6, 5, 0] over @grid(data, tensor) : tensor<6xf32> -> tensor<18xf32>
  // CHECK: over @grid(tensor, data)
  %1 = hetero.all_gather %b split 0 : [7, 6, 5, 0] over @grid(tensor, data) : tensor<5xf32> -> tensor<18xf32>
  return %0, %1 : tensor<18xf32>, tensor<18xf32>
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<6x4xf32>, %p: tensor<4xi1>) -> (tensor<2x4xf32>, tensor<6x4xf32>, tensor<4xi1>, tensor<6x4xf32>)
    attributes {hetero.program = #hetero.program<on [5]>} {
  // CHECK: hetero.reduce_scatter max %{{.*}} split 0 : [3, 1, 2] over @line : tensor<6x4xf32> -> tensor<2x4xf32>
  %0 = hetero.reduce_scatter max %x split 0 : [3, 1, 2] over @line : tensor<6x4xf32> -> tensor<2x4xf32>
  // CHECK: hetero.all_reduce sum %{{.*}} over @line algorithm tree : tensor<6x4xf32> -> tensor<6x4xf32>
  %1 = hetero.all_reduce sum %x over @line algorithm tree : tensor<6x4xf32> -> tensor<6x4xf32>
  // CHECK: hetero.all_reduce or %{{.*}} over @line : tensor<4xi1> -> tensor<4xi1>
  %2 = hetero.all_reduce or %p over @line algorithm auto : tensor<4xi1> -> tensor<4xi1>
  // CHECK: hetero.exclusive_scan min %{{.*}} over @line : tensor<6x4xf32> -> tensor<6x4xf32>
  %3 = hetero.exclusive_scan min %x over @line : tensor<6x4xf32> -> tensor<6x4xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<6x4xf32>, tensor<4xi1>, tensor<6x4xf32>
}

// CHECK-LABEL: func.func @all_to_all
func.func @all_to_all(%x: tensor<3x8xf32>) -> (tensor<6x0xf32>, tensor<1x8xf32>)
    attributes {hetero.program = #hetero.program<on [2]>} {
  // To another dimension.
  // CHECK: hetero.all_to_all %{{.*}} split 0 : [3, 1, 2] to 1 inner 4 : [0, 1, 1] over @line : tensor<3x8xf32> -> tensor<6x0xf32>
  %0 = hetero.all_to_all %x split 0 : [3, 1, 2] to 1 inner 4 : [0, 1, 1] over @line : tensor<3x8xf32> -> tensor<6x0xf32>
  // To other sizes.
  // CHECK: hetero.all_to_all %{{.*}} split 0 : [3, 1, 2] to 0 : [1, 4, 1] over @line : tensor<3x8xf32> -> tensor<1x8xf32>
  %1 = hetero.all_to_all %x split 0 : [3, 1, 2] to 0 : [1, 4, 1] over @line : tensor<3x8xf32> -> tensor<1x8xf32>
  return %0, %1 : tensor<6x0xf32>, tensor<1x8xf32>
}

// CHECK-LABEL: func.func @started
func.func @started(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [3]>} {
  // CHECK: %[[SENT:.*]] = hetero.send %{{.*}} to 2 channel 5 : tensor<4xf32> -> !hetero.handle
  %sent = hetero.send %x to 2 channel 5 : tensor<4xf32> -> !hetero.handle
  // CHECK: %[[COMING:.*]] = hetero.recv from 2 : !hetero.handle<tensor<4xf32>>
  %coming = hetero.recv from 2 : !hetero.handle<tensor<4xf32>>
  // CHECK: %[[PARKED:.*]] = hetero.copy %{{.*}} : tensor<4xf32> -> !hetero.handle<!hetero.host<tensor<4xf32>>>
  %parked = hetero.copy %x : tensor<4xf32> -> !hetero.handle<!hetero.host<tensor<4xf32>>>
  // CHECK: hetero.wait %[[SENT]] : !hetero.handle
  hetero.wait %sent : !hetero.handle
  // CHECK: %[[HOST:.*]] = hetero.wait %[[PARKED]] : !hetero.handle<!hetero.host<tensor<4xf32>>>
  %host = hetero.wait %parked : !hetero.handle<!hetero.host<tensor<4xf32>>>
  // CHECK: hetero.copy %[[HOST]] : !hetero.host<tensor<4xf32>> -> tensor<4xf32>
  %back = hetero.copy %host : !hetero.host<tensor<4xf32>> -> tensor<4xf32>
  // CHECK: hetero.wait %[[COMING]]
  %y = hetero.wait %coming : !hetero.handle<tensor<4xf32>>
  return %y, %back : tensor<4xf32>, tensor<4xf32>
}

// What nothing waits for or uses stays, unlike what only computes.
// KEPT-LABEL: func.func @unused
func.func @unused(%x: tensor<4xf32>) {
  // KEPT-NEXT: hetero.recv from 2
  %0 = hetero.recv from 2 : tensor<4xf32>
  // KEPT-NEXT: hetero.all_reduce
  %1 = hetero.all_reduce sum %x over @line : tensor<4xf32> -> tensor<4xf32>
  // KEPT-NOT: hetero.accumulate
  %2 = hetero.accumulate sum %x into %x : tensor<4xf32>
  // KEPT-NOT: hetero.offset
  %3 = hetero.offset [3, 1, 2] over @line : tensor<i32>
  // KEPT-NOT: hetero.reshard
  %4 = hetero.reshard %x to <@line, split 0 : [1, 1, 2]> : tensor<4xf32>
  // KEPT: return
  return
}
