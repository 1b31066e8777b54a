//===- DeviceOrders.cpp - Lines of devices --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/DeviceOrders.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// The site of each node; nodes in none have a place of their own, after the
/// sites.
static std::vector<int64_t> sitesOfNodes(const Cluster &cluster) {
  std::vector<int64_t> sites(cluster.nodes.size(), cluster.sites.size());
  for (auto [index, site] : enumerate(cluster.sites))
    for (int64_t member : site.members)
      if (member < int64_t(sites.size()))
        sites[member] = index;
  return sites;
}

std::vector<std::vector<int64_t>>
hetero::planner::findRuns(const Cluster &cluster, ArrayRef<int64_t> devices,
                          size_t mostByNode) {
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> byNode, bySite;
  std::vector<int64_t> sites = sitesOfNodes(cluster);
  for (int64_t device : devices) {
    const cluster::Device &entry = cluster.devices[device];
    byNode[{entry.node, entry.deviceClass}].push_back(device);
    bySite[{sites[entry.node], entry.deviceClass}].push_back(device);
  }
  auto runs = make_second_range(byNode.size() <= mostByNode ? byNode : bySite);
  return {runs.begin(), runs.end()};
}

std::vector<std::vector<int64_t>>
hetero::planner::permuteRuns(ArrayRef<std::vector<int64_t>> runs,
                             int64_t most) {
  std::vector<int64_t> indices(runs.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::vector<std::vector<int64_t>> permutations;
  auto add = [&](const std::vector<int64_t> &permutation) {
    if (int64_t(permutations.size()) < most &&
        !is_contained(permutations, permutation))
      permutations.push_back(permutation);
  };
  add(indices);
  add({indices.rbegin(), indices.rend()});
  if (indices.size() <= 5) {
    std::vector<int64_t> permutation = indices;
    while (std::next_permutation(permutation.begin(), permutation.end()))
      add(permutation);
  } else {
    for (size_t i = 1; i < indices.size(); ++i) {
      std::vector<int64_t> rotated = indices;
      std::rotate(rotated.begin(), rotated.begin() + i, rotated.end());
      add(rotated);
    }
    for (size_t i = 0; i < indices.size(); ++i)
      for (size_t j = i + 1; j < indices.size(); ++j) {
        std::vector<int64_t> swapped = indices;
        std::swap(swapped[i], swapped[j]);
        add(swapped);
      }
  }
  std::vector<std::vector<int64_t>> orders;
  for (const std::vector<int64_t> &permutation : permutations) {
    std::vector<int64_t> &order = orders.emplace_back();
    for (int64_t index : permutation)
      append_range(order, runs[index]);
  }
  return orders;
}

/// Whether two lines have devices of the same classes, and the same paths
/// between them, at each place.
static bool areAlike(const Cluster &cluster, ArrayRef<int64_t> left,
                     ArrayRef<int64_t> right) {
  auto at = [&](int64_t device) -> const cluster::Device & {
    return cluster.devices[device];
  };
  // Nodes that stand for each other.
  std::map<int64_t, int64_t> there, back;
  for (auto [one, other] : zip_equal(left, right))
    if (at(one).deviceClass != at(other).deviceClass ||
        there.try_emplace(at(one).node, at(other).node).first->second !=
            at(other).node ||
        back.try_emplace(at(other).node, at(one).node).first->second !=
            at(one).node)
      return false;
  int64_t numNodes = cluster.nodes.size();
  for (auto [from, otherFrom] : there)
    for (auto [to, otherTo] : there) {
      const cluster::Path &one = cluster.paths[from * numNodes + to];
      const cluster::Path &other =
          cluster.paths[otherFrom * numNodes + otherTo];
      if (std::tie(one.bandwidth, one.latency, one.shared) !=
          std::tie(other.bandwidth, other.latency, other.shared))
        return false;
    }
  return true;
}

std::vector<size_t>
hetero::planner::findDifferent(const Problem &problem, const Cluster &cluster,
                               ArrayRef<std::vector<int64_t>> orders) {
  bool pinned = any_of(problem.constraints.pins,
                       [](const Pin &pin) { return !pin.devices.empty(); });
  std::vector<size_t> different;
  for (auto [index, order] : enumerate(orders))
    if (pinned || none_of(different, [&, &line = order](size_t other) {
          return areAlike(cluster, orders[other], line);
        }))
      different.push_back(index);
  return different;
}

/// The run in pieces of one node each.
static std::vector<std::vector<int64_t>> piecesOf(const Cluster &cluster,
                                                  ArrayRef<int64_t> run) {
  std::vector<std::vector<int64_t>> pieces;
  for (int64_t device : run) {
    if (pieces.empty() || cluster.devices[pieces.back().back()].node !=
                              cluster.devices[device].node)
      pieces.emplace_back();
    pieces.back().push_back(device);
  }
  return pieces;
}

std::vector<std::vector<int64_t>>
hetero::planner::mixRuns(const Cluster &cluster,
                         ArrayRef<std::vector<int64_t>> runs) {
  std::vector<std::vector<int64_t>> orders;
  if (runs.size() < 2)
    return orders;
  // Each piece stands where its middle is in its run, as a share of the line.
  std::vector<std::tuple<double, size_t, std::vector<int64_t>>> placed;
  for (auto [index, run] : enumerate(runs)) {
    std::vector<std::vector<int64_t>> pieces = piecesOf(cluster, run);
    for (auto [number, piece] : enumerate(pieces))
      placed.emplace_back((double(number) + 0.5) / double(pieces.size()), index,
                          piece);
  }
  sort(placed);
  std::vector<int64_t> &mixed = orders.emplace_back();
  for (const auto &[place, index, piece] : placed)
    append_range(mixed, piece);
  for (auto [index, run] : enumerate(runs)) {
    if (run.size() < 2)
      continue;
    std::vector<std::vector<int64_t>> pieces = piecesOf(cluster, run);
    size_t half = run.size() / 2;
    if (pieces.size() > 1) {
      half = 0;
      for (size_t i = 0; i < pieces.size() / 2; ++i)
        half += pieces[i].size();
    }
    std::vector<int64_t> &order =
        orders.emplace_back(run.begin(), run.begin() + half);
    for (auto [other, rest] : enumerate(runs))
      if (other != index)
        append_range(order, rest);
    order.insert(order.end(), run.begin() + half, run.end());
  }
  return orders;
}

/// Where the line of devices may be cut: between classes, then between nodes,
/// then in halves, quarters, ... of what is there, until there are `most` or
/// every device stands alone.
std::vector<int64_t> hetero::planner::findPositions(const Cluster &cluster,
                                                    ArrayRef<int64_t> order,
                                                    int64_t most) {
  int64_t numDevices = order.size();
  std::vector<int64_t> positions = {0, numDevices};
  auto addThinned = [&](ArrayRef<int64_t> more) {
    int64_t room = most - int64_t(positions.size());
    int64_t step = room > 0 ? (int64_t(more.size()) + room - 1) / room : 0;
    for (size_t i = 0; step > 0 && i < more.size(); i += step)
      positions.push_back(more[i]);
    sort(positions);
  };
  std::vector<int64_t> classes, nodes;
  for (int64_t i = 1; i < numDevices; ++i) {
    const cluster::Device &before = cluster.devices[order[i - 1]];
    const cluster::Device &here = cluster.devices[order[i]];
    if (before.deviceClass != here.deviceClass)
      classes.push_back(i);
    else if (before.node != here.node)
      nodes.push_back(i);
  }
  addThinned(classes);
  addThinned(nodes);
  while (int64_t(positions.size()) < most) {
    std::vector<int64_t> middles;
    for (size_t i = 1; i < positions.size(); ++i)
      if (positions[i] - positions[i - 1] > 1)
        middles.push_back((positions[i - 1] + positions[i]) / 2);
    if (middles.empty())
      break;
    addThinned(middles);
  }
  return positions;
}
