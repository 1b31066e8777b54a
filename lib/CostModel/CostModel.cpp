//===- CostModel.cpp - What things take -----------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/CostModel/CostModel.h"
#include "hetero/Support/Approximate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::cost;
using hetero::cluster::Cluster;
using hetero::cluster::CurvePoint;
using hetero::cluster::DeviceClass;
using hetero::cluster::Path;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The work at full efficiency that takes as long as `work` does in one
/// operation: not less than for any smaller work on the curve.
static double effectiveWork(const DeviceClass &deviceClass, double work) {
  double effective = work / deviceClass.efficiencyAt(work);
  for (const CurvePoint &point : deviceClass.efficiency) {
    double at = static_cast<double>(point.work.count());
    if (at > work)
      break;
    effective = std::max(effective, at / deviceClass.efficiencyAt(at));
  }
  return effective;
}

Time hetero::cost::operationTime(const DeviceClass &deviceClass,
                                 const Operations &operations) {
  int64_t count = std::max<int64_t>(1, operations.count);
  double total = 0;
  for (const auto &[type, work] : operations.work)
    total += static_cast<double>(work.count());
  double perOperation = total / static_cast<double>(count);
  double slowdown =
      perOperation > 0 ? effectiveWork(deviceClass, perOperation) / perOperation
                       : 1;
  double seconds = 0;
  for (const auto &[type, work] : operations.work)
    seconds += static_cast<double>(work.count()) * slowdown /
               static_cast<double>(deviceClass.peakFor(type).count());
  Time arithmetic = Time::nearest(seconds * timePerSecond);
  Time traffic = operations.bytes / deviceClass.bandwidth;
  return std::max(arithmetic, traffic) +
         deviceClass.overhead * std::max<int64_t>(0, operations.count);
}

Time hetero::cost::operationBound(const DeviceClass &deviceClass,
                                  const Operations &operations) {
  double seconds = 0;
  for (const auto &[type, work] : operations.work)
    seconds += static_cast<double>(work.count()) /
               static_cast<double>(deviceClass.peakFor(type).count());
  Time arithmetic = Time::nearest(
      std::floor(seconds / deviceClass.bestEfficiency() * timePerSecond));
  return std::max(arithmetic, operations.bytes / deviceClass.bandwidth);
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

StringRef hetero::cost::stringify(Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::Ring:
    return "ring";
  case Algorithm::Tree:
    return "tree";
  case Algorithm::Hierarchical:
    return "hierarchical";
  case Algorithm::Padded:
    return "padded";
  case Algorithm::Grouped:
    return "grouped";
  }
  llvm_unreachable("every algorithm has a name");
}

Group hetero::cost::makeGroup(const Cluster &cluster,
                              ArrayRef<int64_t> devices) {
  Group group;
  group.members = std::max<size_t>(1, devices.size());
  std::map<int64_t, int64_t> inNode, pairsInNode;
  int64_t pairsOnSharedNetwork = 0;
  auto eachPair = [&](function_ref<void(int64_t, int64_t)> visit) {
    for (size_t i = 0; devices.size() > 1 && i < devices.size(); ++i)
      visit(devices[i], devices[(i + 1) % devices.size()]);
  };
  for (int64_t device : devices)
    ++inNode[cluster.devices[device].node];
  eachPair([&](int64_t from, int64_t to) {
    int64_t node = cluster.devices[from].node;
    if (node == cluster.devices[to].node)
      ++pairsInNode[node];
    else if (cluster.pathBetween(from, to).shared)
      ++pairsOnSharedNetwork;
  });
  eachPair([&](int64_t from, int64_t to) {
    const Path &path = cluster.pathBetween(from, to);
    int64_t node = cluster.devices[from].node;
    bool inside = node == cluster.devices[to].node;
    int64_t users = !path.shared ? 1
                    : inside     ? pairsInNode[node]
                                 : pairsOnSharedNetwork;
    Bandwidth bandwidth(std::max<int64_t>(1, path.bandwidth.count() / users));
    Bandwidth &narrowest =
        inside ? group.nodeBandwidth : group.networkBandwidth;
    Time &longest = inside ? group.nodeLatency : group.networkLatency;
    narrowest = std::min(narrowest, bandwidth);
    longest = std::max(longest, path.latency);
    group.bandwidth = std::min(group.bandwidth, bandwidth);
    group.latency = std::max(group.latency, path.latency);
  });
  group.nodes = std::max<size_t>(1, inNode.size());
  group.fewestInNode = group.members;
  for (auto [node, count] : inNode) {
    group.mostInNode = std::max(group.mostInNode, count);
    group.fewestInNode = std::min(group.fewestInNode, count);
  }
  return group;
}

