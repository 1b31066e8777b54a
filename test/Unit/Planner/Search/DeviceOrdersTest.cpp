//===- DeviceOrdersTest.cpp - Tests of lines of devices -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/DeviceOrders.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;
using Line = std::vector<int64_t>;

static Line sorted(Line line) {
  llvm::sort(line);
  return line;
}

static std::vector<Line> makeRuns(int64_t count) {
  std::vector<Line> runs;
  for (int64_t i = 0; i < count; ++i)
    runs.push_back({2 * i, 2 * i + 1});
  return runs;
}

static Line join(const std::vector<Line> &runs, const Line &permutation) {
  Line line;
  for (int64_t index : permutation)
    line.insert(line.end(), runs[index].begin(), runs[index].end());
  return line;
}

TEST(DeviceOrdersTest, runsAreOfOneClassAndNode) {
  for (int64_t i = 0, cases = numRandomCases(100); i < cases; ++i) {
    std::mt19937 random(i);
    Cluster cluster = makeRandomCluster(random, 12);
    Line devices = cluster.availableDevices(), all;
    std::set<std::pair<int64_t, int64_t>> kinds;
    for (const Line &run : findRuns(cluster, devices, /*mostByNode=*/100)) {
      const cluster::Device &first = cluster.devices[run.front()];
      EXPECT_TRUE(kinds.insert({first.node, first.deviceClass}).second);
      for (int64_t device : run) {
        EXPECT_EQ(cluster.devices[device].node, first.node);
        EXPECT_EQ(cluster.devices[device].deviceClass, first.deviceClass);
        all.push_back(device);
      }
    }
    EXPECT_EQ(sorted(all), devices) << "case " << i;
    // No node is in a site, so that one run for each class is left.
    std::set<int64_t> classes;
    for (int64_t device : devices)
      classes.insert(cluster.devices[device].deviceClass);
    EXPECT_EQ(findRuns(cluster, devices, /*mostByNode=*/0).size(),
              classes.size());
  }
}

TEST(DeviceOrdersTest, fewRunsHaveAllPermutations) {
  for (int64_t count = 1; count <= 5; ++count) {
    std::vector<Line> runs = makeRuns(count);
    std::set<Line> expected;
    Line permutation;
    for (int64_t i = 0; i < count; ++i)
      permutation.push_back(i);
    Line first = join(runs, permutation);
    do
      expected.insert(join(runs, permutation));
    while (std::next_permutation(permutation.begin(), permutation.end()));
    std::vector<Line> lines = permuteRuns(runs, 1000);
    EXPECT_EQ(std::set<Line>(lines.begin(), lines.end()), expected);
    EXPECT_EQ(lines.size(), expected.size());
    EXPECT_EQ(lines.front(), first);
    EXPECT_EQ(permuteRuns(runs, 2).size(), std::min<size_t>(2, lines.size()));
  }
}

TEST(DeviceOrdersTest, manyRunsHaveRotationsAndExchanges) {
  std::vector<Line> runs = makeRuns(6), lines = permuteRuns(runs, 1000);
  std::set<Line> distinct(lines.begin(), lines.end());
  EXPECT_EQ(distinct.size(), lines.size());
  // The reverse, 5 rotations, 15 exchanges, and the runs as they are.
  EXPECT_EQ(lines.size(), 22u);
  EXPECT_EQ(lines[1], join(runs, {5, 4, 3, 2, 1, 0}));
  EXPECT_TRUE(distinct.count(join(runs, {2, 3, 4, 5, 0, 1})));
  EXPECT_TRUE(distinct.count(join(runs, {0, 4, 2, 3, 1, 5})));
}

