//===- Layers.cpp - The parts of a step that a planner places -------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Analysis/Layers.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Summary.h"

using namespace mlir;
using namespace hetero;

DenseSet<Operation *> hetero::getArgumentFree(Block &block) {
  DenseSet<Operation *> free;
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    bool loops = llvm::any_of(op.getRegions(), [](Region &region) {
      return region.getNumArguments() != 0 || !region.hasOneBlock();
    });
    auto isFree = [&](Value value) {
      Operation *def = value.getDefiningOp();
      return def && free.contains(def);
    };
    if (!loops && op.getNumRegions() == 0 &&
        llvm::all_of(op.getOperands(), isFree))
      free.insert(&op);
  }
  return free;
}

namespace {
class LayerBuilder {
public:
  LayerBuilder(func::FuncOp step, const FormAnalysis &forms)
      : step(step), block(step.getBody().front()), forms(forms),
        levels(forms.getLevels()), roles(getRoles(step)),
        argumentFree(getArgumentFree(block)) {}

  StepLayers build(int64_t maxLayers);

private:
  void classify();
  void cutForward(int64_t maxLayers);
  void placeForwardOnce();
  void placeBackward(Operation *op);
  void placeUpdate(Operation *op);
  void placeUpdateByUse();
  void placeArguments();
  SmallVector<int64_t> getPresence(Value value);
  SmallVector<uint64_t> getCrossing(ArrayRef<Operation *> order);

  bool isForwardSweep(Operation *op) {
    return layers.ofOp.contains(op) &&
           layers.ofOp[op].phase == Phase::Forward && forms.isLocal(op);
  }
  void forEachUse(Operation *op, function_ref<void(Value)> callback) {
    for (Value value : op->getOperands())
      callback(value);
    for (Value value : getCaptures(op))
      callback(value);
  }

  func::FuncOp step;
  Block &block;
  const FormAnalysis &forms;
  FormAnalysis::Levels levels;
  StepRoles roles;
  DenseSet<Operation *> argumentFree;
  DenseMap<Value, SmallVector<int64_t>> presence;
  StepLayers layers;
};
} // namespace

/// Gives every operation its phase; forward is what the loss depends on.
void LayerBuilder::classify() {
  DenseSet<Operation *> ancestors;
  SmallVector<Value> work;
  Operation *terminator = block.getTerminator();
  for (auto [value, role] :
       llvm::zip_equal(terminator->getOperands(), roles.results))
    if (role && role.getKind() == RoleKind::Loss)
      work.push_back(value);
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && ancestors.insert(op).second)
      forEachUse(op, [&](Value value) { work.push_back(value); });
  }
  bool noLoss = ancestors.empty();
  for (Operation &op : block) {
    if (&op == terminator || argumentFree.contains(&op))
      continue;
    Phase phase = Phase::Backward;
    if (ancestors.contains(&op))
      phase = Phase::Forward;
    else if (!forms.isLocal(&op) && levels.ofOp[&op] == levels.last)
      phase = Phase::Update;
    else if (noLoss)
      phase = Phase::Forward;
    layers.ofOp[&op] = {-1, phase};
  }
}

/// The bytes that are alive between each operation and the next.
SmallVector<uint64_t> LayerBuilder::getCrossing(ArrayRef<Operation *> order) {
  DenseMap<Operation *, int64_t> position;
  for (auto [index, op] : llvm::enumerate(order))
    position[op] = index;
  SmallVector<int64_t> change(order.size() + 1, 0);
  for (auto [index, op] : llvm::enumerate(order))
    for (Value result : op->getResults()) {
      int64_t last = index;
      for (Operation *user : result.getUsers()) {
        auto it = position.find(block.findAncestorOpInBlock(*user));
        if (it != position.end())
          last = std::max(last, it->second);
      }
      change[index] += getNumBytes(result.getType());
      change[last] -= getNumBytes(result.getType());
    }
  SmallVector<uint64_t> crossing;
  int64_t live = 0;
  for (size_t index = 0; index < order.size(); ++index)
    crossing.push_back(live += change[index]);
  return crossing;
}

