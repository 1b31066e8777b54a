//===- StagePoolTest.cpp - Tests of stages that were looked at ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/StagePool.h"
#include "Planner/RandomDesigns.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// A random problem with a few designs for one way to cut its batch.
struct Case {
  explicit Case(int64_t number, bool scarce)
      : random(number), problem(makeRandomProblem(random, 5, 8)),
        cluster(makeRandomCluster(random, 5, scarce)),
        builder(problem, cluster, options) {
    std::vector<std::vector<int64_t>> all = microbatchOptions(problem);
    microbatches = all[random() % all.size()];
    // Every second design differs from the one before in one stage.
    for (int i = 0; i < 3; ++i) {
      designs.push_back(makeRandomStages(random, builder));
      designs.push_back(designs.back());
      StageChoice &stage = designs.back()[random() % designs.back().size()];
      if (random() % 2)
        stage.recompute = !stage.recompute;
      else
        stage.state = options.stateModes[random() % 4];
    }
  }

  std::mt19937 random;
  Problem problem;
  Cluster cluster;
  PlannerOptions options;
  PlanBuilder builder;
  std::vector<int64_t> microbatches;
  std::vector<std::vector<StageChoice>> designs;
};
} // namespace

// The plan of PlanBuilder.h, with no pool in between.
TEST(StagePoolTest, agreesWithPlansThatAreBuiltAnew) {
  int64_t fitting = 0, cases = numRandomCases(100);
  for (int64_t i = 0; i < cases; ++i) {
    Case one(i, /*scarce=*/i % 2 == 0);
    StagePool pool(one.builder, one.microbatches);
    for (const std::vector<StageChoice> &design : one.designs) {
      Plan plan =
          one.builder.draft(one.microbatches, design, Division::Proportional);
      std::vector<int64_t> limits =
          one.builder.findLimits(plan, Division::Proportional);
      Estimate estimate = pool.estimate(design);
      bool fits = true;
      for (auto [index, stage] : llvm::enumerate(plan.stages)) {
        Stage copy = stage;
        fits &= StateDivision(one.builder.model, copy,
                              one.builder.model.placeOf(plan, index),
                              Division::Proportional)
                    .limit() > 0;
      }
      ASSERT_EQ(estimate.seconds < infinity, fits) << "case " << i;
      if (estimate.seconds == infinity)
        continue;
      ++fitting;
      for (auto [count, limit] : llvm::zip_equal(estimate.inFlight, limits))
        EXPECT_LE(count, limit) << "case " << i;
      one.builder.setInFlight(plan, estimate.inFlight, Division::Proportional);
      EXPECT_TRUE(pool.makePlan(design, estimate.inFlight) == plan)
          << "case " << i;
    }
  }
  EXPECT_GT(fitting, cases);
  EXPECT_LT(fitting, cases * 6);
}

// No other counts of the policies that the pool tries are faster: those of the
// schedule, of 1f1b, and one and two more than the schedule's.
TEST(StagePoolTest, estimateIsTheBestOfItsPolicies) {
  int64_t raised = 0;
  for (int64_t i = 0, cases = numRandomCases(100); i < cases; ++i) {
    Case one(i, /*scarce=*/false);
    StagePool pool(one.builder, one.microbatches);
    PlannerOptions only = one.options;
    only.schedule = ScheduleKind::OneFOneB;
    PlanBuilder other(one.problem, one.cluster, only);
    StagePool fewer(other, one.microbatches);
    for (const std::vector<StageChoice> &design : one.designs) {
      Estimate estimate = pool.estimate(design);
      Estimate plain = fewer.estimate(design);
      EXPECT_LE(estimate.seconds, plain.seconds) << "case " << i;
      raised += estimate.inFlight != plain.inFlight;
    }
  }
  EXPECT_GT(raised, 0);
}

TEST(StagePoolTest, answersDoNotDependOnWhatWasAskedBefore) {
  for (int64_t i = 0, cases = numRandomCases(60); i < cases; ++i) {
    Case one(i, /*scarce=*/i % 2 == 0);
    StagePool pool(one.builder, one.microbatches);
    for (int round = 0; round < 2; ++round)
      for (const std::vector<StageChoice> &design : one.designs) {
        StagePool fresh(one.builder, one.microbatches);
        Estimate known = pool.estimate(design);
        Estimate anew = fresh.estimate(design);
        EXPECT_EQ(known.seconds, anew.seconds) << "case " << i;
        EXPECT_EQ(known.inFlight, anew.inFlight) << "case " << i;
        EXPECT_EQ(pool.estimateSplit(design), fresh.estimateSplit(design));
        bool recomputes = llvm::any_of(
            design, [](const StageChoice &stage) { return stage.recompute; });
        if (recomputes || anew.seconds == infinity)
          EXPECT_EQ(pool.estimateSplit(design), infinity) << "case " << i;
      }
  }
}

TEST(StagePoolTest, aCutoffHidesOnlyWhatIsNotBelowIt) {
  int64_t hidden = 0;
  for (int64_t i = 0, cases = numRandomCases(60); i < cases; ++i) {
    Case one(i, /*scarce=*/false);
    StagePool pool(one.builder, one.microbatches);
    for (const std::vector<StageChoice> &design : one.designs) {
      double seconds = pool.estimate(design).seconds;
      EXPECT_EQ(pool.estimate(design, seconds * 1.0001).seconds, seconds)
          << "case " << i;
      hidden += pool.estimate(design, seconds / 2).seconds == infinity;
    }
  }
  EXPECT_GT(hidden, 0);
}
