//===- ExhaustiveTest.cpp - Planners against all plans --------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HETERO_RANDOM_CASES sets the number of cases; a long run has 5,000.
//
//===----------------------------------------------------------------------===//

#include "RandomProblems.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdlib>

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static int64_t numCases(int64_t usual) {
  const char *given = std::getenv("HETERO_RANDOM_CASES");
  return given ? std::atoll(given) : usual;
}

TEST(ExhaustiveTest, tmpStages) {
  int64_t cases = numCases(100);
  int within = 0, found = 0;
  double seconds = 0;
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(1000 + i);
    Problem problem = makeRandomProblem(random, 5, 6);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/i % 3 == 0);
    auto t0 = std::chrono::steady_clock::now();
    llvm::Expected<Plan> best = planExhaustive(problem, cluster);
    double dt =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - t0)
            .count();
    seconds += dt;
    if (!best) {
      std::string m = llvm::toString(best.takeError());
      if (m.find("gives up") != std::string::npos)
        printf("case %d gave up\n", int(i));
      continue;
    }
    ++found;
    llvm::Expected<Plan> stages = planJoint(problem, cluster);
    double ratio = 99;
    if (stages)
      ratio = toSeconds(stages->predicted) / toSeconds(best->predicted);
    else
      llvm::consumeError(stages.takeError());
    within += ratio <= 1.01;
    if (ratio > 1.01 || dt > 1)
      printf("case %d ratio %.4f seconds %.2f devices %d layers %d batch %d\n",
             int(i), ratio, dt, int(cluster.devices.size()),
             int(problem.layers.size()), int(problem.batch));
  }
  printf("found %d within %d seconds %.2f\n", found, within, seconds);
}
