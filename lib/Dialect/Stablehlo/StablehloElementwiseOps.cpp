//===- StablehloElementwiseOps.cpp - One element at a time ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloElementwiseOps.cpp.inc"

void StablehloDialect::addElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Stablehlo/StablehloElementwiseOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

/// The type of real numbers behind `type`: itself unless it is complex.
static Type getRealType(Type elementType) {
  if (auto complexType = dyn_cast<ComplexType>(elementType))
    return complexType.getElementType();
  return elementType;
}

/// The result has the operand's shape and bounds with another element type.
static LogicalResult inferWithElementType(Type operand, Type elementType,
                                          SmallVectorImpl<Type> &inferred) {
  inferred.push_back(cast<RankedTensorType>(operand).clone(elementType));
  return success();
}

/// The operand's shape with real elements.
static LogicalResult inferReal(Value operand, SmallVectorImpl<Type> &inferred) {
  Type type = operand.getType();
  return inferWithElementType(type, getRealType(getElementTypeOrSelf(type)),
                              inferred);
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  return inferReal(adaptor.getOperand(), inferred);
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  return inferReal(adaptor.getOperand(), inferred);
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  return inferReal(adaptor.getOperand(), inferred);
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  return inferWithElementType(adaptor.getX().getType(),
                              IntegerType::get(context, 1), inferred);
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  // complex_c1
  FailureOr<Type> part = inferMostSpecificType(
      location,
      ArrayRef<Type>{adaptor.getLhs().getType(), adaptor.getRhs().getType()});
  if (failed(part))
    return failure();
  return inferWithElementType(
      *part, ComplexType::get(getElementTypeOrSelf(*part)), inferred);
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  // compare_c1
  FailureOr<Type> type = inferMostSpecificType(
      location,
      ArrayRef<Type>{adaptor.getLhs().getType(), adaptor.getRhs().getType()});
  if (failed(type))
    return failure();
  return inferWithElementType(*type, IntegerType::get(context, 1), inferred);
}

LogicalResult ClampOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto checkBound = [&](Value bound, StringRef name) -> LogicalResult {
    auto boundType = cast<RankedTensorType>(bound.getType());
    // clamp_c1, clamp_c2
    if (boundType.getRank() != 0 && !areCompatibleShapes(boundType, type))
      return emitOptionalError(location, name, " shape [", boundType.getShape(),
                               "] is not scalar and is not compatible to "
                               "operand shape [",
                               type.getShape(), "]");
    // clamp_c3
    if (!areCompatibleElementTypes(boundType, type))
      return emitOptionalError(location, name, " has element type ",
                               boundType.getElementType(), ", the operand has ",
                               type.getElementType());
    return success();
  };
  if (failed(checkBound(adaptor.getMin(), "min")) ||
      failed(checkBound(adaptor.getMax(), "max")))
    return failure();
  inferred.push_back(type);
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  // select_c2; unlike elsewhere, quantized branches agree in all parameters.
  Type branches[] = {adaptor.getOnTrue().getType(),
                     adaptor.getOnFalse().getType()};
  if (getElementTypeOrSelf(branches[0]) != getElementTypeOrSelf(branches[1]))
    return emitOptionalError(
        location, "requires branches with the same element type, got ",
        branches[0], " and ", branches[1]);
  FailureOr<Type> type = inferMostSpecificType(location, branches);
  if (failed(type))
    return failure();
  // select_c1; as in StableHLO's own build, what on_false alone knows of the
  // sizes is not held against the predicate.
  auto pred = cast<RankedTensorType>(adaptor.getPred().getType());
  auto onTrue = cast<RankedTensorType>(adaptor.getOnTrue().getType());
  if (pred.getRank() != 0 && !areCompatibleShapes(pred, onTrue))
    return emitOptionalError(
        location, "requires the predicate's shape [", pred.getShape(),
        "] to be scalar or that of the branches, [", onTrue.getShape(), "]");
  inferred.push_back(*type);
  return success();
}

LogicalResult
UniformDequantizeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  Type type = adaptor.getOperand().getType();
  auto quantized = cast<quant::QuantizedType>(getElementTypeOrSelf(type));
  return inferWithElementType(type, quantized.getExpressedType(), inferred);
}

LogicalResult UniformQuantizeOp::verify() {
  Type operand = getElementTypeOrSelf(getOperand().getType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(operand))
    operand = quantized.getExpressedType();
  auto result =
      cast<quant::QuantizedType>(getElementTypeOrSelf(getResult().getType()));
  // uniform_quantize_c2
  if (result.getExpressedType() != operand)
    return emitOpError() << "expresses " << result.getExpressedType()
                         << ", but the operand's elements are " << operand;
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  inferred.push_back(adaptor.getValue().getType());
  return success();
}

bool ConstantOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  // constant_c1
  auto value = dyn_cast<RankedTensorType>(l.front());
  auto result = dyn_cast<RankedTensorType>(r.front());
  if (!value || !result)
    return false;
  Type element = result.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return value == result.clone(quantized.getStorageType());
  return value == result;
}

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       Attribute value) {
  build(builder, state, cast<ElementsAttr>(value));
}

void ConstantOp::getAsmResultNames(
    function_ref<void(Value, StringRef)> setNameFn) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(getType()));
  setNameFn(getResult(), type ? "c" : "cst");
}

/// `dense<..> : type`, or the function-like `() <{value = ..}> : () -> type`.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseRParen())
      return failure();
    if (succeeded(parser.parseOptionalLess())) {
      Attribute properties;
      if (parser.parseAttribute(properties) || parser.parseGreater())
        return failure();
      result.propertiesAttr = properties;
    }
    FunctionType type;
    if (parser.parseOptionalAttrDict(result.attributes) ||
        parser.parseColonType(type))
      return failure();
    if (type.getNumInputs() != 0 || type.getNumResults() != 1)
      return parser.emitError(parser.getNameLoc(),
                              "expected no operands and one result");
    result.addTypes(type.getResults());
    return success();
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value))
    return failure();
  result.getOrAddProperties<ConstantOp::Properties>().value = value;
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  // A value of another type than the result's needs the generic form's words.
  if (getValue().getType() != getType()) {
    printer << "() <" << (*this)->getPropertiesAsAttribute() << ">";
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << " : ";
    printer.printFunctionalType(*this);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  printer.printAttribute(getValue());
}

LogicalResult IotaOp::verify() {
  int64_t dimension = getIotaDimension();
  int64_t rank = getType().getRank();
  // iota_c1
  if (dimension >= rank)
    return emitOpError() << "iota dimension " << dimension
                         << " is out of range for a result of rank " << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void ConvertOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      Type resultElementType) {
  auto type = cast<RankedTensorType>(operand.getType());
  build(builder, state, type.clone(resultElementType), operand);
}

void CompareOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                      Value rhs, ComparisonDirection comparisonDirection,
                      ComparisonType compareType) {
  MLIRContext *context = builder.getContext();
  ComparisonTypeAttr type;
  if (compareType != ComparisonType::NOTYPE)
    type = ComparisonTypeAttr::get(context, compareType);
  build(builder, state, lhs, rhs,
        ComparisonDirectionAttr::get(context, comparisonDirection), type);
}
