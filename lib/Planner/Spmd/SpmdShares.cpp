//===- SpmdShares.cpp - The best shares for a program ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpmdShares.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using solver::infinity;
using solver::LinearProgram;
using solver::LinearSolution;

namespace {
class ShareProgram {
public:
  ShareProgram(const SpmdSpace &space, const SpmdProgram &program,
               SpmdCost &cost)
      : space(space), program(program), cost(cost) {
    for (int64_t segment : space.segments)
      numSegments = std::max(numSegments, segment + 1);
  }
  Expected<SegmentShares> solve(bool limitMemory);

private:
  struct Class {
    int64_t id = 0, count = 0;
    std::vector<int> shares; // The variables, by segment.
    int64_t member = 0;
  };

  void addShares();
  void addOperations(int64_t segment);
  void addCollectives();
  void addExchange(int64_t from, int64_t to, double seconds);
  void addMemory();

  const SpmdSpace &space;
  const SpmdProgram &program;
  SpmdCost &cost;
  int64_t numSegments = 1;
  LinearProgram linear;
  std::vector<Class> classes;
  std::vector<int> classOf; // Of members of the group.
};
} // namespace

void ShareProgram::addShares() {
  const cluster::Cluster &cluster = cost.cluster;
  for (auto [member, device] : enumerate(cost.devices)) {
    int64_t id = cluster.devices[device].deviceClass;
    auto it = find_if(classes, [&](const Class &c) { return c.id == id; });
    if (it == classes.end()) {
      it = classes.insert(it, {id, 0, {}, int64_t(member)});
      for (int64_t segment = 0; segment < numSegments; ++segment)
        it->shares.push_back(
            linear.addVariable("share of " + cluster.classes[id].name, 0, 1));
    }
    ++it->count;
    classOf.push_back(it - classes.begin());
  }
  for (int64_t segment = 0; segment < numSegments; ++segment) {
    auto all = map_to_vector(classes, [&](const Class &entry) {
      return solver::LinearTerm{entry.shares[segment], double(entry.count)};
    });
    linear.addRow("all", all, 1, 1);
  }
}

/// Operations with the same costs are one. Times are taken to be linear between
/// nothing and what they are now.
void ShareProgram::addOperations(int64_t segment) {
  const OperationKinds &operations = space.kinds;
  using Slopes = std::vector<std::pair<double, double>>;
  std::vector<double> ofKind(operations.kinds.size(), 0);
  for (auto [index, kind] : enumerate(operations.kindOf)) {
    DividedUnits units =
        space.splits.operations[index][program.strategies[index]].getUnits();
    ofKind[kind] += units.units > 0 && units.segment == segment;
  }
  std::map<Slopes, double> counts;
  for (auto [op, count] : zip_equal(operations.kinds, ofKind)) {
    if (count == 0 || cost.operationTime(*op, {}) == 0)
      continue;
    Slopes slopes;
    for (const Class &entry : classes) {
      const cluster::DeviceClass &deviceClass = cost.cluster.classes[entry.id];
      double part = std::max(cost.sharesOf(segment)[entry.member],
                             1.0 / double(8 * cost.devices.size()));
      double overhead = op->times.count(deviceClass.name)
                            ? 0
                            : toSeconds(deviceClass.overhead);
      slopes.emplace_back(overhead, timeOfWork(deviceClass, *op, part) / part);
    }
    counts[slopes] += count;
  }
  // Proportional rows have their maximum at the same class: they add up.
  std::map<std::vector<int64_t>, Slopes> merged;
  for (const auto &[slopes, count] : counts) {
    std::vector<int64_t> direction;
    double sum = 0;
    for (auto [fixed, slope] : slopes)
      sum += slope;
    for (auto [fixed, slope] : slopes)
      direction.push_back(std::llround(slope / std::max(sum, 1e-300) * 1e4));
    Slopes &total = merged[direction];
    total.resize(slopes.size());
    for (auto [to, from] : zip_equal(total, slopes)) {
      to.first += from.first * count;
      to.second += from.second * count;
    }
  }
  for (const auto &[direction, slopes] : merged) {
    int time = linear.addVariable("time", 0, infinity, 1);
    for (auto [entry, slope] : zip_equal(classes, slopes))
      linear.addRow("done", {{time, 1}, {entry.shares[segment], -slope.second}},
                    slope.first, infinity);
  }
}

