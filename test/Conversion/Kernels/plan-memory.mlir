// RUN: hetero-opt %s -hetero-plan-memory | FileCheck %s

#map = affine_map<(d) -> (d)>
#trait = {indexing_maps = [#map, #map], iterator_types = ["parallel"]}

// The first and the third temporary share their place.
// CHECK: func.func @chain
// CHECK: %[[MEMORY:.*]] = memref.alloc() : memref<128xi8>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[MEMORY]][%[[ZERO]]][] : memref<128xi8> to memref<16xf32>
// CHECK: %[[SECOND:.*]] = arith.constant 64 : index
// CHECK: memref.view %[[MEMORY]][%[[SECOND]]][] : memref<128xi8> to memref<16xf32>
// CHECK: %[[THIRD:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[MEMORY]][%[[THIRD]]][] : memref<128xi8> to memref<16xf32>
// CHECK: memref.dealloc %[[MEMORY]]
// CHECK-NEXT: return
func.func @chain(%x: memref<16xf32>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.generic #trait ins(%x : memref<16xf32>) outs(%a : memref<16xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  %b = memref.alloc() : memref<16xf32>
  linalg.generic #trait ins(%a : memref<16xf32>) outs(%b : memref<16xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  %c = memref.alloc() : memref<16xf32>
  linalg.generic #trait ins(%b : memref<16xf32>) outs(%c : memref<16xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  memref.copy %c, %y : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return
}

// Before anything is freed, the block is not either.
// CHECK: func.func @unfreed
// CHECK: memref.alloc() : memref<64xi8>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
func.func @unfreed(%x: memref<16xf32>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.generic #trait ins(%x : memref<16xf32>) outs(%a : memref<16xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  memref.copy %a, %y : memref<16xf32> to memref<16xf32>
  return
}

// What is read through a view, or in a loop, is in use until then.
// CHECK: func.func @views
// CHECK: memref.alloc() : memref<128xi8>
func.func @views(%x: memref<16xf32>, %y: memref<16xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %x, %b : memref<16xf32> to memref<16xf32>
  scf.for %i = %zero to %four step %one {
    %e = memref.load %v[%i, %i] : memref<4x4xf32>
    memref.store %e, %y[%i] : memref<16xf32>
  }
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// A block whose address is taken stays as it is: nobody knows when it is used.
// CHECK: func.func @address
// CHECK: memref.alloc() : memref<64xi8>
// CHECK: memref.alloc() : memref<16xf32>
func.func private @use(index)
func.func @address(%x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %b = memref.alloc() : memref<16xf32>
  memref.copy %x, %b : memref<16xf32> to memref<16xf32>
  func.call @use(%p) : (index) -> ()
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// What a branch hands on or frees is not planned.
// CHECK: func.func @branch
// CHECK-NOT: memref.view
// CHECK: return
func.func @branch(%c: i1, %x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %r = arith.select %c, %a, %b : memref<16xf32>
  memref.copy %x, %r : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  scf.if %c {
    memref.dealloc %d : memref<16xf32>
  }
  return
}

#pair = {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}

// An update takes the place of its operand, as was decided.
// CHECK: func.func @update(%[[P:.*]]: memref<4xf32>, %[[G:.*]]: memref<4xf32>, %[[OUT:.*]]: memref<4xf32>)
// CHECK-SAME: hetero.in_place = array<i64: 0, 0>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[G]] : {{.*}}) outs(%[[P]] : memref<4xf32>)
func.func @update(%p: memref<4xf32>, %g: memref<4xf32>, %out: memref<4xf32> {hetero.result})
    attributes {hetero.in_place = array<i64: 0, 0>} {
  linalg.generic #pair ins(%p, %g : memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// Refused if it is read again later, or if elements are read at other places
// than they are written: nobody decides so.
// CHECK: func.func @read_later
// CHECK-NOT: hetero.in_place
// CHECK: func.func @reversed
// CHECK-NOT: hetero.in_place
// CHECK: func.func @before
func.func @read_later(%p: memref<4xf32>, %other: memref<4xf32>, %out: memref<4xf32> {hetero.result})
    attributes {hetero.in_place = array<i64: 0, 0>} {
  linalg.generic #trait ins(%p : memref<4xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  memref.copy %p, %other : memref<4xf32> to memref<4xf32>
  return
}
func.func @reversed(%p: memref<4xf32>, %out: memref<4xf32> {hetero.result})
    attributes {hetero.in_place = array<i64: 0, 0>} {
  linalg.generic {indexing_maps = [affine_map<(d) -> (3 - d)>, #map], iterator_types = ["parallel"]}
      ins(%p : memref<4xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// What is read before anything is written can be of any use.
// CHECK-SAME: hetero.in_place = array<i64: 0, 0>
func.func @before(%p: memref<4xf32>, %s: memref<f32>, %out: memref<4xf32> {hetero.result})
    attributes {hetero.in_place = array<i64: 0, 0>} {
  linalg.generic {indexing_maps = [#map, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
      ins(%p : memref<4xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d) -> ()>, #map], iterator_types = ["parallel"]}
      ins(%s : memref<f32>) outs(%out : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// Without a decision nothing is in place.
// CHECK: func.func @undecided
// CHECK-NOT: hetero.in_place
// CHECK: linalg.generic {{.*}} outs(%arg1 : memref<4xf32>)
func.func @undecided(%p: memref<4xf32>, %out: memref<4xf32> {hetero.result}) {
  linalg.generic #trait ins(%p : memref<4xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
