//===- Contractions.h - Contractions as calls of a library ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowerings of contractions share: how far each operand of a
// linalg.generic with `hetero.contraction` moves along each dimension of its
// loop nest, and calls of a library with the operands and such numbers.

#ifndef HETERO_CONVERSION_KERNELS_CONTRACTIONS_H
#define HETERO_CONVERSION_KERNELS_CONTRACTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace hetero {

/// How far an operand moves along each dimension of the loop nest, and where it
/// starts, in elements.
struct Steps {
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
};

/// A contraction whose strides are known.
struct ContractionLoops {
  llvm::SmallVector<int64_t> sizes;
  /// Of the two inputs and the output.
  llvm::SmallVector<Steps> operands;
  /// The fill with zeros that comes right before it, if any: then the library
  /// writes instead of adding, and the fill goes.
  mlir::linalg::FillOp fill;
};

/// Fails if strides are not known.
mlir::FailureOr<ContractionLoops>
getContractionLoops(mlir::linalg::GenericOp op);

/// Replaces the contraction by a call of `callee` that reads its inputs and
/// writes its output, see hetero.call_library.
void callLibrary(mlir::linalg::GenericOp op, const ContractionLoops &loops,
                 llvm::StringRef callee, llvm::ArrayRef<int64_t> numbers);

} // namespace hetero

#endif // HETERO_CONVERSION_KERNELS_CONTRACTIONS_H
