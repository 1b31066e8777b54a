// RUN: hetero-opt %s -hetero-outline-loops | FileCheck %s

#map = affine_map<(d) -> (d)>
#trait = {indexing_maps = [#map, #map], iterator_types = ["parallel"]}

// Equal loops are one function.
// CHECK-LABEL: func.func @squares
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>, %[[C:.*]]: memref<4xf32>)
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

// CHECK: func.func private @[[SQUARE]](%{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {llvm.noalias})
// CHECK: arith.mulf
// CHECK: func.func private @[[TWICE]]
// CHECK: arith.addf
