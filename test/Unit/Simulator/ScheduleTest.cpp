//===- ScheduleTest.cpp - Tests of schedules ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Schedule.h"
#include "hetero/Simulator/Simulator.h"
#include "gtest/gtest.h"
#include <array>
#include <random>

using namespace hetero;
using namespace hetero::simulator;

/// Tenths of a second.
static Time tenths(int64_t count) { return Time(count * timePerSecond / 10); }

static StageTimes makeTimes(int64_t forward, int64_t backward,
                            int64_t boundary) {
  StageTimes times;
  times.forward = tenths(forward);
  times.backward = tenths(backward);
  times.weightGradient = Time(times.backward.count() / 2);
  times.boundary = times.boundaryGradient = tenths(boundary);
  return times;
}

TEST(ScheduleTest, extraWarmUpHidesASlowLink) {
  std::vector<StageTimes> stages = {makeTimes(10, 20, 0), makeTimes(10, 20, 24),
                                    makeTimes(10, 20, 0), makeTimes(10, 20, 0)};
  EXPECT_EQ(computeInFlight(ScheduleKind::HeteroOneFOneB, 64, stages),
            (std::vector<int64_t>{6, 5, 2, 1}));
}

TEST(ScheduleTest, countsOfThePublishedPlan) {
  // Two V100 and an A100 as published with Harp: stages of 214.3 and 220.2 ms,
  // 76 ms between them.
  std::vector<StageTimes> stages = {makeTimes(714, 1429, 760),
                                    makeTimes(734, 1468, 0)};
  EXPECT_EQ(computeInFlight(ScheduleKind::HeteroOneFOneB, 64, stages),
            (std::vector<int64_t>{3, 1}));
}

static std::vector<std::string> listOf(const StageSchedule &stage) {
  std::vector<std::string> list;
  for (const Instruction &instruction : stage.instructions)
    list.push_back(stringify(instruction));
  return list;
}

TEST(ScheduleTest, exampleOfTheHeader) {
  std::vector<StageTimes> stages(4, makeTimes(10, 20, 0));
  std::vector<int64_t> counts =
      computeInFlight(ScheduleKind::OneFOneB, 3, stages);
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 3, 2, 1}));
  Schedule schedule = buildSchedule(ScheduleKind::OneFOneB, 3, counts);
  EXPECT_EQ(
      listOf(schedule.stages[2]),
      (std::vector<std::string>{
          "recv_activation 0 from 1", "forward 0", "send_activation 0 to 3",
          "recv_activation 1 from 1", "forward 1", "send_activation 1 to 3",
          "recv_gradient 0 from 3", "backward 0", "send_gradient 0 to 1",
          "recv_activation 2 from 1", "forward 2", "send_activation 2 to 3",
          "recv_gradient 1 from 3", "backward 1", "send_gradient 1 to 1",
          "recv_gradient 2 from 3", "backward 2", "send_gradient 2 to 1",
          "update"}));
}

TEST(ScheduleTest, chunksGoRound) {
  Schedule schedule =
      buildSchedule(ScheduleKind::Interleaved, 1, {3, 3}, {}, 2);
  EXPECT_EQ(
      listOf(schedule.stages[0]),
      (std::vector<std::string>{
          "forward 0", "send_activation 0 to 1",
          "recv_activation 0 from 1 chunk 1", "forward 0 chunk 1",
          "send_activation 0 to 1 chunk 1", "recv_gradient 0 from 1 chunk 1",
          "backward 0 chunk 1", "send_gradient 0 to 1 chunk 1",
          "recv_gradient 0 from 1", "backward 0", "update"}));
}

TEST(ScheduleTest, layersAreOutside) {
  Schedule schedule =
      buildSchedule(ScheduleKind::Layered, 2, {1}, {{true, true}}, 2);
  EXPECT_EQ(listOf(schedule.stages[0]),
            (std::vector<std::string>{
                "gather", "gather chunk 1", "forward 0", "forward 1",
                "forward 0 chunk 1", "forward 1 chunk 1", "gather",
                "backward 0 chunk 1", "backward 1 chunk 1", "reduce chunk 1",
                "backward 0", "backward 1", "reduce", "update"}));
}

