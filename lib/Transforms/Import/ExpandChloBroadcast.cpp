//===- ExpandChloBroadcast.cpp - Broadcasting ops of CHLO -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandChlo.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace hetero;

/// `value` in the shape of `result`, dimension i becoming dims[i]. Reports at
/// `op` when that is not possible.
static FailureOr<Value> broadcastTo(PatternRewriter &rewriter, Operation *op,
                                    Value value, ArrayRef<int64_t> dims) {
  RankedTensorType type = getTensorType(value);
  RankedTensorType result = getTensorType(op->getResult(0));
  llvm::SmallBitVector seen(result.getRank());
  bool isPossible = int64_t(dims.size()) == type.getRank();
  for (unsigned i = 0; isPossible && i != dims.size(); ++i) {
    int64_t dim = dims[i];
    isPossible = dim >= 0 && dim < result.getRank() && !seen[dim] &&
                 (type.getDimSize(i) == 1 ||
                  type.getDimSize(i) == result.getDimSize(dim));
    if (isPossible)
      seen.set(dim);
  }
  if (!isPossible)
    return op->emitOpError() << "cannot be expanded: " << type
                             << " does not broadcast to " << result;
  if (type.getShape() == result.getShape() &&
      llvm::equal(dims, llvm::seq<int64_t>(0, type.getRank())))
    return value;
  return stablehlo::BroadcastInDimOp::create(
             rewriter, op->getLoc(),
             RankedTensorType::get(result.getShape(), type.getElementType()),
             value, rewriter.getDenseI64ArrayAttr(dims))
      .getResult();
}

/// The dimensions of the result that a value of rank `rank` is aligned with
/// when nothing else is said: the last ones.
static SmallVector<int64_t> getLastDims(Operation *op, int64_t rank) {
  int64_t resultRank = getTensorType(op->getResult(0)).getRank();
  return llvm::to_vector(llvm::seq<int64_t>(resultRank - rank, resultRank));
}

/// Replaces a binary op by what `make` makes of its operands, broadcast.
template <typename OpT>
static LogicalResult
replaceBroadcast(PatternRewriter &rewriter, OpT op,
                 llvm::function_ref<Value(Expr, Expr)> make) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  int64_t lhsRank = getTensorType(lhs).getRank();
  int64_t rhsRank = getTensorType(rhs).getRank();
  SmallVector<int64_t> lhsDims = getLastDims(op, lhsRank);
  SmallVector<int64_t> rhsDims = getLastDims(op, rhsRank);
  // They speak of the operand of lower rank.
  if (std::optional<ArrayRef<int64_t>> dims = op.getBroadcastDimensions())
    (lhsRank <= rhsRank ? lhsDims : rhsDims).assign(dims->begin(), dims->end());
  FailureOr<Value> newLhs = broadcastTo(rewriter, op, lhs, lhsDims);
  if (failed(newLhs))
    return failure();
  FailureOr<Value> newRhs = broadcastTo(rewriter, op, rhs, rhsDims);
  if (failed(newRhs))
    return failure();
  ExprBuilder b(rewriter, op.getLoc());
  replaceWith(rewriter, op, make(b(*newLhs), b(*newRhs)));
  return success();
}

namespace {
/// What elements the op of the same name without broadcasting takes. CHLO's
/// verifier does not ask.
enum class Elements { Any, Number, Float, FloatOrComplex, Integer };
} // namespace

static bool isAccepted(Elements elements, Type type) {
  switch (elements) {
  case Elements::Any:
    return true;
  case Elements::Number:
    return !type.isInteger(1);
  case Elements::Float:
    return isa<FloatType>(type);
  case Elements::FloatOrComplex:
    return isa<FloatType, ComplexType>(type);
  case Elements::Integer:
    return isa<IntegerType>(type) && !type.isInteger(1);
  }
  return false;
}

static LogicalResult checkElements(Operation *op, Elements elements) {
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isAccepted(elements, type))
    return success();
  return op->emitOpError() << "cannot be expanded for elements of type "
                           << type;
}

/// An op of StableHLO after the broadcast.
template <typename OpT, typename NewOpT, Elements elements>
static LogicalResult expandToOp(OpT op, PatternRewriter &rewriter) {
  if (failed(checkStatic(op)) || failed(checkElements(op, elements)))
    return failure();
  return replaceBroadcast(rewriter, op, [&](Value lhs, Value rhs) -> Value {
    return NewOpT::create(rewriter, op.getLoc(), lhs, rhs);
  });
}

