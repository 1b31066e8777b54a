//===- StateDivisionTest.cpp - Tests of state by memory -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/StateDivision.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;
using Parts = std::vector<int64_t>;

static int64_t sumOf(const Parts &parts) {
  return std::accumulate(parts.begin(), parts.end(), int64_t(0));
}

static Parts sorted(Parts parts) {
  llvm::sort(parts);
  return parts;
}

TEST(StateDivisionTest, evenPartsDifferByOneAndTheLargerComeFirst) {
  EXPECT_EQ(divideEvenly(7, 3), (Parts{3, 2, 2}));
  EXPECT_EQ(divideEvenly(0, 2), (Parts{0, 0}));
  EXPECT_EQ(divideEvenly(6, 3), (Parts{2, 2, 2}));
}

TEST(StateDivisionTest, fillsWhoHasLittleRoom) {
  EXPECT_EQ(fillFree(700, {80, 400, 680}), (Parts{80, 310, 310}));
  EXPECT_EQ(fillFree(3, {}), Parts());
}

/// Of all divisions of `amount` within `free` the one whose smallest part is
/// largest, and then the next one, and so on.
static Parts divideFairly(int64_t amount, const Parts &free) {
  Parts best, parts(free.size(), 0);
  std::function<void(size_t, int64_t)> visit = [&](size_t at, int64_t left) {
    if (at == free.size()) {
      if (left == 0 && (best.empty() || sorted(parts) > best))
        best = sorted(parts);
      return;
    }
    int64_t most = std::max<int64_t>(0, std::min(left, free[at]));
    for (parts[at] = 0; parts[at] <= most; ++parts[at])
      visit(at + 1, left - parts[at]);
  };
  visit(0, amount);
  return best;
}

TEST(StateDivisionTest, partsAreTheFairestThatFit) {
  std::mt19937 random(7);
  int64_t fitting = 0, cases = numRandomCases(500);
  for (int64_t i = 0; i < cases; ++i) {
    Parts free(1 + random() % 4);
    for (int64_t &room : free)
      room = int64_t(random() % 9) - 1;
    int64_t amount = random() % 14, room = 0;
    for (int64_t one : free)
      room += std::max<int64_t>(0, one);
    Parts parts = fillFree(amount, free);
    ASSERT_EQ(sumOf(parts), amount) << "case " << i;
    if (room >= amount) {
      ++fitting;
      for (auto [part, own] : llvm::zip_equal(parts, free))
        EXPECT_LE(part, std::max<int64_t>(0, own)) << "case " << i;
      EXPECT_EQ(sorted(parts), divideFairly(amount, free)) << "case " << i;
      continue;
    }
    // Everyone is short of the same.
    Parts beyond;
    for (auto [part, own] : llvm::zip_equal(parts, free))
      beyond.push_back(part - std::max<int64_t>(0, own));
    EXPECT_EQ(sorted(beyond), sorted(divideEvenly(amount - room, free.size())))
        << "case " << i;
  }
  EXPECT_GT(fitting, cases / 4);
  EXPECT_LT(fitting, cases);
}

/// Whether the memory of all devices of a stage suffices.
static bool fits(const StageModel &model, const Stage &stage,
                 StagePlace place) {
  for (auto [number, device] : llvm::enumerate(stage.mesh.devices))
    if (model.memoryUse(stage, place, number).total() >
        model.cluster.classes[model.cluster.devices[device].deviceClass]
            .usableMemory())
      return false;
  return true;
}

TEST(StateDivisionTest, limitIsTheMostInFlightThatFits) {
  int64_t some = 0, none = 0, all = 0;
  for (int64_t i = 0, cases = numRandomCases(400); i < cases; ++i) {
    std::mt19937 random(i);
    Problem problem = makeRandomProblem(random, 5, 12);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/true);
    PlannerOptions options;
    PlanBuilder builder(problem, cluster, options);
    StageChoice choice;
    choice.layers = {0, int64_t(problem.layers.size()) - 1};
    choice.devices = cluster.availableDevices();
    choice.state = options.stateModes[random() % 4];
    choice.recompute = random() % 2;
    Division division = random() % 2 ? Division::Even : Division::Proportional;
    int64_t count = 1 + random() % problem.batch;
    StagePlace place{random() % 2 == 0, random() % 2 == 0, count};
    Stage stage = builder.makeStage(
        choice, place, {(problem.batch + count - 1) / count}, count, division);
    StateDivision state(builder.model, stage, place, division);
    int64_t limit = state.limit(), most = 0;
    bool isAlone = false;
    for (int64_t inFlight = 1; inFlight <= count; ++inFlight) {
      state.apply(inFlight);
      EXPECT_EQ(stage.inFlight, inFlight);
      if (fits(builder.model, stage, place))
        most = inFlight;
      else
        EXPECT_GT(inFlight, limit) << "case " << i;
      // Who comes to hold all parameters needs no room to gather them.
      Bytes all = builder.model.columnState(stage.layers, 1).total();
      for (const DeviceShare &share : stage.shares)
        isAlone |= (choice.state == StateMode::Full ||
                    choice.state == StateMode::Node) &&
                   share.state == all;
    }
    if (!isAlone)
      EXPECT_EQ(limit, most) << "case " << i;
    (limit == 0 ? none : limit == count ? all : some) += 1;
  }
  EXPECT_GT(none, 0);
  EXPECT_GT(some, 0);
  EXPECT_GT(all, 0);
}
