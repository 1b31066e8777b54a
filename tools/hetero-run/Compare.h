//===- Compare.h - Differences between arrays -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far computed tensors are from expected ones. The measure is relative to
// the scale of a tensor, its largest expected magnitude: rounding of a sum is
// relative to its terms, not to a result that happens to be near zero.

#ifndef HETERO_TOOLS_HETERO_RUN_COMPARE_H
#define HETERO_TOOLS_HETERO_RUN_COMPARE_H

#include "hetero/Runtime/Npz.h"

namespace hetero {

/// The largest difference of two arrays of one type, relative to the scale of
/// `expected`. Integers and booleans are equal (0) or not (infinite), as are
/// infinities and NaNs.
double getDifference(const runtime::Array &actual,
                     const runtime::Array &expected);

} // namespace hetero

#endif // HETERO_TOOLS_HETERO_RUN_COMPARE_H
