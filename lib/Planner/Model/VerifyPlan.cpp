//===- VerifyPlan.cpp - Whether something is a plan -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/VerifyPlan.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "hetero/Planner/Problem/ProblemCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
class Verifier {
public:
  Verifier(const StageModel &model, const Plan &plan, std::string &place)
      : model(model), problem(model.problem), cluster(model.cluster),
        plan(plan), place(place), owner(cluster.devices.size(), -1) {}

  Error verify();

private:
  Error verifyMicrobatches();
  Error verifyChunks();
  Error verifyLayers();
  Error verifyMesh(int64_t index, const Stage &stage);
  Error verifyDegrees(int64_t index, const Stage &stage);
  Error verifySamples(int64_t index, const Stage &stage);
  Error verifyShares(int64_t index, const Stage &stage);
  Error verifyState(int64_t index, const Stage &stage);
  Error verifyPin(const Pin &pin);

  /// An error about the value of `key` in a stage, or about an item of it.
  Error fail(int64_t stage, StringRef key, const Twine &why,
             std::optional<int64_t> item = std::nullopt) {
    return failWhole(("stages." + Twine(stage) + "." + key).str(),
                     "stage " + Twine(stage) + " " + why, item);
  }
  /// The same for a key of the plan.
  Error failWhole(StringRef key, const Twine &why,
                  std::optional<int64_t> item = std::nullopt) {
    place = item ? (key + "." + Twine(*item)).str() : key.str();
    return createStringError(why);
  }

  const StageModel &model;
  const Problem &problem;
  const Cluster &cluster;
  const Plan &plan;
  std::string &place;
  /// For each device the stage that has it.
  std::vector<int64_t> owner;
};
} // namespace

Error Verifier::verifyMicrobatches() {
  if (plan.batch != problem.batch)
    return failWhole("batch", formatv("the plan is for a batch of {0}, but the "
                                      "problem has {1} samples",
                                      plan.batch, problem.batch));
  int64_t sum = 0, count = plan.microbatches.size();
  for (auto [index, size] : enumerate(plan.microbatches)) {
    if (size < 1 || size > plan.batch - sum)
      return failWhole("microbatches",
                       formatv("a microbatch of {0} samples follows {1} of the "
                               "{2} samples of the batch",
                               size, sum, plan.batch),
                       index);
    sum += size;
  }
  auto failHere = [&](const Twine &why) {
    return failWhole("microbatches", why);
  };
  if (sum != plan.batch)
    return failHere(
        formatv("the microbatches make {0} samples, but the batch has {1}", sum,
                plan.batch));
  const Constraints &constraints = problem.constraints;
  if (constraints.maxMicrobatches && count > *constraints.maxMicrobatches)
    return failHere(
        formatv("the plan has {0} microbatches, but at most {1} are allowed",
                count, *constraints.maxMicrobatches));
  if (!constraints.microbatches.empty() &&
      constraints.microbatches != plan.microbatches)
    return failHere(
        "the microbatches of the plan are not the ones that are given");
  int64_t numStages = plan.stages.size();
  if (constraints.maxStages && numStages > *constraints.maxStages)
    return failWhole(
        "stages",
        formatv("the plan has {0} stages, but at most {1} are allowed",
                numStages, *constraints.maxStages));
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
                  formatv("has {0} runs of layers, but {1} knows one for each "
                          "stage",
                          stage.layers.size(), stringify(plan.schedule)));
    if (stage.layers.size() != chunks)
      return fail(index, "layers",
                  formatv("has {0} runs of layers, but stage 0 has {1}",
                          stage.layers.size(), chunks));
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
                  formatv("has layers from {0} on where layer {1} comes next: "
                          "every layer is in one stage, in order",
                          run.first, next));
    if (run.last < run.first || run.last >= numLayers)
      return fail(index, "layers",
                  formatv("has layers from {0} to {1}, but there are layers 0 "
                          "to {2}",
                          run.first, run.last, numLayers - 1));
    next = run.last + 1;
  }
  if (next != numLayers)
    return failWhole(
        "stages",
        formatv("layer {0} and those after it are in no stage", next));
  return Error::success();
}

