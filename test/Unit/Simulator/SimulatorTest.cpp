//===- SimulatorTest.cpp - Tests of the simulator -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Simulator.h"
#include "ScheduleReference.h"
#include "hetero/Simulator/Trace.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;
using namespace hetero::simulator;

static Time seconds(double count) {
  return Time::nearest(count * timePerSecond);
}

static StageTimes makeTimes(double forward, double backward,
                            double boundary = 0) {
  StageTimes times;
  times.forward = seconds(forward);
  times.backward = seconds(backward);
  times.boundary = times.boundaryGradient = seconds(boundary);
  return times;
}

static SimulationResult run(const Simulation &simulation) {
  llvm::Expected<SimulationResult> result = simulate(simulation);
  EXPECT_TRUE(bool(result)) << llvm::toString(result.takeError());
  return result ? std::move(*result) : SimulationResult();
}

/// Each stage has the same times for all microbatches.
static SimulationResult run(ScheduleKind kind, int64_t microbatches,
                            const std::vector<StageTimes> &stages) {
  std::vector<std::vector<StageTimes>> times;
  for (const StageTimes &stage : stages)
    times.push_back({stage});
  Schedule schedule = buildSchedule(
      kind, microbatches, computeInFlight(kind, microbatches, stages));
  return run({schedule, times});
}

TEST(SimulatorTest, exampleOfTheHeader) {
  SimulationResult result =
      run(ScheduleKind::OneFOneB, 1, {makeTimes(1, 2, 1), makeTimes(1, 2)});
  EXPECT_EQ(result.total, seconds(8));
  EXPECT_EQ(result.stages[0].busy, seconds(3));
  EXPECT_EQ(result.stages[0].exposed, seconds(1));
  EXPECT_EQ(result.stages[0].bubble, seconds(4));
  EXPECT_EQ(result.stages[1].exposed, seconds(1));
}

TEST(SimulatorTest, workedExampleOfASlowLink) {
  std::vector<StageTimes> stages = {makeTimes(1, 2), makeTimes(1, 2, 2.4),
                                    makeTimes(1, 2), makeTimes(1, 2)};
  auto total = [&](ScheduleKind kind, int64_t microbatches) {
    return run(kind, microbatches, stages).total;
  };
  EXPECT_EQ(total(ScheduleKind::HeteroOneFOneB, 8), seconds(37.8));
  EXPECT_EQ(total(ScheduleKind::HeteroOneFOneB, 64), seconds(205.8));
  EXPECT_EQ(total(ScheduleKind::OneFOneB, 8), seconds(52.2));
  EXPECT_EQ(total(ScheduleKind::OneFOneB, 64), seconds(354.6));
}

TEST(SimulatorTest, closedForms) {
  for (int64_t stages : {1, 2, 3, 5, 8})
    for (int64_t microbatches : {1, 2, 5, 8, 21}) {
      std::vector<StageTimes> times(stages, makeTimes(1, 2));
      for (ScheduleKind kind : {ScheduleKind::Gpipe, ScheduleKind::OneFOneB,
                                ScheduleKind::HeteroOneFOneB})
        EXPECT_EQ(run(kind, microbatches, times).total,
                  seconds(3.0 * double(microbatches + stages - 1)))
            << stringify(kind).str() << " " << stages << " " << microbatches;
    }
}

/// With chunks the gaps at both ends are as much shorter.
TEST(SimulatorTest, closedFormOfInterleaved) {
  for (int64_t stages : {2, 3, 4})
    for (int64_t chunks : {1, 2, 3})
      for (int64_t groups : {1, 2, 5}) {
        int64_t microbatches = groups * stages;
        std::vector<std::vector<StageTimes>> times(
            stages, std::vector<StageTimes>(chunks, makeTimes(1, 2)));
        std::vector<StageTimes> first(stages, makeTimes(1, 2));
        Schedule schedule =
            buildSchedule(ScheduleKind::Interleaved, microbatches,
                          computeInFlight(ScheduleKind::Interleaved,
                                          microbatches, first, {}, chunks),
                          {}, chunks);
        EXPECT_EQ(run({schedule, times}).total,
                  seconds(3.0 * double(microbatches * chunks + stages - 1)))
            << stages << " " << chunks << " " << microbatches;
      }
}

