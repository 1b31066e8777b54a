//===- Reducers.cpp - Regions that combine elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/Reducers.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

FailureOr<SmallVector<Type>>
stablehlo::getReturnedTypes(std::optional<Location> location, Region &region,
                            StringRef name) {
  if (region.empty() || region.front().empty() ||
      !isa<ReturnOp>(region.front().back()))
    return emitOptionalError(location, "expects ", name,
                             " to end in stablehlo.return");
  return llvm::to_vector(region.front().back().getOperandTypes());
}

FailureOr<RankedTensorType>
stablehlo::getFirstReducedType(std::optional<Location> location,
                               TypeRange inputs) {
  if (inputs.empty())
    return emitOptionalError(location, "expects at least one input");
  auto first = cast<RankedTensorType>(inputs.front());
  for (auto [index, input] : llvm::enumerate(inputs))
    if (!areCompatibleShapes(first, input))
      return emitOptionalError(location,
                               "expects inputs of compatible shapes, "
                               "input #",
                               index, " has ", input, " and input #0 ", first);
  return first;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// The number of bits of one element; twice its part's for a complex one and
/// the storage's for a quantized one.
static unsigned getBitWidth(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return 2 * getBitWidth(complexType.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return getBitWidth(quantized.getStorageType());
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

bool stablehlo::isPromotableElementType(Type from, Type to) {
  Type f = getElementTypeOrSelf(from), t = getElementTypeOrSelf(to);
  if (isa<FloatType>(f) && isa<FloatType>(t))
    return true;
  auto fq = dyn_cast<quant::QuantizedType>(f);
  auto tq = dyn_cast<quant::QuantizedType>(t);
  bool sameKind = (isa<IntegerType>(f) && isa<IntegerType>(t)) ||
                  (isa<ComplexType>(f) && isa<ComplexType>(t)) ||
                  (fq && tq && fq.getExpressedType() == tq.getExpressedType());
  return sameKind && getBitWidth(f) <= getBitWidth(t);
}

FailureOr<SmallVector<Type>>
stablehlo::getAccumulatorElementTypes(std::optional<Location> location,
                                      Region &region, size_t numInputs,
                                      StringRef name) {
  FailureOr<SmallVector<Type>> types = getReturnedTypes(location, region, name);
  if (failed(types))
    return failure();
  if (types->size() != numInputs)
    return emitOptionalError(location, "expects ", name, " to return ",
                             numInputs, " values, got ", types->size());
  for (Type &type : *types) {
    if (!isa<RankedTensorType>(type))
      return emitOptionalError(location, "expects ", name,
                               " to return tensors, got ", type);
    type = getElementTypeOrSelf(type);
  }
  return types;
}

/// Whether the shapes agree and the element types are equal or, with
/// `anyFloat`, both floats.
static bool agree(Type lhs, Type rhs, bool anyFloat) {
  if (!isa<RankedTensorType>(lhs) || !isa<RankedTensorType>(rhs) ||
      !areCompatibleShapes(lhs, rhs))
    return false;
  Type l = getElementTypeOrSelf(lhs), r = getElementTypeOrSelf(rhs);
  return l == r || (anyFloat && isa<FloatType>(l) && isa<FloatType>(r));
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// Whether `shape` consists of some of the `dimensions`, in order.
static bool isSubsequence(ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> dimensions) {
  for (int64_t dimension : dimensions)
    if (!shape.empty() &&
        (ShapedType::isDynamic(dimension) ||
         ShapedType::isDynamic(shape.front()) || dimension == shape.front()))
      shape = shape.drop_front();
  return shape.empty();
}

static LogicalResult verifyReducerOfOne(std::optional<Location> location,
                                        Type returned, Type accumulated,
                                        Type added, Type input, Type initValue,
                                        ArrayRef<int64_t> allowedDimensions,
                                        StringRef name) {
  if (!agree(returned, accumulated, /*anyFloat=*/false))
    return emitOptionalError(location, name, " returns ", returned,
                             ", but accumulates in ", accumulated);
  if (!agree(returned, added, /*anyFloat=*/true))
    return emitOptionalError(location, name, " returns ", returned,
                             ", but adds elements of ", added);
  if (!areCompatibleShapes(initValue, returned) ||
      !isPromotableElementType(initValue, returned))
    return emitOptionalError(location, name, " returns ", returned,
                             ", which an initial value of ", initValue,
                             " cannot be promoted to");
  if (!isPromotableElementType(input, added))
    return emitOptionalError(location, name, " adds elements of ", added,
                             ", which elements of ", input,
                             " cannot be promoted to");
  ArrayRef<int64_t> shape = cast<RankedTensorType>(added).getShape();
  if (!isSubsequence(shape, allowedDimensions))
    return emitOptionalError(location, "expects ", name,
                             " to combine tensors of rank 0, got ", added);
  return success();
}

LogicalResult stablehlo::verifyReducer(std::optional<Location> location,
                                       Region &region, TypeRange inputs,
                                       TypeRange initValues,
                                       ArrayRef<int64_t> allowedDimensions,
                                       StringRef name) {
  size_t numInputs = inputs.size();
  FailureOr<SmallVector<Type>> returned =
      getReturnedTypes(location, region, name);
  if (failed(returned))
    return failure();
  auto arguments = region.front().getArgumentTypes();
  if (size_t(arguments.size()) != 2 * numInputs)
    return emitOptionalError(location, "expects ", name, " to take ",
                             2 * numInputs, " arguments, got ",
                             arguments.size());
  if (returned->size() != numInputs)
    return emitOptionalError(location, "expects ", name, " to return ",
                             numInputs, " values, got ", returned->size());
  for (size_t i = 0; i < numInputs; ++i)
    if (failed(verifyReducerOfOne(location, (*returned)[i], arguments[i],
                                  arguments[numInputs + i], inputs[i],
                                  initValues[i], allowedDimensions, name)))
      return failure();
  return success();
}

LogicalResult stablehlo::verifyComparator(std::optional<Location> location,
                                          Region &region, TypeRange inputs,
                                          bool anyFloat, StringRef name) {
  FailureOr<SmallVector<Type>> returned =
      getReturnedTypes(location, region, name);
  if (failed(returned))
    return failure();
  auto arguments = region.front().getArgumentTypes();
  if (size_t(arguments.size()) != 2 * inputs.size())
    return emitOptionalError(location, "expects ", name, " to take ",
                             2 * inputs.size(), " arguments, got ",
                             arguments.size());
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto expected =
        RankedTensorType::get({}, getElementTypeOrSelf(inputs[index / 2]));
    if (!agree(argument, expected, anyFloat))
      return emitOptionalError(location, "expects argument #", index, " of ",
                               name, " to be ", expected, ", got ", argument);
  }
  if (returned->size() != 1)
    return emitOptionalError(location, "expects ", name,
                             " to return one value, got ", returned->size());
  auto type = dyn_cast<RankedTensorType>(returned->front());
  if (!type || type.getRank() != 0 || !type.getElementType().isInteger(1))
    return emitOptionalError(location, "expects ", name,
                             " to return tensor<i1>, got ", returned->front());
  return success();
}
