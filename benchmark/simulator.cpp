//===- simulator.cpp - Times the simulator --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hetero-simulator-benchmark <stages> <microbatches> <kind> [shared]
//
// Builds a schedule of unequal stages and simulates it, and prints the CPU
// seconds of both and the number of instructions. With `shared`, stages stand
// on nodes of a ring of cables, each used by messages of two boundaries and by
// the reduction of its stage. benchmark/simulator.py runs it.

#include "hetero/Simulator/Simulator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

/// Of the processor, which others disturb less.
static double secondsSince(std::clock_t start) {
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

/// No stage is like the next one, and every third boundary is slow.
static std::vector<StageTimes> makeStages(int64_t count) {
  std::vector<StageTimes> stages(count);
  for (int64_t i = 0; i < count; ++i) {
    stages[i].forward = Time(1000000 + 7919 * (i * 31 % 17));
    stages[i].backward = stages[i].forward * 2;
    stages[i].weightGradient = stages[i].forward;
    stages[i].boundary = stages[i].boundaryGradient =
        Time(i + 1 == count ? 0
             : i % 3 == 0   ? 900000
                            : 90000);
    stages[i].reduce = Time(2000000);
    stages[i].parts = 4;
  }
  return stages;
}

/// One node for each stage and a cable from each to the next.
static cluster::Cluster makeRing(int64_t count) {
  cluster::Cluster ring = cluster::makeDefaultCluster();
  cluster::Node node = ring.nodes.front();
  ring.nodes.clear();
  cluster::Link link;
  link.bandwidth = Bandwidth(1000000000);
  for (int64_t i = 0; i < count; ++i) {
    node.name = "n" + std::to_string(i);
    ring.nodes.push_back(node);
    if (i > 0)
      ring.cables.push_back({i - 1, i, link});
  }
  cantFail(ring.finish());
  return ring;
}

static std::vector<StageFlows> makeFlows(const Network &network,
                                         ArrayRef<StageTimes> stages) {
  std::vector<StageFlows> flows(stages.size());
  int64_t last = int64_t(stages.size()) - 1;
  for (int64_t i = 0; i < last; ++i) {
    // Around the corner, so that neighbours meet.
    int64_t to = std::min(i + 2, last);
    flows[i].boundary =
        network.flowOf({{i, to, Bytes(800)}}, stages[i].boundary);
    flows[i].boundaryGradient =
        network.flowOf({{to, i, Bytes(800)}}, stages[i].boundaryGradient);
    flows[i].reduce = network.ringFlow({{i, to}}, stages[i].reduce);
  }
  return flows;
}

int main(int argc, char **argv) {
  int64_t numStages = 0, microbatches = 0;
  std::optional<ScheduleKind> kind;
  if (argc >= 4)
    kind = parseScheduleKind(argv[3]);
  if (!kind || !to_integer(argv[1], numStages) ||
      !to_integer(argv[2], microbatches) || numStages < 1 || microbatches < 1) {
    errs() << "usage: hetero-simulator-benchmark <stages> <microbatches> "
              "<kind> [shared]\n";
    return 1;
  }
  bool shared = argc > 4 && StringRef(argv[4]) == "shared";
  std::vector<StageTimes> stages = makeStages(numStages);
  std::vector<std::vector<StageTimes>> times;
  times.reserve(stages.size());
  for (const StageTimes &stage : stages)
    times.push_back({stage});
  cluster::Cluster ring = makeRing(numStages);
  Network network(ring);
  std::vector<StageFlows> flows = makeFlows(network, stages);
  std::vector<StageCommunication> communication(numStages, {false, true});

  std::clock_t start = std::clock();
  Schedule schedule = buildSchedule(
      *kind, microbatches, computeInFlight(*kind, microbatches, stages),
      communication, 1, stages);
  double building = secondsSince(start);
  start = std::clock();
  Simulation simulation{schedule, times};
  if (shared) {
    simulation.flows = flows;
    simulation.network = &network;
  }
  Expected<SimulationResult> result = simulate(simulation);
  double simulating = secondsSince(start);
  if (!result) {
    errs() << "error: " << toString(result.takeError()) << '\n';
    return 1;
  }
  int64_t instructions = 0;
  for (const StageSchedule &stage : schedule.stages)
    instructions += stage.instructions.size();
  outs() << "{\"build\": " << building << ", \"simulate\": " << simulating
         << ", \"instructions\": " << instructions
         << ", \"step\": " << toSeconds(result->total) << "}\n";
  return 0;
}
