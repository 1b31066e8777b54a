// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s -emit-bytecode | hetero-opt | FileCheck %s

// CHECK-LABEL: func.func @calls
func.func @calls(%a: memref<4x8xf32>, %b: memref<8x6xf32, strided<[1, 8]>>, %c: memref<?xcomplex<f64>>) {
  // CHECK: hetero.call_library @f [1, -2, 3] reads %arg0, %arg1 : memref<4x8xf32>, memref<8x6xf32, strided<[1, 8]>> writes %arg2 : memref<?xcomplex<f64>>
  hetero.call_library @f [1, -2, 3] reads %a, %b : memref<4x8xf32>, memref<8x6xf32, strided<[1, 8]>>
    writes %c : memref<?xcomplex<f64>>
  // CHECK: hetero.call_library @f [] accumulates in_list writes %arg2 : memref<?xcomplex<f64>>
  hetero.call_library @f [] accumulates in_list writes %c : memref<?xcomplex<f64>>
  // CHECK: hetero.call_library @f [4]{{$}}
  hetero.call_library @f [4]
  return
}
