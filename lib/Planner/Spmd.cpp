//===- Spmd.cpp - Programs and shares in turn -----------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Planner/Spmd.h"
#include "SpmdShares.h"
#include "hetero/Support/Approximate.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using solver::infinity;

std::vector<double>
hetero::planner::getSpeedShares(const Graph &graph,
                                const cluster::Cluster &cluster,
                                ArrayRef<int64_t> devices) {
  cost::Operations all;
  for (const GraphOp &op : graph.operations) {
    for (const auto &[type, work] : op.work)
      all.work[type] += work;
    all.bytes += op.bytes;
  }
  std::vector<double> shares;
  double sum = 0;
  for (int64_t device : devices) {
    double time =
        toSeconds(cost::operationBound(cluster.classOf(device), all));
    shares.push_back(1 / std::max(time, 1e-12));
    sum += shares.back();
  }
  for (double &share : shares)
    share /= sum;
  return shares;
}

namespace {
class Synthesis {
public:
  Synthesis(const Graph &graph, const cluster::Cluster &cluster,
            ArrayRef<int64_t> devices, const SpmdOptions &options)
      : cluster(cluster), devices(devices.vec()), options(options),
        space(graph, devices.size(), options.replicatedState) {}

  Expected<SpmdSolution> run();

private:
  /// A solution with the states that it came from.
  struct Candidate {
    SpmdSolution solution;
    std::vector<int> states;
    /// By how many bytes a device is short at most, and which.
    Bytes excess;
    int64_t shortMember = -1;
  };

  Candidate solve(const std::vector<double> &shares,
                  const MemoryPrice &price = {});
  void alternate(std::vector<double> shares);
  bool offer(const Candidate &candidate);
  void searchPrices();
  Error explainMemory() const;

  const cluster::Cluster &cluster;
  std::vector<int64_t> devices;
  const SpmdOptions &options;
  SpmdSpace space;
  /// The best that fits; what takes least time of all; what comes closest.
  std::optional<Candidate> best, fastest, closest;
  std::vector<int> lastStates;
  int solves = 0, linearPrograms = 0;
};
} // namespace

Synthesis::Candidate Synthesis::solve(const std::vector<double> &shares,
                                      const MemoryPrice &price) {
  SpmdCost cost(cluster, devices, shares);
  space.setCosts(cost, price);
  std::vector<std::vector<int>> starts = {space.getReplicated()};
  if (!lastStates.empty())
    starts.push_back(lastStates);
  std::optional<solver::CostGraphSolution> found =
      solver::solve(space.getCostGraph(), {}, starts);
  ++solves;
  Candidate candidate;
  // There always is one: everything replicated.
  candidate.states = lastStates = found->states;
  SpmdSolution &solution = candidate.solution;
  solution.program = space.decode(found->states, cost);
  solution.shares = shares;
  std::tie(solution.computation, solution.communication) =
      space.evaluate(solution.program, cost);
  solution.proven = found->proven && price.perByte.empty();
  solution.bound = solution.proven            ? solution.time()
                   : price.perByte.empty() ? found->bound
                                              : 0;
  solution.memory = space.getMemory(solution.program, cost);
  for (auto [member, memory] : enumerate(solution.memory)) {
    Bytes excess = memory - cluster.classOf(devices[member]).usableMemory();
    if (excess > candidate.excess) {
      candidate.excess = excess;
      candidate.shortMember = member;
    }
  }
  return candidate;
}

/// Keeps a candidate if it is better; true if it is the fastest so far.
bool Synthesis::offer(const Candidate &candidate) {
  auto isFaster = [&](const std::optional<Candidate> &other) {
    return !other || candidate.solution.time() <
                         other->solution.time() * (1 - 1e-9);
  };
  bool fits = candidate.excess == Bytes(0) || !options.memory;
  if (fits && isFaster(best))
    best = candidate;
  if (!closest || candidate.excess < closest->excess)
    closest = candidate;
  if (!isFaster(fastest))
    return false;
  fastest = candidate;
  return true;
}

/// Solves program and shares in turn until the time falls no more.
void Synthesis::alternate(std::vector<double> shares) {
  double last = infinity;
  for (int round = 0; round < std::max(1, options.rounds); ++round) {
    Candidate candidate = solve(shares);
    offer(candidate);
    if (candidate.solution.time() >= last * (1 - 1e-6) ||
        !options.shares.empty())
      return;
    last = candidate.solution.time();
    SpmdCost cost(cluster, devices, shares);
    ++linearPrograms;
    Expected<std::vector<double>> next = findShares(
        space, candidate.solution.program, cost, options.memory);
    if (!next) {
      // Another program may need less memory.
      consumeError(next.takeError());
      return;
    }
    bool same = true;
    for (auto [share, other] : zip_equal(shares, *next))
      same &= std::abs(share - other) < 1e-9;
    if (same)
      return;
    shares = std::move(*next);
  }
}

/// Raises the price of memory on devices that are short of it until all fit,
/// then looks for the least such price.
void Synthesis::searchPrices() {
  const Candidate start = *fastest;
  std::vector<char> isShort(devices.size(), 0);
  for (auto [member, memory] : enumerate(start.solution.memory))
    isShort[member] =
        memory > cluster.classOf(devices[member]).usableMemory();
  // The price at which all memory of a device costs as much as the step.
  double unit = start.solution.time() /
                std::max(1.0, double(start.solution.memory[start.shortMember]
                                         .count()));
  for (double slope : {0.0, 1.0}) {
    double low = 0, high = 0, mu = unit / 64;
    for (int trial = 0; trial < options.prices; ++trial) {
      MemoryPrice price;
      price.slope = slope;
      for (char flag : isShort)
        price.perByte.push_back(flag ? mu : 0);
      Candidate candidate = solve(start.solution.shares, price);
      for (auto [member, memory] : enumerate(candidate.solution.memory))
        isShort[member] |=
            memory > cluster.classOf(devices[member]).usableMemory();
      offer(candidate);
      bool fits = candidate.excess == Bytes(0);
      (fits ? high : low) = mu;
      if (high > 0 && high - low < 1e-2 * high)
        break;
      mu = high > 0 ? (low + high) / 2 : mu * 4;
    }
  }
}

Error Synthesis::explainMemory() const {
  int64_t device = devices[closest->shortMember];
  return createStringError(
      cluster.describe(device) + " has " +
      approximate(cluster.classOf(device).usableMemory()) +
      " of memory, and the program that comes closest needs " +
      approximate(closest->solution.memory[closest->shortMember]) + ": it is " +
      approximate(closest->excess) + " short");
}

Expected<SpmdSolution> Synthesis::run() {
  if (!options.shares.empty()) {
    alternate(options.shares);
  } else {
    std::vector<double> even(devices.size(), 1.0 / double(devices.size()));
    std::vector<double> speed =
        getSpeedShares(space.getGraph(), cluster, devices);
    alternate(speed);
    if (speed != even)
      alternate(even);
  }
  if (!best)
    searchPrices();
  if (!best)
    return explainMemory();
  best->solution.solves = solves;
  best->solution.linearPrograms = linearPrograms;
  return std::move(best->solution);
}

Expected<SpmdSolution>
hetero::planner::synthesize(const Graph &graph, const cluster::Cluster &cluster,
                            ArrayRef<int64_t> devices,
                            const SpmdOptions &options) {
  return Synthesis(graph, cluster, devices, options).run();
}
