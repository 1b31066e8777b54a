//===- ExpandChloRaggedDot.cpp - chlo.ragged_dot with masks ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With b, m, k, n for batching, free lhs, contracting and free rhs dimensions,
// g for groups, and mask[.., i, g] saying whether index i of the ragged
// dimension is in group g:
//
//   ragged m:  all[b, m, g, n] = dot(lhs[b, m, k], rhs[g, b, k, n])
//              result[b, m, n] = sum over g of select(mask[b, m, g], all, 0)
//   ragged k:  own[g, b, m, k] = select(mask[b, k, g], lhs, 0), or rhs likewise
//              result[g, b, m, n] = dot(own, rhs)
//   ragged b:  the groups make no difference
//
// In the second mode the smaller operand is masked.

#include "ExpandChlo.h"

using namespace mlir;
using namespace hetero;

/// The dimensions that are in none of the lists.
static SmallVector<int64_t> getOthers(int64_t rank,
                                      ArrayRef<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> others;
  for (int64_t dim : llvm::seq(rank))
    if (llvm::none_of(lists, [&](ArrayRef<int64_t> list) {
          return llvm::is_contained(list, dim);
        }))
      others.push_back(dim);
  return others;
}

static int64_t getIndexOf(ArrayRef<int64_t> list, int64_t value) {
  return llvm::find(list, value) - list.begin();
}

namespace {
class RaggedDotExpander {
public:
  RaggedDotExpander(chlo::RaggedDotOp op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()),
        numbers(op.getRaggedDotDimensionNumbers()),
        lhsBatching(numbers.getLhsBatchingDimensions()),
        rhsBatching(numbers.getRhsBatchingDimensions()),
        lhsContracting(numbers.getLhsContractingDimensions()),
        rhsContracting(numbers.getRhsContractingDimensions()),
        ragged(numbers.getLhsRaggedDimensions()[0]),
        lhsFree(getOthers(getTensorType(op.getLhs()).getRank(),
                          {lhsBatching, lhsContracting})),
        numGroups(getTensorType(op.getGroupSizes()).getShape().back()) {}

  Value expand() {
    if (llvm::is_contained(lhsBatching, ragged))
      return dot(op.getLhs(), op.getRhs(), getShape(op.getResult()));
    if (llvm::is_contained(lhsContracting, ragged))
      return expandContracting();
    return expandFree();
  }

private:
  Value expandFree();
  Value expandContracting();

  static ArrayRef<int64_t> getShape(Value value) {
    return getTensorType(value).getShape();
  }
  Type getResultElementType() {
    return getTensorType(op.getResult()).getElementType();
  }

  Value dot(Value lhs, Value rhs, ArrayRef<int64_t> shape);
  Value broadcast(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims);
  Value zeros(ArrayRef<int64_t> shape, Type elementType);
  Value sum(Value value, int64_t dim);
  Value getGroupEnds();
  Value makeMask(ArrayRef<int64_t> shape, int64_t raggedDim,
                 ArrayRef<int64_t> groupSizeDims);
  SmallVector<int64_t> getPrefix(ArrayRef<int64_t> kind) const;

  chlo::RaggedDotOp op;
  PatternRewriter &rewriter;
  Location loc;
  chlo::RaggedDotDimensionNumbersAttr numbers;
  ArrayRef<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  int64_t ragged;
  SmallVector<int64_t> lhsFree;
  int64_t numGroups;
};
} // namespace

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value RaggedDotExpander::dot(Value lhs, Value rhs, ArrayRef<int64_t> shape) {
  MLIRContext *context = op.getContext();
  ArrayAttr precision;
  if (std::optional<ArrayAttr> config = op.getPrecisionConfig()) {
    // The cases of both enumerations have the same numbers.
    SmallVector<Attribute> values;
    for (auto value : config->getAsRange<chlo::PrecisionAttr>())
      values.push_back(stablehlo::PrecisionAttr::get(
          context, stablehlo::Precision(value.getValue())));
    precision = rewriter.getArrayAttr(values);
  }
  auto dims = stablehlo::DotDimensionNumbersAttr::get(
      context, lhsBatching, rhsBatching, lhsContracting, rhsContracting);
  return stablehlo::DotGeneralOp::create(
      rewriter, loc, RankedTensorType::get(shape, getResultElementType()), lhs,
      rhs, dims, precision, stablehlo::DotAlgorithmAttr());
}

