//===- Passes.td - From kernels to CUDA devices ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_CONVERSION_CUDA_PASSES_TD
#define HETERO_CONVERSION_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToCublasPass : Pass<"hetero-lower-to-cublas", "::mlir::ModuleOp"> {
  let summary = "Calls cuBLAS for contractions";
  let description = [{
    The counterpart of `hetero-lower-contractions` for CUDA: a linalg.generic
    with `hetero.contraction` on buffers of f16, bf16, f32 or f64 becomes a
    `hetero.call_library` of `hetero_cuda_gemm` (hetero/Runtime/Cuda.h), with
    numbers that say which dimensions are rows, columns, summed and the batch, and
    which are loops around the multiplication. Transposed and strided operands need no copies as
    long as their elements are neighbours in one direction. It is decided here
    and not by the runtime, because what cuBLAS does not take has to become a
    kernel.

    ```mlir
    linalg.generic {indexing_maps = [...], hetero.contraction}
      ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) {...}
    // becomes
    hetero.call_library @hetero_cuda_gemm
      [11, 11, 0,  1, 4, 6, 8,  0, 8, 1,  0, 6, 1,  0, 6, 1,  0] accumulates
      reads %a, %b : memref<4x8xf32>, memref<8x6xf32> writes %c : memref<4x6xf32>
    ```
  }];
  let dependentDialects = ["::hetero::HeteroDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of calls">,
    Statistic<"numLoops", "num-loops", "Number of contractions that stay loops">
  ];
}

def MapToGpuPass : Pass<"hetero-map-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Maps loops to blocks and threads";
  let description = [{
    Each function that `hetero-outline-loops{device}` made becomes a kernel of
    the module @kernels, and each call a launch. Blocks have 256 threads. A
    thread computes one result, with reductions in its registers; where a
    reduction is long and its combiner is one operation with a neutral value, a
    block computes one result and its threads share the reduction; what cannot
    be shared runs on one thread.

    ```mlir
    func.func private @loop(%a: memref<1000xf32>, %b: memref<1000xf32>)
        attributes {hetero.device_loop} {
      linalg.generic ... ins(%a : ...) outs(%b : ...) {...}
      return
    }
    call @loop(%x, %y) : (memref<1000xf32>, memref<1000xf32>) -> ()
    // becomes
    gpu.launch_func @kernels::@loop blocks in (%c4, %c1, %c1)
      threads in (%c256, %c1, %c1) args(%x : memref<1000xf32>, %y : memref<1000xf32>)
    gpu.module @kernels {
      gpu.func @loop(%a: memref<1000xf32>, %b: memref<1000xf32>) kernel {...}
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels">,
    Statistic<"numLaunches", "num-launches", "Number of launches">
  ];
}

def SerializeKernelsPass
    : Pass<"hetero-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Compiles kernels for CUDA devices";
  let description = [{
    A module of kernels in the LLVM and NVVM dialects becomes machine code, once
    for each architecture: PTX by LLVM, a cubin from it by ptxas; for those that
    ptxas does not know (that of CUDA 13 none before sm_75) PTX, which the driver
    compiles. With cubins goes the PTX of the oldest architecture, for devices
    that no cubin runs on. It differs from MLIR's gpu-module-to-binary in that
    architectures are checked before LLVM sees them, in what it says when the
    toolkit is missing, and in that the result depends on the input alone. Without the toolkit there is `format=ptx`,
    in which functions of libdevice such as `__nv_expf` stay undefined.
    `format=llvm` stops before LLVM chooses instructions: what tools read that run
    kernels without a GPU.

    ```mlir
    gpu.module @kernels { llvm.func @k(...) attributes {gpu.kernel, nvvm.kernel} {...} }
    // becomes, with arch=sm_80,sm_90
    gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, bin = "...">,
                         #gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">, assembly = "...">,
                         #gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">, bin = "...">]
    ```
  }];
  let options = [
    ListOption<"arch", "arch", "std::string",
               "Architectures to compile for: sm_80,sm_90">,
    Option<"format", "format", "std::string", /*default=*/"\"cubin\"",
           "What kernels become: cubin (by ptxas), ptx, or llvm (IR of LLVM, with libdevice, for tools)">,
    Option<"toolkit", "toolkit", "std::string", /*default=*/"\"\"",
           "Directory of the CUDA toolkit; searched for if empty">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect"];
  let statistics = [
    Statistic<"numImages", "num-images", "Number of cubins and texts of PTX">
  ];
}

def LowerHostToCudaPass
    : Pass<"hetero-lower-host-to-cuda", "::mlir::ModuleOp"> {
  let summary = "Makes launches calls of the runtime";
  let description = [{
    What is left of a kernel on the host becomes calls of hetero/Runtime/Cuda.h:
    launches, copies, constants that have to be on the device, and reads of
    single elements that loops and branches depend on. The compiled code becomes
    a global of the module, so that the host code carries it.

    ```mlir
    gpu.launch_func @kernels::@loop blocks in (%c4, %c1, %c1)
      threads in (%c256, %c1, %c1) args(%x : memref<1000xf32>)
    // becomes
    llvm.store %address_of_x, %slots : i64, !llvm.ptr
    call @hetero_cuda_launch(%images, %name, %c4, %c256, %slots, %c1)
      : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numReads", "num-reads",
              "Number of reads that the host waits for">
  ];
}

def VerifyDeviceMemoryPass
    : Pass<"hetero-verify-device-memory", "::mlir::ModuleOp"> {
  let summary = "Proves that no memory of a device is used after it was freed";
  let description = [{
    The last pass of `hetero-cuda-pipeline`. It looks at the code that will run
    on the host, when no pass comes any more that could move a free: every block
    of `hetero_cuda_alloc` has to be live wherever a launch, a copy, a call of a
    library or a free has its address. A use behind a free on all ways that lead
    there is an error; uses behind a free on some of them are counted
    (`num-unproven`): the owner of a buffer that loops and branches hand on is
    found at run time.

    ```mlir
    %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
    llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
    // error: uses memory of the device that has been freed
    llvm.call @hetero_cuda_copy(%out, %a, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
    ```
  }];
  let statistics = [
    Statistic<"numBlocks", "num-blocks", "Number of blocks of memory">,
    Statistic<"numUnproven", "num-unproven",
              "Number of uses of memory that may have been freed">
  ];
}

#endif // HETERO_CONVERSION_CUDA_PASSES_TD
