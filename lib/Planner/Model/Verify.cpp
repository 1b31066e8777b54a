//===- Verify.cpp - Whether something is a plan ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/Verify.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "hetero/Planner/Problem/ProblemCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
class Verifier {
public:
  Verifier(const StageModel &model, const Plan &plan, PlanPlace &place)
      : model(model), problem(model.problem), cluster(model.cluster),
        plan(plan), place(place), owner(cluster.devices.size(), -1) {}

  Error verify();

private:
  Error verifyMicrobatches();
  Error verifyChunks();
  Error verifyLayers();
  Error verifyMesh(int64_t index, const Mesh &mesh);
  Error verifyDegrees(int64_t index, const Stage &stage);
  Error verifySamples(int64_t index, const Stage &stage);
  Error verifyShares(int64_t index, const Stage &stage);
  Error verifyState(int64_t index, const Stage &stage);
  Error verifyPin(const Pin &pin);

  /// An error about the value of `key` in a stage, or about an item of it.
  Error fail(int64_t stage, StringRef key, const Twine &why,
             std::optional<int64_t> item = std::nullopt) {
    place = {stage, key, item};
    return createStringError("stage " + Twine(stage) + " " + why);
  }
  /// The same for a key of the plan.
  Error failWhole(StringRef key, const Twine &why,
                  std::optional<int64_t> item = std::nullopt) {
    place = {std::nullopt, key, item};
    return createStringError(why);
  }

  const StageModel &model;
  const Problem &problem;
  const Cluster &cluster;
  const Plan &plan;
  PlanPlace &place;
  /// For each device the stage that has it.
  std::vector<int64_t> owner;
};
} // namespace

Error Verifier::verifyMicrobatches() {
  if (plan.batch != problem.batch)
    return failWhole("batch", "the plan is for a batch of " +
                                  Twine(plan.batch) + ", but the problem has " +
                                  Twine(problem.batch) + " samples");
  int64_t sum = 0, count = plan.microbatches.size();
  for (auto [index, size] : enumerate(plan.microbatches)) {
    if (size < 1 || size > plan.batch - sum)
      return failWhole("microbatches",
                       "a microbatch of " + Twine(size) + " samples follows " +
                           Twine(sum) + " of the " + Twine(plan.batch) +
                           " samples of the batch",
                       index);
    sum += size;
  }
  if (sum != plan.batch)
    return failWhole("microbatches", "the microbatches make " + Twine(sum) +
                                         " samples, but the batch has " +
                                         Twine(plan.batch));
  const Constraints &constraints = problem.constraints;
  if (constraints.maxMicrobatches && count > *constraints.maxMicrobatches)
    return failWhole("microbatches", "the plan has " + Twine(count) +
                                         " microbatches, but at most " +
                                         Twine(*constraints.maxMicrobatches) +
                                         " are allowed");
  if (!constraints.microbatches.empty() &&
      constraints.microbatches != plan.microbatches)
    return failWhole(
        "microbatches",
        "the microbatches of the plan are not the ones that are given");
  int64_t numStages = plan.stages.size();
  if (constraints.maxStages && numStages > *constraints.maxStages)
    return failWhole(
        "stages", "the plan has " + Twine(numStages) + " stages, but at most " +
                      Twine(*constraints.maxStages) + " are allowed");
  return Error::success();
}

/// The runs that follow each other: all of a stage before the next stage, or in
/// turn if the chunks of an interleaved plan go round.
static std::vector<std::pair<int64_t, LayerRun>> listRuns(const Plan &plan) {
  std::vector<std::pair<int64_t, LayerRun>> runs;
  if (plan.schedule != ScheduleKind::Interleaved) {
    for (auto [index, stage] : enumerate(plan.stages))
      for (const LayerRun &run : stage.layers)
        runs.emplace_back(int64_t(index), run);
    return runs;
  }
  size_t chunks = plan.stages.empty() ? 0 : plan.stages.front().layers.size();
  for (size_t chunk = 0; chunk < chunks; ++chunk)
    for (auto [index, stage] : enumerate(plan.stages))
      runs.emplace_back(int64_t(index), stage.layers[chunk]);
  return runs;
}

