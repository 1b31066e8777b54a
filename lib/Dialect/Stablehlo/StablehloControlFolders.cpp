//===- StablehloControlFolders.cpp - Folding of control flow --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches whose choice is known become straight code, loops that never run
// their operands, and loops carry only what changes and matters. JAX prints
// `scan` as a loop that carries everything its body captures, so the last one
// decides whether constants reach the body.

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::stablehlo;

/// The value of a tensor of which all elements are known to be equal.
static std::optional<APInt> getUniformInt(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) ||
      !isa<IntegerType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APInt>();
}

//===----------------------------------------------------------------------===//
// if and case
//===----------------------------------------------------------------------===//

/// Replaces `op` by the contents of one of its branches.
static LogicalResult replaceByBranch(PatternRewriter &rewriter, Operation *op,
                                     Region &branch) {
  Block &block = branch.front();
  if (!llvm::equal(block.getTerminator()->getOperandTypes(),
                   op->getResultTypes()))
    return rewriter.notifyMatchFailure(op, "branch returns other types");
  Operation *terminator = block.getTerminator();
  rewriter.inlineBlockBefore(&block, op);
  rewriter.replaceOp(op, terminator->getOperands());
  rewriter.eraseOp(terminator);
  return success();
}

static LogicalResult takeKnownBranch(IfOp op, PatternRewriter &rewriter) {
  std::optional<APInt> pred = getUniformInt(op.getPred());
  if (!pred)
    return failure();
  return replaceByBranch(
      rewriter, op, pred->isZero() ? op.getFalseBranch() : op.getTrueBranch());
}

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                       MLIRContext *) {
  patterns.add(takeKnownBranch);
}

static LogicalResult takeIndexedBranch(CaseOp op, PatternRewriter &rewriter) {
  auto branches = op.getBranches();
  std::optional<APInt> index = getUniformInt(op.getIndex());
  size_t last = branches.size() - 1;
  if (!index && last > 0)
    return failure();
  // An index out of range, also a negative one, names the last branch.
  size_t choice = index && index->ult(last) ? index->getZExtValue() : last;
  return replaceByBranch(rewriter, op, branches[choice]);
}

void CaseOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  patterns.add(takeIndexedBranch);
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// A loop whose condition is false from the start returns its operands.
static LogicalResult dropLoopThatNeverRuns(WhileOp op,
                                           PatternRewriter &rewriter) {
  Block &cond = op.getCond().front();
  std::optional<APInt> value =
      getUniformInt(cond.getTerminator()->getOperand(0));
  if (!value || !value->isZero() ||
      op->getOperandTypes() != op.getResultTypes())
    return failure();
  if (!llvm::all_of(
          cond, [](Operation &inner) { return isMemoryEffectFree(&inner); }))
    return failure();
  rewriter.replaceOp(op, op.getOperand());
  return success();
}

/// Whether all the types that belong to one carried value are the same.
static bool hasOneType(WhileOp op, unsigned index) {
  Type type = op.getOperand()[index].getType();
  Operation *next = op.getBody().front().getTerminator();
  return op.getResult(index).getType() == type &&
         op.getCond().getArgument(index).getType() == type &&
         op.getBody().getArgument(index).getType() == type &&
         next->getOperand(index).getType() == type;
}