/// An independent follower of the lists, without events, gives the same spans.
TEST(SimulatorTest, equalsTheReferenceOnRandomSchedules) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<StageTimes> stages;
    std::vector<std::vector<StageTimes>> times;
    int64_t numStages = 1 + random() % 6, microbatches = 1 + random() % 9;
    std::vector<int64_t> limits;
    std::vector<StageCommunication> inside;
    for (int64_t s = 0; s < numStages; ++s) {
      std::vector<StageTimes> &list = times.emplace_back();
      for (int64_t m = 0; m < (i % 2 ? microbatches : 1); ++m) {
        StageTimes own = makeTimes(random() % 9, random() % 9, random() % 20);
        own.boundaryGradient = seconds(random() % 20);
        own.weightGradient = Time(own.backward.count() / 3);
        own.update = seconds(random() % 3);
        list.push_back(own);
      }
      stages.push_back(list.front());
      limits.push_back(1 + random() % 12);
      inside.push_back({false, false});
    }
    for (ScheduleKind kind :
         {ScheduleKind::Gpipe, ScheduleKind::OneFOneB,
          ScheduleKind::HeteroOneFOneB, ScheduleKind::ZeroBubble}) {
      Schedule schedule =
          buildSchedule(kind, microbatches,
                        computeInFlight(kind, microbatches, stages, limits),
                        inside, 1, stages);
      SimulationResult result = run({schedule, times});
      ReferenceTiming reference = followLists(schedule, times);
      ASSERT_EQ(result.total, reference.total);
      for (int64_t s = 0; s < numStages; ++s)
        for (size_t k = 0; k < reference.spans[s].size(); ++k) {
          ASSERT_EQ(result.spans[s][k].start, reference.spans[s][k].start);
          ASSERT_EQ(result.spans[s][k].end, reference.spans[s][k].end);
        }
    }
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

TEST(SimulatorTest, collectivesRunBesideComputation) {
  StageTimes times = makeTimes(4, 8);
  times.gather = seconds(2);
  times.reduce = seconds(6);
  times.update = seconds(1);
  Schedule schedule =
      buildSchedule(ScheduleKind::OneFOneB, 2, {1}, {{true, true}});
  std::vector<std::vector<StageTimes>> list = {{times}};
  // One after the other.
  EXPECT_EQ(run({schedule, list}).total, seconds(2 + 2 * 12 + 6 + 1));
  // In two parts: computation starts after one of them, and half of the
  // reduction runs beside the second half of the last backward.
  list[0][0].parts = 2;
  SimulationResult result = run({schedule, list});
  EXPECT_EQ(result.total, seconds(1 + 2 * 12 + 3 + 1));
  EXPECT_EQ(result.stages[0].busy, seconds(25));
  EXPECT_EQ(result.stages[0].exposed, seconds(4));
  // A long reduction is what takes the time.
  list[0][0].reduce = seconds(40);
  EXPECT_EQ(run({schedule, list}).total, seconds(1 + 12 + 4 + 4 + 40 + 1));
  // A long gather: the second half of the first forward waits for all of it.
  list[0][0].gather = seconds(20);
  EXPECT_EQ(run({schedule, list}).total, seconds(20 + 2 + 8 + 4 + 4 + 40 + 1));
}

TEST(SimulatorTest, computationIsAsLongAsWhatRunsBesideIt) {
  StageTimes times = makeTimes(4, 8);
  times.besideForward = seconds(5);
  times.besideBackward = seconds(3);
  EXPECT_EQ(run(ScheduleKind::OneFOneB, 3, {times}).total, seconds(3 * 13));
}