/// Only some schedules know several runs.
Error Verifier::verifyChunks() {
  bool hasChunks = plan.schedule == ScheduleKind::Interleaved ||
                   plan.schedule == ScheduleKind::Layered;
  size_t chunks = plan.stages.empty() ? 0 : plan.stages.front().layers.size();
  for (auto [index, stage] : enumerate(plan.stages)) {
    if (stage.layers.empty())
      return fail(index, "layers", "has no layers");
    if (!hasChunks && stage.layers.size() > 1)
      return fail(index, "layers",
                  "has " + Twine(stage.layers.size()) +
                      " runs of layers, but " + stringify(plan.schedule) +
                      " knows one for each stage");
    if (stage.layers.size() != chunks)
      return fail(index, "layers",
                  "has " + Twine(stage.layers.size()) +
                      " runs of layers, but stage 0 has " + Twine(chunks));
  }
  return Error::success();
}

Error Verifier::verifyLayers() {
  if (Error error = verifyChunks())
    return error;
  int64_t numLayers = problem.layers.size(), next = 0;
  for (auto [index, run] : listRuns(plan)) {
    if (run.first != next)
      return fail(index, "layers",
                  "has layers from " + Twine(run.first) + " on where layer " +
                      Twine(next) +
                      " comes next: every layer is in one stage, in "
                      "order");
    if (run.last < run.first || run.last >= numLayers)
      return fail(index, "layers",
                  "has layers from " + Twine(run.first) + " to " +
                      Twine(run.last) + ", but there are layers 0 to " +
                      Twine(numLayers - 1));
    next = run.last + 1;
  }
  if (next != numLayers)
    return failWhole("stages", "layer " + Twine(next) +
                                   " and those after it are in no stage");
  return Error::success();
}

Error Verifier::verifyMesh(int64_t index, const Mesh &mesh) {
  int64_t count = mesh.devices.size();
  if (mesh.data < 1 || mesh.tensor < 1 || mesh.data > count ||
      mesh.tensor > count || mesh.data * mesh.tensor != count)
    return fail(index, "mesh",
                "has a mesh of " + Twine(mesh.data) + " x " +
                    Twine(mesh.tensor) + " with " + Twine(count) + " devices");
  for (auto [number, device] : enumerate(mesh.devices)) {
    auto failHere = [&, number = int64_t(number)](const Twine &why) {
      return fail(index, "mesh.devices", why, number);
    };
    if (device < 0 || device >= int64_t(cluster.devices.size()))
      return failHere("has device " + Twine(device) +
                      ", but the cluster has devices 0 to " +
                      Twine(cluster.devices.size() - 1));
    if (!cluster.devices[device].available)
      return failHere("has " + cluster.describe(device) +
                      ", which is not available");
    if (is_contained(problem.constraints.forbiddenDevices, device))
      return failHere("has " + cluster.describe(device) +
                      ", which is forbidden");
    if (owner[device] >= 0)
      return failHere("has " + cluster.describe(device) + ", which stage " +
                      Twine(owner[device]) + " has already");
    owner[device] = index;
  }
  return Error::success();
}

Error Verifier::verifyDegrees(int64_t index, const Stage &stage) {
  int64_t tensor = stage.mesh.tensor;
  const std::optional<int64_t> &given = problem.constraints.tensor;
  if (given && tensor != *given)
    return fail(index, "mesh.tensor",
                "divides its layers in " + Twine(tensor) +
                    (tensor == 1 ? " part" : " parts") + ", but " +
                    Twine(*given) + " are given");
  if (tensor == 1)
    return Error::success();
  for (const LayerRun &run : stage.layers)
    for (int64_t number = run.first; number <= run.last; ++number) {
      const Layer &layer = problem.layers[number];
      if (is_contained(layer.tensorDegrees, tensor))
        continue;
      return fail(index, "mesh.tensor",
                  "divides its layers in " + Twine(tensor) +
                      " parts, but layer " + Twine(number) + " ('" +
                      layer.name + "') can be divided in " +
                      listDegrees(layer));
    }
  return Error::success();
}

