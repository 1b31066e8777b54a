//===- Step.h - The training step of a module -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_ANALYSIS_STEP_H
#define HETERO_ANALYSIS_STEP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hetero {

/// The function that is the step: the one that the plan is of; without a plan
/// `@main`, or the only public function that has a body and is no rank program.
/// Reports an error if there is none, or a choice.
mlir::FailureOr<mlir::func::FuncOp> getStep(mlir::ModuleOp module);

/// Reports an error unless the body of `function`, a `kind` such as "step", is
/// one block.
mlir::LogicalResult checkOneBlock(mlir::func::FuncOp function,
                                  llvm::StringRef kind);

} // namespace hetero

#endif // HETERO_ANALYSIS_STEP_H
