//===- ControlToLinalg.cpp - Loops and branches ---------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// The types of the counterparts of the results.
static SmallVector<Type> convertTypes(ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(Lowering::convertType(value));
  return types;
}

LogicalResult Lowering::lowerWhile(WhileOp op) {
  SmallVector<Value> inits;
  for (Value operand : op.getOperand())
    inits.push_back(lookup(operand));
  SmallVector<Type> types = convertTypes(op->getResults());
  SmallVector<Location> locs(types.size(), op.getLoc());
  auto loop = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);

  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  for (auto [old, argument] :
       llvm::zip_equal(op.getCond().getArguments(), before->getArguments()))
    map(old, argument);
  if (failed(lowerBlock(op.getCond().front())))
    return failure();
  Value proceeds =
      getScalar(op.getCond().front().getTerminator()->getOperand(0));
  scf::ConditionOp::create(b, proceeds, before->getArguments());

  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  for (auto [old, argument] :
       llvm::zip_equal(op.getBody().getArguments(), after->getArguments()))
    map(old, argument);
  if (failed(lowerBranch(op.getBody())))
    return failure();
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), loop.getResults()))
    map(old, result);
  return success();
}

/// Lowers the region at the insertion point and yields what it returns.
LogicalResult Lowering::lowerBranch(Region &region) {
  if (failed(lowerBlock(region.front())))
    return failure();
  SmallVector<Value> results;
  for (Value value : region.front().getTerminator()->getOperands())
    results.push_back(lookup(value));
  scf::YieldOp::create(b, results);
  return success();
}

LogicalResult Lowering::lowerIf(IfOp op) {
  Value condition = getScalar(op.getPred());
  auto branch = scf::IfOp::create(b, convertTypes(op->getResults()), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (failed(lowerBranch(op.getTrueBranch())))
    return failure();
  b.setInsertionPointToStart(branch.elseBlock());
  if (failed(lowerBranch(op.getFalseBranch())))
    return failure();
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), branch.getResults()))
    map(old, result);
  return success();
}

LogicalResult Lowering::lowerCase(CaseOp op) {
  // An index outside of the branches selects the last one, which is the
  // default of the switch.
  Value selected = toIndex(b, getScalar(op.getIndex()), b.getI32Type());
  int64_t numCases = op.getBranches().size() - 1;
  SmallVector<int64_t> cases = llvm::to_vector(llvm::seq<int64_t>(0, numCases));
  auto branch =
      scf::IndexSwitchOp::create(b, convertTypes(op->getResults()), selected,
                                 cases, static_cast<unsigned>(numCases));
  OpBuilder::InsertionGuard guard(b);
  for (auto [i, region] : llvm::enumerate(op.getBranches())) {
    Region &target = int64_t(i) < numCases ? branch.getCaseRegions()[i]
                                           : branch.getDefaultRegion();
    b.createBlock(&target);
    if (failed(lowerBranch(region)))
      return failure();
  }
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), branch.getResults()))
    map(old, result);
  return success();
}

LogicalResult Lowering::lowerBarrier(OptimizationBarrierOp op) {
  for (auto [operand, result] :
       llvm::zip_equal(op.getOperand(), op.getResult()))
    map(result, lookup(operand));
  return success();
}
