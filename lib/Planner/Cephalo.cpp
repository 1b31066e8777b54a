//===- Cephalo.cpp - Compute and state split separately -------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One stage of all devices. BatchSplit.h decides who computes how many samples
// in microbatches of which size; state then goes where memory is left, as
// evenly as that allows, as uneven collectives take longer.
//
// The time of l microbatches of m samples on a device is, with AG and RS for
// gathering the parameters and scattering the gradients of a layer,
//
//   sum over layers of max(AG, l tf(m)) + max(AG + RS, l tb(m))
//
// when layers are accumulated one by one: each is gathered once for all
// microbatches, while the one before is computed, and again in the backward.
// Otherwise everything is gathered first, and it is the sum of
// l tf(m) + l tb(m).
//
//===----------------------------------------------------------------------===//

#include "BatchSplit.h"
#include "OneStage.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// Batches are handed out in so many parts at most.
static constexpr int64_t maxParts = 8192;

namespace {
/// The layers that are like each other.
struct LayerKind {
  int64_t first = 0, count = 0;
  /// Of one of them, in seconds.
  double gather = 0, reduce = 0;
};

/// The devices of a class.
struct ClassDevices {
  int64_t deviceClass = 0;
  std::vector<int64_t> devices;
};

/// Forward and backward of a microbatch, for each kind of layer, in seconds.
using MicroTimes = std::vector<std::pair<double, double>>;

/// The search for one way to hold state.
class CephaloSearch {
public:
  CephaloSearch(const PlanBuilder &builder, ArrayRef<int64_t> devices,
                std::vector<int64_t> microbatches, StateMode mode,
                bool recompute, bool layered, bool ignoresMemory = false);

  /// Adds the best plans.
  void run(Selection &selection);
  /// Adds the plan with the smallest microbatches, to say what is missing.
  void runSmallest(Selection &selection);

private:
  void addDevices(ArrayRef<int64_t> devices);
  void addLayers(ArrayRef<int64_t> devices);
  void addSplitter(int64_t size);
  int64_t maxCount(size_t kind, int64_t micro) const;
  double seconds(const MicroTimes &times, int64_t count) const;
  /// The plan in which microbatches of all devices sum to at most `maxSum`.
  std::optional<Plan> makePlan(int64_t maxSum, bool keepIdle) const;
  bool fits(Plan &plan) const;
  std::optional<Plan> findLargest(Plan start, bool keepIdle) const;

  const PlanBuilder &builder;
  const StageModel &model;
  const Problem &problem;
  StateMode mode;
  /// Whether layers are accumulated one by one, each gathered while the one
  /// before is computed.
  bool recompute, layered;
  bool ignoresMemory;
  std::vector<int64_t> microbatches;
  /// Samples that are handed out together.
  int64_t unit = 1;
  std::vector<ClassDevices> kinds;
  std::vector<LayerKind> layers;
  /// For each different size of microbatch of the plan.
  std::vector<BatchSplitter> splitters;
};
} // namespace

/// A stage of all layers; each is a run of its own if they are accumulated one
/// by one.
static Stage makeStage(const Problem &problem, StateMode mode, bool recompute,
                       bool layered) {
  Stage stage;
  int64_t numLayers = problem.layers.size();
  for (int64_t layer = 0; layer < numLayers && layered; ++layer)
    stage.layers.push_back({layer, layer});
  if (!layered)
    stage.layers = {{0, numLayers - 1}};
  stage.state = mode;
  stage.recompute = recompute;
  return stage;
}

CephaloSearch::CephaloSearch(const PlanBuilder &builder,
                             ArrayRef<int64_t> devices,
                             std::vector<int64_t> sizes, StateMode mode,
                             bool recompute, bool layered, bool ignoresMemory)
    : builder(builder), model(builder.model), problem(model.problem),
      mode(mode), recompute(recompute), layered(layered),
      ignoresMemory(ignoresMemory), microbatches(std::move(sizes)) {
  int64_t largest = *std::max_element(microbatches.begin(), microbatches.end());
  unit = (largest + maxParts - 1) / maxParts;
  addDevices(devices);
  addLayers(devices);
  Plan plan;
  plan.microbatches = microbatches;
  for (int64_t size : plan.distinctMicrobatches())
    addSplitter(size);
}

void CephaloSearch::addDevices(ArrayRef<int64_t> devices) {
  for (int64_t device : devices) {
    int64_t deviceClass = model.cluster.devices[device].deviceClass;
    auto found = find_if(kinds, [&](const ClassDevices &kind) {
      return kind.deviceClass == deviceClass;
    });
    if (found == kinds.end())
      kinds.push_back({deviceClass, {device}});
    else
      found->devices.push_back(device);
  }
}

