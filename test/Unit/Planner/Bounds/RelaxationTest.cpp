//===- RelaxationTest.cpp - Tests of times that no plan can have ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planner/Bounds/Relaxation.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
/// What a relaxation is made of, for one way to cut the batch.
struct Case {
  Case(Problem given, Cluster on, std::vector<int64_t> sizes)
      : problem(std::move(given)), cluster(std::move(on)),
        microbatches(std::move(sizes)), model(problem, cluster), runs(problem) {
    std::map<int64_t, int64_t> counts;
    std::vector<int64_t> devices = cluster.availableDevices();
    for (int64_t device : devices)
      ++counts[cluster.devices[device].deviceClass];
    for (auto [deviceClass, count] : counts)
      classes.push_back({deviceClass, count});
    network.emplace(cluster, devices, classes);
    problem.constraints.microbatches = microbatches;
  }

  Relaxation make(double longest, std::vector<double> prices = {}) {
    return Relaxation(model, runs, classes, microbatches, *network, longest,
                      std::move(prices), times);
  }
  /// The seconds of the best of all plans; nothing if none fits.
  std::optional<double> best() const {
    llvm::Expected<Plan> plan = planExhaustive(problem, cluster);
    if (plan)
      return toSeconds(plan->predicted);
    llvm::consumeError(plan.takeError());
    return std::nullopt;
  }

  Problem problem;
  Cluster cluster;
  std::vector<int64_t> microbatches;
  StageModel model;
  LayerRuns runs;
  std::vector<ClassCount> classes;
  std::optional<NetworkBounds> network;
  RowTimes times;
};
} // namespace

/// A case with a random problem, cluster and number of microbatches.
static Case makeCase(int64_t number, int64_t maxDevices, bool scarce) {
  std::mt19937 random(number);
  Problem problem = makeRandomProblem(random, 4, 5);
  Cluster cluster = makeRandomCluster(random, maxDevices, scarce);
  std::vector<std::vector<int64_t>> all = microbatchOptions(problem);
  std::vector<int64_t> chosen = all[random() % all.size()];
  return Case(std::move(problem), std::move(cluster), std::move(chosen));
}

TEST(RelaxationTest, excludesNoTimeOfAPlan) {
  int64_t cases = numRandomCases(80), found = 0;
  double sum = 0;
  for (int64_t i = 0; i < cases; ++i) {
    Case one = makeCase(i, 4, /*scarce=*/i % 3 == 0);
    std::optional<double> best = one.best();
    if (!best)
      continue;
    ++found;
    for (const Relaxation::Resolution &resolution :
         {Relaxation::coarse, Relaxation::fine}) {
      Relaxation relaxation = one.make(*best * 3);
      relaxation.setResolution(resolution);
      // As the certificate, but for what times are rounded by.
      EXPECT_FALSE(relaxation.excludes(*best * (1 + 1e-6))) << "case " << i;
      EXPECT_FALSE(relaxation.excludes(*best * 2)) << "case " << i;
      EXPECT_TRUE(relaxation.excludes(*best / 100)) << "case " << i;
      double raised = relaxation.raise(0, *best * 3);
      EXPECT_LE(raised, *best * (1 + 1e-6)) << "case " << i;
      EXPECT_GE(raised, 0) << "case " << i;
      EXPECT_GT(relaxation.numSteps(), 0);
      sum += raised / *best / 2;
    }
  }
  EXPECT_GT(found, cases / 2);
  // It is worth something.
  EXPECT_GT(sum, 0.7 * static_cast<double>(found));
  printf("%.3f of the best on average\n", sum / static_cast<double>(found));
}

TEST(RelaxationTest, raisesToTheWorkOfASingleDevice) {
  int64_t found = 0;
  double sum = 0;
  for (int64_t i = 0, cases = numRandomCases(60); i < cases; ++i) {
    Case one = makeCase(i, 1, /*scarce=*/false);
    std::optional<double> best = one.best();
    if (!best)
      continue;
    ++found;
    Relaxation relaxation = one.make(*best * 3);
    double raised = relaxation.raise(0, *best * 3);
    // One device does all of it; what is missing is that times of samples that
    // are computed together are bounded by those of parts.
    EXPECT_GE(raised, *best / 2) << "case " << i;
    sum += raised / *best;
    // What is found does not depend on how far is looked, but for `high`.
    EXPECT_EQ(one.make(*best * 3).raise(0, *best * 5), raised) << "case " << i;
    EXPECT_LE(one.make(*best * 3).raise(0, raised / 2), raised / 2);
    StageBounds bounds(one.model, one.runs, one.classes,
                       *llvm::max_element(one.microbatches),
                       *llvm::min_element(one.microbatches), one.times);
    EXPECT_LE(workBound(bounds), *best * (1 + 1e-6)) << "case " << i;
    EXPECT_GT(workBound(bounds), 0) << "case " << i;
  }
  EXPECT_GT(sum, 0.85 * static_cast<double>(found));
  printf("%.3f of the best on average\n", sum / static_cast<double>(found));
}

TEST(RelaxationTest, betterPricesExcludeMore) {
  int64_t improved = 0;
  for (int64_t i = 0, cases = numRandomCases(80); i < cases; ++i) {
    Case one = makeCase(i, 4, /*scarce=*/i % 2 == 0);
    std::optional<double> best = one.best();
    if (!best)
      continue;
    Relaxation relaxation = one.make(*best * 3);
    double low = relaxation.raise(0, *best * 3);
    std::vector<double> prices = relaxation.improvePrices(low, *best * 3);
    if (prices.empty())
      continue;
    ++improved;
    Relaxation other = one.make(*best * 3, prices);
    EXPECT_GT(other.raise(0, *best * 3), low) << "case " << i;
    // Any prices are valid.
    EXPECT_FALSE(other.excludes(*best * (1 + 1e-6))) << "case " << i;
  }
  EXPECT_GT(improved, 0);
}
