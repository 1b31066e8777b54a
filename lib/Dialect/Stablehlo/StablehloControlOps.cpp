//===- StablehloControlOps.cpp - Control flow, calls, tokens, random bits -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/Reducers.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace mlir::stablehlo {

/// `@target`, though the target is a name outside of the module.
static void printCustomCallTarget(OpAsmPrinter &printer, Operation *,
                                  StringAttr target) {
  printer.printSymbolName(target.getValue());
}
static ParseResult parseCustomCallTarget(OpAsmParser &parser,
                                         StringAttr &target) {
  return parser.parseSymbolName(target);
}

/// `tuple<t1, t2>`, which says the operands' types too.
static void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange,
                             Type result) {
  printer.printType(result);
}
static ParseResult parseTupleOpType(OpAsmParser &parser,
                                    SmallVectorImpl<Type> &operands,
                                    Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc) << "expected a tuple type, got " << result;
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

/// ` ({..}, {..})`, nothing without regions.
static void printCompositeRegions(OpAsmPrinter &printer, Operation *,
                                  MutableArrayRef<Region> regions) {
  if (regions.empty())
    return;
  printer << " (";
  llvm::interleaveComma(regions, printer,
                        [&](Region &region) { printer.printRegion(region); });
  printer << ")";
}
static ParseResult
parseCompositeRegions(OpAsmParser &parser,
                      SmallVectorImpl<std::unique_ptr<Region>> &regions) {
  if (failed(parser.parseOptionalLParen()))
    return success();
  auto parseOne = [&] {
    return parser.parseRegion(
        *regions.emplace_back(std::make_unique<Region>()));
  };
  return failure(parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseRParen());
}

} // namespace mlir::stablehlo

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloControlOps.cpp.inc"

void StablehloDialect::addControlOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Stablehlo/StablehloControlOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// if and case
//===----------------------------------------------------------------------===//

/// The results of an op that runs one of `branches`: for each the most precise
/// type that agrees with what all of them return.
static LogicalResult inferBranches(std::optional<Location> location,
                                   Type selector, RegionRange branches,
                                   SmallVectorImpl<Type> &inferred) {
  if (cast<RankedTensorType>(selector).getRank() != 0)
    return emitOptionalError(location, "expects an operand of rank 0, got ",
                             selector);
  SmallVector<SmallVector<Type>> returned;
  for (auto [index, branch] : llvm::enumerate(branches)) {
    std::string name = ("branch " + Twine(index)).str();
    FailureOr<SmallVector<Type>> types =
        getReturnedTypes(location, *branch, name);
    if (failed(types))
      return failure();
    // if_c1, case_c2
    if (size_t count = branch->getNumArguments())
      return emitOptionalError(location, "expects ", name,
                               " to take no arguments, got ", count);
    // if_c2, case_c3
    if (index > 0 && !isCompatibleForInference(*types, returned.front()))
      return emitOptionalError(location, name,
                               " and branch 0 return different types: (",
                               *types, ") and (", returned.front(), ")");
    returned.push_back(std::move(*types));
  }
  // if_c3, case_c4
  for (size_t i = 0; i < returned.front().size(); ++i) {
    SmallVector<Type> column;
    for (ArrayRef<Type> types : returned)
      column.push_back(types[i]);
    FailureOr<Type> type = inferMostSpecificType(location, column);
    if (failed(type))
      return failure();
    inferred.push_back(*type);
  }
  return success();
}

LogicalResult IfOp::inferReturnTypes(MLIRContext *,
                                     std::optional<Location> location,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &inferred) {
  return inferBranches(location, adaptor.getPred().getType(),
                       adaptor.getRegions(), inferred);
}

LogicalResult CaseOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  // case_c1
  if (adaptor.getRegions().empty())
    return emitOptionalError(location, "expects at least one branch");
  return inferBranches(location, adaptor.getIndex().getType(),
                       adaptor.getRegions(), inferred);
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

LogicalResult WhileOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  // while_c3
  llvm::append_range(inferred, adaptor.getOperand().getTypes());
  return success();
}