void CephaloSearch::addLayers(ArrayRef<int64_t> devices) {
  cost::Group group = cost::makeGroup(model.cluster, devices);
  int64_t number = devices.size();
  auto gatherTime = [&](Bytes bytes) {
    std::vector<Bytes> shards(number, Bytes(scale(bytes.count(), 1, number)));
    return toSeconds(cost::chooseAllGather(group, shards).time);
  };
  for (auto [index, layer] : enumerate(problem.layers)) {
    // Layers that are like one another have the same first one.
    int64_t origin = index;
    while (problem.layers[origin].like)
      origin = *problem.layers[origin].like;
    auto found = find_if(
        layers, [&](const LayerKind &kind) { return kind.first == origin; });
    if (found != layers.end())
      ++found->count;
    else
      layers.push_back({origin, 1, gatherTime(layer.parameters),
                        gatherTime(layer.gradients)});
  }
}

void CephaloSearch::addSplitter(int64_t size) {
  std::vector<SplitKind> split;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    SplitKind &entry = split.emplace_back();
    entry.devices = kinds[kind].devices.size();
    std::vector<MicroTimes> times(1);
    std::vector<int64_t> counts(1);
    for (int64_t micro = 1; micro <= size / unit; ++micro) {
      counts.push_back(maxCount(kind, micro));
      if (counts.back() == 0)
        break;
      const LayerTimes &table =
          model.layerTimes(kinds[kind].deviceClass, 1, micro * unit);
      MicroTimes &list = times.emplace_back();
      for (const LayerKind &layer : layers)
        list.push_back({toSeconds(table.forward[layer.first]),
                        toSeconds(table.backward[layer.first])});
    }
    entry.maxMicro = int64_t(times.size()) - 1;
    entry.maxCount = [counts = std::move(counts)](int64_t micro) {
      return counts[micro];
    };
    entry.seconds = [this, times = std::move(times)](int64_t micro,
                                                     int64_t count) {
      return seconds(times[micro], count);
    };
  }
  splitters.emplace_back(split, size / unit);
}