/// Forward and backward take as long as the longer of computation and
/// communication, chunk by chunk.
TEST(SimulatorTest, layeredGathersOnceForAChunkAndPass) {
  const int64_t chunks = 5, microbatches = 3;
  StageTimes times = makeTimes(1, 2);
  times.gather = seconds(2);
  times.reduce = seconds(3);
  std::vector<std::vector<StageTimes>> list = {
      std::vector<StageTimes>(chunks, times)};
  Schedule schedule = buildSchedule(ScheduleKind::Layered, microbatches, {1},
                                    {{true, true}}, chunks);
  EXPECT_EQ(schedule.stages[0].inFlight, chunks * microbatches);
  int64_t gathers = 0, reduces = 0;
  for (const Instruction &instruction : schedule.stages[0].instructions) {
    gathers += instruction.kind == InstructionKind::Gather;
    reduces += instruction.kind == InstructionKind::Reduce;
  }
  EXPECT_EQ(gathers, 2 * chunks - 1);
  EXPECT_EQ(reduces, chunks);
  // 2 for the first gather, 5 x 3 forwards, 5 x 6 backwards, beside which 2 + 3
  // are hidden, and the last reduction.
  EXPECT_EQ(run({schedule, list}).total, seconds(2 + 15 + 30 + 3));
}

//===----------------------------------------------------------------------===//
// Contention
//===----------------------------------------------------------------------===//

/// Two nodes of two devices each, joined by a cable of 1 GB/s.
static cluster::Cluster makeCluster() {
  return llvm::cantFail(cluster::readCluster(llvm::MemoryBufferRef(
      "nodes:\n"
      "  - {name: a, devices: [2 x cpu], link: {bandwidth: 10 GB/s}}\n"
      "  - {name: b, devices: [2 x cpu], link: {bandwidth: 10 GB/s}}\n"
      "  - {name: c, devices: [2 x cpu], link: {bandwidth: 4 GB/s, shared: "
      "true}}\n"
      "links:\n"
      "  - {between: [a, b], bandwidth: 1 GB/s}\n"
      "  - {between: [b, c], bandwidth: 2 GB/s}\n",
      "cluster.yaml")));
}

TEST(NetworkTest, exampleOfTheHeader) {
  cluster::Cluster cluster = makeCluster();
  Network network(cluster);
  std::vector<Message> messages = {{0, 2, Bytes(1000000000)},
                                   {1, 2, Bytes(1000000000)}};
  Flow flow = network.flowOf(messages, seconds(2));
  ASSERT_EQ(flow.loads.size(), 1u);
  EXPECT_EQ(network.media()[flow.loads[0].medium].name, "a -> b");
  EXPECT_DOUBLE_EQ(flow.loads[0].share, 1);
}

