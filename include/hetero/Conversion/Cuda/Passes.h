//===- Passes.h - From kernels to CUDA devices ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hetero-cuda-pipeline` makes of a kernel `@k` what `hetero-cpu-pipeline` does
// (hetero/Conversion/Kernels/Passes.h), for buffers in the memory of a CUDA
// device: `k` runs on the host, launches the kernels, which it carries for
// several architectures, and calls the functions of hetero/Runtime/Cuda.h.

#ifndef HETERO_CONVERSION_CUDA_PASSES_H
#define HETERO_CONVERSION_CUDA_PASSES_H

#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace hetero {

#define GEN_PASS_DECL
#include "hetero/Conversion/Cuda/Passes.h.inc"

/// Options of the pipeline `hetero-cuda-pipeline`.
struct CudaPipelineOptions
    : public mlir::PassPipelineOptions<CudaPipelineOptions> {
  ListOption<std::string> arch{
      *this, "arch",
      llvm::cl::desc("Architectures to compile for: sm_80,sm_90"),
      llvm::cl::ZeroOrMore};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("What kernels become: cubin (by ptxas), ptx, or llvm (IR "
                     "of LLVM, with libdevice, for tools)"),
      llvm::cl::init("cubin")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("Directory of the CUDA toolkit; searched for if empty"),
      llvm::cl::init("")};
  Option<bool> probes{
      *this, "probes",
      llvm::cl::desc("Tell the runtime what kernels do and when"),
      llvm::cl::init(false)};
};

/// From StableHLO kernels to host code in the LLVM dialect that carries the
/// kernels for CUDA devices.
void buildCudaPipeline(mlir::OpPassManager &manager,
                       const CudaPipelineOptions &options);

/// Registers the pipeline by name.
void registerCudaPipeline();

/// Adds what the pipeline needs besides the dialects of hetero-cpu-pipeline.
void registerCudaDialects(mlir::DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "hetero/Conversion/Cuda/Passes.h.inc"

} // namespace hetero

#endif // HETERO_CONVERSION_CUDA_PASSES_H
