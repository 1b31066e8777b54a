//===- HapSearch.cpp - A* over SPMD programs ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/HapSearch.h"
#include "SpmdShares.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"

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
  SpmdSolution searchInTurn();

private:
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
  return space.getSolution(*found, cost);
}

/// What fits is better than what does not.
void HapSearch::offer(SpmdSolution solution) {
  auto rank = [&](const SpmdSolution &entry) {
    return std::pair(findShortage(cluster, devices, entry).has_value(),
                     entry.time());
  };
  if (!best || rank(solution) < rank(*best))
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
    std::optional<SegmentShares> next = expectedToOptional(
        findShares(space, found.program, cost, /*limitMemory=*/true));
    // Another program may need less memory.
    if (!next)
      next = expectedToOptional(
          findShares(space, found.program, cost, /*limitMemory=*/false));
    offer(std::move(found));
    if (!next || time >= last * (1 - 1e-6))
      return;
    last = time;
    shares = std::move(*next);
  }
}

/// From shares by speed and from even ones, then with segments from the best.
SpmdSolution HapSearch::searchInTurn() {
  std::vector<double> bySpeed = getSpeedShares(graph, cluster, devices);
  std::vector<double> even(devices.size(), 1.0 / double(devices.size()));
  SpmdSpace space = makeSpace(options.segments);
  std::vector<SegmentShares> tried;
  searchFrom(space, {bySpeed}, tried);
  searchFrom(space, {even}, tried);
  std::vector<int64_t> segments;
  if (options.segments.empty() && !deadline.isOver())
    segments = findSegments(graph, cluster, devices, options.maxSegments);
  if (!segments.empty()) {
    tried.clear();
    searchFrom(makeSpace(std::move(segments)), best->shares, tried);
  }
  return std::move(*best);
}

static Expected<SpmdSolution> verified(const Graph &graph,
                                       SpmdSolution solution) {
  if (Error error = verify(graph, solution.memory.size(), solution.program))
    return error;
  return solution;
}

Expected<SpmdSolution>
hetero::planner::searchProgram(const Graph &graph,
                               const cluster::Cluster &cluster,
                               ArrayRef<int64_t> devices, SegmentShares shares,
                               const HapOptions &options) {
  SpmdCost cost(cluster, devices, std::move(shares));
  SpmdSpace space(graph, devices.size(), options.replicatedState,
                  options.segments);
  return verified(
      graph, HapSearch(graph, cluster, devices, options).search(space, cost));
}

Expected<SpmdSolution> hetero::planner::searchInTurn(
    const Graph &graph, const cluster::Cluster &cluster,
    ArrayRef<int64_t> devices, const HapOptions &options) {
  return verified(graph,
                  HapSearch(graph, cluster, devices, options).searchInTurn());
}
