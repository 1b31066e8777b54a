//===- StablehloTraits.cpp - Compatibility of types -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloTraits.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

/// Whether the numbers are stored in a width that StableHLO has, and the zero
/// points among them. MLIR's own verifier looks at neither.
static bool hasValidStorage(quant::QuantizedType type,
                            ArrayRef<int64_t> zeroPoints) {
  return llvm::is_contained({2, 4, 8, 16, 32},
                            type.getStorageTypeIntegralWidth()) &&
         llvm::all_of(zeroPoints, [&](int64_t point) {
           return point >= type.getStorageTypeMin() &&
                  point <= type.getStorageTypeMax();
         });
}

bool stablehlo::isPerTensorQuantized(Type elementType) {
  auto type = dyn_cast<quant::UniformQuantizedType>(elementType);
  return type && hasValidStorage(type, type.getZeroPoint());
}

bool stablehlo::isPerAxisQuantized(Type elementType) {
  auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(elementType);
  return type && hasValidStorage(type, type.getZeroPoints());
}

bool stablehlo::hasValidQuantizedAxis(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element =
      dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(type));
  if (!tensor || !element)
    return true;
  int64_t axis = element.getQuantizedDimension();
  return axis >= 0 && axis < tensor.getRank() &&
         (tensor.isDynamicDim(axis) ||
          tensor.getDimSize(axis) == int64_t(element.getScales().size()));
}

ArrayRef<int64_t> stablehlo::getBounds(RankedTensorType type) {
  auto extensions = dyn_cast_or_null<TypeExtensionsAttr>(type.getEncoding());
  return extensions ? extensions.getBounds() : ArrayRef<int64_t>();
}

bool stablehlo::isStaticOrSingleBounded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  int64_t numDynamic = 0;
  for (int64_t dim : llvm::seq<int64_t>(0, tensor.getRank())) {
    if (!tensor.isDynamicDim(dim))
      continue;
    if (ShapedType::isDynamic(getBound(tensor, dim)))
      return false;
    ++numDynamic;
  }
  return numDynamic <= 1;
}

static bool areCompatibleDims(RankedTensorType lhs, RankedTensorType rhs,
                              int64_t dim) {
  int64_t l = lhs.getDimSize(dim), r = rhs.getDimSize(dim);
  if (ShapedType::isStatic(l) && ShapedType::isStatic(r))
    return l == r;
  // A static size has to stay within the other side's bound.
  int64_t size = ShapedType::isStatic(l) ? l : r;
  int64_t bound = getBound(ShapedType::isStatic(l) ? rhs : lhs, dim);
  return ShapedType::isDynamic(size) || ShapedType::isDynamic(bound) ||
         size <= bound;
}

bool stablehlo::areCompatibleShapes(Type lhs, Type rhs) {
  auto l = dyn_cast<RankedTensorType>(lhs), r = dyn_cast<RankedTensorType>(rhs);
  if (!l || !r)
    return isa<ShapedType>(lhs) && isa<ShapedType>(rhs);
  if (l.getRank() != r.getRank())
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, l.getRank()), [&](int64_t dim) {
    return areCompatibleDims(l, r, dim);
  });
}

bool stablehlo::areCompatibleElementTypes(Type lhs, Type rhs) {
  Type l = getElementTypeOrSelf(lhs), r = getElementTypeOrSelf(rhs);
  if (l == r)
    return true;
  auto lq = dyn_cast<quant::QuantizedType>(l);
  auto rq = dyn_cast<quant::QuantizedType>(r);
  return lq && rq && lq.getStorageType() == rq.getStorageType() &&
         lq.getExpressedType() == rq.getExpressedType();
}

bool stablehlo::areCompatibleTypes(Type lhs, Type rhs) {
  auto l = dyn_cast<TupleType>(lhs), r = dyn_cast<TupleType>(rhs);
  if (l && r)
    return isCompatibleForInference(l.getTypes(), r.getTypes());
  if (isa<ShapedType>(lhs) && isa<ShapedType>(rhs))
    return areCompatibleShapes(lhs, rhs) && areCompatibleElementTypes(lhs, rhs);
  return lhs == rhs;
}

bool stablehlo::isCompatibleForInference(TypeRange written,
                                         TypeRange inferred) {
  return written.size() == inferred.size() &&
         llvm::all_of_zip(written, inferred, areCompatibleTypes);
}

/// Merges `type` into the most specific sizes and bounds seen so far.
static void refine(RankedTensorType type, SmallVectorImpl<int64_t> &sizes,
                   SmallVectorImpl<int64_t> &bounds) {
  for (int64_t dim : llvm::seq<int64_t>(0, type.getRank())) {
    if (!type.isDynamicDim(dim))
      sizes[dim] = type.getDimSize(dim);
    int64_t bound = getBound(type, dim);
    if (ShapedType::isStatic(bound))
      bounds[dim] = ShapedType::isStatic(bounds[dim])
                        ? std::min(bounds[dim], bound)
                        : bound;
  }
}

FailureOr<Type>
stablehlo::inferMostSpecificType(std::optional<Location> location,
                                 TypeRange types) {
  Type first = types.front();
  for (Type type : types.drop_front())
    if (!areCompatibleTypes(first, type))
      return emitOptionalError(location, "requires compatible types, got ",
                               first, " and ", type);
  bool allRanked = llvm::all_of(
      types, [](Type type) { return isa<RankedTensorType>(type); });
  if (!allRanked || llvm::all_equal(types))
    return first;
  auto tensor = cast<RankedTensorType>(first);
  SmallVector<int64_t> sizes(tensor.getRank(), ShapedType::kDynamic);
  SmallVector<int64_t> bounds(tensor.getRank(), ShapedType::kDynamic);
  for (Type type : types)
    refine(cast<RankedTensorType>(type), sizes, bounds);
  for (auto [size, bound] : llvm::zip(sizes, bounds))
    if (ShapedType::isStatic(size))
      bound = ShapedType::kDynamic;
  return Type(RankedTensorType::get(sizes, tensor.getElementType(),
                                    encodeBounds(first.getContext(), bounds)));
}

LogicalResult stablehlo::OpTrait::detail::verifyCompatibleOperandsAndResultType(
    Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  Type result = op->getResult(0).getType();
  for (OpOperand &operand : op->getOpOperands())
    if (!areCompatibleTypes(result, operand.get().getType()))
      return op->emitOpError()
             << "requires compatible types for all operands and results, "
                "operand #"
             << operand.getOperandNumber() << " has " << operand.get().getType()
             << " and the result " << result;
  return success();
}

LogicalResult stablehlo::OpTrait::detail::inferCompatibleOperandsAndResultType(
    std::optional<Location> location, ValueRange operands,
    SmallVectorImpl<Type> &inferred) {
  if (operands.empty())
    return emitOptionalError(location, "expected at least one operand");
  FailureOr<Type> type = inferMostSpecificType(location, operands.getTypes());
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}
