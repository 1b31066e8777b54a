//===- ScheduleTest.cpp - Tests of schedules ------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Simulator/Schedule.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;
using namespace hetero::simulator;

static constexpr ScheduleKind kinds[] = {
    ScheduleKind::Gpipe, ScheduleKind::OneFOneB, ScheduleKind::HeteroOneFOneB};

/// Tenths of a second, so that the figures of the worked example are whole.
static Time tenths(int64_t count) { return Time(count * timePerSecond / 10); }

static StageTimes makeTimes(int64_t forward, int64_t backward,
                            int64_t boundary) {
  StageTimes times;
  times.forward = tenths(forward);
  times.backward = tenths(backward);
  times.boundary = times.boundaryGradient = tenths(boundary);
  return times;
}

static Time timeOf(ScheduleKind kind, int64_t microbatches,
                   const std::vector<StageTimes> &stages) {
  std::vector<std::vector<StageTimes>> times;
  for (const StageTimes &stage : stages)
    times.push_back({stage});
  Schedule schedule = buildSchedule(
      kind, microbatches, computeInFlight(kind, microbatches, stages));
  return llvm::cantFail(timeSchedule(schedule, times)).total;
}

/// Four stages, and a slow link in the middle.
static std::vector<StageTimes> workedExample() {
  return {makeTimes(10, 20, 0), makeTimes(10, 20, 24), makeTimes(10, 20, 0),
          makeTimes(10, 20, 0)};
}

TEST(ScheduleTest, extraWarmUpHidesASlowLink) {
  std::vector<StageTimes> stages = workedExample();
  EXPECT_EQ(computeInFlight(ScheduleKind::HeteroOneFOneB, 64, stages),
            (std::vector<int64_t>{6, 5, 2, 1}));
  EXPECT_EQ(timeOf(ScheduleKind::HeteroOneFOneB, 8, stages), tenths(378));
  EXPECT_EQ(timeOf(ScheduleKind::HeteroOneFOneB, 64, stages), tenths(2058));
  EXPECT_EQ(timeOf(ScheduleKind::OneFOneB, 8, stages), tenths(522));
  EXPECT_EQ(timeOf(ScheduleKind::OneFOneB, 64, stages), tenths(3546));
}

TEST(ScheduleTest, exampleOfTheHeader) {
  std::vector<StageTimes> stages(4, makeTimes(10, 20, 0));
  std::vector<int64_t> counts =
      computeInFlight(ScheduleKind::OneFOneB, 3, stages);
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 3, 2, 1}));
  Schedule schedule = buildSchedule(ScheduleKind::OneFOneB, 3, counts);
  std::vector<std::string> list;
  for (const Instruction &instruction : schedule.stages[2].instructions)
    list.push_back(stringify(instruction));
  EXPECT_EQ(
      list,
      (std::vector<std::string>{
          "recv_activation 0 from 1", "forward 0", "send_activation 0 to 3",
          "recv_activation 1 from 1", "forward 1", "send_activation 1 to 3",
          "recv_gradient 0 from 3", "backward 0", "send_gradient 0 to 1",
          "recv_activation 2 from 1", "forward 2", "send_activation 2 to 3",
          "recv_gradient 1 from 3", "backward 1", "send_gradient 1 to 1",
          "recv_gradient 2 from 3", "backward 2", "send_gradient 2 to 1",
          "update"}));
}

