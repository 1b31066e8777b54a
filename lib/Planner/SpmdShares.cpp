//===- SpmdShares.cpp - The best shares for a program ---------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpmdShares.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

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
      : space(space), program(program), cost(cost) {}
  Expected<std::vector<double>> solve(bool limitMemory);

private:
  struct Class {
    int64_t id = 0, count = 0;
    int share = 0; // The variable.
    int64_t member = 0;
  };

  void addShares();
  void addOperations();
  void addCollectives();
  void addMemory();

  const SpmdSpace &space;
  const SpmdProgram &program;
  SpmdCost &cost;
  LinearProgram linear;
  std::vector<Class> classes;
  std::vector<int> classOf; // Of members of the group.
};
} // namespace

void ShareProgram::addShares() {
  const cluster::Cluster &cluster = cost.getCluster();
  std::vector<solver::LinearTerm> all;
  for (auto [member, device] : enumerate(cost.getDevices())) {
    int64_t id = cluster.devices[device].deviceClass;
    auto it = find_if(classes, [&](const Class &c) { return c.id == id; });
    if (it == classes.end()) {
      int share =
          linear.addVariable("share of " + cluster.classes[id].name, 0, 1);
      classes.push_back({id, 0, share, int64_t(member)});
      it = std::prev(classes.end());
    }
    ++it->count;
    classOf.push_back(it - classes.begin());
  }
  for (const Class &entry : classes)
    all.push_back({entry.share, double(entry.count)});
  linear.addRow("all", all, 1, 1);
}

/// Operations with the same costs are one. Times are taken to be linear between
/// nothing and what they are now.
void ShareProgram::addOperations() {
  const Graph &graph = space.getGraph();
  using Slopes = std::vector<std::pair<double, double>>;
  std::map<Slopes, double> counts;
  std::unordered_map<std::string, Slopes> known;
  for (auto [index, op] : enumerate(graph.operations)) {
    int64_t units =
        space.getSplits().operations[index][program.strategies[index]].units;
    if (units == 0 || cost.operationTime(op, units) == 0)
      continue;
    auto [it, inserted] = known.try_emplace(getCostKey(op));
    Slopes &slopes = it->second;
    for (const Class &entry : classes) {
      if (!inserted)
        break;
      const cluster::DeviceClass &deviceClass =
          cost.getCluster().classes[entry.id];
      double part = std::max(cost.getShares()[entry.member],
                             1.0 / double(8 * cost.numDevices()));
      double overhead = op.times.count(deviceClass.name)
                            ? 0
                            : toSeconds(deviceClass.overhead);
      double time = timeOfPart(deviceClass, op, part);
      slopes.push_back({overhead, std::max(0.0, time - overhead) / part});
    }
    counts[slopes] += 1;
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
      linear.addRow("done", {{time, 1}, {entry.share, -slope.second}},
                    slope.first, infinity);
  }
}

void ShareProgram::addCollectives() {
  const Graph &graph = space.getGraph();
  const cost::Group &group = cost.getGroup();
  double bandwidth = double(group.bandwidth.count());
  double padded = 0, grouped = 0;
  for (const FormChange &change : program.changes) {
    Bytes bytes = graph.tensors[change.tensor].bytes;
    std::optional<Collective> collective = getCollective(
        bytes, space.unitsOf(change.tensor), change.from, change.to);
    if (!collective || collective->kind == CollectiveKind::AllReduce)
      continue;
    double seconds = double(bytes.count()) / bandwidth;
    if (collective->kind == CollectiveKind::AllToAll) {
      padded += seconds;
      continue;
    }
    std::vector<Bytes> shards;
    for (double part : cost.partsOf(std::max(collective->from, collective->to)))
      shards.push_back(Bytes::nearest(double(bytes.count()) * part));
    if (cost::chooseAllGather(group, shards).algorithm ==
        cost::Algorithm::Grouped)
      grouped += seconds;
    else
      padded += seconds * double(group.members - 1);
  }
  int largest = linear.addVariable("largest", 0, 1, padded);
  int smallest = linear.addVariable("smallest", 0, 1, -grouped);
  for (const Class &entry : classes) {
    linear.addRow("largest", {{largest, 1}, {entry.share, -1}}, 0, infinity);
    linear.addRow("smallest", {{entry.share, 1}, {smallest, -1}}, 0, infinity);
  }
}

void ShareProgram::addMemory() {
  const cluster::Cluster &cluster = cost.getCluster();
  for (const Class &entry : classes) {
    auto [fixed, divided] =
        space.getPeak(program, cost, entry.id, cost.getShares()[entry.member]);
    double gibibyte = 1 << 30;
    linear.addRow(
        "memory of " + cluster.classes[entry.id].name + " in GiB",
        {{entry.share, divided / gibibyte}}, -infinity,
        (double(cluster.classes[entry.id].usableMemory().count()) - fixed) /
            gibibyte);
  }
}

Expected<std::vector<double>> ShareProgram::solve(bool limitMemory) {
  addShares();
  addOperations();
  addCollectives();
  if (limitMemory)
    addMemory();
  Expected<LinearSolution> solution = linear.minimize();
  if (!solution)
    return solution.takeError();
  std::vector<double> shares;
  for (int index : classOf)
    shares.push_back(solution->values[classes[index].share]);
  return shares;
}

Expected<std::vector<double>>
hetero::planner::findShares(const SpmdSpace &space, const SpmdProgram &program,
                            SpmdCost &cost, bool limitMemory) {
  return ShareProgram(space, program, cost).solve(limitMemory);
}
