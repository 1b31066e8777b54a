//===- TwoStagesTest.cpp - The planner of docs/Planner.md -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands between the lines that begin with `// docs/Planner.md` stands on
// that page, too, and test/Docs/planner.test compares the two.

#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Planner/Model/VerifyPlan.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

// docs/Planner.md: planner
/// Two stages: tries every cut of the layers, every cut of the devices in the
/// order of their ranks, every state mode and every number of microbatches.
static Expected<Plan> planTwoStages(const Problem &problem,
                                    const Cluster &cluster,
                                    const PlannerOptions &options = {}) {
  if (Error error = check(problem, cluster))
    return error;
  Expected<std::vector<int64_t>> devices = requireDevices(problem, cluster);
  if (!devices)
    return devices.takeError();
  PlanBuilder builder(problem, cluster, options);
  Selection selection;
  int64_t numLayers = problem.layers.size();
  auto add = [&](ArrayRef<int64_t> microbatches, int64_t layer, size_t device,
                 StateMode mode) {
    StageChoice first, second;
    first.layers = {0, layer - 1};
    second.layers = {layer, numLayers - 1};
    first.devices = ArrayRef(*devices).take_front(device);
    second.devices = ArrayRef(*devices).drop_front(device);
    first.state = second.state = mode;
    Candidate candidate =
        builder.build(microbatches, {first, second}, Division::Proportional);
    // A pin, or a given number of stages or parts, may speak against it.
    if (Error error = verifyStructure(builder.model, candidate.plan))
      consumeError(std::move(error));
    else
      selection.add(std::move(candidate));
  };
  for (ArrayRef<int64_t> microbatches : microbatchOptions(problem))
    for (int64_t layer = 1; layer < numLayers; ++layer)
      for (size_t device = 1; device < devices->size(); ++device)
        for (StateMode mode : options.stateModes)
          add(microbatches, layer, device, mode);
  return selection.take("two-stages", builder.model);
}
// docs/Planner.md: end

// docs/Planner.md: test
TEST(TwoStagesTest, plansAreSoundAndNotBetterThanAllPlans) {
  int64_t found = 0, cases = numRandomCases(60);
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(i);
    Problem problem = makeRandomProblem(random, 4, 5);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/i % 3 == 0);
    Expected<Plan> plan = planTwoStages(problem, cluster);
    if (!plan) {
      consumeError(plan.takeError());
      continue;
    }
    ++found;
    EXPECT_EQ(plan->stages.size(), 2u) << "case " << i;
    EXPECT_FALSE(errorToBool(verify(problem, cluster, *plan))) << "case " << i;
    Plan again = *plan;
    EXPECT_FALSE(errorToBool(evaluate(problem, cluster, again)));
    EXPECT_TRUE(again == *plan) << "case " << i;
    Expected<Plan> best = planExhaustive(problem, cluster);
    ASSERT_TRUE(bool(best)) << "case " << i;
    EXPECT_LE(best->predicted, plan->predicted) << "case " << i;
    EXPECT_LE(plan->bound, best->predicted) << "case " << i;
  }
  EXPECT_GT(found, cases / 4);
}
// docs/Planner.md: end

TEST(TwoStagesTest, respectsConstraintsOrSaysSo) {
  std::mt19937 random(4);
  Problem problem = makeRandomProblem(random, 4, 5);
  while (problem.layers.size() < 3)
    problem.layers.push_back(problem.layers.front());
  Cluster cluster = makeRandomCluster(random, 4);
  while (cluster.devices.size() < 3)
    cluster = makeRandomCluster(random, 4);
  problem.constraints.pins.push_back({1, /*stage=*/1, {}});
  Expected<Plan> pinned = planTwoStages(problem, cluster);
  ASSERT_TRUE(bool(pinned));
  EXPECT_EQ(pinned->stages[1].layers.front().first, 1);
  problem.constraints.maxStages = 1;
  problem.constraints.pins.clear();
  Expected<Plan> none = planTwoStages(problem, cluster);
  ASSERT_FALSE(bool(none));
  EXPECT_NE(toString(none.takeError()).find("finds no plan that respects"),
            std::string::npos);
}