TEST(DeviceOrdersTest, mixedLinesTakeRunsApart) {
  std::mt19937 random(5);
  for (int64_t i = 0, cases = numRandomCases(100); i < cases; ++i) {
    Cluster cluster = makeRandomCluster(random, 12);
    Line devices = cluster.availableDevices();
    std::vector<Line> runs = findRuns(cluster, devices, 0);
    std::vector<Line> lines = mixRuns(cluster, runs);
    if (runs.size() < 2) {
      EXPECT_TRUE(lines.empty());
      continue;
    }
    for (const Line &line : lines)
      EXPECT_EQ(sorted(line), devices) << "case " << i;
    // After the interleaved line one for each run of several devices, which
    // has both ends.
    std::vector<Line> expected;
    for (const Line &run : runs)
      if (run.size() > 1)
        expected.push_back(run);
    ASSERT_EQ(lines.size(), 1 + expected.size());
    for (size_t number = 0; number < expected.size(); ++number) {
      const Line &line = lines[number + 1], &run = expected[number];
      EXPECT_EQ(line.front(), run.front());
      EXPECT_EQ(line.back(), run.back());
    }
  }
}

/// Whether each pair of places has devices of the same classes with the same
/// path between them.
static bool areAlike(const Cluster &cluster, const Line &left,
                     const Line &right) {
  auto pathOf = [&](int64_t from, int64_t to) {
    const cluster::Path &path =
        cluster.paths[cluster.devices[from].node * cluster.nodes.size() +
                      cluster.devices[to].node];
    bool isInNode = cluster.devices[from].node == cluster.devices[to].node;
    return std::tuple(isInNode, path.bandwidth, path.latency, path.shared);
  };
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t j = 0; j < left.size(); ++j)
      if (cluster.devices[left[i]].deviceClass !=
              cluster.devices[right[i]].deviceClass ||
          pathOf(left[i], left[j]) != pathOf(right[i], right[j]))
        return false;
  return true;
}

TEST(DeviceOrdersTest, linesThatAreAlikeAreLeftOut) {
  int64_t fewer = 0, cases = numRandomCases(60);
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(i);
    Problem problem = makeRandomProblem(random);
    Cluster cluster = makeRandomCluster(random, 5);
    Line line = cluster.availableDevices();
    std::vector<Line> lines;
    do
      lines.push_back(line);
    while (std::next_permutation(line.begin(), line.end()));
    std::vector<size_t> expected;
    for (size_t index = 0; index < lines.size(); ++index)
      if (llvm::none_of(expected, [&](size_t other) {
            return areAlike(cluster, lines[other], lines[index]);
          }))
        expected.push_back(index);
    EXPECT_EQ(findDifferent(problem, cluster, lines), expected) << "case " << i;
    fewer += expected.size() < lines.size();
    // A pinned layer tells devices apart.
    problem.constraints.pins.push_back({0, std::nullopt, {line.front()}});
    EXPECT_EQ(findDifferent(problem, cluster, lines).size(), lines.size());
  }
  EXPECT_GT(fewer, cases / 2);
}

TEST(DeviceOrdersTest, positionsAreBetweenClassesAndNodesFirst) {
  for (int64_t i = 0, cases = numRandomCases(200); i < cases; ++i) {
    std::mt19937 random(i);
    Cluster cluster = makeRandomCluster(random, 12);
    Line line = cluster.availableDevices();
    int64_t size = line.size(), most = 2 + int64_t(random() % 12);
    std::vector<int64_t> positions = findPositions(cluster, line, most);
    EXPECT_LE(int64_t(positions.size()), most);
    EXPECT_EQ(positions.front(), 0);
    EXPECT_EQ(positions.back(), size);
    for (size_t at = 1; at < positions.size(); ++at)
      EXPECT_LT(positions[at - 1], positions[at]) << "case " << i;
    if (most > size)
      EXPECT_EQ(int64_t(positions.size()), size + 1) << "case " << i;
    std::vector<int64_t> classes, nodes;
    for (int64_t at = 1; at < size; ++at) {
      const cluster::Device &before = cluster.devices[line[at - 1]];
      const cluster::Device &here = cluster.devices[line[at]];
      if (before.deviceClass != here.deviceClass)
        classes.push_back(at);
      else if (before.node != here.node)
        nodes.push_back(at);
    }
    if (int64_t(classes.size()) + 2 <= most)
      for (int64_t at : classes)
        EXPECT_TRUE(llvm::is_contained(positions, at)) << "case " << i;
    if (int64_t(classes.size() + nodes.size()) + 2 <= most)
      for (int64_t at : nodes)
        EXPECT_TRUE(llvm::is_contained(positions, at)) << "case " << i;
  }
}
