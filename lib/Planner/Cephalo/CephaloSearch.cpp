//===- CephaloSearch.cpp - Samples, sizes and state of a group ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CephaloSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// A batch of more samples is handed out in units of several, at most this
/// number of them, as tables are as long.
static constexpr int64_t maxParts = 8192;

/// A stage of all layers; each is a run of its own if they are accumulated one
/// by one.
static Stage makeStage(const Problem &problem, const Way &way) {
  Stage stage;
  int64_t numLayers = problem.layers.size();
  for (int64_t layer = 0; layer < numLayers && way.layered; ++layer)
    stage.layers.push_back({layer, layer});
  if (!way.layered)
    stage.layers = {{0, numLayers - 1}};
  stage.state = way.mode;
  stage.recompute = way.recompute;
  return stage;
}

StageTimes hetero::planner::onceTimesOf(const StageModel &model,
                                        ArrayRef<int64_t> devices,
                                        StateMode mode,
                                        ArrayRef<LayerRun> layers) {
  Stage stage;
  stage.layers = layers.vec();
  stage.mesh.devices = devices.vec();
  stage.mesh.data = devices.size();
  stage.state = mode;
  ColumnState column = model.columnState(stage.layers, 1);
  std::map<int64_t, int64_t> members;
  auto groupOf = [&](int64_t device) {
    return mode == StateMode::Node ? model.cluster.devices[device].node : 0;
  };
  for (int64_t device : devices)
    ++members[groupOf(device)];
  for (int64_t device : devices) {
    DeviceShare &share = stage.shares.emplace_back();
    share.device = device;
    Bytes common = column.undivided(mode);
    share.state = common + Bytes(scale((column.total() - common).count(), 1,
                                       members[groupOf(device)]));
  }
  return model.onceTimes(stage);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

CephaloTables::CephaloTables(const PlanBuilder &builder, bool ignoresMemory)
    : builder(builder), model(builder.model), ignoresMemory(ignoresMemory) {
  const Problem &problem = model.problem;
  ArrayRef<int64_t> given = problem.constraints.microbatches;
  int64_t largest = given.empty() ? problem.batch : *llvm::max_element(given);
  unit = (largest + maxParts - 1) / maxParts;
  for (size_t index = 0; index < problem.layers.size(); ++index) {
    // Layers that are like one another have the same first one.
    int64_t origin = index;
    while (problem.layers[origin].like)
      origin = *problem.layers[origin].like;
    ++layers[origin];
  }
}

const std::vector<MicroTimes> &CephaloTables::timesUpTo(int64_t deviceClass,
                                                        int64_t micro) {
  std::vector<MicroTimes> &list = times[deviceClass];
  list.resize(std::max<size_t>(1, list.size()));
  while (int64_t(list.size()) <= micro) {
    const LayerTimes &table =
        model.layerTimes(deviceClass, 1, int64_t(list.size()) * unit);
    MicroTimes &entry = list.emplace_back();
    for (auto [first, count] : layers)
      entry.emplace_back(toSeconds(table.forward[first]),
                         toSeconds(table.backward[first]));
  }
  return list;
}

int64_t CephaloTables::maxCount(Stage &stage, StagePlace place, int64_t micro,
                                int64_t guess) const {
  int64_t low = 0, high = model.problem.batch / unit / micro;
  if (ignoresMemory)
    return high;
  Bytes usable =
      model.cluster.classOf(stage.mesh.devices.front()).usableMemory();
  stage.shares[0].micro = micro * unit;
  auto look = [&](int64_t count) {
    stage.samples[0][0] = count * micro * unit;
    if (model.memoryUse(stage, place, 0).total() <= usable)
      low = count;
    else
      high = count - 1;
  };
  // It is near the guess, or anywhere.
  for (int64_t count : {guess, guess + 1})
    if (count > low && count <= high)
      look(count);
  while (low < high)
    look(low + (high - low + 1) / 2);
  return low;
}

const std::vector<int64_t> &CephaloTables::countsUpTo(int64_t device,
                                                      const Way &way,
                                                      int64_t numMicrobatches,
                                                      int64_t micro) {
  int64_t deviceClass = model.cluster.devices[device].deviceClass;
  std::vector<int64_t> &list = counts[{deviceClass, way, numMicrobatches}];
  Stage stage = makeStage(model.problem, way);
  ColumnState column = model.columnState(stage.layers, 1);
  Bytes state = column.undivided(way.mode);
  stage.mesh = {{device}, 1, 1};
  stage.shares.push_back({device, 1, state, Bytes(0)});
  stage.samples = {{0}};
  stage.inFlight =
      way.layered ? numMicrobatches * int64_t(stage.layers.size()) : 1;
  StagePlace place = {true, true, numMicrobatches, way.layered};
  list.resize(std::max<size_t>(1, list.size()));
  while (int64_t(list.size()) <= micro && (list.size() == 1 || list.back() > 0))
    // About as many samples as for the size before.
    list.push_back(maxCount(stage, place, list.size(),
                            list.back() * int64_t(list.size() - 1) /
                                int64_t(list.size())));
  return list;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

CephaloSearch::CephaloSearch(CephaloTables &tables, ArrayRef<int64_t> devices,
                             std::vector<int64_t> given, Way way)
    : tables(tables), builder(tables.builder), model(tables.model),
      problem(model.problem), way(way), microbatches(std::move(given)),
      unit(tables.unit), numDevices(devices.size()) {
  for (int64_t device : devices)
    kinds[model.cluster.devices[device].deviceClass].push_back(device);
  addLayers(devices);
  Plan plan;
  plan.microbatches = microbatches;
  sizes = plan.distinctMicrobatches();
  for (int64_t size : sizes)
    addSplitter(size);
}

/// Gather and reduce of each kind of layer, with parts that are alike.
void CephaloSearch::addLayers(ArrayRef<int64_t> devices) {
  cost::Group group = cost::makeGroup(model.cluster, devices);
  int64_t number = devices.size();
  auto gatherTime = [&](Bytes bytes) {
    std::vector<Bytes> shards(number, Bytes(scale(bytes.count(), 1, number)));
    return toSeconds(cost::chooseAllGather(group, shards).time);
  };
  for (auto [first, count] : tables.layers) {
    LayerKind &kind = layers.emplace_back(LayerKind{first, count});
    if (!way.layered)
      continue;
    if (way.mode == StateMode::Node) {
      StageTimes times =
          onceTimesOf(model, devices, way.mode, {{first, first}});
      kind.gather = toSeconds(times.gather);
      kind.reduce = toSeconds(times.reduce);
      continue;
    }
    kind.gather = gatherTime(problem.layers[first].parameters);
    kind.reduce = gatherTime(problem.layers[first].gradients);
  }
}

void CephaloSearch::addSplitter(int64_t size) {
  std::vector<SplitKind> split;
  for (const auto &[deviceClass, devices] : kinds) {
    SplitKind &entry = split.emplace_back();
    entry.devices = devices.size();
    const std::vector<int64_t> &counts = tables.countsUpTo(
        devices.front(), way, int64_t(microbatches.size()), size / unit);
    entry.maxMicro = std::min<int64_t>(size / unit, counts.size() - 1);
    if (entry.maxMicro > 0 && counts[entry.maxMicro] == 0)
      --entry.maxMicro;
    const std::vector<MicroTimes> &times =
        tables.timesUpTo(deviceClass, entry.maxMicro);
    entry.maxCount = [&counts](int64_t micro) { return counts[micro]; };
    entry.phases = [this, &times](int64_t micro, int64_t count) {
      return phases(times[micro], count);
    };
    entry.seconds = [this, &times](int64_t micro, int64_t count) {
      return seconds(times[micro], count);
    };
  }
  splitters.emplace_back(split, size / unit);
}

/// Of microbatches of a layer.
PhaseTimes CephaloSearch::phases(const LayerKind &layer,
                                 std::pair<double, double> time,
                                 int64_t count) const {
  auto number = double(count);
  double forward = number * time.first, backward = number * time.second;
  if (way.recompute)
    backward += forward;
  double computing = forward + backward;
  if (way.layered) {
    forward = std::max(forward, layer.gather);
    backward = std::max(backward, layer.gather + layer.reduce);
  }
  return {forward, backward, computing};
}

double CephaloSearch::seconds(const MicroTimes &times, int64_t count) const {
  double sum = 0;
  for (auto [layer, time] : zip_equal(layers, times)) {
    PhaseTimes own = phases(layer, time, count);
    sum += double(layer.count) * (own.forward + own.backward);
  }
  return sum;
}

PhaseTimes CephaloSearch::phases(const MicroTimes &times, int64_t count) const {
  PhaseTimes sum;
  for (auto [layer, time] : zip_equal(layers, times)) {
    PhaseTimes own = phases(layer, time, count);
    auto many = double(layer.count);
    sum.forward += many * own.forward;
    sum.backward += many * own.backward;
    sum.computing += many * own.computing;
  }
  return sum;
}

double CephaloSearch::leastComputing() {
  std::map<int64_t, double> ofSize;
  for (auto [size, splitter] : zip_equal(sizes, splitters))
    ofSize[size] = splitter.leastComputing();
  double sum = 0;
  for (int64_t size : microbatches)
    sum += ofSize[size];
  return sum;
}

std::optional<Plan> CephaloSearch::makePlan(Goal goal, int64_t maxSum,
                                            bool keepIdle) {
  Plan plan;
  plan.batch = problem.batch;
  plan.microbatches = microbatches;
  if (way.layered)
    plan.schedule = ScheduleKind::Layered;
  std::map<int64_t, std::vector<int64_t>> samples;
  std::map<int64_t, int64_t> micros;
  for (auto [size, splitter] : zip_equal(sizes, splitters)) {
    std::optional<BatchSplit> found =
        goal == Goal::Released
            ? splitter.split(maxSum)
            : splitter.splitPhases(
                  maxSum, goal == Goal::Fewest ? Ties::Fewest : Ties::Smallest);
    if (!found)
      return std::nullopt;
    int64_t left = size % unit;
    for (auto [kind, shares] : zip_equal(kinds, found->shares))
      for (auto [device, share] : zip_equal(kind.second, shares)) {
        // What is less than a unit goes to the first that works.
        int64_t number = share.samples() * unit;
        if (number > 0)
          number += std::exchange(left, 0);
        samples[device].push_back(number);
        micros[device] = std::max(micros[device], share.micro * unit);
      }
  }
  Stage stage = makeStage(problem, way);
  stage.samples.resize(sizes.size());
  for (const auto &[device, numbers] : samples) {
    bool idle = all_of(numbers, [](int64_t number) { return number == 0; });
    if (idle && !keepIdle)
      continue;
    stage.mesh.devices.push_back(device);
    DeviceShare &share = stage.shares.emplace_back();
    share.device = device;
    int64_t micro = micros[device];
    if (any_of(numbers, [&](int64_t number) { return number > micro; }))
      share.micro = micro;
    for (auto [list, number] : zip_equal(stage.samples, numbers))
      list.push_back(number);
  }
  stage.mesh.data = stage.mesh.devices.size();
  if (stage.mesh.data == 1) {
    stage.state = StateMode::Replicated;
    stage.layers = {{0, int64_t(problem.layers.size()) - 1}};
    plan.schedule = builder.options.schedule;
  }
  plan.stages.push_back(std::move(stage));
  return plan;
}

bool CephaloSearch::fits(Plan &plan) const {
  StateDivision division(model, plan.stages[0], StageModel::placeOf(plan, 0),
                         Division::Proportional);
  bool enough = division.limit() >= 1;
  division.apply(1);
  return enough;
}

/// Whether there is also room for parts of the state that are alike.
bool CephaloSearch::fitsEvenly(Plan plan) const {
  return StateDivision(model, plan.stages[0], StageModel::placeOf(plan, 0),
                       Division::Even)
             .limit() >= 1;
}

/// The plan with the largest sum of microbatches that fits and that sum, from
/// one that does not; if none does, the last that was tried and nothing.
std::pair<Plan, int64_t> CephaloSearch::findLargest(Goal goal, Plan start,
                                                    bool keepIdle) {
  int64_t low = 1, high = 0, found = 0;
  for (auto [index, share] : enumerate(start.stages[0].shares)) {
    int64_t most = 0;
    for (const std::vector<int64_t> &samples : start.stages[0].samples)
      most = std::max(most, samples[index]);
    high += share.micro.value_or(most) / unit;
  }
  Plan best, closest = std::move(start);
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    std::optional<Plan> plan = makePlan(goal, middle, keepIdle);
    if (plan && !fits(*plan)) {
      closest = std::move(*plan);
      high = middle;
      continue;
    }
    if (plan) {
      best = std::move(*plan);
      found = middle;
    }
    low = middle + 1;
  }
  return {found > 0 ? std::move(best) : std::move(closest), found};
}

/// The fastest plan for a goal that fits. Where memory does not allow the split
/// as published, others get its sum of sizes, as their own takes long to find.
std::optional<Plan> CephaloSearch::findPlan(Goal goal, bool keepIdle) {
  std::optional<Plan> plan =
      makePlan(goal, numDevices * (problem.batch / unit), keepIdle);
  if (!plan || fits(*plan))
    return plan;
  std::optional<int64_t> &limit = limits[keepIdle ? 1 : 0];
  if (goal != Goal::Released && limit) {
    plan = makePlan(goal, *limit, keepIdle);
    return plan && fits(*plan) ? plan : std::nullopt;
  }
  auto [largest, sum] = findLargest(goal, std::move(*plan), keepIdle);
  if (goal == Goal::Released)
    limit = sum;
  return std::move(largest);
}

/// The plans for a goal, without and with devices that compute nothing.
std::vector<Plan> CephaloSearch::findPlans(Goal goal) {
  std::vector<Plan> plans;
  for (bool keepIdle : {false, true}) {
    std::optional<Plan> plan = findPlan(goal, keepIdle);
    if (!plan)
      break;
    const Stage &stage = plan->stages[0];
    bool usesAll = int64_t(stage.mesh.devices.size()) == numDevices;
    for (ArrayRef<int64_t> samples : stage.samples)
      usesAll &= !is_contained(samples, 0);
    if (!usesAll && !keepIdle)
      used.push_back(stage.mesh.devices);
    plans.push_back(std::move(*plan));
    // Devices that compute nothing can still hold state.
    if (!way.divides() || usesAll)
      break;
  }
  return plans;
}

void CephaloSearch::runReleased(Selection &selection) {
  for (Plan &plan : findPlans(Goal::Released))
    selection.add(builder.complete(std::move(plan)));
}

bool CephaloSearch::run(Selection &selection) {
  std::vector<Plan> released = findPlans(Goal::Released);
  std::vector<Plan> plans = findPlans(Goal::Fewest);
  bool isFree = !limits[0] && !plans.empty() && fitsEvenly(plans.front());
  if (!isFree)
    append_range(plans, findPlans(Goal::Smallest));
  // Of those that are equally fast the first one is taken.
  append_range(plans, released);
  for (Plan &plan : plans)
    selection.add(builder.complete(std::move(plan)));
  return isFree;
}

void CephaloSearch::runSmallest(Selection &selection) {
  if (std::optional<Plan> plan =
          makePlan(Goal::Released, numDevices, /*keepIdle=*/false)) {
    fits(*plan);
    selection.add(builder.complete(std::move(*plan)));
  }
}
