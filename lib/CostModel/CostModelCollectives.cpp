//===- CostModelCollectives.cpp - What communication takes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/CostModel/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::cost;
using hetero::cluster::Cluster;
using hetero::cluster::CollectivePoint;
using hetero::cluster::MeasuredCollective;
using hetero::cluster::Path;

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// Takes over what was measured for as many members in as many nodes, first
/// what was for their class.
static void addMeasured(const Cluster &cluster, ArrayRef<int64_t> devices,
                        Group &group) {
  for (bool forClass : {true, false})
    for (const MeasuredCollective &measured : cluster.collectives) {
      std::vector<CollectivePoint> &points = group.measured[int(measured.kind)];
      bool matches = points.empty() && measured.members == group.members &&
                     measured.nodes == group.nodes &&
                     measured.deviceClass.has_value() == forClass;
      if (forClass && matches)
        matches = all_of(devices, [&](int64_t device) {
          return cluster.devices[device].deviceClass == *measured.deviceClass;
        });
      if (matches)
        points = measured.points;
    }
}

/// Visits the neighbours in a ring, which goes through one node after the other
/// in whatever order its members are given.
static void eachPair(const Cluster &cluster, ArrayRef<int64_t> members,
                     function_ref<void(int64_t, int64_t)> visit) {
  auto isBefore = [&](int64_t left, int64_t right) {
    return cluster.devices[left].node < cluster.devices[right].node;
  };
  ArrayRef<int64_t> ring = members;
  SmallVector<int64_t> sorted;
  if (!is_sorted(members, isBefore)) {
    sorted.assign(members.begin(), members.end());
    stable_sort(sorted, isBefore);
    ring = sorted;
  }
  for (size_t i = 0; ring.size() > 1 && i < ring.size(); ++i)
    visit(ring[i], ring[(i + 1) % ring.size()]);
}

namespace {
/// Who uses what at the same time.
class RingLoads {
public:
  explicit RingLoads(const Cluster &cluster) : cluster(cluster) {}

  void add(ArrayRef<int64_t> ring, int64_t alike);
  Group makeGroup(ArrayRef<int64_t> ring) const;

private:
  int64_t usersOf(const Path &path, int64_t from, int64_t to) const;

  const Cluster &cluster;
  /// Pairs on the bus of each node, and rings that leave it.
  std::map<int64_t, int64_t> pairsInNode, ringsOutOfNode;
  int64_t pairsOnSharedNetwork = 0;
};
} // namespace

void RingLoads::add(ArrayRef<int64_t> ring, int64_t alike) {
  std::vector<int64_t> left;
  eachPair(cluster, ring, [&](int64_t from, int64_t to) {
    int64_t node = cluster.devices[from].node;
    if (node == cluster.devices[to].node) {
      pairsInNode[node] += alike;
      return;
    }
    if (cluster.pathBetween(from, to).shared)
      pairsOnSharedNetwork += alike;
    left.push_back(node);
  });
  for (int64_t node : left)
    ringsOutOfNode[node] += alike;
}

int64_t RingLoads::usersOf(const Path &path, int64_t from, int64_t to) const {
  int64_t source = cluster.devices[from].node;
  int64_t target = cluster.devices[to].node;
  if (source == target)
    return path.shared ? pairsInNode.at(source) : 1;
  return path.shared
             ? pairsOnSharedNetwork
             : std::max(ringsOutOfNode.at(source), ringsOutOfNode.at(target));
}

Group RingLoads::makeGroup(ArrayRef<int64_t> ring) const {
  Group group;
  group.members = std::max<size_t>(1, ring.size());
  std::map<int64_t, int64_t> inNode;
  for (int64_t device : ring)
    ++inNode[cluster.devices[device].node];
  eachPair(cluster, ring, [&](int64_t from, int64_t to) {
    const Path &path = cluster.pathBetween(from, to);
    bool inside = cluster.devices[from].node == cluster.devices[to].node;
    Bandwidth bandwidth(
        std::max<int64_t>(1, path.bandwidth.count() / usersOf(path, from, to)));
    Bandwidth &narrowest =
        inside ? group.nodeBandwidth : group.networkBandwidth;
    Time &longest = inside ? group.nodeLatency : group.networkLatency;
    narrowest = std::min(narrowest, bandwidth);
    longest = std::max(longest, path.latency);
    group.bandwidth = std::min(group.bandwidth, bandwidth);
    group.latency = std::max(group.latency, path.latency);
  });
  group.nodes = std::max<size_t>(1, inNode.size());
  addMeasured(cluster, ring, group);
  group.fewestInNode = group.members;
  for (auto [node, count] : inNode) {
    group.mostInNode = std::max(group.mostInNode, count);
    group.fewestInNode = std::min(group.fewestInNode, count);
  }
  return group;
}

Group hetero::cost::makeGroup(const Cluster &cluster, ArrayRef<int64_t> devices,
                              int64_t alike) {
  RingLoads loads(cluster);
  loads.add(devices, alike);
  return loads.makeGroup(devices);
}