TEST(NetworkTest, waysHaveMedia) {
  cluster::Cluster cluster = makeCluster();
  Network network(cluster);
  auto names = [&](int64_t from, int64_t to) {
    std::vector<std::string> list;
    for (int64_t medium : network.mediaBetween(from, to))
      list.push_back(network.media()[medium].name);
    return list;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(names(0, 1), (List{"out of device 0", "into device 1"}));
  EXPECT_EQ(names(4, 5), (List{"bus of c"}));
  EXPECT_EQ(names(0, 4), (List{"a -> b", "b -> c"}));
  EXPECT_EQ(names(5, 1), (List{"c -> b", "b -> a"}));
  EXPECT_EQ(names(3, 3), List());
  // A ring over three nodes and back loads each direction of each cable once.
  Flow flow = network.ringFlow({{0, 2, 4}}, seconds(1));
  double most = 0;
  for (const Load &load : flow.loads)
    most = std::max(most, load.share);
  EXPECT_EQ(flow.loads.size(), 4u);
  EXPECT_DOUBLE_EQ(most, 1);
}

/// One stage sends to another over a flow with the given loads.
struct Sender {
  double seconds;
  llvm::SmallVector<Load, 4> loads;
};

/// Pairs of stages whose first one sends at time 0; when each message arrives.
static std::vector<Time> race(const Network &network,
                              const std::vector<Sender> &senders) {
  Schedule schedule;
  std::vector<std::vector<StageTimes>> times;
  std::vector<StageFlows> flows;
  for (const Sender &sender : senders) {
    int64_t first = schedule.stages.size();
    schedule.stages.emplace_back().instructions = {
        {InstructionKind::SendActivation, 0, first + 1}};
    schedule.stages.emplace_back().instructions = {
        {InstructionKind::RecvActivation, 0, first}};
    times.push_back({makeTimes(0, 0, sender.seconds)});
    times.push_back({StageTimes()});
    flows.emplace_back().boundary.loads = sender.loads;
    flows.emplace_back();
  }
  SimulationResult result = run({schedule, times, flows, &network});
  std::vector<Time> ends;
  for (size_t i = 0; i < senders.size(); ++i)
    ends.push_back(result.spans[2 * i][0].end);
  return ends;
}

TEST(SimulatorTest, transfersDivideAMedium) {
  cluster::Cluster cluster = makeCluster();
  Network network(cluster);
  // Media 0 and 2 are a -> b at 1 GB/s and b -> c at 2 GB/s.
  EXPECT_EQ(network.media()[0].name, "a -> b");
  EXPECT_EQ(network.media()[2].name, "b -> c");
  using List = std::vector<Time>;
  EXPECT_EQ(race(network, {{1, {{0, 1}}}}), (List{seconds(1)}));
  EXPECT_EQ(race(network, {{1, {{0, 1}}}, {1, {{0, 1}}}}),
            (List{seconds(2), seconds(2)}));
  // The short one is done after 2 s; the long one then has all of it.
  EXPECT_EQ(race(network, {{1, {{0, 1}}}, {3, {{0, 1}}}}),
            (List{seconds(2), seconds(4)}));
  // One that uses half of a medium leaves the other half.
  EXPECT_EQ(race(network, {{1, {{0, 0.5}}}, {2, {{0, 0.5}}}}),
            (List{seconds(1), seconds(2)}));
}

/// One transfer is held up by the slow cable a -> b; it takes only as much of
/// b -> c as it can use, and the other one has the rest.
TEST(SimulatorTest, whoWaitsForASlowLinkLeavesItsCardToOthers) {
  cluster::Cluster cluster = makeCluster();
  Network network(cluster);
  std::vector<Time> ends =
      race(network, {{2, {{0, 1}, {2, 0.5}}}, {1, {{2, 1}}}});
  EXPECT_EQ(ends[0], seconds(2));
  EXPECT_EQ(ends[1], seconds(2));
  // Two of the former: each gets half of the slow cable, 0.5 GB/s, so that 1 of
  // the 2 GB/s behind it is left.
  ends =
      race(network,
           {{1, {{0, 1}, {2, 0.5}}}, {1, {{0, 1}, {2, 0.5}}}, {1, {{2, 1}}}});
  EXPECT_EQ(ends, (std::vector<Time>{seconds(2), seconds(2), seconds(2)}));
}

/// A reduction gets what messages between stages leave.
TEST(SimulatorTest, collectivesYieldToMessages) {
  cluster::Cluster cluster = makeCluster();
  Network network(cluster);
  Schedule schedule;
  schedule.stages.resize(3);
  schedule.stages[0].instructions = {{InstructionKind::Reduce, {}, {}},
                                     {InstructionKind::Update, {}, {}}};
  schedule.stages[1].instructions = {{InstructionKind::Forward, 0, {}},
                                     {InstructionKind::SendActivation, 0, 2}};
  schedule.stages[2].instructions = {{InstructionKind::RecvActivation, 0, 1}};
  std::vector<std::vector<StageTimes>> times(3, {makeTimes(1, 1, 2)});
  times[0][0].reduce = seconds(5);
  std::vector<StageFlows> flows(3);
  flows[0].reduce.loads = {{0, 1}};
  flows[1].boundary.loads = {{0, 1}};
  SimulationResult result = run({schedule, times, flows, &network});
  // It stops from 1 s to 3 s.
  EXPECT_EQ(result.spans[1][1].end, seconds(3));
  EXPECT_EQ(result.spans[0][0].end, seconds(7));
  ASSERT_EQ(result.media.size(), 1u);
  EXPECT_EQ(result.media[0].busy, seconds(7));
  EXPECT_EQ(result.total, seconds(7));
}

TEST(SimulatorTest, latencyLoadsNothing) {
  cluster::Cluster cluster = makeCluster();
  Network network(cluster);
  Schedule schedule = buildSchedule(ScheduleKind::Gpipe, 2, {2, 2});
  std::vector<std::vector<StageTimes>> times = {{makeTimes(0, 0, 3)},
                                                {makeTimes(0, 0)}};
  std::vector<StageFlows> flows(2);
  flows[0].boundary = {seconds(2), {{0, 1}}};
  flows[0].boundaryGradient = {seconds(2), {{1, 1}}};
  // Both messages are on the cable for 1 s, one after the other.
  SimulationResult result = run({schedule, times, flows, &network});
  EXPECT_EQ(result.total, seconds(2 + 2 + 2 + 2));
}

/// Shared media cannot make anything faster, and never more than as slow as one
/// after the other.
TEST(SimulatorTest, contentionOnlyDelays) {
  cluster::Cluster cluster = makeCluster();
  Network network(cluster);
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<StageTimes> stages;
    std::vector<std::vector<StageTimes>> times;
    std::vector<StageFlows> flows;
    std::vector<StageCommunication> inside;
    int64_t microbatches = 1 + random() % 8;
    auto randomFlow = [&] {
      Flow flow;
      for (int64_t medium = 0; medium < 4; ++medium)
        if (random() % 2)
          flow.loads.push_back({medium, double(1 + random() % 10) / 10});
      return flow;
    };
    Time sum;
    for (unsigned s = 0; s < 1 + random() % 6; ++s) {
      StageTimes own =
          makeTimes(random() % 5, random() % 5, double(random() % 40) / 7);
      own.gather = seconds(double(random() % 9) / 7);
      own.reduce = seconds(double(random() % 9) / 3);
      own.parts = 1 + random() % 4;
      stages.push_back(own);
      times.push_back({own});
      inside.push_back({true, true});
      StageFlows &flow = flows.emplace_back();
      flow.boundary = randomFlow();
      flow.boundaryGradient = randomFlow();
      flow.gather = randomFlow();
      flow.reduce = randomFlow();
      sum +=
          (own.forward + own.backward + own.boundary + own.boundaryGradient) *
              microbatches +
          own.gather + own.reduce;
    }
    Schedule schedule = buildSchedule(
        ScheduleKind::HeteroOneFOneB, microbatches,
        computeInFlight(ScheduleKind::HeteroOneFOneB, microbatches, stages),
        inside);
    Time alone = run({schedule, times}).total;
    SimulationResult shared = run({schedule, times, flows, &network});
    EXPECT_GE(shared.total, alone);
    // Rounding adds a picosecond each time that speeds change.
    EXPECT_LE(shared.total, sum + Time(100000));
    for (const StageStatistics &stage : shared.stages) {
      EXPECT_EQ(stage.busy + stage.exposed + stage.bubble, shared.total);
      EXPECT_GE(stage.bubble, Time(0));
    }
  }
}

