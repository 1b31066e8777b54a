//===- StablehloReductionOps.cpp - Reductions, sorting, mapping -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/Reducers.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloReductionOps.cpp.inc"

void StablehloDialect::addReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Stablehlo/StablehloReductionOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// reduce: types
//===----------------------------------------------------------------------===//

/// Checks inputs and dimensions and marks the dimensions to be reduced.
static LogicalResult checkReduce(std::optional<Location> location,
                                 TypeRange inputs, ArrayRef<int64_t> dimensions,
                                 SmallVectorImpl<bool> &isReduced) {
  // reduce_c1, reduce_c3
  FailureOr<RankedTensorType> first = getFirstReducedType(location, inputs);
  if (failed(first))
    return failure();
  isReduced.assign(first->getRank(), false);
  for (int64_t dimension : dimensions) {
    // reduce_c4
    if (dimension < 0 || dimension >= first->getRank())
      return emitOptionalError(location, "dimension ", dimension,
                               " is out of range for inputs of rank ",
                               first->getRank());
    // reduce_c5
    if (isReduced[dimension])
      return emitOptionalError(location, "dimension ", dimension,
                               " is named twice");
    isReduced[dimension] = true;
  }
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  TypeRange inputs = adaptor.getInputs().getTypes();
  SmallVector<bool> isReduced;
  if (failed(checkReduce(location, inputs, adaptor.getDimensions(), isReduced)))
    return failure();
  // reduce_c2
  FailureOr<SmallVector<Type>> elements = getAccumulatorElementTypes(
      location, adaptor.getBody(), inputs.size(), "the body");
  if (failed(elements))
    return failure();
  // reduce_c7
  auto first = cast<RankedTensorType>(inputs.front());
  SmallVector<int64_t> sizes, bounds;
  for (int64_t dimension : llvm::seq<int64_t>(0, first.getRank())) {
    if (isReduced[dimension])
      continue;
    sizes.push_back(first.getDimSize(dimension));
    bounds.push_back(getBound(first, dimension));
  }
  Attribute encoding = encodeBounds(context, bounds);
  for (Type element : *elements)
    inferred.push_back(RankedTensorType::get(sizes, element, encoding));
  return success();
}

LogicalResult ReduceOp::verify() {
  SmallVector<bool> isReduced;
  if (failed(checkReduce(getLoc(), getInputs().getTypes(), getDimensions(),
                         isReduced)))
    return failure();
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  SmallVector<int64_t> kept;
  for (auto [size, reduced] : llvm::zip(first.getShape(), isReduced))
    if (!reduced)
      kept.push_back(size);
  // reduce_c6
  return verifyReducer(getLoc(), getBody(), getInputs().getTypes(),
                       getInitValues().getTypes(), kept, "the body");
}

//===----------------------------------------------------------------------===//
// reduce: assembly
//===----------------------------------------------------------------------===//

/// Whether a body may be written by the name of this op.
static bool isCompactOp(OperationName name) {
  return name.getDialectNamespace() ==
             StablehloDialect::getDialectNamespace() &&
         name.hasTrait<::mlir::OpTrait::IsCommutative>() &&
         name.hasTrait<::mlir::OpTrait::NOperands<2>::Impl>() &&
         name.hasTrait<::mlir::OpTrait::OneResult>() &&
         name.hasTrait<::mlir::OpTrait::ZeroRegions>();
}

/// The op that is the whole body, applied to the body's two arguments of the
/// inputs' element type; null if the body is anything else.
static Operation *getCompactOp(ReduceOp op) {
  if (op.getInputs().empty() || !llvm::hasSingleElement(op.getBody()))
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation &inner = block.front(), &terminator = block.back();
  auto type = RankedTensorType::get(
      {}, getElementTypeOrSelf(op.getInputs().front().getType()));
  bool forwards = isa<ReturnOp>(terminator) && isCompactOp(inner.getName()) &&
                  llvm::equal(inner.getOperands(), block.getArguments()) &&
                  llvm::equal(terminator.getOperands(), inner.getResults());
  if (!forwards || inner.getResult(0).getType() != type ||
      !llvm::all_of(block.getArgumentTypes(),
                    [&](Type argument) { return argument == type; }))
    return nullptr;
  return &inner;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  llvm::interleaveComma(llvm::zip(getInputs(), getInitValues()), printer,
                        [&](auto pair) {
                          printer << "(" << std::get<0>(pair)
                                  << " init: " << std::get<1>(pair) << ")";
                        });
  Operation *inner = getCompactOp(*this);
  if (inner)
    printer << " applies " << inner->getName();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getDimensionsAttrName().getValue()});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  unsigned numPairs = block.getNumArguments() / 2;
  for (unsigned i = 0; i < numPairs; ++i) {
    printer << "(";
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + numPairs));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// `(%x init: %c), (%y init: %d)`, inputs first in `operands`.
static ParseResult
parseInputPairs(OpAsmParser &parser,
                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  SmallVector<OpAsmParser::UnresolvedOperand> initValues;
  while (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(initValues.emplace_back()) || parser.parseRParen())
      return failure();
    (void)parser.parseOptionalComma();
  }
  llvm::append_range(operands, initValues);
  return success();
}

