//===- StepEstimate.h - How long a step takes, quickly ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the order of Schedule.h with plain numbers: a stage does one thing at
// a time, sends do not block it, and each boundary carries one message at a
// time in each direction. Pipelines soon repeat themselves, so that of many
// microbatches only some are followed, and the rest take as long as the last of
// those did.

#ifndef HETERO_PLANNER_MODEL_STEPESTIMATE_H
#define HETERO_PLANNER_MODEL_STEPESTIMATE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace hetero::planner {

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
/// flight on each stage: the recurrence of PipelineRecurrence.h.
double splitStep(llvm::ArrayRef<EstimatedStage> stages,
                 llvm::ArrayRef<double> counts, llvm::ArrayRef<int64_t> limits);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_STEPESTIMATE_H
