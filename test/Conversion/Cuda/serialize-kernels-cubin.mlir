// REQUIRES: ptxas
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80,sm_90" | FileCheck %s
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80,sm_90" -o %t.first
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80,sm_90" -o %t.second
// RUN: cmp %t.first %t.second

// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, bin = "\7FELF
// CHECK-SAME: #gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">, bin = "\7FELF

gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @exponential(%a: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %a : !llvm.ptr -> f32
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %y, %a : f32, !llvm.ptr
    llvm.return
  }
}
