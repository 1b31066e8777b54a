//===- TensorSplits.h - Layers divided along a model dimension --*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds out how the work of a layer can be divided over devices that all see
// the same samples: which parameters are split along which dimension, in which
// units (columns, heads), and what has to be summed for it.
//
// The idea
// --------
// One parameter is split as a trial. Forms (Forms.h) say what follows: where
// the other operand of a product is wanted split as well, that is another
// parameter to split, and so its moments in the update, until nothing is added.
// What then has to be completed is the price, and the work of the operations
// that see a part is the gain. All parameters, dimensions and units are tried,
// and the best trial is kept; then the parameters that are left are tried.
//
// A worked example: %y = gelu(%x . %w0) . %w1, with %w0: 64x256, %w1: 256x64.
// Splitting %w0 along its columns, in 256 units, splits gelu, wants the rows of
// %w1 split, and makes %y partial: one sum of %y forwards, one of the gradient
// of %x backwards, and everything else is divided.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_ANALYSIS_TENSORSPLITS_H
#define HETERO_ANALYSIS_TENSORSPLITS_H

#include "hetero/Analysis/Layers.h"
#include "hetero/Support/Amount.h"

namespace hetero {

/// How a layer is divided.
struct TensorSplit {
  /// Arguments that are divided in the same proportions.
  struct Group {
    int64_t units = 0;
    /// The form of each argument of the step, by number.
    llvm::MapVector<unsigned, Form> arguments;
  };
  llvm::SmallVector<Group, 2> groups;
  /// What is summed or gathered for each forward and for each backward.
  Affine<Bytes> forward, backward;
  /// The share of the layer's work that is divided, 0 to 1.
  double divided = 0;

  /// The numbers of devices that the layer can be divided over without leaving
  /// one much less than another: the largest part is at most a quarter above
  /// the average.
  std::vector<int64_t> getDegrees(int64_t largest) const;
};

/// The best division of each layer of `step`; one without groups for a layer
/// that has none. `batch` is the analysis of the batch axis.
std::vector<TensorSplit> findTensorSplits(mlir::func::FuncOp step,
                                          const FormAnalysis &batch,
                                          const StepLayers &layers);

} // namespace hetero

#endif // HETERO_ANALYSIS_TENSORSPLITS_H