/// The most microbatches of a size for which a device has the memory, without
/// what is divided.
int64_t CephaloSearch::maxCount(size_t kind, int64_t micro) const {
  int64_t device = kinds[kind].devices.front();
  Stage stage = makeStage(problem, mode, recompute, layered);
  ColumnState column = model.columnState(stage.layers, 1);
  Bytes state = mode == StateMode::Replicated  ? column.total()
                : mode == StateMode::Optimizer ? column.parameters
                                               : Bytes(0);
  stage.mesh = {{device}, 1, 1};
  stage.shares.push_back({device, micro * unit, state, Bytes(0)});
  stage.samples = {{0}};
  stage.inFlight =
      layered ? int64_t(microbatches.size() * stage.layers.size()) : 1;
  Bytes usable = model.cluster.classOf(device).usableMemory();
  StagePlace place = {true, true, int64_t(microbatches.size()), layered};
  int64_t low = 0, high = problem.batch / unit / micro;
  if (ignoresMemory)
    return high;
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    stage.samples[0][0] = middle * micro * unit;
    if (model.memoryUse(stage, place, 0).total() <= usable)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

double CephaloSearch::seconds(const MicroTimes &times, int64_t count) const {
  auto number = static_cast<double>(count);
  double sum = 0;
  for (auto [layer, time] : zip_equal(layers, times)) {
    double forward = number * time.first, backward = number * time.second;
    if (recompute)
      backward += forward;
    if (layered) {
      forward = std::max(forward, layer.gather);
      backward = std::max(backward, layer.gather + layer.reduce);
    }
    sum += static_cast<double>(layer.count) * (forward + backward);
  }
  return sum;
}

std::optional<Plan> CephaloSearch::makePlan(int64_t maxSum,
                                            bool keepIdle) const {
  Plan plan;
  plan.batch = problem.batch;
  plan.microbatches = microbatches;
  if (layered)
    plan.schedule = ScheduleKind::Layered;
  std::map<int64_t, std::vector<int64_t>> samples;
  std::map<int64_t, int64_t> micros;
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  for (auto [size, splitter] : zip_equal(sizes, splitters)) {
    std::optional<BatchSplit> found = splitter.split(maxSum);
    if (!found)
      return std::nullopt;
    int64_t left = size % unit;
    for (auto [kind, shares] : zip_equal(kinds, found->shares))
      for (auto [device, share] : zip_equal(kind.devices, shares)) {
        // What is less than a unit goes to the first that works.
        int64_t number = share.samples() * unit;
        if (number > 0)
          number += std::exchange(left, 0);
        samples[device].push_back(number);
        micros[device] = std::max(micros[device], share.micro * unit);
      }
  }
  Stage stage = makeStage(problem, mode, recompute, layered);
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

/// The plan with the largest sum of microbatches that fits, from one that does
/// not; if none does, the last that was tried.
std::optional<Plan> CephaloSearch::findLargest(Plan start,
                                               bool keepIdle) const {
  int64_t low = 1, high = 0;
  for (auto [index, share] : enumerate(start.stages[0].shares)) {
    int64_t most = 0;
    for (const std::vector<int64_t> &samples : start.stages[0].samples)
      most = std::max(most, samples[index]);
    high += share.micro.value_or(most) / unit;
  }
  std::optional<Plan> best, closest = std::move(start);
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    std::optional<Plan> plan = makePlan(middle, keepIdle);
    if (plan && !fits(*plan)) {
      closest = std::move(plan);
      high = middle;
      continue;
    }
    if (plan)
      best = std::move(plan);
    low = middle + 1;
  }
  return best ? best : closest;
}

void CephaloSearch::run(Selection &selection) {
  int64_t unlimited = 0;
  for (const ClassDevices &kind : kinds)
    unlimited += int64_t(kind.devices.size()) * (problem.batch / unit);
  bool divides = mode == StateMode::Full || mode == StateMode::Node;
  for (bool keepIdle : {false, true}) {
    std::optional<Plan> plan = makePlan(unlimited, keepIdle);
    if (!plan)
      return;
    if (!fits(*plan))
      plan = findLargest(std::move(*plan), keepIdle);
    bool usesAll = true;
    for (ArrayRef<int64_t> samples : plan->stages[0].samples)
      usesAll &= !is_contained(samples, 0);
    int64_t used = plan->stages[0].mesh.data, all = 0;
    for (const ClassDevices &kind : kinds)
      all += kind.devices.size();
    selection.add(builder.complete(std::move(*plan)));
    // Devices that compute nothing can still hold state.
    if (!divides || (usesAll && used == all))
      return;
  }
}

void CephaloSearch::runSmallest(Selection &selection) {
  int64_t devices = 0;
  for (const ClassDevices &kind : kinds)
    devices += kind.devices.size();
  if (std::optional<Plan> plan = makePlan(devices, /*keepIdle=*/false)) {
    fits(*plan);
    selection.add(builder.complete(std::move(*plan)));
  }
}

/// Adds the plans of all ways to hold state and activations.
static void addPlans(const PlanBuilder &builder, ArrayRef<int64_t> devices,
                     ArrayRef<int64_t> microbatches, const Deadline &deadline,
                     Selection &selection) {
  const PlannerOptions &options = builder.options;
  for (StateMode mode : options.stateModes)
    for (bool recompute : {false, true})
      for (bool layered : {false, true}) {
        bool divides = mode == StateMode::Full || mode == StateMode::Node;
        if ((recompute && !options.recompute) ||
            (layered && !(divides && options.layered)) ||
            (selection.found() && deadline.isOver()))
          continue;
        // The release divides all state, and keeps inputs of layers alone.
        if (options.asReleased &&
            (mode != StateMode::Full || !recompute || !layered))
          continue;
        CephaloSearch search(builder, devices, microbatches.vec(), mode,
                             recompute, layered);
        search.run(selection);
      }
}

Expected<Plan> hetero::planner::planCephalo(const Problem &problem,
                                            const Cluster &cluster,
                                            const PlannerOptions &options) {
  Expected<std::vector<int64_t>> devices =
      devicesForOneStage("cephalo", problem, cluster);
  if (!devices)
    return devices.takeError();
  PlanBuilder builder(problem, cluster, options);
  Deadline deadline(options.timeBudget);
  Selection selection;
  const Constraints &given = problem.constraints;
  std::vector<int64_t> microbatches = given.microbatches;
  if (microbatches.empty())
    microbatches = {problem.batch};
  addPlans(builder, *devices, microbatches, deadline, selection);
  // The release has one microbatch, as devices compute their samples in parts
  // of their own. But they keep what all of them bring along.
  int64_t most = given.maxMicrobatches.value_or(problem.batch);
  for (int64_t count = 2; !selection.found() && given.microbatches.empty() &&
                          !options.asReleased && count <= most;
       count *= 2)
    addPlans(builder, *devices, divideEvenly(problem.batch, count), deadline,
             selection);
  if (!selection.get() && !options.stateModes.empty()) {
    CephaloSearch search(builder, *devices, microbatches,
                         options.stateModes.back(), options.recompute,
                         /*layered=*/false, /*ignoresMemory=*/true);
    search.runSmallest(selection);
  }
  return selection.take("cephalo", builder.model);
}
