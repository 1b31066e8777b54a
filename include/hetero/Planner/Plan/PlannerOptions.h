//===- PlannerOptions.h - What a planner is asked ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planner is a function from a problem, a cluster and these options to a
// plan.

#ifndef HETERO_PLANNER_PLAN_PLANNEROPTIONS_H
#define HETERO_PLANNER_PLAN_PLANNEROPTIONS_H

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Planner/Problem/Graph.h"
#include "hetero/Simulator/Schedule.h"
#include <functional>

namespace hetero::planner {

/// What limits and widens the search of a planner.
struct PlannerOptions {
  /// The schedule that in-flight counts are made for.
  ScheduleKind schedule = ScheduleKind::HeteroOneFOneB;
  /// What planJoint may take instead, if it is faster by simulation.
  std::vector<ScheduleKind> otherSchedules = {ScheduleKind::ZeroBubble,
                                              ScheduleKind::Interleaved};
  /// How stages of several devices may hold their state.
  std::vector<StateMode> stateModes = {StateMode::Replicated,
                                       StateMode::Optimizer, StateMode::Full,
                                       StateMode::Node};
  /// Whether stages may compute activations again instead of keeping them.
  bool recompute = true;
  /// Whether planCephalo may gather and accumulate layers one by one.
  bool layered = true;
  /// Whether planCephalo also tries the plans of planDpEven and
  /// planDpProportional.
  bool dataParallel = true;
  /// Whether planStages may divide layers along a model dimension where the
  /// problem allows it.
  bool tensorParallel = true;
  /// How many candidates of the search planStages evaluates exactly.
  int64_t candidates = 16;
  /// How many orders of sub-clusters planStages tries.
  int64_t maxOrders = 120;
  /// How many cut positions along the devices it considers for each order.
  int64_t maxPositions = 24;
  /// After how many plans planExhaustive gives up.
  int64_t maxPlans = 20000000;
  /// Restricts planners that are known from publications to what their
  /// releases search, for comparisons.
  bool asReleased = false;
  /// When planners whose search takes long stop, with the best plan so far;
  /// never if empty. What they find depends on the machine only if this is
  /// reached.
  std::optional<Time> timeBudget;
  /// How many times as long planJoint searches, and works on its certificate.
  int64_t effort = 1;
  /// Called with each plan that is the best one so far, by planners whose
  /// search takes long.
  std::function<void(const Plan &best)> onBetter;
  /// Where planJoint and planStages write a line after each phase of their
  /// search: how many designs and plans there are, the best, and who found it.
  llvm::raw_ostream *log = nullptr;
  /// The operations of the step, for planners that divide single ones; made
  /// from the layers if there is none.
  const Graph *graph = nullptr;
};

/// A planner by its name on the command line.
struct PlannerEntry {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  llvm::Expected<Plan> (*plan)(const Problem &, const cluster::Cluster &,
                               const PlannerOptions &);
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_PLAN_PLANNEROPTIONS_H
