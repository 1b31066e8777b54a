//===- PredictedTimelineTest.cpp - Tests of predicted timelines -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Plan/PredictedTimeline.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using namespace hetero::simulator;

/// Two stages; the first has two devices.
static Plan makePlan() {
  Plan plan;
  plan.batch = 6;
  plan.microbatches = {2, 2, 1, 1};
  plan.stages.resize(2);
  Stage &first = plan.stages[0], &second = plan.stages[1];
  first.mesh.devices = {2, 0};
  first.mesh.data = 2;
  first.inFlight = 3;
  first.forward = Time(1000);
  first.backward = Time(2000);
  first.boundary = first.boundaryGradient = Time(500);
  first.reduce = Time(800);
  first.update = Time(300);
  first.shares.resize(2);
  first.shares[0].state = Bytes(100);
  first.shares[0].memory = Bytes(400);
  first.shares[1].state = Bytes(50);
  first.shares[1].memory = Bytes(350);
  second = first;
  second.mesh.devices = {1};
  second.mesh.data = 1;
  second.inFlight = 1;
  second.shares.resize(1);
  second.reduce = Time(0);
  return plan;
}

TEST(PredictedTimelineTest, followsASchedule) {
  Plan plan = makePlan();
  Schedule schedule = buildSchedule(ScheduleKind::OneFOneB, 4, {3, 1},
                                    {{false, true}, {false, false}});
  auto section = predictTimeline(plan, schedule, cluster::makeDefaultCluster());
  ASSERT_TRUE(bool(section)) << toString(section.takeError());
  ASSERT_EQ(section->lanes.size(), 3u);
  EXPECT_EQ(section->lanes[2].rank, 2);
  // The cluster has one device, so the class of the others is not known.
  EXPECT_EQ(section->lanes[0].note, "stage 0 on cpu");
  EXPECT_EQ(section->lanes[1].note, "stage 1");
  for (const TimelineLane &lane : section->lanes) {
    EXPECT_EQ(lane.computation.size(), 9u);
    Time last(0);
    for (const TimelineSpan &span : lane.computation) {
      EXPECT_GE(span.start, last);
      last = span.end;
    }
  }
  // A small microbatch takes half of the time.
  EXPECT_EQ(section->lanes[1].computation[0].end -
                section->lanes[1].computation[0].start,
            Time(1000));
  EXPECT_EQ(section->lanes[1].computation[4].end -
                section->lanes[1].computation[4].start,
            Time(500));
  // Three are in flight on the first stage: 50 and 300 in three parts.
  Bytes peak(0);
  for (const TimelineMemory &point : section->lanes[0].memory)
    peak = std::max(peak, point.bytes);
  EXPECT_EQ(section->lanes[0].memory.front().bytes, Bytes(50));
  EXPECT_EQ(section->lanes[0].memory[1].bytes, Bytes(150));
  EXPECT_EQ(peak, Bytes(350));
  EXPECT_EQ(section->lanes[0].memory.back().bytes, Bytes(50));

  plan.microbatches.pop_back();
  EXPECT_EQ(
      toString(predictTimeline(plan, schedule, cluster::makeDefaultCluster())
                   .takeError()),
      "the schedule is not one of the plan");
}
