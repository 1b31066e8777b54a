//===- LoweringDataMovement.cpp - Slices, pads, concatenations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

static SmallVector<OpFoldResult> toFoldResults(OpBuilder &b,
                                               ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(b.getContext(), values);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// One reassociation group with all dimensions, none for rank 0.
static SmallVector<ReassociationIndices> groupAll(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector(llvm::seq<int64_t>(0, rank))};
}

static Value makeReshape(LoopBuilder &b, Value value, RankedTensorType to) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == to)
    return value;
  if (auto groups = getReassociationIndicesForReshape(from, to)) {
    if (from.getRank() > to.getRank())
      return tensor::CollapseShapeOp::create(b, to, value, *groups);
    if (from.getRank() < to.getRank())
      return tensor::ExpandShapeOp::create(b, to, value, *groups);
  }
  auto flat =
      RankedTensorType::get({from.getNumElements()}, from.getElementType());
  if (from.getRank() == 0)
    value = tensor::ExpandShapeOp::create(b, flat, value,
                                          ArrayRef<ReassociationIndices>());
  else if (from.getRank() > 1)
    value = tensor::CollapseShapeOp::create(b, flat, value,
                                            groupAll(from.getRank()));
  if (to.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, to, value,
                                           ArrayRef<ReassociationIndices>());
  if (to.getRank() > 1)
    return tensor::ExpandShapeOp::create(b, to, value, groupAll(to.getRank()));
  return value;
}

LogicalResult Lowering::lower(ReshapeOp op) {
  RankedTensorType type = convertType(op.getResult());
  if (!mapEmpty(op.getResult()))
    map(op.getResult(), makeReshape(b, lookup(op.getOperand()), type));
  return success();
}

/// The bits of `value` from `position` on, as many as `type` has. Wider from
/// narrower numbers is `joinBits`.
static Value splitBits(LoopBuilder &b, Value value, Value position, Type type) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  unsigned part = type.getIntOrFloatBitWidth();
  Type wide = b.getIntegerType(width);
  Value bits = b.bitcast(wide, value);

  Value number = arith::IndexCastOp::create(b, wide, position);
  Value shift = b.mulI(number, b.integer(wide, part));
  Value shifted = b.shrUI(bits, shift);
  Type narrow = b.getIntegerType(part);
  return b.bitcast(type, arith::TruncIOp::create(b, narrow, shifted));
}

static Value joinBits(LoopBuilder &b, ValueRange parts, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  unsigned part = parts[0].getType().getIntOrFloatBitWidth();
  Type wide = b.getIntegerType(width), narrow = b.getIntegerType(part);
  Value result;
  for (auto [i, value] : llvm::enumerate(parts)) {
    Value extended = arith::ExtUIOp::create(b, wide, b.bitcast(narrow, value));
    Value shift = b.integer(wide, i * part);
    Value shifted = b.shlI(extended, shift);
    result = result ? b.orI(result, shifted) : shifted;
  }
  return b.bitcast(type, result);
}

