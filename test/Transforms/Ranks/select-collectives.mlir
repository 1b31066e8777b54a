// RUN: hetero-opt %s --split-input-file --hetero-select-collectives -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// What was chosen stays, and the programs match.
// RUN: hetero-opt %t.mlir --split-input-file --hetero-select-collectives | diff %t.mlir -
// RUN: hetero-opt %t.mlir --split-input-file --hetero-verify -o /dev/null
// RUN: hetero-opt %s --split-input-file --hetero-select-collectives="buckets=false overlap=false" | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: bucket
// PLAIN-NOT: !hetero.handle<

// Without a cluster: padded while that moves at most a quarter more; a sum is
// left to the runtime.

hetero.mesh @all = [0, 1]

// CHECK-LABEL: func.func @rank0
// CHECK: hetero.all_gather {{.*}} split 0 : [3, 4] over @all algorithm padded
// CHECK: hetero.all_gather {{.*}} split 0 : [1, 6] over @all algorithm grouped
// CHECK: hetero.all_gather {{.*}} split 0 : [2, 2] over @all channel 2 :
// CHECK: hetero.reduce_scatter sum {{.*}} split 0 : [1, 6] over @all algorithm ring
// CHECK: hetero.all_reduce sum {{.*}} over @all :
func.func @rank0(%a: tensor<3xf32>, %b: tensor<1xf32>, %c: tensor<2xf32>)
    -> (tensor<7xf32>, tensor<7xf32>, tensor<4xf32>, tensor<1xf32>, tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = hetero.all_gather %a split 0 : [3, 4] over @all : tensor<3xf32> -> tensor<7xf32>
  %1 = hetero.all_gather %b split 0 : [1, 6] over @all channel 1 : tensor<1xf32> -> tensor<7xf32>
  %2 = hetero.all_gather %c split 0 : [2, 2] over @all channel 2 : tensor<2xf32> -> tensor<4xf32>
  %3 = hetero.reduce_scatter sum %0 split 0 : [1, 6] over @all algorithm ring : tensor<7xf32> -> tensor<1xf32>
  %4 = hetero.all_reduce sum %2 over @all : tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<7xf32>, tensor<7xf32>, tensor<4xf32>, tensor<1xf32>, tensor<4xf32>
}
func.func @rank1(%a: tensor<4xf32>, %b: tensor<6xf32>, %c: tensor<2xf32>)
    -> (tensor<7xf32>, tensor<7xf32>, tensor<4xf32>, tensor<6xf32>, tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [1]>} {
  %0 = hetero.all_gather %a split 0 : [3, 4] over @all : tensor<4xf32> -> tensor<7xf32>
  %1 = hetero.all_gather %b split 0 : [1, 6] over @all channel 1 : tensor<6xf32> -> tensor<7xf32>
  %2 = hetero.all_gather %c split 0 : [2, 2] over @all channel 2 : tensor<2xf32> -> tensor<4xf32>
  %3 = hetero.reduce_scatter sum %0 split 0 : [1, 6] over @all algorithm ring : tensor<7xf32> -> tensor<6xf32>
  %4 = hetero.all_reduce sum %2 over @all : tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<7xf32>, tensor<7xf32>, tensor<4xf32>, tensor<6xf32>, tensor<4xf32>
}

// -----

// By cost: 12 MB in parts of 1, 1 and 10 MB are better grouped, 30 bytes padded
// (the worked example of the cost model); a large sum goes around the ring, a
// small one up and down a tree.

hetero.cluster @lab {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  hetero.node @n1 [1 x @t4]
  hetero.node @n2 [1 x @t4]
  hetero.node @n3 [1 x @t4]
  hetero.node @n4 [1 x @t4]
  hetero.switch @lan joins [@n0, @n1, @n2, @n3, @n4] by <ethernet, 500 MB/s, 5 us>
}
hetero.mesh @all = [0, 1, 2]
hetero.mesh @five = [0, 1, 2, 3, 4]

// CHECK-LABEL: func.func private @unit
// CHECK: hetero.all_gather {{.*}} over @all algorithm grouped
// CHECK: hetero.all_gather {{.*}} over @all algorithm padded
// CHECK: hetero.all_reduce sum {{.*}} over @five algorithm ring
// CHECK: hetero.all_reduce sum {{.*}} over @five algorithm tree
func.func private @unit(%a: tensor<1000000xi8>, %b: tensor<11xi8>, %c: tensor<1000000xf32>, %d: tensor<f32>)
    -> (tensor<12000000xi8>, tensor<30xi8>, tensor<1000000xf32>, tensor<f32>) {
  %0 = hetero.all_gather %a split 0 : [1000000, 1000000, 10000000] over @all : tensor<1000000xi8> -> tensor<12000000xi8>
  %1 = hetero.all_gather %b split 0 : [11, 9, 10] over @all : tensor<11xi8> -> tensor<30xi8>
  %2 = hetero.all_reduce sum %c over @five : tensor<1000000xf32> -> tensor<1000000xf32>
  %3 = hetero.all_reduce sum %d over @five : tensor<f32> -> tensor<f32>
  return %0, %1, %2, %3 : tensor<12000000xi8>, tensor<30xi8>, tensor<1000000xf32>, tensor<f32>
}
func.func @rank0() attributes {hetero.program = #hetero.program<on [0]>} {
  return
}

// -----

