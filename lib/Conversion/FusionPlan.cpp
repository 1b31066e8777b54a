//===- FusionPlan.cpp - Which operations share a loop ---------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionPlan.h"
#include "ScalarOps.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// Loops beyond this size spill registers, and take LLVM long. An operation on
/// floats counts as much as four on integers, which are one instruction each
/// and soon forgotten: random bits take more than a hundred of them.
static constexpr unsigned kMaxClusterSize = 384;

static unsigned getClusterSize(Operation &op) {
  return isa<IntegerType>(getElementType(op.getResult(0))) ? 1 : 4;
}

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The sizes that are not 1.
static SmallVector<int64_t> getProperSizes(Value value) {
  return llvm::to_vector(llvm::make_filter_range(
      getType(value).getShape(), [](int64_t size) { return size != 1; }));
}

bool hetero::isUnitReshape(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  return reshape && getProperSizes(reshape.getOperand()) ==
                        getProperSizes(reshape.getResult());
}

bool hetero::isView(Operation *op) {
  return isa<BroadcastInDimOp, TransposeOp, ReverseOp, SliceOp>(op) ||
         isUnitReshape(op);
}

bool hetero::isGenerated(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
  }
  return isa<IotaOp>(op);
}

/// Whether each element of the operand is found at exactly one place.
static bool isBijective(Operation *view) {
  return isa<TransposeOp, ReverseOp>(view) || isUnitReshape(view);
}

AffineMap hetero::getViewMap(Operation *view, AffineMap map) {
  MLIRContext *context = view->getContext();
  RankedTensorType from = getType(view->getOperand(0));
  SmallVector<AffineExpr> exprs(from.getRank(),
                                getAffineConstantExpr(0, context));
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(view)) {
    for (auto [i, d] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      if (from.getDimSize(i) != 1)
        exprs[i] = map.getResult(d);
  } else if (auto transpose = dyn_cast<TransposeOp>(view)) {
    for (auto [i, d] : llvm::enumerate(transpose.getPermutation()))
      exprs[d] = map.getResult(i);
  } else if (auto reverse = dyn_cast<ReverseOp>(view)) {
    llvm::copy(map.getResults(), exprs.begin());
    for (int64_t d : reverse.getDimensions())
      exprs[d] = from.getDimSize(d) - 1 - exprs[d];
  } else if (auto slice = dyn_cast<SliceOp>(view)) {
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      exprs[i] = expr * slice.getStrides()[i] + slice.getStartIndices()[i];
  } else {
    RankedTensorType to = getType(view->getResult(0));
    int64_t position = 0;
    for (int64_t i = 0; i < from.getRank(); ++i) {
      if (from.getDimSize(i) == 1)
        continue;
      while (to.getDimSize(position) == 1)
        ++position;
      exprs[i] = map.getResult(position++);
    }
  }
  return AffineMap::get(map.getNumDims(), 0, exprs, context);
}

/// Whether a block holds operations on whole tensors.
static bool isPlannedBlock(Block *block) {
  return !isa_and_present<StablehloDialect>(
             block->getParentOp()->getDialect()) ||
         isa<WhileOp, CaseOp, IfOp>(block->getParentOp());
}

FusionPlan::FusionPlan(Operation *function) {
  for (Region &region : function->getRegions())
    for (Block &block : region)
      visitBlock(block);
}

bool FusionPlan::isInlined(Operation *op) const {
  if (isGenerated(op) || isa<BroadcastInDimOp>(op))
    return true;
  return !isStored(op);
}

void FusionPlan::visitBlock(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (isView(&op) || isGenerated(&op) || isScalarOp(&op)) {
      visitFusible(op);
      continue;
    }
    if (isa<ReduceOp>(op)) {
      clusters[&op] = &op;
      continue;
    }
    if (isa<WhileOp, CaseOp, IfOp>(op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          visitBlock(nested);
  }
}

/// Whether the use reads elements of the result through views by itself.
static bool readsThroughViews(OpOperand &use) {
  return isa<DotGeneralOp, DotOp>(use.getOwner());
}

Operation *FusionPlan::getCommonCluster(Operation &op) const {
  Operation *common = nullptr;
  int64_t rank = getType(op.getResult(0)).getRank();
  for (OpOperand &use : op.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != op.getBlock())
      return nullptr;
    auto cluster = clusters.find(user);
    if (cluster == clusters.end())
      return nullptr;
    if (isa<ReduceOp>(user)) {
      if (use.getOperandNumber() >= cast<ReduceOp>(user).getInputs().size())
        return nullptr;
    } else if (isView(user)) {
      // A view that is stored is a root; the cluster of one that is not is
      // that of its users.
      if (!isBijective(user) || !cluster->second)
        return nullptr;
    } else if (getType(user->getResult(0)).getRank() != rank) {
      return nullptr;
    }
    if (common && common != cluster->second)
      return nullptr;
    common = cluster->second;
  }
  return common;
}

void FusionPlan::visitFusible(Operation &op) {
  Operation *common = getCommonCluster(op);
  if (isScalarOp(&op)) {
    if (common && clusterSizes[common] < kMaxClusterSize) {
      unstored.insert(&op);
      clusters[&op] = common;
    } else {
      clusters[&op] = common = &op;
    }
    clusterSizes[common] += getClusterSize(op);
    return;
  }
  // Views and generated values are stored for users that need a tensor.
  bool needsTensor = llvm::any_of(op.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    // Computations on single elements see tensors of their surroundings.
    if (!isPlannedBlock(user->getBlock()))
      return !isa<ConstantOp>(op);
    if (isView(user) || isScalarOp(user))
      return false;
    if (auto reduce = dyn_cast<ReduceOp>(user))
      return use.getOperandNumber() >= reduce.getInputs().size();
    return !(isView(&op) && readsThroughViews(use));
  });
  if (needsTensor) {
    clusters[&op] = &op;
    return;
  }
  unstored.insert(&op);
  clusters[&op] = common;
}
