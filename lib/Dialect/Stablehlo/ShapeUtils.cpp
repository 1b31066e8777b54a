//===- ShapeUtils.cpp - Checked arithmetic on shapes ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::stablehlo;

bool stablehlo::areCompatibleSizes(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) || lhs == rhs;
}

bool stablehlo::areCompatibleSizes(ArrayRef<int64_t> lhs,
                                   ArrayRef<int64_t> rhs) {
  return succeeded(verifyCompatibleShape(lhs, rhs));
}

int64_t stablehlo::getBound(RankedTensorType type, int64_t dim) {
  ArrayRef<int64_t> bounds = getBounds(type);
  return dim < int64_t(bounds.size()) ? bounds[dim] : ShapedType::kDynamic;
}

Attribute stablehlo::encodeBounds(MLIRContext *context,
                                  ArrayRef<int64_t> bounds) {
  if (!llvm::any_of(bounds, ShapedType::isStatic))
    return {};
  return TypeExtensionsAttr::get(context, bounds);
}

std::optional<int64_t> stablehlo::countElements(ArrayRef<int64_t> shape) {
  // An empty dimension makes the product zero, however large the others are.
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape) {
    std::optional<int64_t> product = llvm::checkedMul(count, size);
    if (!product)
      return std::nullopt;
    count = *product;
  }
  return count;
}

std::optional<int64_t> stablehlo::padSize(int64_t size, int64_t low,
                                          int64_t high, int64_t interior) {
  std::optional<int64_t> gaps =
      llvm::checkedMul(std::max<int64_t>(size - 1, 0), interior);
  if (!gaps)
    return std::nullopt;
  std::optional<int64_t> inner = llvm::checkedAdd(size, *gaps);
  std::optional<int64_t> edges = llvm::checkedAdd(low, high);
  if (!inner || !edges)
    return std::nullopt;
  return llvm::checkedAdd(*inner, *edges);
}

std::optional<SmallVector<int64_t>> stablehlo::getConstantInts(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  SmallVector<int64_t> result;
  for (const APInt &element : elements.getValues<APInt>()) {
    if (isUnsigned && element.getActiveBits() > 63)
      return std::nullopt;
    result.push_back(isUnsigned ? int64_t(element.getZExtValue())
                                : element.getSExtValue());
  }
  return result;
}

LogicalResult stablehlo::verifyDimsInRange(std::optional<Location> location,
                                           ArrayRef<int64_t> dims, int64_t rank,
                                           StringRef name) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank)
      return emitOptionalError(location, name, " contains ", dim,
                               ", which is not in range [0, ", rank, ")");
  return success();
}

LogicalResult stablehlo::verifyDimsDistinct(std::optional<Location> location,
                                            ArrayRef<int64_t> dims,
                                            StringRef name) {
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  auto *repeated = llvm::adjacent_find(sorted);
  if (repeated != sorted.end())
    return emitOptionalError(location, name, " contains ", *repeated,
                             " more than once");
  return success();
}

/// Reports element types that differ in more than the parameters of a per-axis
/// quantization, which follow other rules.
static LogicalResult verifyElementTypes(Location location,
                                        RankedTensorType operand,
                                        RankedTensorType result,
                                        bool allowMixed) {
  Type from = operand.getElementType(), to = result.getElementType();
  auto perAxisFrom = dyn_cast<quant::UniformQuantizedPerAxisType>(from);
  auto perAxisTo = dyn_cast<quant::UniformQuantizedPerAxisType>(to);
  bool agree = from == to;
  // StableHLO's own verifier lets dynamic forms mix the two.
  if (allowMixed &&
      isa<quant::QuantizedType>(from) != isa<quant::QuantizedType>(to))
    agree = true;
  if (perAxisFrom && perAxisTo)
    agree = perAxisFrom.getStorageType() == perAxisTo.getStorageType() &&
            perAxisFrom.getExpressedType() == perAxisTo.getExpressedType() &&
            perAxisFrom.getStorageTypeMin() == perAxisTo.getStorageTypeMin() &&
            perAxisFrom.getStorageTypeMax() == perAxisTo.getStorageTypeMax();
  if (agree)
    return success();
  return emitError(location)
         << "requires operand and result to have the same element type, got "
         << from << " and " << to;
}

