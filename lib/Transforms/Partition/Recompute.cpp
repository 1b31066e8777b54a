//===- Recompute.cpp - The forward once more, for the backward ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Recompute.h"
#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Layers.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace hetero;

namespace {
class Recomputer {
public:
  Recomputer(func::FuncOp step, PlanOp plan, const StepLayers &layers,
             FormAxis axis)
      : block(step.getBody().front()), layers(layers), stages(plan.getStages()),
        forms(block, std::move(axis)) {}

  int64_t run();

private:
  StageOp getStage(Operation *op) const;
  bool isKept(Value value) const;
  bool isCopied(Operation *op, int64_t layer) const;
  void collect(Operation *user, int64_t layer,
               llvm::SmallPtrSetImpl<Operation *> &needed) const;
  void copyFor(Operation *user, int64_t layer);

  Block &block;
  const StepLayers &layers;
  SmallVector<StageOp, 4> stages;
  FormAnalysis forms;
  /// From values of the forward to their copies.
  IRMapping copies;
  int64_t numCopied = 0;
};
} // namespace

/// The stage of an operation that is in a layer; null if there is none.
StageOp Recomputer::getStage(Operation *op) const {
  if (auto placement = op->getAttrOfType<PlacementAttr>(
          HeteroDialect::getPlacementAttrName()))
    return placement.getStage() < int64_t(stages.size())
               ? stages[placement.getStage()]
               : StageOp();
  int64_t layer = layers.ofOp.find(op)->second.layer;
  for (StageOp stage : stages)
    for (auto [first, last] :
         llvm::zip_equal(stage.getFirstLayers(), stage.getLastLayers()))
      if (first <= layer && layer <= last)
        return stage;
  return {};
}

/// Whether a value is there in the backward anyway, because another layer or
/// another stage uses it.
bool Recomputer::isKept(Value value) const {
  Operation *def = value.getDefiningOp();
  auto made = layers.ofOp.find(def);
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *top = block.findAncestorOpInBlock(*user);
    auto used = layers.ofOp.find(top);
    return used != layers.ofOp.end() &&
           (used->second.layer != made->second.layer ||
            getStage(top) != getStage(def));
  });
}

/// Whether the backward of `layer` computes `op` again.
bool Recomputer::isCopied(Operation *op, int64_t layer) const {
  auto place = layers.ofOp.find(op);
  if (place == layers.ofOp.end() || place->second.layer != layer ||
      place->second.phase != Phase::Forward || !forms.isLocal(op))
    return false;
  StageOp stage = getStage(op);
  return stage && stage.getRecompute() &&
         llvm::none_of(op->getResults(), [&](Value result) {
           return forms.isCompleted(result) || isKept(result);
         });
}

/// Adds what `user` needs and what that needs, as far as it is copied.
void Recomputer::collect(Operation *user, int64_t layer,
                         llvm::SmallPtrSetImpl<Operation *> &needed) const {
  SmallVector<Operation *> work = {user};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value value : getUses(op)) {
      Operation *def = value.getDefiningOp();
      if (def && def->getBlock() == &block && isCopied(def, layer) &&
          !copies.contains(value) && needed.insert(def).second)
        work.push_back(def);
    }
  }
}

void Recomputer::copyFor(Operation *user, int64_t layer) {
  llvm::SmallPtrSet<Operation *, 16> needed;
  collect(user, layer, needed);
  SmallVector<Operation *> ordered(needed.begin(), needed.end());
  llvm::sort(ordered, [](Operation *left, Operation *right) {
    return left->isBeforeInBlock(right);
  });
  OpBuilder builder(user);
  for (Operation *op : ordered) {
    Operation *copy = builder.clone(*op, copies);
    copy->setAttr(HeteroDialect::getLayerAttrName(),
                  LayerAttr::get(op->getContext(), layer, Phase::Recompute));
  }
  numCopied += ordered.size();
  for (Value value : getUses(user))
    if (Value copy = copies.lookupOrNull(value))
      value.replaceUsesWithIf(copy, [&](OpOperand &use) {
        return block.findAncestorOpInBlock(*use.getOwner()) == user;
      });
}

int64_t Recomputer::run() {
  SmallVector<std::pair<Operation *, int64_t>> users;
  for (Operation &op : block) {
    auto place = layers.ofOp.find(&op);
    if (place == layers.ofOp.end() || (place->second.phase != Phase::Backward &&
                                       place->second.phase != Phase::Recompute))
      continue;
    if (StageOp stage = getStage(&op); stage && stage.getRecompute())
      users.push_back({&op, place->second.layer});
  }
  for (auto [user, layer] : users)
    copyFor(user, layer);
  return numCopied;
}

/// The phase of an operation; none if it depends on no argument.
static std::optional<Phase> getPhase(Operation *op) {
  auto layer = op->getAttrOfType<LayerAttr>(HeteroDialect::getLayerAttrName());
  return layer ? std::optional<Phase>(layer.getPhase()) : std::nullopt;
}

void partition::sinkIntoBackward(func::FuncOp step) {
  Block &block = step.getBody().front();
  Operation *lastForward = nullptr;
  for (Operation &op : block)
    if (getPhase(&op) == Phase::Forward)
      lastForward = &op;
  SmallVector<Operation *> early;
  for (Operation &op : block) {
    if (&op == lastForward)
      break;
    if (getPhase(&op) == Phase::Backward && isMemoryEffectFree(&op))
      early.push_back(&op);
  }
  for (Operation *op : llvm::reverse(early)) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *top = block.findAncestorOpInBlock(*user);
      if (!first || top->isBeforeInBlock(first))
        first = top;
    }
    if (first)
      op->moveBefore(first);
  }
}

FailureOr<int64_t> partition::copyForRecompute(ModuleOp module) {
  auto plans = module.getOps<PlanOp>();
  if (plans.empty() ||
      llvm::none_of((*plans.begin()).getStages(),
                    [](StageOp stage) { return stage.getRecompute(); }))
    return 0;
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return failure();
  FailureOr<StepLayers> layers = readLayers(*step);
  FailureOr<FormAxis> axis = getBatchAxis(*step);
  if (failed(layers) || failed(axis))
    return failure();
  return Recomputer(*step, *plans.begin(), *layers, std::move(*axis)).run();
}
