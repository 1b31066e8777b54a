//===- ExhaustiveTest.cpp - Planners against all plans --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Bounds/Certificate.h"
#include "hetero/Planner/Cephalo/Cephalo.h"
#include "hetero/Planner/Joint/Joint.h"
#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Plan/PlannerOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// The time of a plan, or nothing if there is none.
static std::optional<Time> timeOf(llvm::Expected<Plan> plan) {
  if (plan)
    return plan->predicted;
  llvm::consumeError(plan.takeError());
  return std::nullopt;
}

TEST(ExhaustiveTest, whatTakesNoTimeIsCertified) {
  for (int64_t i = 0; i < 20; ++i) {
    std::mt19937 random(i);
    Problem problem;
    problem.batch = 4;
    problem.layers.resize(2);
    problem.layers[0].name = "first";
    problem.layers[1].name = "second";
    problem.layers[0].parameters = Bytes(16);
    problem.layers[0].output.perSample = Bytes(4);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/false);
    for (cluster::DeviceClass &entry : cluster.classes)
      entry.overhead = Time(0);
    EXPECT_LE(computeCertificate(problem, cluster, Time(1000)), Time(1000));
    std::optional<Time> joint = timeOf(planJoint(problem, cluster));
    ASSERT_TRUE(joint);
    EXPECT_LE(*joint, Time(1000));
  }
}

TEST(ExhaustiveTest, jointIsCloseAndTheBoundHolds) {
  int64_t cases = numRandomCases(150), found = 0, close = 0;
  std::vector<double> gaps;
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(1000 + i);
    Problem problem = makeRandomProblem(random, 5, 6);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/i % 3 == 0);
    std::optional<Time> best = timeOf(planExhaustive(problem, cluster));
    if (!best)
      continue;
    ++found;
    // No plan is below the certificate, whatever is known.
    Time far = *best * 3;
    Time certificate = computeCertificate(problem, cluster, far);
    EXPECT_LE(certificate, *best) << "case " << i;
    EXPECT_LE(computeCertificate(problem, cluster, *best), *best);
    llvm::Expected<Plan> joint = planJoint(problem, cluster);
    ASSERT_TRUE(bool(joint)) << "case " << i;
    EXPECT_LE(joint->bound, *best) << "case " << i;
    double ratio = toSeconds(joint->predicted) / toSeconds(*best);
    close += ratio <= 1.01;
    gaps.push_back(1 - toSeconds(joint->bound) / toSeconds(joint->predicted));
    if (isLongRun() && ratio > 1.01)
      printf("case %d: %.4f of the optimum\n", int(i), ratio);
    if (isCertified(problem, cluster, *joint))
      EXPECT_LE(certificate, joint->predicted) << "case " << i;
    // Exhaustive search does not split backwards.
    PlannerOptions splits;
    splits.schedule = ScheduleKind::ZeroBubble;
    splits.otherSchedules.clear();
    if (std::optional<Time> other =
            timeOf(planStages(problem, cluster, splits))) {
      EXPECT_LE(certificate, *other) << "case " << i;
      EXPECT_LE(computeBound(problem, cluster), *other) << "case " << i;
    }
    for (const PlannerEntry &entry : planners())
      if (entry.plan != planJoint && entry.plan != planExhaustive)
        if (std::optional<Time> other =
                timeOf(entry.plan(problem, cluster, {})))
          EXPECT_LE(joint->predicted, *other)
              << "case " << i << ", " << entry.name.str();
  }
  EXPECT_GT(found, cases / 2);
  EXPECT_GE(close * 100, found * 95);
  llvm::sort(gaps);
  printf("%d of %d close, median gap %.3f, ninth tenth %.3f\n", int(close),
         int(found), gaps[gaps.size() / 2], gaps[gaps.size() * 9 / 10]);
}

// Exhaustive search does not know plans whose layers come and go.
TEST(ExhaustiveTest, theBoundHoldsForLayeredPlans) {
  int64_t cases = numRandomCases(150), layered = 0;
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(5000 + i);
    Problem problem = makeRandomProblem(random, 5, 6);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/i % 3 != 0);
    llvm::Expected<Plan> plan = planCephalo(problem, cluster);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      continue;
    }
    if (isCertified(problem, cluster, *plan))
      EXPECT_LE(computeCertificate(problem, cluster, plan->predicted * 3),
                plan->predicted)
          << "case " << i;
    if (plan->schedule != ScheduleKind::Layered)
      continue;
    ++layered;
    // Collectives come one after the other, also if the first layers have no
    // parameters.
    const Stage &stage = plan->stages.front();
    EXPECT_GE(plan->predicted, stage.gather + stage.reduce) << "case " << i;
  }
  EXPECT_GT(layered * 20, cases);
}
