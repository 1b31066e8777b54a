//===- StateStorage.h - Where state lives between steps ---------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan says how many bytes of a stage's state each device holds. This turns
// bytes into rows: each tensor of the state is divided along its longest
// dimension in the proportions of the bytes, by largest remainder. Tensors of
// one shape are divided alike, so that a parameter, its moments and its
// gradient stay together in the update. A tensor whose dimensions are all 1
// stays whole on every device.
//
// A worked example: 24 and 72 of 96 bytes, a parameter 4x6xf32: of the 6
// columns the devices get 1.5 and 4.5, so 1 or 2, and 4 or 5. Both have the
// remainder 0.5, and the first takes the row that is left: [2, 4], which is 32
// and 64 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_TRANSFORMS_STATESTORAGE_H
#define HETERO_LIB_TRANSFORMS_STATESTORAGE_H

#include "hetero/Analysis/Layers.h"
#include "hetero/Planner/Plan.h"

namespace hetero {

/// `total` units in the proportions of `weights`, by largest remainder; the
/// first wins where remainders are equal. All to the first if all weights are
/// 0.
llvm::SmallVector<int64_t> divide(int64_t total,
                                  llvm::ArrayRef<int64_t> weights);

/// The layout of the arguments of a step, as `hetero.storage` will say it.
struct StateStorage {
  struct Split {
    int64_t stage = 0;
    int64_t dim = 0;
    /// One for each member of the data axis.
    llvm::SmallVector<int64_t> sizes;
  };
  /// By argument; nothing where it is not divided.
  llvm::SmallVector<std::optional<Split>> arguments;
  int64_t numDivided = 0;
};

/// Divides the state of the stages of `plan` that divide theirs, and replaces
/// the bytes in its shares (state, and with it memory) by those that the rows
/// make.
StateStorage divideState(mlir::func::FuncOp step, const StepLayers &layers,
                         planner::Plan &plan);

} // namespace hetero

#endif // HETERO_LIB_TRANSFORMS_STATESTORAGE_H