/// `across dimensions = [..] {..} : function-type`.
static ParseResult parseReduction(OpAsmParser &parser, OperationState &result,
                                  FunctionType &type) {
  SmallVector<int64_t> dimensions;
  auto parseDimension = [&] {
    return parser.parseInteger(dimensions.emplace_back());
  };
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseDimension) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.getOrAddProperties<ReduceOp::Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dimensions);
  result.addTypes(type.getResults());
  return success();
}

/// `reducer(%a: t, %b: t) (%c: u, %d: u) {..}`.
static ParseResult parseReducer(OpAsmParser &parser, Region &body) {
  if (parser.parseKeyword("reducer"))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments, added;
  while (succeeded(parser.parseOptionalLParen()))
    if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(added.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  llvm::append_range(arguments, added);
  return parser.parseRegion(body, arguments);
}

/// Makes the body that `applies name` stands for.
static void buildCompactBody(OpAsmParser &parser, Region &body,
                             OperationName name, Type element, Location loc) {
  auto type = RankedTensorType::get({}, element);
  Block &block = body.emplaceBlock();
  block.addArguments({type, type}, {loc, loc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  Operation *inner = builder.create(loc, name.getIdentifier(),
                                    block.getArguments(), TypeRange(type));
  ReturnOp::create(builder, loc, inner->getResults());
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  if (parseInputPairs(parser, operands))
    return failure();
  Region &body = *result.addRegion();
  if (failed(parser.parseOptionalKeyword("applies")))
    return failure(parseReduction(parser, result, type) ||
                   parseReducer(parser, body) ||
                   parser.resolveOperands(operands, type.getInputs(), loc,
                                          result.operands));

  SMLoc nameLoc = parser.getCurrentLocation();
  FailureOr<OperationName> name = parser.parseCustomOperationName();
  if (failed(name))
    return failure();
  if (!isCompactOp(*name))
    return parser.emitError(nameLoc)
           << "expected a commutative binary op of stablehlo, got '" << *name
           << "'";
  std::optional<Location> location;
  if (parseReduction(parser, result, type) ||
      parser.parseOptionalLocationSpecifier(location))
    return failure();
  auto input = type.getNumInputs() ? dyn_cast<ShapedType>(type.getInput(0))
                                   : ShapedType();
  if (!input)
    return parser.emitError(loc, "expected an input of tensor type");
  if (!TensorType::isValidElementType(input.getElementType()))
    return parser.emitError(loc) << "invalid element type in " << input;
  if (location)
    result.location = *location;
  buildCompactBody(parser, body, *name, input.getElementType(),
                   result.location);
  return parser.resolveOperands(operands, type.getInputs(), loc,
                                result.operands);
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  // sort_c2
  llvm::append_range(inferred, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult SortOp::verify() {
  // sort_c4
  int64_t rank =
      cast<RankedTensorType>(getInputs().front().getType()).getRank();
  int64_t dimension = getDimension();
  if (dimension < -rank || dimension >= rank)
    return emitOpError() << "dimension " << dimension
                         << " is out of range for inputs of rank " << rank;
  // sort_c5
  return verifyComparator(getLoc(), getComparator(), getInputs().getTypes(),
                          /*anyFloat=*/false, "the comparator");
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

/// Checks that the computation takes one element of each input.
static LogicalResult checkMapArguments(std::optional<Location> location,
                                       Block &computation, TypeRange inputs) {
  if (computation.getNumArguments() != inputs.size())
    return emitOptionalError(location, "expects the computation to take ",
                             inputs.size(), " arguments, got ",
                             computation.getNumArguments());
  for (auto [index, argument, input] :
       llvm::enumerate(computation.getArgumentTypes(), inputs)) {
    auto type = dyn_cast<RankedTensorType>(argument);
    if (!type || type.getRank() != 0 ||
        type.getElementType() != getElementTypeOrSelf(input))
      return emitOptionalError(
          location, "expects argument #", index, " of the computation to be ",
          RankedTensorType::get({}, getElementTypeOrSelf(input)), ", got ",
          argument);
  }
  return success();
}

LogicalResult MapOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  // map_c2
  TypeRange inputs = adaptor.getInputs().getTypes();
  if (inputs.empty())
    return emitOptionalError(location, "expects at least one input");
  // map_c4
  FailureOr<SmallVector<Type>> returned =
      getReturnedTypes(location, adaptor.getComputation(), "the computation");
  if (failed(returned) ||
      failed(checkMapArguments(location, adaptor.getComputation().front(),
                               inputs)))
    return failure();
  auto result = returned->size() == 1
                    ? dyn_cast<RankedTensorType>(returned->front())
                    : RankedTensorType();
  if (!result || result.getRank() != 0)
    return emitOptionalError(location,
                             "expects the computation to return one "
                             "tensor of rank 0, got (",
                             *returned, ")");
  // map_c3
  auto first = cast<RankedTensorType>(inputs.front());
  if (!llvm::equal(adaptor.getDimensions(),
                   llvm::seq<int64_t>(0, first.getRank())))
    return emitOptionalError(location, "expects dimensions to be all ",
                             first.getRank(), " in order, got [",
                             adaptor.getDimensions(), "]");
  // map_c1
  inferred.push_back(first.clone(result.getElementType()));
  return success();
}
