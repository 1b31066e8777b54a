//===- Passes.h - From kernels to machine code ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is a function over tensors in StableHLO. `hetero-cpu-pipeline` takes
// all functions of a module to the LLVM dialect; what comes out of a kernel
// `@k` with n operands and m results is
//
//   llvm.func @k(%buffers: !llvm.ptr)      // void k(void **buffers)
//
// which reads n + m pointers: operands, then results, dense and row-major, one
// byte for a bool. Operands are not written and the buffers do not overlap, but
// for results that are computed in place (hetero/Runtime/Program.h).
// Temporaries come from `void *hetero_workspace_alloc(uint64_t)`, which returns
// memory aligned to 64 bytes, and go to `void hetero_workspace_free(void *)`.

#ifndef HETERO_CONVERSION_KERNELS_PASSES_H
#define HETERO_CONVERSION_KERNELS_PASSES_H

#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace hetero {

/// On a function: it is a loop that runs on a device.
inline constexpr llvm::StringLiteral kDeviceLoopAttr = "hetero.device_loop";

/// On a function: its first two arguments are the bounds of a loop, and each
/// thread runs a piece of it.
inline constexpr llvm::StringLiteral kPiecesAttr = "hetero.pieces";

/// On a function: it becomes a kernel with the interface above.
inline constexpr llvm::StringLiteral kKernelAttr = "hetero.kernel";

#define GEN_PASS_DECL
#include "hetero/Conversion/Kernels/Passes.h.inc"

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

/// Tensors become buffers: producers write into the results where they can.
void addBufferization(mlir::OpPassManager &manager);

/// Loops and arithmetic of functions become the LLVM dialect.
void addHostCode(mlir::OpPassManager &manager);

/// Registers the pipeline by name.
void registerCpuPipeline();

/// Adds the dialects and interface models that the pipeline needs besides those
/// of the steps.
void registerKernelDialects(mlir::DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "hetero/Conversion/Kernels/Passes.h.inc"

} // namespace hetero

#endif // HETERO_CONVERSION_KERNELS_PASSES_H
