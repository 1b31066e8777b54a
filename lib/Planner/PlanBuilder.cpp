//===- PlanBuilder.cpp - From choices to plans ----------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"
#include "SampleDivision.h"
#include "Verify.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// `amount` in parts that differ by at most one, the larger ones first.
static std::vector<int64_t> divideEvenly(int64_t amount, int64_t parts) {
  std::vector<int64_t> result(parts, amount / parts);
  for (int64_t i = 0; i < amount % parts; ++i)
    ++result[i];
  return result;
}

/// How many samples the memory of each row has room for, up to `size`. State
/// that can be put elsewhere is not counted.
std::vector<int64_t> PlanBuilder::findCaps(Plan &plan, size_t index,
                                           StateMode mode, int64_t inFlight,
                                           int64_t size) const {
  Stage &stage = plan.stages[index];
  const Mesh &mesh = stage.mesh;
  ColumnState column = model.columnState(stage.layers, mesh.tensor);
  stage.inFlight = inFlight;
  for (DeviceShare &share : stage.shares)
    share.state = mode == StateMode::Replicated  ? column.total()
                  : mode == StateMode::Optimizer ? column.parameters
                                                 : Bytes(0);
  std::vector<int64_t> caps;
  // Devices of one class have room for equally many.
  std::map<int64_t, int64_t> capOfClass;
  for (int64_t row = 0; row < mesh.data; ++row) {
    int64_t cap = size;
    for (int64_t column = 0; column < mesh.tensor; ++column) {
      int64_t number = row * mesh.tensor + column;
      int64_t device = mesh.devices[number];
      auto [entry, isNew] =
          capOfClass.try_emplace(model.cluster.devices[device].deviceClass, 0);
      if (isNew) {
        Bytes usable = model.cluster.classOf(device).usableMemory();
        auto fits = [&](int64_t samples) {
          stage.samples = {std::vector<int64_t>(mesh.data, samples)};
          return model.memoryUse(plan, index, number).total() <= usable;
        };
        int64_t low = 0, high = size;
        while (low < high) {
          int64_t middle = low + (high - low + 1) / 2;
          if (fits(middle))
            low = middle;
          else
            high = middle - 1;
        }
        entry->second = low;
      }
      cap = std::min(cap, entry->second);
    }
    caps.push_back(cap);
  }
  return caps;
}

/// Forward and backward of a row with that many samples.
static double rowSeconds(const StageModel &model, const StageChoice &stage,
                         int64_t row, int64_t samples) {
  ArrayRef<int64_t> devices =
      ArrayRef(stage.devices).slice(row * stage.tensor, stage.tensor);
  double slowest = 0;
  for (int64_t device : devices) {
    const std::vector<double> &prefix =
        model
            .layerTimes(model.cluster.devices[device].deviceClass, stage.tensor,
                        samples)
            .prefix;
    slowest = std::max(slowest, prefix[stage.layers.last + 1] -
                                    prefix[stage.layers.first]);
  }
  if (stage.tensor == 1)
    return slowest;
  cost::Group group = cost::makeGroup(model.cluster, devices);
  for (int64_t i = stage.layers.first; i <= stage.layers.last; ++i) {
    auto [forward, backward] =
        model.tensorTimes(model.problem.layers[i], group, samples);
    slowest += toSeconds(forward) + toSeconds(backward);
  }
  return slowest;
}

/// Divides the samples of a microbatch by speed. Rows are alike if their
/// devices are of the same classes in the same node.
static std::vector<int64_t> handOut(const StageModel &model,
                                    const StageChoice &stage, int64_t size,
                                    ArrayRef<int64_t> caps) {
  int64_t numRows = caps.size();
  std::map<std::vector<int64_t>, size_t> indices;
  std::vector<RowKind> kinds;
  std::vector<size_t> kindOf;
  for (int64_t row = 0; row < numRows; ++row) {
    std::vector<int64_t> key = {caps[row]};
    for (int64_t device :
         ArrayRef(stage.devices).slice(row * stage.tensor, stage.tensor)) {
      key.push_back(model.cluster.devices[device].deviceClass);
      // One device alone does not care where it is.
      if (stage.tensor > 1)
        key.push_back(model.cluster.devices[device].node);
    }
    auto [entry, isNew] = indices.try_emplace(std::move(key), kinds.size());
    kindOf.push_back(entry->second);
    if (!isNew) {
      ++kinds[entry->second].rows;
      continue;
    }
    kinds.push_back({1, caps[row], [&model, &stage, row](int64_t samples) {
                       return rowSeconds(model, stage, row, samples);
                     }});
  }
  std::vector<RowSamples> divided = divideBySpeed(kinds, size);
  std::vector<int64_t> samples, seen(kinds.size(), 0);
  for (size_t kind : kindOf)
    samples.push_back(divided[kind].of(seen[kind]++));
  return samples;
}

static int64_t sum(ArrayRef<int64_t> values) {
  int64_t total = 0;
  for (int64_t value : values)
    total += value;
  return total;
}

