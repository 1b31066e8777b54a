//===- Slices.cpp - What a value is computed from -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Slices.h"
#include "hetero/Dialect/Stablehlo.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace hetero;

namespace {
/// A worklist of values, each visited once.
class ValueWorklist {
public:
  void push(Value value) {
    if (seen.insert(value).second)
      values.push_back(value);
  }
  void push(ValueRange range) {
    for (Value value : range)
      push(value);
  }
  bool empty() const { return values.empty(); }
  Value pop() { return values.pop_back_val(); }

private:
  SmallVector<Value> values;
  llvm::DenseSet<Value> seen;
};
} // namespace

/// What a region's only block returns.
static OperandRange getReturned(Region &region) {
  return region.front().getTerminator()->getOperands();
}

static bool isWellFormed(Region &region) {
  return region.hasOneBlock() && !region.front().empty();
}

/// The value that a loop carries in place `index`: where it starts, what the
/// body makes of it, and the condition that ends the loop.
static void pushCarried(stablehlo::WhileOp loop, unsigned index,
                        ValueWorklist &worklist) {
  worklist.push(loop->getOperand(index));
  worklist.push(getReturned(loop.getBody())[index]);
  worklist.push(getReturned(loop.getCond()));
}

/// Steps through structured control flow. Returns false if `value` has nothing
/// to do with it.
static bool pushControlFlow(Value value, ValueWorklist &worklist) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<stablehlo::WhileOp>(
        argument.getOwner()->getParentOp());
    if (!loop)
      return false;
    pushCarried(loop, argument.getArgNumber(), worklist);
    return true;
  }
  unsigned index = cast<OpResult>(value).getResultNumber();
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
    pushCarried(loop, index, worklist);
    return true;
  }
  if (!isa<stablehlo::IfOp, stablehlo::CaseOp>(op) ||
      !llvm::all_of(op->getRegions(), isWellFormed))
    return false;
  worklist.push(op->getOperands());
  for (Region &region : op->getRegions())
    worklist.push(getReturned(region)[index]);
  return true;
}

/// The arguments that `values` are computed from through values that `follows`
/// accepts.
static llvm::BitVector collectSources(Block &entry, ValueRange values,
                                      function_ref<bool(Value)> follows) {
  llvm::BitVector arguments(entry.getNumArguments());
  ValueWorklist worklist;
  worklist.push(values);
  while (!worklist.empty()) {
    Value value = worklist.pop();
    if (!follows(value))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &entry) {
      arguments.set(argument.getArgNumber());
      continue;
    }
    if (pushControlFlow(value, worklist) || isa<BlockArgument>(value))
      continue;
    Operation *op = value.getDefiningOp();
    worklist.push(op->getOperands());
    visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) {
      worklist.push(operand->get());
    });
  }
  return arguments;
}

llvm::BitVector hetero::getSourceArguments(Block &entry, ValueRange values) {
  return collectSources(entry, values, [](Value) { return true; });
}

llvm::BitVector hetero::getFloatSources(Block &entry, ValueRange values) {
  return collectSources(entry, values, [](Value value) {
    return isa<FloatType, ComplexType>(getElementTypeOrSelf(value.getType()));
  });
}

/// Whether every result element of `op` comes from the operands' elements at
/// the same place.
static bool isElementwise(Operation *op) {
  return op->hasTrait<mlir::OpTrait::Elementwise>() ||
         isa<stablehlo::SelectOp, stablehlo::ClampOp>(op) ||
         op->getName().getStringRef() == "sdy.sharding_constraint";
}

/// The operands from whose elements those of `value` at the same place come.
static SmallVector<Value> getElementwiseOperands(Value value) {
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (isElementwise(op))
    return op->getOperands();
  if (isa<stablehlo::OptimizationBarrierOp, stablehlo::WhileOp,
          stablehlo::ScatterOp>(op))
    return {op->getOperand(index)};
  if (isa<stablehlo::DynamicUpdateSliceOp>(op))
    return {op->getOperand(0)};
  if (!isa<stablehlo::IfOp, stablehlo::CaseOp>(op) ||
      !llvm::all_of(op->getRegions(), isWellFormed))
    return {};
  return llvm::map_to_vector(op->getRegions(), [&](Region &region) {
    return getReturned(region)[index];
  });
}

SmallVector<ElementwiseSource> hetero::getElementwiseSources(Block &entry,
                                                             Value value) {
  SmallVector<ElementwiseSource> sources;
  auto shape = dyn_cast<ShapedType>(value.getType());
  if (!shape)
    return sources;
  auto sameShape = [&](Value other) {
    auto otherShape = dyn_cast<ShapedType>(other.getType());
    return otherShape && otherShape.hasRank() == shape.hasRank() &&
           (!shape.hasRank() || otherShape.getShape() == shape.getShape());
  };
  // Level by level, so that the first visit is by the shortest way.
  llvm::DenseSet<Value> seen = {value};
  SmallVector<Value> level = {value};
  for (unsigned distance = 0; !level.empty(); ++distance) {
    SmallVector<Value> next;
    for (Value current : level) {
      if (auto argument = dyn_cast<BlockArgument>(current)) {
        if (argument.getOwner() == &entry)
          sources.push_back({argument.getArgNumber(), distance});
        continue;
      }
      for (Value operand : getElementwiseOperands(current))
        if (sameShape(operand) && seen.insert(operand).second)
          next.push_back(operand);
    }
    level = std::move(next);
  }
  llvm::sort(sources, [](auto a, auto b) { return a.argument < b.argument; });
  return sources;
}
