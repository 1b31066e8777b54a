//===- PlanSimulation.cpp - What a plan does when -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/PlanSimulation.h"
#include "hetero/Planner/Model/PlanSimulator.h"
#include "hetero/Planner/Model/VerifyPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using namespace hetero::simulator;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// Half of what is not computed again makes the gradients of the weights: a
/// matrix product has two gradients of its own size.
static void divideBackward(const Stage &stage, StageTimes &times) {
  Time again = stage.recompute ? times.forward : Time(0);
  times.weightGradient =
      Time(std::max<int64_t>(0, (times.backward - again).count() / 2));
}

/// A stage that has only one of its runs. Shares of state only say how it is
/// divided, but for parameters that everybody has.
static Stage takeChunk(const StageModel &model, const Stage &stage,
                       size_t chunk) {
  Stage part = stage;
  part.layers = {stage.layers[chunk]};
  if (stage.state != StateMode::Optimizer)
    return part;
  int64_t tensor = stage.mesh.tensor;
  Bytes others = model.columnState(stage.layers, tensor).parameters -
                 model.columnState(part.layers, tensor).parameters;
  for (DeviceShare &share : part.shares)
    share.state -= others;
  return part;
}

/// Whether a chunk is one layer that is like the one before.
static bool isLikeBefore(const Problem &problem, const Stage &stage,
                         size_t chunk) {
  const LayerRun &run = stage.layers[chunk], &before = stage.layers[chunk - 1];
  auto kind = [&](int64_t layer) {
    return problem.layers[layer].like.value_or(layer);
  };
  return problem.ties.empty() && run.first == run.last &&
         before.first == before.last && kind(run.first) == kind(before.first);
}

/// The times of the chunks of a stage, from those of all of it.
static std::vector<StageTimes> chunkTimes(const StageModel &model,
                                          const Plan &plan, size_t index,
                                          ArrayRef<StageTimes> whole) {
  const Stage &stage = plan.stages[index];
  size_t numChunks = stage.layers.size(), numStages = plan.stages.size();
  const Stage &next = plan.stages[(index + 1) % numStages];
  bool isLast = index + 1 == numStages;
  // What ties take is not of a chunk.
  Time ties = whole.front().reduce - model.onceTimes(stage).reduce;
  std::vector<StageTimes> result;
  Stage part;
  StageTimes once;
  std::vector<std::pair<Time, Time>> computed;
  for (size_t chunk = 0; chunk < numChunks; ++chunk) {
    // Layers that are alike take the same.
    if (chunk == 0 || !isLikeBefore(model.problem, stage, chunk)) {
      part = takeChunk(model, stage, chunk);
      once = model.onceTimes(part);
      computed.clear();
      for (size_t size = 0; size < stage.samples.size(); ++size)
        computed.push_back(model.computeTimes(part, size));
    }
    bool isLastChunk = chunk + 1 == numChunks;
    for (size_t size = 0; size < stage.samples.size(); ++size) {
      StageTimes times = whole[size];
      std::tie(times.forward, times.backward) = computed[size];
      times.gather = once.gather;
      times.reduce = once.reduce + (chunk == 0 ? ties : Time(0));
      times.boundary = times.boundaryGradient = Time(0);
      if (plan.schedule == ScheduleKind::Interleaved) {
        // The last stage hands on to the first one.
        if (!isLast || (!isLastChunk && numStages > 1))
          std::tie(times.boundary, times.boundaryGradient) =
              model.boundaryTimes(part, next, size);
      } else if (!isLast) {
        // All runs become one message, whose gradient ends at the first.
        auto [there, back] = model.boundaryTimes(stage, next, size);
        times.boundary = isLastChunk ? there : Time(0);
        times.boundaryGradient = chunk == 0 ? back : Time(0);
      }
      result.push_back(times);
    }
  }
  return result;
}

std::vector<std::vector<StageTimes>>
hetero::planner::getStageTimes(const StageModel &model, const Plan &plan) {
  std::vector<std::vector<StageTimes>> result = model.stageTimes(plan);
  for (auto [index, list] : enumerate(result)) {
    const Stage &stage = plan.stages[index];
    if (stage.layers.size() > 1)
      list = chunkTimes(model, plan, index, list);
    for (StageTimes &times : list)
      divideBackward(stage, times);
  }
  return result;
}