TEST(ScheduleTest, withFreeBoundariesTheOrderIsThatOf1f1b) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<StageTimes> stages;
    for (unsigned s = 0; s < 1 + random() % 6; ++s)
      stages.push_back(makeTimes(1 + random() % 9, 1 + random() % 9, 0));
    int64_t microbatches = 1 + random() % 10;
    EXPECT_EQ(
        computeInFlight(ScheduleKind::HeteroOneFOneB, microbatches, stages),
        computeInFlight(ScheduleKind::OneFOneB, microbatches, stages));
  }
}

/// Follows the computations of one stage.
class Walker {
public:
  Walker(const Schedule &schedule, const StageSchedule &stage)
      : schedule(schedule), stage(stage),
        units(schedule.microbatches * stage.chunks), forward(units),
        backward(units), weight(units) {}

  void step(const Instruction &instruction) {
    EXPECT_EQ(updates, 0);
    if (instruction.kind == InstructionKind::Update) {
      ++updates;
      return;
    }
    int64_t unit =
        instruction.chunk * schedule.microbatches + *instruction.microbatch;
    if (instruction.kind == InstructionKind::Forward) {
      EXPECT_FALSE(forward[unit]);
      forward[unit] = true;
      most = std::max(most, ++inFlight);
      // Chunks of a microbatch follow each other.
      if (instruction.chunk > 0)
        EXPECT_TRUE(forward[unit - schedule.microbatches]);
      return;
    }
    if (instruction.kind == InstructionKind::WeightGradient) {
      EXPECT_TRUE(backward[unit]);
      EXPECT_FALSE(weight[unit]);
      weight[unit] = true;
    } else {
      EXPECT_TRUE(forward[unit]);
      EXPECT_FALSE(backward[unit]);
      backward[unit] = true;
      if (instruction.chunk + 1 < stage.chunks)
        EXPECT_TRUE(backward[unit + schedule.microbatches]);
    }
    inFlight -= instruction.kind != InstructionKind::InputGradient;
  }

  void finish() {
    bool splits = schedule.kind == ScheduleKind::ZeroBubble;
    EXPECT_EQ(std::count(forward.begin(), forward.end(), true), units);
    EXPECT_EQ(std::count(backward.begin(), backward.end(), true), units);
    EXPECT_EQ(std::count(weight.begin(), weight.end(), true),
              splits ? units : 0);
    EXPECT_EQ(updates, 1);
    EXPECT_EQ(inFlight, 0);
    EXPECT_LE(most, stage.inFlight);
    if (!splits)
      EXPECT_EQ(most, stage.inFlight);
  }

private:
  const Schedule &schedule;
  const StageSchedule &stage;
  int64_t units;
  std::vector<bool> forward, backward, weight;
  int64_t inFlight = 0, most = 0, updates = 0;
};

/// Walks through the lists and checks what a stage may do when.
static void expectSound(const Schedule &schedule) {
  for (const StageSchedule &stage : schedule.stages) {
    Walker walker(schedule, stage);
    for (const Instruction &instruction : stage.instructions)
      if (isCompute(instruction.kind))
        walker.step(instruction);
    walker.finish();
  }
}

/// A stage computes one thing at a time, in order.
static void expectInOrder(const StageSchedule &stage,
                          const std::vector<Span> &spans) {
  Time now;
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_TRUE(spans[i].end >= spans[i].start);
    if (!isCompute(stage.instructions[i].kind))
      continue;
    EXPECT_TRUE(spans[i].start >= now);
    now = spans[i].end;
  }
}

