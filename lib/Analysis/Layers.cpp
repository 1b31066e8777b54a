//===- Layers.cpp - The parts of a step that a planner places -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Layers.h"
#include "hetero/Analysis/RepeatedBlocks.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Summary.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

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
  OpSequence getForward();
  void cutForward(int64_t maxLayers);
  void nameLayers(const OpSequence &forward, ArrayRef<size_t> ends);
  void placeBackward(Operation *op);
  void placeUpdate(Operation *op);
  void placeByUse(std::optional<Phase> phase, int64_t otherwise);
  void placeArguments();
  SmallVector<int64_t> getPresence(Value value);
  SmallVector<uint64_t> getCrossing(ArrayRef<Operation *> order);

  bool isForwardSweep(Operation *op) {
    return layers.ofOp.contains(op) &&
           layers.ofOp[op].phase == Phase::Forward && forms.isLocal(op);
  }

  func::FuncOp step;
  Block &block;
  const FormAnalysis &forms;
  FormAnalysis::Levels levels;
  StepRoles roles;
  DenseSet<Operation *> argumentFree;
  DenseMap<Value, SmallVector<int64_t>> presence;
  StepLayers layers;
  /// Of layers in blocks: the block, the piece of it, and of how many.
  struct BlockPiece {
    int64_t block;
    size_t piece, numPieces;
  };
  std::map<int64_t, BlockPiece> blockOf;
  int64_t numBlocks = 0;
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
      llvm::append_range(work, getUses(op));
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

/// The operations of the forward that see a part of the batch.
OpSequence LayerBuilder::getForward() {
  OpSequence forward;
  uint64_t total = 0;
  for (Operation &op : block)
    if (isForwardSweep(&op)) {
      // Bytes and FLOPs count alike, so that layers without products count,
      // too.
      OpWork cost = getWork(&op);
      forward.ops.push_back(&op);
      forward.workUpTo.push_back(total += cost.flops + cost.bytes);
    }
  forward.crossing = getCrossing(forward.ops);
  return forward;
}

/// Cuts the operations from `begin` to before `end` into at most `maxParts`
/// parts, each of about one in `maxParts` of `total` work, at the narrowest
/// place in the second half of each. Appends where the parts end.
static void cutEvenly(const OpSequence &forward, size_t begin, size_t end,
                      uint64_t total, int64_t maxParts,
                      SmallVectorImpl<size_t> &ends) {
  for (int64_t part = 1; begin < end; ++part) {
    // The next part has at least one operation.
    size_t last = begin;
    while (last + 1 < end &&
           forward.getWork(begin, last + 1) * maxParts < total)
      ++last;
    size_t middle = begin + (last - begin) / 2;
    size_t best = last;
    for (size_t at = last + 1; at-- > middle;)
      if (forward.crossing[at] < forward.crossing[best])
        best = at;
    if (part >= maxParts || last + 1 >= end)
      best = end - 1;
    ends.push_back(begin = best + 1);
  }
}

/// Cuts between blocks, and all blocks of a run alike where they are large;
/// what lies around them, and a forward that has none, into even parts.
void LayerBuilder::cutForward(int64_t maxLayers) {
  // Stages of more than a few devices are balanced to within a few percent with
  // layers of this part of the work.
  constexpr int64_t numParts = 32;
  OpSequence forward = getForward();
  size_t size = forward.ops.size();
  uint64_t total = forward.getWork(0, size);
  SmallVector<size_t> ends;
  size_t at = 0;
  for (const BlockRun &run : findBlocks(forward)) {
    cutEvenly(forward, at, run.begin, total, numParts, ends);
    at = run.begin + run.period;
    uint64_t work = forward.getWork(run.begin, at);
    SmallVector<size_t> pieces;
    cutEvenly(forward, run.begin, at, work,
              std::max<int64_t>(llvm::divideNearest(work * numParts, total), 1),
              pieces);
    for (size_t block = 0; block < run.count; ++block) {
      for (auto [piece, end] : llvm::enumerate(pieces)) {
        blockOf[ends.size()] = {numBlocks, piece, pieces.size()};
        ends.push_back(end + block * run.period);
      }
      ++numBlocks;
    }
    at = run.end();
  }
  cutEvenly(forward, at, size, total, numParts, ends);
  if (maxLayers > 0 && int64_t(ends.size()) > maxLayers) {
    blockOf.clear();
    ends.clear();
    cutEvenly(forward, 0, size, total, maxLayers, ends);
  }
  size_t begin = 0;
  for (auto [layer, end] : llvm::enumerate(ends))
    for (; begin < end; ++begin)
      layers.ofOp[forward.ops[begin]].layer = layer;
  layers.numLayers = std::max<int64_t>(ends.size(), 1);
  nameLayers(forward, ends);
}

