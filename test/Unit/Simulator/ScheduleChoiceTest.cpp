//===- ScheduleChoiceTest.cpp - Tests of the choice of schedules ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/ScheduleChoice.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;
using namespace hetero::simulator;

static Time tenths(int64_t count) { return Time(count * timePerSecond / 10); }

static std::vector<StageTimes> makeTimes(int64_t forward, int64_t backward,
                                         int64_t boundary) {
  StageTimes times;
  times.forward = tenths(forward);
  times.backward = tenths(backward);
  times.weightGradient = Time(times.backward.count() / 2);
  times.boundary = times.boundaryGradient = tenths(boundary);
  return {times};
}

static ScheduleChoice choose(const ScheduleRequest &request) {
  llvm::Expected<ScheduleChoice> choice = chooseSchedule(request);
  EXPECT_TRUE(bool(choice)) << llvm::toString(choice.takeError());
  return choice ? *choice : ScheduleChoice();
}

TEST(ScheduleChoiceTest, exampleOfTheHeader) {
  std::vector<std::vector<StageTimes>> times = {
      makeTimes(10, 20, 0), makeTimes(10, 20, 24), makeTimes(10, 20, 0),
      makeTimes(10, 20, 0)};
  ScheduleKind kinds[] = {ScheduleKind::HeteroOneFOneB};
  ScheduleRequest request;
  request.microbatches = 64;
  request.times = times;
  request.kinds = kinds;
  EXPECT_LE(choose(request).total, tenths(2058));
  std::vector<int64_t> limits = {5, 5, 5, 5};
  request.limits = limits;
  ScheduleChoice choice = choose(request);
  EXPECT_LT(choice.total, tenths(3546));
  EXPECT_GT(choice.total, tenths(2058));
  for (int64_t count : choice.inFlight)
    EXPECT_LE(count, 5);
}

/// Equal stages without communication: h1f1b is exactly 1f1b.
TEST(ScheduleChoiceTest, withEqualStagesItIs1f1b) {
  ScheduleKind kinds[] = {ScheduleKind::HeteroOneFOneB};
  for (int64_t stages = 1; stages <= 8; ++stages)
    for (int64_t microbatches : {1, 3, 8, 30}) {
      std::vector<std::vector<StageTimes>> times(stages, makeTimes(10, 20, 0));
      std::vector<StageTimes> first(stages, times[0][0]);
      ScheduleRequest request;
      request.microbatches = microbatches;
      request.times = times;
      request.kinds = kinds;
      ScheduleChoice choice = choose(request);
      EXPECT_EQ(choice.inFlight,
                computeInFlight(ScheduleKind::OneFOneB, microbatches, first));
      EXPECT_EQ(choice.total, tenths(30 * (microbatches + stages - 1)));
    }
}

/// Of two stages all counts can be tried.
TEST(ScheduleChoiceTest, isTheBestOfTwoStages) {
  std::mt19937 random(5);
  int equal = 0;
  const int cases = 200;
  ScheduleKind kinds[] = {ScheduleKind::HeteroOneFOneB};
  for (int i = 0; i < cases; ++i) {
    int64_t microbatches = 1 + random() % 12;
    std::vector<std::vector<StageTimes>> times = {
        makeTimes(1 + random() % 9, 1 + random() % 9, random() % 40),
        makeTimes(1 + random() % 9, 1 + random() % 9, 0)};
    std::vector<int64_t> limits = {int64_t(1 + random() % 12),
                                   int64_t(1 + random() % 12)};
    ScheduleRequest request;
    request.microbatches = microbatches;
    request.times = times;
    request.kinds = kinds;
    request.limits = limits;
    ScheduleChoice choice = choose(request);
    Time best = Time::max();
    for (int64_t first = 1; first <= limits[0]; ++first)
      for (int64_t second = 1; second <= std::min(first, limits[1]); ++second) {
        Schedule schedule = buildSchedule(ScheduleKind::HeteroOneFOneB,
                                          microbatches, {first, second});
        best =
            std::min(best, llvm::cantFail(simulate({schedule, times})).total);
      }
    EXPECT_GE(choice.total, best);
    EXPECT_LE(toSeconds(choice.total), toSeconds(best) * 1.02);
    equal += choice.total == best;
  }
  EXPECT_GE(equal, cases * 9 / 10);
}

TEST(ScheduleChoiceTest, moreKindsAreNeverWorse) {
  std::mt19937 random(6);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::vector<StageTimes>> times;
    for (unsigned s = 0; s < 1 + random() % 6; ++s)
      times.push_back(
          makeTimes(1 + random() % 9, 1 + random() % 9, random() % 30));
    ScheduleRequest request;
    request.microbatches = 1 + random() % 20;
    request.times = times;
    std::vector<ScheduleKind> kinds;
    Time before = Time::max();
    for (ScheduleKind kind :
         {ScheduleKind::OneFOneB, ScheduleKind::HeteroOneFOneB,
          ScheduleKind::ZeroBubble}) {
      kinds.push_back(kind);
      request.kinds = kinds;
      Time total = choose(request).total;
      EXPECT_LE(total, before);
      before = total;
    }
  }
}
