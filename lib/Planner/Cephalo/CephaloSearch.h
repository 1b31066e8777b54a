//===- CephaloSearch.h - Samples, sizes and state of a group ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One stage of a group of devices. BatchSplit.h decides who computes how many
// samples in microbatches of which size; state then goes where memory is left,
// as evenly as that allows, as uneven collectives take longer.
//
// The time of l microbatches of m samples on a device is, with AG and RS for
// gathering the parameters and scattering the gradients of a layer,
//
//   sum over layers of max(AG, l tf(m)) + max(AG + RS, l tb(m))
//
// when layers are accumulated one by one: each is gathered once for all
// microbatches, while the one before is computed, and again in the backward.
// Otherwise everything is gathered first, and it is the sum of
// l tf(m) + l tb(m).
//
// The release minimizes the longest such time. But devices wait for each other
// between forward and backward, so that the longest of both sum up: splits for
// that are tried as well, and the evaluation chooses.

#ifndef HETERO_LIB_PLANNER_CEPHALO_CEPHALOSEARCH_H
#define HETERO_LIB_PLANNER_CEPHALO_CEPHALOSEARCH_H

#include "hetero/Planner/Cephalo/BatchSplit.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace hetero::planner {

/// Collectives and update of these layers, with parts of the state that are
/// alike.
StageTimes onceTimesOf(const StageModel &model, llvm::ArrayRef<int64_t> devices,
                       StateMode mode, llvm::ArrayRef<LayerRun> layers);

/// How a stage holds state and activations, and whether its layers are
/// accumulated one by one, each gathered while the one before is computed.
struct Way {
  StateMode mode = StateMode::Replicated;
  bool recompute = false, layered = false;

  bool divides() const {
    return mode == StateMode::Full || mode == StateMode::Node;
  }
  bool operator==(const Way &other) const {
    return std::tie(mode, recompute, layered) ==
           std::tie(other.mode, other.recompute, other.layered);
  }
  bool operator<(const Way &other) const {
    return std::tie(mode, recompute, layered) <
           std::tie(other.mode, other.recompute, other.layered);
  }
};

/// Forward and backward of a microbatch, for each kind of layer, in seconds.
using MicroTimes = std::vector<std::pair<double, double>>;

/// What is the same for all groups of devices.
class CephaloTables {
public:
  CephaloTables(const PlanBuilder &builder, bool ignoresMemory = false);

  /// By size of microbatch, for all up to that size.
  const std::vector<MicroTimes> &timesUpTo(int64_t deviceClass, int64_t micro);
  /// The most microbatches of a size for which a device has the memory,
  /// without what is divided, by their size; up to the first that is 0.
  const std::vector<int64_t> &countsUpTo(int64_t device, const Way &way,
                                         int64_t numMicrobatches,
                                         int64_t micro);

  const PlanBuilder &builder;
  const StageModel &model;
  /// Samples that are handed out together.
  int64_t unit = 1;
  /// The first layer of those that are like each other, and their number.
  llvm::MapVector<int64_t, int64_t> layers;

private:
  int64_t maxCount(Stage &stage, StagePlace place, int64_t micro,
                   int64_t guess) const;

  bool ignoresMemory;
  std::map<int64_t, std::vector<MicroTimes>> times;
  std::map<std::tuple<int64_t, Way, int64_t>, std::vector<int64_t>> counts;
};

/// The layers that are like each other.
struct LayerKind {
  int64_t first = 0, count = 0;
  /// Of one of them, in seconds.
  double gather = 0, reduce = 0;
};

/// How samples are divided.
enum class Goal {
  Released, ///< as published
  Fewest,   ///< forward and backward by themselves, in few microbatches
  Smallest  ///< the same in small ones
};

/// The search for one way to hold state.
class CephaloSearch {
public:
  CephaloSearch(CephaloTables &tables, llvm::ArrayRef<int64_t> devices,
                std::vector<int64_t> microbatches, Way way);

  /// What no plan computes less than.
  double leastComputing();
  /// Adds the best plans; returns whether memory does not limit them.
  bool run(Selection &selection);
  /// Adds the plans of the published search.
  void runReleased(Selection &selection);
  /// Adds the plan with the smallest microbatches, to say what is missing.
  void runSmallest(Selection &selection);

  /// The devices that plans use, where they leave others out.
  std::vector<std::vector<int64_t>> used;

private:
  void addLayers(llvm::ArrayRef<int64_t> devices);
  void addSplitter(int64_t size);
  PhaseTimes phases(const LayerKind &layer, std::pair<double, double> time,
                    int64_t count) const;
  PhaseTimes phases(const MicroTimes &times, int64_t count) const;
  double seconds(const MicroTimes &times, int64_t count) const;
  /// The plan in which microbatches of all devices sum to at most `maxSum`.
  std::optional<Plan> makePlan(Goal goal, int64_t maxSum, bool keepIdle);
  bool fits(Plan &plan) const;
  bool fitsEvenly(Plan plan) const;
  std::pair<Plan, int64_t> findLargest(Goal goal, Plan start, bool keepIdle);
  std::optional<Plan> findPlan(Goal goal, bool keepIdle);
  std::vector<Plan> findPlans(Goal goal);

  CephaloTables &tables;
  const PlanBuilder &builder;
  const StageModel &model;
  const Problem &problem;
  Way way;
  /// The microbatches of the plan, and their different sizes.
  std::vector<int64_t> microbatches, sizes;
  int64_t unit, numDevices;
  /// The devices of each class.
  llvm::MapVector<int64_t, std::vector<int64_t>> kinds;
  std::vector<LayerKind> layers;
  /// For each different size.
  std::vector<BatchSplitter> splitters;
  /// The largest sum of sizes that fits, if memory limits it, without and with
  /// devices that compute nothing.
  std::array<std::optional<int64_t>, 2> limits;
};

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_CEPHALO_CEPHALOSEARCH_H