Error Verifier::verifySamples(int64_t index, const Stage &stage) {
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  if (stage.samples.size() != sizes.size())
    return fail(index, "samples",
                "divides the samples of " + Twine(stage.samples.size()) +
                    " sizes of microbatches, but the plan has " +
                    Twine(sizes.size()));
  for (auto [number, size, samples] : enumerate(sizes, stage.samples)) {
    int64_t item = number;
    if (int64_t(samples.size()) != stage.mesh.data)
      return fail(index, "samples",
                  "divides samples between " + Twine(samples.size()) +
                      " members, but its mesh has " + Twine(stage.mesh.data),
                  item);
    int64_t sum = 0;
    for (int64_t share : samples) {
      if (share < 0 || share > size - sum)
        return fail(index, "samples",
                    "gives a member " + Twine(share) + " of the " +
                        Twine(size - sum) + " samples that are left of " +
                        Twine(size),
                    item);
      sum += share;
    }
    if (sum != size)
      return fail(index, "samples",
                  "divides " + Twine(sum) + " samples of a microbatch of " +
                      Twine(size),
                  item);
  }
  if (stage.inFlight < 1)
    return fail(index, "inFlight",
                "has " + Twine(stage.inFlight) +
                    " microbatches in flight; at least 1");
  int64_t most = plan.microbatches.size() * stage.layers.size();
  bool isInRuns = plan.schedule == ScheduleKind::Layered ||
                  plan.schedule == ScheduleKind::Interleaved;
  if (stage.inFlight > most)
    return fail(index, "inFlight",
                "has " + Twine(stage.inFlight) +
                    " microbatches in flight, but there are " + Twine(most) +
                    (isInRuns ? " in runs of layers, of which the stage has " +
                                    std::to_string(stage.layers.size())
                              : ""));
  int64_t least =
      simulator::leastInFlight(plan.schedule, index, plan.stages.size(),
                               plan.microbatches.size(), stage.layers.size());
  if (stage.inFlight < least)
    return fail(index, "inFlight",
                "has " + Twine(stage.inFlight) +
                    " microbatches in flight, but " + stringify(plan.schedule) +
                    " has at least " + Twine(least) + " there");
  return Error::success();
}

Error Verifier::verifyShares(int64_t index, const Stage &stage) {
  if (stage.shares.size() != stage.mesh.devices.size())
    return fail(index, "shares",
                "has " + Twine(stage.shares.size()) + " shares for " +
                    Twine(stage.mesh.devices.size()) + " devices");
  for (auto [number, share, device] :
       enumerate(stage.shares, stage.mesh.devices)) {
    auto failHere = [&, number = int64_t(number)](const Twine &why) {
      return fail(index, "shares", why, number);
    };
    if (share.device != device)
      return failHere("has a share for device " + Twine(share.device) +
                      " where its mesh has device " + Twine(device));
    if (share.micro && *share.micro < 1)
      return failHere("lets " + cluster.describe(device) + " compute " +
                      Twine(*share.micro) + " samples at a time; at least 1");
    if (share.state < Bytes(0))
      return failHere("gives " + cluster.describe(device) + " " +
                      Twine(share.state.count()) + " bytes of state");
  }
  return Error::success();
}

/// Each group of devices that divides state must hold all of it.
Error Verifier::verifyState(int64_t index, const Stage &stage) {
  const Mesh &mesh = stage.mesh;
  ColumnState column = model.columnState(stage.layers, mesh.tensor);
  // Sums by column and, if nodes divide for themselves, by node.
  std::map<std::pair<int64_t, int64_t>, Bytes> held;
  for (auto [number, share] : enumerate(stage.shares)) {
    std::string holder = cluster.describe(share.device);
    int64_t node =
        stage.state == StateMode::Node ? cluster.devices[share.device].node : 0;
    Bytes own = share.state;
    switch (stage.state) {
    case StateMode::Replicated:
      if (share.state != column.total())
        return fail(index, "shares",
                    "gives " + holder + " " + share.state.str() +
                        " of state, but each device holds all " +
                        column.total().str(),
                    number);
      continue;
    case StateMode::Optimizer:
      if (share.state < column.parameters)
        return fail(index, "shares",
                    "gives " + holder + " " + share.state.str() +
                        " of state, but each device holds all " +
                        column.parameters.str() + " of the parameters",
                    number);
      own -= column.parameters;
      break;
    case StateMode::Full:
    case StateMode::Node:
      break;
    }
    held[{int64_t(number) % mesh.tensor, node}] += own;
  }
  Bytes whole =
      stage.state == StateMode::Optimizer ? column.optimizer : column.total();
  for (auto [group, sum] : held)
    if (sum != whole)
      return fail(
          index, "shares",
          "holds " + sum.str() + " of its " + whole.str() + " of " +
              (stage.state == StateMode::Optimizer ? "optimizer state"
                                                   : "state") +
              (mesh.tensor > 1 ? " in column " + std::to_string(group.first)
                               : "") +
              (stage.state == StateMode::Node
                   ? " in node '" + cluster.nodes[group.second].name + "'"
                   : ""));
  return Error::success();
}

