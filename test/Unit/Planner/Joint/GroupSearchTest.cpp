//===- GroupSearchTest.cpp - Regular designs ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Joint/GroupSearch.h"
#include "Planner/RandomProblems.h"
#include "hetero/Planner/Joint/NodeSearch.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Plan/PlannerOptions.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// Checks that the designs come in order, and that each covers all layers in
/// order, with each device at most once and whole rows inside of one node and
/// class.
static void expectComplete(const Problem &problem,
                           const cluster::Cluster &cluster,
                           ArrayRef<GroupDesign> designs) {
  double before = 0;
  for (const GroupDesign &entry : designs) {
    EXPECT_LE(before, entry.seconds);
    before = entry.seconds;
    int64_t next = 0;
    std::set<int64_t> used;
    for (const StageChoice &stage : entry.design.stages) {
      EXPECT_EQ(stage.layers.first, next);
      EXPECT_GE(stage.layers.last, next);
      next = stage.layers.last + 1;
      ASSERT_EQ(stage.devices.size() % stage.tensor, 0u);
      for (auto [number, device] : enumerate(stage.devices)) {
        EXPECT_TRUE(used.insert(device).second);
        int64_t first = stage.devices[number / stage.tensor * stage.tensor];
        EXPECT_EQ(cluster.devices[device].node, cluster.devices[first].node);
        EXPECT_EQ(cluster.devices[device].deviceClass,
                  cluster.devices[first].deviceClass);
      }
    }
    EXPECT_EQ(next, int64_t(problem.layers.size()));
  }
}

TEST(GroupSearchTest, designsAreComplete) {
  std::mt19937 random(7);
  int64_t found = 0, foundOfNodes = 0;
  for (int i = 0; i < 60; ++i) {
    cluster::Cluster cluster = makeRandomCluster(random, 16);
    Problem problem = makeRandomProblem(random, 6, 12);
    PlannerOptions options;
    PlanBuilder builder(problem, cluster, options);
    std::vector<std::vector<int64_t>> microbatches = microbatchOptions(problem);
    std::vector<size_t> searched;
    for (size_t index = 0; index < microbatches.size(); ++index)
      searched.push_back(index);
    std::vector<int64_t> devices = usableDevices(problem, cluster);
    std::vector<GroupDesign> regular = searchGroups(
        builder, devices, microbatches, searched, /*mostOrders=*/6);
    expectComplete(problem, cluster, regular);
    found += regular.size();
    double most = std::numeric_limits<double>::infinity();
    std::vector<GroupDesign> whole = searchNodes(
        builder, devices, microbatches, searched, /*mostOrders=*/6, most);
    expectComplete(problem, cluster, whole);
    foundOfNodes += whole.size();
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(foundOfNodes, 100);
}
