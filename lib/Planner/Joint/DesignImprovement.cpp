//===- DesignImprovement.cpp - Local search from what was found -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DesignImprovement.h"
#include "hetero/Planner/Search/LocalSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <random>
#include <thread>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// How many designs may be estimated while improving: fewer if each of them
/// takes longer.
static int64_t improvementWork(const JointState &state) {
  int64_t work = limits.improvementWork /
                 (int64_t(state.devices.size()) * limits.workOfDevice +
                  int64_t(state.problem.layers.size()) * limits.workOfLayer +
                  limits.workOfDesign);
  return state.options.effort *
         std::max(limits.leastImproved, std::min(limits.mostImproved, work));
}

//===----------------------------------------------------------------------===//
// Whole backwards
//===----------------------------------------------------------------------===//

/// The best designs, and the best for each number of stages, and then those of
/// other shapes.
static std::vector<FoundDesign> chooseStarts(JointState &state) {
  std::vector<FoundDesign> starts;
  std::vector<std::pair<size_t, size_t>> shapes;
  std::vector<size_t> depths, taken;
  ArrayRef<FoundDesign> designs = state.sortDesigns();
  for (int pass = 0; pass < 2; ++pass)
    for (auto [index, found] : enumerate(designs)) {
      std::pair<size_t, size_t> shape(found.design.stages.size(),
                                      found.design.microbatches);
      bool isNew = pass == 0 ? !is_contained(depths, shape.first)
                             : !is_contained(shapes, shape);
      if (starts.size() >= limits.mostStarts ||
          found.estimate.seconds > limits.startSlack * state.least())
        break;
      if (is_contained(taken, index) || (index >= limits.bestStarts && !isNew))
        continue;
      taken.push_back(index);
      depths.push_back(shape.first);
      shapes.push_back(shape);
      starts.push_back(found);
    }
  return starts;
}

/// Improves each start with at most `work` estimates in all, and then the best
/// of them again and again until these are used up.
static std::vector<Design> improve(const JointState &state,
                                   ArrayRef<FoundDesign> starts, int64_t work,
                                   unsigned seed, Estimator &by) {
  std::vector<Design> result;
  if (starts.empty())
    return result;
  auto value = [&](const Design &design, double cutoff) {
    return state.isOver() ? infinity
                          : state.estimate(design, by, cutoff).seconds;
  };
  LocalSearch search(by.builder, state.microbatches, value);
  Design top = starts.front().design;
  double least = infinity;
  auto finish = [&](Design design, double time) {
    if (time < least) {
      top = design;
      least = time;
    }
    result.push_back(std::move(design));
  };
  for (auto [index, start] : enumerate(starts)) {
    // What one does not use is there for the others.
    int64_t share = work / int64_t(starts.size() - index);
    work -= share;
    Design design = start.design;
    double time = start.estimate.seconds;
    search.improve(design, time, share);
    work += share;
    finish(std::move(design), time);
  }
  std::mt19937 random(seed);
  while (work > 0 && !state.isOver()) {
    --work;
    Design design = search.shake(top, random);
    double time = value(design, limits.shakeSlack * least);
    if (time > limits.shakeSlack * least)
      continue;
    search.improve(design, time, work);
    finish(std::move(design), time);
  }
  return result;
}

void hetero::planner::improveDesigns(JointState &state) {
  std::vector<FoundDesign> halves[2];
  for (auto [index, start] : enumerate(chooseStarts(state)))
    halves[index % 2].push_back(start);
  if (halves[0].empty())
    return;
  bool areMany = int64_t(state.devices.size()) > limits.hundredsOfDevices;
  int64_t work = improvementWork(state) / (areMany ? 4 : 2);
  std::vector<Design> better[2];
  std::thread beside([&] {
    Estimator other(state.problem, state.cluster, state.options);
    better[1] = improve(state, halves[1], work, /*seed=*/2, other);
  });
  better[0] = improve(state, halves[0], work, /*seed=*/1, state.estimator);
  beside.join();
  for (std::vector<Design> &designs : better)
    for (Design &design : designs)
      state.add(std::move(design));
}

//===----------------------------------------------------------------------===//
// Split backwards
//===----------------------------------------------------------------------===//

static void keepActivations(Design &design) {
  for (StageChoice &stage : design.stages)
    stage.recompute = false;
}

/// The best designs of `scheduled`, and for each number of microbatches that
/// none of them has the best by what split backwards are estimated to take, the
/// fastest first.
static std::vector<Design>
chooseSplitStarts(JointState &state, const ScheduledDesigns &scheduled) {
  std::vector<Design> starts;
  size_t most = limits.mostSplit * state.options.effort;
  std::map<size_t, size_t> alike;
  for (const auto &[seconds, design] : scheduled)
    if (starts.size() < most && design.stages.size() > 1 &&
        ++alike[design.microbatches] <= limits.mostSplitAlike)
      starts.push_back(design);
  std::map<size_t, std::pair<double, Design>> bestOf;
  std::map<size_t, size_t> looked;
  for (const FoundDesign &found : state.sortDesigns()) {
    size_t number = found.design.microbatches;
    if (found.estimate.seconds > limits.splitSlack * state.least())
      break;
    if (found.design.stages.size() < 2 || alike.count(number) > 0 ||
        ++looked[number] > limits.splitLooks)
      continue;
    Design design = found.design;
    keepActivations(design);
    double seconds = state.estimateSplit(design);
    auto [entry, isNew] = bestOf.try_emplace(number, seconds, design);
    if (!isNew && seconds < entry->second.first)
      entry->second = {seconds, std::move(design)};
  }
  ScheduledDesigns ranked;
  append_range(ranked, make_second_range(bestOf));
  llvm::stable_sort(ranked, less_first());
  for (auto &[seconds, design] : ranked)
    if (starts.size() < most && seconds < infinity)
      starts.push_back(std::move(design));
  return starts;
}

void hetero::planner::improveSplit(JointState &state,
                                   const ScheduledDesigns &scheduled) {
  if (!is_contained(state.options.otherSchedules, ScheduleKind::ZeroBubble))
    return;
  auto value = [&](const Design &design, double) {
    return state.estimateSplit(design);
  };
  LocalSearch search(state.builder, state.microbatches, value);
  for (Design &design : chooseSplitStarts(state, scheduled)) {
    keepActivations(design);
    int64_t work = improvementWork(state) / limits.splitPart;
    double time = value(design, infinity);
    search.improve(design, time, work);
    Estimate whole = state.estimate(design, state.estimator);
    if (time < infinity && whole.seconds < infinity)
      state.schedule(design, whole);
  }
}
