//===- StageModelMemory.cpp - The memory that a stage takes ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/StageModel.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

cost::Activations StageModel::savedBy(ArrayRef<LayerRun> layers, int64_t tensor,
                                      int64_t samples, int64_t chunk) const {
  cost::Activations result;
  forEachAlike(layers, [&](int64_t first, int64_t count) {
    const Layer &layer = problem.layers[first];
    result.saved += divide(layer.saved.at(samples), tensor) * count;
    result.largest =
        std::max(result.largest, divide(layer.saved.at(chunk), tensor));
    if (first > 0)
      result.inputs += problem.layers[first - 1].output.at(samples);
    result.inputs += layer.output.at(samples) * (count - 1);
  });
  return result;
}

/// What all microbatches in flight keep, for that many samples of each. Where a
/// stage has several runs, `inFlight` counts pairs of microbatch and run.
Bytes StageModel::activations(const Stage &stage, int64_t inFlight,
                              int64_t samples, int64_t chunk,
                              int64_t numMicrobatches) const {
  auto keptBy = [&](ArrayRef<LayerRun> layers, int64_t count) {
    return cost::activationUse(
               savedBy(layers, stage.mesh.tensor, samples, chunk), count,
               stage.recompute, /*offload=*/false)
        .device;
  };
  Bytes all = keptBy(stage.layers, std::min(inFlight, numMicrobatches));
  if (stage.layers.size() == 1)
    return all;
  // They may all be of the run that keeps most.
  Bytes most;
  for (const LayerRun &run : stage.layers)
    most = std::max(most, keptBy(run, inFlight));
  return std::min(most, keptBy(stage.layers, numMicrobatches));
}

StagePlace StageModel::placeOf(const Plan &plan, size_t stage) {
  return {stage == 0, stage + 1 == plan.stages.size(),
          int64_t(plan.microbatches.size()),
          plan.schedule == ScheduleKind::Layered};
}

/// Parameters and gradients of a device that holds a part of the state, when
/// runs of layers come and go: two neighbours are there at a time, as one is
/// gathered while the other is computed; the gradients of one are summed, and
/// those of all stay as the state does.
static std::pair<Bytes, Bytes> layeredMemory(const StageModel &model,
                                             const Stage &stage,
                                             const ColumnState &column,
                                             const DeviceShare &share) {
  Bytes gathered, gradients, before;
  for (const LayerRun &run : stage.layers) {
    ColumnState own = model.columnState({run}, stage.mesh.tensor);
    gathered = std::max(gathered, before + own.parameters);
    gradients = std::max(gradients, own.gradients * 2);
    before = own.parameters;
  }
  Bytes kept(scale(column.gradients.count(), share.state.count(),
                   std::max<int64_t>(1, column.total().count())));
  return {gathered, gradients + kept};
}

/// What crosses to and from other stages, and its gradients, for the run that
/// has most of it.
Bytes StageModel::crossingBuffers(ArrayRef<LayerRun> layers, StagePlace place,
                                  int64_t samples) const {
  auto crossing = [&](const Layer &layer) {
    return layer.output.at(samples) + layer.outputGradient.at(samples);
  };
  // Interleaved runs hand on one by one, others as one.
  SmallVector<LayerRun> parts(layers);
  if (place.layered)
    parts = {{layers.front().first, layers.back().last}};
  Bytes most;
  for (const LayerRun &run : parts) {
    Bytes buffers;
    bool goesOn = parts.size() > 1 && !(place.isFirst && place.isLast);
    if (!place.isFirst || (goesOn && run.first > 0))
      buffers += crossing(problem.layers[run.first - 1]);
    if (!place.isLast ||
        (goesOn && run.last + 1 < int64_t(problem.layers.size())))
      buffers += crossing(problem.layers[run.last]);
    most = std::max(most, buffers);
  }
  return most;
}

cost::MemoryUse StageModel::memoryUse(const Stage &stage, StagePlace place,
                                      size_t device) const {
  const Mesh &mesh = stage.mesh;
  const DeviceShare &share = stage.shares[device];
  ColumnState column = columnState(stage.layers, mesh.tensor);
  cost::MemoryUse use;
  use.state = share.state;
  bool divides =
      stage.state == StateMode::Full || stage.state == StateMode::Node;
  bool isPart = divides && share.state < column.total();
  if (isPart && place.layered)
    std::tie(use.gathered, use.gradients) =
        layeredMemory(*this, stage, column, share);
  else
    use.gradients = column.gradients * (place.numMicrobatches > 1 ? 2 : 1);
  if (isPart && !place.layered)
    use.gathered = column.parameters;
  int64_t inFlight = std::min(stage.inFlight, place.numMicrobatches *
                                                  int64_t(stage.layers.size()));
  Bytes inputs = inputBytes(stage.layers);
  for (const std::vector<int64_t> &sizes : stage.samples) {
    int64_t samples = sizes[device / mesh.tensor];
    if (samples == 0)
      continue;
    int64_t chunk = std::min(samples, share.micro.value_or(samples));
    use.activations =
        std::max(use.activations, activations(stage, inFlight, samples, chunk,
                                              place.numMicrobatches));
    forEachAlike(stage.layers, [&](int64_t first, int64_t) {
      use.workspace =
          std::max(use.workspace, problem.layers[first].workspace.at(chunk));
    });
    use.buffers =
        std::max(use.buffers, crossingBuffers(stage.layers, place, samples));
    use.inputs = std::max(use.inputs, inputs * samples * place.numMicrobatches);
  }
  return use;
}

std::vector<MemberKind> StageModel::memberKinds(const Stage &stage) const {
  std::vector<MemberKind> result;
  std::map<std::vector<int64_t>, size_t> indices;
  for (auto [number, device] : enumerate(stage.mesh.devices)) {
    const cluster::Device &entry = cluster.devices[device];
    int64_t row = int64_t(number) / stage.mesh.tensor;
    std::vector<int64_t> key = {entry.deviceClass,
                                stage.shares[number].micro.value_or(0),
                                stage.shares[number].state.count()};
    for (const std::vector<int64_t> &sizes : stage.samples)
      key.push_back(sizes[row]);
    auto [found, isNew] = indices.try_emplace(std::move(key), result.size());
    if (isNew)
      result.push_back({cluster.classes[entry.deviceClass].usableMemory(), {}});
    result[found->second].members.push_back(number);
  }
  return result;
}

std::optional<Shortage> StageModel::findShortage(const Plan &plan) const {
  std::optional<Shortage> worst;
  for (auto [index, stage] : enumerate(plan.stages))
    for (const MemberKind &kind : memberKinds(stage)) {
      cost::MemoryUse use =
          memoryUse(stage, placeOf(plan, index), kind.members.front());
      Bytes missing = use.total() - kind.usable;
      if (missing > Bytes(0) && (!worst || missing > worst->missing))
        worst =
            Shortage{int64_t(index), stage.mesh.devices[kind.members.front()],
                     missing, kind.usable, use};
    }
  return worst;
}

std::string StageModel::describe(const Shortage &shortage) const {
  return cluster.describe(shortage.device) + " is short of " +
         approximate(shortage.missing) + " of memory: stage " +
         std::to_string(shortage.stage) + " needs " +
         approximate(shortage.use.total()) + " there (" + shortage.use.str() +
         "), and " + approximate(shortage.usable) + " can be used";
}
