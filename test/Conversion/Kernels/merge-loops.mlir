// RUN: hetero-opt %s -hetero-merge-loops | FileCheck %s -enable-var-scope

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#scalar = affine_map<(d0, d1) -> ()>

// The moment is written, and used from a register.
// CHECK-LABEL: func.func @update
// CHECK-SAME: %[[P:.*]]: memref<8x8xf32>, %[[M:.*]]: memref<8x8xf32>, %[[G:.*]]: memref<8x8xf32>, %[[P1:.*]]: memref<8x8xf32>, %[[M1:.*]]: memref<8x8xf32>
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[M]], %[[G]], %[[P]] : {{.*}}) outs(%[[M1]], %[[P1]] : {{.*}})
// CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32, %[[GRAD:.*]]: f32, %[[PARAM:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[GRAD]]
// CHECK-NEXT: %[[RESULT:.*]] = arith.subf %[[PARAM]], %[[NEW]]
// CHECK-NEXT: linalg.yield %[[NEW]], %[[RESULT]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @update(%p: memref<8x8xf32>, %m: memref<8x8xf32>, %g: memref<8x8xf32>, %p1: memref<8x8xf32>, %m1: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%m, %g : memref<8x8xf32>, memref<8x8xf32>) outs(%m1 : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%p, %m1 : memref<8x8xf32>, memref<8x8xf32>) outs(%p1 : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// Both read one buffer; the second one writes what the first one has read.
// CHECK-LABEL: func.func @siblings
// CHECK-SAME: %[[X:.*]]: memref<8x8xf32>, %[[Y:.*]]: memref<8x8xf32>, %[[A:.*]]: memref<8x8xf32>
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[A]], %[[Y]] : {{.*}})
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @siblings(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %a: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  return
}

// A sum between them needs all of what the first one writes.
// CHECK-LABEL: func.func @read_between
// CHECK-COUNT-3: linalg.generic
func.func @read_between(%x: memref<8x8xf32>, %a: memref<8x8xf32>, %s: memref<8xf32>, %b: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<8x8xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %o : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]} ins(%a, %s : memref<8x8xf32>, memref<8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.divf %i, %j : f32
    linalg.yield %0 : f32
  }
  return
}

// What the first one reads is another value afterwards.
// CHECK-LABEL: func.func @written_between
// CHECK-COUNT-2: linalg.generic
func.func @written_between(%x: memref<8x8xf32>, %z: memref<8x8xf32>, %a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  memref.copy %z, %x : memref<8x8xf32> to memref<8x8xf32>
  linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%a, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  }
  return
}

// Another iteration writes what this one reads.
// CHECK-LABEL: func.func @other_element
// CHECK-COUNT-2: linalg.generic
func.func @other_element(%x: memref<8x8xf32>, %a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#turned, #same], iterator_types = ["parallel", "parallel"]} ins(%a : memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  return
}

// A call may do anything with the address.
// CHECK-LABEL: func.func @address_taken
// CHECK-COUNT-3: linalg.generic
func.func @address_taken(%x: memref<8x8xf32>, %a: memref<8x8xf32>, %b: memref<8x8xf32>) -> index {
  %address = memref.extract_aligned_pointer_as_index %a : memref<8x8xf32> -> index
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%a : memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  return %address : index
}

// One number is not worth it.
// CHECK-LABEL: func.func @little_in_common
// CHECK-COUNT-2: linalg.generic
func.func @little_in_common(%s: memref<f32>, %x: memref<8x8xf32>, %y: memref<8x8xf32>, %a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#scalar, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%s, %x : memref<f32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#scalar, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%s, %y : memref<f32>, memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32
  }
  return
}

// What the first one reads would have to be kept while most memory is in use.
// CHECK-LABEL: func.func @no_room
// CHECK-COUNT-2: linalg.generic
func.func @no_room(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<8x8xf32>)
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%t : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  %u = memref.alloc() : memref<8x8xf32>
  %v = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%u : memref<8x8xf32>)
  memref.copy %u, %v : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %v, %c : memref<8x8xf32> to memref<8x8xf32>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%a : memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  }
  return
}
