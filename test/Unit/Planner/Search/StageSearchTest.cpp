//===- StageSearchTest.cpp - Tests of the search over stages --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/StageSearch.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
/// A stage of a layout that is being enumerated.
struct Piece {
  int64_t first, last;
  const StageOption *option;
  StageCost cost;
};

/// Tries all layouts from the first stage to the last, and computes the formula
/// of StageSearch.h as it stands there.
class Enumeration {
public:
  Enumeration(const StageSearch &search, const Problem &problem,
              int64_t numPositions, double batches,
              std::optional<int64_t> numStages)
      : search(search), problem(problem), numPositions(numPositions),
        batches(batches), numStages(numStages) {}

  double run() {
    enumerate(0, 0);
    return best;
  }

private:
  bool isAllowed() const {
    if (numStages && int64_t(pieces.size()) != *numStages)
      return false;
    if (problem.constraints.maxStages &&
        int64_t(pieces.size()) > *problem.constraints.maxStages)
      return false;
    for (const Pin &pin : problem.constraints.pins)
      for (size_t i = 0; i < pieces.size(); ++i)
        if (pin.stage && pin.layer >= pieces[i].first &&
            pin.layer < pieces[i].last && *pin.stage != int64_t(i))
          return false;
    return true;
  }

  void value() {
    double sum = 0, period = 0, finish = 0;
    if (!isAllowed())
      return;
    for (size_t i = pieces.size(); i-- > 0;) {
      const Piece &piece = pieces[i];
      const StageCost *cost = &piece.cost;
      double boundary = i + 1 < pieces.size()
                            ? search.crossing(piece.last - 1, *piece.option,
                                              *pieces[i + 1].option)
                            : 0;
      sum += cost->time + 2 * boundary;
      period = std::max({period, cost->time, boundary,
                         sum / static_cast<double>(cost->limit)});
      finish = std::max(finish, sum + cost->once);
    }
    best = std::min(best, finish + (batches - 1) * period);
  }

  void enumerate(int64_t layer, int64_t position) {
    int64_t numLayers = problem.layers.size();
    if (layer == numLayers)
      return value();
    for (int64_t begin = position; begin < numPositions; ++begin)
      for (int64_t end = begin + 1; end < numPositions; ++end)
        for (const StageOption &option : search.options(begin, end))
          for (int64_t last = layer + 1; last <= numLayers; ++last) {
            const Layer &added = problem.layers[last - 1];
            if (option.tensor > 1 &&
                !llvm::is_contained(added.tensorDegrees, option.tensor))
              break;
            for (const StageCost &cost : search.variants(option, layer, last)) {
              pieces.push_back({layer, last, &option, cost});
              enumerate(last, end);
              pieces.pop_back();
            }
          }
  }

  const StageSearch &search;
  const Problem &problem;
  int64_t numPositions;
  double batches;
  std::optional<int64_t> numStages;
  std::vector<Piece> pieces;
  double best = std::numeric_limits<double>::infinity();
};
} // namespace

static void compareWithAll(std::mt19937 &random, bool scarce, bool pinned) {
  Problem problem = makeRandomProblem(random, 4, 6);
  Cluster cluster = makeRandomCluster(random, 4, scarce);
  std::optional<int64_t> numStages;
  if (pinned) {
    problem.constraints.pins.push_back(
        {int64_t(problem.layers.size()) - 1, 1, {}});
    numStages = 2;
  } else if (random() % 2) {
    problem.constraints.maxStages = 1 + random() % 3;
  }
  PlannerOptions options;
  options.stateModes = {StateMode::Replicated, StateMode::Optimizer,
                        StateMode::Full};
  StageModel model(problem, cluster);
  SearchTables tables(model, /*maxCuts=*/100);
  std::vector<int64_t> order = cluster.availableDevices(), positions;
  std::shuffle(order.begin(), order.end(), random);
  for (size_t i = 0; i <= order.size(); ++i)
    positions.push_back(i);
  int64_t count = 1 + random() % problem.batch;
  int64_t size = (problem.batch + count - 1) / count;
  StageSearch search(tables, options, order, positions, size, count);
  double infinity = std::numeric_limits<double>::infinity();
  std::vector<StageLayout> found =
      search.run(infinity, 1, /*maxLabels=*/1000, numStages);
  double best =
      Enumeration(search, problem, positions.size(),
                  static_cast<double>(problem.batch) / size, numStages)
          .run();
  EXPECT_EQ(found.empty(), best == infinity);
  if (found.empty())
    return;
  EXPECT_NEAR(found.front().value, best, 1e-9 * best);
  // A cutoff removes only what is not below it.
  std::vector<StageLayout> below =
      search.run(best * 1.000001, 1, 1000, numStages);
  ASSERT_FALSE(below.empty());
  EXPECT_NEAR(below.front().value, best, 1e-9 * best);
  EXPECT_TRUE(search.run(best * 0.999, 1, 1000, numStages).empty());
}

TEST(StageSearchTest, findsTheBestOfAllLayouts) {
  std::mt19937 random(21);
  for (int i = 0, cases = numRandomCases(150); i < cases; ++i)
    compareWithAll(random, /*scarce=*/i % 2, /*pinned=*/i % 5 == 0);
}
