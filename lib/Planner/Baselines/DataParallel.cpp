//===- DataParallel.cpp - Planners that make one stage --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Baselines/OneStage.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

Expected<std::vector<int64_t>>
hetero::planner::devicesForOneStage(StringRef planner, const Problem &problem,
                                    const Cluster &cluster) {
  if (Error error = check(problem, cluster))
    return error;
  Expected<std::vector<int64_t>> devices = requireDevices(problem, cluster);
  if (!devices)
    return devices.takeError();
  if (problem.constraints.tensor.value_or(1) != 1)
    return createStringError(
        "the planner '" + planner + "' does not divide layers, but " +
        Twine(*problem.constraints.tensor) + " parts are given");
  for (const Pin &pin : problem.constraints.pins) {
    if (pin.stage && *pin.stage != 0)
      return createStringError(
          "the planner '" + planner + "' makes one stage, but layer " +
          Twine(pin.layer) + " is pinned to stage " + Twine(*pin.stage));
    if (!pin.devices.empty())
      erase_if(*devices, [&](int64_t device) {
        return !is_contained(pin.devices, device);
      });
  }
  if (devices->empty())
    return createStringError("the planner '" + planner +
                             "' makes one stage, but no device that may be "
                             "used is one that all pinned layers allow");
  return devices;
}

static StageChoice allLayers(const Problem &problem,
                             ArrayRef<int64_t> devices) {
  StageChoice choice;
  choice.layers = {0, int64_t(problem.layers.size()) - 1};
  choice.devices = devices.vec();
  return choice;
}

Expected<Plan> hetero::planner::planSingle(const Problem &problem,
                                           const Cluster &cluster,
                                           const PlannerOptions &options) {
  Expected<std::vector<int64_t>> devices =
      devicesForOneStage("single", problem, cluster);
  if (!devices)
    return devices.takeError();
  PlanBuilder builder(problem, cluster, options);
  Selection selection;
  std::set<int64_t> seen;
  for (int64_t device : *devices)
    if (seen.insert(cluster.devices[device].deviceClass).second)
      for (ArrayRef<int64_t> microbatches : microbatchOptions(problem))
        selection.add(builder.build(microbatches, allLayers(problem, {device}),
                                    Division::Proportional));
  return selection.take("single", builder.model);
}

/// All microbatches and modes; with even shares the first that fits is taken.
static Expected<Plan> planDataParallel(StringRef name, Division division,
                                       const Problem &problem,
                                       const Cluster &cluster,
                                       const PlannerOptions &options) {
  Expected<std::vector<int64_t>> devices =
      devicesForOneStage(name, problem, cluster);
  if (!devices)
    return devices.takeError();
  PlanBuilder builder(problem, cluster, options);
  Selection selection;
  StageChoice choice = allLayers(problem, *devices);
  for (ArrayRef<int64_t> microbatches : microbatchOptions(problem))
    for (StateMode mode : options.stateModes) {
      choice.state = mode;
      selection.add(builder.build(microbatches, choice, division));
      if (division == Division::Even && selection.found())
        return selection.take(name, builder.model);
    }
  return selection.take(name, builder.model);
}

Expected<Plan> hetero::planner::planDpEven(const Problem &problem,
                                           const Cluster &cluster,
                                           const PlannerOptions &options) {
  return planDataParallel("dp-even", Division::Even, problem, cluster, options);
}

Expected<Plan>
hetero::planner::planDpProportional(const Problem &problem,
                                    const Cluster &cluster,
                                    const PlannerOptions &options) {
  return planDataParallel("dp-proportional", Division::Proportional, problem,
                          cluster, options);
}
