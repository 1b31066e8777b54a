//===- StateLayout.cpp - Which part of the state a device has -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StateLayout.h"
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

static int64_t getStage(const planner::Plan &plan, int64_t layer) {
  for (auto [index, stage] : llvm::enumerate(plan.stages))
    for (const planner::LayerRun &run : stage.layers)
      if (run.first <= layer && layer <= run.last)
        return index;
  return 0;
}

namespace {
/// The state of one stage.
class StageState {
public:
  explicit StageState(const planner::Stage &stage)
      : data(stage.mesh.data), tensor(stage.mesh.tensor),
        weights(stage.mesh.data, 0), bytes(stage.mesh.devices.size(), 0) {
    if (data > 1) {
      dividesParameters = stage.state == planner::StateMode::Full;
      dividesOthers =
          dividesParameters || stage.state == planner::StateMode::Optimizer;
    }
    for (auto [index, share] : llvm::enumerate(stage.shares))
      weights[index / tensor] += share.state.count();
  }

  /// What every device holds anyway is not what the plan divides.
  void takeWhole(int64_t parameters) {
    if (dividesOthers && !dividesParameters)
      for (int64_t &weight : weights)
        weight = std::max<int64_t>(0, weight - parameters);
  }

  bool divides(bool isParameter) const {
    return isParameter ? dividesParameters : dividesOthers;
  }

  /// Counts a tensor on every device.
  void add(RankedTensorType type,
           const std::optional<StateLayout::Split> &tensorSplit,
           const std::optional<StateLayout::Split> &dataSplit) {
    for (auto [index, held] : llvm::enumerate(bytes)) {
      __int128 part = getNumBytes(type);
      auto take = [&](const std::optional<StateLayout::Split> &split,
                      int64_t member) {
        if (!split)
          return;
        int64_t total = std::accumulate(split->sizes.begin(),
                                        split->sizes.end(), int64_t(0));
        part = part * split->sizes[member] / std::max<int64_t>(total, 1);
      };
      take(tensorSplit, index % tensor);
      take(dataSplit, index / tensor);
      held += static_cast<int64_t>(part);
    }
  }

  /// The bytes of the rows take the place of the bytes of the plan.
  void adjustShares(planner::Stage &stage) const {
    if (!dividesOthers && tensor == 1)
      return;
    for (auto [share, exact] : llvm::zip(stage.shares, bytes)) {
      share.memory += Bytes(exact) - share.state;
      share.state = Bytes(exact);
    }
  }

  int64_t data, tensor;
  SmallVector<int64_t> weights;

private:
  bool dividesParameters = false, dividesOthers = false;
  SmallVector<int64_t> bytes;
};

class LayoutBuilder {
public:
  LayoutBuilder(func::FuncOp step, const StepLayers &layers,
                const TensorSplits &splits,
                const llvm::MapVector<unsigned, int64_t> &storageDims,
                planner::Plan &plan)
      : step(step), layers(layers), splits(splits), storageDims(storageDims),
        plan(plan), roles(getRoles(step)) {}
  StateLayout build();

private:
  template <typename Callback>
  void forEachState(Callback callback);
  void divideTensors();
  std::optional<StateLayout::Split>
  getStorage(unsigned argument, RankedTensorType type, int64_t stage) const;

  func::FuncOp step;
  const StepLayers &layers;
  const TensorSplits &splits;
  const llvm::MapVector<unsigned, int64_t> &storageDims;
  planner::Plan &plan;
  StepRoles roles;
  std::vector<StageState> states;
  StateLayout layout;
};
} // namespace

/// Calls back with the number, type and stage of each argument that is state,
/// and whether it is a parameter.
template <typename Callback>
void LayoutBuilder::forEachState(Callback callback) {
  for (BlockArgument argument : step.getArguments()) {
    unsigned number = argument.getArgNumber();
    RoleAttr role = roles.arguments[number];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (role && role.isState() && type)
      callback(number, type, getStage(plan, layers.ofArgument[number]),
               role.getKind() == RoleKind::Parameter);
  }
}

void LayoutBuilder::divideTensors() {
  for (const TensorSplits::Group &group : splits.groups)
    for (auto &[argument, form] : group.arguments) {
      int64_t stage = getStage(plan, layers.ofArgument[argument]);
      int64_t degree = plan.stages[stage].mesh.tensor;
      if (degree > 1)
        layout.tensor[argument] = {
            stage, form, divide(group.units, SmallVector<int64_t>(degree, 1))};
    }
}

std::optional<StateLayout::Split>
LayoutBuilder::getStorage(unsigned argument, RankedTensorType type,
                          int64_t stage) const {
  const std::optional<StateLayout::Split> &tensor = layout.tensor[argument];
  int64_t best = -1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if ((!tensor || tensor->form.dim != dim) && type.getDimSize(dim) > 1 &&
        (best < 0 || type.getDimSize(dim) > type.getDimSize(best)))
      best = dim;
  if (const auto *it = storageDims.find(argument);
      it != storageDims.end() && (!tensor || tensor->form.dim != it->second))
    best = it->second;
  if (best < 0)
    return std::nullopt;
  return StateLayout::Split{
      stage, Form::split(best),
      divide(type.getDimSize(best), states[stage].weights)};
}

StateLayout LayoutBuilder::build() {
  layout.tensor.resize(step.getNumArguments());
  layout.storage.resize(step.getNumArguments());
  for (const planner::Stage &stage : plan.stages)
    states.emplace_back(stage);
  divideTensors();
  SmallVector<int64_t> parameters(plan.stages.size(), 0);
  forEachState(
      [&](unsigned, RankedTensorType type, int64_t stage, bool isParameter) {
        if (isParameter)
          parameters[stage] += getNumBytes(type);
      });
  for (auto [state, bytes] : llvm::zip_equal(states, parameters))
    state.takeWhole(bytes);
  forEachState([&](unsigned number, RankedTensorType type, int64_t stage,
                   bool isParameter) {
    if (states[stage].divides(isParameter))
      layout.storage[number] = getStorage(number, type, stage);
    states[stage].add(type, layout.tensor[number], layout.storage[number]);
  });
  for (auto [stage, state] : llvm::zip_equal(plan.stages, states))
    state.adjustShares(stage);
  return std::move(layout);
}

StateLayout
hetero::layOutState(func::FuncOp step, const StepLayers &layers,
                    const TensorSplits &splits,
                    const llvm::MapVector<unsigned, int64_t> &storageDims,
                    planner::Plan &plan) {
  return LayoutBuilder(step, layers, splits, storageDims, plan).build();
}