/// The same for each microbatch.
static std::vector<std::vector<StageTimes>>
spread(const Plan &plan, ArrayRef<std::vector<StageTimes>> bySize) {
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  std::vector<std::vector<StageTimes>> times(plan.stages.size());
  for (auto [index, list] : enumerate(times)) {
    if (sizes.size() == 1) {
      list = bySize[index];
      continue;
    }
    for (size_t chunk = 0; chunk < plan.stages[index].layers.size(); ++chunk)
      for (int64_t size : plan.microbatches)
        list.push_back(bySize[index][chunk * sizes.size() +
                                     (find(sizes, size) - sizes.begin())]);
  }
  return times;
}

//===----------------------------------------------------------------------===//
// Flows
//===----------------------------------------------------------------------===//

/// The devices of each column in each node.
static std::vector<std::vector<int64_t>> listColumnsInNodes(const Mesh &mesh,
                                                            const Cluster &in) {
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> columns;
  for (auto [index, device] : enumerate(mesh.devices))
    columns[{in.devices[device].node, index % mesh.tensor}].push_back(device);
  std::vector<std::vector<int64_t>> result;
  result.reserve(columns.size());
  for (auto &[key, devices] : columns)
    result.push_back(std::move(devices));
  return result;
}

/// What the communication of each stage loads, for microbatches of the first
/// size and the chunk that it takes longest for: the shares of others are about
/// the same.
static std::vector<StageFlows>
getFlows(const StageModel &model, const Plan &plan,
         ArrayRef<std::vector<StageTimes>> bySize) {
  const Network &network = model.network();
  std::vector<StageFlows> result(plan.stages.size());
  for (auto [index, flows] : enumerate(result)) {
    const Stage &stage = plan.stages[index];
    ArrayRef<StageTimes> list = bySize[index];
    size_t numSizes = stage.samples.size();
    auto longest = [&](Time StageTimes::*member) {
      size_t best = 0;
      for (size_t chunk = 1; chunk < stage.layers.size(); ++chunk)
        if (list[chunk * numSizes].*member > list[best * numSizes].*member)
          best = chunk;
      return std::pair(best, list[best * numSizes].*member);
    };
    if (stage.mesh.data > 1) {
      std::vector<std::vector<int64_t>> columns = stage.mesh.columns();
      flows.reduce =
          network.ringFlow(columns, longest(&StageTimes::reduce).second);
      if (stage.state == StateMode::Node)
        columns = listColumnsInNodes(stage.mesh, model.cluster);
      flows.gather =
          network.ringFlow(columns, longest(&StageTimes::gather).second);
    }
    const Stage &next = plan.stages[(index + 1) % plan.stages.size()];
    if (&next == &stage)
      continue;
    auto crossing = [&](Time StageTimes::*member, bool gradient) -> Flow {
      auto [chunk, time] = longest(member);
      if (time == Time(0))
        return {};
      bool isOne = plan.schedule != ScheduleKind::Interleaved;
      return network.flowOf(
          model.boundaryMessages(isOne ? stage : takeChunk(model, stage, chunk),
                                 next, 0, gradient),
          time);
    };
    flows.boundary = crossing(&StageTimes::boundary, /*gradient=*/false);
    flows.boundaryGradient =
        crossing(&StageTimes::boundaryGradient, /*gradient=*/true);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

static std::vector<StageCommunication>
getCommunication(ArrayRef<std::vector<StageTimes>> bySize) {
  std::vector<StageCommunication> result;
  for (const std::vector<StageTimes> &list : bySize) {
    // Some chunks may have no parameters.
    StageCommunication &stage = result.emplace_back();
    for (const StageTimes &times : list) {
      stage.gathers |= times.gather > Time(0);
      stage.reduces |= times.reduce > Time(0);
    }
  }
  return result;
}

PlanSimulation
hetero::planner::simulateStages(const StageModel &model, const Plan &plan,
                                ArrayRef<std::vector<StageTimes>> bySize,
                                std::vector<std::vector<DeviceUse>> devices) {
  PlanSimulation simulation;
  std::vector<int64_t> inFlight;
  std::vector<StageTimes> first;
  for (auto [stage, list] : zip_equal(plan.stages, bySize)) {
    inFlight.push_back(stage.inFlight);
    first.push_back(list.front());
  }
  int64_t chunks = plan.stages.front().layers.size();
  simulation.schedule = simulator::buildSchedule(
      plan.schedule, plan.microbatches.size(), inFlight,
      getCommunication(bySize), chunks, first);
  simulation.times = spread(plan, bySize);
  simulation.flows = getFlows(model, plan, bySize);
  simulation.devices = std::move(devices);
  // buildSchedule makes lists that do not wait for each other.
  simulation.result = cantFail(
      simulate({simulation.schedule, simulation.times, simulation.flows,
                &model.network(), simulation.devices}));
  return simulation;
}

ScheduleChoice hetero::planner::chooseSchedule(const StageModel &model,
                                               const Plan &plan,
                                               ArrayRef<ScheduleKind> kinds,
                                               ArrayRef<int64_t> limits,
                                               int64_t mostSimulations) {
  std::vector<std::vector<StageTimes>> bySize = getStageTimes(model, plan);
  std::vector<std::vector<StageTimes>> times = spread(plan, bySize);
  std::vector<StageFlows> flows = getFlows(model, plan, bySize);
  std::vector<StageCommunication> communication = getCommunication(bySize);
  return cantFail(simulator::chooseSchedule(
      {int64_t(plan.microbatches.size()), times, flows, &model.network(),
       communication, limits, kinds, mostSimulations}));
}

/// What the devices of a stage keep.
static std::vector<DeviceUse> getDeviceUse(const StageModel &model,
                                           const Plan &plan, size_t index) {
  const Stage &stage = plan.stages[index];
  int64_t inFlight = std::min<int64_t>(
      stage.inFlight, plan.microbatches.size() * stage.layers.size());
  inFlight = std::max<int64_t>(1, inFlight);
  std::vector<DeviceUse> result;
  for (auto [number, device] : enumerate(stage.mesh.devices)) {
    cost::MemoryUse memory = model.memoryUse(plan, index, number);
    result.push_back({device,
                      memory.total() - memory.activations,
                      {Bytes(memory.activations.count() / inFlight)}});
  }
  return result;
}

Expected<PlanSimulation> hetero::planner::simulatePlan(const Problem &problem,
                                                       const Cluster &cluster,
                                                       const Plan &plan) {
  if (Error error = check(problem, cluster))
    return error;
  StageModel model(problem, cluster);
  if (Error error = verifyStructure(model, plan))
    return error;
  std::vector<std::vector<DeviceUse>> devices;
  devices.reserve(plan.stages.size());
  for (size_t stage = 0; stage < plan.stages.size(); ++stage)
    devices.push_back(getDeviceUse(model, plan, stage));
  return simulateStages(model, plan, getStageTimes(model, plan),
                        std::move(devices));
}

//===----------------------------------------------------------------------===//
// What follows from a simulation
//===----------------------------------------------------------------------===//

simulator::Trace hetero::planner::getTrace(const PlanSimulation &simulation,
                                           const Cluster &cluster,
                                           const Plan &plan) {
  simulator::Trace trace;
  trace.facts = {{"planner", plan.planner},
                 {"schedule", stringify(plan.schedule).str()},
                 {"step", simulation.result.total.str()}};
  for (auto [index, schedule] : enumerate(simulation.schedule.stages)) {
    TraceStage &stage = trace.stages.emplace_back();
    std::map<std::string, int64_t> classes;
    for (int64_t device : plan.stages[index].mesh.devices)
      ++classes[cluster.classOf(device).name];
    stage.name = "stage " + std::to_string(index) + ":";
    for (const auto &[name, count] : classes)
      stage.name += " " + std::to_string(count) + " x " + name;
    stage.schedule = &schedule;
    stage.spans = simulation.result.spans[index];
    if (index >= simulation.devices.size())
      continue;
    // The device that comes closest to what it has.
    const DeviceUse *fullest = nullptr;
    double most = -1;
    for (auto [peak, device] :
         zip_equal(simulation.result.peaks[index], simulation.devices[index])) {
      double filled =
          double(peak.bytes.count()) /
          std::max<double>(1, cluster.classOf(device.device).memory.count());
      if (filled > most) {
        most = filled;
        fullest = &device;
      }
    }
    if (fullest)
      stage.memory = memoryOverTime(schedule, simulation.schedule.microbatches,
                                    stage.spans, *fullest);
  }
  return trace;
}
