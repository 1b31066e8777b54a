//===- Evaluate.cpp - How good a plan is ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/Evaluate.h"
#include "hetero/Planner/Model/PlanSimulator.h"
#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Model/VerifyPlan.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using namespace hetero::simulator;
using hetero::cluster::Cluster;

/// The times of the first microbatch, of all chunks of a stage together.
static StageTimes sumChunks(const Stage &stage, ArrayRef<StageTimes> times) {
  StageTimes sum = times.front();
  for (size_t i = stage.samples.size(); i < times.size();
       i += stage.samples.size()) {
    sum.forward += times[i].forward;
    sum.backward += times[i].backward;
    sum.boundary = std::max(sum.boundary, times[i].boundary);
    sum.boundaryGradient =
        std::max(sum.boundaryGradient, times[i].boundaryGradient);
    sum.gather += times[i].gather;
    sum.reduce += times[i].reduce;
  }
  return sum;
}

/// Adds the memory of stages that would have more in flight if it fitted.
static void addMemoryLimits(const StageModel &model, const Plan &plan,
                            ArrayRef<std::vector<StageTimes>> timesBySize,
                            std::vector<Resource> &limits) {
  std::vector<StageTimes> times;
  for (const std::vector<StageTimes> &list : timesBySize)
    times.push_back(list.front());
  if (plan.schedule != ScheduleKind::HeteroOneFOneB &&
      plan.schedule != ScheduleKind::ZeroBubble)
    return;
  std::vector<int64_t> wanted =
      computeInFlight(plan.schedule, plan.microbatches.size(), times);
  Plan more = plan;
  for (auto [index, stage] : enumerate(more.stages)) {
    if (stage.inFlight >= wanted[index])
      continue;
    ++stage.inFlight;
    for (auto [number, device] : enumerate(stage.mesh.devices)) {
      if (model.memoryUse(more, index, number).total() <=
          model.cluster.classOf(device).usableMemory())
        continue;
      limits.push_back({ResourceKind::Memory, int64_t(index), {}, {}});
      break;
    }
  }
}

/// The largest of what happens in each stage, and in the whole step what the
/// slowest stage spends it on.
static std::vector<Resource>
findLimits(const StageModel &model, const Plan &plan,
           ArrayRef<std::vector<StageTimes>> timesBySize) {
  int64_t count = plan.microbatches.size();
  Resource limit;
  Time longest(-1);
  auto consider = [&](ResourceKind kind, int64_t stage, Time time) {
    if (time <= longest)
      return;
    longest = time;
    limit = {kind, stage, {}, {}};
  };
  for (auto [index, times] : enumerate(timesBySize)) {
    StageTimes first = sumChunks(plan.stages[index], times);
    consider(ResourceKind::Compute, index,
             (first.forward + first.backward) * count + first.update);
    consider(ResourceKind::Bandwidth, index, first.gather + first.reduce);
    Time crossing = std::max(first.boundary, first.boundaryGradient) * count;
    if (index + 1 == timesBySize.size())
      continue;
    Time latency = model.cluster
                       .pathBetween(plan.stages[index].mesh.devices.back(),
                                    plan.stages[index + 1].mesh.devices.front())
                       .latency *
                   count;
    consider(latency * 2 > crossing ? ResourceKind::Latency
                                    : ResourceKind::Bandwidth,
             index, crossing);
  }
  std::vector<Resource> limits = {limit};
  addMemoryLimits(model, plan, timesBySize, limits);
  return limits;
}

void hetero::planner::predict(const StageModel &model, Time bound, Plan &plan) {
  std::vector<std::vector<StageTimes>> times = getStageTimes(model, plan);
  for (auto [index, stage] : enumerate(plan.stages)) {
    StageTimes first = sumChunks(stage, times[index]);
    stage.forward = first.forward;
    stage.backward = first.backward;
    stage.boundary = first.boundary;
    stage.boundaryGradient = first.boundaryGradient;
    stage.gather = first.gather;
    stage.reduce = first.reduce;
    stage.update = first.update;
    for (size_t device = 0; device < stage.shares.size(); ++device)
      stage.shares[device].memory =
          model.memoryUse(plan, index, device).total();
  }
  // Nothing takes no time at all.
  plan.predicted =
      std::max(Time(1), simulateStages(model, plan, times).result.total);
  plan.bound = std::min(bound, plan.predicted);
  plan.limitedBy = findLimits(model, plan, times);
}

Error hetero::planner::checkCountable(const Plan &plan) {
  if (plan.predicted < Time::max())
    return Error::success();
  // Sums over layers that are too long to count are so in all stages, so the
  // stage of the limit says nothing.
  return createStringError("the step takes more than " +
                           approximate(Time::max()) +
                           ", which is too long to count; it is limited by " +
                           stringify(plan.limitedBy.front().kind));
}

Error hetero::planner::evaluateChecked(const Problem &problem,
                                       const Cluster &cluster, Plan &plan,
                                       std::string &place) {
  StageModel model(problem, cluster);
  if (Error error = verifyStructure(model, plan, &place))
    return error;
  predict(model, computeBound(problem, cluster), plan);
  if (std::optional<Shortage> shortage = model.findShortage(plan)) {
    const std::vector<int64_t> &devices =
        plan.stages[shortage->stage].mesh.devices;
    place = formatv("stages.{0}.shares.{1}", shortage->stage,
                    find(devices, shortage->device) - devices.begin());
    return createStringError(model.describe(*shortage));
  }
  place = "stages";
  return checkCountable(plan);
}

Error hetero::planner::evaluate(const Problem &problem, const Cluster &cluster,
                                Plan &plan) {
  if (Error error = check(problem, cluster))
    return error;
  std::string place;
  return evaluateChecked(problem, cluster, plan, place);
}

Expected<Plan> hetero::planner::readPlan(MemoryBufferRef buffer,
                                         const Problem &problem,
                                         const Cluster &cluster) {
  if (Error error = check(problem, cluster))
    return error;
  return readPlan(buffer, [&](Plan &plan, std::string &place) {
    return evaluateChecked(problem, cluster, plan, place);
  });
}
