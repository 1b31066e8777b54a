//===- DeviceSetsTest.cpp - Which devices run one program -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/DeviceSets.h"
#include "Planner/RandomGraphs.h"
#include "RandomCases.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Planner/Spmd/SpmdCost.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

using DeviceSet = std::vector<int64_t>;

static cluster::Cluster readExample(StringRef name) {
  return cantFail(cluster::readClusterFile(
      (HETERO_EXAMPLES "/clusters/" + name + ".yaml").str()));
}

static cluster::Cluster readText(StringRef text) {
  return cantFail(cluster::readCluster(MemoryBufferRef(text, "test")));
}

static DeviceSet range(int64_t begin, int64_t end) {
  DeviceSet set;
  for (int64_t device = begin; device < end; ++device)
    set.push_back(device);
  return set;
}

static DeviceSet join(DeviceSet left, const DeviceSet &right) {
  append_range(left, right);
  return left;
}

/// Two dense layers with their gradients and updates. However they are divided,
/// something has to be exchanged.
static Graph makeDense(int64_t batch, int64_t width) {
  GraphBuilder builder;
  builder.graph.batch = batch;
  int64_t at = builder.argument({batch, width}, ArgumentRole::Batch);
  for (int layer = 0; layer < 2; ++layer) {
    int64_t weight = builder.argument({width, width}, ArgumentRole::Parameter);
    int64_t output = builder.unary(builder.dot(at, weight));
    int64_t gradient = builder.dot(at, output, /*transposeLhs=*/true);
    builder.update(weight, builder.elementwise(weight, gradient, true));
    at = output;
  }
  builder.result(builder.reduce(builder.reduce(at, ReductionKind::Sum),
                                ReductionKind::Sum));
  return std::move(builder.graph);
}

/// 64 experts of two products each: tokens go to the experts and back, and the
/// experts are updated.
static Graph makeMixture() {
  StringRef text = R"(
batch: 4096
tensors:
  - {name: "tokens", dims: [4096, 1024], bytes: 16 MiB}
  - {name: "routes", dims: [4096, 64, 64], bytes: 64 MiB}
  - {name: "up", dims: [64, 1024, 2048], bytes: 512 MiB}
  - {name: "down", dims: [64, 2048, 1024], bytes: 512 MiB}
  - {name: "sent", dims: [64, 64, 1024], bytes: 16 MiB}
  - {name: "hidden", dims: [64, 64, 2048], bytes: 32 MiB}
  - {name: "out", dims: [64, 64, 1024], bytes: 16 MiB}
  - {name: "back", dims: [4096, 1024], bytes: 16 MiB}
  - {name: "upGradient", dims: [64, 1024, 2048], bytes: 512 MiB}
  - {name: "downGradient", dims: [64, 2048, 1024], bytes: 512 MiB}
  - {name: "nextUp", dims: [64, 1024, 2048], bytes: 512 MiB}
  - {name: "nextDown", dims: [64, 2048, 1024], bytes: 512 MiB}
arguments:
  - {tensor: 0, role: batch}
  - {tensor: 1, role: batch}
  - {tensor: 2, role: parameter, next: 10}
  - {tensor: 3, role: parameter, next: 11}
operations:
  - {name: "dot", operands: [0, 1], results: [4], rule: "sd,sec->ecd", sum: "s", linear: [[0], [1]], work: {f32: 34 GFLOP}, bytes: 96 MiB}
  - {name: "dot", operands: [4, 2], results: [5], rule: "ecd,edf->ecf", sum: "d", linear: [[0], [1]], work: {f32: 17 GFLOP}, bytes: 560 MiB}
  - {name: "dot", operands: [5, 3], results: [6], rule: "ecf,efd->ecd", sum: "f", linear: [[0], [1]], work: {f32: 17 GFLOP}, bytes: 560 MiB}
  - {name: "dot", operands: [6, 1], results: [7], rule: "ecd,sec->sd", sum: "ec", linear: [[0], [1]], work: {f32: 34 GFLOP}, bytes: 96 MiB}
  - {name: "dot", operands: [4, 5], results: [8], rule: "ecd,ecf->edf", sum: "c", linear: [[0], [1]], work: {f32: 17 GFLOP}, bytes: 560 MiB}
  - {name: "dot", operands: [5, 6], results: [9], rule: "ecf,ecd->efd", sum: "c", linear: [[0], [1]], work: {f32: 17 GFLOP}, bytes: 560 MiB}
  - {name: "subtract", operands: [2, 8], results: [10], rule: "edf,edf->edf", linear: [[0, 1]], work: {f32: 134 MFLOP}, bytes: 1536 MiB}
  - {name: "subtract", operands: [3, 9], results: [11], rule: "efd,efd->efd", linear: [[0, 1]], work: {f32: 134 MFLOP}, bytes: 1536 MiB}
results: [7]
)";
  return cantFail(readGraph(MemoryBufferRef(text, "mixture")));
}