//===----------------------------------------------------------------------===//
// Memory and traces
//===----------------------------------------------------------------------===//

TEST(SimulatorTest, tellsThePeakOfMemoryAndWhen) {
  Schedule schedule = buildSchedule(ScheduleKind::OneFOneB, 4, {2, 1});
  std::vector<std::vector<StageTimes>> times = {{makeTimes(1, 2)},
                                                {makeTimes(1, 2)}};
  DeviceUse device;
  device.fixed = Bytes(100);
  device.kept = {Bytes(10), Bytes(20), Bytes(30), Bytes(40)};
  std::vector<std::vector<DeviceUse>> devices = {{device}, {device}};
  SimulationResult result = run({schedule, times, {}, nullptr, devices});
  EXPECT_EQ(result.stages[0].inFlight, 2);
  // The last two microbatches are in flight together on the first stage.
  EXPECT_EQ(result.peaks[0][0].bytes, Bytes(100 + 30 + 40));
  EXPECT_EQ(result.peaks[1][0].bytes, Bytes(100 + 40));
  std::vector<MemoryPoint> points =
      memoryOverTime(schedule.stages[0], 4, result.spans[0], device);
  EXPECT_EQ(points.front().bytes, Bytes(100));
  EXPECT_EQ(points.back().bytes, Bytes(100));
  bool found = false;
  for (const MemoryPoint &point : points)
    found |= point.bytes == Bytes(170) && point.time == result.peaks[0][0].when;
  EXPECT_TRUE(found);
}

