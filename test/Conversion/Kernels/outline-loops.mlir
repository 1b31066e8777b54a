// RUN: hetero-opt %s -hetero-outline-loops | FileCheck %s

#map = affine_map<(d) -> (d)>
#trait = {indexing_maps = [#map, #map], iterator_types = ["parallel"]}

// Equal loops are one function.
// CHECK: func.func @squares
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>, %[[C:.*]]: memref<4xf32>)
// CHECK-SAME: attributes {passthrough = ["noinline", "optnone"]}
func.func @squares(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  // CHECK-NEXT: call @[[SQUARE:.*]](%[[A]], %[[B]])
  // CHECK-NEXT: call @[[SQUARE]](%[[B]], %[[C]])
  // CHECK-NEXT: call @[[TWICE:.*]](%[[C]], %[[A]])
  linalg.generic #trait ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %x : f32
    linalg.yield %p : f32
  }
  linalg.generic #trait ins(%b : memref<4xf32>) outs(%c : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %x : f32
    linalg.yield %p : f32
  }
  linalg.generic #trait ins(%c : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %x : f32
    linalg.yield %p : f32
  }
  return
}

// Loops over single elements are functions as well.
// CHECK: func.func @own_loop
// CHECK-SAME: attributes {passthrough = ["noinline", "optnone"]}
// CHECK-NOT: scf.for
// CHECK: call @[[COPY:.*]](%{{.*}}, %{{.*}})
// CHECK: call @[[SQUARE]](%{{.*}}, %{{.*}})
func.func @own_loop(%a: memref<4xf32>, %b: memref<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    %x = memref.load %a[%i] : memref<4xf32>
    memref.store %x, %b[%i] : memref<4xf32>
  }
  linalg.generic #trait ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %x : f32
    linalg.yield %p : f32
  }
  return
}

// A function that loops for another reason is left to LLVM.
// CHECK: func.func @waiting
// CHECK-NOT: passthrough
// CHECK: scf.while
func.func @waiting(%a: memref<4xf32>) {
  %zero = arith.constant 0 : index
  scf.while : () -> () {
    %x = memref.load %a[%zero] : memref<4xf32>
    %c = arith.cmpf ogt, %x, %x : f32
    scf.condition(%c)
  } do {
    scf.yield
  }
  linalg.generic #trait ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %x : f32
    linalg.yield %p : f32
  }
  return
}

// The view of a part is made inside of the function.
// CHECK: func.func @part
// CHECK: call @[[PART:.*]](%{{.*}}, %{{.*}}) : (memref<8xf32>, memref<4xf32>) -> ()
func.func @part(%a: memref<8xf32>, %b: memref<4xf32>) {
  %v = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.generic #trait ins(%v : memref<4xf32, strided<[1], offset: 4>>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %x : f32
    linalg.yield %p : f32
  }
  return
}

// CHECK: func.func private @[[SQUARE]](%{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {llvm.noalias})
// CHECK-SAME: attributes {passthrough = ["noinline"]}
// CHECK: arith.mulf
// CHECK: func.func private @[[TWICE]]
// CHECK: arith.addf
// CHECK: func.func private @[[COPY]]
// CHECK: scf.for
// CHECK: func.func private @[[PART]]
// CHECK: memref.subview %{{.*}}[4] [4] [1]
