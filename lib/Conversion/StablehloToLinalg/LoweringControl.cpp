//===- LoweringControl.cpp - Loops and branches ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// The types of the counterparts of the results.
static SmallVector<Type> convertTypes(ValueRange values) {
  return llvm::map_to_vector(
      values, [](Value value) -> Type { return Lowering::convertType(value); });
}

/// A loop whose counter the host knows: it need not be read from the device.
LogicalResult Lowering::lowerCountedLoop(WhileOp op, const CountedLoop &loop) {
  RankedTensorType counterType = convertType(op.getOperand()[loop.counter]);
  auto element = cast<IntegerType>(counterType.getElementType());
  auto makeCounter = [&](Value number) -> Value {
    auto constant = [&](int64_t value) {
      return b.integer(
          element, APInt(64, uint64_t(value), true).trunc(element.getWidth()));
    };
    Value count = arith::IndexCastOp::create(b, element, number);
    Value distance = b.mulI(count, constant(loop.step));
    Value value = b.addI(constant(loop.first), distance);
    return tensor::FromElementsOp::create(b, counterType, value);
  };
  // Not an scf.for: what deallocation makes of its buffers needs lists in
  // memory, where the host cannot be.
  SmallVector<Value> inits = {b.index(0)};
  for (auto [i, operand] : llvm::enumerate(op.getOperand()))
    if (i != loop.counter)
      inits.push_back(lookup(operand));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), op.getLoc());
  auto made = scf::WhileOp::create(b, types, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&made.getBefore(), {}, types, locs);
    Value goesOn =
        b.cmpI(IntOrder::slt, before->getArgument(0), b.index(loop.tripCount));
    scf::ConditionOp::create(b, goesOn, before->getArguments());
    Block *after = b.createBlock(&made.getAfter(), {}, types, locs);
    Value number = after->getArgument(0);
    unsigned next = 1;
    for (auto [i, old] : llvm::enumerate(op.getBody().getArguments()))
      map(old, i == loop.counter ? makeCounter(number)
                                 : Value(after->getArgument(next++)));
    if (failed(lowerBlock(op.getBody().front())))
      return failure();
    SmallVector<Value> results = {b.addI(number, b.index(1))};
    Operation *terminator = op.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
      if (i != loop.counter)
        results.push_back(lookup(value));
    scf::YieldOp::create(b, results);
  }
  unsigned next = 1;
  for (auto [i, old] : llvm::enumerate(op->getResults()))
    map(old, i == loop.counter ? makeCounter(b.index(loop.tripCount))
                               : Value(made.getResult(next++)));
  return success();
}

LogicalResult Lowering::lower(WhileOp op) {
  if (target == Target::Cuda)
    if (std::optional<CountedLoop> loop = matchCountedLoop(op))
      return lowerCountedLoop(op, *loop);
  SmallVector<Value> inits = lookup(op.getOperand());
  SmallVector<Type> types = convertTypes(op->getResults());
  SmallVector<Location> locs(types.size(), op.getLoc());
  auto loop = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);

  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  map(op.getCond().getArguments(), before->getArguments());
  if (failed(lowerBlock(op.getCond().front())))
    return failure();
  Value proceeds =
      getScalar(op.getCond().front().getTerminator()->getOperand(0));
  scf::ConditionOp::create(b, proceeds, before->getArguments());

  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  map(op.getBody().getArguments(), after->getArguments());
  if (failed(lowerBranch(op.getBody())))
    return failure();
  map(op->getResults(), loop.getResults());
  return success();
}

/// Lowers the region at the insertion point and yields what it returns.
LogicalResult Lowering::lowerBranch(Region &region) {
  if (failed(lowerBlock(region.front())))
    return failure();
  scf::YieldOp::create(b,
                       lookup(region.front().getTerminator()->getOperands()));
  return success();
}

/// Makes what a branch yields its own: where one branch gave a buffer of its
/// own and another one of somebody else, nobody would know who has to free it.
static void ownResults(OpBuilder &b, Block &branch) {
  Operation *yield = branch.getTerminator();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    operand.set(bufferization::AllocTensorOp::create(
        b, yield->getLoc(), cast<RankedTensorType>(operand.get().getType()),
        /*dynamicSizes=*/ValueRange(), /*copy=*/operand.get()));
}

LogicalResult Lowering::lower(IfOp op) {
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
  ownResults(b, *branch.thenBlock());
  ownResults(b, *branch.elseBlock());
  map(op->getResults(), branch.getResults());
  return success();
}

LogicalResult Lowering::lower(CaseOp op) {
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
    Block *block = b.createBlock(&target);
    if (failed(lowerBranch(region)))
      return failure();
    ownResults(b, *block);
  }
  map(op->getResults(), branch.getResults());
  return success();
}

LogicalResult Lowering::lower(OptimizationBarrierOp op) {
  map(op.getResult(), lookup(op.getOperand()));
  return success();
}