TEST(ScheduleTest, randomSchedulesRunWithinTheirLimits) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    std::vector<StageTimes> stages;
    std::vector<int64_t> limits;
    int64_t microbatches = 1 + random() % 9;
    Time longest;
    for (unsigned s = 0; s < 1 + random() % 6; ++s) {
      StageTimes &own = stages.emplace_back(
          makeTimes(1 + random() % 9, 1 + random() % 9, random() % 30));
      own.gather = tenths(random() % 3);
      own.reduce = tenths(random() % 3);
      own.update = tenths(random() % 3);
      own.parts = 1 + random() % 4;
      limits.push_back(1 + random() % 12);
      longest = std::max(longest, (own.forward + own.backward) * microbatches +
                                      own.update);
    }
    for (ScheduleKind kind : scheduleKinds()) {
      bool hasChunks =
          kind == ScheduleKind::Interleaved || kind == ScheduleKind::Layered;
      int64_t chunks = hasChunks ? 1 + random() % 3 : 1;
      std::vector<int64_t> counts =
          computeInFlight(kind, microbatches, stages, limits, chunks);
      for (size_t s = 0; s < counts.size(); ++s) {
        if (!hasChunks)
          EXPECT_LE(counts[s], limits[s]);
        EXPECT_LE(counts[s], s == 0 ? microbatches * chunks : counts[s - 1]);
      }
      // Less memory than gpipe needs makes it another kind.
      if (kind == ScheduleKind::Gpipe)
        counts.assign(stages.size(), microbatches);
      std::vector<StageCommunication> inside(stages.size(), {true, true});
      Schedule schedule =
          buildSchedule(kind, microbatches, counts, inside, chunks, stages);
      expectSound(schedule);
      std::vector<std::vector<StageTimes>> times;
      for (const StageTimes &stage : stages)
        times.emplace_back(chunks, stage);
      llvm::Expected<SimulationResult> result = simulate({schedule, times});
      ASSERT_TRUE(bool(result)) << stringify(kind).str() << ": "
                                << llvm::toString(result.takeError());
      EXPECT_GE(result->total, longest);
      for (size_t s = 0; s < stages.size(); ++s) {
        expectInOrder(schedule.stages[s], result->spans[s]);
        EXPECT_LE(result->stages[s].inFlight, schedule.stages[s].inFlight);
      }
    }
  }
}

/// Every number of stages, microbatches and chunks, with the fewest and the
/// usual numbers in flight.
TEST(ScheduleTest, interleavedStagesNeverWaitInACircle) {
  for (int64_t numStages = 1; numStages <= 5; ++numStages)
    for (int64_t microbatches = 1; microbatches <= 11; ++microbatches)
      for (int64_t chunks = 1; chunks <= 4; ++chunks)
        for (int64_t limit : {int64_t(1), microbatches * chunks}) {
          std::vector<StageTimes> stages(numStages, makeTimes(1, 2, 1));
          std::vector<int64_t> limits(numStages, limit);
          Schedule schedule = buildSchedule(
              ScheduleKind::Interleaved, microbatches,
              computeInFlight(ScheduleKind::Interleaved, microbatches, stages,
                              limits, chunks),
              {}, chunks);
          expectSound(schedule);
          std::vector<std::vector<StageTimes>> times(
              numStages, std::vector<StageTimes>(chunks, makeTimes(1, 2, 1)));
          llvm::Expected<SimulationResult> result = simulate({schedule, times});
          ASSERT_TRUE(bool(result))
              << numStages << " " << microbatches << " " << chunks << ": "
              << llvm::toString(result.takeError());
        }
}

/// All numbers in flight that a plan may say.
TEST(ScheduleTest, interleavedStagesNeverWaitWhateverIsInFlight) {
  for (int64_t numStages : {2, 3})
    for (int64_t microbatches : {2, 4, 5})
      for (int64_t chunks : {1, 2, 3}) {
        int64_t most = microbatches * chunks;
        std::vector<std::vector<StageTimes>> times(
            numStages, std::vector<StageTimes>(chunks, makeTimes(1, 2, 1)));
        for (int64_t number = 0; number < most * most; ++number) {
          std::vector<int64_t> counts = {number / most + 1, number % most + 1,
                                         number % 3 + 1};
          counts.resize(numStages);
          Schedule schedule = buildSchedule(ScheduleKind::Interleaved,
                                            microbatches, counts, {}, chunks);
          llvm::Expected<SimulationResult> result = simulate({schedule, times});
          ASSERT_TRUE(bool(result))
              << numStages << " " << microbatches << " " << chunks << " "
              << counts[0] << " " << counts[1] << ": "
              << llvm::toString(result.takeError());
        }
      }
}

