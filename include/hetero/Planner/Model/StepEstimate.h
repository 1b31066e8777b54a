//===- StepEstimate.h - How long a step takes, quickly ----------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the order of Schedule.h with plain numbers: a stage does one thing at
// a time, sends do not block it, and each boundary carries one message at a
// time in each direction. Pipelines soon repeat themselves, so that of many
// microbatches only some are followed, and the rest take as long as the last of
// those did.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_PLANNER_MODEL_STEPESTIMATE_H
#define HETERO_PLANNER_MODEL_STEPESTIMATE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace hetero::planner {

/// With split backwards, as simulations show: for how much longer than it must
/// a stage waits that has too few in flight to bridge the first way there and
/// back, and the part of the microbatches in flight whose gradients of weights
/// are left for the end.
inline constexpr double idlesLonger = 1.5, delayed = 0.7;

/// Of a stage, in seconds, for one size of microbatch. The boundary is the one
/// to the next stage.
struct StageSeconds {
  double forward = 0, backward = 0, boundary = 0, boundaryGradient = 0;
};

/// A stage as the estimate sees it.
struct EstimatedStage {
  /// By size of microbatch.
  std::vector<StageSeconds> sizes;
  double gather = 0, reduce = 0, update = 0;
  /// Its first node: stages that have the same share what leads out of it.
  int64_t node = 0;
};

/// The seconds of a step. `sizeOf` gives for each microbatch the number of its
/// size; `inFlight` does not rise.
double estimateStep(llvm::ArrayRef<EstimatedStage> stages,
                    llvm::ArrayRef<int64_t> sizeOf,
                    llvm::ArrayRef<int64_t> inFlight);

/// What no order of the same stages takes less than: each of them waits for its
/// first microbatch, computes all of them, and finishes; or the last gradients
/// go back from it. `counts` gives for each size how many microbatches have it.
double leastStep(llvm::ArrayRef<EstimatedStage> stages,
                 llvm::ArrayRef<double> counts);

/// What an order that splits backwards comes close to, with at most `limits` in
/// flight on each stage. The gradients of weights, half of the backward, fill
/// the gaps as far as that goes. For each stage:
///
///   it waits for its first microbatch; then computes all of them, or longer if
///   too few of them have room for the way there and back, or if what leads out
///   of its nodes is too slow
///   it waits once more if those that have room do not bridge the first way
///   the last gradient goes back through all stages before, each of which still
///   has to finish and to reduce its gradients
double splitStep(llvm::ArrayRef<EstimatedStage> stages,
                 llvm::ArrayRef<double> counts, llvm::ArrayRef<int64_t> limits);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_STEPESTIMATE_H