Time hetero::cost::transferTime(const Path &path, Bytes bytes) {
  return path.latency + bytes / path.bandwidth;
}

/// One pass around a ring of `members` that each end up with all of `bytes`.
static Time ringPass(int64_t members, Bytes bytes, Bandwidth bandwidth,
                     Time latency) {
  if (members <= 1)
    return Time(0);
  Bytes moved = bytes - Bytes(bytes.count() / members);
  return latency * (members - 1) + moved / bandwidth;
}

/// A pass inside of the nodes and one between them.
static Time hierarchicalPass(const Group &group, Bytes bytes) {
  return ringPass(group.mostInNode, bytes, group.nodeBandwidth,
                  group.nodeLatency) +
         ringPass(group.nodes, bytes, group.networkBandwidth,
                  group.networkLatency);
}

Time hetero::cost::allReduceTime(const Group &group, Bytes bytes,
                                 Algorithm algorithm) {
  if (group.members <= 1)
    return Time(0);
  switch (algorithm) {
  case Algorithm::Tree:
    return (group.latency + bytes / group.bandwidth) *
           (2 * int64_t(Log2_64_Ceil(group.members)));
  case Algorithm::Hierarchical:
    return hierarchicalPass(group, bytes) * 2;
  case Algorithm::Ring:
  case Algorithm::Padded:
  case Algorithm::Grouped:
    break;
  }
  return ringPass(group.members, bytes, group.bandwidth, group.latency) * 2;
}

Time hetero::cost::allGatherTime(const Group &group, ArrayRef<Bytes> shards,
                                 Algorithm algorithm) {
  if (group.members <= 1 || shards.empty())
    return Time(0);
  Bytes total, largest, smallest = Bytes::max();
  for (Bytes shard : shards) {
    total += shard;
    largest = std::max(largest, shard);
    smallest = std::min(smallest, shard);
  }
  switch (algorithm) {
  case Algorithm::Grouped:
    return group.latency * (2 * group.members - 1) +
           (total - smallest) / group.bandwidth;
  case Algorithm::Hierarchical:
    return hierarchicalPass(group, largest * group.members);
  case Algorithm::Ring:
  case Algorithm::Tree:
  case Algorithm::Padded:
    break;
  }
  return ringPass(group.members, largest * group.members, group.bandwidth,
                  group.latency);
}

Time hetero::cost::allToAllTime(const Group &group, ArrayRef<Bytes> sent,
                                ArrayRef<Bytes> received) {
  if (group.members <= 1)
    return Time(0);
  Bytes most;
  for (ArrayRef<Bytes> list : {sent, received})
    for (Bytes bytes : list)
      most = std::max(most, bytes);
  return group.latency * (group.members - 1) + most / group.bandwidth;
}

Choice hetero::cost::chooseAllReduce(const Group &group, Bytes bytes) {
  Choice best{Algorithm::Ring, allReduceTime(group, bytes, Algorithm::Ring)};
  SmallVector<Algorithm> others = {Algorithm::Tree};
  if (group.nodes > 1 && group.mostInNode > 1)
    others.push_back(Algorithm::Hierarchical);
  for (Algorithm algorithm : others)
    if (Time time = allReduceTime(group, bytes, algorithm); time < best.time)
      best = {algorithm, time};
  return best;
}

Choice hetero::cost::chooseAllGather(const Group &group,
                                     ArrayRef<Bytes> shards) {
  if (shards.empty() || all_equal(shards))
    return {Algorithm::Ring, allGatherTime(group, shards, Algorithm::Ring)};
  Choice padded{Algorithm::Padded,
                allGatherTime(group, shards, Algorithm::Padded)};
  Choice grouped{Algorithm::Grouped,
                 allGatherTime(group, shards, Algorithm::Grouped)};
  return grouped.time < padded.time ? grouped : padded;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Bytes MemoryUse::total() const {
  return state + gathered + gradients + activations + workspace + buffers;
}

std::string MemoryUse::str() const {
  SmallVector<std::pair<Bytes, StringRef>> parts = {
      {state, "state"},         {gathered, "gathered parameters"},
      {gradients, "gradients"}, {activations, "activations"},
      {workspace, "workspace"}, {buffers, "communication buffers"}};
  sort(parts, [](const auto &left, const auto &right) {
    return left.first != right.first ? left.first > right.first
                                     : left.second < right.second;
  });
  std::string text;
  for (auto [bytes, name] : parts) {
    if (bytes == Bytes(0))
      continue;
    text +=
        (text.empty() ? "" : ", ") + (name + " " + approximate(bytes)).str();
  }
  return text;
}
