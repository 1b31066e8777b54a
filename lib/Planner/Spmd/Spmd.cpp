//===- Spmd.cpp - Programs and shares in turn -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/Spmd.h"
#include "ProgramSolver.h"
#include "SpmdShares.h"
#include "hetero/Solver/LinearProgram.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <thread>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using solver::infinity;

std::optional<std::pair<size_t, Bytes>>
hetero::planner::findShortage(const cluster::Cluster &cluster,
                              ArrayRef<int64_t> devices,
                              const SpmdSolution &solution) {
  std::optional<std::pair<size_t, Bytes>> found;
  for (auto [member, memory] : enumerate(solution.memory)) {
    Bytes excess = memory - cluster.classOf(devices[member]).usableMemory();
    if (excess > (found ? found->second : Bytes(0)))
      found = {member, excess};
  }
  return found;
}

Error hetero::planner::checkMemory(const cluster::Cluster &cluster,
                                   ArrayRef<int64_t> devices,
                                   const SpmdSolution &solution) {
  auto shortage = findShortage(cluster, devices, solution);
  if (!shortage)
    return Error::success();
  auto [member, excess] = *shortage;
  return createStringError(
      cluster.describe(devices[member]) + " has " +
      approximate(cluster.classOf(devices[member]).usableMemory()) +
      " of memory, and the program that comes closest needs " +
      approximate(solution.memory[member]) + ": it is " + approximate(excess) +
      " short");
}

namespace {
/// A solution with the states that it came from.
struct Candidate {
  SpmdSolution solution;
  /// By how many bytes a device is short at most, and which.
  Bytes excess;
  int64_t shortMember = -1;
};

/// Solves program and shares in turn.
struct Alternation {
  const SpmdSpace &space;
  const cluster::Cluster &cluster;
  ArrayRef<int64_t> devices;
  const SpmdOptions &options;
  std::vector<Candidate> candidates = {};
  std::vector<int> lastStates = {};

  /// From these shares until the time falls no more.
  void run(SegmentShares shares);
  /// The best program for shares and prices, which is also remembered.
  const Candidate &solve(const SegmentShares &shares,
                         const MemoryPrice &price = {});
};

class Synthesis {
public:
  Synthesis(const SpmdSpace &space, const cluster::Cluster &cluster,
            ArrayRef<int64_t> devices, const SpmdOptions &options,
            std::optional<double> below)
      : cluster(cluster), devices(devices), options(options), space(space),
        below(below.value_or(infinity)) {}

  Expected<SpmdSolution> run();

private:
  void alternate(const SpmdSpace &in, ArrayRef<SegmentShares> starts);
  void alternate();
  void searchSegments();
  void take(const Alternation &alternation);
  void searchPrices();
  void searchPrices(const Candidate &start, double slope,
                    Alternation &alternation) const;

  const cluster::Cluster &cluster;
  ArrayRef<int64_t> devices;
  const SpmdOptions &options;
  const SpmdSpace &space;
  double below;
  /// The best that fits; what takes least time of all; what comes closest.
  std::optional<Candidate> best, fastest, closest;
};
} // namespace

const Candidate &Alternation::solve(const SegmentShares &shares,
                                    const MemoryPrice &price) {
  SpmdCost cost(cluster, devices, shares);
  std::vector<std::vector<int>> starts = {space.getReplicated()};
  if (!lastStates.empty())
    starts.push_back(lastStates);
  // There always is a solution: everything replicated.
  std::optional<solver::CostGraphSolution> found =
      solver::solve(space.getCosts(cost, price), {}, starts);
  lastStates = found->states;
  Candidate candidate;
  candidate.solution = space.getSolution(*found, cost);
  // With prices something else is least.
  if (!price.perByte.empty()) {
    candidate.solution.proven = false;
    candidate.solution.bound = 0;
  }
  if (auto shortage = findShortage(cluster, devices, candidate.solution))
    std::tie(candidate.shortMember, candidate.excess) = *shortage;
  candidates.push_back(std::move(candidate));
  return candidates.back();
}

