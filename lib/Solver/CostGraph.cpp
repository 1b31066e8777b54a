//===- CostGraph.cpp - Choices whose costs meet in pairs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Solver/CostGraph.h"
#include "BucketElimination.h"
#include "DualBound.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cmath>

using namespace llvm;
using namespace hetero::solver;

int CostGraph::Lists::add(ArrayRef<double> costs) {
  append_range(numbers, costs);
  ends.push_back(numbers.size());
  return ends.size() - 2;
}

void CostGraph::Lists::set(int index, ArrayRef<double> costs) {
  assert(costs.size() == get(index).size() && "the states stay");
  llvm::copy(costs, numbers.begin() + ends[index]);
}

int CostGraph::addNode(ArrayRef<double> costs) {
  assert(!costs.empty() && "a node has at least one state");
  return nodes.add(costs);
}

int CostGraph::addTable(int rows, int columns, ArrayRef<double> costs) {
  assert(size_t(rows) * columns == costs.size() && "a table is complete");
  return tables.add(costs);
}

void CostGraph::addEdge(int first, int second, int table) {
  assert(first != second &&
         getTable(table).size() ==
             size_t(getNumStates(first)) * getNumStates(second));
  edges.push_back({first, second, table});
}

double CostGraph::getCost(ArrayRef<int> states) const {
  double cost = 0;
  for (auto [node, state] : enumerate(states))
    cost += getNode(node)[state];
  for (const Edge &edge : edges)
    cost +=
        getTable(edge.table)[states[edge.first] * getNumStates(edge.second) +
                             states[edge.second]];
  return cost;
}

namespace {
/// The rounds of bounding and finishing on what the first reduction leaves.
class Search {
public:
  Search(const CostGraph &graph, const CostGraphOptions &options)
      : graph(graph), options(options) {}

  std::optional<CostGraphSolution> run(ArrayRef<std::vector<int>> starts);

private:
  void offer(std::vector<int> states);
  void offerCore(const LiveGraph &live, std::vector<int> coreStates);
  bool round(int number);
  bool finish(double limit, double tableLimit);
  bool isClosed() const {
    return bound >= cost - options.tolerance * std::abs(cost);
  }
  /// A limit that rounding does not undercut.
  double above(double limit) const {
    return limit + 1e-11 * (std::abs(limit) + std::abs(bound));
  }

  const CostGraph &graph;
  const CostGraphOptions &options;
  LiveGraph full, core;
  std::vector<int> nodeOf;
  std::vector<int> best;
  double cost = infinity, bound = -infinity;
  int level = 0;
};
} // namespace

/// Shares of the bound, or of the gap, within which finishing looks.
static constexpr double levels[] = {1e-4,   1e-3, 4e-3, 1.5e-2,
                                    5.0e-2, 0.15, 0.4,  1.0};

void Search::offer(std::vector<int> states) {
  double offered = graph.getCost(states);
  if (offered < cost) {
    cost = offered;
    best = std::move(states);
  }
}

/// Extends states of what is left of the core to the whole graph.
void Search::offerCore(const LiveGraph &live, std::vector<int> coreStates) {
  live.extend(coreStates);
  std::vector<int> states(graph.getNumNodes(), 0);
  for (auto [index, node] : enumerate(nodeOf))
    states[node] = coreStates[index];
  full.extend(states);
  offer(std::move(states));
}

/// Looks for the best solution of at most `limit`; true if the tables were
/// small enough to tell.
bool Search::finish(double limit, double tableLimit) {
  LiveGraph part = core;
  limit = above(limit);
  bool some = DualBound(part).apply(part, limit) && part.reduce();
  if (some) {
    std::optional<EliminationResult> result =
        eliminate(part, options.orders, tableLimit);
    if (!result)
      return false;
    if (result->cost != infinity)
      offerCore(part, std::move(result->states));
  }
  // Everything of at most the limit was looked at.
  bound = std::max(bound, std::min(limit, cost));
  return true;
}

/// Bounds, removes, and finishes within ever larger distances of the bound;
/// true when there is nothing left to do.
bool Search::round(int number) {
  DualBound dual(core);
  dual.sweep(number == 0 ? options.sweeps : options.sweeps / 2, cost);
  bound = std::max(bound, std::min(cost, dual.getBound()));
  if (dual.getBestCost() < infinity) {
    std::vector<int> states(core.nodes.size(), 0);
    int next = 0;
    for (auto [index, node] : enumerate(core.nodes))
      if (node.alive)
        states[index] = core.statesOf(index)[dual.getBest()[next++]];
    offerCore(core, std::move(states));
  }
  bool some = dual.apply(core, above(cost)) && core.reduce();
  if (some && core.empty())
    offerCore(core, std::vector<int>(core.nodes.size(), 0));
  if (!some || core.empty()) {
    bound = cost;
    return true;
  }
  for (; level < int(std::size(levels)); ++level) {
    double distance = levels[level] * std::max(std::abs(bound), 1e-12);
    if (cost < infinity)
      distance = std::min(distance, cost - bound);
    if (!finish(bound + distance, options.tableLimit))
      return false;
    if (isClosed())
      return true;
  }
  return true;
}

std::optional<CostGraphSolution>
Search::run(ArrayRef<std::vector<int>> starts) {
  for (const std::vector<int> &start : starts)
    offer(start);
  full = LiveGraph(graph);
  if (!full.reduce())
    return std::nullopt;
  core = full.compact(nodeOf);
  if (core.empty()) {
    offerCore(core, {});
    bound = cost;
  }
  constexpr int rounds = 6;
  for (int number = 0; number < rounds && !isClosed(); ++number)
    if (round(number))
      break;
  if (!isClosed() && !core.empty())
    finish(cost, options.lastTableLimit);
  if (cost == infinity)
    return std::nullopt;
  bool proven = isClosed();
  return CostGraphSolution{std::move(best), cost, proven ? cost : bound,
                           proven};
}

std::optional<CostGraphSolution>
hetero::solver::solve(const CostGraph &graph, const CostGraphOptions &options,
                      ArrayRef<std::vector<int>> starts) {
  return Search(graph, options).run(starts);
}

double hetero::solver::computeBound(const CostGraph &graph, double target) {
  LiveGraph live(graph);
  if (!live.reduce())
    return infinity;
  if (live.empty())
    return live.base;
  DualBound dual(live);
  dual.sweep(CostGraphOptions().sweeps, target);
  return dual.getBound();
}