/// As the user's program calls them; by the number of the block, or of the
/// layer, where it has no names. Those that share a name are counted.
void LayerBuilder::nameLayers(const OpSequence &forward,
                              ArrayRef<size_t> ends) {
  auto &names = layers.names;
  size_t begin = 0;
  for (size_t end : ends) {
    names.push_back(getScope(ArrayRef(forward.ops).slice(begin, end - begin)));
    begin = end;
  }
  // The name of the whole model says nothing: what all names begin with.
  auto isNamed = [](const std::string &name) { return !name.empty(); };
  while (true) {
    auto *first = llvm::find_if(names, isNamed);
    if (first == names.end())
      break;
    std::string root = first->substr(0, first->find('/'));
    auto isInside = [&](StringRef name) {
      return name.empty() || name.split('/').first == root;
    };
    if (!llvm::all_of(names, isInside))
      break;
    for (std::string &name : names)
      name.erase(0, root.size() + 1);
  }
  names.resize(layers.numLayers);
  std::map<std::string, std::pair<int64_t, int64_t>> counts;
  for (auto [layer, name] : llvm::enumerate(names)) {
    auto block = blockOf.find(layer);
    if (name.empty() && block != blockOf.end()) {
      auto [number, piece, numPieces] = block->second;
      name = llvm::formatv("block {0} of {1}", number + 1, numBlocks);
      if (numPieces > 1)
        name += llvm::formatv(", part {0} of {1}", piece + 1, numPieces);
    } else if (name.empty()) {
      name = "layer_" + std::to_string(layer);
    }
    ++counts[name].first;
  }
  for (std::string &name : names)
    if (auto &[count, seen] = counts[name]; count > 1)
      name += llvm::formatv(" ({0} of {1})", ++seen, count);
}

/// Operations of a phase that have no layer yet go to the first layer that uses
/// them in that phase, or to `otherwise`; without a phase, all do.
void LayerBuilder::placeByUse(std::optional<Phase> phase, int64_t otherwise) {
  auto isOf = [&](const StepLayers::Place &place) {
    return !phase || place.phase == *phase;
  };
  for (Operation &op : llvm::reverse(block)) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end() || !isOf(it->second) || it->second.layer >= 0)
      continue;
    int64_t layer = INT64_MAX;
    for (Operation *user : op.getUsers())
      if (auto other = layers.ofOp.find(block.findAncestorOpInBlock(*user));
          other != layers.ofOp.end() && isOf(other->second) &&
          other->second.layer >= 0)
        layer = std::min(layer, other->second.layer);
    it->second.layer = layer == INT64_MAX ? otherwise : layer;
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
  for (Value value : getUses(op)) {
    Operation *def = value.getDefiningOp();
    auto it = def ? layers.ofOp.find(def) : layers.ofOp.end();
    if (it != layers.ofOp.end() && it->second.phase == Phase::Backward)
      highest = std::min(highest, it->second.layer);
    else if (!def || it != layers.ofOp.end())
      fromForward.push_back(value);
  }
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
  for (Value value : getUses(op)) {
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
  }
  layers.ofOp[op].layer = layer;
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
  // What does not depend on the batch.
  placeByUse(Phase::Forward, layers.numLayers - 1);
  for (Operation &op : block) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end())
      continue;
    if (it->second.phase == Phase::Backward)
      placeBackward(&op);
    else if (it->second.phase == Phase::Update)
      placeUpdate(&op);
  }
  // Updates that only see state (the decay of a moment) go where their result
  // is used; what several layers use (the rate of learning) to the first of
  // them.
  placeByUse(std::nullopt, 0);
  placeArguments();
  return std::move(layers);
}

StepLayers hetero::formLayers(func::FuncOp step, const FormAnalysis &forms,
                              int64_t maxLayers) {
  return LayerBuilder(step, forms).build(maxLayers);
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
  for (BlockArgument argument : block.getArguments())
    layers.ofArgument.push_back(findLayerOf(argument, layers));
  return layers;
}

SmallVector<int64_t> hetero::getKinds(func::FuncOp step,
                                      const StepLayers &layers) {
  Block &block = step.getBody().front();
  // The number of each operation in its layer, and what is known of the layer.
  DenseMap<Operation *, int64_t> numbers;
  SmallVector<int64_t> sizes(layers.numLayers, 0);
  SmallVector<llvm::hash_code> hashes(layers.numLayers, llvm::hash_code(0));
  for (Operation &op : block) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end())
      continue;
    auto [layer, phase] = it->second;
    llvm::hash_code &hash = hashes[layer];
    hash = llvm::hash_combine(hash, getToken(&op), phase);
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      auto made = def ? layers.ofOp.find(def) : layers.ofOp.end();
      if (made != layers.ofOp.end() && made->second.layer == layer)
        hash = llvm::hash_combine(hash, numbers[def]);
      else
        hash =
            llvm::hash_combine(hash, -1, bool(def), made == layers.ofOp.end());
    }
    for (Value result : op.getResults())
      hash = llvm::hash_combine(
          hash, llvm::any_of(result.getUsers(), [&, own = layer](auto *user) {
            auto used = layers.ofOp.find(block.findAncestorOpInBlock(*user));
            return used == layers.ofOp.end() || used->second.layer != own;
          }));
    numbers[&op] = sizes[layer]++;
  }
  std::map<size_t, int64_t> firsts;
  SmallVector<int64_t> kinds;
  for (auto [layer, hash] : llvm::enumerate(hashes))
    kinds.push_back(firsts.try_emplace(hash, layer).first->second);
  return kinds;
}
