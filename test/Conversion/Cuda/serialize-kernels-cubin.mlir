// REQUIRES: ptxas
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80,sm_90" | FileCheck %s
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80,sm_90" -o %t.first
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80,sm_90" -o %t.second
// RUN: cmp %t.first %t.second
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_60,sm_90,sm_60" | FileCheck %s --check-prefix=OLD
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_90a" | FileCheck %s --check-prefix=ALONE

// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, bin = "\7FELF
// The PTX of the oldest is for devices that no cubin is for.
// CHECK-SAME: #gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, assembly = "
// CHECK-SAME: .target sm_80
// CHECK-SAME: #gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">, bin = "\7FELF

// What ptxas has dropped is PTX at once; each architecture comes once.
// OLD: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_60", features = "+ptx63">, assembly = "
// OLD-SAME: .target sm_60
// OLD-SAME: #gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">, bin = "\7FELF
// OLD-NOT: #gpu.object

// No other device runs PTX for sm_90a.
// ALONE: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">, bin = "\7FELF
// ALONE-NOT: #gpu.object

gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @exponential(%a: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %a : !llvm.ptr -> f32
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %y, %a : f32, !llvm.ptr
    llvm.return
  }
}