/// The gaps at both ends become as long as the forwards and input gradients
/// that others wait for.
TEST(ScheduleTest, weightGradientsFillGaps) {
  std::vector<StageTimes> stages(4, makeTimes(10, 20, 0));
  auto total = [&](ScheduleKind kind) {
    std::vector<std::vector<StageTimes>> times(4, {stages[0]});
    Schedule schedule = buildSchedule(
        kind, 16, computeInFlight(kind, 16, stages), {}, 1, stages);
    return llvm::cantFail(simulate({schedule, times})).total;
  };
  EXPECT_EQ(total(ScheduleKind::OneFOneB), tenths(30 * 19));
  EXPECT_LT(total(ScheduleKind::ZeroBubble), tenths(30 * 18));
  EXPECT_GE(total(ScheduleKind::ZeroBubble), tenths(30 * 16 + 10 * 3));
}

TEST(ScheduleTest, buildScheduleLowersWhatCannotBeFed) {
  Schedule schedule = buildSchedule(ScheduleKind::HeteroOneFOneB, 6, {2, 4, 3});
  EXPECT_EQ(schedule.stages[1].inFlight, 2);
  EXPECT_EQ(schedule.stages[2].inFlight, 2);
  expectSound(schedule);
}

TEST(ScheduleTest, eachMicrobatchHasItsOwnTimes) {
  Schedule schedule = buildSchedule(ScheduleKind::OneFOneB, 2, {2, 1});
  std::vector<std::vector<StageTimes>> times = {
      {makeTimes(10, 20, 5), makeTimes(1, 2, 3)}, {makeTimes(10, 20, 0)}};
  SimulationResult result = llvm::cantFail(simulate({schedule, times}));
  // 1.0 forward, 0.5 across, 3.0 on stage 1, and again 3.0 for the second one,
  // 0.3 back and 0.2 for its backward.
  EXPECT_EQ(result.total, tenths(10 + 5 + 30 + 30 + 3 + 2));
}

TEST(ScheduleTest, namesAreReadBack) {
  for (ScheduleKind kind : scheduleKinds())
    EXPECT_EQ(parseScheduleKind(stringify(kind)), kind);
  EXPECT_EQ(parseScheduleKind("zigzag"), std::nullopt);
  EXPECT_EQ(parseScheduleKind("custom"), std::nullopt);
  EXPECT_EQ(listScheduleKinds(),
            "gpipe, 1f1b, interleaved, h1f1b, zero_bubble, layered");
  Instruction instruction{InstructionKind::SendGradient, 2, 1, 3};
  EXPECT_EQ(stringify(instruction), "send_gradient 2 to 1 chunk 3");
}

TEST(ScheduleTest, splitBackwardsWithLittleRoomKeepTheirPace) {
  // Eleven stages of a large plan, with room for 8 to 12 microbatches. If each
  // takes forwards as soon as it may, a step takes 605.7 s; with the second
  // rule of ZeroBubble.h 572.75 s.
  std::vector<std::array<int64_t, 4>> large = {
      {29, 66, 22, 12}, {38, 81, 1, 10}, {38, 81, 22, 10}, {39, 87, 22, 9},
      {39, 87, 43, 9},  {41, 93, 22, 8}, {41, 93, 22, 8},  {41, 93, 22, 8},
      {41, 93, 22, 8},  {41, 93, 22, 8}, {37, 82, 0, 8}};
  std::vector<StageTimes> stages;
  std::vector<std::vector<StageTimes>> times;
  std::vector<int64_t> counts;
  for (auto [forward, backward, boundary, room] : large) {
    StageTimes &own =
        stages.emplace_back(makeTimes(forward, backward, boundary));
    times.push_back({own});
    counts.push_back(room);
  }
  Schedule schedule =
      buildSchedule(ScheduleKind::ZeroBubble, 32, counts, {}, 1, stages);
  Time total = cantFail(simulate({schedule, times})).total;
  EXPECT_LT(total, tenths(5800));
  // No stage can do with less than its own work and its first forward.
  EXPECT_GE(total, tenths(32 * (41 + 93)));
}
