//===- StablehloShapeCanonicalize.cpp - Simpler ways to move data ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites that need new ops: chains become one op, dynamic ops with constant
// operands become static. None of them makes the program do more work.

#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::stablehlo;

/// Replaces `op` by a new one that keeps its discardable attributes, such as
/// shardings.
template <typename OpT, typename... ArgsT>
static void replaceOp(PatternRewriter &rewriter, Operation *op,
                      ArgsT &&...args) {
  auto newOp =
      OpT::create(rewriter, op->getLoc(), std::forward<ArgsT>(args)...);
  newOp->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, newOp);
}

static bool isEmpty(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

//===----------------------------------------------------------------------===//
// Another shape, repeating
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::canonicalize(TransposeOp op,
                                        PatternRewriter &rewriter) {
  // transpose(broadcast_in_dim(x)) -> broadcast_in_dim(x)
  auto broadcast = op.getOperand().getDefiningOp<BroadcastInDimOp>();
  if (!broadcast || !isStaticOrSingleBounded(op.getType()))
    return failure();
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> position(permutation.size());
  for (auto [dim, from] : llvm::enumerate(permutation))
    position[from] = dim;
  SmallVector<int64_t> dims;
  for (int64_t dim : broadcast.getBroadcastDimensions())
    dims.push_back(position[dim]);
  replaceOp<BroadcastInDimOp>(rewriter, op, op.getType(),
                              broadcast.getOperand(), dims);
  return success();
}

LogicalResult BroadcastInDimOp::canonicalize(BroadcastInDimOp op,
                                             PatternRewriter &rewriter) {
  ArrayRef<int64_t> dims = op.getBroadcastDimensions();
  // broadcast_in_dim(broadcast_in_dim(x)) -> broadcast_in_dim(x). The inner
  // one is not part of a longer chain, which would be shortened first.
  auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
  if (inner && !inner.getOperand().getDefiningOp<BroadcastInDimOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dim : inner.getBroadcastDimensions())
      composed.push_back(dims[dim]);
    replaceOp<BroadcastInDimOp>(rewriter, op, op.getType(), inner.getOperand(),
                                composed);
    return success();
  }
  // One that repeats nothing only permutes dimensions.
  RankedTensorType operand = op.getOperand().getType(), result = op.getType();
  if (!operand.hasStaticShape() || operand.getRank() != result.getRank())
    return failure();
  SmallVector<int64_t> permutation(dims.size());
  for (auto [dim, resultDim] : llvm::enumerate(dims)) {
    if (operand.getDimSize(dim) != result.getDimSize(resultDim))
      return failure();
    permutation[resultDim] = dim;
  }
  replaceOp<TransposeOp>(rewriter, op, op.getType(), op.getOperand(),
                         permutation);
  return success();
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op,
                                        PatternRewriter &rewriter) {
  if (!op.getType().hasStaticShape())
    return failure();
  int64_t added = op.getBroadcastSizes().size();
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(added, added + op.getOperand().getType().getRank()));
  replaceOp<BroadcastInDimOp>(rewriter, op, op.getType(), op.getOperand(),
                              dims);
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// slice(slice(x)) -> slice(x)
static LogicalResult mergeSlices(SliceOp op, SliceOp inner,
                                 PatternRewriter &rewriter) {
  SmallVector<int64_t> starts, limits, strides;
  for (auto [dim, size] : llvm::enumerate(op.getType().getShape())) {
    int64_t innerStride = inner.getStrides()[dim];
    // The indices stay within the operand; only strides can grow too large.
    std::optional<int64_t> stride =
        llvm::checkedMul(op.getStrides()[dim], innerStride);
    if (!stride)
      return failure();
    starts.push_back(inner.getStartIndices()[dim] +
                     op.getStartIndices()[dim] * innerStride);
    limits.push_back(starts.back() + (size - 1) * *stride + 1);
    strides.push_back(*stride);
  }
  replaceOp<SliceOp>(rewriter, op, op.getType(), inner.getOperand(), starts,
                     limits, strides);
  return success();
}