/// Devices of one class have one share.
static bool isUniform(const cluster::Cluster &cluster,
                      ArrayRef<int64_t> devices) {
  return all_equal(map_range(devices, [&](int64_t device) {
    return cluster.devices[device].deviceClass;
  }));
}

void Alternation::run(SegmentShares shares) {
  double last = infinity;
  for (int round = 0; round < std::max(1, options.rounds); ++round) {
    const SpmdSolution &solution = solve(shares).solution;
    if (solution.time() >= last * (1 - 1e-6) || !options.shares.empty() ||
        isUniform(cluster, devices))
      return;
    last = solution.time();
    SpmdCost cost(cluster, devices, shares);
    // Another program may need less memory, if there are none for this one.
    std::optional<SegmentShares> next = expectedToOptional(
        findShares(space, solution.program, cost, options.memory));
    if (!next)
      return;
    bool same = shares.size() == next->size();
    for (auto [before, after] : zip(shares, *next))
      for (auto [share, other] : zip_equal(before, after))
        same &= std::abs(share - other) < 1e-9;
    if (same)
      return;
    shares = std::move(*next);
  }
}

void Synthesis::take(const Alternation &alternation) {
  for (const Candidate &candidate : alternation.candidates) {
    auto isFaster = [&](const std::optional<Candidate> &other) {
      return !other ||
             candidate.solution.time() < other->solution.time() * (1 - 1e-9);
    };
    bool fits = candidate.excess == Bytes(0) || !options.memory;
    if (fits && isFaster(best))
      best = candidate;
    if (isFaster(fastest))
      fastest = candidate;
    if (!closest || candidate.excess < closest->excess)
      closest = candidate;
  }
}

/// From even shares and from those by speed.
void Synthesis::alternate() {
  std::vector<SegmentShares> starts;
  if (!options.shares.empty()) {
    starts.push_back({options.shares});
  } else {
    starts.push_back({getSpeedShares(space.kinds, cluster, devices)});
    std::vector<double> even(devices.size(), 1.0 / double(devices.size()));
    if (starts.front().front() != even)
      starts.push_back({std::move(even)});
  }
  alternate(space, starts);
}

/// From the best shares for all, which segments of their own can only improve,
/// and from those by the speed of devices at each segment.
void Synthesis::searchSegments() {
  std::vector<int64_t> segments =
      findSegments(space.kinds, cluster, devices, options.maxSegments);
  if (segments.empty())
    return;
  int64_t count = 1 + *llvm::max_element(segments);
  std::vector<SegmentShares> starts = {
      SegmentShares(count, best->solution.shares.front()), {}};
  for (int64_t segment = 0; segment < count; ++segment)
    starts.back().push_back(
        getSpeedShares(space.kinds, cluster, devices, segments, segment));
  alternate(
      SpmdSpace(space.graph, devices.size(), options.replicatedState, segments),
      starts);
}

/// From each start, all at the same time.
void Synthesis::alternate(const SpmdSpace &in, ArrayRef<SegmentShares> starts) {
  std::vector<Alternation> alternations(
      starts.size(), Alternation{in, cluster, devices, options});
  std::vector<std::thread> threads;
  for (size_t i = 1; i < starts.size(); ++i)
    threads.emplace_back([&, i] { alternations[i].run(starts[i]); });
  alternations[0].run(starts[0]);
  for (std::thread &thread : threads)
    thread.join();
  for (const Alternation &alternation : alternations)
    take(alternation);
}

