//===- AssemblyFormat.cpp - Directives of StableHLO's assembly ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// One type for all
//===----------------------------------------------------------------------===//

static void printFunctional(OpAsmPrinter &printer, TypeRange operands,
                            Type result) {
  printer.printFunctionalType(operands, TypeRange(result));
}

void stablehlo::detail::printSameType(OpAsmPrinter &printer, TypeRange types) {
  if (llvm::all_equal(types))
    printer.printType(types.front());
  else
    printFunctional(printer, types.drop_back(), types.back());
}

/// Reports a functional type with the wrong number of operands or results.
static ParseResult checkArity(OpAsmParser &parser, SMLoc loc, FunctionType type,
                              size_t numOperands) {
  if (type.getNumInputs() != numOperands)
    return parser.emitError(loc)
           << numOperands << " operands present, but expected "
           << type.getNumInputs();
  if (type.getNumResults() != 1)
    return parser.emitError(loc)
           << "expected a single result type, got " << type.getNumResults();
  return success();
}

ParseResult stablehlo::detail::parseSameType(OpAsmParser &parser,
                                             ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *t : types)
      *t = type;
    return success();
  }
  if (checkArity(parser, loc, function, types.size() - 1))
    return failure();
  for (auto [t, input] : llvm::zip(types.drop_back(), function.getInputs()))
    *t = input;
  *types.back() = function.getResult(0);
  return success();
}

void stablehlo::printVariadicSameOperandsAndResultType(OpAsmPrinter &printer,
                                                       Operation *,
                                                       OperandRange,
                                                       TypeRange operandTypes,
                                                       Type result) {
  if (llvm::all_of(operandTypes, [&](Type t) { return t == result; }))
    printer.printType(result);
  else
    printFunctional(printer, operandTypes, result);
}

ParseResult stablehlo::parseVariadicSameOperandsAndResultType(
    OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> operands,
    SmallVectorImpl<Type> &operandTypes, Type &result) {
  operandTypes.resize(operands.size());
  SmallVector<Type *> types;
  for (Type &type : operandTypes)
    types.push_back(&type);
  types.push_back(&result);
  return detail::parseSameType(parser, types);
}

void stablehlo::printPairwiseOpType(OpAsmPrinter &printer, Operation *,
                                    TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult stablehlo::parsePairwiseOpType(OpAsmParser &parser,
                                           SmallVectorImpl<Type> &operands,
                                           SmallVectorImpl<Type> &results) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(operands))
    return parser.emitError(loc, "expected type list");
  results.assign(operands.begin(), operands.end());
  return success();
}

//===----------------------------------------------------------------------===//
// Types that follow from one another
//===----------------------------------------------------------------------===//

/// The type of the real or imaginary part of `type`, null if it has none.
static Type getPartType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  auto element = dyn_cast<ComplexType>(tensor.getElementType());
  return element ? tensor.clone(element.getElementType()) : Type();
}

void stablehlo::printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs,
                                   Type rhs, Type result) {
  if (Type part = getPartType(result); part && lhs == part && rhs == part)
    printer.printType(result);
  else
    printFunctional(printer, {lhs, rhs}, result);
}

ParseResult stablehlo::parseComplexOpType(OpAsmParser &parser, Type &lhs,
                                          Type &rhs, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (checkArity(parser, loc, function, 2))
      return failure();
    lhs = function.getInput(0);
    rhs = function.getInput(1);
    result = function.getResult(0);
    return success();
  }
  result = type;
  lhs = rhs = getPartType(type);
  if (!lhs)
    return parser.emitError(loc)
           << "expected a tensor with complex elements, got " << type;
  return success();
}

void stablehlo::printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                                  Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printFunctional(printer, {pred, onTrue, onFalse}, result);
}

ParseResult stablehlo::parseSelectOpType(OpAsmParser &parser, Type &pred,
                                         Type &onTrue, Type &onFalse,
                                         Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type, 2> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  auto function =
      types.size() == 1 ? dyn_cast<FunctionType>(types[0]) : FunctionType();
  if (!function || function.getNumInputs() != 3 ||
      function.getNumResults() != 1)
    return parser.emitError(
        loc, "expected two types, or a functional type with three operands and "
             "one result");
  pred = function.getInput(0);
  onTrue = function.getInput(1);
  onFalse = function.getInput(2);
  result = function.getResult(0);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void stablehlo::printExponentMantissa(OpAsmPrinter &printer, Operation *,
                                      IntegerAttr exponent,
                                      IntegerAttr mantissa) {
  printer << "e" << exponent.getValue() << "m" << mantissa.getValue();
}

ParseResult stablehlo::parseExponentMantissa(OpAsmParser &parser,
                                             IntegerAttr &exponent,
                                             IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  int32_t exponentBits, mantissaBits;
  StringRef rest = text;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.consumeInteger(10, mantissaBits) ||
      !rest.empty())
    return parser.emitError(loc)
           << "expected a format like e5m10, got '" << text << "'";
  Builder &builder = parser.getBuilder();
  exponent = builder.getI32IntegerAttr(exponentBits);
  mantissa = builder.getI32IntegerAttr(mantissaBits);
  return success();
}
