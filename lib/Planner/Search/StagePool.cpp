//===- StagePool.cpp - Stages that were looked at -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/StagePool.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using namespace hetero::simulator;

/// If the counts of the schedule are above the cutoff by this factor, the other
/// policies are not tried: they differ by a few microbatches in flight.
static constexpr double muchLonger = 1.1;

StagePool::StagePool(const PlanBuilder &builder, ArrayRef<int64_t> microbatches)
    : builder(builder), model(builder.model),
      microbatches(microbatches.begin(), microbatches.end()) {
  for (int64_t size : microbatches) {
    if (!is_contained(sizes, size))
      sizes.push_back(size);
    sizeOf.push_back(llvm::find(sizes, size) - sizes.begin());
  }
  counts.assign(sizes.size(), 0);
  for (int64_t size : sizeOf)
    ++counts[size];
}

size_t StagePool::find(const StageChoice &choice, StagePlace place,
                       int64_t depth) {
  key.assign({choice.layers.first, choice.layers.last, choice.tensor,
              int64_t(choice.state), choice.recompute, place.isFirst,
              place.isLast, depth});
  append_range(key, choice.devices);
  auto [known, isNew] = indices.try_emplace(key, entries.size());
  if (!isNew)
    return known->second;
  Entry entry;
  entry.stage = builder.makeStage(choice, place, sizes, depth);
  StateDivision state(model, entry.stage, place, Division::Proportional);
  entry.limit = state.limit();
  state.apply(std::max<int64_t>(1, entry.limit));
  entry.first = model.onceTimes(entry.stage);
  entry.seconds.node =
      model.cluster.devices[entry.stage.mesh.devices.front()].node;
  entry.seconds.gather = toSeconds(entry.first.gather);
  entry.seconds.reduce = toSeconds(entry.first.reduce);
  entry.seconds.update = toSeconds(entry.first.update);
  for (size_t size = 0; size < sizes.size(); ++size) {
    auto [forward, backward] = model.computeTimes(entry.stage, size);
    entry.seconds.sizes.push_back({toSeconds(forward), toSeconds(backward)});
    if (size > 0)
      continue;
    entry.first.forward = forward;
    entry.first.backward = backward;
  }
  entries.push_back(std::move(entry));
  return known->second;
}

/// By size of microbatch; valid until the next one is asked for.
ArrayRef<std::pair<Time, Time>> StagePool::crossing(size_t from, size_t to) {
  SmallVector<std::pair<Time, Time>, 2> &both = crossings[{from, to}];
  if (both.empty())
    for (size_t size = 0; size < sizes.size(); ++size)
      both.push_back(
          model.boundaryTimes(entries[from].stage, entries[to].stage, size));
  return both;
}

/// Finds the entries of all stages; false if one does not fit.
bool StagePool::collect(ArrayRef<StageChoice> stages) {
  found.clear();
  int64_t numStages = stages.size(), count = microbatches.size();
  for (auto [index, choice] : enumerate(stages)) {
    int64_t left = numStages - int64_t(index);
    found.push_back(
        find(choice, {index == 0, left == 1, count}, std::min(count, left)));
    if (entries[found.back()].limit < 1)
      return false;
  }
  return true;
}

/// What the stages and the crossings between them take, and what fits.
void StagePool::getTimes() {
  seconds.resize(found.size());
  times.resize(found.size());
  limits.resize(found.size());
  for (auto [index, number] : enumerate(found)) {
    seconds[index] = entries[number].seconds;
    times[index] = entries[number].first;
    limits[index] = entries[number].limit;
    if (index + 1 == found.size())
      continue;
    ArrayRef<std::pair<Time, Time>> crossed =
        crossing(number, found[index + 1]);
    std::tie(times[index].boundary, times[index].boundaryGradient) =
        crossed.front();
    for (auto [size, both] : zip_equal(seconds[index].sizes, crossed)) {
      size.boundary = toSeconds(both.first);
      size.boundaryGradient = toSeconds(both.second);
    }
  }
}

double StagePool::estimateSplit(ArrayRef<StageChoice> stages) {
  if (any_of(stages, [](const StageChoice &s) { return s.recompute; }) ||
      !collect(stages))
    return std::numeric_limits<double>::infinity();
  getTimes();
  return splitStep(seconds, counts, limits);
}

Estimate StagePool::estimate(ArrayRef<StageChoice> stages, double cutoff) {
  Estimate best;
  if (!collect(stages))
    return best;
  getTimes();
  if (leastStep(seconds, counts) >= cutoff)
    return best;
  int64_t count = microbatches.size();
  std::vector<std::vector<int64_t>> tried;
  auto tryCounts = [&](std::vector<int64_t> inFlight) {
    if (is_contained(tried, inFlight))
      return;
    double time = estimateStep(seconds, sizeOf, inFlight);
    if (time < best.seconds)
      best = {time, inFlight};
    tried.push_back(std::move(inFlight));
  };
  std::vector<int64_t> covering =
      computeInFlight(builder.options.schedule, count, times, limits);
  tryCounts(covering);
  if (builder.options.schedule != ScheduleKind::HeteroOneFOneB ||
      stages.size() == 1 || best.seconds > muchLonger * cutoff)
    return best;
  tryCounts(computeInFlight(ScheduleKind::OneFOneB, count, times, limits));
  // One and two more on each stage but the last than cover the crossings.
  for (int64_t more : {1, 2}) {
    std::vector<int64_t> raised = covering;
    int64_t before = count;
    for (size_t index = 0; index + 1 < raised.size(); ++index)
      before = raised[index] =
          std::min({raised[index] + more, limits[index], before});
    tryCounts(std::move(raised));
  }
  return best;
}

Plan StagePool::makePlan(ArrayRef<StageChoice> stages,
                         ArrayRef<int64_t> inFlight) {
  Plan plan;
  plan.batch = model.problem.batch;
  plan.microbatches = microbatches;
  plan.schedule = builder.options.schedule;
  collect(stages);
  for (size_t number : found)
    plan.stages.push_back(entries[number].stage);
  builder.setInFlight(plan, inFlight, Division::Proportional);
  return plan;
}
