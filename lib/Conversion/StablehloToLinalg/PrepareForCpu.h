//===- PrepareForCpu.h - Rewritten before it is lowered ---------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is easier to say in StableHLO than in loops.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_PREPAREFORCPU_H
#define HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_PREPAREFORCPU_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hetero {

/// Rewrites a kernel of one block: loops of a few rounds over elements are
/// written out, so that they can be fused, and large sums are taken of sums, so
/// that threads can share them and few digits are lost:
///
///   %s = reduce add %x over [0, 1]       tensor<512x64xf32>, tensor<f32>
///   // becomes
///   %r = reduce add %x over [1]          tensor<512x64xf32>, tensor<512xf32>
///   %s = reduce add %r over [0]
void prepareForCpu(mlir::func::FuncOp function);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_PREPAREFORCPU_H
