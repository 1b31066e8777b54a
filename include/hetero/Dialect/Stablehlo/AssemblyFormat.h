//===- AssemblyFormat.h - Directives of StableHLO's assembly ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parse/print pairs behind `custom<...>` in the op definitions. Each pair
// prints what it parses; the text is the one that StableHLO's own printer
// makes.

#ifndef HETERO_DIALECT_STABLEHLO_ASSEMBLYFORMAT_H
#define HETERO_DIALECT_STABLEHLO_ASSEMBLYFORMAT_H

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::stablehlo {

namespace detail {
/// `types` are those of the operands and, last, of the result.
void printSameType(OpAsmPrinter &printer, TypeRange types);
ParseResult parseSameType(OpAsmParser &parser, ArrayRef<Type *> types);
} // namespace detail

/// `T` when operands and result all have type T, otherwise the functional type
/// `(T1, T2) -> T3`. Takes the types of one to three operands and the result.
template <typename... TypesT>
void printSameOperandsAndResultType(OpAsmPrinter &printer, Operation *,
                                    TypesT... types) {
  Type list[] = {Type(types)...};
  detail::printSameType(printer, TypeRange(ArrayRef<Type>(list)));
}
template <typename... TypesT>
ParseResult parseSameOperandsAndResultType(OpAsmParser &parser,
                                           TypesT &...types) {
  return detail::parseSameType(parser, {&types...});
}

/// The same for a variadic operand:
/// `$inputs attr-dict : custom<VariadicSameOperandsAndResultType>(
///    ref($inputs), type($inputs), type($result))`.
void printVariadicSameOperandsAndResultType(OpAsmPrinter &printer, Operation *,
                                            OperandRange operands,
                                            TypeRange operandTypes,
                                            Type result);
ParseResult parseVariadicSameOperandsAndResultType(
    OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> operands,
    SmallVectorImpl<Type> &operandTypes, Type &result);

/// `t1, t2` for operands that are also the results, one by one.
void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands,
                         TypeRange results);
ParseResult parsePairwiseOpType(OpAsmParser &parser,
                                SmallVectorImpl<Type> &operands,
                                SmallVectorImpl<Type> &results);

/// `complex<..>` result type alone when the parts follow from it.
void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs,
                        Type result);
ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs,
                               Type &result);

/// `pred-type, type` when both branches have the type of the result.
void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                       Type onTrue, Type onFalse, Type result);
ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue,
                              Type &onFalse, Type &result);

/// The bare word of an enumeration's attribute: `LT`, `PHILOX`.
template <typename AttrT>
void printEnumKeyword(OpAsmPrinter &printer, Operation *, AttrT attr) {
  printer << stringifyEnum(attr.getValue());
}
template <typename AttrT>
ParseResult parseEnumKeyword(OpAsmParser &parser, AttrT &attr) {
  using EnumT = decltype(attr.getValue());
  FailureOr<EnumT> value = FieldParser<EnumT>::parse(parser);
  if (failed(value))
    return failure();
  attr = AttrT::get(parser.getContext(), *value);
  return success();
}

/// `e5m10`.
void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                           IntegerAttr exponent, IntegerAttr mantissa);
ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa);

} // namespace mlir::stablehlo

#endif // HETERO_DIALECT_STABLEHLO_ASSEMBLYFORMAT_H
