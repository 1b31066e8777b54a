//===- ObjectivesTest.cpp - Tests of time, money and what-if --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Driver/Objectives.h"
#include "Planner/RandomProblems.h"
#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Driver/WhatIf.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static llvm::Expected<Plan> plan(const Problem &problem,
                                 const Cluster &cluster) {
  return planDpProportional(problem, cluster);
}

/// A cluster with prices.
static Cluster makePriced(std::mt19937 &random, int64_t maxDevices) {
  Cluster cluster = makeRandomCluster(random, maxDevices);
  for (auto [index, deviceClass] : llvm::enumerate(cluster.classes))
    deviceClass.price = Price(1000000 * int64_t(index + 1));
  return cluster;
}

TEST(ObjectivesTest, budgetsAreRead) {
  EXPECT_EQ(*llvm::cantFail(readBudget("2.5/h")).hour, Price(2500000));
  EXPECT_EQ(*llvm::cantFail(readBudget("0.01/step")).step, 0.01);
  for (const char *text : {"2.5", "x/h", "-1/step", "2.5 GiB"})
    EXPECT_FALSE(llvm::errorToBool(readBudget(text).takeError()) == false)
        << text;
}

TEST(ObjectivesTest, pricesAreOfUsedDevices) {
  std::mt19937 random(3);
  Cluster cluster = makePriced(random, 4);
  Problem problem = makeRandomProblem(random);
  Plan made = llvm::cantFail(planSingle(problem, cluster));
  Price expected = *cluster.classOf(made.stages[0].mesh.devices[0]).price;
  EXPECT_EQ(llvm::cantFail(hourPrice(cluster, made)), expected);
  EXPECT_DOUBLE_EQ(stepPrice(Price(3600000), Time(timePerSecond)), 0.001);
  for (cluster::DeviceClass &deviceClass : cluster.classes)
    deviceClass.price.reset();
  EXPECT_EQ(llvm::toString(hourPrice(cluster, made).takeError()).substr(0, 11),
            "the class '");
}

TEST(ObjectivesTest, paretoHasTheFastestAndNothingWorse) {
  std::mt19937 random(4);
  int several = 0;
  for (int i = 0; i < 40; ++i) {
    Cluster cluster = makePriced(random, 5);
    Problem problem = makeRandomProblem(random, 3, 8);
    std::vector<PricedPlan> pareto =
        llvm::cantFail(findPareto(problem, cluster, plan));
    ASSERT_FALSE(pareto.empty());
    EXPECT_LE(pareto[0].plan.predicted,
              llvm::cantFail(plan(problem, cluster)).predicted);
    for (size_t k = 1; k < pareto.size(); ++k) {
      EXPECT_GT(pareto[k].plan.predicted, pareto[k - 1].plan.predicted);
      EXPECT_LT(pareto[k].step, pareto[k - 1].step);
      EXPECT_FALSE(bool(verify(problem, cluster, pareto[k].plan)));
    }
    several += pareto.size() > 1;
    // The ends are what each objective alone gives, and a budget in between
    // what fits into it.
    PricedPlan cheap = llvm::cantFail(choosePlan(pareto, Objective::Price, {}));
    EXPECT_EQ(cheap.step, pareto.back().step);
    EXPECT_EQ(cheap.plan.objective, Objective::Price);
    Budget budget;
    budget.step = pareto.back().step;
    EXPECT_EQ(llvm::cantFail(choosePlan(pareto, Objective::Time, budget))
                  .plan.predicted,
              pareto.back().plan.predicted);
    budget.step = pareto.back().step / 2;
    EXPECT_EQ(
        llvm::toString(choosePlan(pareto, Objective::Time, budget).takeError())
            .substr(0, 49),
        "no plan is within the budget; the cheapest costs ");
  }
  EXPECT_GT(several, 10);
}

TEST(ObjectivesTest, whatIfNamesAndOrdersChanges) {
  std::mt19937 random(6);
  for (int i = 0; i < 20; ++i) {
    Cluster cluster = makePriced(random, 4);
    Problem problem = makeRandomProblem(random, 3, 8);
    problem.constraints.forbiddenDevices = {int64_t(cluster.devices.size()) -
                                            1};
    if (cluster.devices.size() == 1)
      problem.constraints.forbiddenDevices.clear();
    std::vector<WhatIf> answers = askWhatIf(problem, cluster, plan);
    size_t used = 0, links = cluster.switches.size() + cluster.cables.size();
    for (const WhatIf &answer : answers)
      used += answer.change.substr(0, 9) == "one more ";
    EXPECT_GE(used, 1u);
    EXPECT_GE(answers.size(), used + links + cluster.classes.size());
    for (size_t k = 1; k < answers.size(); ++k)
      EXPECT_LE(answers[k - 1].predicted.value_or(Time::max()),
                answers[k].predicted.value_or(Time::max()));
    // Nothing that is added makes the step slower, for an exact planner of
    // samples on a device that may be left out.
    Time now = llvm::cantFail(plan(problem, cluster)).predicted;
    for (const WhatIf &answer : answers)
      if (answer.change.substr(0, 9) != "one more ")
        EXPECT_LE(answer.predicted.value_or(Time::max()), now) << answer.change;
  }
}
