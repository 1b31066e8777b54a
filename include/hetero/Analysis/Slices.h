//===- Slices.h - What a value is computed from -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward walks over a step. All look through loops and branches value by
// value: the third result of a `stablehlo.while` depends on the third value
// that its body returns, not on everything the loop carries.
//
//   %m1 = add (mul %m, 0.9), %g       elementwise sources of %m1: %m at 2
//   %p1 = sub %p, (mul %m1, %lr)      elementwise sources of %p1: %p at 1,
//                                     %m at 4 (%g comes out of a dot_general)

#ifndef HETERO_ANALYSIS_SLICES_H
#define HETERO_ANALYSIS_SLICES_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/BitVector.h"

namespace hetero {

/// The arguments of `entry` that any of `values` depends on, by index.
llvm::BitVector getSourceArguments(mlir::Block &entry, mlir::ValueRange values);

/// Those that floats alone join to `values`: not through comparisons, what they
/// select, or indices.
llvm::BitVector getFloatSources(mlir::Block &entry, mlir::ValueRange values);

/// An argument, and the number of operations between it and a value.
struct ElementwiseSource {
  unsigned argument;
  unsigned distance;
};

/// The arguments of `entry` that reach `value` through operations that keep the
/// shape and work element by element or in place, in the order of their
/// indices. This is how an optimizer carries state from one step to the next: a
/// gradient depends on its own parameter so only through a penalty on it, from
/// further away than the updated parameter does.
llvm::SmallVector<ElementwiseSource> getElementwiseSources(mlir::Block &entry,
                                                           mlir::Value value);

} // namespace hetero

#endif // HETERO_ANALYSIS_SLICES_H
