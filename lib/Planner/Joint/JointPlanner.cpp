//===- JointPlanner.cpp - The phases of the joint search ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JointPlanner.h"
#include "DesignImprovement.h"
#include "LineSearch.h"
#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Bounds/Certificate.h"
#include "hetero/Planner/Harp/Harp.h"
#include "hetero/Planner/Joint/Joint.h"
#include "hetero/Planner/Joint/NodeSearch.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Planner/Search/DeviceOrders.h"
#include "hetero/Planner/Search/OtherSchedules.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <future>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// Asks the baselines that take long, in a thread beside other phases.
class BaselineTask {
public:
  explicit BaselineTask(JointState &state) : state(state) {}

  /// Starts the thread, unless the search is a quick one.
  void start();
  /// Asks those that are left, ends the thread, and adds all answers in the
  /// order of the list.
  void finish();

private:
  void askNext();

  JointState &state;
  std::vector<const PlannerEntry *> baselines;
  std::vector<std::optional<Candidate>> answers;
  std::atomic<size_t> next = 0;
  std::future<void> beside;
};
} // namespace

//===----------------------------------------------------------------------===//
// Baselines
//===----------------------------------------------------------------------===//

/// Those whose plans planStages starts from.
static bool isQuick(const PlannerEntry &baseline) {
  return baseline.plan == planSingle || baseline.plan == planDpEven ||
         baseline.plan == planDpProportional;
}

static std::optional<Candidate> ask(const JointState &state,
                                    const PlannerEntry &baseline) {
  if (state.isOver())
    return std::nullopt;
  PlannerOptions quiet = state.options;
  quiet.onBetter = nullptr;
  quiet.log = nullptr;
  quiet.dataParallel = false;
  quiet.timeBudget = state.deadline.left();
  return takeCandidate(baseline.plan(state.problem, state.cluster, quiet));
}

static void seed(JointState &state) {
  for (const PlannerEntry &baseline : jointBaselines())
    if (isQuick(baseline))
      state.addAnswer(ask(state, baseline), baseline.name);
}

void BaselineTask::start() {
  if (state.mode == JointMode::Quick)
    return;
  for (const PlannerEntry &baseline : jointBaselines())
    if (!isQuick(baseline))
      baselines.push_back(&baseline);
  // What takes longest comes first.
  std::stable_partition(
      baselines.begin(), baselines.end(),
      [](const PlannerEntry *entry) { return entry->plan == planHarp; });
  answers.resize(baselines.size());
  beside = std::async(std::launch::async, [this] { askNext(); });
}

void BaselineTask::askNext() {
  for (size_t index = next++; index < baselines.size(); index = next++)
    answers[index] = ask(state, *baselines[index]);
}

void BaselineTask::finish() {
  askNext();
  beside.get();
  for (auto [baseline, answer] : zip_equal(baselines, answers))
    state.addAnswer(std::move(answer), baseline->name);
}

//===----------------------------------------------------------------------===//
// Nodes and schedules
//===----------------------------------------------------------------------===//

/// The designs of stages of whole nodes, and regular ones, that are possible.
static std::vector<FoundDesign> findNodeDesigns(JointState &state) {
  std::vector<GroupDesign> designs =
      searchNodes(state.builder, state.devices, state.microbatches,
                  state.searched, limits.classOrders, state.least());
  std::vector<GroupDesign> regular =
      searchGroups(state.builder, state.devices, state.microbatches,
                   state.searched, limits.classOrders);
  append_range(designs, ArrayRef(regular).take_front(limits.mostRegular));
  std::vector<FoundDesign> possible;
  for (GroupDesign &entry : designs) {
    if (possible.size() >= limits.mostNodeDesigns || state.isOver())
      break;
    Estimate whole = state.estimate(entry.design, state.estimator);
    if (whole.seconds < infinity)
      possible.push_back(
          {std::move(entry.design), std::move(whole), possible.size(), {}});
  }
  return possible;
}