void LayerBuilder::cutForward(int64_t maxLayers) {
  SmallVector<Operation *> order;
  for (Operation &op : block)
    if (isForwardSweep(&op))
      order.push_back(&op);
  SmallVector<uint64_t> crossing = getCrossing(order);
  // OpWork is counted as bytes and FLOPs alike, so that layers without products
  // count, too.
  SmallVector<uint64_t> work;
  uint64_t total = 0;
  for (Operation *op : order) {
    OpWork cost = getWork(op);
    total += cost.flops + cost.bytes;
    work.push_back(total);
  }
  int64_t layer = 0;
  for (size_t index = 0; index < order.size();) {
    // The narrowest place in the next part of the work, which is at least one
    // operation.
    uint64_t begin = index == 0 ? 0 : work[index - 1];
    size_t end = index;
    while (end + 1 < order.size() && (work[end] - begin) * maxLayers < total)
      ++end;
    size_t middle = index + (end - index) / 2;
    size_t best = end;
    for (size_t at = end + 1; at-- > middle;)
      if (crossing[at] < crossing[best])
        best = at;
    if (layer + 1 >= maxLayers || end + 1 >= order.size())
      best = order.size() - 1;
    for (; index <= best; ++index)
      layers.ofOp[order[index]].layer = layer;
    layers.lastForward.push_back(order[best]);
    ++layer;
  }
  layers.numLayers = std::max<int64_t>(layer, 1);
}

/// What does not depend on the batch goes to the first layer that uses it.
void LayerBuilder::placeForwardOnce() {
  for (Operation &op : llvm::reverse(block)) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end() || it->second.phase != Phase::Forward ||
        it->second.layer >= 0)
      continue;
    int64_t layer = layers.numLayers - 1;
    for (Operation *user : op.getUsers()) {
      auto other = layers.ofOp.find(block.findAncestorOpInBlock(*user));
      if (other != layers.ofOp.end() && other->second.phase == Phase::Forward &&
          other->second.layer >= 0)
        layer = std::min(layer, other->second.layer);
    }
    it->second.layer = layer;
  }
}

/// The layers in which the forward makes or uses `value`, ascending.
SmallVector<int64_t> LayerBuilder::getPresence(Value value) {
  auto [it, inserted] = presence.try_emplace(value);
  if (!inserted)
    return it->second;
  SmallVector<int64_t> result;
  auto add = [&](Operation *op) {
    auto place = op ? layers.ofOp.find(op) : layers.ofOp.end();
    if (place != layers.ofOp.end() && place->second.phase == Phase::Forward)
      result.push_back(place->second.layer);
  };
  add(value.getDefiningOp());
  for (Operation *user : value.getUsers())
    add(block.findAncestorOpInBlock(*user));
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return presence[value] = result;
}

void LayerBuilder::placeBackward(Operation *op) {
  constexpr uint64_t smallBytes = 64; // Scalars and keys may travel.
  int64_t highest = layers.numLayers - 1;
  SmallVector<Value> fromForward;
  forEachUse(op, [&](Value value) {
    Operation *def = value.getDefiningOp();
    auto it = def ? layers.ofOp.find(def) : layers.ofOp.end();
    if (it != layers.ofOp.end() && it->second.phase == Phase::Backward)
      highest = std::min(highest, it->second.layer);
    else if (!def || it != layers.ofOp.end())
      fromForward.push_back(value);
  });
  int64_t layer = highest;
  for (Value value : fromForward) {
    SmallVector<int64_t> present = getPresence(value);
    if (present.empty() || getNumBytes(value.getType()) <= smallBytes)
      continue;
    auto *above = llvm::upper_bound(present, highest);
    layer = std::min(layer, above == present.begin() ? present.front()
                                                     : *std::prev(above));
  }
  layers.ofOp[op].layer = std::min(layer, highest);
}

/// Where the largest operand is, which is the state that is updated.
void LayerBuilder::placeUpdate(Operation *op) {
  uint64_t most = 0;
  int64_t layer = -1;
  forEachUse(op, [&](Value value) {
    int64_t at = -1;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      SmallVector<int64_t> present = getPresence(value);
      if (!present.empty())
        at = present.front();
    } else if (auto it = layers.ofOp.find(value.getDefiningOp());
               it != layers.ofOp.end()) {
      at = it->second.layer;
    }
    uint64_t bytes = getNumBytes(value.getType());
    if (at >= 0 && bytes > most) {
      most = bytes;
      layer = at;
    }
  });
  layers.ofOp[op].layer = layer;
}

