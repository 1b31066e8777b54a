//===- CostModelTest.cpp - Tests of the cost model ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/CostModel/CostModel.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;
using namespace hetero::cost;
using hetero::cluster::Cluster;
using hetero::cluster::DeviceClass;

static constexpr int64_t us = 1000000, ms = 1000 * us;

static DeviceClass makeClass() {
  DeviceClass result;
  result.name = "test";
  result.memory = Bytes(1 << 30);
  result.peak = {{"f32", Speed(1000000000)}, {"f16", Speed(4000000000)}};
  result.bandwidth = Bandwidth(1000000000);
  result.overhead = Time(us);
  return result;
}

/// `nodes` nodes with `devices` each.
static Cluster makeCluster(int nodes, int devices, bool shared = false) {
  Cluster result;
  result.classes.push_back(makeClass());
  for (int i = 0; i < nodes; ++i) {
    cluster::Node node;
    node.name = "n" + std::to_string(i);
    node.groups.push_back({devices, 0});
    node.link = cluster::Link{cluster::LinkKind::Pcie, Bandwidth(10000000000),
                              Time(us), shared};
    result.nodes.push_back(node);
  }
  cluster::Switch lan;
  lan.name = "lan";
  lan.link = {cluster::LinkKind::Ethernet, Bandwidth(1000000000), Time(5 * us),
              false};
  for (int i = 0; i < nodes; ++i)
    lan.members.push_back(i);
  if (nodes > 1)
    result.switches.push_back(lan);
  llvm::cantFail(result.finish());
  return result;
}

TEST(CostModelTest, rooflineIsTheSlowerSide) {
  DeviceClass device = makeClass();
  Operations operations;
  operations.work["f32"] = Work(2000000);
  operations.bytes = Bytes(1000000);
  operations.count = 3;
  EXPECT_EQ(operationTime(device, operations), Time(2 * ms + 3 * us));
  operations.bytes = Bytes(5000000);
  EXPECT_EQ(operationTime(device, operations), Time(5 * ms + 3 * us));
  operations.bytes = Bytes(0);
  operations.work = {{"f16", Work(4000000)}, {"f32", Work(1000000)}};
  EXPECT_EQ(operationTime(device, operations), Time(2 * ms + 3 * us));
  EXPECT_EQ(operationBound(device, operations), Time(2 * ms));
}

TEST(CostModelTest, timeDoesNotFallWithWork) {
  DeviceClass device = makeClass();
  device.efficiency = {{Work(1000), Share(10000)},
                       {Work(100000), Share(500000)},
                       {Work(10000000), Share(800000)}};
  Time last;
  for (int64_t work = 1; work < 100000000; work += 1 + work / 7) {
    Operations operations;
    operations.work["f32"] = Work(work);
    Time time = operationTime(device, operations);
    EXPECT_GE(time, last) << work;
    EXPECT_GE(time, operationBound(device, operations));
    last = time;
  }
}

TEST(CostModelTest, collectives) {
  Group group;
  group.members = 3;
  group.bandwidth = Bandwidth(1000000000);
  group.latency = Time(10 * us);
  std::vector<Bytes> uneven = {Bytes(1000000), Bytes(1000000), Bytes(10000000)};
  EXPECT_EQ(allGatherTime(group, uneven, Algorithm::Padded),
            Time(20 * ms + 20 * us));
  EXPECT_EQ(allGatherTime(group, uneven, Algorithm::Grouped),
            Time(13 * ms + 800 * us));
  EXPECT_EQ(chooseAllGather(group, uneven).algorithm, Algorithm::Grouped);
  std::vector<Bytes> small = {Bytes(10), Bytes(10), Bytes(11)};
  EXPECT_EQ(chooseAllGather(group, small).algorithm, Algorithm::Padded);
  // The busiest member decides, whichever way its bytes go.
  EXPECT_EQ(allToAllTime(group, {Bytes(1000), Bytes(3000000), Bytes(0)}, small),
            Time(3 * ms + 20 * us));
  EXPECT_EQ(allToAllTime(group, small, {Bytes(0), Bytes(0), Bytes(5000000)}),
            Time(5 * ms + 20 * us));
  EXPECT_EQ(allToAllTime(Group(), uneven, uneven), Time(0));
  std::vector<Bytes> even(3, Bytes(4000000));
  EXPECT_EQ(chooseAllGather(group, even).algorithm, Algorithm::Ring);
  EXPECT_EQ(allReduceTime(group, Bytes(12000000), Algorithm::Ring),
            Time(16 * ms + 40 * us));
  EXPECT_EQ(chooseAllReduce(group, Bytes(12000000)).algorithm, Algorithm::Ring);
  group.members = 16;
  EXPECT_EQ(chooseAllReduce(group, Bytes(4)).algorithm, Algorithm::Tree);
  group.members = 1;
  EXPECT_EQ(chooseAllReduce(group, Bytes(4)).time, Time(0));
}

