// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80 format=ptx" | FileCheck %s --check-prefix=PTX
// RUN: hetero-opt %s -hetero-serialize-kernels="arch=sm_80 format=llvm" | FileCheck %s --check-prefix=LLVM

// What other tools compile or run.
// LLVM: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, offload = "; ModuleID
// LLVM-SAME: define ptx_kernel void @square(

// PTX: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, assembly = "
// PTX-SAME: .target sm_80
// PTX-SAME: .visible .entry square(

gpu.module @kernels {
  llvm.func @square(%a: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %a : !llvm.ptr -> f32
    %y = llvm.fmul %x, %x : f32
    llvm.store %y, %a : f32, !llvm.ptr
    llvm.return
  }
}