/// slice(concatenate(a, b, c)) -> slice(b), or of those inputs that are needed.
static LogicalResult sliceInputs(SliceOp op, ConcatenateOp concat,
                                 PatternRewriter &rewriter) {
  int64_t dimension = concat.getDimension();
  int64_t first = op.getStartIndices()[dimension];
  int64_t last = first + (op.getType().getDimSize(dimension) - 1) *
                             op.getStrides()[dimension];
  // The inputs that overlap [first, last], and where they begin.
  SmallVector<Value> needed;
  int64_t begin = 0, offset = 0;
  for (Value input : concat.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (!type.hasStaticShape())
      return failure();
    int64_t end = begin + type.getDimSize(dimension);
    if (end > first && begin <= last) {
      if (needed.empty())
        offset = begin;
      needed.push_back(input);
    }
    begin = end;
  }
  if (needed.empty() || needed.size() == concat.getInputs().size() ||
      (needed.size() > 1 && !concat->hasOneUse()))
    return failure();
  Value source = needed.front();
  if (needed.size() > 1)
    source = ConcatenateOp::create(rewriter, concat.getLoc(), needed,
                                   concat.getDimension());
  SmallVector<int64_t> starts(op.getStartIndices());
  SmallVector<int64_t> limits(op.getLimitIndices());
  starts[dimension] = first - offset;
  limits[dimension] = last + 1 - offset;
  replaceOp<SliceOp>(rewriter, op, op.getType(), source, starts, limits,
                     op.getStrides());
  return success();
}

LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  if (!op.getType().hasStaticShape() || isEmpty(op.getType()))
    return failure();
  auto inner = op.getOperand().getDefiningOp<SliceOp>();
  if (inner && !inner.getOperand().getDefiningOp<SliceOp>())
    return mergeSlices(op, inner, rewriter);
  if (auto concat = op.getOperand().getDefiningOp<ConcatenateOp>())
    return sliceInputs(op, concat, rewriter);
  return failure();
}

LogicalResult DynamicSliceOp::canonicalize(DynamicSliceOp op,
                                           PatternRewriter &rewriter) {
  RankedTensorType operand = op.getOperand().getType();
  if (!operand.hasStaticShape())
    return failure();
  SmallVector<int64_t> starts, limits;
  for (auto [dim, index] : llvm::enumerate(op.getStartIndices())) {
    int64_t size = op.getSliceSizes()[dim];
    int64_t room = operand.getDimSize(dim) - size;
    // Without room to move, the index does not matter.
    int64_t start = 0;
    if (room > 0) {
      std::optional<SmallVector<int64_t>> value = getConstantInts(index);
      if (!value)
        return failure();
      start = std::clamp<int64_t>(value->front(), 0, room);
    }
    starts.push_back(start);
    limits.push_back(start + size);
  }
  SmallVector<int64_t> strides(starts.size(), 1);
  replaceOp<SliceOp>(rewriter, op, op.getType(), op.getOperand(), starts,
                     limits, strides);
  return success();
}

//===----------------------------------------------------------------------===//
// Joining and padding
//===----------------------------------------------------------------------===//

