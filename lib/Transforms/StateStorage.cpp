//===- StateStorage.cpp - Where state lives between steps -----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateStorage.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Summary.h"
#include <numeric>

using namespace mlir;
using namespace hetero;

SmallVector<int64_t> hetero::divide(int64_t total, ArrayRef<int64_t> weights) {
  __int128 sum = 0;
  for (int64_t weight : weights)
    sum += weight;
  SmallVector<int64_t> parts(weights.size(), 0);
  if (sum <= 0) {
    if (!parts.empty())
      parts.front() = total;
    return parts;
  }
  SmallVector<__int128> remainders;
  int64_t rest = total;
  for (auto [part, weight] : llvm::zip_equal(parts, weights)) {
    __int128 product = static_cast<__int128>(total) * weight;
    part = static_cast<int64_t>(product / sum);
    remainders.push_back(product % sum);
    rest -= part;
  }
  SmallVector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t left, size_t right) {
    return remainders[left] > remainders[right];
  });
  for (int64_t i = 0; i < rest; ++i)
    ++parts[order[i]];
  return parts;
}

namespace {
/// What one stage divides.
struct StageState {
  bool dividesParameters = false, dividesOthers = false;
  /// By member of the data axis: what the plan gives it, without what every
  /// device holds; and what the rows give it.
  SmallVector<int64_t> weights, bytes;
};
} // namespace

static int64_t getStage(const planner::Plan &plan, int64_t layer) {
  for (auto [index, stage] : llvm::enumerate(plan.stages))
    for (const planner::LayerRun &run : stage.layers)
      if (run.first <= layer && layer <= run.last)
        return index;
  return 0;
}

static StageState getState(const planner::Stage &stage,
                           int64_t parameterBytes) {
  StageState state;
  if (stage.mesh.data > 1) {
    state.dividesParameters = stage.state == planner::StateMode::Full;
    state.dividesOthers =
        state.dividesParameters || stage.state == planner::StateMode::Optimizer;
  }
  state.weights.assign(stage.mesh.data, 0);
  state.bytes.assign(stage.mesh.data, 0);
  for (auto [index, share] : llvm::enumerate(stage.shares))
    state.weights[index / stage.mesh.tensor] += share.state.count();
  if (state.dividesOthers && !state.dividesParameters)
    for (int64_t &weight : state.weights)
      weight = std::max<int64_t>(0, weight - parameterBytes);
  return state;
}

/// The bytes of the rows take the place of the bytes of the plan.
static void adjustShares(planner::Stage &stage, const StageState &state) {
  if (!state.dividesOthers)
    return;
  for (auto [index, share] : llvm::enumerate(stage.shares)) {
    Bytes exact(state.bytes[index / stage.mesh.tensor] / stage.mesh.tensor);
    share.memory += exact - share.state;
    share.state = exact;
  }
}

StateStorage hetero::divideState(func::FuncOp step, const StepLayers &layers,
                                 planner::Plan &plan) {
  StepRoles roles = getRoles(step);
  StateStorage storage;
  storage.arguments.resize(step.getNumArguments());
  auto forEachState =
      [&](function_ref<void(BlockArgument, RankedTensorType, int64_t, bool)>
              callback) {
        for (BlockArgument argument : step.getArguments()) {
          RoleAttr role = roles.arguments[argument.getArgNumber()];
          auto type = dyn_cast<RankedTensorType>(argument.getType());
          if (role && role.isState() && type)
            callback(argument, type,
                     getStage(plan, layers.ofArgument[argument.getArgNumber()]),
                     role.getKind() == RoleKind::Parameter);
        }
      };
  SmallVector<int64_t> parameterBytes(plan.stages.size(), 0);
  forEachState([&](BlockArgument, RankedTensorType type, int64_t stage,
                   bool isParameter) {
    if (isParameter)
      parameterBytes[stage] += getNumBytes(type);
  });
  SmallVector<StageState> states;
  for (auto [stage, bytes] : llvm::zip_equal(plan.stages, parameterBytes))
    states.push_back(getState(stage, bytes));
  forEachState([&](BlockArgument argument, RankedTensorType type, int64_t index,
                   bool isParameter) {
    StageState &state = states[index];
    int64_t bytes = getNumBytes(type);
    int64_t dim = 0;
    for (int64_t other = 1; other < type.getRank(); ++other)
      if (type.getDimSize(other) > type.getDimSize(dim))
        dim = other;
    bool divides = isParameter ? state.dividesParameters : state.dividesOthers;
    if (!divides || type.getRank() == 0 || type.getDimSize(dim) < 2) {
      for (int64_t &held : state.bytes)
        held += bytes;
      return;
    }
    SmallVector<int64_t> sizes = divide(type.getDimSize(dim), state.weights);
    for (auto [held, size] : llvm::zip_equal(state.bytes, sizes))
      held += bytes / type.getDimSize(dim) * size;
    storage.arguments[argument.getArgNumber()] = {index, dim, sizes};
    ++storage.numDivided;
  });
  for (auto [stage, state] : llvm::zip_equal(plan.stages, states))
    adjustShares(stage, state);
  return storage;
}
