//===- CostGraphTest.cpp - The solver against all combinations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Solver/CostGraph.h"
#include "../RandomCases.h"
#include "hetero/Solver/LinearProgram.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace hetero;
using namespace hetero::solver;

static double costByTrying(const CostGraph &graph) {
  std::vector<int> states(graph.getNumNodes(), 0);
  double best = infinity;
  for (;;) {
    best = std::min(best, graph.getCost(states));
    int node = 0;
    for (; node < graph.getNumNodes(); ++node) {
      if (++states[node] < graph.getNumStates(node))
        break;
      states[node] = 0;
    }
    if (node == graph.getNumNodes())
      return best;
  }
}

/// A graph whose edges join nodes at most `reach` apart. With `ties` costs are
/// small whole numbers, so that many solutions are equally good.
static CostGraph makeRandomGraph(std::mt19937 &random, int numNodes, int reach,
                                 double density, double forbidden, bool ties) {
  auto chance = [&] { return double(random() % 10000) / 10000; };
  auto cost = [&](double forbiddenShare) {
    if (chance() < forbiddenShare)
      return infinity;
    return ties ? double(random() % 4) : chance() * 10 - 2;
  };
  CostGraph graph;
  for (int node = 0; node < numNodes; ++node) {
    std::vector<double> costs(1 + random() % 3);
    for (double &value : costs)
      value = cost(forbidden / 4);
    graph.addNode(costs);
  }
  for (int first = 0; first < numNodes; ++first)
    for (int second = 0; second < numNodes; ++second) {
      if (first == second || std::abs(first - second) > reach ||
          chance() >= density)
        continue;
      int rows = graph.getNumStates(first),
          columns = graph.getNumStates(second);
      std::vector<double> table(rows * columns);
      for (double &value : table)
        value = cost(forbidden);
      graph.addEdge(first, second, graph.addTable(rows, columns, table));
    }
  return graph;
}

TEST(CostGraphTest, SolvesTheWorkedExample) {
  CostGraph graph;
  int producer = graph.addNode({1, 4});
  int consumer = graph.addNode({2, 8});
  graph.addEdge(producer, consumer, graph.addTable(2, 2, {0, 5, 0, 0}));
  std::optional<CostGraphSolution> solution = solve(graph);
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->states, (std::vector<int>{0, 0}));
  EXPECT_EQ(solution->cost, 3);
  EXPECT_TRUE(solution->proven);
}

/// That it is proven to be the best of all combinations, or that there is none,
/// which is false.
static bool expectBest(const CostGraph &graph,
                       const std::optional<CostGraphSolution> &solution) {
  double expected = costByTrying(graph);
  EXPECT_EQ(solution.has_value(), expected != infinity);
  if (!solution)
    return false;
  EXPECT_NEAR(solution->cost, expected, 1e-9);
  EXPECT_EQ(solution->cost, graph.getCost(solution->states));
  EXPECT_TRUE(solution->proven);
  EXPECT_EQ(solution->bound, solution->cost);
  return true;
}

TEST(CostGraphTest, EqualsAllCombinations) {
  std::mt19937 random(11);
  int infeasible = 0;
  for (int trial = 0; trial < numRandomCases(400); ++trial) {
    bool dense = trial % 2;
    CostGraph graph = makeRandomGraph(random, 1 + random() % (dense ? 9 : 11),
                                      dense ? 9 : 3, dense ? 0.5 : 0.4,
                                      trial % 3 ? 0.15 : 0.4, trial % 5 == 0);
    SCOPED_TRACE(trial);
    infeasible += !expectBest(graph, solve(graph));
  }
  EXPECT_GT(infeasible, 0);
}

TEST(CostGraphTest, BestFirstEqualsAllCombinations) {
  std::mt19937 random(15);
  int infeasible = 0;
  BestFirstOptions wide;
  wide.width = 1 << 20;
  for (int trial = 0; trial < numRandomCases(400); ++trial) {
    CostGraph graph =
        makeRandomGraph(random, random() % 10, trial % 2 ? 9 : 3, 0.5,
                        trial % 3 ? 0.15 : 0.4, trial % 5 == 0);
    // A weak bound leaves more to the search.
    wide.sweeps = trial % 4 ? 150 : 0;
    SCOPED_TRACE(trial);
    infeasible += !expectBest(graph, searchBestFirst(graph, wide));
  }
  EXPECT_GT(infeasible, 0);
}