/// broadcast_in_dim_c6
static LogicalResult
verifyQuantizedBroadcast(Location location, RankedTensorType operand,
                         ArrayRef<int64_t> broadcastDimensions,
                         RankedTensorType result) {
  auto from =
      dyn_cast<quant::UniformQuantizedPerAxisType>(operand.getElementType());
  auto to =
      dyn_cast<quant::UniformQuantizedPerAxisType>(result.getElementType());
  if (!from || !to)
    return success();
  int32_t fromDim = from.getQuantizedDimension();
  int32_t toDim = to.getQuantizedDimension();
  if (fromDim < 0 || fromDim >= operand.getRank() ||
      broadcastDimensions[fromDim] != toDim)
    return emitError(location) << "result quantization dimension " << toDim
                               << " is not what operand quantization dimension "
                               << fromDim << " becomes";
  if (operand.getDimSize(fromDim) != 1) {
    if (from.getScales() == to.getScales() &&
        from.getZeroPoints() == to.getZeroPoints())
      return success();
    return emitError(location)
           << "requires the scales and zero points of operand and result to be "
              "the same";
  }
  bool allAlike =
      !from.getScales().empty() && !from.getZeroPoints().empty() &&
      llvm::all_of(to.getScales(),
                   [&](double s) { return s == from.getScales().front(); }) &&
      llvm::all_of(to.getZeroPoints(), [&](int64_t point) {
        return point == from.getZeroPoints().front();
      });
  if (allAlike)
    return success();
  return emitError(location)
         << "requires all scales and zero points of the result to be those of "
            "the operand's only slice";
}

LogicalResult
stablehlo::verifyBroadcastInDim(Location location, RankedTensorType operand,
                                ArrayRef<int64_t> broadcastDimensions,
                                RankedTensorType result, bool allowMixed) {
  // broadcast_in_dim_c1
  if (failed(verifyElementTypes(location, operand, result, allowMixed)))
    return failure();
  // broadcast_in_dim_c2
  if (int64_t(broadcastDimensions.size()) != operand.getRank())
    return emitError(location)
           << "broadcast_dimensions has " << broadcastDimensions.size()
           << " entries, but the operand has rank " << operand.getRank();
  // broadcast_in_dim_c3, broadcast_in_dim_c4
  if (failed(verifyDimsInRange(location, broadcastDimensions, result.getRank(),
                               "broadcast_dimensions")) ||
      failed(verifyDimsDistinct(location, broadcastDimensions,
                                "broadcast_dimensions")))
    return failure();
  // broadcast_in_dim_c5
  for (auto [dim, resultDim] : llvm::enumerate(broadcastDimensions)) {
    int64_t size = operand.getDimSize(dim);
    int64_t resultSize = result.getDimSize(resultDim);
    if (size != 1 && !areCompatibleSizes(size, resultSize))
      return emitError(location)
             << "size of operand dimension " << dim << " (" << size
             << ") is neither 1 nor the size of result dimension " << resultDim
             << " (" << resultSize << ")";
  }
  return verifyQuantizedBroadcast(location, operand, broadcastDimensions,
                                  result);
}

LogicalResult stablehlo::verifyReshapeElements(Location location,
                                               RankedTensorType operand,
                                               RankedTensorType result,
                                               bool allowMixed) {
  // reshape_c1
  if (failed(verifyElementTypes(location, operand, result, allowMixed)))
    return failure();
  auto from =
      dyn_cast<quant::UniformQuantizedPerAxisType>(operand.getElementType());
  auto to =
      dyn_cast<quant::UniformQuantizedPerAxisType>(result.getElementType());
  if (!from || !to)
    return success();
  // reshape_c3
  int32_t fromDim = from.getQuantizedDimension();
  int32_t toDim = to.getQuantizedDimension();
  auto agree = [](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    if (llvm::any_of(lhs, ShapedType::isDynamic) ||
        llvm::any_of(rhs, ShapedType::isDynamic))
      return true;
    return countElements(lhs) == countElements(rhs);
  };
  bool inRange = fromDim >= 0 && fromDim < operand.getRank() && toDim >= 0 &&
                 toDim < result.getRank();
  ArrayRef<int64_t> fromShape = operand.getShape();
  ArrayRef<int64_t> toShape = result.getShape();
  if (inRange && areCompatibleSizes(fromShape[fromDim], toShape[toDim]) &&
      agree(fromShape.take_front(fromDim), toShape.take_front(toDim)) &&
      agree(fromShape.drop_front(fromDim + 1), toShape.drop_front(toDim + 1)))
    return success();
  return emitError(location)
         << "requires quantized dimensions " << fromDim
         << " of the operand and " << toDim
         << " of the result, and the dimensions on either side of "
            "them, to have the same number of elements";
}
