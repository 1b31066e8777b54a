//===- RankPrograms.h - The functions that ranks run ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with `hetero.program` is the program of ranks, or, if that names a
// stage, a unit that programs call. Everybody who looks for them asks here.

#ifndef HETERO_ANALYSIS_RANKPROGRAMS_H
#define HETERO_ANALYSIS_RANKPROGRAMS_H

#include "hetero/Dialect/Hetero/Hetero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace hetero {

/// The `hetero.program` of a function; null if it has none.
ProgramAttr getProgram(mlir::func::FuncOp function);

/// The functions that are programs of ranks.
llvm::SmallVector<mlir::func::FuncOp> getRankPrograms(mlir::ModuleOp module);

/// The program of each rank; reports an error if there is none, or if a rank
/// has two.
mlir::FailureOr<std::map<int64_t, mlir::func::FuncOp>>
readRankPrograms(mlir::ModuleOp module);

} // namespace hetero

#endif // HETERO_ANALYSIS_RANKPROGRAMS_H