Error Verifier::verifyMesh(int64_t index, const Stage &stage) {
  const Mesh &mesh = stage.mesh;
  int64_t count = mesh.devices.size();
  if (mesh.data < 1 || mesh.tensor < 1 || mesh.data > count ||
      mesh.tensor > count || mesh.data * mesh.tensor != count)
    return fail(index, "mesh",
                formatv("has a mesh of {0} x {1} with {2} devices", mesh.data,
                        mesh.tensor, count));
  for (auto [number, device] : enumerate(mesh.devices)) {
    auto failHere = [&, number = int64_t(number)](const Twine &why) {
      return fail(index, "mesh.devices", why, number);
    };
    if (device < 0 || device >= int64_t(cluster.devices.size()))
      return failHere(
          formatv("has device {0}, but the cluster has devices 0 to {1}",
                  device, cluster.devices.size() - 1));
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
                formatv("divides its layers in {0} {1}, but {2} are given",
                        tensor, tensor == 1 ? "part" : "parts", *given));
  if (tensor == 1)
    return Error::success();
  for (const LayerRun &run : stage.layers)
    for (int64_t number = run.first; number <= run.last; ++number) {
      const Layer &layer = problem.layers[number];
      if (is_contained(layer.tensorDegrees, tensor))
        continue;
      return fail(index, "mesh.tensor",
                  formatv("divides its layers in {0} parts, but layer {1} "
                          "('{2}') can be divided in {3}",
                          tensor, number, layer.name, listDegrees(layer)));
    }
  return Error::success();
}

Error Verifier::verifySamples(int64_t index, const Stage &stage) {
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  if (stage.samples.size() != sizes.size())
    return fail(index, "samples",
                formatv("divides the samples of {0} sizes of microbatches, but "
                        "the plan has {1}",
                        stage.samples.size(), sizes.size()));
  for (auto [number, size, samples] : enumerate(sizes, stage.samples)) {
    auto failHere = [&, number = int64_t(number)](const Twine &why) {
      return fail(index, "samples", why, number);
    };
    if (int64_t(samples.size()) != stage.mesh.data)
      return failHere(
          formatv("divides samples between {0} members, but its mesh has {1}",
                  samples.size(), stage.mesh.data));
    int64_t sum = 0;
    for (int64_t share : samples) {
      if (share < 0 || share > size - sum)
        return failHere(formatv("gives a member {0} of the {1} samples that "
                                "are left of {2}",
                                share, size - sum, size));
      sum += share;
    }
    if (sum != size)
      return failHere(
          formatv("divides {0} samples of a microbatch of {1}", sum, size));
  }
  auto failInFlight = [&](const Twine &why) {
    return fail(index, "inFlight",
                formatv("has {0} microbatches in flight", stage.inFlight) +
                    why);
  };
  if (stage.inFlight < 1)
    return failInFlight("; at least 1");
  int64_t chunks = stage.layers.size();
  int64_t most = plan.microbatches.size() * chunks;
  bool isInRuns = plan.schedule == ScheduleKind::Layered ||
                  plan.schedule == ScheduleKind::Interleaved;
  if (stage.inFlight > most)
    return failInFlight(
        ", but there are " + Twine(most) +
        (isInRuns
             ? " in runs of layers, of which the stage has " + Twine(chunks)
             : ""));
  int64_t least =
      simulator::leastInFlight(plan.schedule, index, plan.stages.size(),
                               plan.microbatches.size(), chunks);
  if (stage.inFlight < least)
    return failInFlight(formatv(", but {0} has at least {1} there",
                                stringify(plan.schedule), least));
  return Error::success();
}

