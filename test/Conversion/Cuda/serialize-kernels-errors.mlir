// RUN: not hetero-opt %s -hetero-serialize-kernels 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not hetero-opt %s -hetero-serialize-kernels="arch=sm_80,sm_12345" 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not hetero-opt %s -hetero-serialize-kernels="arch=sm_80 format=exe" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not hetero-opt %s -hetero-serialize-kernels="arch=sm_80 format=ptx" 2>&1 | FileCheck %s --check-prefix=SELECT

// NONE: error: no architecture is given, for instance arch=sm_80,sm_90
// ARCH: error: architecture 'sm_12345' is not known; known are sm_60, sm_61, sm_62, sm_70, sm_72, sm_75, sm_80,
// FORMAT: error: format 'exe' is none of 'cubin', 'ptx' and 'llvm'
// SELECT: [[@LINE+5]]:{{[0-9]+}}: error: 'llvm.intr.exp' of 'f32' is not supported on CUDA

gpu.module @kernels {
  llvm.func @exponential(%a: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %a : !llvm.ptr -> f32
    %y = llvm.intr.exp(%x) : (f32) -> f32
    llvm.store %y, %a : f32, !llvm.ptr
    llvm.return
  }
}
