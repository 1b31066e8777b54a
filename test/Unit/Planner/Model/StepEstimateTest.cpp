//===- StepEstimateTest.cpp - Tests of quick estimates --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/StepEstimate.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "gtest/gtest.h"

using namespace hetero::planner;

static EstimatedStage makeStage(double forward, double backward,
                                double boundary, int64_t node) {
  EstimatedStage stage;
  stage.sizes = {{forward, backward, boundary, boundary}};
  stage.node = node;
  return stage;
}

TEST(StepEstimateTest, splitStepOfOneStageIsItsWork) {
  EstimatedStage stage = makeStage(1, 2, 0, 0);
  stage.reduce = 4;
  EXPECT_DOUBLE_EQ(splitStep({stage}, {8.0}, {8}), 8 * 3 + 4);
}

/// Less room never makes a step shorter, and little of it makes it longer.
TEST(StepEstimateTest, splitStepNeedsRoom) {
  std::vector<EstimatedStage> stages;
  for (int64_t i = 0; i < 6; ++i)
    stages.push_back(makeStage(1, 2, i < 5 ? 0.2 : 0, i));
  double before = 0;
  for (int64_t room = 24; room >= 1; --room) {
    double time = splitStep(stages, {24.0}, std::vector<int64_t>(6, room));
    EXPECT_GE(time, before);
    before = time;
  }
  double enough = splitStep(stages, {24.0}, std::vector<int64_t>(6, 24));
  // The last stage waits for its first microbatch.
  EXPECT_GE(enough, 5 * 1.2 + 24 * 3);
  EXPECT_GT(splitStep(stages, {24.0}, std::vector<int64_t>(6, 4)), enough);
}

/// A slow reduction on the first stage waits for the last gradient.
TEST(StepEstimateTest, lastGradientGoesBack) {
  std::vector<EstimatedStage> stages = {
      makeStage(1, 2, 0.1, 0), makeStage(1, 2, 0.1, 1), makeStage(1, 2, 0, 2)};
  stages[0].reduce = 10;
  // The last of 16 leaves the last stage with some gradients of weights to do.
  double time = splitStep(stages, {16.0}, {4, 4, 4});
  EXPECT_GE(time, 2 * 1.1 + 16 * 3 - 4 + 2 * 1.1 + 10);
}

/// Stages that share their nodes share what leads out of them.
TEST(StepEstimateTest, slowWaysOutAreShared) {
  auto timeWith = [](int64_t second) {
    std::vector<EstimatedStage> stages = {
        makeStage(1, 2, 1.5, 0), makeStage(1, 2, 0.01, 1),
        makeStage(1, 2, 1.5, second), makeStage(1, 2, 0, 3)};
    return splitStep(stages, {64.0}, {64, 64, 64, 64});
  };
  EXPECT_GT(timeWith(1), timeWith(2));
}
