//===- DeviceSets.cpp - Which devices run one program ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/DeviceSets.h"
#include "ProgramSolver.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

using DeviceSet = std::vector<int64_t>;

/// More sets take longer to bound than one takes to solve.
static constexpr size_t mostSets = 24;

namespace {
/// Collects sets of devices.
class SetFinder {
public:
  SetFinder(const Graph &graph, const Cluster &cluster,
            ArrayRef<int64_t> devices);
  std::vector<DeviceSet> find();

private:
  void addClasses();
  void addEqualNodes();
  void addNodesByLink();
  void add(DeviceSet set);
  double speedOf(ArrayRef<int64_t> set) const;
  double estimate(ArrayRef<int64_t> set) const;
  std::vector<int64_t> getKind(ArrayRef<int64_t> node) const;

  const Cluster &cluster;
  /// 1 over the seconds that a device takes for all work, by rank.
  std::map<int64_t, double> speeds;
  Bytes parameters;
  /// The devices of each class, from the slowest to the fastest, and of each
  /// node.
  std::vector<DeviceSet> classes, nodes;
  std::vector<DeviceSet> sets;
  std::set<DeviceSet> known;
};
} // namespace

SetFinder::SetFinder(const Graph &graph, const Cluster &cluster,
                     ArrayRef<int64_t> devices)
    : cluster(cluster) {
  std::map<int64_t, DeviceSet> byClass, byNode;
  OperationKinds operations(graph);
  for (int64_t device : devices) {
    DeviceSet &alike = byClass[cluster.devices[device].deviceClass];
    speeds[device] =
        alike.empty()
            ? 1 / std::max(getWorkTime(operations, cluster.classOf(device)),
                           1e-12)
            : speeds[alike.front()];
    alike.push_back(device);
    byNode[cluster.devices[device].node].push_back(device);
  }
  append_range(classes, make_second_range(byClass));
  llvm::stable_sort(classes,
                    [&](const DeviceSet &left, const DeviceSet &right) {
                      return speeds[left.front()] < speeds[right.front()];
                    });
  append_range(nodes, make_second_range(byNode));
  for (const GraphArgument &argument : graph.arguments)
    if (argument.role == ArgumentRole::Parameter)
      parameters += graph.tensors[argument.tensor].bytes;
}

void SetFinder::add(DeviceSet set) {
  llvm::sort(set);
  if (known.insert(set).second)
    sets.push_back(std::move(set));
}

double SetFinder::speedOf(ArrayRef<int64_t> set) const {
  double speed = 0;
  for (int64_t device : set)
    speed += speeds.at(device);
  return speed;
}

/// Seconds, if work is divided by speed and all gradients are summed at once.
double SetFinder::estimate(ArrayRef<int64_t> set) const {
  cost::Group group = cost::makeGroup(cluster, set);
  return 1 / speedOf(set) +
         toSeconds(cost::chooseAllReduce(group, parameters).time);
}

/// Single classes, pairs and triples of them; and of ever more classes the
/// fastest.
void SetFinder::addClasses() {
  size_t count = classes.size();
  for (size_t i = 0; i < count; ++i) {
    add(classes[i]);
    for (size_t j = i + 1; j < count; ++j) {
      DeviceSet pair = classes[i];
      append_range(pair, classes[j]);
      add(pair);
      for (size_t k = j + 1; k < count; ++k) {
        DeviceSet triple = pair;
        append_range(triple, classes[k]);
        add(std::move(triple));
      }
    }
  }
}

/// Nodes of one kind have the same devices and the same links between them.
std::vector<int64_t> SetFinder::getKind(ArrayRef<int64_t> node) const {
  const cluster::Path &path = cluster.pathBetween(node[0], node[0]);
  std::vector<int64_t> kind = {path.bandwidth.count(), path.latency.count(),
                               path.shared};
  for (int64_t device : node)
    kind.push_back(cluster.devices[device].deviceClass);
  return kind;
}