Error Verifier::verifyShares(int64_t index, const Stage &stage) {
  if (stage.shares.size() != stage.mesh.devices.size())
    return fail(index, "shares",
                formatv("has {0} shares for {1} devices", stage.shares.size(),
                        stage.mesh.devices.size()));
  for (auto [number, share, device] :
       enumerate(stage.shares, stage.mesh.devices)) {
    auto failHere = [&, number = int64_t(number)](const Twine &why) {
      return fail(index, "shares", why, number);
    };
    if (share.device != device)
      return failHere(
          formatv("has a share for device {0} where its mesh has device {1}",
                  share.device, device));
    if (share.micro && *share.micro < 1)
      return failHere(
          formatv("lets {0} compute {1} samples at a time; at least 1",
                  cluster.describe(device), *share.micro));
    if (share.state < Bytes(0))
      return failHere(formatv("gives {0} {1} bytes of state",
                              cluster.describe(device), share.state.count()));
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
    int64_t node =
        stage.state == StateMode::Node ? cluster.devices[share.device].node : 0;
    auto failHere = [&, &share = share,
                     number = int64_t(number)](const Twine &all) {
      return fail(index, "shares",
                  formatv("gives {0} {1} of state, but each device holds all ",
                          cluster.describe(share.device), share.state.str()) +
                      all,
                  number);
    };
    Bytes own = share.state;
    switch (stage.state) {
    case StateMode::Replicated:
      if (share.state != column.total())
        return failHere(column.total().str());
      continue;
    case StateMode::Optimizer:
      if (share.state < column.parameters)
        return failHere(column.parameters.str() + " of the parameters");
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
                  formatv("has layer {0}, which is pinned to stage {1}",
                          pin.layer, *pin.stage));
    for (auto [number, device] : enumerate(stage.mesh.devices))
      if (!pin.devices.empty() && !is_contained(pin.devices, device))
        return fail(index, "mesh.devices",
                    formatv("has layer {0} on {1}, which is not one of the "
                            "devices that it is pinned to",
                            pin.layer, cluster.describe(device)),
                    number);
  }
  return Error::success();
}

Error Verifier::verify() {
  if (Error error = verifyMicrobatches())
    return error;
  if (Error error = verifyLayers())
    return error;
  for (auto [index, stage] : enumerate(plan.stages))
    for (auto verifyPart : {&Verifier::verifyMesh, &Verifier::verifyDegrees,
                            &Verifier::verifySamples, &Verifier::verifyShares,
                            &Verifier::verifyState})
      if (Error error = (this->*verifyPart)(index, stage))
        return error;
  for (const Pin &pin : problem.constraints.pins)
    if (Error error = verifyPin(pin))
      return error;
  return Error::success();
}

Error hetero::planner::verifyStructure(const StageModel &model,
                                       const Plan &plan, std::string *place) {
  std::string ignored;
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
        formatv("the plan predicts a step of {0}, but says "
                "that none can take less than {1}",
                plan.predicted.str(), plan.bound.str()));
  Plan again = plan;
  predict(model, plan.bound, again);
  for (auto [index, stage] : enumerate(plan.stages)) {
    const Stage &other = again.stages[index];
    for (auto [said, found] : zip_equal(listTimes(stage), listTimes(other)))
      if (said.second != found.second)
        return createStringError(
            formatv("stage {0} predicts {1} for its {2}, but it takes {3}",
                    index, said.second.str(), said.first, found.second.str()));
    for (auto [said, found] : zip_equal(stage.shares, other.shares))
      if (said.memory != found.memory)
        return createStringError(formatv(
            "stage {0} predicts {1} of memory for {2}, but it needs {3}", index,
            said.memory.str(), model.cluster.describe(said.device),
            found.memory.str()));
  }
  if (plan.predicted != again.predicted)
    return createStringError(
        formatv("the plan predicts a step of {0}, but it takes {1}",
                plan.predicted.str(), again.predicted.str()));
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
