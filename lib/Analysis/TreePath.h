//===- TreePath.h - Paths into JAX's trees ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_ANALYSIS_TREEPATH_H
#define HETERO_LIB_ANALYSIS_TREEPATH_H

#include "mlir/IR/Value.h"

namespace hetero {

/// `opt[1][0].mu['Dense_0']['bias']` is the leaf `[1][0].mu['Dense_0']['bias']`
/// of the tree `opt`.
struct TreePath {
  llvm::StringRef root;
  llvm::StringRef leaf;
};

/// JAX keeps the path of an argument as the name of its location.
TreePath getArgumentPath(mlir::BlockArgument argument);

} // namespace hetero

#endif // HETERO_LIB_ANALYSIS_TREEPATH_H