std::vector<Group>
hetero::cost::makeGroups(const Cluster &cluster,
                         ArrayRef<std::vector<int64_t>> rings) {
  RingLoads loads(cluster);
  for (const std::vector<int64_t> &ring : rings)
    loads.add(ring, /*alike=*/1);
  std::vector<Group> groups;
  for (const std::vector<int64_t> &ring : rings)
    groups.push_back(loads.makeGroup(ring));
  return groups;
}

Time hetero::cost::transferTime(const Path &path, Bytes bytes) {
  return path.latency + bytes / path.bandwidth;
}

/// What uneven parts take.
static Time lengthen(Time even) {
  return Time::nearest(double(even.count()) *
                       double(costFigures().uneven.count()) / 1e6);
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
  default:
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
           lengthen((total - smallest) / group.bandwidth);
  case Algorithm::Hierarchical:
    return hierarchicalPass(group, largest * group.members);
  default:
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

//===----------------------------------------------------------------------===//
// Measured times
//===----------------------------------------------------------------------===//

Time hetero::cost::interpolate(ArrayRef<CollectivePoint> points, Bytes bytes) {
  // Never below the time of fewer bytes.
  std::vector<CollectivePoint> rising(points.begin(), points.end());
  for (size_t i = 1; i < rising.size(); ++i)
    rising[i].time = std::max(rising[i].time, rising[i - 1].time);
  if (bytes <= rising.front().bytes)
    return rising.front().time;
  size_t right = 1;
  while (right + 1 < rising.size() && rising[right].bytes < bytes)
    ++right;
  if (rising.size() == 1) {
    // One point tells a speed.
    double ratio = double(bytes.count()) /
                   std::max<double>(1, rising.front().bytes.count());
    return Time::nearest(double(rising.front().time.count()) * ratio);
  }
  const CollectivePoint &from = rising[right - 1], &to = rising[right];
  double slope = double((to.time - from.time).count()) /
                 double((to.bytes - from.bytes).count());
  return from.time +
         Time::nearest(slope * double((bytes - from.bytes).count()));
}

/// The measured time, if there is one.
static std::optional<Time> measuredTime(const Group &group, CollectiveKind kind,
                                        Bytes bytes) {
  const std::vector<CollectivePoint> &points = group.measured[int(kind)];
  if (points.empty() || group.members <= 1)
    return std::nullopt;
  return interpolate(points, bytes);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

Choice hetero::cost::chooseAllReduce(const Group &group, Bytes bytes) {
  if (bytes == Bytes(0))
    return {Algorithm::Ring, Time(0)};
  if (std::optional<Time> time =
          measuredTime(group, CollectiveKind::AllReduce, bytes))
    return {Algorithm::Ring, *time};
  Choice best{Algorithm::Ring, allReduceTime(group, bytes, Algorithm::Ring)};
  SmallVector<Algorithm> others = {Algorithm::Tree};
  if (group.nodes > 1 && group.mostInNode > 1)
    others.push_back(Algorithm::Hierarchical);
  for (Algorithm algorithm : others)
    if (Time time = allReduceTime(group, bytes, algorithm); time < best.time)
      best = {algorithm, time};
  return best;
}

/// Of shards that are not alike either all are as large as the largest, or the
/// bytes are exact and take longer.
static Choice chooseForShards(const Group &group, ArrayRef<Bytes> shards,
                              CollectiveKind kind) {
  Bytes total, largest;
  for (Bytes shard : shards) {
    total += shard;
    largest = std::max(largest, shard);
  }
  if (total == Bytes(0))
    return {Algorithm::Ring, Time(0)};
  bool isEven = shards.empty() || all_equal(shards);
  std::optional<Time> measured = measuredTime(group, kind, total);
  if (isEven)
    return {Algorithm::Ring,
            measured ? *measured
                     : allGatherTime(group, shards, Algorithm::Ring)};
  Choice padded{Algorithm::Padded,
                allGatherTime(group, shards, Algorithm::Padded)};
  Choice grouped{Algorithm::Grouped,
                 allGatherTime(group, shards, Algorithm::Grouped)};
  if (measured) {
    padded.time = *measuredTime(group, kind, largest * group.members);
    grouped.time = lengthen(*measured);
  }
  return grouped.time < padded.time ? grouped : padded;
}

Choice hetero::cost::chooseAllGather(const Group &group,
                                     ArrayRef<Bytes> shards) {
  return chooseForShards(group, shards, CollectiveKind::AllGather);
}

Choice hetero::cost::chooseReduceScatter(const Group &group,
                                         ArrayRef<Bytes> shards) {
  return chooseForShards(group, shards, CollectiveKind::ReduceScatter);
}

Choice hetero::cost::chooseAllToAll(const Group &group, ArrayRef<Bytes> sent,
                                    ArrayRef<Bytes> received) {
  Bytes total;
  for (Bytes bytes : sent)
    total += bytes;
  if (std::optional<Time> time =
          measuredTime(group, CollectiveKind::AllToAll, total))
    return {Algorithm::Ring, *time};
  return {Algorithm::Ring, allToAllTime(group, sent, received)};
}
