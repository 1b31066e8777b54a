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
};

/// From StableHLO kernels to the LLVM dialect.
void buildCpuPipeline(mlir::OpPassManager &manager,
                      const CpuPipelineOptions &options);

/// Registers the pipelines by name.
void registerConversionPipelines();

/// Adds the dialects and interface models that the pipeline needs besides those
/// of the steps.
void registerConversionDialects(mlir::DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "hetero/Conversion/Passes.h.inc"

} // namespace hetero

#endif // HETERO_CONVERSION_PASSES_H