/// A function that is expanded in turn.
template <typename OpT, Expr (*expand)(Expr, Expr)>
static LogicalResult expandToFunction(OpT op, PatternRewriter &rewriter) {
  if (failed(checkStatic(op)) || failed(checkElements(op, Elements::Float)))
    return failure();
  return replaceBroadcast(rewriter, op, [](Expr lhs, Expr rhs) -> Value {
    return expand(upcast(lhs), upcast(rhs));
  });
}

static LogicalResult expandBroadcastNextAfter(chlo::BroadcastNextAfterOp op,
                                              PatternRewriter &rewriter) {
  if (failed(checkStatic(op)) || failed(checkNextAfter(op)))
    return failure();
  return replaceBroadcast(rewriter, op, expandNextAfter);
}

static LogicalResult expandBroadcastCompare(chlo::BroadcastCompareOp op,
                                            PatternRewriter &rewriter) {
  if (failed(checkStatic(op)))
    return failure();
  // The cases of both enumerations have the same numbers.
  auto direction = stablehlo::ComparisonDirection(op.getComparisonDirection());
  auto type = stablehlo::ComparisonType(
      op.getCompareType().value_or(chlo::ComparisonType::NOTYPE));
  return replaceBroadcast(rewriter, op, [&](Value lhs, Value rhs) -> Value {
    return stablehlo::CompareOp::create(rewriter, op.getLoc(), lhs, rhs,
                                        direction, type);
  });
}

static LogicalResult expandBroadcastSelect(chlo::BroadcastSelectOp op,
                                           PatternRewriter &rewriter) {
  if (failed(checkStatic(op)))
    return failure();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> value =
        broadcastTo(rewriter, op, operand,
                    getLastDims(op, getTensorType(operand).getRank()));
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  replaceWith(rewriter, op,
              stablehlo::SelectOp::create(rewriter, op.getLoc(), operands[0],
                                          operands[1], operands[2]));
  return success();
}

void hetero::populateExpandChloBroadcast(RewritePatternSet &patterns) {
  using E = Elements;
  patterns.add(expandToOp<chlo::BroadcastAddOp, stablehlo::AddOp, E::Any>)
      .add(expandToOp<chlo::BroadcastAndOp, stablehlo::AndOp, E::Any>)
      .add(expandToOp<chlo::BroadcastAtan2Op, stablehlo::Atan2Op,
                      E::FloatOrComplex>)
      .add(expandToOp<chlo::BroadcastComplexOp, stablehlo::ComplexOp, E::Any>)
      .add(expandToOp<chlo::BroadcastDivOp, stablehlo::DivOp, E::Number>)
      .add(expandToOp<chlo::BroadcastMaxOp, stablehlo::MaxOp, E::Any>)
      .add(expandToOp<chlo::BroadcastMinOp, stablehlo::MinOp, E::Any>)
      .add(expandToOp<chlo::BroadcastMulOp, stablehlo::MulOp, E::Any>)
      .add(expandToOp<chlo::BroadcastOrOp, stablehlo::OrOp, E::Any>)
      .add(expandToOp<chlo::BroadcastPowOp, stablehlo::PowOp, E::Number>)
      .add(expandToOp<chlo::BroadcastRemOp, stablehlo::RemOp, E::Number>)
      .add(expandToOp<chlo::BroadcastShiftLeftOp, stablehlo::ShiftLeftOp,
                      E::Integer>)
      .add(expandToOp<chlo::BroadcastShiftRightArithmeticOp,
                      stablehlo::ShiftRightArithmeticOp, E::Integer>)
      .add(expandToOp<chlo::BroadcastShiftRightLogicalOp,
                      stablehlo::ShiftRightLogicalOp, E::Integer>)
      .add(expandToOp<chlo::BroadcastSubOp, stablehlo::SubtractOp, E::Number>)
      .add(expandToOp<chlo::BroadcastXorOp, stablehlo::XorOp, E::Any>)
      .add(expandToFunction<chlo::BroadcastPolygammaOp, expandPolygamma>)
      .add(expandToFunction<chlo::BroadcastZetaOp, expandZeta>)
      .add(expandBroadcastCompare)
      .add(expandBroadcastNextAfter)
      .add(expandBroadcastSelect);
}
