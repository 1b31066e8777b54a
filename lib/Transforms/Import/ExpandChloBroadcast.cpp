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
  auto type = cast<RankedTensorType>(value.getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
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
  int64_t resultRank =
      cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  return llvm::to_vector(llvm::seq<int64_t>(resultRank - rank, resultRank));
}

/// Broadcasts both operands of a binary op.
template <typename OpT>
static FailureOr<std::pair<Value, Value>>
broadcastOperands(PatternRewriter &rewriter, OpT op) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  int64_t lhsRank = cast<RankedTensorType>(lhs.getType()).getRank();
  int64_t rhsRank = cast<RankedTensorType>(rhs.getType()).getRank();
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
  return std::make_pair(*newLhs, *newRhs);
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

namespace {
/// An op of StableHLO after the broadcast.
template <typename OpT, typename NewOpT, Elements elements>
struct ExpandToOp : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkStatic(op)) || failed(checkElements(op, elements)))
      return failure();
    auto operands = broadcastOperands(rewriter, op);
    if (failed(operands))
      return failure();
    replaceWith(rewriter, op,
                NewOpT::create(rewriter, op.getLoc(), operands->first,
                               operands->second));
    return success();
  }
};

/// A function that is expanded in turn.
template <typename OpT, Expr (*expand)(Expr, Expr)>
struct ExpandToFunction : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkStatic(op)) || failed(checkElements(op, Elements::Float)))
      return failure();
    auto operands = broadcastOperands(rewriter, op);
    if (failed(operands))
      return failure();
    ExprBuilder b(rewriter, op.getLoc());
    replaceWith(
        rewriter, op,
        expand(upcast(b(operands->first)), upcast(b(operands->second))));
    return success();
  }
};

struct ExpandBroadcastNextAfter
    : public OpRewritePattern<chlo::BroadcastNextAfterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::BroadcastNextAfterOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkStatic(op)))
      return failure();
    Type elementType = getElementTypeOrSelf(op.getLhs().getType());
    if (!supportsNextAfter(elementType))
      return op.emitOpError()
             << "cannot be expanded for elements of type " << elementType;
    auto operands = broadcastOperands(rewriter, op);
    if (failed(operands))
      return failure();
    ExprBuilder b(rewriter, op.getLoc());
    replaceWith(rewriter, op,
                expandNextAfter(b(operands->first), b(operands->second)));
    return success();
  }
};

struct ExpandBroadcastCompare
    : public OpRewritePattern<chlo::BroadcastCompareOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::BroadcastCompareOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkStatic(op)))
      return failure();
    auto operands = broadcastOperands(rewriter, op);
    if (failed(operands))
      return failure();
    // The cases of both enumerations have the same numbers.
    auto direction =
        stablehlo::ComparisonDirection(op.getComparisonDirection());
    auto type = stablehlo::ComparisonType(
        op.getCompareType().value_or(chlo::ComparisonType::NOTYPE));
    replaceWith(rewriter, op,
                stablehlo::CompareOp::create(rewriter, op.getLoc(),
                                             operands->first, operands->second,
                                             direction, type));
    return success();
  }
};

struct ExpandBroadcastSelect
    : public OpRewritePattern<chlo::BroadcastSelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::BroadcastSelectOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkStatic(op)))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
      FailureOr<Value> value =
          broadcastTo(rewriter, op, operand, getLastDims(op, rank));
      if (failed(value))
        return failure();
      operands.push_back(*value);
    }
    replaceWith(rewriter, op,
                stablehlo::SelectOp::create(rewriter, op.getLoc(), operands[0],
                                            operands[1], operands[2]));
    return success();
  }
};
} // namespace

void hetero::populateExpandChloBroadcast(RewritePatternSet &patterns) {
  using E = Elements;
  patterns.add<
      ExpandToOp<chlo::BroadcastAddOp, stablehlo::AddOp, E::Any>,
      ExpandToOp<chlo::BroadcastAndOp, stablehlo::AndOp, E::Any>,
      ExpandToOp<chlo::BroadcastAtan2Op, stablehlo::Atan2Op, E::FloatOrComplex>,
      ExpandToOp<chlo::BroadcastComplexOp, stablehlo::ComplexOp, E::Any>,
      ExpandToOp<chlo::BroadcastDivOp, stablehlo::DivOp, E::Number>,
      ExpandToOp<chlo::BroadcastMaxOp, stablehlo::MaxOp, E::Any>,
      ExpandToOp<chlo::BroadcastMinOp, stablehlo::MinOp, E::Any>,
      ExpandToOp<chlo::BroadcastMulOp, stablehlo::MulOp, E::Any>,
      ExpandToOp<chlo::BroadcastOrOp, stablehlo::OrOp, E::Any>,
      ExpandToOp<chlo::BroadcastPowOp, stablehlo::PowOp, E::Number>,
      ExpandToOp<chlo::BroadcastRemOp, stablehlo::RemOp, E::Number>,
      ExpandToOp<chlo::BroadcastShiftLeftOp, stablehlo::ShiftLeftOp,
                 E::Integer>,
      ExpandToOp<chlo::BroadcastShiftRightArithmeticOp,
                 stablehlo::ShiftRightArithmeticOp, E::Integer>,
      ExpandToOp<chlo::BroadcastShiftRightLogicalOp,
                 stablehlo::ShiftRightLogicalOp, E::Integer>,
      ExpandToOp<chlo::BroadcastSubOp, stablehlo::SubtractOp, E::Number>,
      ExpandToOp<chlo::BroadcastXorOp, stablehlo::XorOp, E::Any>,
      ExpandToFunction<chlo::BroadcastPolygammaOp, expandPolygamma>,
      ExpandToFunction<chlo::BroadcastZetaOp, expandZeta>,
      ExpandBroadcastCompare, ExpandBroadcastNextAfter, ExpandBroadcastSelect>(
      patterns.getContext());
}
