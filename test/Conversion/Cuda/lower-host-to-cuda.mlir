// RUN: hetero-opt %s -hetero-lower-host-to-cuda | FileCheck %s

// CHECK-DAG: llvm.mlir.global private constant @[[$NAME:.*]]("negate\00")
// CHECK-DAG: llvm.mlir.global private constant @image_sm_80("code")
// CHECK-DAG: llvm.mlir.global private constant @images()
// CHECK: llvm.mlir.constant(80 : i64)

module attributes {gpu.container_module} {
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "code">]

memref.global "private" constant @numbers : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
func.func private @use(index)

// CHECK-LABEL: func.func @main(
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>, %p: memref<3xi1>, %s: f32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK: %[[SLOTS:.*]] = llvm.alloca %{{.*}} x i64
  // CHECK: llvm.getelementptr %[[SLOTS]][0]
  // CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index %arg0
  // CHECK: %[[WORD:.*]] = arith.index_cast %[[A]] : index to i64
  // CHECK: llvm.store %[[WORD]]
  // CHECK: arith.bitcast %arg3 : f32 to i32
  // CHECK: %[[IMAGES:.*]] = llvm.mlir.addressof @images
  // CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @[[$NAME]]
  // CHECK: call @hetero_cuda_launch(%[[IMAGES]], %[[KERNEL]], %{{.*}}, %{{.*}}, %[[SLOTS]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
  gpu.launch_func @kernels::@negate blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1) args(%a : memref<4xf32>, %s : f32)
  // CHECK: %[[BYTES:.*]] = arith.constant 16 : i64
  // CHECK: call @hetero_cuda_copy(%{{.*}}, %{{.*}}, %[[BYTES]])
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  // CHECK: %[[READ:.*]] = call @hetero_cuda_read(%{{.*}}, %{{.*}}) : (i64, i64) -> i64
  // CHECK: arith.trunci %[[READ]] : i64 to i1
  %0 = memref.load %p[%c2] : memref<3xi1>
  scf.if %0 {
    // CHECK: memref.get_global @numbers
    // CHECK: %[[MEMORY:.*]] = func.call @hetero_cuda_constant(%{{.*}}, %{{.*}}) : (i64, i64) -> !llvm.ptr
    // CHECK: %[[ON_DEVICE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<3xf32>
    // CHECK: memref.extract_aligned_pointer_as_index %[[ON_DEVICE]]
    %1 = memref.get_global @numbers : memref<3xf32>
    %2 = memref.extract_aligned_pointer_as_index %1 : memref<3xf32> -> index
    func.call @use(%2) : (index) -> ()
  }
  // Who needs addresses takes them later.
  // CHECK: hetero.call_library @hetero_cuda_gemm [1, 2] reads %arg0 : memref<4xf32>
  hetero.call_library @hetero_cuda_gemm [1, 2] reads %a : memref<4xf32>
  return
}
}
