//===- JointState.cpp - What the phases of joint share --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JointState.h"
#include "hetero/Planner/Model/VerifyPlan.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Planner/Search/OtherSchedules.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// All numbers of microbatches that are few, those that divide the batch, and
/// two for each doubling.
static std::vector<size_t>
chooseSearched(ArrayRef<std::vector<int64_t>> microbatches) {
  std::vector<size_t> searched;
  double next = 1;
  for (auto [index, sizes] : enumerate(microbatches)) {
    auto count = double(sizes.size());
    if (count >= next)
      next = count < limits.fewMicrobatches ? count + 1
                                            : count * limits.nextMicrobatches;
    else if (sizes.front() != sizes.back())
      continue;
    searched.push_back(index);
  }
  return searched;
}

JointState::JointState(const Problem &problem, const Cluster &cluster,
                       const PlannerOptions &options, JointMode mode,
                       StringRef planner)
    : problem(problem), cluster(cluster), options(options), mode(mode),
      planner(planner), deadline(options.timeBudget),
      estimator(problem, cluster, options), builder(estimator.builder),
      devices(usableDevices(problem, cluster)),
      microbatches(estimator.microbatches),
      searched(chooseSearched(microbatches)) {}

//===----------------------------------------------------------------------===//
// Designs
//===----------------------------------------------------------------------===//

bool JointState::isPossible(const Design &design) const {
  const Constraints &constraints = problem.constraints;
  int64_t numStages = design.stages.size();
  if (constraints.maxStages && numStages > *constraints.maxStages)
    return false;
  for (auto [index, stage] : enumerate(design.stages)) {
    int64_t count = stage.devices.size();
    if (count == 0 || count % stage.tensor != 0 ||
        count / stage.tensor > microbatches[design.microbatches].front())
      return false;
    for (int64_t layer = stage.layers.first;
         stage.tensor > 1 && layer <= stage.layers.last; ++layer)
      if (!is_contained(problem.layers[layer].tensorDegrees, stage.tensor))
        return false;
    if (!rowsAreUniform(cluster, stage.devices, stage.tensor))
      return false;
    for (const Pin &pin : constraints.pins) {
      if (pin.layer < stage.layers.first || pin.layer > stage.layers.last)
        continue;
      if (pin.stage && *pin.stage != int64_t(index))
        return false;
      if (!pin.devices.empty() && any_of(stage.devices, [&](int64_t device) {
            return !is_contained(pin.devices, device);
          }))
        return false;
    }
  }
  return true;
}

Estimate JointState::estimate(const Design &design, Estimator &by,
                              double cutoff) const {
  if (!isPossible(design))
    return {};
  return by.pool(design).estimate(design.stages, cutoff);
}

double JointState::estimateSplit(const Design &design) {
  if (isOver() || !isPossible(design))
    return infinity;
  return estimator.pool(design).estimateSplit(design.stages);
}

double JointState::add(Design design, StringRef by) {
  Estimate value = estimate(design, estimator);
  double seconds = value.seconds;
  if (seconds == infinity)
    return infinity;
  leastSeconds = std::min(leastSeconds, seconds);
  designs.push_back({std::move(design), std::move(value), designs.size(), by});
  return seconds;
}

static bool isFaster(const FoundDesign &left, const FoundDesign &right) {
  return std::tie(left.estimate.seconds, left.number) <
         std::tie(right.estimate.seconds, right.number);
}

ArrayRef<FoundDesign> JointState::sortDesigns() {
  sort(designs, isFaster);
  return designs;
}

