//===- Pipelines.h - What the pipelines of devices share --------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_CONVERSION_PIPELINES_H
#define HETERO_LIB_CONVERSION_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace hetero {

/// Tensors become buffers: producers write into the results where they can.
void addBufferization(mlir::OpPassManager &manager);

/// Loops and arithmetic of functions become the LLVM dialect.
void addHostCode(mlir::OpPassManager &manager);

/// Adds what `hetero-cuda-pipeline` needs besides the rest.
void registerCudaDialects(mlir::DialectRegistry &registry);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_PIPELINES_H