Value RaggedDotExpander::broadcast(Value value, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> dims) {
  Type elementType = getTensorType(value).getElementType();
  return stablehlo::BroadcastInDimOp::create(
      rewriter, loc, RankedTensorType::get(shape, elementType), value,
      rewriter.getDenseI64ArrayAttr(dims));
}

Value RaggedDotExpander::zeros(ArrayRef<int64_t> shape, Type elementType) {
  return stablehlo::ConstantOp::create(
      rewriter, loc, getZeros(RankedTensorType::get(shape, elementType)));
}

Value RaggedDotExpander::sum(Value value, int64_t dim) {
  RankedTensorType type = getTensorType(value);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  auto reduce = stablehlo::ReduceOp::create(
      rewriter, loc,
      TypeRange(RankedTensorType::get(shape, type.getElementType())),
      ValueRange(value), ValueRange(zeros({}, type.getElementType())),
      rewriter.getDenseI64ArrayAttr({dim}));
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block =
      rewriter.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value total = stablehlo::AddOp::create(rewriter, loc, block->getArgument(0),
                                         block->getArgument(1));
  stablehlo::ReturnOp::create(rewriter, loc, total);
  return reduce->getResult(0);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The first index after each group: the sums of the sizes up to it. All pairs
/// of groups are few compared with the product.
Value RaggedDotExpander::getGroupEnds() {
  ExprBuilder b(rewriter, loc);
  RankedTensorType type = getTensorType(op.getGroupSizes());
  bool isLong = type.getElementType().getIntOrFloatBitWidth() > 32;
  Type index = rewriter.getIntegerType(isLong ? 64 : 32);
  Expr sizes = convert(b(op.getGroupSizes()), index);

  SmallVector<int64_t> shape(type.getShape());
  int64_t rank = type.getRank();
  shape.push_back(numGroups);
  auto pairs = RankedTensorType::get(shape, index);
  // all[.., h, g] = sizes[.., h] where h <= g
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Expr all = b(broadcast(sizes, shape, dims));
  Expr h = b(stablehlo::IotaOp::create(rewriter, loc, pairs, rank - 1));
  Expr g = b(stablehlo::IotaOp::create(rewriter, loc, pairs, rank));
  return sum(select(h <= g, all, b(zeros(shape, index))), rank - 1);
}

/// A mask of `shape`, whose last dimension is the groups: whether the index
/// along `raggedDim` is in the group. Dimension i of group_sizes, other than
/// the last, is dimension groupSizeDims[i]; there may be none.
Value RaggedDotExpander::makeMask(ArrayRef<int64_t> shape, int64_t raggedDim,
                                  ArrayRef<int64_t> groupSizeDims) {
  ExprBuilder b(rewriter, loc);
  SmallVector<int64_t> dims;
  if (getTensorType(op.getGroupSizes()).getRank() != 1)
    dims.assign(groupSizeDims.begin(), groupSizeDims.end());
  dims.push_back(shape.size() - 1);

  Expr ends = b(getGroupEnds());
  Expr starts = ends - convert(b(op.getGroupSizes()), ends.getElementType());
  Expr index = b(stablehlo::IotaOp::create(
      rewriter, loc, RankedTensorType::get(shape, ends.getElementType()),
      raggedDim));
  return (index >= b(broadcast(starts, shape, dims))) &
         (index < b(broadcast(ends, shape, dims)));
}

/// The lhs dimensions that group_sizes has before the groups: the batching ones
/// and those of the ragged dimension's kind that come before it.
SmallVector<int64_t>
RaggedDotExpander::getPrefix(ArrayRef<int64_t> kind) const {
  SmallVector<int64_t> prefix(lhsBatching);
  llvm::append_range(prefix, kind.take_front(getIndexOf(kind, ragged)));
  return prefix;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

Value RaggedDotExpander::expandFree() {
  ArrayRef<int64_t> lhsShape = getShape(op.getLhs());
  ArrayRef<int64_t> rhsShape = getShape(op.getRhs());
  int64_t groupDim = numbers.getRhsGroupDimensions()[0];
  SmallVector<int64_t> rhsFree =
      getOthers(rhsShape.size(), {rhsBatching, rhsContracting});

  // all[batching, free lhs, free rhs with groups]
  SmallVector<int64_t> shape, lhsDims(lhsBatching);
  llvm::append_range(lhsDims, lhsFree);
  for (int64_t dim : lhsDims)
    shape.push_back(lhsShape[dim]);
  SmallVector<int64_t> maskShape(shape);
  for (int64_t dim : rhsFree)
    shape.push_back(rhsShape[dim]);
  Value all = dot(op.getLhs(), op.getRhs(), shape);

  // mask[batching, free lhs, groups]
  maskShape.push_back(numGroups);
  SmallVector<int64_t> prefix;
  for (int64_t dim : getPrefix(lhsFree))
    prefix.push_back(getIndexOf(lhsDims, dim));
  Value mask = makeMask(maskShape, getIndexOf(lhsDims, ragged), prefix);
  int64_t allGroupDim = lhsDims.size() + getIndexOf(rhsFree, groupDim);
  SmallVector<int64_t> maskDims =
      llvm::to_vector(llvm::seq<int64_t>(0, lhsDims.size()));
  maskDims.push_back(allGroupDim);
  mask = broadcast(mask, shape, maskDims);

  Value own = stablehlo::SelectOp::create(rewriter, loc, mask, all,
                                          zeros(shape, getResultElementType()));
  return sum(own, allGroupDim);
}

Value RaggedDotExpander::expandContracting() {
  RankedTensorType lhsType = getTensorType(op.getLhs());
  RankedTensorType rhsType = getTensorType(op.getRhs());
  bool isLhs = lhsType.getNumElements() <= rhsType.getNumElements();
  RankedTensorType type = isLhs ? lhsType : rhsType;

  // mask[operand, groups]; rhs has the dimensions that are paired with lhs's.
  auto toOperand = [&](int64_t dim) {
    if (isLhs)
      return dim;
    if (int64_t i = getIndexOf(lhsBatching, dim);
        i != int64_t(lhsBatching.size()))
      return rhsBatching[i];
    return rhsContracting[getIndexOf(lhsContracting, dim)];
  };
  SmallVector<int64_t> maskShape(type.getShape());
  maskShape.push_back(numGroups);
  SmallVector<int64_t> prefix =
      llvm::map_to_vector(getPrefix(lhsContracting), toOperand);
  Value mask = makeMask(maskShape, toOperand(ragged), prefix);
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value own = stablehlo::SelectOp::create(
      rewriter, loc, mask,
      broadcast(isLhs ? op.getLhs() : op.getRhs(), maskShape, dims),
      zeros(maskShape, type.getElementType()));

  // The groups are the operand's last free dimension.
  SmallVector<int64_t> rhsFree =
      getOthers(rhsType.getRank(), {rhsBatching, rhsContracting});
  SmallVector<int64_t> shape;
  for (int64_t dim : lhsBatching)
    shape.push_back(lhsType.getDimSize(dim));
  for (int64_t dim : lhsFree)
    shape.push_back(lhsType.getDimSize(dim));
  if (isLhs)
    shape.push_back(numGroups);
  for (int64_t dim : rhsFree)
    shape.push_back(rhsType.getDimSize(dim));
  if (!isLhs)
    shape.push_back(numGroups);
  Value result =
      dot(isLhs ? own : op.getLhs(), isLhs ? op.getRhs() : own, shape);

  // Move them to the front.
  int64_t groupDim =
      isLhs ? lhsBatching.size() + lhsFree.size() : shape.size() - 1;
  SmallVector<int64_t> permutation = {groupDim};
  for (int64_t dim : llvm::seq<int64_t>(0, shape.size()))
    if (dim != groupDim)
      permutation.push_back(dim);
  return stablehlo::TransposeOp::create(
      rewriter, loc,
      RankedTensorType::get(getShape(op.getResult()), getResultElementType()),
      result, rewriter.getDenseI64ArrayAttr(permutation));
}

static LogicalResult expandRaggedDot(chlo::RaggedDotOp op,
                                     PatternRewriter &rewriter) {
  if (failed(checkStatic(op)))
    return failure();
  replaceWith(rewriter, op, RaggedDotExpander(op, rewriter).expand());
  return success();
}

void hetero::populateExpandChloRaggedDot(RewritePatternSet &patterns) {
  patterns.add(expandRaggedDot);
}
