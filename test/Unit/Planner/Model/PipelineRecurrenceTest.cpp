//===- PipelineRecurrenceTest.cpp - Tests of the recurrence ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/PipelineRecurrence.h"
#include "hetero/Simulator/Simulator.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;
using namespace hetero::planner;
using hetero::simulator::ScheduleKind;
using hetero::simulator::StageTimes;

static PipelineStage makeStage(double forward, double backward, double count,
                               bool splits) {
  PipelineStage stage;
  stage.forward = forward;
  stage.backward = backward;
  stage.count = stage.room = count;
  stage.work = count * (forward + backward);
  stage.splits = splits;
  return stage;
}

static PipelineTail repeat(const PipelineStage &stage, int64_t times) {
  PipelineTail tail;
  for (int64_t i = 0; i < times; ++i)
    tail = prependStage(stage, tail);
  return tail;
}

/// Both parts of the worked example in the header.
TEST(PipelineRecurrenceTest, workedExample) {
  PipelineTail whole = repeat(makeStage(1, 2, 4, /*splits=*/false), 2);
  EXPECT_DOUBLE_EQ(whole.stay, 6);
  EXPECT_DOUBLE_EQ(whole.own, 15);
  EXPECT_DOUBLE_EQ(whole.seconds, 15);
  PipelineTail split = repeat(makeStage(1, 2, 4, /*splits=*/true), 2);
  EXPECT_DOUBLE_EQ(split.stay, 4);
  EXPECT_DOUBLE_EQ(split.gone, 11.2);
  EXPECT_DOUBLE_EQ(split.own, 12.2);
  EXPECT_DOUBLE_EQ(split.seconds, 13);
}

/// With room for two of eight, a microbatch that stays for 14 starts every 7.
TEST(PipelineRecurrenceTest, littleRoomStartsFewer) {
  PipelineStage stage = makeStage(1, 2, 8, /*splits=*/false);
  PipelineTail last = prependStage(stage, {});
  stage.there = stage.back = 4;
  stage.room = 2;
  PipelineTail both = prependStage(stage, last);
  EXPECT_DOUBLE_EQ(both.stay, 14);
  EXPECT_DOUBLE_EQ(both.own, 8 * 14 / 2 + 14 - 3);
  // Split, it stays for 10 and w = 1 more, and waits for what two forwards do
  // not bridge: 10 - 1 - 2 = 7, and half as long again.
  stage.splits = true;
  last = prependStage(makeStage(1, 2, 8, /*splits=*/true), {});
  both = prependStage(stage, last);
  EXPECT_DOUBLE_EQ(both.stay, 12);
  EXPECT_DOUBLE_EQ(both.own, 8 * 13 / 2 + 1.5 * (12 - 1 - 2));
}

TEST(PipelineRecurrenceTest, slowWaysHoldUpAStage) {
  PipelineStage stage = makeStage(1, 2, 8, /*splits=*/false);
  stage.ways = wayTime(8, 4.5, 0.9);
  EXPECT_DOUBLE_EQ(prependStage(stage, {}).seconds, 40);
  EXPECT_DOUBLE_EQ(sharedWay(1, 4), 1.25);
  EXPECT_DOUBLE_EQ(sharedWay(9, 4), 2);
}

/// What the tail behind a stage takes counts from when it begins.
TEST(PipelineRecurrenceTest, aLongTailBeginsLater) {
  PipelineTail tail;
  tail.seconds = 100;
  PipelineStage stage = makeStage(1, 2, 4, /*splits=*/true);
  stage.there = 0.5;
  EXPECT_DOUBLE_EQ(prependStage(stage, tail).seconds, 101.5);
}

/// The same times on every stage, simulated with all that have room.
static double simulateEqual(ScheduleKind kind, const PipelineStage &stage,
                            int64_t numStages) {
  auto toTime = [](double seconds) {
    return Time::nearest(seconds * timePerSecond);
  };
  StageTimes times;
  times.forward = toTime(stage.forward);
  times.backward = toTime(stage.backward);
  times.weightGradient = toTime(stage.backward / 2);
  times.gather = toTime(stage.gather);
  times.reduce = toTime(stage.reduce);
  times.update = toTime(stage.update);
  auto count = int64_t(stage.count);
  std::vector<StageTimes> all(numStages, times);
  std::vector<int64_t> limits(numStages, int64_t(stage.room));
  simulator::Schedule schedule = simulator::buildSchedule(
      kind, count, simulator::computeInFlight(kind, count, all, limits),
      std::vector<simulator::StageCommunication>(
          numStages, {stage.gather > 0, stage.reduce > 0}),
      /*chunks=*/1, all);
  std::vector<std::vector<StageTimes>> ofStages(numStages, {times});
  llvm::Expected<simulator::SimulationResult> result =
      simulator::simulate({schedule, ofStages});
  EXPECT_TRUE(bool(result));
  return toSeconds(result->total);
}

/// One stage takes its work and what it does once, whatever the order, if some
/// gradients of weights can wait: at least two microbatches.
TEST(PipelineRecurrenceTest, agreesWithSimulatorOnOneStage) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    PipelineStage stage =
        makeStage(1 + double(random() % 9), 2 * (1 + double(random() % 9)),
                  2 + double(random() % 12), random() % 2 == 0);
    stage.gather = double(random() % 5);
    stage.reduce = double(random() % 5);
    stage.update = double(random() % 5);
    EXPECT_NEAR(prependStage(stage, {}).seconds,
                simulateEqual(stage.splits ? ScheduleKind::ZeroBubble
                                           : ScheduleKind::OneFOneB,
                              stage, 1),
                1e-9);
  }
}

/// Equal stages that hand on at once, and not fewer microbatches than stages.
TEST(PipelineRecurrenceTest, agreesWithSimulatorOnEqualStages) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    int64_t numStages = 1 + int64_t(random() % 6);
    PipelineStage stage =
        makeStage(1 + double(random() % 9), 1 + double(random() % 9),
                  double(numStages + int64_t(random() % 12)), false);
    stage.reduce = double(random() % 5);
    stage.update = double(random() % 5);
    EXPECT_NEAR(repeat(stage, numStages).seconds,
                simulateEqual(ScheduleKind::OneFOneB, stage, numStages), 1e-9);
  }
}

/// With room for all, and enough microbatches to hide the way there and back,
/// gradients of weights fill every gap: only the first forwards are waited for.
TEST(PipelineRecurrenceTest, agreesWithSimulatorWithoutBubbles) {
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    int64_t numStages = 1 + int64_t(random() % 5);
    auto forward = 1 + double(random() % 9);
    auto count = double(2 * numStages + int64_t(random() % 9));
    PipelineStage stage = makeStage(forward, 2 * forward, count, true);
    double seconds = repeat(stage, numStages).seconds;
    EXPECT_DOUBLE_EQ(seconds, (double(numStages - 1) + 3 * count) * forward);
    EXPECT_NEAR(seconds,
                simulateEqual(ScheduleKind::ZeroBubble, stage, numStages),
                1e-9);
  }
}