static Stage makeStage(const StageChoice &choice) {
  Stage stage;
  stage.layers = {choice.layers};
  stage.mesh.devices = choice.devices;
  stage.mesh.tensor = choice.tensor;
  stage.mesh.data = choice.devices.size() / choice.tensor;
  stage.state = stage.mesh.data > 1 ? choice.state : StateMode::Replicated;
  for (int64_t device : choice.devices) {
    DeviceShare &share = stage.shares.emplace_back();
    share.device = device;
  }
  return stage;
}

std::vector<int64_t> PlanBuilder::divideSamples(const StageChoice &choice,
                                                bool isFirst, bool isLast,
                                                int64_t size,
                                                int64_t numMicrobatches,
                                                int64_t inFlight) const {
  // Memory depends on whether there are neighbours and how many microbatches
  // there are, not on what they are.
  Plan around;
  around.microbatches.assign(numMicrobatches, size);
  size_t index = isFirst ? 0 : 1;
  around.stages.resize(index + (isLast ? 1 : 2));
  around.stages[index] = makeStage(choice);
  StateMode mode = around.stages[index].state;
  std::vector<int64_t> caps;
  for (int64_t count = inFlight; count >= 1; --count) {
    caps = findCaps(around, index, mode, count, size);
    if (sum(caps) >= size)
      return handOut(model, choice, size, caps);
  }
  // Nothing fits: whoever asked will see what is missing.
  return handOut(model, choice, size, std::vector<int64_t>(caps.size(), size));
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// Parts of `total` such that the free memory that is left is the same for all
/// that have a part. When there is not enough, all are short of the same.
static std::vector<int64_t> fillFree(int64_t total, ArrayRef<int64_t> free) {
  std::vector<int64_t> order(free.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  sort(order, [&](int64_t left, int64_t right) {
    return free[left] != free[right] ? free[left] > free[right] : left < right;
  });
  // The first `count` get down to the same rest, which is not below the free
  // memory of the next.
  std::vector<int64_t> parts(free.size(), 0);
  __int128 available = 0;
  for (size_t count = 1; count <= order.size(); ++count) {
    available += free[order[count - 1]];
    __int128 left = available - total;
    bool isLast = count == order.size();
    if (!isLast && left < static_cast<__int128>(free[order[count]]) *
                              static_cast<__int128>(count))
      continue;
    int64_t handedOut = 0;
    for (size_t i = 0; i < count; ++i) {
      __int128 members = count;
      // Rounded down also for negative numbers.
      __int128 rest =
          left >= 0 ? left / members : -((-left + members - 1) / members);
      int64_t part = int64_t(std::max<__int128>(0, free[order[i]] - rest));
      parts[order[i]] = std::min(part, total - handedOut);
      handedOut += parts[order[i]];
    }
    parts[order[count - 1]] += total - handedOut;
    break;
  }
  return parts;
}

void PlanBuilder::divideState(Plan &plan, size_t index,
                              Division division) const {
  Stage &stage = plan.stages[index];
  const Mesh &mesh = stage.mesh;
  ColumnState column = model.columnState(stage.layers, mesh.tensor);
  bool replicated = stage.state == StateMode::Replicated;
  Bytes common = replicated                            ? column.total()
                 : stage.state == StateMode::Optimizer ? column.parameters
                                                       : Bytes(0);
  Bytes divided = column.total() - common;
  for (DeviceShare &share : stage.shares)
    share.state = common;
  if (replicated)
    return;
  // Who divides with whom: the devices of a column, of one node if that mode
  // says so.
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> groups;
  for (auto [number, device] : enumerate(mesh.devices))
    groups[{int64_t(number) % mesh.tensor,
            stage.state == StateMode::Node ? model.cluster.devices[device].node
                                           : 0}]
        .push_back(number);
  for (const auto &[key, members] : groups) {
    std::vector<int64_t> free, parts;
    for (int64_t number : members) {
      Bytes usable = model.cluster.classOf(mesh.devices[number]).usableMemory();
      free.push_back(
          (usable - model.memoryUse(plan, index, number).total()).count());
    }
    parts = division == Division::Even
                ? divideEvenly(divided.count(), members.size())
                : fillFree(divided.count(), free);
    for (auto [number, part] : zip_equal(members, parts))
      stage.shares[number].state = common + Bytes(part);
  }
}

/// The most microbatches in flight that fit into the memory of the stage.
int64_t PlanBuilder::findLimit(Plan &plan, size_t index,
                               Division division) const {
  Stage &stage = plan.stages[index];
  auto fits = [&](int64_t count) {
    stage.inFlight = count;
    divideState(plan, index, division);
    for (auto [number, device] : enumerate(stage.mesh.devices))
      if (model.memoryUse(plan, index, number).total() >
          model.cluster.classOf(device).usableMemory())
        return false;
    return true;
  };
  int64_t low = 1, high = plan.microbatches.size();
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Drops rows of the stage that have no sample of any size.
static void dropIdleRows(Stage &stage) {
  Stage kept = stage;
  kept.mesh.devices.clear();
  kept.shares.clear();
  for (std::vector<int64_t> &samples : kept.samples)
    samples.clear();
  int64_t tensor = stage.mesh.tensor;
  for (int64_t row = 0; row < stage.mesh.data; ++row) {
    if (all_of(stage.samples, [&](const std::vector<int64_t> &samples) {
          return samples[row] == 0;
        }))
      continue;
    for (int64_t i = row * tensor; i < (row + 1) * tensor; ++i) {
      kept.mesh.devices.push_back(stage.mesh.devices[i]);
      kept.shares.push_back(stage.shares[i]);
    }
    for (auto [to, from] : zip_equal(kept.samples, stage.samples))
      to.push_back(from[row]);
  }
  kept.mesh.data = kept.mesh.devices.size() / tensor;
  if (kept.mesh.data == 1)
    kept.state = StateMode::Replicated;
  stage = std::move(kept);
}

Candidate PlanBuilder::build(ArrayRef<int64_t> microbatches,
                             ArrayRef<StageChoice> stages,
                             Division division) const {
  Candidate candidate;
  Plan &plan = candidate.plan;
  plan.batch = model.problem.batch;
  plan.microbatches = microbatches.vec();
  int64_t numStages = stages.size(), numMicrobatches = microbatches.size();
  for (auto [index, choice] : enumerate(stages)) {
    Stage stage = makeStage(choice);
    int64_t depth = std::min(numMicrobatches, numStages - int64_t(index));
    for (int64_t size : plan.distinctMicrobatches())
      stage.samples.push_back(
          division == Division::Even
              ? divideEvenly(size, stage.mesh.data)
              : divideSamples(choice, index == 0,
                              int64_t(index) == numStages - 1, size,
                              numMicrobatches, depth));
    dropIdleRows(stage);
    plan.stages.push_back(std::move(stage));
  }

  std::vector<int64_t> limits;
  for (size_t index = 0; index < plan.stages.size(); ++index)
    limits.push_back(findLimit(plan, index, division));
  std::vector<StageTimes> times;
  for (const std::vector<StageTimes> &list : model.stageTimes(plan))
    times.push_back(list.front());
  std::vector<int64_t> inFlight =
      computeInFlight(options.schedule, numMicrobatches, times, limits);
  for (size_t index = 0; index < plan.stages.size(); ++index) {
    plan.stages[index].inFlight = inFlight[index];
    divideState(plan, index, division);
  }
  predict(model, bound, plan);
  candidate.shortage = model.findShortage(plan);
  return candidate;
}

/// Above this number, only every tenth more of microbatches is tried.
static constexpr int64_t allCountsUpTo = 64;
/// More microbatches only add overhead.
static constexpr int64_t maxCount = 4096;

std::vector<std::vector<int64_t>>
hetero::planner::microbatchOptions(const Problem &problem) {
  if (!problem.constraints.microbatches.empty())
    return {problem.constraints.microbatches};
  int64_t most =
      std::min({problem.batch, maxCount,
                problem.constraints.maxMicrobatches.value_or(problem.batch)});
  std::vector<std::vector<int64_t>> options;
  int64_t largest = problem.batch + 1, next = 1;
  for (int64_t count = 1; count <= most; ++count) {
    int64_t size = (problem.batch + count - 1) / count;
    if (size == largest || (count < next && count < most))
      continue;
    largest = size;
    next = count < allCountsUpTo ? count + 1 : count + count / 10;
    options.push_back(divideEvenly(problem.batch, count));
  }
  return options;
}

std::vector<int64_t> hetero::planner::usableDevices(const Problem &problem,
                                                    const Cluster &cluster) {
  std::vector<int64_t> devices;
  for (int64_t device : cluster.availableDevices())
    if (!is_contained(problem.constraints.forbiddenDevices, device))
      devices.push_back(device);
  return devices;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

bool Selection::add(Candidate candidate) {
  auto isBetter = [&]() {
    if (!best || !candidate.shortage != !best->shortage)
      return !best || !candidate.shortage;
    if (candidate.shortage)
      return candidate.shortage->missing < best->shortage->missing;
    return candidate.plan.predicted < best->plan.predicted;
  };
  if (!isBetter())
    return false;
  best = std::move(candidate);
  return !best->shortage;
}

Expected<Plan> Selection::take(StringRef planner, const StageModel &model) {
  if (!best)
    return createStringError("the planner '" + planner +
                             "' finds no plan that respects the constraints");
  if (best->shortage)
    return createStringError(
        "the planner '" + planner +
        "' finds no plan that fits; in the one that comes closest, with " +
        Twine(best->plan.microbatches.size()) + " microbatches, " +
        model.describe(*best->shortage));
  if (Error error = verifyStructure(model, best->plan))
    return createStringError(
        "the planner '" + planner +
        "' has made a wrong plan: " + toString(std::move(error)));
  best->plan.planner = planner.str();
  return std::move(best->plan);
}
