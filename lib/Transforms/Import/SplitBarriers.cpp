//===- SplitBarriers.cpp - Keeps what samples do not change by itself -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"

namespace hetero {
#define GEN_PASS_DEF_SPLITBARRIERSPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

/// Whether `op` or an operation inside of it reads one of `values`.
static bool readsAny(Operation &op, const DenseSet<Value> &values) {
  auto isIn = [&](Value value) { return values.contains(value); };
  if (llvm::any_of(op.getOperands(), isIn))
    return true;
  bool reads = false;
  visitUsedValuesDefinedAbove(op.getRegions(), [&](OpOperand *operand) {
    reads |= isIn(operand->get());
  });
  return reads;
}

/// Takes the operands at `places` to a barrier of their own.
static Operation *addPart(stablehlo::OptimizationBarrierOp barrier,
                          ArrayRef<unsigned> places) {
  OpBuilder builder(barrier);
  SmallVector<Value> operands;
  for (unsigned place : places)
    operands.push_back(barrier->getOperand(place));
  auto part = stablehlo::OptimizationBarrierOp::create(
      builder, barrier.getLoc(), ValueRange(operands).getTypes(), operands);
  for (auto [place, result] : llvm::zip_equal(places, part->getResults()))
    barrier->getResult(place).replaceAllUsesWith(result);
  return part;
}

namespace {
struct SplitBarriersPass
    : public hetero::impl::SplitBarriersPassBase<SplitBarriersPass> {
  void runOnOperation() override;
};
} // namespace

void SplitBarriersPass::runOnOperation() {
  func::FuncOp step = getOperation();
  if (step.isExternal())
    return;
  if (failed(checkOneBlock(step, "step")))
    return signalPassFailure();
  DenseSet<Value> ofSamples;
  for (auto [argument, role] :
       llvm::zip_equal(step.getArguments(), getRoles(step).arguments))
    if (role && role.getKind() == RoleKind::Batch)
      ofSamples.insert(argument);
  for (Operation &op : llvm::make_early_inc_range(step.getBody().front())) {
    auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(op);
    if (!barrier) {
      if (readsAny(op, ofSamples))
        ofSamples.insert(op.result_begin(), op.result_end());
      continue;
    }
    SmallVector<unsigned> with, without;
    for (auto [place, operand] : llvm::enumerate(op.getOperands()))
      (ofSamples.contains(operand) ? with : without).push_back(place);
    if (with.empty())
      continue;
    if (without.empty()) {
      ofSamples.insert(op.result_begin(), op.result_end());
      continue;
    }
    addPart(barrier, without);
    Operation *part = addPart(barrier, with);
    ofSamples.insert(part->result_begin(), part->result_end());
    barrier.erase();
    ++numSplit;
  }
}
