// RUN: hetero-opt %s -hetero-parallelize-loops='min-work=64' -split-input-file | FileCheck %s

#map = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Dimensions are joined, and the bounds of the loop are arguments.
// CHECK: func.func @main(%[[A:.*]]: memref<8x8xf32>, %[[B:.*]]: memref<8x8xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 64 : index
// CHECK: call @square(%[[ZERO]], %[[SIZE]], %[[A]], %[[B]])
func.func @main(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  call @square(%a, %b) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  return
}
// CHECK: func.func private @square(%[[BEGIN:.*]]: index, %[[END:.*]]: index, %{{.*}}: memref<8x8xf32> {llvm.noalias}, %{{.*}}: memref<8x8xf32> {llvm.noalias})
// CHECK-SAME: hetero.pieces
// CHECK: memref.collapse_shape
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK-NOT: scf.for
// CHECK: return
func.func private @square(%a: memref<8x8xf32> {llvm.noalias}, %b: memref<8x8xf32> {llvm.noalias}) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %x : f32
    linalg.yield %p : f32
  }
  return
}

// A sum over rows is cut along its columns.
// CHECK: func.func private @column_sums(%[[BEGIN:.*]]: index, %[[END:.*]]: index,
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func private @column_sums(%a: memref<16x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [#map, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<16x8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    linalg.yield %p : f32
  }
  return
}

// CHECK: func.func private @row_sums(%[[BEGIN:.*]]: index, %[[END:.*]]: index,
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func private @row_sums(%a: memref<16x8xf32>, %b: memref<16xf32>) {
  linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<16x8xf32>) outs(%b : memref<16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    linalg.yield %p : f32
  }
  return
}

// A transpose runs in blocks, of which each thread has some rows.
// CHECK: func.func private @transpose(%[[BEGIN:.*]]: index, %[[END:.*]]: index,
// CHECK: %[[BLOCK:.*]] = arith.constant 32 : index
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} {
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c128{{.*}} step
// CHECK: scf.for %{{.*}} = %[[I]] to
// CHECK: scf.for %{{.*}} = %[[J]] to
// CHECK: memref.store
func.func private @transpose(%a: memref<128x64xf32>, %b: memref<64x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<128x64xf32>) outs(%b : memref<64x128xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// One sum is one piece, and so is a loop with little to do.
// CHECK: func.func private @total(%{{.*}}: memref<64xf32>
// CHECK: linalg.generic
func.func private @total(%a: memref<64xf32>, %b: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%b : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    linalg.yield %p : f32
  }
  return
}

// CHECK: func.func private @short(%{{.*}}: memref<8xf32>
// CHECK: linalg.generic
func.func private @short(%a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// Of a nest, the loop that is marked is cut: rows may meet, columns do not.
// CHECK: func.func private @scatter(%[[BEGIN:.*]]: index, %[[END:.*]]: index,
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func private @scatter(%a: memref<16x8xf32>, %at: memref<16xindex>, %b: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %row = memref.load %at[%i] : memref<16xindex>
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %a[%i, %j] : memref<16x8xf32>
      %y = memref.load %b[%row, %j] : memref<4x8xf32>
      %s = arith.addf %x, %y : f32
      memref.store %s, %b[%row, %j] : memref<4x8xf32>
    } {hetero.parallel}
  }
  return
}

// A store outside of the loop would be done by every thread.
// CHECK: func.func private @outside(%{{.*}}: memref<16x8xf32>
func.func private @outside(%b: memref<16x8xf32>, %c: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %x = memref.load %c[%i] : memref<16xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %c[%i] : memref<16xf32>
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %y, %b[%i, %j] : memref<16x8xf32>
    } {hetero.parallel}
  }
  return
}
