//===- StateLayout.h - Which part of the state a device has -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says how many bytes of a stage's state each device holds, and over how
// many devices its layers are divided along a model dimension. This turns both
// into rows of single tensors.
//
// Along the model dimension, the units of each group of TensorSplits.h are
// dealt out evenly: 12 heads over 5 devices are [3, 3, 2, 2, 2].
//
// Over the samples' devices, each tensor of the state is divided along its
// longest dimension that is not divided already, in the proportions of the
// bytes, by largest remainder. Tensors of one shape are divided alike, so that
// a parameter, its moments and its gradient stay together in the update. A
// tensor whose dimensions are all 1 stays whole on every device.
//
// A worked example: 24 and 72 of 96 bytes, a parameter 4x6xf32: of the 6
// columns the devices get 1.5 and 4.5, so 1 or 2, and 4 or 5. Both have the
// remainder 0.5, and the first takes the row that is left: [2, 4], which is 32
// and 64 bytes.

#ifndef HETERO_LIB_TRANSFORMS_PLANNING_STATELAYOUT_H
#define HETERO_LIB_TRANSFORMS_PLANNING_STATELAYOUT_H

#include "hetero/Analysis/TensorSplits.h"
#include "hetero/Planner/Plan/Plan.h"

namespace hetero {

/// `total` units in the proportions of `weights`, by largest remainder; the
/// first wins where remainders are equal. All to the first if all weights are
/// 0.
llvm::SmallVector<int64_t> divide(int64_t total,
                                  llvm::ArrayRef<int64_t> weights);

/// The layout of the arguments of a step.
struct StateLayout {
  struct Split {
    int64_t stage = 0;
    Form form;
    /// Units of each member of the axis.
    llvm::SmallVector<int64_t> sizes;
  };
  /// By argument; nothing where it is not divided. Over the tensor axis, for
  /// computation and storage; over the data axis, for storage alone.
  llvm::SmallVector<std::optional<Split>> tensor, storage;
};

/// Divides the state of the stages of `plan` as they say, and replaces the
/// bytes in their shares (state, and with it memory) by those that the rows
/// make.
/// `storageDims` has the dimension of arguments for which it is given.
StateLayout layOutState(mlir::func::FuncOp step, const StepLayers &layers,
                        const TensorSplits &splits,
                        const llvm::MapVector<unsigned, int64_t> &storageDims,
                        planner::Plan &plan);

} // namespace hetero

#endif // HETERO_LIB_TRANSFORMS_PLANNING_STATELAYOUT_H