/// Makes the loop without the carried values that `drop` marks. Nothing may
/// use their arguments and results any more.
static void dropCarried(WhileOp op, const llvm::BitVector &drop,
                        PatternRewriter &rewriter) {
  SmallVector<Value> operands, results;
  SmallVector<Type> types;
  for (auto [index, operand] : llvm::enumerate(op.getOperand())) {
    if (drop[index])
      continue;
    operands.push_back(operand);
    results.push_back(op.getResult(index));
    types.push_back(op.getResult(index).getType());
  }
  auto loop = WhileOp::create(rewriter, op.getLoc(), types, operands);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : {std::pair(&op.getCond(), &loop.getCond()),
                          std::pair(&op.getBody(), &loop.getBody())})
    rewriter.inlineRegionBefore(*from, *to, to->end());
  Operation *next = loop.getBody().front().getTerminator();
  rewriter.modifyOpInPlace(next, [&] { next->eraseOperands(drop); });
  rewriter.modifyOpInPlace(loop, [&] {
    loop.getCond().front().eraseArguments(drop);
    loop.getBody().front().eraseArguments(drop);
  });
  for (auto [from, to] : llvm::zip(results, loop.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
}

/// Takes values that the body returns as it got them out of the loop.
static LogicalResult hoistInvariants(WhileOp op, PatternRewriter &rewriter) {
  Operation *next = op.getBody().front().getTerminator();
  llvm::BitVector invariant(op.getNumOperands());
  for (auto [index, operand] : llvm::enumerate(op.getOperand())) {
    Value returned = next->getOperand(index);
    bool same =
        returned == op.getBody().getArgument(index) || returned == operand;
    if (same && hasOneType(op, index))
      invariant.set(index);
  }
  if (invariant.none())
    return failure();
  for (unsigned index : invariant.set_bits()) {
    Value operand = op.getOperand()[index];
    rewriter.replaceAllUsesWith(op.getCond().getArgument(index), operand);
    rewriter.replaceAllUsesWith(op.getBody().getArgument(index), operand);
    rewriter.replaceAllUsesWith(op.getResult(index), operand);
  }
  dropCarried(op, invariant, rewriter);
  return success();
}

namespace {
/// Finds the carried values of a loop that something depends on: an effect, the
/// condition, or a use of a result; directly or through other iterations.
class CarriedLiveness {
public:
  explicit CarriedLiveness(WhileOp op) : op(op), live(op.getNumOperands()) {
    for (unsigned index = 0; index < live.size(); ++index)
      if (!op.getResult(index).use_empty() ||
          !op.getCond().getArgument(index).use_empty())
        markCarried(index);
    for (Operation &inner : op.getBody().front().without_terminator())
      if (!isMemoryEffectFree(&inner))
        markOp(&inner);
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }

  const llvm::BitVector &getLive() const { return live; }

private:
  void markCarried(unsigned index) {
    if (live[index])
      return;
    live.set(index);
    markValue(op.getBody().front().getTerminator()->getOperand(index));
  }

  void markValue(Value value) {
    Block *body = &op.getBody().front();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == body)
        markCarried(argument.getArgNumber());
      return;
    }
    // Values of nested regions belong to an op of the body that is marked.
    if (value.getParentBlock() == body)
      markOp(value.getDefiningOp());
  }

  void markOp(Operation *inner) {
    if (seen.insert(inner).second)
      worklist.push_back(inner);
  }

  void visit(Operation *inner) {
    inner->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        markValue(operand);
    });
  }

  WhileOp op;
  llvm::BitVector live;
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Operation *> worklist;
};
} // namespace

/// Drops carried values that only serve to compute themselves.
static LogicalResult dropDeadCarried(WhileOp op, PatternRewriter &rewriter) {
  // The analysis walks the body; a loop all of whose results are used has
  // nothing to drop.
  if (llvm::none_of(op.getResults(), [](Value v) { return v.use_empty(); }))
    return failure();
  llvm::BitVector dead = CarriedLiveness(op).getLive();
  dead.flip();
  if (dead.none())
    return failure();
  // What is left of their computation in the body: each value may still use
  // the arguments, so these stand for the operands from now on.
  Operation *next = op.getBody().front().getTerminator();
  for (unsigned index : dead.set_bits()) {
    if (!hasOneType(op, index))
      return failure();
  }
  for (unsigned index : dead.set_bits()) {
    Value operand = op.getOperand()[index];
    rewriter.modifyOpInPlace(next, [&] { next->setOperand(index, operand); });
    rewriter.replaceAllUsesWith(op.getBody().getArgument(index), operand);
  }
  dropCarried(op, dead, rewriter);
  return success();
}

void WhileOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(dropLoopThatNeverRuns);
  patterns.add(hoistInvariants);
  patterns.add(dropDeadCarried);
}

//===----------------------------------------------------------------------===//
// Tuples and reductions
//===----------------------------------------------------------------------===//

OpFoldResult GetTupleElementOp::fold(FoldAdaptor) {
  auto tuple = getOperand().getDefiningOp<TupleOp>();
  return tuple ? OpFoldResult(tuple.getOperand(getIndex())) : OpFoldResult();
}

/// A reduction over no dimension returns its inputs.
static LogicalResult dropEmptyReduction(ReduceOp op,
                                        PatternRewriter &rewriter) {
  if (!op.getDimensions().empty() ||
      op.getInputs().getTypes() != op.getResultTypes())
    return failure();
  rewriter.replaceOp(op, op.getInputs());
  return success();
}

/// A reduction of nothing returns its initial values everywhere.
static LogicalResult foldReductionOfNothing(ReduceOp op,
                                            PatternRewriter &rewriter) {
  auto input = cast<RankedTensorType>(op.getInputs().front().getType());
  if (llvm::none_of(op.getDimensions(),
                    [&](int64_t dim) { return input.getDimSize(dim) == 0; }))
    return failure();
  SmallVector<Value> constants;
  for (auto [initValue, type] :
       llvm::zip(op.getInitValues(), op.getResultTypes())) {
    DenseElementsAttr value;
    auto result = cast<RankedTensorType>(type);
    if (!result.hasStaticShape() ||
        !matchPattern(initValue, m_Constant(&value)) || !value.isSplat() ||
        value.getElementType() != result.getElementType())
      return failure();
    constants.push_back(ConstantOp::create(
        rewriter, op.getLoc(), cast<ElementsAttr>(value.resizeSplat(result))));
  }
  rewriter.replaceOp(op, constants);
  return success();
}

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(dropEmptyReduction);
  patterns.add(foldReductionOfNothing);
}