TEST(CostModelTest, groupsSeeTheirSlowestPart) {
  Cluster cluster = makeCluster(2, 4);
  Group inside = makeGroup(cluster, {0, 1, 2});
  EXPECT_EQ(inside.bandwidth, Bandwidth(10000000000));
  EXPECT_EQ(inside.nodes, 1);
  Group across = makeGroup(cluster, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(across.bandwidth, Bandwidth(1000000000));
  EXPECT_EQ(across.latency, Time(10 * us));
  EXPECT_EQ(across.nodes, 2);
  EXPECT_EQ(across.mostInNode, 4);
  EXPECT_EQ(across.fewestInNode, 2);
  // Across slow links, a hierarchy saves latency.
  EXPECT_EQ(chooseAllReduce(makeGroup(cluster, {0, 1, 2, 3, 4, 5, 6, 7}),
                            Bytes(100000))
                .algorithm,
            Algorithm::Hierarchical);
  // Four pairs of neighbours on one bus.
  Group bus = makeGroup(makeCluster(1, 4, /*shared=*/true), {0, 1, 2, 3});
  EXPECT_EQ(bus.bandwidth, Bandwidth(2500000000));
}

TEST(CostModelTest, groupsShareWhatLeadsOutOfNodes) {
  Cluster cluster = makeCluster(2, 4);
  // Two columns between the nodes have half of the network each.
  Group half = makeGroup(cluster, {0, 4}, /*alike=*/2);
  EXPECT_EQ(half.networkBandwidth, Bandwidth(500000000));
  std::vector<Group> groups = makeGroups(cluster, {{0, 4}, {1, 5}});
  EXPECT_EQ(groups[0].bandwidth, half.bandwidth);
  EXPECT_EQ(groups[1].bandwidth, half.bandwidth);
  // Inside of the nodes each has its own way.
  groups = makeGroups(cluster, {{0, 1}, {2, 3}, {4, 5}});
  for (const Group &group : groups)
    EXPECT_EQ(group.bandwidth, Bandwidth(10000000000));
  // One that leaves a node does not disturb those that do not.
  groups = makeGroups(cluster, {{0, 4}, {1, 2}});
  EXPECT_EQ(groups[0].bandwidth, Bandwidth(1000000000));
  EXPECT_EQ(groups[1].bandwidth, Bandwidth(10000000000));
  // A bus is for all of them.
  Cluster bus = makeCluster(1, 4, /*shared=*/true);
  groups = makeGroups(bus, {{0, 1}, {2, 3}});
  EXPECT_EQ(groups[0].bandwidth, Bandwidth(2500000000));
}

TEST(CostModelTest, memoryNamesTheLargestFirst) {
  MemoryUse use;
  use.state = Bytes(1024);
  use.activations = Bytes(4096);
  EXPECT_EQ(use.total(), Bytes(5120));
  EXPECT_EQ(use.str(), "activations 4 KiB, state 1 KiB");
}

TEST(CostModelTest, figuresAreRead) {
  EXPECT_EQ(costFigures().uneven, Share(1250000));
  EXPECT_EQ(costFigures().parked, 2);
}

/// Random groups and tensors: what every formula must satisfy.
TEST(CostModelTest, collectivesAreMonotoneAndNotFasterThanTheirBytes) {
  std::mt19937 random(11);
  for (int i = 0; i < 500; ++i) {
    Group group;
    group.members = 2 + random() % 15;
    group.bandwidth = Bandwidth(1 + random() % 1000000000);
    group.latency = Time(random() % (100 * us));
    std::vector<Bytes> shards, more;
    Bytes total, largest;
    for (int64_t m = 0; m < group.members; ++m) {
      shards.emplace_back(random() % 10000000);
      more.push_back(shards.back() + Bytes(random() % 1000000));
      total += shards.back();
      largest = std::max(largest, shards.back());
    }
    Bytes bytes(random() % 100000000), larger = bytes + Bytes(random() % 1000);
    // Every member sends and receives all but its own part, twice.
    Time bound =
        (bytes - Bytes(bytes.count() / group.members)) / group.bandwidth * 2;
    for (Algorithm algorithm : {Algorithm::Ring, Algorithm::Tree}) {
      EXPECT_GE(allReduceTime(group, bytes, algorithm), bound);
      EXPECT_LE(allReduceTime(group, bytes, algorithm),
                allReduceTime(group, larger, algorithm));
    }
    for (Algorithm algorithm : {Algorithm::Padded, Algorithm::Grouped}) {
      EXPECT_GE(allGatherTime(group, shards, algorithm),
                (total - largest) / group.bandwidth);
      EXPECT_LE(allGatherTime(group, shards, algorithm),
                allGatherTime(group, more, algorithm));
    }
    EXPECT_GE(allToAllTime(group, shards, shards), largest / group.bandwidth);
    EXPECT_LE(allToAllTime(group, shards, shards),
              allToAllTime(group, more, shards));
    EXPECT_LE(chooseAllGather(group, shards).time,
              allGatherTime(group, shards, Algorithm::Padded));
    EXPECT_EQ(chooseAllGather(group, shards).time,
              chooseReduceScatter(group, shards).time);
  }
}

TEST(CostModelTest, ringsGoThroughNodesInWhateverOrder) {
  Cluster cluster = makeCluster(2, 4);
  std::vector<int64_t> sorted(8), mixed;
  for (int64_t device = 0; device < 8; ++device)
    sorted[device] = device;
  for (int64_t device = 0; device < 4; ++device)
    mixed.insert(mixed.end(), {device, device + 4});
  for (Bytes bytes : {Bytes(1000), Bytes(400000000)})
    EXPECT_EQ(chooseAllReduce(makeGroup(cluster, sorted), bytes).time,
              chooseAllReduce(makeGroup(cluster, mixed), bytes).time);
}

TEST(CostModelTest, nothingTakesNoTime) {
  Group group = makeGroup(makeCluster(2, 4), {0, 1, 4, 5});
  EXPECT_EQ(chooseAllReduce(group, Bytes(0)).time, Time(0));
  std::vector<Bytes> none(4);
  EXPECT_EQ(chooseAllGather(group, none).time, Time(0));
  EXPECT_EQ(chooseReduceScatter(group, none).time, Time(0));
}

TEST(CostModelTest, measuredTimesTakeThePlaceOfFormulas) {
  Cluster cluster = makeCluster(2, 4);
  cluster::MeasuredCollective measured;
  measured.kind = cluster::CollectiveKind::AllReduce;
  measured.members = 4;
  measured.points = {{Bytes(1000), Time(100)}, {Bytes(2000), Time(300)}};
  cluster.collectives.push_back(measured);
  measured.deviceClass = 0;
  measured.points = {{Bytes(1000), Time(7)}};
  cluster.collectives.push_back(measured);
  llvm::cantFail(cluster.finish());
  // What was measured for the class comes first.
  Group inside = makeGroup(cluster, {0, 1, 2, 3});
  EXPECT_EQ(chooseAllReduce(inside, Bytes(1000)).time, Time(7));
  EXPECT_EQ(chooseAllReduce(inside, Bytes(2000)).time, Time(14));
  cluster.collectives.pop_back();
  inside = makeGroup(cluster, {0, 1, 2, 3});
  EXPECT_EQ(chooseAllReduce(inside, Bytes(1)).time, Time(100));
  EXPECT_EQ(chooseAllReduce(inside, Bytes(1500)).time, Time(200));
  EXPECT_EQ(chooseAllReduce(inside, Bytes(3000)).time, Time(500));
  // Nothing was measured for other groups.
  EXPECT_GT(chooseAllReduce(makeGroup(cluster, {0, 1, 4, 5}), Bytes(1000)).time,
            Time(us));
}

TEST(CostModelTest, measuredTimesNeverFall) {
  std::mt19937 random(12);
  for (int i = 0; i < 200; ++i) {
    std::vector<cluster::CollectivePoint> points;
    int64_t bytes = 0;
    for (unsigned p = 0; p < 1 + random() % 5; ++p)
      points.push_back(
          {Bytes(bytes += 1 + random() % 1000), Time(random() % 100000)});
    Time last;
    for (int64_t at = 0; at < bytes + 500; at += 1 + random() % 20) {
      Time time = interpolate(points, Bytes(at));
      EXPECT_GE(time, last);
      last = time;
    }
  }
}

TEST(CostModelTest, activationsAreKeptComputedAgainOrParked) {
  Activations one{Bytes(100), Bytes(10), Bytes(30)};
  EXPECT_EQ(activationUse(one, 4, false, false).device, Bytes(400));
  EXPECT_EQ(activationUse(one, 4, true, false).device, Bytes(40 + 30));
  EXPECT_EQ(activationUse(one, 4, false, true).device, Bytes(200));
  EXPECT_EQ(activationUse(one, 4, false, true).host, Bytes(400));
  EXPECT_EQ(activationUse(one, 1, true, true).device, Bytes(10 + 30));
  EXPECT_EQ(activationUse(one, 1, true, true).host, Bytes(10));
}