/// What passes between neighbours, when tensors that take so long to move whole
/// go from the shares of one segment to those of another.
void ShareProgram::addExchange(int64_t from, int64_t to, double seconds) {
  int time = linear.addVariable("exchange", 0, infinity, 1);
  std::vector<solver::LinearTerm> difference;
  int before = -1;
  for (size_t member = 0; member < classOf.size(); ++member) {
    const Class &entry = classes[classOf[member]];
    difference.push_back({entry.shares[from], 1});
    difference.push_back({entry.shares[to], -1});
    int passed = -1;
    std::vector<solver::LinearTerm> busy = {{time, 1}};
    if (before >= 0)
      busy.push_back({before, -seconds});
    if (member + 1 < classOf.size()) {
      passed = linear.addVariable("passed", 0, 1);
      for (double sign : {1.0, -1.0}) {
        std::map<int, double> sum = {{passed, 1}};
        for (const solver::LinearTerm &term : difference)
          sum[term.variable] -= sign * term.factor;
        auto terms = map_to_vector(sum, [](auto entry) {
          return solver::LinearTerm{entry.first, entry.second};
        });
        linear.addRow("passed", terms, 0, infinity);
      }
      busy.push_back({passed, -seconds});
    }
    linear.addRow("busy", busy, 0, infinity);
    before = passed;
  }
}

void ShareProgram::addCollectives() {
  const Graph &graph = space.graph;
  const cost::Group &group = cost.group;
  double bandwidth = double(group.bandwidth.count());
  std::vector<double> padded(numSegments, 0), grouped(numSegments, 0);
  std::map<std::pair<int64_t, int64_t>, double> exchanged;
  for (const FormChange &change : program.changes) {
    Bytes bytes = graph.tensors[change.tensor].bytes;
    std::optional<Collective> collective = getCollective(
        bytes, space.splits.tensors[change.tensor], change.from, change.to);
    if (!collective || collective->kind == CollectiveKind::AllReduce)
      continue;
    double seconds = double(bytes.count()) / bandwidth;
    if (collective->sameUnits) {
      exchanged[std::minmax(collective->from.segment,
                            collective->to.segment)] += seconds;
      continue;
    }
    if (collective->kind == CollectiveKind::AllToAll) {
      padded[collective->to.segment] += seconds;
      continue;
    }
    DividedUnits units =
        collective->from.units ? collective->from : collective->to;
    if (cost::chooseAllGather(group, cost.partsOf(bytes, units)).algorithm ==
        cost::Algorithm::Grouped)
      grouped[units.segment] += seconds;
    else
      padded[units.segment] += seconds * double(group.members - 1);
  }
  for (int64_t segment = 0; segment < numSegments; ++segment) {
    int largest = linear.addVariable("largest", 0, 1, padded[segment]);
    int smallest = linear.addVariable("smallest", 0, 1, -grouped[segment]);
    for (const Class &entry : classes) {
      int share = entry.shares[segment];
      linear.addRow("largest", {{largest, 1}, {share, -1}}, 0, infinity);
      linear.addRow("smallest", {{share, 1}, {smallest, -1}}, 0, infinity);
    }
  }
  for (auto [pair, seconds] : exchanged)
    addExchange(pair.first, pair.second, seconds);
}

void ShareProgram::addMemory() {
  const cluster::Cluster &cluster = cost.cluster;
  for (const Class &entry : classes) {
    SpmdSpace::Peak peak = space.getPeak(program, cost, entry.member);
    double gibibyte = 1 << 30;
    std::vector<solver::LinearTerm> terms;
    for (auto [share, divided] : zip_equal(entry.shares, peak.divided))
      terms.push_back({share, divided / gibibyte});
    linear.addRow("memory of " + cluster.classes[entry.id].name + " in GiB",
                  terms, -infinity,
                  (double(cluster.classes[entry.id].usableMemory().count()) -
                   peak.fixed) /
                      gibibyte);
  }
}

Expected<SegmentShares> ShareProgram::solve(bool limitMemory) {
  addShares();
  for (int64_t segment = 0; segment < numSegments; ++segment)
    addOperations(segment);
  addCollectives();
  if (limitMemory)
    addMemory();
  Expected<LinearSolution> solution = linear.minimize();
  if (!solution)
    return solution.takeError();
  SegmentShares shares(numSegments);
  for (int64_t segment = 0; segment < numSegments; ++segment)
    for (int index : classOf)
      shares[segment].push_back(
          solution->values[classes[index].shares[segment]]);
  return shares;
}

Expected<SegmentShares> hetero::planner::findShares(const SpmdSpace &space,
                                                    const SpmdProgram &program,
                                                    SpmdCost &cost,
                                                    bool limitMemory) {
  return ShareProgram(space, program, cost).solve(limitMemory);
}
