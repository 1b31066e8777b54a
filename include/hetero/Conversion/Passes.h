//===- Passes.h - From kernels to machine code ------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a function over tensors in StableHLO. `hetero-cpu-pipeline` takes
// all functions of a module to the LLVM dialect; what comes out of a kernel
// `@k` with n operands and m results is
//
//   llvm.func @k(%buffers: !llvm.ptr)      // void k(void **buffers)
//
// which reads n + m pointers: operands, then results, dense and row-major, one
// byte for a bool. Operands are not written. The buffers do not overlap.
// Temporaries come from `void *hetero_workspace_alloc(uint64_t)`, which returns
// memory aligned to 64 bytes, and go to `void hetero_workspace_free(void *)`.
//
// `hetero-cuda-pipeline` makes the same of it for buffers in the memory of a
// CUDA device: `k` runs on the host, launches the kernels, which it carries for
// several architectures, and calls the functions of hetero/Runtime/Cuda.h.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_CONVERSION_PASSES_H
#define HETERO_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace hetero {

/// On a linalg.generic: it sums products, see `hetero-lower-contractions`.
inline constexpr llvm::StringLiteral kContractionAttr = "hetero.contraction";

/// On a function: it is a loop that runs on a device.
inline constexpr llvm::StringLiteral kDeviceLoopAttr = "hetero.device_loop";

/// On an scf.for: iterations that differ in its index write different elements.
inline constexpr llvm::StringLiteral kParallelAttr = "hetero.parallel";

/// On a memref.global: the runtime reads it, on the host.
inline constexpr llvm::StringLiteral kHostTableAttr = "hetero.host_table";

/// On a function: its first two arguments are the bounds of a loop, and each
/// thread runs a piece of it.
inline constexpr llvm::StringLiteral kPiecesAttr = "hetero.pieces";

/// On a function: it becomes a kernel with the interface above.
inline constexpr llvm::StringLiteral kKernelAttr = "hetero.kernel";

#define GEN_PASS_DECL
#include "hetero/Conversion/Passes.h.inc"

/// Options of the pipeline `hetero-cpu-pipeline`.
struct CpuPipelineOptions
    : public mlir::PassPipelineOptions<CpuPipelineOptions> {
  Option<bool> outline{
      *this, "outline",
      llvm::cl::desc("Make loops functions of their own, equal ones once"),
      llvm::cl::init(true)};
  Option<bool> probes{
      *this, "probes",
      llvm::cl::desc("Tell the runtime when each loop begins and ends"),
      llvm::cl::init(false)};
  Option<int64_t> minWork{
      *this, "min-work",
      llvm::cl::desc("Operations on elements that a loop must have to be "
                     "divided among threads"),
      llvm::cl::init(65536)};
};

/// From StableHLO kernels to the LLVM dialect.
void buildCpuPipeline(mlir::OpPassManager &manager,
                      const CpuPipelineOptions &options);

/// Options of the pipeline `hetero-cuda-pipeline`.
struct CudaPipelineOptions
    : public mlir::PassPipelineOptions<CudaPipelineOptions> {
  ListOption<std::string> arch{
      *this, "arch",
      llvm::cl::desc("Architectures to compile for: sm_80,sm_90"),
      llvm::cl::ZeroOrMore};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("What kernels become: cubin (by ptxas) or ptx"),
      llvm::cl::init("cubin")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("Directory of the CUDA toolkit; searched for if empty"),
      llvm::cl::init("")};
};

/// From StableHLO kernels to host code in the LLVM dialect that carries the
/// kernels for CUDA devices.
void buildCudaPipeline(mlir::OpPassManager &manager,
                       const CudaPipelineOptions &options);

/// Registers the pipelines by name.
void registerConversionPipelines();

/// Adds the dialects and interface models that the pipeline needs besides those
/// of the steps.
void registerConversionDialects(mlir::DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "hetero/Conversion/Passes.h.inc"

} // namespace hetero

#endif // HETERO_CONVERSION_PASSES_H
