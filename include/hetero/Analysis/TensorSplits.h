//===- TensorSplits.h - Layers divided along a model dimension --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
// that see a part is the gain. All dimensions and units are tried, and those
// trials are kept first that divide the most work for a byte. A trial looks at
// the layer of the parameter and a few after it, so parameters that belong
// together may be in different layers. A split inside of one layer is kept for
// all layers of the same structure at once.
//
// A worked example: %y = gelu(%x . %w0) . %w1, with %w0: 64x256, %w1: 256x64.
// Splitting %w0 along its columns, in 256 units, splits gelu, wants the rows of
// %w1 split, and makes %y partial: one sum of %y forwards, one of the gradient
// of %x backwards, and everything else is divided.

#ifndef HETERO_ANALYSIS_TENSORSPLITS_H
#define HETERO_ANALYSIS_TENSORSPLITS_H

#include "hetero/Analysis/Layers.h"
#include "hetero/Support/Amount.h"

namespace hetero {

struct TensorSplits {
  /// Arguments that are divided together.
  struct Group {
    int64_t units = 0;
    /// The form of each argument of the step, by number.
    llvm::MapVector<unsigned, Form> arguments;
  };
  struct Layer {
    /// Groups that have work in the layer, as indices.
    llvm::SmallVector<size_t> groups;
    /// What is summed or gathered for each forward and for each backward.
    Affine<Bytes> forward, backward;
    /// Work and bytes of state, and how much of them is divided.
    double work = 0, dividedWork = 0, state = 0, dividedState = 0;
  };
  std::vector<Group> groups;
  std::vector<Layer> layers;

  /// The numbers of devices, up to `largest`, that a layer can be divided over
  /// so that it pays: most of its work and state is divided, or what is not is
  /// very little of the whole step; and no device has much more than another:
  /// the largest part of each group is at most a quarter above the average.
  std::vector<int64_t> getDegrees(int64_t layer, int64_t largest) const;
};

/// Tries the parameters of `step` in the order of their layers. `batch` is the
/// analysis of the batch axis. Arguments in `given` are split along that
/// dimension, whether it pays or not.
TensorSplits
findTensorSplits(mlir::func::FuncOp step, const FormAnalysis &batch,
                 const StepLayers &layers,
                 const llvm::MapVector<unsigned, int64_t> &given = {});

} // namespace hetero

#endif // HETERO_ANALYSIS_TENSORSPLITS_H
