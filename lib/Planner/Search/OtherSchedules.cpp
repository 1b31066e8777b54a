//===- OtherSchedules.cpp - Stages of a plan in other orders --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/OtherSchedules.h"
#include "hetero/Planner/Model/PlanSimulator.h"
#include "hetero/Planner/Model/VerifyPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using namespace hetero::simulator;

/// A plan is simulated with several in-flight counts: as often as this number
/// of pairs of stage and microbatch allows, so that large plans take about as
/// long as small ones, but at least and at most these numbers of times.
static constexpr int64_t simulatedPairs = 60000;
static constexpr int64_t leastSimulations = 6, mostSimulations = 64;
/// The most runs of layers that a stage gets; each of them adds crossings.
static constexpr int64_t mostRuns = 4;

static void addIfRight(const PlanBuilder &builder, Plan plan,
                       Selection &selection) {
  if (!errorToBool(verifyStructure(builder.model, plan)))
    selection.add(builder.complete(std::move(plan)));
}

/// The counts that are fastest by simulation.
static void addChosen(const PlanBuilder &builder, const Plan &plan,
                      ArrayRef<ScheduleKind> kinds, Selection &selection) {
  if (kinds.empty())
    return;
  Plan other = plan;
  std::vector<int64_t> limits =
      builder.findLimits(other, Division::Proportional);
  int64_t pairs = plan.stages.size() * plan.microbatches.size();
  ScheduleChoice choice = chooseSchedule(
      builder.model, plan, kinds, limits,
      std::clamp(simulatedPairs / pairs, leastSimulations, mostSimulations));
  other = plan;
  other.schedule = choice.kind;
  builder.setInFlight(other, choice.inFlight, Division::Proportional);
  addIfRight(builder, std::move(other), selection);
}

/// The layers of each stage in equal runs, one from each stage in turn.
static bool cutIntoRuns(Plan &plan, int64_t runs) {
  int64_t next = 0;
  std::vector<int64_t> lengths;
  for (Stage &stage : plan.stages) {
    const LayerRun &all = stage.layers.front();
    lengths.push_back(all.last - all.first + 1);
    if (lengths.back() < runs)
      return false;
    stage.layers.clear();
    // Its state is divided anew.
    stage.inFlight = 0;
  }
  for (int64_t run = 0; run < runs; ++run)
    for (auto [stage, length] : zip_equal(plan.stages, lengths)) {
      int64_t own = length * (run + 1) / runs - length * run / runs;
      stage.layers.push_back({next, next + own - 1});
      next += own;
    }
  return true;
}

static void addInterleaved(const PlanBuilder &builder, const Plan &plan,
                           Selection &selection) {
  int64_t count = plan.microbatches.size(), numStages = plan.stages.size();
  if (count < numStages)
    return;
  for (int64_t runs = 2; runs <= mostRuns; ++runs) {
    Plan other = plan;
    other.schedule = ScheduleKind::Interleaved;
    if (!cutIntoRuns(other, runs))
      return;
    std::vector<StageTimes> times;
    for (const std::vector<StageTimes> &list :
         getStageTimes(builder.model, other))
      times.push_back(list.front());
    // As many in flight as make the schedule fast, or else as few as it needs.
    std::vector<int64_t> none, ones(numStages, 1);
    for (const std::vector<int64_t> &limits : {none, ones}) {
      Plan variant = other;
      builder.setInFlight(variant,
                          computeInFlight(ScheduleKind::Interleaved, count,
                                          times, limits, runs),
                          Division::Proportional);
      addIfRight(builder, std::move(variant), selection);
    }
  }
}

void hetero::planner::addSchedules(const PlanBuilder &builder, const Plan &plan,
                                   Selection &selection) {
  if (plan.stages.size() < 2 || any_of(plan.stages, [](const Stage &stage) {
        return stage.layers.size() != 1;
      }))
    return;
  bool recomputes =
      any_of(plan.stages, [](const Stage &stage) { return stage.recompute; });
  const PlannerOptions &options = builder.options;
  std::vector<ScheduleKind> allowed = options.otherSchedules, chosen;
  allowed.insert(allowed.begin(), options.schedule);
  for (ScheduleKind kind : allowed)
    if (kind == ScheduleKind::HeteroOneFOneB ||
        (kind == ScheduleKind::ZeroBubble && !recomputes))
      chosen.push_back(kind);
  addChosen(builder, plan, chosen, selection);
  if (is_contained(allowed, ScheduleKind::Interleaved))
    addInterleaved(builder, plan, selection);
}
