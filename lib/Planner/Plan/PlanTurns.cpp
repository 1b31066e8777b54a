//===- PlanTurns.cpp - Microbatches of devices that take turns ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>

using namespace hetero;
using namespace hetero::planner;

/// The samples of each group in each turn: as many turns as the slowest one
/// needs, and in each about as much of everybody.
static std::vector<std::vector<int64_t>>
takeTurns(const Stage &stage, const std::vector<int64_t> &samples) {
  int64_t count = 1;
  for (size_t group = 0; group < samples.size(); ++group) {
    const DeviceShare &share = stage.shares[group * stage.mesh.tensor];
    int64_t most = std::max<int64_t>(1, share.micro.value_or(samples[group]));
    count = std::max(count, (samples[group] + most - 1) / most);
  }
  std::vector<std::vector<int64_t>> turns(count);
  for (int64_t turn = 0; turn < count; ++turn)
    for (int64_t all : samples)
      turns[turn].push_back(all / count + (turn < all % count));
  return turns;
}

std::optional<Plan> planner::divideIntoTurns(const Plan &plan) {
  bool layered = plan.schedule == ScheduleKind::Layered;
  if (plan.stages.size() != 1 ||
      (plan.stages.front().layers.size() != 1 && !layered))
    return std::nullopt;
  const Stage &stage = plan.stages.front();
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  Plan result = plan;
  result.microbatches.clear();
  // Each size has one division, and turns only become smaller.
  std::map<int64_t, std::vector<int64_t>> divisions;
  for (int64_t size : plan.microbatches) {
    size_t index = llvm::find(sizes, size) - sizes.begin();
    for (std::vector<int64_t> &turn : takeTurns(stage, stage.samples[index])) {
      int64_t total = std::accumulate(turn.begin(), turn.end(), int64_t(0));
      auto [it, isNew] = divisions.try_emplace(total, turn);
      if (it->second != turn)
        return std::nullopt;
      result.microbatches.push_back(total);
    }
  }
  Stage &only = result.stages.front();
  only.samples.clear();
  for (int64_t size : result.distinctMicrobatches())
    only.samples.push_back(divisions[size]);
  for (DeviceShare &share : only.shares)
    share.micro.reset();
  // A layered schedule keeps all microbatches of all runs.
  only.inFlight =
      layered ? int64_t(result.microbatches.size() * only.layers.size()) : 1;
  return result;
}