/// Updates that only see state (the decay of a moment) go where their result is
/// used.
void LayerBuilder::placeUpdateByUse() {
  for (Operation &op : llvm::reverse(block)) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end() || it->second.layer >= 0)
      continue;
    uint64_t most = 0;
    for (Operation *user : op.getUsers()) {
      auto other = layers.ofOp.find(block.findAncestorOpInBlock(*user));
      if (other == layers.ofOp.end() || other->second.layer < 0)
        continue;
      uint64_t bytes = 1;
      for (Type type : user->getResultTypes())
        bytes += getNumBytes(type);
      if (bytes > most) {
        most = bytes;
        it->second.layer = other->second.layer;
      }
    }
    it->second.layer = std::max<int64_t>(it->second.layer, 0);
  }
}

void LayerBuilder::placeArguments() {
  layers.ofArgument.assign(block.getNumArguments(), 0);
  for (BlockArgument argument : block.getArguments()) {
    SmallVector<int64_t> present = getPresence(argument);
    int64_t layer = present.empty() ? -1 : present.front();
    for (Operation *user : argument.getUsers()) {
      auto it = layers.ofOp.find(block.findAncestorOpInBlock(*user));
      if (layer < 0 && it != layers.ofOp.end())
        layer = it->second.layer;
    }
    layers.ofArgument[argument.getArgNumber()] = std::max<int64_t>(layer, 0);
  }
}

StepLayers LayerBuilder::build(int64_t maxLayers) {
  classify();
  cutForward(maxLayers);
  placeForwardOnce();
  for (Operation &op : block) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end())
      continue;
    if (it->second.phase == Phase::Backward)
      placeBackward(&op);
    else if (it->second.phase == Phase::Update)
      placeUpdate(&op);
  }
  placeUpdateByUse();
  placeArguments();
  return std::move(layers);
}

StepLayers hetero::formLayers(func::FuncOp step, const FormAnalysis &forms,
                              int64_t maxLayers) {
  return LayerBuilder(step, forms).build(std::max<int64_t>(maxLayers, 1));
}

/// The first layer that reads `argument` in the forward; if there is none, that
/// of the first operation that reads it.
static int64_t findLayerOf(BlockArgument argument, const StepLayers &layers) {
  std::optional<int64_t> forward;
  std::optional<std::pair<Operation *, int64_t>> other;
  for (Operation *user : argument.getUsers()) {
    Operation *op = argument.getOwner()->findAncestorOpInBlock(*user);
    auto it = layers.ofOp.find(op);
    if (it == layers.ofOp.end())
      continue;
    int64_t layer = it->second.layer;
    if (it->second.phase == Phase::Forward)
      forward = std::min(forward.value_or(layer), layer);
    else if (!other || op->isBeforeInBlock(other->first))
      other = {op, layer};
  }
  return forward ? *forward : other ? other->second : 0;
}

FailureOr<StepLayers> hetero::readLayers(func::FuncOp step) {
  Block &block = step.getBody().front();
  StepLayers layers;
  DenseSet<Operation *> argumentFree = getArgumentFree(block);
  for (Operation &op : block) {
    auto attr = op.getAttrOfType<LayerAttr>("hetero.layer");
    if (!attr) {
      if (op.hasTrait<OpTrait::IsTerminator>() || argumentFree.contains(&op))
        continue;
      return op.emitOpError(
          "belongs to no layer; run hetero-form-layers, or give it a "
          "hetero.layer");
    }
    int64_t layer = attr.getLayer();
    layers.ofOp[&op] = {layer, attr.getPhase()};
    layers.numLayers = std::max(layers.numLayers, layer + 1);
  }
  layers.numLayers = std::max<int64_t>(layers.numLayers, 1);
  layers.lastForward.resize(layers.numLayers);
  for (Operation &op : block)
    if (auto it = layers.ofOp.find(&op);
        it != layers.ofOp.end() && it->second.phase == Phase::Forward)
      layers.lastForward[it->second.layer] = &op;
  for (BlockArgument argument : block.getArguments())
    layers.ofArgument.push_back(findLayerOf(argument, layers));
  return layers;
}