LogicalResult ConcatenateOp::canonicalize(ConcatenateOp op,
                                          PatternRewriter &rewriter) {
  // Leaves out empty inputs, and takes the inputs of a concatenation that has
  // no other use in its place.
  SmallVector<Value> inputs;
  int64_t dimension = op.getDimension();
  for (Value input : op.getInputs()) {
    if (cast<RankedTensorType>(input.getType()).getDimSize(dimension) == 0)
      continue;
    auto inner = input.getDefiningOp<ConcatenateOp>();
    if (inner && inner != op && inner.getDimension() == op.getDimension() &&
        inner->hasOneUse())
      llvm::append_range(inputs, inner.getInputs());
    else
      inputs.push_back(input);
  }
  if (inputs.empty() || llvm::equal(inputs, op.getInputs()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
  return success();
}

LogicalResult PadOp::canonicalize(PadOp op, PatternRewriter &rewriter) {
  // A pad that only takes away is a slice.
  RankedTensorType operand = op.getOperand().getType();
  auto isPositive = [](int64_t amount) { return amount > 0; };
  if (!operand.hasStaticShape() || isEmpty(operand) ||
      llvm::any_of(op.getEdgePaddingLow(), isPositive) ||
      llvm::any_of(op.getEdgePaddingHigh(), isPositive) ||
      llvm::any_of(op.getInteriorPadding(), isPositive))
    return failure();
  SmallVector<int64_t> starts, limits;
  for (auto [dim, size] : llvm::enumerate(operand.getShape())) {
    starts.push_back(-op.getEdgePaddingLow()[dim]);
    limits.push_back(size + op.getEdgePaddingHigh()[dim]);
  }
  SmallVector<int64_t> strides(starts.size(), 1);
  replaceOp<SliceOp>(rewriter, op, op.getType(), op.getOperand(), starts,
                     limits, strides);
  return success();
}

//===----------------------------------------------------------------------===//
// Dynamic ops with constant operands
//===----------------------------------------------------------------------===//

/// Whether `shape` is the constant that says what the static type says.
static bool isShapeOf(Value shape, RankedTensorType type) {
  std::optional<SmallVector<int64_t>> sizes = getConstantInts(shape);
  return sizes && type.hasStaticShape() &&
         ArrayRef<int64_t>(*sizes) == type.getShape();
}

LogicalResult DynamicBroadcastInDimOp::canonicalize(DynamicBroadcastInDimOp op,
                                                    PatternRewriter &rewriter) {
  RankedTensorType operand = op.getOperand().getType();
  if (!operand.hasStaticShape() ||
      operand.getElementType() != op.getType().getElementType() ||
      !isShapeOf(op.getOutputDimensions(), op.getType()))
    return failure();
  replaceOp<BroadcastInDimOp>(rewriter, op, op.getType(), op.getOperand(),
                              op.getBroadcastDimensions());
  return success();
}

LogicalResult DynamicGatherOp::canonicalize(DynamicGatherOp op,
                                            PatternRewriter &rewriter) {
  auto sizes = getConstantInts(op.getSliceSizes());
  if (!sizes)
    return failure();
  replaceOp<GatherOp>(rewriter, op, op.getType(), op.getOperand(),
                      op.getStartIndices(), op.getDimensionNumbersAttr(),
                      rewriter.getDenseI64ArrayAttr(*sizes),
                      op.getIndicesAreSortedAttr());
  return success();
}

LogicalResult DynamicIotaOp::canonicalize(DynamicIotaOp op,
                                          PatternRewriter &rewriter) {
  // There is no static iota of booleans.
  if (op.getType().getElementType().isInteger(1) ||
      !isShapeOf(op.getOutputShape(), op.getType()))
    return failure();
  replaceOp<IotaOp>(rewriter, op, op.getType(), op.getIotaDimension());
  return success();
}

LogicalResult DynamicPadOp::canonicalize(DynamicPadOp op,
                                         PatternRewriter &rewriter) {
  auto low = getConstantInts(op.getEdgePaddingLow());
  auto high = getConstantInts(op.getEdgePaddingHigh());
  auto interior = getConstantInts(op.getInteriorPadding());
  if (!low || !high || !interior ||
      !op.getOperand().getType().hasStaticShape() ||
      !op.getType().hasStaticShape())
    return failure();
  replaceOp<PadOp>(rewriter, op, op.getType(), op.getOperand(),
                   op.getPaddingValue(), *low, *high, *interior);
  return success();
}

LogicalResult DynamicReshapeOp::canonicalize(DynamicReshapeOp op,
                                             PatternRewriter &rewriter) {
  RankedTensorType operand = op.getOperand().getType();
  if (!operand.hasStaticShape() ||
      operand.getElementType() != op.getType().getElementType() ||
      !isShapeOf(op.getOutputShape(), op.getType()))
    return failure();
  replaceOp<ReshapeOp>(rewriter, op, op.getType(), op.getOperand());
  return success();
}

LogicalResult RealDynamicSliceOp::canonicalize(RealDynamicSliceOp op,
                                               PatternRewriter &rewriter) {
  RankedTensorType operand = op.getOperand().getType(), result = op.getType();
  auto starts = getConstantInts(op.getStartIndices());
  auto limits = getConstantInts(op.getLimitIndices());
  auto strides = getConstantInts(op.getStrides());
  if (!starts || !limits || !strides || !operand.hasStaticShape() ||
      !result.hasStaticShape() || operand.getRank() != result.getRank())
    return failure();
  // What the verifier of slice would reject is left to run time.
  for (auto [dim, size] : llvm::enumerate(operand.getShape())) {
    int64_t start = (*starts)[dim], limit = (*limits)[dim];
    int64_t stride = (*strides)[dim];
    if (start < 0 || start > limit || limit > size || stride <= 0 ||
        int64_t(llvm::divideCeil(limit - start, stride)) !=
            result.getDimSize(dim))
      return failure();
  }
  replaceOp<SliceOp>(rewriter, op, op.getType(), op.getOperand(), *starts,
                     *limits, *strides);
  return success();
}
