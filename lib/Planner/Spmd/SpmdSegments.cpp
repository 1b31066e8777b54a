//===- SpmdSegments.cpp - Layers that are divided alike -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a group of layers takes t_c on a device of class c. Divided by
// speed over all n_c devices of each class it takes T = 1 / sum_c (n_c / t_c).
// Two groups with shares of their own take T1 + T2, and never less if they have
// the same shares: the difference is what joining them loses. Groups are joined
// where that is least, first neighbours, until few are left, then any two.

#include "hetero/Planner/Spmd/Spmd.h"
#include "hetero/Planner/Spmd/SpmdCost.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

namespace {
struct LayerGroup {
  std::vector<int64_t> layers;
  /// Seconds of all of its work on one device of each class.
  std::vector<double> times;
};
} // namespace

static double timeBySpeed(ArrayRef<double> times, ArrayRef<double> counts) {
  double speed = 0;
  for (auto [time, count] : zip_equal(times, counts))
    speed += count / std::max(time, 1e-12);
  return 1 / speed;
}

static std::vector<double> add(ArrayRef<double> left, ArrayRef<double> right) {
  std::vector<double> sum;
  for (auto [a, b] : zip_equal(left, right))
    sum.push_back(a + b);
  return sum;
}

/// What it loses to give two groups the same shares.
static double lossOfJoining(const LayerGroup &left, const LayerGroup &right,
                            ArrayRef<double> counts) {
  return timeBySpeed(add(left.times, right.times), counts) -
         timeBySpeed(left.times, counts) - timeBySpeed(right.times, counts);
}

/// Joins the two groups that lose least, if it is less than `limit`.
static bool joinClosest(std::vector<LayerGroup> &groups,
                        ArrayRef<double> counts, bool neighbours,
                        double limit) {
  size_t first = 0, second = 0;
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = i + 1; j < groups.size(); ++j) {
      if (neighbours && j > i + 1)
        break;
      double loss = lossOfJoining(groups[i], groups[j], counts);
      if (loss < limit) {
        limit = loss;
        first = i;
        second = j;
      }
    }
  if (second == 0)
    return false;
  groups[first].times = add(groups[first].times, groups[second].times);
  append_range(groups[first].layers, groups[second].layers);
  groups.erase(groups.begin() + second);
  return true;
}

/// The work of each layer on each class of devices.
static std::vector<LayerGroup> getLayers(const OperationKinds &operations,
                                         const cluster::Cluster &cluster,
                                         ArrayRef<int64_t> classes) {
  std::vector<std::vector<double>> times;
  for (const GraphOp *op : operations.kinds) {
    times.emplace_back();
    for (int64_t kind : classes)
      times.back().push_back(timeOfWork(cluster.classes[kind], *op, 1));
  }
  std::map<int64_t, LayerGroup> layers;
  for (auto [op, kind] :
       zip_equal(operations.graph.operations, operations.kindOf)) {
    LayerGroup &group = layers[std::max<int64_t>(0, op.layer)];
    group.times.resize(classes.size(), 0);
    for (auto [sum, time] : zip_equal(group.times, times[kind]))
      sum += time;
  }
  std::vector<LayerGroup> groups;
  for (auto &[layer, group] : layers) {
    group.layers.push_back(layer);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<int64_t>
hetero::planner::findSegments(const OperationKinds &operations,
                              const cluster::Cluster &cluster,
                              ArrayRef<int64_t> devices, int64_t most) {
  // Neighbours are joined until there are so few groups that all pairs are
  // looked at.
  constexpr size_t fewGroups = 24;
  // What is lost by joining everything must be worth the search.
  constexpr double worthwhile = 0.01, negligible = 0.001;
  MapVector<int64_t, double> numbers;
  for (int64_t device : devices)
    ++numbers[cluster.devices[device].deviceClass];
  auto classes = to_vector(make_first_range(numbers));
  auto counts = to_vector(make_second_range(numbers));
  if (classes.size() < 2 || most < 2)
    return {};
  std::vector<LayerGroup> groups = getLayers(operations, cluster, classes);
  std::vector<double> total(classes.size(), 0);
  for (const LayerGroup &group : groups)
    total = add(total, group.times);
  double whole = timeBySpeed(total, counts);
  while (groups.size() > fewGroups)
    joinClosest(groups, counts, /*neighbours=*/true, solver::infinity);
  while (int64_t(groups.size()) > most)
    joinClosest(groups, counts, /*neighbours=*/false, solver::infinity);
  while (joinClosest(groups, counts, /*neighbours=*/false, negligible * whole))
    ;
  double parts = 0;
  for (const LayerGroup &group : groups)
    parts += timeBySpeed(group.times, counts);
  if (groups.size() < 2 || whole - parts < worthwhile * whole)
    return {};
  llvm::sort(groups, [](const LayerGroup &left, const LayerGroup &right) {
    return *llvm::min_element(left.layers) < *llvm::min_element(right.layers);
  });
  std::map<int64_t, int64_t> segmentOf;
  for (auto [segment, group] : enumerate(groups))
    for (int64_t layer : group.layers)
      segmentOf[layer] = segment;
  std::vector<int64_t> segments;
  segments.reserve(operations.kindOf.size());
  for (const GraphOp &op : operations.graph.operations)
    segments.push_back(segmentOf[std::max<int64_t>(0, op.layer)]);
  return segments;
}