/// The first 1, 2, 4, ... nodes of each kind.
void SetFinder::addEqualNodes() {
  std::map<std::vector<int64_t>, std::vector<DeviceSet>> kinds;
  for (const DeviceSet &node : nodes)
    kinds[getKind(node)].push_back(node);
  for (const auto &[kind, equal] : kinds)
    for (size_t count = 1; count <= equal.size(); count *= 2) {
      DeviceSet set;
      for (const DeviceSet &node : ArrayRef(equal).take_front(count))
        append_range(set, node);
      add(std::move(set));
    }
}

/// From the fastest node on, always the one with the widest path to it and of
/// these the fastest.
void SetFinder::addNodesByLink() {
  auto isSlower = [&](const DeviceSet &left, const DeviceSet &right) {
    return speedOf(left) < speedOf(right);
  };
  DeviceSet start = *llvm::max_element(nodes, isSlower);
  std::vector<DeviceSet> others = nodes;
  llvm::erase(others, start);
  auto rank = [&](const DeviceSet &node) {
    return std::make_pair(
        cluster.pathBetween(start.front(), node.front()).bandwidth,
        speedOf(node));
  };
  llvm::stable_sort(others, [&](const DeviceSet &left, const DeviceSet &right) {
    return rank(left) > rank(right);
  });
  DeviceSet set = start;
  add(set);
  for (auto [index, node] : enumerate(others)) {
    append_range(set, node);
    // With 2, 4, 8, ... nodes, and where the next link is slower.
    if (isPowerOf2_64(index + 2) || index + 1 == others.size() ||
        rank(others[index + 1]).first < rank(node).first)
      add(set);
  }
}

std::vector<DeviceSet> SetFinder::find() {
  if (classes.empty())
    return {};
  DeviceSet rest;
  for (const DeviceSet &part : classes)
    append_range(rest, part);
  for (const DeviceSet &slowest : classes) {
    add(rest);
    erase_if(rest,
             [&](int64_t device) { return is_contained(slowest, device); });
  }
  size_t numFirst = sets.size();
  addClasses();
  addEqualNodes();
  addNodesByLink();
  DeviceSet single = {classes.back().front()};
  erase_if(sets, [&](const DeviceSet &set) { return set.size() == 1; });
  numFirst = std::min(numFirst, sets.size());
  std::vector<std::pair<double, DeviceSet>> ordered;
  for (DeviceSet &set : MutableArrayRef(sets).drop_front(numFirst))
    ordered.emplace_back(estimate(set), std::move(set));
  llvm::sort(ordered);
  sets.resize(numFirst);
  for (auto &[time, set] : ordered)
    if (sets.size() + 1 < mostSets)
      sets.push_back(std::move(set));
  sets.push_back(std::move(single));
  return std::move(sets);
}

std::vector<DeviceSet>
hetero::planner::getDeviceSets(const Graph &graph, const Cluster &cluster,
                               ArrayRef<int64_t> devices) {
  return SetFinder(graph, cluster, devices).find();
}

std::vector<DeviceProgram>
hetero::planner::solvePrograms(const Graph &graph, const Cluster &cluster,
                               ArrayRef<DeviceSet> sets,
                               const SpmdOptions &options) {
  ProgramSolver solver(graph, cluster, options);
  double below = options.below.value_or(solver::infinity);
  // One device takes the least time to solve, then what may be fastest.
  std::vector<std::tuple<bool, double, size_t>> order;
  for (auto [index, set] : enumerate(sets))
    order.emplace_back(set.size() > 1, solver.computeBound(set, 0), index);
  llvm::sort(order);
  std::vector<std::pair<size_t, DeviceProgram>> found;
  for (auto [several, bound, index] : order) {
    if (bound >= below || solver.computeBound(sets[index], below) >= below)
      continue;
    std::optional<SpmdSolution> solution =
        expectedToOptional(solver.solve(sets[index], below));
    if (!solution || solution->time() >= below)
      continue;
    if (!several)
      below = solution->time();
    found.push_back({index, {sets[index], std::move(*solution)}});
  }
  llvm::sort(found, [](const auto &left, const auto &right) {
    return std::make_pair(left.second.solution.time(), left.first) <
           std::make_pair(right.second.solution.time(), right.first);
  });
  std::vector<DeviceProgram> programs;
  for (auto &[index, program] : found)
    programs.push_back(std::move(program));
  return programs;
}