TEST(ScheduleTest, closedForms) {
  for (int64_t stages : {1, 2, 3, 5, 8})
    for (int64_t microbatches : {1, 2, 5, 8, 21}) {
      std::vector<StageTimes> times(stages, makeTimes(10, 20, 0));
      for (ScheduleKind kind : kinds)
        EXPECT_EQ(timeOf(kind, microbatches, times),
                  tenths(30 * (microbatches + stages - 1)))
            << stringify(kind).str() << " " << stages << " " << microbatches;
    }
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

/// Walks through a list and checks what a stage may do when.
static void expectSound(const Schedule &schedule) {
  for (const StageSchedule &stage : schedule.stages) {
    int64_t forwards = 0, backwards = 0, most = 0;
    for (const Instruction &instruction : stage.instructions) {
      if (instruction.kind == InstructionKind::Forward)
        EXPECT_EQ(*instruction.microbatch, forwards++);
      if (instruction.kind == InstructionKind::Backward) {
        EXPECT_LT(*instruction.microbatch, forwards);
        EXPECT_EQ(*instruction.microbatch, backwards++);
      }
      most = std::max(most, forwards - backwards);
    }
    EXPECT_EQ(forwards, schedule.microbatches);
    EXPECT_EQ(backwards, schedule.microbatches);
    EXPECT_EQ(most, stage.inFlight);
  }
}

/// A stage does one thing at a time; only its sends go on beside the rest.
static void expectInOrder(const StageSchedule &stage,
                          const std::vector<Span> &spans) {
  Time now;
  for (size_t i = 0; i < spans.size(); ++i) {
    InstructionKind kind = stage.instructions[i].kind;
    EXPECT_TRUE(spans[i].start >= now);
    EXPECT_TRUE(spans[i].end >= spans[i].start);
    if (kind != InstructionKind::SendActivation &&
        kind != InstructionKind::SendGradient)
      now = spans[i].end;
  }
}

TEST(ScheduleTest, randomSchedulesRunWithinTheirLimits) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    std::vector<StageTimes> stages;
    std::vector<std::vector<StageTimes>> times;
    std::vector<int64_t> limits;
    int64_t microbatches = 1 + random() % 9;
    Time longest;
    for (unsigned s = 0; s < 1 + random() % 6; ++s) {
      stages.push_back(
          makeTimes(1 + random() % 9, 1 + random() % 9, random() % 30));
      stages.back().gather = tenths(random() % 3);
      stages.back().reduce = tenths(random() % 3);
      stages.back().update = tenths(random() % 3);
      times.push_back({stages.back()});
      limits.push_back(1 + random() % 12);
      longest =
          std::max(longest, (stages.back().forward + stages.back().backward) *
                                    microbatches +
                                stages.back().gather + stages.back().reduce +
                                stages.back().update);
    }
    for (ScheduleKind kind : kinds) {
      std::vector<int64_t> counts =
          computeInFlight(kind, microbatches, stages, limits);
      for (size_t s = 0; s < counts.size(); ++s) {
        EXPECT_LE(counts[s], limits[s]);
        EXPECT_LE(counts[s], s == 0 ? microbatches : counts[s - 1]);
      }
      std::vector<StageCommunication> inside(stages.size(), {true, true});
      Schedule schedule = buildSchedule(kind, microbatches, counts, inside);
      expectSound(schedule);
      Timing timing = llvm::cantFail(timeSchedule(schedule, times));
      EXPECT_GE(timing.total, longest);
      for (size_t s = 0; s < stages.size(); ++s)
        expectInOrder(schedule.stages[s], timing.spans[s]);
    }
  }
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
  Timing timing = llvm::cantFail(timeSchedule(schedule, times));
  // 1.0 forward, 0.5 across, 3.0 on stage 1, and again 3.0 for the second one,
  // 0.3 back and 0.2 for its backward.
  EXPECT_EQ(timing.total, tenths(10 + 5 + 30 + 30 + 3 + 2));
}

static std::string errorOf(const Schedule &schedule) {
  std::vector<std::vector<StageTimes>> times(schedule.stages.size(),
                                             {makeTimes(1, 1, 1)});
  llvm::Expected<Timing> timing = timeSchedule(schedule, times);
  return timing ? "" : llvm::toString(timing.takeError());
}

TEST(ScheduleTest, namesTheCircle) {
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

TEST(ScheduleTest, refusesWhatIsNotASchedule) {
  Schedule schedule;
  schedule.stages.resize(1);
  schedule.stages[0].instructions = {{InstructionKind::Forward, 1, {}}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'forward 1' names a microbatch that "
                               "is not one of the 1");
  schedule.stages[0].instructions = {{InstructionKind::Forward, {}, {}}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'forward' names no microbatch");
  schedule.stages[0].instructions = {{InstructionKind::RecvGradient, 0, 0}};
  EXPECT_EQ(errorOf(schedule), "stage 0: 'recv_gradient 0 from 0' needs "
                               "another one of the 1 stages");
  llvm::Expected<Timing> timing = timeSchedule(schedule, {});
  ASSERT_FALSE(bool(timing));
  EXPECT_EQ(llvm::toString(timing.takeError()),
            "there are times for 0 stages, but the schedule has 1");
}

TEST(ScheduleTest, namesAreReadBack) {
  for (ScheduleKind kind : kinds)
    EXPECT_EQ(parseScheduleKind(stringify(kind)), kind);
  EXPECT_EQ(parseScheduleKind("zigzag"), std::nullopt);
}
