//===- LocalSearchTest.cpp - Tests of designs that differ a little --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/LocalSearch.h"
#include "Planner/RandomDesigns.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
/// A random problem, a design to start with, and a value that is made up: for
/// each design another number, the same whenever it is asked for.
struct Case {
  explicit Case(int64_t number)
      : random(number), problem(makeRandomProblem(random, 8, 8)),
        cluster(makeRandomCluster(random, 6)),
        builder(problem, cluster, options),
        microbatches(microbatchOptions(problem)) {
    design.microbatches = random() % microbatches.size();
    design.stages = makeRandomStages(random, builder);
  }

  /// How far each stage is from having work like its devices, where later
  /// layers are more work, and stages and microbatches from being three and
  /// four.
  double value(const Design &of) const {
    auto numLayers = static_cast<double>(problem.layers.size());
    auto numDevices = static_cast<double>(cluster.devices.size());
    double sum = 1, used = 0;
    for (const StageChoice &stage : of.stages) {
      auto before = [](int64_t layer) {
        return static_cast<double>(layer * (layer + 1));
      };
      double work = before(stage.layers.last + 1) - before(stage.layers.first);
      auto count = static_cast<double>(stage.devices.size());
      double off = work / (numLayers * (numLayers + 1)) - count / numDevices;
      sum += off * off + (stage.recompute ? 0.1 : 0) +
             0.05 * static_cast<double>(stage.state != StateMode::Full);
      used += count;
    }
    auto count = static_cast<double>(microbatches[of.microbatches].size());
    double most = std::min({3.0, numLayers, numDevices});
    auto stages = static_cast<double>(of.stages.size());
    return sum + std::fabs(stages - most) / 2 + std::fabs(count - 4) / 10 +
           (numDevices - used) / 10;
  }

  std::mt19937 random;
  Problem problem;
  Cluster cluster;
  PlannerOptions options;
  PlanBuilder builder;
  std::vector<std::vector<int64_t>> microbatches;
  Design design;
};
} // namespace

/// That stages have all layers in order, and every device once.
static void expectSound(const Case &one, const Design &design) {
  EXPECT_LT(design.microbatches, one.microbatches.size());
  int64_t layer = 0;
  std::set<int64_t> used;
  for (const StageChoice &stage : design.stages) {
    EXPECT_EQ(stage.layers.first, layer);
    EXPECT_LE(layer, stage.layers.last);
    layer = stage.layers.last + 1;
    EXPECT_FALSE(stage.devices.empty());
    EXPECT_EQ(int64_t(stage.devices.size()) % stage.tensor, 0);
    for (int64_t device : stage.devices) {
      EXPECT_TRUE(used.insert(device).second);
      EXPECT_LT(device, int64_t(one.cluster.devices.size()));
    }
  }
  EXPECT_EQ(layer, int64_t(one.problem.layers.size()));
}

TEST(LocalSearchTest, countsItsWorkAndNeverGetsWorse) {
  int64_t better = 0, cases = numRandomCases(100);
  for (int64_t i = 0; i < cases; ++i) {
    Case one(i);
    int64_t calls = 0, given = int64_t(one.random() % 40), work = given;
    double before = one.value(one.design), best = before, least = before;
    auto value = [&](const Design &design, double cutoff) {
      ++calls;
      expectSound(one, design);
      double seconds = one.value(design);
      EXPECT_LT(cutoff, best) << "case " << i;
      if (seconds < cutoff)
        least = std::min(least, seconds);
      return seconds;
    };
    LocalSearch search(one.builder, one.microbatches, value);
    search.improve(one.design, best, work);
    EXPECT_EQ(calls, given - work) << "case " << i;
    EXPECT_GE(work, 0) << "case " << i;
    EXPECT_LE(best, before);
    EXPECT_EQ(best, least) << "case " << i;
    EXPECT_EQ(best, one.value(one.design)) << "case " << i;
    better += best < before;
  }
  EXPECT_GT(better, cases / 2);
}

// The neighbours that the header lists, made here one by one.
TEST(LocalSearchTest, endsWhereNoNeighbourIsBetter) {
  int64_t several = 0;
  for (int64_t i = 0, cases = numRandomCases(60); i < cases; ++i) {
    Case one(i);
    auto value = [&](const Design &design, double) {
      return one.value(design);
    };
    LocalSearch search(one.builder, one.microbatches, value);
    double best = one.value(one.design);
    int64_t work = 1000000;
    search.improve(one.design, best, work);
    EXPECT_GT(work, 0);
    auto isNotBetter = [&](const Design &design, const char *what) {
      EXPECT_GE(one.value(design), best * (1 - 2e-6))
          << what << " of case " << i;
    };
    for (size_t stage = 0; stage < one.design.stages.size(); ++stage) {
      for (StateMode mode : one.options.stateModes) {
        Design other = one.design;
        other.stages[stage].state = mode;
        if (other.stages[stage].devices.size() > 1)
          isNotBetter(other, "a state mode");
      }
      Design kept = one.design;
      kept.stages[stage].recompute = !kept.stages[stage].recompute;
      isNotBetter(kept, "recompute");
      if (stage + 1 == one.design.stages.size())
        continue;
      for (int64_t by : {-2, -1, 1, 2}) {
        Design other = one.design;
        LayerRun &left = other.stages[stage].layers;
        LayerRun &right = other.stages[stage + 1].layers;
        left.last += by;
        right.first += by;
        if (left.first <= left.last && right.first <= right.last)
          isNotBetter(other, "a cut");
      }
      Design joined = one.design;
      joined.stages[stage].layers.last = joined.stages[stage + 1].layers.last;
      llvm::append_range(joined.stages[stage].devices,
                         joined.stages[stage + 1].devices);
      joined.stages.erase(joined.stages.begin() + stage + 1);
      isNotBetter(joined, "two stages as one");
    }
    for (size_t number = 0; number < one.microbatches.size(); ++number) {
      Design other = one.design;
      other.microbatches = number;
      if (number + 1 == one.design.microbatches ||
          one.design.microbatches + 1 == number)
        isNotBetter(other, "microbatches");
    }
    // Devices that are not used make the value worse, and a stage can take one.
    size_t used = 0;
    for (const StageChoice &stage : one.design.stages)
      used += stage.devices.size();
    EXPECT_EQ(used, one.cluster.devices.size()) << "case " << i;
    several += one.design.stages.size() > 1;
  }
  EXPECT_GT(several, 20);
}

TEST(LocalSearchTest, shakesFromTheSameNumberInTheSameWay) {
  int64_t changed = 0, several = 0;
  for (int64_t i = 0, cases = numRandomCases(100); i < cases; ++i) {
    Case one(i);
    auto value = [](const Design &, double) { return 1.0; };
    LocalSearch search(one.builder, one.microbatches, value);
    std::mt19937 left(i), right(i);
    Design shaken = search.shake(one.design, left);
    expectSound(one, shaken);
    EXPECT_TRUE(shaken == search.shake(one.design, right));
    // One stage and one way to cut the batch leave nothing to change.
    if (one.design.stages.size() == 1)
      continue;
    ++several;
    changed += !(shaken == one.design);
  }
  EXPECT_GT(several, 10);
  EXPECT_GT(changed * 2, several);
}
