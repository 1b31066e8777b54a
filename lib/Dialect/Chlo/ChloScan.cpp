//===- ChloScan.cpp - Inference, verification and text of chlo.scan -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Chlo/ChloOps.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::chlo;

//===----------------------------------------------------------------------===//
// Types of slices
//===----------------------------------------------------------------------===//

static RankedTensorType makeType(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> bounds, Type elementType) {
  return RankedTensorType::get(
      shape, elementType,
      stablehlo::encodeBounds(elementType.getContext(), bounds));
}

/// One bound for each dimension, kDynamic where the type has none.
static SmallVector<int64_t> getAllBounds(RankedTensorType type) {
  SmallVector<int64_t> bounds(stablehlo::getBounds(type));
  bounds.resize(type.getRank(), ShapedType::kDynamic);
  return bounds;
}

/// `type` without dimension `dim`, which is in range.
static RankedTensorType removeDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> bounds = getAllBounds(type);
  shape.erase(shape.begin() + dim);
  bounds.erase(bounds.begin() + dim);
  return makeType(shape, bounds, type.getElementType());
}

/// `type` with a dimension before dimension `dim`, at most its rank.
static RankedTensorType insertDim(RankedTensorType type, int64_t dim,
                                  int64_t size, int64_t bound) {
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> bounds = getAllBounds(type);
  shape.insert(shape.begin() + dim, size);
  bounds.insert(bounds.begin() + dim, bound);
  return makeType(shape, bounds, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Inference and verification
//===----------------------------------------------------------------------===//

/// Finds the number of steps, and its bound if it is dynamic.
static LogicalResult inferSteps(std::optional<Location> location,
                                ScanOp::Adaptor adaptor, int64_t &size,
                                int64_t &bound) {
  int64_t dim = adaptor.getDimension();
  size = adaptor.getScanDimSize().value_or(ShapedType::kDynamic);
  bound = ShapedType::kDynamic;
  for (auto [i, input] : llvm::enumerate(adaptor.getInputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type)
      return emitOptionalError(location, "operand ", i, " is not ranked");
    // scan_c2
    if (dim >= type.getRank())
      return emitOptionalError(location, "scan dimension of operand ", i,
                               " is out of bounds: ", dim,
                               " is not below the rank ", type.getRank());
    if (ShapedType::isDynamic(size))
      size = type.getDimSize(dim);
    int64_t inputBound = stablehlo::getBound(type, dim);
    if (ShapedType::isDynamic(bound))
      bound = inputBound;
    else if (ShapedType::isStatic(inputBound))
      bound = std::min(bound, inputBound);
  }
  if (ShapedType::isStatic(size))
    bound = ShapedType::kDynamic;
  return success();
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  Region &body = adaptor.getBody();
  if (body.empty() || body.front().empty() ||
      !body.front().back().hasTrait<mlir::OpTrait::IsTerminator>())
    return emitOptionalError(location, "body has no terminator");
  OperandRange returned = body.front().back().getOperands();
  // scan_c5
  size_t numCarries = adaptor.getInits().size();
  if (returned.size() < numCarries)
    return emitOptionalError(location, "body must return at least ", numCarries,
                             " values (carries), but it returns ",
                             returned.size());
  int64_t size, bound;
  if (failed(inferSteps(location, adaptor, size, bound)))
    return failure();

  int64_t dim = adaptor.getDimension();
  for (auto [i, value] : llvm::enumerate(returned)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return emitOptionalError(location, "terminator operand ", i,
                               " is not ranked");
    bool isOutput = i < returned.size() - numCarries;
    // scan_c2
    if (isOutput && dim > type.getRank())
      return emitOptionalError(location, "scan dimension ", dim,
                               " is out of bounds for terminator operand ", i,
                               " of rank ", type.getRank());
    inferred.push_back(isOutput ? insertDim(type, dim, size, bound) : type);
  }
  return success();
}

/// scan_c4
static LogicalResult verifyBodyArguments(ScanOp op) {
  Block &body = op.getBody().front();
  if (body.getNumArguments() != op->getNumOperands())
    return op.emitOpError()
           << "expects " << op->getNumOperands()
           << " arguments in the body, but got " << body.getNumArguments();
  for (auto [i, operand] : llvm::enumerate(op->getOperandTypes())) {
    auto type = dyn_cast<RankedTensorType>(operand);
    if (!type)
      return op.emitOpError() << "operand " << i << " is not ranked";
    if (i < op.getInputs().size())
      type = removeDim(type, op.getDimension());
    Type argument = body.getArgument(i).getType();
    if (!stablehlo::areCompatibleTypes(type, argument))
      return op.emitOpError()
             << "operand and body argument " << i
             << " are incompatible: " << type << " and " << argument;
  }
  return success();
}

LogicalResult ScanOp::verify() {
  // scan_c1
  if (getInputs().empty() && getOutputs().empty())
    return emitOpError() << "at least one of inputs or outputs must be present";
  int64_t dim = getDimension();
  std::optional<int64_t> size = getScanDimSize();
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type)
      return emitOpError() << "operand " << i << " is not ranked";
    // scan_c2
    if (dim >= type.getRank())
      return emitOpError() << "scan dimension of operand " << i
                           << " is out of bounds: " << dim
                           << " is not below the rank " << type.getRank();
    if (type.isDynamicDim(dim))
      continue;
    // scan_c3
    if (size && *size != type.getDimSize(dim))
      return emitOpError() << "invalid scan dimension size of operand " << i
                           << ": " << type.getDimSize(dim) << ", expected "
                           << *size;
    size = type.getDimSize(dim);
  }
  return verifyBodyArguments(*this);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void ScanOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setNameFn) {
  for (BlockArgument argument : region.getArguments())
    setNameFn(argument,
              argument.getArgNumber() < getInputs().size() ? "input" : "carry");
}

/// `(%inputs) inits (%inits) dimension=N attributes {..} { body } : type`
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t dimension = 0;
  FunctionType type;
  SMLoc loc = parser.getNameLoc();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) || parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != inputs.size() + inits.size())
    return parser.emitError(
               loc, "operand types must match the number of inputs and inits, ")
           << inputs.size() + inits.size() << ", but there are "
           << type.getNumInputs();
  if (type.getNumResults() < inits.size())
    return parser.emitError(
               loc, "not enough result types to cover the required carries: ")
           << type.getNumResults() << " of " << inits.size();
  if (parser.resolveOperands(inputs, type.getInputs().take_front(inputs.size()),
                             loc, result.operands) ||
      parser.resolveOperands(inits, type.getInputs().take_back(inits.size()),
                             loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  Builder &builder = parser.getBuilder();
  int32_t numInputs = inputs.size(), numInits = inits.size();
  int32_t numOutputs = type.getNumResults() - numInits;
  result.addAttribute(getDimensionAttrName(result.name),
                      builder.getI64IntegerAttr(dimension));
  result.addAttribute(getOperandSegmentSizeAttr(),
                      builder.getDenseI32ArrayAttr({numInputs, numInits}));
  result.addAttribute(getResultSegmentSizeAttr(),
                      builder.getDenseI32ArrayAttr({numOutputs, numInits}));
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << "(" << getInputs() << ") inits (" << getInits()
          << ") dimension=" << getDimension() << " ";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getDimensionAttrName(), getOperandSegmentSizeAttr(),
                            getResultSegmentSizeAttr()});
  printer << " ";
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}
