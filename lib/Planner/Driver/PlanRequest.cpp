//===- PlanRequest.cpp - What a user asks of a plan -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Driver/PlanRequest.h"
#include "hetero/Planner/Driver/PlanStep.h"
#include "hetero/Planner/Driver/Planners.h"
#include "hetero/Planner/Model/StateDivision.h"
#include "hetero/Support/Yaml.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static Error addSchedule(StringRef name, PlannerOptions &options) {
  if (name == "auto")
    return Error::success();
  std::optional<ScheduleKind> kind = simulator::parseScheduleKind(name);
  if (!kind)
    return createStringError("there is no schedule '" + name +
                             "'; there are: auto, " +
                             simulator::listScheduleKinds());
  options.schedule = *kind;
  options.otherSchedules.clear();
  return Error::success();
}

static Error addStateModes(ArrayRef<std::string> names,
                           PlannerOptions &options) {
  static constexpr StateMode modes[] = {StateMode::Replicated,
                                        StateMode::Optimizer, StateMode::Full};
  if (!names.empty())
    options.stateModes.clear();
  for (const std::string &name : names) {
    const StateMode *mode =
        find_if(modes, [&](StateMode mode) { return stringify(mode) == name; });
    if (mode == std::end(modes))
      return createStringError("there is no way to hold state '" + name +
                               "'; there are: replicated, optimizer, full");
    options.stateModes.push_back(*mode);
  }
  return Error::success();
}

static Error addTimeBudget(StringRef text, PlannerOptions &options) {
  if (text.empty())
    return Error::success();
  auto [number, unit] = splitAmount(text);
  auto time = expectedToOptional(readQuantity(Dimension::Time, number, unit));
  if (!time)
    return createStringError("time-budget is '" + text +
                             "' and must be a time, like 5s");
  options.timeBudget = Time(*time);
  return Error::success();
}

Expected<PlannerOptions>
hetero::planner::getPlannerOptions(const PlanRequest &request) {
  PlannerOptions options;
  if (Error error = findPlanner(request.planner).takeError())
    return error;
  if (Error error = addSchedule(request.schedule, options))
    return error;
  if (Error error = addStateModes(request.state, options))
    return error;
  if (Error error = addTimeBudget(request.timeBudget, options))
    return error;
  if (request.effort < 1 || request.effort > 100)
    return createStringError("effort is " + Twine(request.effort) +
                             " and must be from 1 to 100");
  options.effort = request.effort;
  options.asReleased = request.asReleased;
  return options;
}

Expected<std::vector<int64_t>>
hetero::planner::getMicrobatches(const PlanRequest &request, int64_t batch) {
  const std::vector<int64_t> &sizes = request.microbatches;
  if (sizes.empty())
    return sizes;
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size < 1)
      return createStringError("microbatches is " + Twine(size) +
                               " and must be at least 1");
    sum += std::min(size, INT64_MAX / int64_t(sizes.size()));
  }
  if (sizes.size() > 1) {
    if (sum != batch)
      return createStringError("the batch has " + Twine(batch) +
                               " samples, but the microbatches make " +
                               Twine(sum));
    return sizes;
  }
  int64_t count = sizes.front();
  if (count > batch)
    return createStringError("a batch of " + Twine(batch) +
                             " samples cannot make " + Twine(count) +
                             " microbatches");
  // Before they fill the memory.
  if (count > maxGivenMicrobatches)
    return createStringError("microbatches is " + Twine(count) +
                             " and must be at most " +
                             Twine(maxGivenMicrobatches));
  return divideEvenly(batch, count);
}

int64_t hetero::planner::countAlike(const Cluster &cluster) {
  int64_t most = 1;
  std::map<std::pair<int64_t, int64_t>, int64_t> alike;
  for (int64_t rank : cluster.availableDevices())
    most = std::max(most, ++alike[{cluster.devices[rank].node,
                                   cluster.devices[rank].deviceClass}]);
  return most;
}

Error hetero::planner::addConstraints(const PlanRequest &request,
                                      const Cluster &cluster,
                                      Problem &problem) {
  Constraints &constraints = problem.constraints;
  if (request.maxStages < 0)
    return createStringError("max-stages is " + Twine(request.maxStages) +
                             " and must be at least 1");
  if (request.maxStages > 0)
    constraints.maxStages = request.maxStages;
  for (int64_t device : request.without) {
    if (device < 0 || device >= int64_t(cluster.devices.size()))
      return createStringError("without names device " + Twine(device) +
                               ", but the cluster has devices 0 to " +
                               Twine(cluster.devices.size() - 1));
    if (!is_contained(constraints.forbiddenDevices, device))
      constraints.forbiddenDevices.push_back(device);
  }
  if (request.tensor < 0 || request.tensor > countAlike(cluster))
    return createStringError(
        "tensor asks for " + Twine(request.tensor) +
        " parts, but the most devices of one class in one node are " +
        Twine(countAlike(cluster)));
  if (request.tensor > 0)
    constraints.tensor = request.tensor;
  Expected<std::vector<int64_t>> microbatches =
      getMicrobatches(request, problem.batch);
  if (!microbatches)
    return microbatches.takeError();
  if (!microbatches->empty())
    constraints.microbatches = std::move(*microbatches);
  return Error::success();
}