/// The design of another plan, if it is one.
void JointState::addSeed(const Plan &plan, StringRef by) {
  Design design;
  auto at = find(microbatches, plan.microbatches);
  if (at == microbatches.end())
    return;
  design.microbatches = at - microbatches.begin();
  for (const Stage &stage : plan.stages) {
    if (stage.layers.size() != 1)
      return;
    design.stages.push_back({stage.layers.front(), stage.mesh.devices,
                             stage.mesh.tensor, stage.state, stage.recompute});
  }
  add(std::move(design), by);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

void JointState::creditBest(StringRef by) {
  if (!selection.found() || selection.get()->plan.predicted >= creditedTime)
    return;
  creditedTime = selection.get()->plan.predicted;
  creditedTo = by;
}

void JointState::consider(Candidate candidate, StringRef by) {
  Time predicted = candidate.plan.predicted;
  auto at = find_if(sortedPlans, [&](const Plan &other) {
    return other.predicted >= predicted;
  });
  // Plans that take the same are usually the same.
  if (!candidate.shortage &&
      (at == sortedPlans.end() || at->predicted > predicted))
    sortedPlans.insert(at, candidate.plan);
  if (selection.add(std::move(candidate)) && options.onBetter)
    options.onBetter(selection.get()->plan);
  creditBest(by);
}

void JointState::addAnswer(std::optional<Candidate> answer, StringRef by,
                           bool isStart) {
  if (!answer)
    return;
  if (!answer->shortage) {
    leastSeconds = std::min(leastSeconds, toSeconds(answer->plan.predicted));
    if (isStart)
      addSeed(answer->plan, by);
  }
  consider(std::move(*answer), by);
}

std::optional<Candidate> JointState::makeCandidate(const Design &design,
                                                   ArrayRef<int64_t> inFlight) {
  Candidate candidate = builder.complete(
      estimator.pool(design).makePlan(design.stages, inFlight));
  if (errorToBool(verifyStructure(builder.model, candidate.plan)))
    return std::nullopt;
  return candidate;
}

void JointState::evaluateBest(size_t most, size_t mostAlike) {
  size_t evaluated = 0;
  std::vector<const Design *> done;
  std::map<size_t, size_t> alike;
  for (const FoundDesign &found : sortDesigns()) {
    if (evaluated > 0 && isOver())
      break;
    if (alike[found.design.microbatches] >= mostAlike ||
        any_of(done,
               [&](const Design *other) { return *other == found.design; }))
      continue;
    done.push_back(&found.design);
    ++alike[found.design.microbatches];
    if (std::optional<Candidate> candidate =
            makeCandidate(found.design, found.estimate.inFlight))
      consider(std::move(*candidate), found.by);
    if (++evaluated >= std::max<size_t>(1, most))
      break;
  }
}

double JointState::schedule(const Design &design, const Estimate &whole) {
  std::optional<Candidate> candidate = makeCandidate(design, whole.inFlight);
  if (!candidate || candidate->shortage)
    return infinity;
  double seconds = toSeconds(candidate->plan.predicted);
  Selection other;
  if (!isOver())
    addSchedules(builder, candidate->plan, other);
  consider(std::move(*candidate), phase);
  if (!other.found())
    return seconds;
  seconds = std::min(seconds, toSeconds(other.get()->plan.predicted));
  selection.add(*other.get());
  return seconds;
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

static std::string describe(size_t number, StringRef what, StringRef best,
                            double seconds, StringRef by) {
  std::string text = std::to_string(number) + " " + what.str();
  if (number != 1)
    text += "s";
  if (!by.empty())
    text += (", " + best + " " + approximate(Time(int64_t(seconds * 1e12))) +
             " by " + by)
                .str();
  return text;
}

void JointState::log(StringRef name, const Twine &text) const {
  // One write for the whole line: others may write to the same stream.
  if (options.log)
    *options.log << (planner + ": " + name + ": " + text + "\n").str();
}

void JointState::runPhase(StringRef name, function_ref<void()> run) {
  phase = name;
  run();
  creditBest(phase);
  auto best = min_element(designs, isFaster);
  bool hasDesign = best != designs.end();
  log(name, describe(designs.size(), "design", "best estimate",
                     hasDesign ? best->estimate.seconds : 0,
                     hasDesign ? best->by : "") +
                "; " +
                describe(sortedPlans.size(), "plan", "best",
                         toSeconds(creditedTime), creditedTo));
}
