//===- HarpTest.cpp - Tests of the search under a period ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Harp/Harp.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Harp/HarpSearch.h"
#include "hetero/Planner/Search/DeviceOrders.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
/// Tries all layouts from the first stage to the last, and computes the formula
/// of Harp.h as it stands there.
class Enumeration {
public:
  Enumeration(const HarpSearch &search, std::optional<int64_t> maxStages)
      : search(search), maxStages(maxStages) {}

  double run() {
    enumerate(0, 0);
    return best;
  }

private:
  void value() {
    if (maxStages && int64_t(pieces.size()) > *maxStages)
      return;
    double sum = 0, slowest = 0;
    std::vector<HarpBoundary> crossings;
    for (size_t i = 0; i < pieces.size(); ++i) {
      crossings.push_back(i + 1 < pieces.size()
                              ? search.boundary(*pieces[i].second,
                                                *pieces[i + 1].second,
                                                pieces[i + 1].first)
                              : HarpBoundary());
      sum += pieces[i].second->time + crossings[i].sum();
      slowest =
          std::max({slowest, pieces[i].second->time, crossings[i].longest()});
    }
    // A longer period than the slowest needs fewer in flight.
    for (double period : search.periods()) {
      if (period < slowest)
        continue;
      int64_t inFlight = 0;
      bool fits = true;
      for (size_t i = pieces.size(); i-- > 0;) {
        inFlight = i + 1 == pieces.size()
                       ? 1
                       : std::min(search.count(),
                                  inFlight + search.delay(crossings[i], period,
                                                          pieces[i].second->end,
                                                          pieces[i + 1].first));
        fits &= inFlight <= pieces[i].second->limit;
      }
      if (!fits)
        continue;
      best = std::min(best, sum + search.steps() * period);
      return;
    }
  }

  void enumerate(int64_t cut, int64_t position) {
    if (cut + 1 == search.numCuts()) {
      if (search.mayLeaveOut() || position + 1 == search.numPositions())
        value();
      return;
    }
    for (int64_t begin = position; begin + 1 < search.numPositions(); ++begin) {
      for (const HarpStage &stage : search.stages(cut, begin)) {
        pieces.emplace_back(begin, &stage);
        enumerate(stage.lastCut, stage.end);
        pieces.pop_back();
      }
      if (!search.mayLeaveOut())
        break;
    }
  }

  const HarpSearch &search;
  std::optional<int64_t> maxStages;
  std::vector<std::pair<int64_t, const HarpStage *>> pieces;
  double best = std::numeric_limits<double>::infinity();
};
} // namespace

TEST(HarpTest, countsFollowTheSchedule) {
  int found = 0;
  for (int64_t i = 0; i < 40; ++i) {
    std::mt19937 random(32000 + i);
    Problem problem = makeRandomProblem(random, 5, 8);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/false);
    PlannerOptions options;
    options.schedule = ScheduleKind::Gpipe;
    llvm::Expected<Plan> plan = planHarp(problem, cluster, options);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      continue;
    }
    found += plan->stages.size() > 1;
    // All forwards come first.
    for (const Stage &stage : plan->stages)
      EXPECT_EQ(stage.inFlight, int64_t(plan->microbatches.size()))
          << "case " << i;
  }
  EXPECT_GT(found, 0);
}

TEST(HarpTest, findsTheBestOfAllLayouts) {
  int64_t cases = numRandomCases(300);
  int found = 0;
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(31000 + i);
    Problem problem = makeRandomProblem(random, 5, 8);
    Cluster cluster = makeRandomCluster(random, 5, /*scarce=*/i % 2);
    if (i % 5 == 0)
      problem.constraints.maxStages = 1 + random() % 3;
    PlannerOptions options;
    options.asReleased = i % 3 == 0;
    StageModel model(problem, cluster);
    SearchTables tables(model, /*maxCuts=*/100);
    std::vector<std::vector<int64_t>> runs =
        findRuns(cluster, cluster.availableDevices(), 100);
    std::shuffle(runs.begin(), runs.end(), random);
    int64_t count = 1 + random() % problem.batch;
    int64_t size = (problem.batch + count - 1) / count;
    double infinity = std::numeric_limits<double>::infinity();
    HarpSearch search(tables, options, runs, /*maxPositions=*/100, size, count,
                      infinity, /*tolerance=*/0);
    std::optional<HarpLayout> layout = search.run();
    double best = Enumeration(search, problem.constraints.maxStages).run();
    ASSERT_EQ(layout.has_value(), best < infinity) << "case " << i;
    if (!layout)
      continue;
    ++found;
    EXPECT_NEAR(layout->value, best, 1e-9 * best) << "case " << i;
    // A cutoff removes only what is not below it.
    HarpSearch below(tables, options, runs, 100, size, count, best * 1.000001,
                     0);
    layout = below.run();
    ASSERT_TRUE(layout.has_value()) << "case " << i;
    EXPECT_NEAR(layout->value, best, 1e-9 * best) << "case " << i;
  }
  EXPECT_GT(found, cases / 2);
}

TEST(HarpTest, shortCrossingsNeedNoMoreInFlight) {
  // The example of the paper, with links inside of each half that take a
  // millionth of a stage: as many in flight as if they took nothing.
  Problem problem;
  problem.batch = 8;
  problem.constraints.microbatches.assign(8, 1);
  for (int64_t i = 0; i < 4; ++i) {
    Layer layer;
    layer.name = "layer_" + std::to_string(i);
    layer.forward.work["f32"].perSample = Work(1000);
    layer.backward.work["f32"].perSample = Work(2000);
    layer.saved.perSample = Bytes(1);
    layer.output.perSample = layer.outputGradient.perSample = Bytes(2400);
    problem.layers.push_back(layer);
  }
  const char *text = R"(name: halves
classes:
  one: {memory: 1 GB, peak: {f32: 1 KFLOP/s}, bandwidth: 1 GB/s}
nodes:
  - {name: a, devices: [2 x one], link: {kind: pcie, bandwidth: 10 GB/s, latency: 1 ns}}
  - {name: b, devices: [2 x one], link: {kind: pcie, bandwidth: 10 GB/s, latency: 1 ns}}
links:
  - {between: [a, b], kind: ethernet, bandwidth: 1 KB/s, latency: 1 ns}
)";
  Cluster cluster = llvm::cantFail(
      cluster::readCluster(llvm::MemoryBufferRef(text, "halves.yaml")));
  PlannerOptions options;
  options.otherSchedules.clear();
  Plan plan = llvm::cantFail(planHarp(problem, cluster, options));
  EXPECT_NEAR(toSeconds(plan.predicted), 37.8, 1e-4);
}
