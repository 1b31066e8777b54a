//===- PlanBuilder.cpp - From choices to plans ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Model/SampleDivision.h"
#include "hetero/Planner/Model/VerifyPlan.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// How many samples the memory of each row has room for, up to `size`. State
/// that can be put elsewhere is not counted.
static std::vector<int64_t> findCaps(const StageModel &model, Stage stage,
                                     StagePlace place, int64_t inFlight,
                                     int64_t size) {
  const Mesh &mesh = stage.mesh;
  ColumnState column = model.columnState(stage.layers, mesh.tensor);
  stage.inFlight = inFlight;
  for (DeviceShare &share : stage.shares)
    share.state = column.undivided(stage.state);
  stage.samples = {std::vector<int64_t>(mesh.data, 0)};
  std::vector<int64_t> caps(mesh.data, size);
  // Devices of one class have room for equally many.
  std::map<int64_t, int64_t> capOfClass;
  for (auto [number, device] : enumerate(mesh.devices)) {
    int64_t row = int64_t(number) / mesh.tensor;
    auto [entry, isNew] =
        capOfClass.try_emplace(model.cluster.devices[device].deviceClass, 0);
    if (isNew) {
      auto fits = [&, number = number, device = device](int64_t samples) {
        stage.samples[0][row] = samples;
        return model.memoryUse(stage, place, number).total() <=
               model.cluster.classOf(device).usableMemory();
      };
      // Often there is room for all of them.
      entry->second = fits(size) ? size : findLargest(0, size - 1, fits);
    }
    caps[row] = std::min(caps[row], entry->second);
  }
  return caps;
}

/// Forward and backward of a row with that many samples.
static double rowSeconds(const StageModel &model, const Stage &stage,
                         int64_t row, int64_t samples) {
  if (samples == 0)
    return 0;
  Time slowest;
  int64_t before = -1;
  for (int64_t i = row * stage.mesh.tensor; i < (row + 1) * stage.mesh.tensor;
       ++i) {
    int64_t deviceClass =
        model.cluster.devices[stage.mesh.devices[i]].deviceClass;
    if (deviceClass == before)
      continue;
    before = deviceClass;
    auto [forward, backward] = model.chunkTimes(stage, i, samples);
    slowest = std::max(slowest, forward + backward);
  }
  return toSeconds(slowest);
}

