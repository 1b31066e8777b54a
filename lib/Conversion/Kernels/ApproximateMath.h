//===- ApproximateMath.h - Math that LLVM vectorizes ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_CONVERSION_KERNELS_APPROXIMATEMATH_H
#define HETERO_LIB_CONVERSION_KERNELS_APPROXIMATEMATH_H

#include "mlir/Pass/Pass.h"

namespace hetero {

/// Functions that have no vectorized form elsewhere become polynomials, which
/// LLVM vectorizes with the rest of the loop.
std::unique_ptr<mlir::Pass> createApproximateMathPass();

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_KERNELS_APPROXIMATEMATH_H