/// Searches stages of whole nodes where there are many devices. The best of
/// them are tried with all schedules at once, as what they take depends much on
/// that, and returned; a few are added to the designs.
static ScheduledDesigns searchNodeDesigns(JointState &state) {
  ScheduledDesigns scheduled;
  if (int64_t(state.devices.size()) < limits.manyDevices || state.isOver())
    return scheduled;
  std::vector<FoundDesign> possible = findNodeDesigns(state);
  std::vector<std::pair<double, size_t>> ranked;
  for (const FoundDesign &found : possible)
    ranked.emplace_back(
        std::min(found.estimate.seconds, state.estimateSplit(found.design)),
        found.number);
  sort(ranked);
  size_t tried = 0;
  std::map<size_t, size_t> alike;
  for (auto [value, index] : ranked) {
    const FoundDesign &found = possible[index];
    if (tried >= limits.nodesScheduled * state.options.effort || state.isOver())
      break;
    if (++alike[found.design.microbatches] > limits.mostAlike)
      continue;
    ++tried;
    double seconds = state.schedule(found.design, found.estimate);
    if (seconds < infinity)
      scheduled.emplace_back(seconds, found.design);
  }
  llvm::stable_sort(scheduled, less_first());
  llvm::stable_sort(possible,
                    [](const FoundDesign &left, const FoundDesign &right) {
                      return left.estimate.seconds < right.estimate.seconds;
                    });
  for (FoundDesign &found :
       MutableArrayRef(possible).take_front(limits.nodeStarts))
    state.add(std::move(found.design));
  return scheduled;
}

/// Adds the best plans with the schedules that are fastest by simulation; fewer
/// of them where designs of whole nodes have been tried before.
static void scheduleBest(JointState &state, bool triedNodes) {
  size_t number = 0, most = state.options.effort *
                            (triedNodes ? limits.mostScheduledAfterNodes
                                        : limits.mostScheduled);
  std::map<size_t, size_t> alike;
  for (const Plan &plan : state.plans())
    if (!state.isOver() && number < most &&
        ++alike[plan.microbatches.size()] <= limits.mostAlike) {
      ++number;
      addSchedules(state.builder, plan, state.selection);
    }
}

//===----------------------------------------------------------------------===//
// The certificate
//===----------------------------------------------------------------------===//

/// What no plan beats, found in a thread beside later phases. Nothing without a
/// plan, whose time it needs, or if the search is one without a certificate.
static std::future<Time> startCertificate(const JointState &state) {
  if (state.mode != JointMode::Whole || !state.selection.found() ||
      state.isOver())
    return {};
  return std::async(std::launch::async, computeCertificate,
                    std::cref(state.problem), std::cref(state.cluster),
                    state.selection.get()->plan.predicted,
                    state.options.effort);
}

/// Sets the bound of the plan that was found in the end.
static Expected<Plan> certify(const JointState &state,
                              std::future<Time> certificate,
                              Expected<Plan> plan) {
  std::optional<Time> certified;
  if (certificate.valid())
    certified = certificate.get();
  if (!plan || state.mode != JointMode::Whole)
    return plan;
  // A certificate is never above the time that it is made for, here that of the
  // best plan of some phases ago. If it reaches the plan of now, one for its
  // time says more.
  if (!state.isOver() && (!certified || *certified >= plan->predicted))
    certified = computeCertificate(state.problem, state.cluster,
                                   plan->predicted, state.options.effort);
  if (certified && isCertified(state.problem, state.cluster, *plan))
    plan->bound = std::max(plan->bound, std::min(*certified, plan->predicted));
  state.log("certify", "no plan takes less than " + approximate(plan->bound));
  return plan;
}

//===----------------------------------------------------------------------===//
// The list of phases
//===----------------------------------------------------------------------===//

/// The best plan under the name of the planner, or what it is short of.
static Expected<Plan> choosePlan(JointState &state,
                                 ArrayRef<std::vector<int64_t>> lines) {
  if (!state.selection.found())
    state.builder.addClosest(state.isOver() ? lines.take_front() : lines,
                             state.selection);
  return state.selection.take(state.planner, state.builder.model);
}

Expected<Plan> hetero::planner::planInPhases(JointState &state) {
  if (Error error = requireDevices(state.problem, state.cluster).takeError())
    return error;
  LineSearch lines(state);
  BaselineTask others(state);
  ScheduledDesigns nodes;
  auto run = [&](StringRef phase, function_ref<void()> body) {
    state.runPhase(phase, body);
  };

  others.start();
  run("seed", [&] { seed(state); });
  run("search lines", [&] { lines.searchRuns(); });
  run("evaluate", [&] { state.evaluateBest(state.options.candidates); });
  std::future<Time> certificate = startCertificate(state);
  if (state.mode != JointMode::Quick) {
    run("seed others", [&] { others.finish(); });
    run("search mixed lines", [&] { lines.searchMixed(); });
    run("search nodes", [&] { nodes = searchNodeDesigns(state); });
    run("improve", [&] { improveDesigns(state); });
    run("evaluate improved", [&] {
      state.evaluateBest(limits.mostEvaluated, limits.mostEvaluatedAlike);
    });
    run("schedule", [&] { scheduleBest(state, !nodes.empty()); });
    run("improve split", [&] { improveSplit(state, nodes); });
  }
  return certify(state, std::move(certificate),
                 choosePlan(state, lines.lines()));
}
