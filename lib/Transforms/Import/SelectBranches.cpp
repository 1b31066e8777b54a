//===- SelectBranches.cpp - Small branches become selections --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hetero {
#define GEN_PASS_DEF_SELECTBRANCHESPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// Whether computing `op` without need costs no more than a few passes over
/// memory.
static bool isCheap(Operation &op) {
  if (isa<stablehlo::ReturnOp>(op))
    return true;
  if (isa<DotGeneralOp, ConvolutionOp, FftOp, CholeskyOp, TriangularSolveOp>(
          op))
    return false;
  return isPure(&op) && (op.getNumRegions() == 0 || isa<ReduceOp>(op));
}

static bool canSelect(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return false;
  }
  for (Region &region : op->getRegions())
    if (!llvm::all_of(region.front(), isCheap))
      return false;
  return true;
}

/// Whether branch `number` is the one to take.
static Value getCondition(OpBuilder &builder, Operation *op, int64_t number) {
  Value condition = op->getOperand(0);
  if (isa<IfOp>(op))
    return condition;
  auto type = cast<RankedTensorType>(condition.getType());
  Value wanted = ConstantOp::create(
      builder, op->getLoc(),
      DenseElementsAttr::get(type, builder.getI32IntegerAttr(number)));
  return CompareOp::create(builder, op->getLoc(), condition, wanted,
                           ComparisonDirection::EQ);
}

/// Moves all branches before `op` and selects from what they return. An index
/// out of range names the last branch.
static void selectBranches(Operation *op) {
  SmallVector<SmallVector<Value>> returned;
  for (Region &region : op->getRegions()) {
    Operation *terminator = region.front().getTerminator();
    returned.emplace_back(terminator->getOperands());
    terminator->erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           region.front().getOperations());
  }
  OpBuilder builder(op);
  SmallVector<Value> results = returned.back();
  for (int64_t number = int64_t(returned.size()) - 2; number >= 0; --number) {
    Value condition = getCondition(builder, op, number);
    for (auto [result, value] : llvm::zip_equal(results, returned[number]))
      if (result != value)
        result =
            SelectOp::create(builder, op->getLoc(), condition, value, result);
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

namespace {
struct SelectBranchesPass
    : public hetero::impl::SelectBranchesPassBase<SelectBranchesPass> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(checkOneBlock(getOperation(), "step")))
      return signalPassFailure();
    if (!getRoles(getOperation()).isStep())
      return;
    SmallVector<Operation *> branches;
    getOperation().walk([&](Operation *op) {
      if (isa<IfOp, CaseOp>(op))
        branches.push_back(op);
    });
    // Inner ones come first, and may make outer ones cheap.
    for (Operation *op : branches)
      if (canSelect(op)) {
        selectBranches(op);
        ++numSelected;
      }
  }
};
} // namespace
