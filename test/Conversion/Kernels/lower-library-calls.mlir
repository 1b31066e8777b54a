// RUN: hetero-opt %s -hetero-lower-library-calls | FileCheck %s
// A second time there is nothing left to do.
// RUN: hetero-opt %s -hetero-lower-library-calls -o %t.once && hetero-opt %t.once -hetero-lower-library-calls | diff %t.once -

// CHECK-DAG: memref.global "private" constant @[[$NUMBERS:.*]] : memref<3xi64> = dense<[7, -1, 4]>
// CHECK-DAG: func.func private @f(index, index, index)
// CHECK-DAG: func.func private @g(index)

// Equal numbers are kept once.
// CHECK-LABEL: func.func @plain
func.func @plain(%a: memref<4xf32>, %b: memref<4xf32>) {
  // CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index %arg0
  // CHECK: %[[B:.*]] = memref.extract_aligned_pointer_as_index %arg1
  // CHECK: %[[TABLE:.*]] = memref.get_global @[[$NUMBERS]]
  // CHECK: %[[N:.*]] = memref.extract_aligned_pointer_as_index %[[TABLE]]
  // CHECK: call @f(%[[A]], %[[B]], %[[N]]) : (index, index, index) -> ()
  hetero.call_library @f [7, -1, 4] reads %a : memref<4xf32> writes %b : memref<4xf32>
  // CHECK: memref.get_global @[[$NUMBERS]]
  hetero.call_library @f [7, -1, 4] accumulates reads %b : memref<4xf32> writes %a : memref<4xf32>
  return
}

// The address is that of the first element.
// CHECK-LABEL: func.func @part
func.func @part(%a: memref<4xcomplex<f32>, strided<[1], offset: 3>>, %b: memref<4xi16, strided<[2], offset: ?>>) {
  // CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index %arg0
  // CHECK: %[[SKIPPED:.*]] = arith.constant 24 : index
  // CHECK: %[[FIRST:.*]] = arith.addi %[[A]], %[[SKIPPED]]
  // CHECK: %[[B:.*]] = memref.extract_aligned_pointer_as_index %arg1
  // CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %arg1
  // CHECK: %[[SIZE:.*]] = arith.constant 2 : index
  // CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %[[SIZE]]
  // CHECK: %[[SECOND:.*]] = arith.addi %[[B]], %[[BYTES]]
  // CHECK: call @f(%[[FIRST]], %[[SECOND]], %{{.*}})
  hetero.call_library @f [1]
    reads %a : memref<4xcomplex<f32>, strided<[1], offset: 3>>
    writes %b : memref<4xi16, strided<[2], offset: ?>>
  return
}

// The list is on the stack, outside of the loop.
// CHECK-LABEL: func.func @list
func.func @list(%a: memref<4xf32>, %n: index) {
  // CHECK-NEXT: %[[LIST:.*]] = memref.alloca() : memref<3xindex>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index %arg0
    // CHECK: memref.store %{{.*}}, %[[LIST]]
    // CHECK: memref.store %{{.*}}, %[[LIST]]
    // CHECK: memref.store %[[A]], %[[LIST]]
    // CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index %[[LIST]]
    // CHECK: call @g(%[[P]]) : (index) -> ()
    hetero.call_library @g [5, 6] in_list writes %a : memref<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @none
func.func @none(%a: memref<4xf32>) {
  // CHECK: call @g
  hetero.call_library @g [] in_list reads %a : memref<4xf32>
  return
}