TEST(DeviceSetsTest, HasTheSetsOfTheExample) {
  cluster::Cluster cluster = readExample("aws-16");
  DeviceSet a10g = range(0, 4), v100 = range(4, 12), t4 = range(12, 16);
  std::vector<DeviceSet> sets =
      getDeviceSets(makeDense(4096, 4096), cluster, cluster.availableDevices());
  ASSERT_EQ(sets.size(), 8u);
  EXPECT_EQ(sets[0], range(0, 16));
  EXPECT_EQ(sets[1], join(a10g, v100));
  EXPECT_EQ(sets[2], a10g);
  EXPECT_EQ(sets.back(), DeviceSet{0});
  for (const DeviceSet &set : {v100, t4, join(v100, t4), join(a10g, t4)})
    EXPECT_EQ(count(sets, set), 1);
  // All of its links are the fastest.
  EXPECT_EQ(sets[3], v100);
}

TEST(DeviceSetsTest, AreFewAndDifferent) {
  Graph graph = makeDense(4096, 4096);
  for (StringRef name : {"aws", "desk", "harp", "hap", "lab-8", "sites",
                         "single", "thousand", "workstations"}) {
    cluster::Cluster cluster = readExample(name);
    DeviceSet all = cluster.availableDevices();
    std::vector<DeviceSet> sets = getDeviceSets(graph, cluster, all);
    ASSERT_FALSE(sets.empty());
    EXPECT_LE(sets.size(), 24u) << name.str();
    EXPECT_EQ(sets.front(), all) << name.str();
    EXPECT_EQ(sets.back().size(), 1u) << name.str();
    for (const DeviceSet &set : sets) {
      EXPECT_TRUE(is_sorted(set)) << name.str();
      EXPECT_EQ(count(sets, set), 1) << name.str();
    }
    EXPECT_EQ(sets, getDeviceSets(graph, cluster, all)) << name.str();
  }
  Problem problem;
  problem.constraints.forbiddenDevices = {0, 2};
  cluster::Cluster desk = readExample("desk");
  EXPECT_EQ(getDeviceSets(graph, desk, usableDevices(problem, desk)).front(),
            (DeviceSet{1, 3}));
  problem.constraints.forbiddenDevices = desk.availableDevices();
  EXPECT_TRUE(getDeviceSets(graph, desk, usableDevices(problem, desk)).empty());
}