TEST(TraceTest, isReadBack) {
  Schedule schedule =
      buildSchedule(ScheduleKind::OneFOneB, 2, {2, 1}, {{true, true}});
  std::vector<std::vector<StageTimes>> times = {{makeTimes(1, 2, 0.5)},
                                                {makeTimes(1, 2)}};
  times[0][0].gather = times[0][0].reduce = seconds(1);
  SimulationResult result = run({schedule, times});
  Trace trace;
  trace.facts = {{"planner", "hand"}};
  for (size_t s = 0; s < 2; ++s)
    trace.stages.push_back(
        {"stage", &schedule.stages[s], result.spans[s], {{Time(0), Bytes(7)}}});
  std::string text;
  llvm::raw_string_ostream os(text);
  writeTrace(trace, os);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  double end = 0;
  std::map<std::string, int> phases;
  for (const llvm::json::Value &event :
       *value->getAsObject()->getArray("traceEvents")) {
    const llvm::json::Object &object = *event.getAsObject();
    std::string phase = object.getString("ph")->str();
    ++phases[phase];
    if (phase == "X")
      end = std::max(end, *object.getNumber("ts") + *object.getNumber("dur"));
  }
  EXPECT_DOUBLE_EQ(end, toSeconds(result.total) * 1e6);
  // 2 x 4 computations, 4 messages, gather and reduction.
  EXPECT_EQ(phases["X"], 14);
  EXPECT_EQ(phases["C"], 2);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string errorOf(const Schedule &schedule) {
  std::vector<std::vector<StageTimes>> times(schedule.stages.size(),
                                             {makeTimes(1, 1, 1)});
  llvm::Expected<SimulationResult> result = simulate({schedule, times});
  return result ? "" : llvm::toString(result.takeError());
}

TEST(SimulatorTest, namesTheCircle) {
  Schedule schedule;
  schedule.stages.resize(2);
  schedule.stages[0].instructions = {{InstructionKind::RecvGradient, 0, 1},
                                     {InstructionKind::SendActivation, 0, 1}};
  schedule.stages[1].instructions = {{InstructionKind::RecvActivation, 0, 0},
                                     {InstructionKind::SendGradient, 0, 0}};
  EXPECT_EQ(errorOf(schedule),
            "the stages wait for each other: stage 0 waits at 'recv_gradient 0 "
            "from 1', stage 1 waits at 'recv_activation 0 from 0'");
  schedule.stages[1].instructions.clear();
  EXPECT_EQ(errorOf(schedule), "stage 0 waits at 'recv_gradient 0 from 1', "
                               "which stage 1 never sends");
}

TEST(SimulatorTest, refusesWhatIsNotASchedule) {
  Schedule schedule;
  schedule.stages.resize(1);
  schedule.stages[0].instructions = {{InstructionKind::Forward, 1, {}}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'forward 1' names a microbatch that "
                               "is not one of the 1");
  schedule.stages[0].instructions = {{InstructionKind::Forward, {}, {}}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'forward' names no microbatch");
  schedule.stages[0].instructions = {{InstructionKind::Forward, 0, {}, 2}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'forward 0 chunk 2' names a chunk "
                               "that is not one of the 1");
  schedule.stages[0].instructions = {{InstructionKind::RecvGradient, 0, 0}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'recv_gradient 0 from 0' needs "
                               "another one of the 1 stages");
  schedule.stages[0].instructions = {{InstructionKind::Recompute, 0, {}}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'recompute 0' is not simulated");
  llvm::Expected<SimulationResult> result = simulate({schedule, {}});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "there are times for 0 stages, but the schedule has 1");
  std::vector<std::vector<StageTimes>> times = {{makeTimes(1, -1)}};
  result = simulate({schedule, times});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "stage 0: the time 'backward' is negative");
}
