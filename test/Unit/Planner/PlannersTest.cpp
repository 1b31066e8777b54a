//===- PlannersTest.cpp - Tests of the planners ---------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProblems.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

TEST(PlannersTest, plansAreVerifiedAndEvaluated) {
  std::mt19937 random(11);
  int found = 0, failed = 0;
  for (int i = 0; i < 150; ++i) {
    Problem problem = makeRandomProblem(random);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/i % 2);
    for (const PlannerEntry &entry : planners()) {
      llvm::Expected<Plan> plan = entry.plan(problem, cluster, {});
      if (!plan) {
        std::string message = llvm::toString(plan.takeError());
        EXPECT_NE(message.find("is short of"), std::string::npos) << message;
        ++failed;
        continue;
      }
      ++found;
      EXPECT_EQ(plan->planner, entry.name.str());
      llvm::Error error = verify(problem, cluster, *plan);
      EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
      Plan again = *plan;
      error = evaluate(problem, cluster, again);
      EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
      EXPECT_TRUE(again == *plan);
      EXPECT_LE(plan->bound, plan->predicted);
      // The same input gives the same plan.
      EXPECT_TRUE(llvm::cantFail(entry.plan(problem, cluster, {})) == *plan);
    }
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(failed, 20);
}