LogicalResult Lowering::lower(BitcastConvertOp op) {
  RankedTensorType to = convertType(op.getResult());
  RankedTensorType from = convertType(op.getOperand());
  Value operand = lookup(op.getOperand());
  Type fromElement = from.getElementType(), toElement = to.getElementType();
  if (isa<ComplexType>(fromElement) || fromElement.isInteger(1) ||
      toElement.isInteger(1)) {
    if (fromElement != toElement)
      return reject(op, "these element types");
    map(op.getResult(), operand);
    return success();
  }
  unsigned fromWidth = fromElement.getIntOrFloatBitWidth();
  unsigned toWidth = toElement.getIntOrFloatBitWidth();
  Value result =
      makeGenerated(to, [&](LoopBuilder &nested, ValueRange indices) -> Value {
        if (fromWidth > toWidth) {
          Value wide = nested.extract(operand, indices.drop_back());
          return splitBits(nested, wide, indices.back(), toElement);
        }
        if (fromWidth < toWidth) {
          SmallVector<Value> parts;
          for (unsigned i = 0; i < toWidth / fromWidth; ++i) {
            SmallVector<Value> position(indices);
            position.push_back(nested.index(i));
            parts.push_back(nested.extract(operand, position));
          }
          return joinBits(nested, parts, toElement);
        }
        return nested.bitcast(toElement, nested.extract(operand, indices));
      });
  map(op.getResult(), result);
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The start indices, moved so that a box of `sizes` lies within `shape`.
static SmallVector<OpFoldResult> clampStarts(Lowering &lowering,
                                             OperandRange starts,
                                             ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> sizes) {
  LoopBuilder &b = lowering.b;
  SmallVector<OpFoldResult> offsets;
  for (auto [start, size, extent] : llvm::zip_equal(starts, sizes, shape)) {
    if (size == extent) {
      offsets.push_back(b.getIndexAttr(0));
      continue;
    }
    Value position =
        lowering.toIndex(b, lowering.getScalar(start), getElementType(start));
    // An unsigned 64-bit index beyond the signed range is large, not negative.
    Value last = b.index(extent - size);
    offsets.push_back(getElementType(start).isUnsignedInteger(64)
                          ? b.minUI(position, last)
                          : b.minSI(b.maxSI(position, b.index(0)), last));
  }
  return offsets;
}

LogicalResult Lowering::lower(DynamicSliceOp op) {
  RankedTensorType type = convertType(op.getResult());
  if (mapEmpty(op.getResult()))
    return success();
  ArrayRef<int64_t> shape = convertType(op.getOperand()).getShape();
  SmallVector<OpFoldResult> offsets =
      clampStarts(*this, op.getStartIndices(), shape, op.getSliceSizes());
  SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
  map(op.getResult(), tensor::ExtractSliceOp::create(
                          b, type, lookup(op.getOperand()), offsets,
                          toFoldResults(b, op.getSliceSizes()), strides));
  return success();
}

LogicalResult Lowering::lower(DynamicUpdateSliceOp op) {
  RankedTensorType update = convertType(op.getUpdate());
  Value operand = lookup(op.getOperand());
  if (update.getNumElements() == 0) {
    map(op.getResult(), operand);
    return success();
  }
  ArrayRef<int64_t> shape = convertType(op.getOperand()).getShape();
  SmallVector<OpFoldResult> offsets =
      clampStarts(*this, op.getStartIndices(), shape, update.getShape());
  SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
  map(op.getResult(), tensor::InsertSliceOp::create(
                          b, lookup(op.getUpdate()), operand, offsets,
                          toFoldResults(b, update.getShape()), strides));
  return success();
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lower(ConcatenateOp op) {
  RankedTensorType type = convertType(op.getResult());
  Value result = makeEmpty(type);
  SmallVector<int64_t> offsets(type.getRank(), 0);
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  int64_t dimension = op.getDimension();
  for (Value input : op.getInputs()) {
    RankedTensorType part = convertType(input);
    if (part.getNumElements() != 0)
      result = tensor::InsertSliceOp::create(
          b, lookup(input), result, toFoldResults(b, offsets),
          toFoldResults(b, part.getShape()), strides);
    offsets[dimension] += part.getDimSize(dimension);
  }
  map(op.getResult(), result);
  return success();
}

Value Lowering::pad(Value tensor, Value scalar, ArrayRef<int64_t> low,
                    ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape, first, count, offsets, steps;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = type.getDimSize(d), step = interior[d] + 1;
    int64_t spread = size == 0 ? 0 : (size - 1) * step + 1;
    shape.push_back(low[d] + spread + high[d]);
    // Elements i with 0 <= low + i * step < shape stay.
    int64_t begin = low[d] >= 0 ? 0 : (-low[d] + step - 1) / step;
    int64_t room = shape[d] - low[d];
    int64_t end = room <= 0 ? 0 : std::min(size, (room + step - 1) / step);
    first.push_back(begin);
    count.push_back(std::max<int64_t>(0, end - begin));
    offsets.push_back(low[d] + begin * step);
    steps.push_back(step);
  }
  auto padded = RankedTensorType::get(shape, type.getElementType());
  if (padded == type && count == shape &&
      llvm::all_of(low, [](int64_t l) { return l == 0; }))
    return tensor;
  if (padded.getNumElements() == 0)
    return makeEmpty(padded);
  SmallVector<OpFoldResult> ones(rank, b.getIndexAttr(1));
  bool isCrop = count == shape;
  bool isWhole = ArrayRef<int64_t>(count) == type.getShape();
  if (llvm::is_contained(count, 0))
    return makeFilled(padded, scalar);
  if (!isWhole)
    tensor = tensor::ExtractSliceOp::create(
        b, RankedTensorType::get(count, type.getElementType()), tensor,
        toFoldResults(b, first), toFoldResults(b, count), ones);
  if (isCrop)
    return tensor;
  return tensor::InsertSliceOp::create(
      b, tensor, makeFilled(padded, scalar), toFoldResults(b, offsets),
      toFoldResults(b, count), toFoldResults(b, steps));
}

LogicalResult Lowering::lower(PadOp op) {
  Value result = pad(lookup(op.getOperand()), getScalar(op.getPaddingValue()),
                     op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                     op.getInteriorPadding());
  map(op.getResult(), result);
  return success();
}
