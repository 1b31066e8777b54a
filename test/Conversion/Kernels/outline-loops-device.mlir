// RUN: hetero-opt %s -hetero-outline-loops=device -canonicalize | FileCheck %s

// Equal loops share a function.
// CHECK-LABEL: func.func @twice(
func.func @twice(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  // CHECK: call @[[LOOP:loop.*]](%arg0, %arg1)
  // CHECK: call @[[LOOP]](%arg1, %arg2)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%b : memref<4xf32>) outs(%c : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  }
  return
}

// The device reads where the slice begins.
// CHECK-LABEL: func.func @slice(
func.func @slice(%start: memref<i32>, %a: memref<16x8xf32>, %b: memref<4x8xf32>) {
  // CHECK-NOT: memref.load
  // CHECK: call @[[SLICE:loop.*]](%{{.*}}) : (memref<
  %s = memref.load %start[] : memref<i32>
  %i = arith.index_cast %s : i32 to index
  %v = memref.subview %a[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%v : memref<4x8xf32, strided<[8, 1], offset: ?>>) outs(%b : memref<4x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// The scalar changes before its use: the host reads it in time.
// CHECK-LABEL: func.func @changed(
func.func @changed(%state: memref<f32>, %b: memref<4xf32>) {
  // CHECK: %[[OLD:.*]] = memref.load %arg0[]
  // CHECK: call @[[STORE:loop.*]](%arg0)
  // CHECK: call @{{.*}}(%[[OLD]], %arg1)
  %s = memref.load %state[] : memref<f32>
  %one = arith.constant 1.0 : f32
  memref.store %one, %state[] : memref<f32>
  linalg.fill ins(%s : f32) outs(%b : memref<4xf32>)
  return
}

// A loop over elements is one function; a loop over loops stays on the host.
// CHECK-LABEL: func.func @loops(
func.func @loops(%a: memref<4xf32>, %b: memref<4xf32>) {
  // CHECK-NOT: scf.for
  // CHECK: call @
  // CHECK: scf.for
  // CHECK: call @
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %x = memref.load %a[%i] : memref<4xf32>
    memref.store %x, %b[%i] : memref<4xf32>
  } {hetero.parallel}
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.fill ins(%zero : f32) outs(%b : memref<4xf32>)
  }
  return
}

// CHECK: func.func private @loop{{.*}} attributes {hetero.device_loop}
