//===- ExpandChloTopK.cpp - chlo.top_k as a sort --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandChlo.h"

using namespace mlir;
using namespace hetero;

/// Fills the comparator: is the first of two elements, each given with its
/// position, the larger? Floating-point numbers are in total order: NaN with a
/// positive sign comes before infinity, 0 before -0, as in JAX.
static void makeComparator(PatternRewriter &rewriter, Location loc,
                           Region &region, Type elementType,
                           Type positionType) {
  auto scalar = [](Type type) { return RankedTensorType::get({}, type); };
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> types = {scalar(elementType), scalar(elementType),
                             scalar(positionType), scalar(positionType)};
  Block *block = rewriter.createBlock(&region, region.end(), types,
                                      SmallVector<Location>(4, loc));
  auto order = isa<FloatType>(elementType)
                   ? stablehlo::ComparisonType::TOTALORDER
                   : stablehlo::ComparisonType::NOTYPE;
  Value isLarger = stablehlo::CompareOp::create(
      rewriter, loc, block->getArgument(0), block->getArgument(1),
      stablehlo::ComparisonDirection::GT, order);
  stablehlo::ReturnOp::create(rewriter, loc, isLarger);
}

/// The first k elements of the last dimension.
static Value takeFirst(PatternRewriter &rewriter, Location loc, Value value,
                       int64_t k) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  SmallVector<int64_t> limits(type.getShape());
  limits.back() = k;
  return stablehlo::SliceOp::create(
      rewriter, loc, RankedTensorType::get(limits, type.getElementType()),
      value, rewriter.getDenseI64ArrayAttr(starts),
      rewriter.getDenseI64ArrayAttr(limits),
      rewriter.getDenseI64ArrayAttr(strides));
}

static LogicalResult expandTopK(chlo::TopKOp op, PatternRewriter &rewriter) {
  if (failed(checkStatic(op)))
    return failure();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  Type elementType = type.getElementType();
  if (isa<ComplexType>(elementType))
    return op.emitOpError() << "cannot be expanded: elements of type "
                            << elementType << " have no order";
  Location loc = op.getLoc();
  int64_t dimension = type.getRank() - 1;
  Type positionType = rewriter.getI32Type();
  Value positions = stablehlo::IotaOp::create(
      rewriter, loc, RankedTensorType::get(type.getShape(), positionType),
      dimension);
  auto sort = stablehlo::SortOp::create(
      rewriter, loc, TypeRange{type, positions.getType()},
      ValueRange{op.getOperand(), positions},
      rewriter.getI64IntegerAttr(dimension), rewriter.getBoolAttr(true));
  makeComparator(rewriter, loc, sort.getComparator(), elementType,
                 positionType);
  int64_t k = op.getK();
  Value values = takeFirst(rewriter, loc, sort->getResult(0), k);
  Value indices = takeFirst(rewriter, loc, sort->getResult(1), k);
  rewriter.replaceOp(op, {values, indices});
  return success();
}

void hetero::populateExpandChloTopK(RewritePatternSet &patterns) {
  patterns.add(expandTopK);
}
