//===- SimulationCheck.cpp - What a simulation needs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulationCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

static Error checkInstruction(const Schedule &schedule, int64_t index,
                              const Instruction &instruction) {
  InstructionKind kind = instruction.kind;
  int64_t numStages = schedule.stages.size();
  auto fail = [&](const Twine &why) {
    return createStringError("stage " + Twine(index) + ": '" +
                             stringify(instruction) + "' " + why);
  };
  if (kind == InstructionKind::Prepare || kind == InstructionKind::Recompute)
    return fail("is not simulated");
  bool once = kind == InstructionKind::Update ||
              kind == InstructionKind::Gather ||
              kind == InstructionKind::Reduce;
  if (!once && !instruction.microbatch)
    return fail("names no microbatch");
  if (instruction.microbatch &&
      (*instruction.microbatch < 0 ||
       *instruction.microbatch >= schedule.microbatches))
    return fail("names a microbatch that is not one of the " +
                Twine(schedule.microbatches));
  int64_t chunks = schedule.stages[index].chunks;
  if (instruction.chunk < 0 || instruction.chunk >= chunks)
    return fail("names a chunk that is not one of the " + Twine(chunks));
  if ((isSend(kind) || isRecv(kind)) &&
      (!instruction.peer || *instruction.peer < 0 ||
       *instruction.peer >= numStages || *instruction.peer == index))
    return fail("needs another one of the " + Twine(numStages) + " stages");
  return Error::success();
}

/// Everything negative would let the clock run backwards.
static Error checkTimes(int64_t stage, const StageTimes &times) {
  for (auto [name, time] :
       {std::pair("forward", times.forward),
        std::pair("backward", times.backward),
        std::pair("boundary", times.boundary),
        std::pair("boundary gradient", times.boundaryGradient),
        std::pair("gather", times.gather), std::pair("reduce", times.reduce),
        std::pair("update", times.update),
        std::pair("weight gradient", times.weightGradient),
        std::pair("beside forward", times.besideForward),
        std::pair("beside backward", times.besideBackward)})
    if (time < Time(0))
      return createStringError("stage " + Twine(stage) + ": the time '" + name +
                               "' is negative");
  if (times.weightGradient > times.backward)
    return createStringError(
        formatv("stage {0}: the weight gradient takes {1}, but all of the "
                "backward {2}",
                stage, times.weightGradient.str(), times.backward.str()));
  if (times.parts < 1)
    return createStringError("stage " + Twine(stage) + ": collectives have " +
                             Twine(times.parts) + " parts; at least 1");
  return Error::success();
}

static Error checkFlows(const Simulation &simulation) {
  if (simulation.flows.empty())
    return Error::success();
  if (simulation.flows.size() != simulation.schedule.stages.size() ||
      !simulation.network)
    return createStringError(
        formatv("there are flows for {0} stages, but the schedule has {1}",
                simulation.flows.size(), simulation.schedule.stages.size()));
  int64_t numMedia = simulation.network->media().size();
  for (auto [index, flows] : enumerate(simulation.flows))
    for (const Flow *flow :
         {&flows.boundary, &flows.boundaryGradient, &flows.gather,
          &flows.reduce, &flows.besideForward, &flows.besideBackward})
      for (const Load &load : flow->loads)
        if (load.medium < 0 || load.medium >= numMedia || !(load.share > 0) ||
            load.share > 1)
          return createStringError(
              formatv("stage {0}: a share of medium {1} of {2} is not above 0 "
                      "and at most 1, or there is no such medium",
                      index, load.medium, numMedia));
  return Error::success();
}

Error hetero::simulator::checkSimulation(const Simulation &simulation) {
  const Schedule &schedule = simulation.schedule;
  if (simulation.times.size() != schedule.stages.size())
    return createStringError(
        formatv("there are times for {0} stages, but the schedule has {1}",
                simulation.times.size(), schedule.stages.size()));
  for (auto [index, list] : enumerate(simulation.times)) {
    int64_t chunks = schedule.stages[index].chunks;
    int64_t count = list.size();
    if (chunks < 1 ||
        (count != chunks && count != chunks * schedule.microbatches))
      return createStringError(
          "stage " + Twine(index) + " has times for " + Twine(count) +
          " microbatches, but the schedule has " +
          Twine(schedule.microbatches) +
          (chunks == 1 ? Twine("")
                       : " for each of " + Twine(chunks) + " chunks"));
    for (const StageTimes &times : list)
      if (Error error = checkTimes(index, times))
        return error;
    for (const Instruction &instruction : schedule.stages[index].instructions)
      if (Error error = checkInstruction(schedule, index, instruction))
        return error;
  }
  return checkFlows(simulation);
}
