//===- StagePool.h - Stages that were looked at -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search that changes one or two stages of a design at a time meets the same
// stages again and again. The pool keeps for each what follows from its choice
// by PlanBuilder.h (samples, state, times, how much fits), and what crossing
// from one to another takes, for one way to cut the batch.

#ifndef HETERO_PLANNER_SEARCH_STAGEPOOL_H
#define HETERO_PLANNER_SEARCH_STAGEPOOL_H

#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Planner/Model/StepEstimate.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <unordered_map>

namespace hetero::planner {

/// How microbatches and stages are chosen. Microbatches are a number in the
/// list of the search.
struct Design {
  size_t microbatches = 0;
  std::vector<StageChoice> stages;

  bool operator==(const Design &other) const {
    return microbatches == other.microbatches && stages == other.stages;
  }
};

/// What a design is expected to take, and the in-flight counts for that.
struct Estimate {
  double seconds = std::numeric_limits<double>::infinity();
  std::vector<int64_t> inFlight;
};

class StagePool {
public:
  StagePool(const PlanBuilder &builder, llvm::ArrayRef<int64_t> microbatches);

  /// The best of several in-flight policies; infinite if something does not
  /// fit, or if it cannot be below `cutoff`.
  Estimate estimate(llvm::ArrayRef<StageChoice> stages,
                    double cutoff = std::numeric_limits<double>::infinity());
  /// What split backwards come close to; infinite if stages compute again.
  double estimateSplit(llvm::ArrayRef<StageChoice> stages);
  /// The plan of the stages with these counts, without predictions.
  Plan makePlan(llvm::ArrayRef<StageChoice> stages,
                llvm::ArrayRef<int64_t> inFlight);

private:
  struct Entry {
    Stage stage;
    int64_t limit = 0;
    EstimatedStage seconds;
    StageTimes first;
  };

  struct HashKey {
    size_t operator()(const std::vector<int64_t> &key) const {
      return llvm::hash_combine_range(key.begin(), key.end());
    }
  };

  size_t find(const StageChoice &choice, StagePlace place, int64_t depth);
  llvm::ArrayRef<std::pair<Time, Time>> crossing(size_t from, size_t to);
  void getTimes();
  bool collect(llvm::ArrayRef<StageChoice> stages);

  const PlanBuilder &builder;
  const StageModel &model;
  std::vector<int64_t> microbatches, sizes, sizeOf;
  /// How many microbatches have each size.
  std::vector<double> counts;
  std::unordered_map<std::vector<int64_t>, size_t, HashKey> indices;
  std::vector<Entry> entries;
  llvm::DenseMap<std::pair<size_t, size_t>,
                 llvm::SmallVector<std::pair<Time, Time>, 2>>
      crossings;

  // Of the current design, kept for their memory.
  std::vector<int64_t> key;
  std::vector<size_t> found;
  std::vector<EstimatedStage> seconds;
  std::vector<StageTimes> times;
  std::vector<int64_t> limits;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_SEARCH_STAGEPOOL_H