// Sums that follow each other are one transfer; what stands between goes before
// them. A large one stays alone, as packing it takes longer than what is saved.

hetero.cluster @lab {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 100 GB/s
  hetero.node @n0 [2 x @t4] link <pcie, 10 GB/s, 5 us>
}
hetero.mesh @all = [0, 1]

// CHECK-LABEL: func.func @rank0
// CHECK: stablehlo.negate
// CHECK-NEXT: hetero.all_reduce sum {{.*}} algorithm ring bucket 0
// CHECK-NEXT: hetero.all_reduce sum {{.*}} algorithm ring bucket 0
// CHECK-NEXT: hetero.all_reduce sum
// CHECK-NOT: bucket
// CHECK-SAME: tensor<1000000xf32>
// CHECK-NEXT: hetero.all_reduce sum {{.*}} algorithm ring bucket 1
// CHECK-NEXT: hetero.all_reduce sum {{.*}} algorithm ring bucket 1
// CHECK-LABEL: func.func @rank1
// CHECK: bucket 0
// CHECK-NEXT: bucket 0
// CHECK: bucket 1
// CHECK-NEXT: bucket 1
func.func @rank0(%a: tensor<4xf32>, %b: tensor<9xf32>, %c: tensor<1000000xf32>)
    -> (tensor<4xf32>, tensor<9xf32>, tensor<1000000xf32>, tensor<4xf32>, tensor<9xf32>)
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %n = stablehlo.negate %b : tensor<9xf32>
  %1 = hetero.all_reduce sum %n over @all : tensor<9xf32> -> tensor<9xf32>
  %2 = hetero.all_reduce sum %c over @all : tensor<1000000xf32> -> tensor<1000000xf32>
  %3 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %4 = hetero.all_reduce sum %b over @all : tensor<9xf32> -> tensor<9xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<9xf32>, tensor<1000000xf32>, tensor<4xf32>, tensor<9xf32>
}
func.func @rank1(%a: tensor<4xf32>, %b: tensor<9xf32>, %c: tensor<1000000xf32>)
    -> (tensor<4xf32>, tensor<9xf32>, tensor<1000000xf32>, tensor<4xf32>, tensor<9xf32>)
    attributes {hetero.program = #hetero.program<on [1]>} {
  %0 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %1 = hetero.all_reduce sum %b over @all : tensor<9xf32> -> tensor<9xf32>
  %2 = hetero.all_reduce sum %c over @all : tensor<1000000xf32> -> tensor<1000000xf32>
  %3 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %4 = hetero.all_reduce sum %b over @all : tensor<9xf32> -> tensor<9xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<9xf32>, tensor<1000000xf32>, tensor<4xf32>, tensor<9xf32>
}

// -----

// What one member cannot put together, none does: rank 1 sends between its
// sums. And a sum that uses another one waits for it.

hetero.mesh @all = [0, 1]

// CHECK-LABEL: func.func @rank0
// CHECK-NOT: bucket
func.func @rank0(%a: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %1 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %2 = hetero.all_reduce sum %1 over @all : tensor<4xf32> -> tensor<4xf32>
  %3 = hetero.recv from 1 : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func @rank1(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [1]>} {
  %0 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %s = hetero.send %0 to 0 : tensor<4xf32> -> !hetero.handle
  %1 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %2 = hetero.all_reduce sum %1 over @all : tensor<4xf32> -> tensor<4xf32>
  hetero.wait %s : !hetero.handle
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The gather goes on behind the call that does not need it.

hetero.mesh @all = [0, 1]

func.func private @work(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @rank0
// CHECK: %[[COMING:.*]] = hetero.all_gather {{.*}} -> !hetero.handle<tensor<4xf32>>
// CHECK-NEXT: %[[DONE:.*]] = call @work
// CHECK-NEXT: %[[ALL:.*]] = hetero.wait %[[COMING]]
// CHECK-NEXT: stablehlo.add %[[ALL]], %[[DONE]]
func.func @rank0(%a: tensor<2xf32>, %b: tensor<4xf32>) -> tensor<4xf32>
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = hetero.all_gather %a split 0 : [2, 2] over @all : tensor<2xf32> -> tensor<4xf32>
  %1 = call @work(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// CHECK-LABEL: func.func @rank1
// CHECK: %[[ALL:.*]] = hetero.all_gather {{.*}} -> tensor<4xf32>
func.func @rank1(%a: tensor<2xf32>) -> tensor<4xf32>
    attributes {hetero.program = #hetero.program<on [1]>} {
  %0 = hetero.all_gather %a split 0 : [2, 2] over @all : tensor<2xf32> -> tensor<4xf32>
  %1 = call @work(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What uses the first sum cannot stand before it, so only two are joined.

hetero.mesh @all = [0, 1]

// CHECK-LABEL: func.func @rank0
// CHECK: all_reduce {{.*}} bucket 0
// CHECK-NEXT: all_reduce {{.*}} bucket 0
// CHECK-NEXT: negate
// CHECK-NEXT: all_reduce
// CHECK-NOT: bucket
// CHECK-LABEL: func.func @rank1
func.func @rank0(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %1 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %2 = stablehlo.negate %0 : tensor<4xf32>
  %3 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
func.func @rank1(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {hetero.program = #hetero.program<on [1]>} {
  %0 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %1 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  %2 = stablehlo.negate %0 : tensor<4xf32>
  %3 = hetero.all_reduce sum %a over @all : tensor<4xf32> -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
