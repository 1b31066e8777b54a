//===- PrepareForCpu.h - Rewritten before it is lowered ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is easier to say in StableHLO than in loops. The lowering rewrites each
// kernel so, and the check of memory a copy of those where it matters.

#ifndef HETERO_ANALYSIS_PREPAREFORCPU_H
#define HETERO_ANALYSIS_PREPAREFORCPU_H

#include "hetero/Analysis/Kernels.h"

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

/// Whether a kernel has loops that would be written out.
bool hasShortLoops(const Kernel &kernel);

} // namespace hetero

#endif // HETERO_ANALYSIS_PREPAREFORCPU_H
