//===- UnrollLayers.cpp - Unrolls loops over stacked layers ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Loops.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace hetero {
#define GEN_PASS_DEF_UNROLLLAYERSPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

namespace {
/// Finds the loops that run over layers.
class LayerLoops {
public:
  LayerLoops(func::FuncOp step) : roles(getRoles(step)), step(step) {}

  bool contains(stablehlo::WhileOp loop, const CountedLoop &counted);

private:
  bool isStackedLayers(Value value);

  StepRoles roles;
  func::FuncOp step;
  llvm::DenseSet<Operation *> found;
};
} // namespace

/// Whether `value` is computed from the loop's counter alone: the counter
/// itself, or its wrapping around for negative indices.
static bool dependsOnCounter(Value value, BlockArgument counter) {
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Value> seen;
  bool found = false;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (current == counter) {
      found = true;
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (!op)
      return false;
    if (op->hasTrait<OpTrait::ConstantLike>())
      continue;
    if (!op->hasTrait<OpTrait::Elementwise>() &&
        !isa<stablehlo::SelectOp, stablehlo::ReshapeOp>(op))
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

/// Whether `value` holds one slice a layer: a parameter, possibly in another
/// type or order, or what a loop over layers has stacked.
bool LayerLoops::isStackedLayers(Value value) {
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(current)) {
      if (argument.getOwner() != &step.front())
        continue;
      RoleAttr role = roles.arguments[argument.getArgNumber()];
      if (role && role.getKind() == RoleKind::Parameter)
        return true;
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (found.contains(op))
      return true;
    if (op->hasTrait<OpTrait::Elementwise>() ||
        isa<stablehlo::TransposeOp, stablehlo::ReverseOp,
            stablehlo::OptimizationBarrierOp>(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

bool LayerLoops::contains(stablehlo::WhileOp loop, const CountedLoop &counted) {
  Block &body = loop.getBody().front();
  BlockArgument counter = body.getArgument(counted.counter);
  auto sliceOfLayer = [&](stablehlo::DynamicSliceOp slice) {
    auto type = cast<RankedTensorType>(slice.getOperand().getType());
    if (type.getRank() == 0 || type.getDimSize(0) != counted.tripCount ||
        slice.getSliceSizes().front() != 1 ||
        !dependsOnCounter(slice.getStartIndices().front(), counter))
      return false;
    Value stack = slice.getOperand();
    if (auto carried = dyn_cast<BlockArgument>(stack);
        carried && carried.getOwner() == &body)
      stack = loop->getOperand(carried.getArgNumber());
    return isStackedLayers(stack);
  };
  bool isLayerLoop = false;
  for (auto slice : body.getOps<stablehlo::DynamicSliceOp>())
    isLayerLoop |= sliceOfLayer(slice);
  if (isLayerLoop)
    found.insert(loop);
  return isLayerLoop;
}

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//

/// Writes the iterations out before the loop and replaces it.
static void unroll(stablehlo::WhileOp loop, const CountedLoop &counted) {
  Block &body = loop.getBody().front();
  OpBuilder builder(loop);
  SmallVector<Value> carried(loop->getOperands());
  auto counterType = cast<RankedTensorType>(carried[counted.counter].getType());
  for (int64_t i = 0; i < counted.tripCount; ++i) {
    APInt value(counterType.getElementType().getIntOrFloatBitWidth(),
                counted.first + i * counted.step, /*isSigned=*/true,
                /*implicitTrunc=*/true);
    carried[counted.counter] = stablehlo::ConstantOp::create(
        builder, loop.getLoc(), DenseIntElementsAttr::get(counterType, value));
    IRMapping mapping;
    mapping.map(body.getArguments(), carried);
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [place, returned] :
         llvm::enumerate(body.getTerminator()->getOperands()))
      carried[place] = mapping.lookupOrDefault(returned);
  }
  loop->replaceAllUsesWith(carried);
  loop->erase();
}

//===----------------------------------------------------------------------===//
// Joining stacks
//===----------------------------------------------------------------------===//

/// The constant start indices of an update, nothing unless all are known.
static std::optional<SmallVector<int64_t>>
getStarts(stablehlo::DynamicUpdateSliceOp op) {
  SmallVector<int64_t> starts;
  for (Value index : op.getStartIndices()) {
    DenseIntElementsAttr elements;
    if (!matchPattern(index, m_Constant(&elements)))
      return std::nullopt;
    starts.push_back((*elements.value_begin<APInt>()).getSExtValue());
  }
  return starts;
}

/// Whether the update replaces whole rows; fills in which.
static bool getRows(stablehlo::DynamicUpdateSliceOp op, int64_t &begin,
                    int64_t &end) {
  auto type = cast<RankedTensorType>(op.getType());
  auto update = cast<RankedTensorType>(op.getUpdate().getType());
  std::optional<SmallVector<int64_t>> starts = getStarts(op);
  if (!starts || type.getRank() == 0 ||
      type.getShape().drop_front() != update.getShape().drop_front() ||
      !llvm::all_of(ArrayRef(*starts).drop_front(),
                    [](int64_t start) { return start == 0; }))
    return false;
  begin = starts->front();
  end = begin + update.getDimSize(0);
  return begin >= 0 && end <= type.getDimSize(0);
}

/// A chain of updates that together write every row once is a concatenation.
static void joinUpdates(stablehlo::DynamicUpdateSliceOp last) {
  SmallVector<std::pair<int64_t, Value>> pieces;
  int64_t covered = 0;
  for (stablehlo::DynamicUpdateSliceOp op = last; op;
       op = op.getOperand().getDefiningOp<stablehlo::DynamicUpdateSliceOp>()) {
    int64_t begin, end;
    if (!getRows(op, begin, end))
      break;
    // Earlier updates of a row are overwritten by later ones; give up on the
    // partly overwritten.
    if (llvm::any_of(pieces, [&](auto &piece) {
          auto type = cast<RankedTensorType>(piece.second.getType());
          return begin < piece.first + type.getDimSize(0) && piece.first < end;
        }))
      return;
    pieces.push_back({begin, op.getUpdate()});
    covered += end - begin;
  }
  auto type = cast<RankedTensorType>(last.getType());
  if (pieces.size() < 2 || covered != type.getDimSize(0))
    return;
  llvm::sort(pieces, llvm::less_first());
  SmallVector<Value> values(llvm::make_second_range(pieces));
  OpBuilder builder(last);
  Value joined = stablehlo::ConcatenateOp::create(builder, last.getLoc(), type,
                                                  values, /*dimension=*/0);
  last.replaceAllUsesWith(joined);
  last.erase();
}

/// Joins the chains whose last update is not itself updated.
static void joinChains(func::FuncOp step) {
  SmallVector<stablehlo::DynamicUpdateSliceOp> ends;
  step.walk([&](stablehlo::DynamicUpdateSliceOp op) {
    bool isLast = llvm::none_of(op->getUses(), [](OpOperand &use) {
      return isa<stablehlo::DynamicUpdateSliceOp>(use.getOwner()) &&
             use.getOperandNumber() == 0;
    });
    if (isLast)
      ends.push_back(op);
  });
  for (stablehlo::DynamicUpdateSliceOp op : ends)
    joinUpdates(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct UnrollLayersPass
    : public hetero::impl::UnrollLayersPassBase<UnrollLayersPass> {
  using UnrollLayersPassBase::UnrollLayersPassBase;
  void runOnOperation() override;
};
} // namespace

void UnrollLayersPass::runOnOperation() {
  func::FuncOp step = getOperation();
  if (step.isExternal())
    return;
  LayerLoops layers(step);
  SmallVector<std::pair<stablehlo::WhileOp, CountedLoop>> loops;
  auto consider = [&](stablehlo::WhileOp loop) {
    std::optional<CountedLoop> counted = matchCountedLoop(loop);
    if (counted && counted->tripCount <= maxTripCount &&
        (all || layers.contains(loop, *counted)))
      loops.push_back({loop, *counted});
  };
  if (all)
    step.walk(consider); // Inner loops first.
  else
    llvm::for_each(step.front().getOps<stablehlo::WhileOp>(), consider);
  if (loops.empty())
    return;

  for (auto [loop, counted] : loops) {
    unroll(loop, counted);
    ++numLoops;
    numIterations += counted.tripCount;
  }
  // The counters are constants now: let slices and stacks become static.
  OpPassManager simplify(func::FuncOp::getOperationName());
  simplify.addPass(createCanonicalizerPass());
  simplify.addPass(createCSEPass());
  if (failed(runPipeline(simplify, step)))
    return signalPassFailure();
  joinChains(step);
}
