//===- VerifyPlanTest.cpp - Tests that damaged plans are refused ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Plan/PlannerOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
/// A field of a plan with a wrong value.
struct Damage {
  std::string field;
  Plan plan;
};
} // namespace

/// Copies of `plan` with one field changed, each in all places.
static std::vector<Damage> damageAll(const Plan &plan, const Cluster &cluster) {
  int64_t numDevices = cluster.devices.size();
  std::vector<Damage> result;
  auto add = [&](const std::string &field, auto change) {
    Plan copy = plan;
    change(copy);
    result.push_back({field, std::move(copy)});
  };
  for (int64_t by : {-1, 1}) {
    add("batch", [=](Plan &p) { p.batch += by; });
    add("predicted", [=](Plan &p) { p.predicted += Time(by); });
    for (size_t i = 0; i < plan.microbatches.size(); ++i)
      add("microbatches", [=](Plan &p) { p.microbatches[i] += by; });
  }
  add("bound", [](Plan &p) { p.bound = p.predicted + Time(1); });
  add("bound", [](Plan &p) { p.bound = Time(-1); });
  add("microbatches", [](Plan &p) { p.microbatches.pop_back(); });
  add("microbatches", [](Plan &p) { p.microbatches.push_back(1); });
  add("stages", [](Plan &p) { p.stages.pop_back(); });
  add("stages", [](Plan &p) { p.stages.push_back(p.stages.back()); });
  add("limitedBy", [](Plan &p) { p.limitedBy.push_back({}); });
  add("limitedBy.kind", [](Plan &p) {
    p.limitedBy.front().kind = p.limitedBy.front().kind == ResourceKind::Memory
                                   ? ResourceKind::Latency
                                   : ResourceKind::Memory;
  });
  for (size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage &stage = plan.stages[s];
    auto at = [&](const std::string &field, auto change) {
      add(field, [=](Plan &p) { change(p.stages[s]); });
    };
    for (int64_t by : {-1, 1}) {
      at("layers.first", [=](Stage &x) { x.layers[0].first += by; });
      at("layers.last", [=](Stage &x) { x.layers.back().last += by; });
      at("mesh.data", [=](Stage &x) { x.mesh.data += by; });
      at("mesh.tensor", [=](Stage &x) { x.mesh.tensor += by; });
      // The first layer has no input to keep; and of several runs, those in
      // flight may keep as much as all of them together, one more or less.
      bool isRoundTrip = plan.schedule == ScheduleKind::Interleaved;
      if (!isRoundTrip && (!stage.recompute || stage.layers.back().last > 0))
        at("inFlight", [=](Stage &x) { x.inFlight += by; });
      for (Time Stage::*field :
           {&Stage::forward, &Stage::backward, &Stage::boundary,
            &Stage::boundaryGradient, &Stage::gather, &Stage::reduce,
            &Stage::update})
        at("time", [=](Stage &x) { x.*field += Time(by); });
      for (size_t size = 0; size < stage.samples.size(); ++size)
        for (size_t row = 0; row < stage.samples[size].size(); ++row)
          at("samples", [=](Stage &x) { x.samples[size][row] += by; });
      for (size_t d = 0; d < stage.shares.size(); ++d) {
        at("share.state", [=](Stage &x) { x.shares[d].state += Bytes(by); });
        at("share.memory", [=](Stage &x) { x.shares[d].memory += Bytes(by); });
        at("share.device", [=](Stage &x) { x.shares[d].device += by; });
      }
    }
    for (size_t d = 0; d < stage.shares.size(); ++d) {
      at("share.micro", [=](Stage &x) { x.shares[d].micro = 0; });
      at("mesh.devices", [=](Stage &x) { x.mesh.devices[d] = -1; });
      at("mesh.devices", [=](Stage &x) { x.mesh.devices[d] = numDevices; });
      for (size_t e = 0; e < stage.shares.size(); ++e)
        if (e != d)
          at("mesh.devices",
             [=](Stage &x) { x.mesh.devices[d] = x.mesh.devices[e]; });
    }
    int64_t most = plan.microbatches.size() * stage.layers.size();
    at("inFlight", [](Stage &x) { x.inFlight = 0; });
    at("inFlight", [=](Stage &x) { x.inFlight = most + 1; });
    at("samples", [](Stage &x) { x.samples.clear(); });
    at("shares", [](Stage &x) { x.shares.pop_back(); });
    at("layers", [](Stage &x) { x.layers.clear(); });
    // What is computed again takes time.
    if (stage.forward > Time(0))
      at("recompute", [](Stage &x) { x.recompute = !x.recompute; });
    // With one device, or nothing to divide, all ways to hold it are the same;
    // so are replicas and parts inside of nodes that have one device each.
    std::set<int64_t> nodes;
    for (int64_t device : stage.mesh.devices)
      nodes.insert(cluster.devices[device].node);
    bool alone = stage.state == StateMode::Node &&
                 nodes.size() == stage.mesh.devices.size();
    bool holds = llvm::any_of(stage.shares, [](const DeviceShare &share) {
      return share.state > Bytes(0);
    });
    if (stage.mesh.data > 1 && holds && !alone)
      at("state", [](Stage &x) {
        x.state = x.state == StateMode::Replicated ? StateMode::Full
                                                   : StateMode::Replicated;
      });
  }
  return result;
}

static std::string describe(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writePlan(plan, stream);
  return text;
}

TEST(VerifyPlanTest, eachDamagedFieldOfEachPlannerIsFound) {
  std::map<std::string, int> found, plans;
  for (int i = 0, cases = numRandomCases(12); i < cases; ++i) {
    std::mt19937 random(71000 + i);
    Problem problem = makeRandomProblem(random, 4, 6);
    Cluster cluster = makeRandomCluster(random, 4, i % 3 == 2);
    for (const PlannerEntry &entry : planners()) {
      llvm::Expected<Plan> plan = entry.plan(problem, cluster, {});
      if (!plan) {
        llvm::consumeError(plan.takeError());
        continue;
      }
      ++plans[entry.name.str()];
      llvm::Error sound = verify(problem, cluster, *plan);
      ASSERT_FALSE(bool(sound)) << llvm::toString(std::move(sound));
      for (const Damage &damage : damageAll(*plan, cluster)) {
        bool refused = llvm::errorToBool(verify(problem, cluster, damage.plan));
        EXPECT_TRUE(refused) << "case " << i << ": " << entry.name.str() << " "
                             << damage.field << " of\n"
                             << describe(*plan);
        found[damage.field] += refused;
      }
    }
  }
  EXPECT_EQ(plans.size(), planners().size());
  EXPECT_GE(found.size(), 22u);
}