/// Raises the price of memory on devices that are short of it until all fit,
/// then looks for the least such price.
void Synthesis::searchPrices(const Candidate &start, double slope,
                             Alternation &alternation) const {
  Bytes needed = start.solution.memory[start.shortMember];
  // The price at which all memory of a device costs as much as the step.
  double unit =
      start.solution.time() / double(std::max<int64_t>(1, needed.count()));
  std::vector<char> priced(devices.size(), 0);
  auto note = [&](ArrayRef<Bytes> memory) {
    for (auto [flag, device, bytes] : zip_equal(priced, devices, memory))
      flag |= bytes > cluster.classOf(device).usableMemory();
  };
  note(start.solution.memory);
  double low = 0, high = 0, mu = unit / 64;
  // A program that is still the best at 16 times its price needs least memory.
  int same = 0;
  std::vector<int> states;
  for (int trial = 0; trial < options.prices && same < 2; ++trial) {
    MemoryPrice price;
    price.slope = slope;
    for (char flag : priced)
      price.perByte.push_back(flag ? mu : 0);
    const Candidate &candidate =
        alternation.solve(start.solution.shares, price);
    note(candidate.solution.memory);
    bool fits = candidate.excess == Bytes(0);
    // A higher price makes the program slower.
    if (!fits && candidate.solution.time() >= below)
      return;
    (fits ? high : low) = mu;
    if (high > 0 && high - low < 1e-2 * high)
      return;
    same = high == 0 && alternation.lastStates == states ? same + 1 : 0;
    states = alternation.lastStates;
    mu = high > 0 ? (low + high) / 2 : mu * 4;
  }
}

/// With prices that stay, and with prices that rise along the program.
void Synthesis::searchPrices() {
  const Candidate start = *fastest;
  Alternation flat{space, cluster, devices, options}, rising = flat;
  std::thread thread([&] { searchPrices(start, /*slope=*/1, rising); });
  searchPrices(start, /*slope=*/0, flat);
  thread.join();
  take(flat);
  take(rising);
}

Expected<SpmdSolution> Synthesis::run() {
  alternate();
  if (!best)
    searchPrices();
  if (!best)
    return checkMemory(cluster, devices, closest->solution);
  if (options.shares.empty() && options.maxSegments > 1)
    searchSegments();
  return std::move(best->solution);
}

const SpmdSpace &ProgramSolver::getSpace(int64_t numDevices) {
  numDevices = std::max<int64_t>(2, numDevices);
  for (const auto &space : spaces)
    if (space->splits.isFor(numDevices))
      return *space;
  spaces.push_back(std::make_unique<SpmdSpace>(kinds.graph, numDevices,
                                               options.replicatedState));
  return *spaces.back();
}

double ProgramSolver::computeBound(ArrayRef<int64_t> devices, double target) {
  double bound = computeWorkBound(kinds, cluster, devices);
  if (bound >= target || devices.size() < 2)
    return bound;
  auto boundOf = [&](SpmdCost cost) {
    return solver::computeBound(getSpace(devices.size()).getCosts(cost),
                                target);
  };
  std::vector<double> even(devices.size(), 1.0 / double(devices.size()));
  if (isUniform(cluster, devices))
    return boundOf(SpmdCost(cluster, devices, even));
  if (options.maxSegments > 1 &&
      !findSegments(kinds, cluster, devices, options.maxSegments).empty())
    return boundOf(SpmdCost::forAnyShares(cluster, devices, /*spreads=*/false));
  // Else one device has more than half, less one unit, of all that is divided.
  double alone = infinity, most = 0.5 - 1 / double(devices.size());
  for (int64_t device : devices)
    alone = std::min(alone, computeWorkBound(kinds, cluster, {device}));
  return std::min(
      std::max(bound, alone * most),
      boundOf(SpmdCost::forAnyShares(cluster, devices, /*spreads=*/true)));
}

Expected<SpmdSolution> ProgramSolver::solve(ArrayRef<int64_t> devices,
                                            std::optional<double> below) {
  return Synthesis(getSpace(devices.size()), cluster, devices, options, below)
      .run();
}

Expected<SpmdSolution>
hetero::planner::synthesize(const Graph &graph, const cluster::Cluster &cluster,
                            ArrayRef<int64_t> devices,
                            const SpmdOptions &options) {
  return ProgramSolver(graph, cluster, options).solve(devices, options.below);
}
