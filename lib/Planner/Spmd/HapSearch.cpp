//===- HapSearch.cpp - A* over SPMD programs ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/HapSearch.h"
#include "SpmdShares.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

namespace {
class HapSearch {
public:
  HapSearch(const Graph &graph, const cluster::Cluster &cluster,
            ArrayRef<int64_t> devices, const HapOptions &options)
      : graph(graph), cluster(cluster), devices(devices), options(options),
        deadline(options.timeBudget) {}

  SpmdSolution search(const SpmdSpace &space, SpmdCost &cost) const;
  void searchFrom(const SpmdSpace &space, SegmentShares shares,
                  std::vector<SegmentShares> &tried);
  void searchInTurn();
  Expected<SpmdSolution> takeBest();

private:
  bool fits(const SpmdSolution &solution) const {
    return !findShortage(cluster, devices, solution);
  }
  void offer(SpmdSolution solution);
  SpmdSpace makeSpace(std::vector<int64_t> segments) const {
    return SpmdSpace(graph, devices.size(), options.replicatedState,
                     std::move(segments));
  }

  const Graph &graph;
  const cluster::Cluster &cluster;
  ArrayRef<int64_t> devices;
  const HapOptions &options;
  Deadline deadline;
  std::optional<SpmdSolution> best;
};
} // namespace

/// The best program for given shares.
SpmdSolution HapSearch::search(const SpmdSpace &space, SpmdCost &cost) const {
  solver::BestFirstOptions search;
  search.width = options.width;
  search.deadline = deadline.end();
  // There always is a solution: everything replicated.
  std::optional<solver::CostGraphSolution> found = solver::searchBestFirst(
      space.getCosts(cost), search, {space.getReplicated()});
  SpmdSolution solution;
  solution.program = space.decode(found->states, cost);
  solution.shares = cost.getShares();
  std::tie(solution.computation, solution.communication) =
      space.evaluate(solution.program, cost);
  solution.proven = found->proven;
  solution.bound = found->proven ? solution.time() : found->bound;
  solution.memory = space.getMemory(solution.program, cost);
  return solution;
}

/// What fits is better than what does not.
void HapSearch::offer(SpmdSolution solution) {
  if (!best || std::make_pair(!fits(solution), solution.time()) <
                   std::make_pair(!fits(*best), best->time()))
    best = std::move(solution);
}

/// In turn from these shares, until it gets no faster or comes to those that
/// were tried.
void HapSearch::searchFrom(const SpmdSpace &space, SegmentShares shares,
                           std::vector<SegmentShares> &tried) {
  constexpr int rounds = 4;
  double last = solver::infinity;
  for (int round = 0; round < rounds && !(best && deadline.isOver()); ++round) {
    if (is_contained(tried, shares))
      return;
    tried.push_back(shares);
    SpmdCost cost(cluster, devices, std::move(shares));
    SpmdSolution found = search(space, cost);
    double time = found.time();
    Expected<SegmentShares> next =
        findShares(space, found.program, cost, /*limitMemory=*/true);
    if (!next) {
      // Another program may need less memory.
      consumeError(next.takeError());
      next = findShares(space, found.program, cost, /*limitMemory=*/false);
    }
    offer(std::move(found));
    if (!next) {
      consumeError(next.takeError());
      return;
    }
    if (time >= last * (1 - 1e-6))
      return;
    last = time;
    shares = std::move(*next);
  }
}

/// From shares by speed and from even ones, then with segments from the best.
void HapSearch::searchInTurn() {
  std::vector<double> bySpeed = getSpeedShares(graph, cluster, devices);
  std::vector<double> even(devices.size(), 1.0 / double(devices.size()));
  SpmdSpace space = makeSpace(options.segments);
  std::vector<SegmentShares> tried;
  searchFrom(space, {bySpeed}, tried);
  searchFrom(space, {even}, tried);
  if (!options.segments.empty() || deadline.isOver())
    return;
  std::vector<int64_t> segments =
      findSegments(graph, cluster, devices, options.maxSegments);
  if (segments.empty())
    return;
  SpmdSpace segmented = makeSpace(std::move(segments));
  tried.clear();
  searchFrom(segmented, best->shares, tried);
}

Expected<SpmdSolution> HapSearch::takeBest() {
  if (Error error = verify(graph, devices.size(), best->program))
    return error;
  return std::move(*best);
}

Expected<SpmdSolution>
hetero::planner::searchProgram(const Graph &graph,
                               const cluster::Cluster &cluster,
                               ArrayRef<int64_t> devices, SegmentShares shares,
                               const HapOptions &options) {
  SpmdCost cost(cluster, devices, std::move(shares));
  SpmdSpace space(graph, devices.size(), options.replicatedState,
                  options.segments);
  SpmdSolution solution =
      HapSearch(graph, cluster, devices, options).search(space, cost);
  if (Error error = verify(graph, devices.size(), solution.program))
    return error;
  return solution;
}

Expected<SpmdSolution> hetero::planner::searchInTurn(
    const Graph &graph, const cluster::Cluster &cluster,
    ArrayRef<int64_t> devices, const HapOptions &options) {
  HapSearch search(graph, cluster, devices, options);
  search.searchInTurn();
  return search.takeBest();
}