/// What is not followed is in the bound, whether it was too much or too late.
TEST(CostGraphTest, BestFirstBoundsWhatItLeaves) {
  std::mt19937 random(16);
  int open = 0, late = 0;
  for (int trial = 0; trial < numRandomCases(400); ++trial) {
    CostGraph graph = makeRandomGraph(random, 9, 9, 0.5, 0, false);
    double expected = costByTrying(graph);
    BestFirstOptions options;
    options.width = 1;
    options.sweeps = 0;
    if (trial % 2) {
      options.width = 1 << 20;
      options.deadline = std::chrono::steady_clock::time_point::min();
    }
    std::optional<CostGraphSolution> solution = searchBestFirst(graph, options);
    ASSERT_TRUE(solution);
    EXPECT_EQ(solution->cost, graph.getCost(solution->states));
    EXPECT_GE(solution->cost, expected - 1e-9) << "trial " << trial;
    EXPECT_LE(solution->bound, expected + 1e-9) << "trial " << trial;
    if (solution->proven) {
      EXPECT_NEAR(solution->cost, expected, 1e-8) << "trial " << trial;
    }
    (trial % 2 ? late : open) += !solution->proven;
  }
  EXPECT_GT(open, 0);
  EXPECT_GT(late, 0);
}

/// Without the exact end what is found is a solution, and the bound is below
/// the optimum.
TEST(CostGraphTest, BoundsWhatItCannotFinish) {
  std::mt19937 random(12);
  int open = 0;
  CostGraphOptions options;
  options.tableLimit = options.lastTableLimit = 0;
  options.sweeps = 10;
  for (int trial = 0; trial < numRandomCases(400); ++trial) {
    CostGraph graph = makeRandomGraph(random, 8, 8, 0.5, 0.05, false);
    double expected = costByTrying(graph);
    std::optional<CostGraphSolution> solution = solve(graph, options);
    if (!solution)
      continue;
    EXPECT_GE(solution->cost, expected - 1e-9) << "trial " << trial;
    EXPECT_LE(solution->bound, expected + 1e-9) << "trial " << trial;
    if (solution->proven) {
      EXPECT_NEAR(solution->cost, expected, 1e-8) << "trial " << trial;
    }
    open += !solution->proven;
  }
  EXPECT_GT(open, 0);
}

TEST(CostGraphTest, TakesKnownSolutions) {
  std::mt19937 random(13);
  for (int trial = 0; trial < numRandomCases(100); ++trial) {
    CostGraph graph = makeRandomGraph(random, 9, 3, 0.5, 0, trial % 2);
    std::optional<CostGraphSolution> first = solve(graph);
    ASSERT_TRUE(first);
    std::vector<int> zeros(graph.getNumNodes(), 0);
    std::optional<CostGraphSolution> second =
        solve(graph, {}, {zeros, first->states});
    ASSERT_TRUE(second);
    EXPECT_NEAR(second->cost, first->cost, 1e-12) << "trial " << trial;
  }
}

/// Long and thin, as programs are: compared with folding everything at once.
TEST(CostGraphTest, SolvesLongGraphs) {
  std::mt19937 random(14);
  for (int trial = 0; trial < 5; ++trial) {
    CostGraph graph = makeRandomGraph(random, 2000, 3, 0.35, 0.1, false);
    CostGraphOptions exact;
    exact.sweeps = 0;
    std::optional<CostGraphSolution> solution = solve(graph);
    std::optional<CostGraphSolution> other = solve(graph, exact);
    ASSERT_EQ(solution.has_value(), other.has_value());
    if (!solution)
      continue;
    EXPECT_TRUE(solution->proven && other->proven);
    EXPECT_NEAR(solution->cost, other->cost, 1e-7 * std::abs(other->cost));
  }
}