LogicalResult WhileOp::verify() {
  // while_c1, while_c2
  for (auto [region, name] :
       {std::pair(&getCond(), "cond"), std::pair(&getBody(), "body")})
    if (!isCompatibleForInference(region->getArgumentTypes(),
                                  getOperand().getTypes()))
      return emitOpError() << "expects " << name << " to take ("
                           << getOperand().getTypes() << "), got ("
                           << region->getArgumentTypes() << ")";
  FailureOr<SmallVector<Type>> condition =
      getReturnedTypes(getLoc(), getCond(), "cond");
  FailureOr<SmallVector<Type>> carried =
      getReturnedTypes(getLoc(), getBody(), "body");
  if (failed(condition) || failed(carried))
    return failure();
  // while_c2
  if (!isCompatibleForInference(*carried, getOperand().getTypes()))
    return emitOpError() << "expects body to return ("
                         << getOperand().getTypes() << "), got (" << *carried
                         << ")";
  // while_c1
  auto type = condition->size() == 1
                  ? dyn_cast<RankedTensorType>(condition->front())
                  : RankedTensorType();
  if (!type || type.getRank() != 0 || !type.getElementType().isInteger(1))
    return emitOpError() << "expects cond to return one tensor<i1>, got ("
                         << *condition << ")";
  return success();
}

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setNameFn) {
  // The same names in both regions: they are written once, before them.
  for (BlockArgument argument : region.getArguments())
    setNameFn(argument, "iterArg");
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperand()),
                        printer, [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = " << std::get<1>(pair);
                        });
  printer << ")";
  if (!getOperand().empty()) {
    printer << " : ";
    llvm::interleaveComma(getOperand().getTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parsePair))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseKeyword("cond"))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  result.addTypes(types);
  return failure(parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

//===----------------------------------------------------------------------===//
// optimization_barrier
//===----------------------------------------------------------------------===//

LogicalResult
OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getOperand().getTypes());
  return success();
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getOperand().size() != getResult().size())
    return emitOpError() << "expects as many results as operands, "
                         << getOperand().size() << ", got "
                         << getResult().size();
  // optimization_barrier_c1
  for (auto [index, operand, result] :
       llvm::enumerate(getOperand(), getResult()))
    if (operand.getType() != result.getType())
      return emitOpError() << "expects result #" << index
                           << " to have the operand's type "
                           << operand.getType() << ", got " << result.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &inferred) {
  // tuple_c1
  inferred.push_back(TupleType::get(context, operands.getTypes()));
  return success();
}

LogicalResult GetTupleElementOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto tuple = dyn_cast<TupleType>(adaptor.getOperand().getType());
  if (!tuple)
    return emitOptionalError(location, "expects a tuple, got ",
                             adaptor.getOperand().getType());
  // get_tuple_element_c1
  int64_t index = int32_t(adaptor.getIndex());
  if (index < 0 || index >= int64_t(tuple.size()))
    return emitOptionalError(location, "index ", index,
                             " is out of range for a tuple with ", tuple.size(),
                             " members");
  // get_tuple_element_c2
  inferred.push_back(tuple.getType(index));
  return success();
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

LogicalResult InfeedOp::verify() {
  // infeed_c1
  if (getNumResults() == 0)
    return emitOpError() << "expects at least one result, got none";
  // infeed_c2
  TypeRange types = getOperation()->getResultTypes();
  for (Type type : types.drop_back())
    if (!isa<RankedTensorType>(type))
      return emitOpError() << "expects all results but the last to be tensors, "
                              "got "
                           << type;
  // infeed_c3
  if (!isa<TokenType>(types.back()))
    return emitOpError() << "expects the last result to be a token, got "
                         << types.back();
  // infeed_c4
  ArrayAttr layout = getLayoutAttr();
  if (!layout)
    return success();
  if (layout.size() != getNumResults() - 1)
    return emitOpError() << "expects a layout for each of "
                         << getNumResults() - 1 << " tensors, got "
                         << layout.size();
  for (Attribute member : layout) {
    auto dimensions = dyn_cast<ArrayAttr>(member);
    if (!dimensions || !llvm::all_of(dimensions, llvm::IsaPred<IntegerAttr>))
      return emitOpError() << "expects a layout to be an array of integers, "
                              "got "
                           << member;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// The highest rank of a result that only the size of an operand states; what
/// is written in full is as long as its text.
static constexpr int64_t kMaxInferredRank = 1 << 16;

LogicalResult RngOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  Type element = getElementTypeOrSelf(adaptor.getA().getType());
  // rng_c2
  if (adaptor.getRngDistribution() == RngDistribution::NORMAL &&
      !isa<FloatType>(element))
    return emitOptionalError(location,
                             "expects floating-point numbers with "
                             "the distribution NORMAL, got ",
                             element);
  // rng_c3
  int64_t rank =
      cast<RankedTensorType>(adaptor.getShape().getType()).getDimSize(0);
  if (rank < 0 || rank > kMaxInferredRank)
    return emitOptionalError(location, "expects a shape of at most ",
                             kMaxInferredRank, " sizes, got ",
                             adaptor.getShape().getType());
  SmallVector<int64_t> sizes(rank, ShapedType::kDynamic);
  DenseIntElementsAttr shape;
  if (matchPattern(adaptor.getShape(), m_Constant(&shape))) {
    for (auto [size, value] : llvm::zip(sizes, shape.getValues<APInt>())) {
      if (value.isNegative() || value.getActiveBits() > 63)
        return emitOptionalError(
            location, "expects a shape without negative sizes, got ", shape);
      size = value.getSExtValue();
    }
  }
  inferred.push_back(RankedTensorType::get(sizes, element));
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  // rng_bit_generator_c1
  if (!areCompatibleShapes(getInitialState().getType(),
                           getOutputState().getType()))
    return emitOpError() << "expects the output state to have the shape of the "
                            "initial state "
                         << getInitialState().getType() << ", got "
                         << getOutputState().getType();
  return success();
}