Error Verifier::verifyPin(const Pin &pin) {
  for (auto [index, stage] : enumerate(plan.stages)) {
    if (!StageModel::contains(stage.layers, pin.layer))
      continue;
    if (pin.stage && *pin.stage != int64_t(index))
      return fail(index, "layers",
                  "has layer " + Twine(pin.layer) +
                      ", which is pinned to stage " + Twine(*pin.stage));
    for (auto [number, device] : enumerate(stage.mesh.devices))
      if (!pin.devices.empty() && !is_contained(pin.devices, device))
        return fail(index, "mesh.devices",
                    "has layer " + Twine(pin.layer) + " on " +
                        cluster.describe(device) +
                        ", which is not one of the devices that it is pinned "
                        "to",
                    number);
  }
  return Error::success();
}

Error Verifier::verify() {
  if (Error error = verifyMicrobatches())
    return error;
  if (Error error = verifyLayers())
    return error;
  for (auto [index, stage] : enumerate(plan.stages)) {
    if (Error error = verifyMesh(index, stage.mesh))
      return error;
    if (Error error = verifyDegrees(index, stage))
      return error;
    if (Error error = verifySamples(index, stage))
      return error;
    if (Error error = verifyShares(index, stage))
      return error;
    if (Error error = verifyState(index, stage))
      return error;
  }
  for (const Pin &pin : problem.constraints.pins)
    if (Error error = verifyPin(pin))
      return error;
  return Error::success();
}

Error hetero::planner::verifyStructure(const StageModel &model,
                                       const Plan &plan, PlanPlace *place) {
  PlanPlace ignored;
  return Verifier(model, plan, place ? *place : ignored).verify();
}

/// The predictions of a stage, with what they are called.
static std::vector<std::pair<const char *, Time>>
listTimes(const Stage &stage) {
  return {{"forward", stage.forward},
          {"backward", stage.backward},
          {"boundary", stage.boundary},
          {"boundary gradient", stage.boundaryGradient},
          {"gather", stage.gather},
          {"reduce", stage.reduce},
          {"update", stage.update}};
}

/// What a plan that has predictions says must be what evaluate says.
static Error verifyPredictions(const StageModel &model, const Plan &plan) {
  if (plan.predicted == Time(0))
    return Error::success();
  if (plan.bound < Time(0) || plan.bound > plan.predicted)
    return createStringError(
        "the plan predicts a step of " + plan.predicted.str() +
        ", but says that none can take less than " + plan.bound.str());
  Plan again = plan;
  predict(model, plan.bound, again);
  for (auto [index, stage] : enumerate(plan.stages)) {
    const Stage &other = again.stages[index];
    for (auto [said, found] : zip_equal(listTimes(stage), listTimes(other)))
      if (said.second != found.second)
        return createStringError("stage " + Twine(index) + " predicts " +
                                 said.second.str() + " for its " + said.first +
                                 ", but it takes " + found.second.str());
    for (auto [said, found] : zip_equal(stage.shares, other.shares))
      if (said.memory != found.memory)
        return createStringError("stage " + Twine(index) + " predicts " +
                                 said.memory.str() + " of memory for " +
                                 model.cluster.describe(said.device) +
                                 ", but it needs " + found.memory.str());
  }
  if (plan.predicted != again.predicted)
    return createStringError("the plan predicts a step of " +
                             plan.predicted.str() + ", but it takes " +
                             again.predicted.str());
  if (!(plan.limitedBy == again.limitedBy))
    return createStringError("the plan is limited by " + describeLimits(again) +
                             ", not by " + describeLimits(plan));
  return Error::success();
}

Error hetero::planner::verify(const Problem &problem, const Cluster &cluster,
                              const Plan &plan) {
  if (Error error = check(problem, cluster))
    return error;
  StageModel model(problem, cluster);
  if (Error error = verifyStructure(model, plan))
    return error;
  if (std::optional<Shortage> shortage = model.findShortage(plan))
    return createStringError(model.describe(*shortage));
  return verifyPredictions(model, plan);
}