/// The faster devices are on a slow network, the slower ones in one node.
TEST(DeviceSetsTest, FindsTheClassWithFastLinks) {
  cluster::Cluster cluster = readText(R"(
name: pair
nodes:
  - {name: a, devices: [a100-40], count: 4}
  - name: v
    devices: [8 x v100-16]
    link: {kind: nvlink, bandwidth: 150 GB/s, latency: 3 us}
switches:
  - {name: net, joins: [a, v], link: {bandwidth: 1 Gb/s, latency: 50 us}}
)");
  Graph graph = makeDense(32768, 8192);
  std::vector<DeviceSet> sets =
      getDeviceSets(graph, cluster, cluster.availableDevices());
  std::vector<DeviceProgram> programs = solvePrograms(graph, cluster, sets);
  ASSERT_FALSE(programs.empty());
  EXPECT_EQ(programs.front().devices, range(4, 12));
  EXPECT_TRUE(programs.front().solution.proven);
  // All devices, and the fastest alone, would be slower.
  for (const DeviceSet &set : {range(0, 12), range(0, 4), DeviceSet{0}})
    EXPECT_GT(cantFail(synthesize(graph, cluster, set)).time(),
              programs.front().solution.time());
}

TEST(DeviceSetsTest, RunsExpertsWhereLinksAreFast) {
  cluster::Cluster cluster = readExample("aws-16");
  Graph graph = makeMixture();
  std::vector<DeviceSet> sets =
      getDeviceSets(graph, cluster, cluster.availableDevices());
  std::vector<DeviceProgram> programs = solvePrograms(graph, cluster, sets);
  ASSERT_GE(programs.size(), 2u);
  EXPECT_EQ(programs[0].devices, range(4, 12));
  EXPECT_LT(programs[0].solution.time(), 0.9 * programs[1].solution.time());
  // Experts are divided, not summed.
  const SpmdProgram &program = programs[0].solution.program;
  for (int argument : {2, 3})
    EXPECT_TRUE(form::isSplit(program.stored[argument]));
}

/// What `below` leaves out is exactly what takes as long: bounds are bounds.
TEST(DeviceSetsTest, LeavesOutOnlyWhatTakesTooLong) {
  std::mt19937 random(7);
  int left = 0, found = 0;
  for (int trial = 0; trial < numRandomCases(30); ++trial) {
    Graph graph = makeRandomGraph(random, 4);
    // From much too little work for several devices to enough for all.
    auto scale = int64_t(std::pow(10, 3 + random() % 5));
    for (GraphOp &op : graph.operations)
      for (auto &[type, work] : op.work)
        work = work * scale;
    std::string text =
        "name: test\nnodes:\n  - {name: a, devices: [" +
        std::to_string(1 + random() % 3) +
        " x v100-16], link: {kind: nvlink, bandwidth: 150 GB/s, latency: "
        "1 us}}\n  - {name: b, devices: [" +
        std::to_string(1 + random() % 3) +
        " x p100], count: 2, link: {kind: pcie, bandwidth: 12 GB/s, latency: "
        "1 us}}\nswitches:\n  - {name: net, joins: [a, b], link: {bandwidth: " +
        std::to_string(1 + random() % 100) + " Gb/s, latency: 1 us}}\n";
    cluster::Cluster cluster = readText(text);
    std::vector<DeviceSet> sets =
        getDeviceSets(graph, cluster, cluster.availableDevices());
    std::vector<double> times;
    double alone = 0;
    for (const DeviceSet &set : sets) {
      times.push_back(cantFail(synthesize(graph, cluster, set)).time());
      if (set.size() == 1)
        alone = times.back();
    }
    SpmdOptions options;
    if (trial % 3)
      options.below = times[random() % times.size()] * (trial % 2 ? 1 : 1.001);
    double below = std::min(alone, options.below.value_or(alone));
    std::vector<double> expected;
    for (auto [set, time] : zip_equal(sets, times))
      if (set.size() == 1 ? !options.below || time < *options.below
                          : time < below)
        expected.push_back(time);
    llvm::sort(expected);
    std::vector<double> solved;
    for (const DeviceProgram &program :
         solvePrograms(graph, cluster, sets, options))
      solved.push_back(program.solution.time());
    EXPECT_EQ(solved, expected) << "trial " << trial;
    found += solved.size();
    left += times.size() - solved.size();
  }
  EXPECT_GT(found, 0);
  EXPECT_GT(left, 0);
}