/// Divides the samples of a microbatch by speed. Rows are alike if their
/// devices are of the same classes in nodes that are alike.
static std::vector<int64_t> handOut(const StageModel &model, const Stage &stage,
                                    int64_t size, ArrayRef<int64_t> caps) {
  int64_t tensor = stage.mesh.tensor;
  int64_t numRows = caps.size();
  std::map<std::vector<int64_t>, size_t> indices;
  std::vector<RowKind> kinds;
  std::vector<size_t> kindOf;
  for (int64_t row = 0; row < numRows; ++row) {
    std::vector<int64_t> key = {caps[row]};
    ArrayRef<int64_t> members = stage.mesh.row(row);
    int64_t node = model.cluster.devices[members.front()].node;
    bool inside = all_of(members, [&](int64_t device) {
      return model.cluster.devices[device].node == node;
    });
    for (int64_t device : members) {
      key.push_back(model.cluster.devices[device].deviceClass);
      // One device alone does not care where it is.
      if (tensor > 1)
        key.push_back(inside ? model.kindOfNode(node)
                             : -1 - model.cluster.devices[device].node);
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

/// Layers, mesh and modes, without samples.
static Stage startStage(const StageChoice &choice) {
  Stage stage;
  stage.layers = {choice.layers};
  stage.mesh.devices = choice.devices;
  stage.mesh.tensor = choice.tensor;
  stage.mesh.data = choice.devices.size() / choice.tensor;
  stage.state = stage.mesh.data > 1 ? choice.state : StateMode::Replicated;
  stage.recompute = choice.recompute;
  for (int64_t device : choice.devices)
    stage.shares.emplace_back().device = device;
  return stage;
}

/// The samples of each row for a microbatch of that size, with that many in
/// flight. Memory is respected if that is possible.
static std::vector<int64_t> divideSamples(const StageModel &model,
                                          const Stage &stage, StagePlace place,
                                          int64_t size, int64_t inFlight) {
  std::vector<int64_t> caps;
  for (int64_t count = inFlight; count >= 1; --count) {
    caps = findCaps(model, stage, place, count, size);
    if (sum_of(caps) >= size)
      return handOut(model, stage, size, caps);
  }
  // Nothing fits: whoever asked will see what is missing.
  return handOut(model, stage, size, std::vector<int64_t>(caps.size(), size));
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::optional<Time> Deadline::left() const {
  if (!budget)
    return std::nullopt;
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  double rest = toSeconds(*budget) - spent.count();
  return Time::nearest(std::max(0.0, rest) *
                       static_cast<double>(timePerSecond));
}

std::optional<std::chrono::steady_clock::time_point> Deadline::end() const {
  if (!budget)
    return std::nullopt;
  return start + std::chrono::duration_cast<std::chrono::nanoseconds>(
                     std::chrono::duration<double>(toSeconds(*budget)));
}

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

Stage PlanBuilder::makeStage(const StageChoice &choice, StagePlace place,
                             ArrayRef<int64_t> sizes, int64_t depth,
                             Division division) const {
  Stage stage = startStage(choice);
  // The stage is copied for each size, so its list of samples stays empty until
  // all sizes are divided.
  std::vector<std::vector<int64_t>> samples;
  for (int64_t size : sizes)
    samples.push_back(division == Division::Even
                          ? divideEvenly(size, stage.mesh.data)
                          : divideSamples(model, stage, place, size, depth));
  stage.samples = std::move(samples);
  dropIdleRows(stage);
  return stage;
}

Plan PlanBuilder::draft(ArrayRef<int64_t> microbatches,
                        ArrayRef<StageChoice> stages, Division division) const {
  Plan plan;
  plan.batch = model.problem.batch;
  plan.microbatches = microbatches.vec();
  plan.schedule = options.schedule;
  int64_t numStages = stages.size(), count = microbatches.size();
  for (auto [index, choice] : enumerate(stages)) {
    int64_t left = numStages - int64_t(index);
    plan.stages.push_back(makeStage(choice, {index == 0, left == 1, count},
                                    plan.distinctMicrobatches(),
                                    std::min(count, left), division));
  }
  return plan;
}

std::vector<int64_t> PlanBuilder::findLimits(Plan &plan,
                                             Division division) const {
  std::vector<int64_t> limits;
  for (auto [index, stage] : enumerate(plan.stages)) {
    StateDivision state(model, stage, model.placeOf(plan, index), division);
    limits.push_back(std::max<int64_t>(1, state.limit()));
    state.apply(limits.back());
  }
  return limits;
}

void PlanBuilder::setInFlight(Plan &plan, ArrayRef<int64_t> counts,
                              Division division) const {
  for (auto [index, stage] : enumerate(plan.stages))
    if (stage.inFlight != counts[index])
      StateDivision(model, stage, model.placeOf(plan, index), division)
          .apply(counts[index]);
}

Candidate PlanBuilder::complete(Plan plan) const {
  Candidate candidate;
  candidate.shortage = model.findShortage(plan);
  // Nobody asks how long something takes that does not fit.
  if (!candidate.shortage)
    predict(model, bound, plan);
  candidate.plan = std::move(plan);
  return candidate;
}

Candidate PlanBuilder::build(ArrayRef<int64_t> microbatches,
                             ArrayRef<StageChoice> stages,
                             Division division) const {
  Plan plan = draft(microbatches, stages, division);
  std::vector<int64_t> limits = findLimits(plan, division);
  std::vector<StageTimes> times;
  for (const std::vector<StageTimes> &list : model.stageTimes(plan))
    times.push_back(list.front());
  setInFlight(
      plan,
      computeInFlight(options.schedule, microbatches.size(), times, limits),
      division);
  return complete(std::move(plan));
}

/// Layers by memory on one device after the other.
static std::vector<StageChoice> divideByMemory(const StageModel &model,
                                               ArrayRef<int64_t> order) {
  int64_t numLayers = model.problem.layers.size();
  std::vector<StageChoice> stages;
  Bytes whole = model.columnState({{0, numLayers - 1}}, 1).total();
  Bytes usable, before, given;
  for (int64_t device : order)
    usable += model.cluster.classOf(device).usableMemory();
  int64_t first = 0;
  for (size_t i = 0; i < order.size() && first < numLayers; ++i) {
    before += model.cluster.classOf(order[i]).usableMemory();
    Bytes target(scale(whole.count(), before.count(), usable.count()));
    int64_t last = first;
    given += model.columnState({{first, first}}, 1).total();
    for (; last + 1 < numLayers; ++last) {
      Bytes next = given + model.columnState({{last + 1, last + 1}}, 1).total();
      if (i + 1 < order.size() && next > target)
        break;
      given = next;
    }
    stages.push_back({{first, last}, {order[i]}});
    first = last + 1;
  }
  return stages;
}

/// The parts that all layers can be divided in, the given number if there is
/// one.
static std::vector<int64_t> findDegrees(const Problem &problem,
                                        const PlannerOptions &options,
                                        int64_t numDevices) {
  if (problem.constraints.tensor)
    return {*problem.constraints.tensor};
  if (!options.tensorParallel)
    return {1};
  std::vector<int64_t> degrees = commonDegrees(problem);
  erase_if(degrees, [&](int64_t degree) {
    return degree > std::max<int64_t>(1, numDevices);
  });
  return degrees;
}

/// The devices that the pins of all layers allow.
static std::vector<int64_t> devicesForAll(const Problem &problem,
                                          std::vector<int64_t> devices) {
  for (const Pin &pin : problem.constraints.pins)
    if (!pin.devices.empty())
      erase_if(devices, [&](int64_t device) {
        return !is_contained(pin.devices, device);
      });
  return devices;
}

void PlanBuilder::addClosest(ArrayRef<std::vector<int64_t>> orders,
                             Selection &selection) const {
  int64_t numLayers = model.problem.layers.size();
  std::vector<std::vector<int64_t>> microbatches =
      microbatchOptions(model.problem);
  if (microbatches.size() > 2)
    microbatches = {microbatches.front(), microbatches.back()};
  auto addIfAllowed = [&](std::vector<StageChoice> stages) {
    for (ArrayRef<int64_t> sizes : microbatches)
      for (bool recompute : {false, true}) {
        if (recompute && !options.recompute)
          continue;
        for (StageChoice &stage : stages)
          stage.recompute = recompute;
        Candidate candidate = build(sizes, stages, Division::Proportional);
        // Rows of unlike devices only tell what is missing.
        bool isWanted =
            candidate.shortage ||
            all_of(candidate.plan.stages, [&](const Stage &stage) {
              return rowsAreUniform(model.cluster, stage.mesh.devices,
                                    stage.mesh.tensor);
            });
        if (Error error = verifyStructure(model, candidate.plan))
          consumeError(std::move(error));
        else if (isWanted)
          selection.add(std::move(candidate));
      }
  };
  for (ArrayRef<int64_t> order : orders)
    addIfAllowed(divideByMemory(model, order));
  StageChoice all;
  all.layers = {0, numLayers - 1};
  std::vector<int64_t> devices = devicesForAll(model.problem, orders.front());
  for (int64_t degree : findDegrees(model.problem, options, devices.size())) {
    all.tensor = degree;
    all.devices = devices;
    all.devices.resize(devices.size() / degree * degree);
    if (all.devices.empty())
      continue;
    for (StateMode mode : options.stateModes) {
      all.state = mode;
      addIfAllowed({all});
    }
  }
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

char ShortageError::ID = 0;

std::optional<Candidate> hetero::planner::takeCandidate(Expected<Plan> plan) {
  std::optional<Candidate> candidate;
  if (plan)
    candidate = Candidate{std::move(*plan), std::nullopt};
  else
    handleAllErrors(
        plan.takeError(),
        [&](ShortageError &error) { candidate = std::move(error.closest); },
        [](const ErrorInfoBase &) {});
  return candidate;
}

/// What a plan has to respect, as far as it makes plans fewer: "2 pins, 4
/// parts".
static std::string describe(const Constraints &constraints) {
  std::string text;
  auto add = [&](int64_t count, StringRef one, StringRef many) {
    if (count > 0)
      text += ((text.empty() ? "" : ", ") + Twine(count) + " " +
               (count == 1 ? one : many))
                  .str();
  };
  add(constraints.pins.size(), "pin", "pins");
  add(constraints.forbiddenDevices.size(), "forbidden device",
      "forbidden devices");
  add(constraints.microbatches.size(), "given microbatch",
      "given microbatches");
  add(constraints.maxMicrobatches.value_or(0), "microbatch at most",
      "microbatches at most");
  add(constraints.maxStages.value_or(0), "stage at most", "stages at most");
  add(constraints.tensor.value_or(0), "part of each layer",
      "parts of each layer");
  return text;
}

/// Whether there are more microbatches to try than were tried.
static bool isCutShort(const Problem &problem) {
  const Constraints &constraints = problem.constraints;
  return constraints.microbatches.empty() &&
         std::min(problem.batch, constraints.maxMicrobatches.value_or(
                                     problem.batch)) > mostMicrobatches;
}

Expected<Plan> Selection::take(StringRef planner, const StageModel &model) {
  std::string name = ("the planner '" + planner + "'").str();
  if (!best) {
    std::string constraints = describe(model.problem.constraints);
    return createStringError(name +
                             " finds no plan that respects the constraints" +
                             (constraints.empty() ? "" : ": " + constraints));
  }
  if (best->shortage) {
    size_t count = best->plan.microbatches.size();
    std::string message =
        name +
        " finds no plan that fits; in the closest one that it tried, "
        "with " +
        std::to_string(count) +
        (count == 1 ? " microbatch, " : " microbatches, ") +
        model.describe(*best->shortage);
    if (isCutShort(model.problem))
      message += "; more than " + std::to_string(mostMicrobatches) +
                 " microbatches are tried only if they are given";
    return make_error<ShortageError>(std::move(message), std::move(*best));
  }
  if (Error error = verifyStructure(model, best->plan))
    return createStringError(
        name + " has made a wrong plan: " + toString(std::move(error)));
  if (Error error = checkCountable(best->plan))
    return createStringError(name + " finds no plan that can be timed: " +
                             toString(std::move(error)));
  best->plan.planner = planner.str();
  return std::move(best->plan);
}
