//===- Joint.cpp - Who asks the joint search for what ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// planStages is the first phases of JointPlanner.h, planJoint all of them;
// where a problem is small, once more for single numbers of microbatches.

#include "hetero/Planner/Joint/Joint.h"
#include "JointPlanner.h"
#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Baselines/Even.h"
#include "hetero/Planner/Bounds/Certificate.h"
#include "hetero/Planner/Cephalo/Cephalo.h"
#include "hetero/Planner/Harp/Harp.h"
#include "hetero/Planner/Spmd/SpmdPlan.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <atomic>
#include <cmath>
#include <thread>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static constexpr PlannerEntry baselines[] = {
    {"cephalo", "data parallelism, samples, microbatches and state apart",
     planCephalo},
    {"dp-even", "data parallelism, all devices alike", planDpEven},
    {"dp-proportional",
     "data parallelism, samples by speed and state by memory",
     planDpProportional},
    {"even", "stages, parts and samples as if all devices were alike",
     planEven},
    {"fast-only", "the same on the devices of one class", planFastOnly},
    {"hap", "one program for all devices, by A* and linear programs", planHap},
    {"harp", "a pipeline of stages inside of sub-clusters", planHarp},
    {"single", "the best single device", planSingle},
    {"spmd", "one program for all devices, proven best for its shares",
     planSpmd},
};

ArrayRef<PlannerEntry> hetero::planner::jointBaselines() { return baselines; }

Expected<Plan> hetero::planner::searchStages(StringRef name,
                                             const Problem &problem,
                                             const Cluster &cluster,
                                             const PlannerOptions &options) {
  if (Error error = check(problem, cluster))
    return error;
  JointState state(problem, cluster, options, JointMode::Quick, name);
  return planInPhases(state);
}

Expected<Plan> hetero::planner::planStages(const Problem &problem,
                                           const Cluster &cluster,
                                           const PlannerOptions &options) {
  return searchStages("stages", problem, cluster, options);
}

/// Searches small problems, or for few numbers of microbatches larger ones, for
/// one number after the other, near that of a plan: each finds what the search
/// for all of them does not look at.
static void searchEachCount(const JointState &state, Plan &plan) {
  const Problem &problem = state.problem;
  std::vector<std::vector<int64_t>> counts = state.microbatches;
  size_t work = std::min(counts.size(), limits.mostCounts) *
                problem.layers.size() * state.devices.size();
  if (work > limits.mostCounts * limits.smallProblem ||
      state.options.timeBudget || !problem.constraints.microbatches.empty() ||
      plan.gap() < limits.closeEnough)
    return;
  size_t here = plan.microbatches.size();
  llvm::stable_sort(counts, [&](const auto &left, const auto &right) {
    auto distance = [&](size_t count) {
      return std::abs(std::log(double(count) / double(here)));
    };
    return distance(left.size()) < distance(right.size());
  });
  counts.resize(std::min(counts.size(), limits.mostCounts));
  std::vector<std::optional<Plan>> plans(counts.size());
  std::atomic<size_t> next = 0;
  auto run = [&]() {
    for (size_t index = next++; index < counts.size(); index = next++) {
      Problem part = problem;
      part.constraints.microbatches = counts[index];
      PlannerOptions quiet = state.options;
      quiet.onBetter = nullptr;
      quiet.log = nullptr;
      JointState inner(part, state.cluster, quiet, JointMode::Part, "joint");
      plans[index] = expectedToOptional(planInPhases(inner));
    }
  };
  std::thread beside(run);
  run();
  beside.join();
  Time certified =
      isCertified(problem, state.cluster, plan) ? plan.bound : Time(0);
  for (std::optional<Plan> &other : plans) {
    if (!other || other->predicted >= plan.predicted)
      continue;
    plan = std::move(*other);
    if (isCertified(problem, state.cluster, plan))
      plan.bound = std::max(plan.bound, std::min(certified, plan.predicted));
  }
  state.log("search each number of microbatches",
            Twine(plans.size()) + " plans; best " +
                approximate(plan.predicted) + " with " +
                Twine(plan.microbatches.size()) + " microbatches");
}

Expected<Plan> hetero::planner::planJoint(const Problem &problem,
                                          const Cluster &cluster,
                                          const PlannerOptions &options) {
  if (Error error = check(problem, cluster))
    return error;
  JointState state(problem, cluster, options, JointMode::Whole, "joint");
  // More of a search may end elsewhere: it is never worse than less.
  if (options.effort > 1) {
    PlannerOptions less = options;
    less.effort = 1;
    state.addAnswer(takeCandidate(planJoint(problem, cluster, less)),
                    "less effort", /*isStart=*/false);
  }
  Expected<Plan> plan = planInPhases(state);
  if (plan)
    searchEachCount(state, *plan);
  return plan;
}
