//===- SdyOps.cpp - Operations of the sdy dialect -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SdyVerify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::sdy;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// sharding-list ::= `[` (sharding (`,` sharding)*)? `]`
static ParseResult parseShardingList(OpAsmParser &parser,
                                     TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> list;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<TensorShardingAttr> sharding =
        FieldParser<TensorShardingAttr>::parse(parser);
    if (failed(sharding))
      return failure();
    list.push_back(*sharding);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}

static void printShardingList(OpAsmPrinter &printer, Operation *,
                              TensorShardingPerValueAttr shardings) {
  printer << "[";
  printer.printStrippedAttrOrType(shardings.getShardings());
  printer << "]";
}

/// body-with-arguments ::= `(` (argument (`,` argument)*)? `)` region
static ParseResult parseBodyWithArguments(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseRegion(body, arguments));
}

static void printBodyWithArguments(OpAsmPrinter &printer, Operation *,
                                   Region &body) {
  printer << "(";
  llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument arg) {
    printer.printRegionArgument(arg);
  });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

/// constant ::= (`(` `)` attr-dict `:` `(` `)` `->` type) | (attr-dict value)
/// The first form is only read.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen())) {
    Type type;
    if (parser.parseRParen() || parser.parseOptionalAttrDict(result.attributes))
      return failure();
    if (parser.parseColon() || parser.parseLParen() || parser.parseRParen() ||
        parser.parseArrow() || parser.parseType(type))
      return failure();
    result.addTypes(type);
    return success();
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                             ValueRange, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange,
                             SmallVectorImpl<Type> &inferredReturnTypes) {
  ConstantOp::Adaptor adaptor({}, attributes, properties);
  ElementsAttr value = adaptor.getValue();
  if (!value)
    return emitOptionalError(location, "constant has no value");
  inferredReturnTypes.push_back(value.getType());
  return success();
}

bool ConstantOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  // constant_c1
  if (l.size() != 1 || r.size() != 1)
    return false;
  auto left = dyn_cast<ShapedType>(l.front());
  auto right = dyn_cast<ShapedType>(r.front());
  return left && right && left.getElementType() == right.getElementType() &&
         left.hasRank() && right.hasRank() &&
         left.getShape() == right.getShape();
}

LogicalResult ShardingGroupOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                ValueRange, DictionaryAttr,
                                                OpaqueProperties, RegionRange,
                                                SmallVectorImpl<Type> &) {
  return success();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult ShardingConstraintOp::verify() {
  return verifySharding(getSharding(), getType(), *this,
                        [&]() { return emitOpError(); });
}

LogicalResult ReshardOp::verify() {
  return verifySharding(getSharding(), getType(), *this,
                        [&]() { return emitOpError(); });
}

LogicalResult PropagationBarrierOp::verify() {
  // barrier_c1
  if (getAllowedDirection() == PropagationDirection::BOTH)
    return emitOpError() << "must not allow both directions, as without it";
  return success();
}

LogicalResult ReturnOp::verify() {
  // return_c1
  auto function = dyn_cast_or_null<func::FuncOp>((*this)->getParentOp());
  if (function && TypeRange(function.getResultTypes()) != getOperandTypes())
    return emitOpError() << "returns " << getOperandTypes()
                         << ", but the function returns "
                         << function.getResultTypes();
  return success();
}

/// Checks what edges of data flow inside and across functions have in common.
static LogicalResult verifyEdge(Operation *op, Value input) {
  // edge_c1, func_edge_c1
  if (!cast<ShapedType>(input.getType()).hasStaticShape())
    return op->emitOpError() << "needs a static shape, got " << input.getType();
  // edge_c2, func_edge_c2
  if (!input.hasOneUse())
    return op->emitOpError() << "must be the only use of its input";
  return success();
}

LogicalResult DataFlowEdgeOp::verify() {
  if (failed(verifyEdge(*this, getInput())))
    return failure();
  // edge_c3
  Operation *def = getInput().getDefiningOp();
  if (def && isa_and_nonnull<SdyDialect>(def->getDialect()) &&
      !isa<ManualComputationOp, NamedComputationOp>(def))
    return (emitOpError() << "must not stand on the result of '"
                          << def->getName() << "'")
               .attachNote(def->getLoc())
           << "the input is defined here";
  if (!getShardingAttr())
    return success();
  return verifySharding(getShardingAttr(), getType(), *this,
                        [&]() { return emitOpError(); });
}

LogicalResult FuncDataFlowEdgeOp::verify() {
  if (failed(verifyEdge(*this, getOperand())))
    return failure();
  // func_edge_c3
  Operation *def = getOperand().getDefiningOp();
  if (!def)
    def = cast<BlockArgument>(getOperand()).getOwner()->getParentOp();
  bool isResult = isa<OpResult>(getOperand());
  if (def && (isResult ? isa<func::CallOp>(def) : isa<func::FuncOp>(def)))
    return success();
  InFlightDiagnostic diag =
      emitOpError() << "needs a function argument or the result of a call";
  if (def)
    diag.attachNote(def->getLoc()) << "the operand is defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// NamedComputationOp
//===----------------------------------------------------------------------===//

/// The types that the body returns.
static TypeRange getReturnedTypes(Region &body) {
  return body.front().getTerminator()->getOperandTypes();
}

LogicalResult NamedComputationOp::verifyRegions() {
  // named_c1
  if (getBody().getArgumentTypes() != getOperandTypes())
    return emitOpError() << "takes " << getOperandTypes()
                         << ", but its body takes "
                         << getBody().getArgumentTypes();
  // named_c2
  if (getReturnedTypes(getBody()) != getResultTypes())
    return emitOpError() << "returns " << getResultTypes()
                         << ", but its body returns "
                         << getReturnedTypes(getBody());
  if (getInShardingsAttr() &&
      failed(verifyShardings(getInShardingsAttr(), getOperandTypes(), *this,
                             "operand")))
    return failure();
  if (getOutShardingsAttr() &&
      failed(verifyShardings(getOutShardingsAttr(), getResultTypes(), *this,
                             "result")))
    return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// ManualComputationOp
//===----------------------------------------------------------------------===//

using AxisSet = llvm::SmallDenseSet<StringRef>;

/// Splits one dimension along its manual axes; `size` becomes the local one.
static LogicalResult splitDimension(DimensionShardingAttr dim, MeshAttr mesh,
                                    const AxisSet &manual, int64_t &size,
                                    ErrorFn emitError) {
  AxisRefAttr free;
  SmallVector<AxisRefAttr> axes;
  for (AxisRefAttr axis : dim.getAxes()) {
    if (!manual.contains(axis.getName())) {
      free = axis;
      continue;
    }
    // manual_c3
    if (free)
      return emitError() << "manual axis " << axis.toString()
                         << " comes after free axis " << free.toString();
    axes.push_back(axis);
  }
  if (ShapedType::isDynamic(size))
    return success();
  // manual_c4
  int64_t parts = DimensionShardingAttr::get(mesh.getContext(), axes, true)
                      .getShardedSize(mesh);
  if (parts < 1 || size % parts != 0)
    return emitError() << "manual axes split a dimension of size " << size
                       << " into " << parts << " parts";
  size /= parts;
  return success();
}

/// Checks an operand against its argument, or a result against its returned
/// value.
static LogicalResult verifyLocalType(TensorShardingAttr sharding, Type global,
                                     Type local, MeshAttr mesh,
                                     const AxisSet &manual, ErrorFn emitError) {
  auto shaped = dyn_cast<ShapedType>(global);
  if (!shaped)
    return success();
  if (!shaped.hasRank() || shaped.getRank() != sharding.getRank())
    return emitError() << "sharding does not give the local shape of "
                       << global;
  SmallVector<int64_t> shape(shaped.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, sharding.getDimShardings()))
    if (failed(splitDimension(dim, mesh, manual, size, emitError)))
      return failure();
  // manual_c5
  auto expected = RankedTensorType::get(shape, shaped.getElementType());
  if (local != expected)
    return emitError() << "one device's part of " << global << " is "
                       << expected << ", but the body has " << local;
  return success();
}

static LogicalResult verifyValues(ManualComputationOp op,
                                  TensorShardingPerValueAttr shardings,
                                  TypeRange global, TypeRange local,
                                  const AxisSet &manual, MeshAttr &common,
                                  StringRef kind) {
  if (failed(verifyShardings(shardings, global, op, kind)))
    return failure();
  // manual_c2
  if (global.size() != local.size())
    return op.emitOpError() << "has " << global.size() << " " << kind
                            << "s, but its body has " << local.size();
  for (auto [index, sharding] : llvm::enumerate(shardings.getShardings())) {
    MeshAttr mesh = sharding.getMesh(op);
    // manual_c6
    if (failed(mergeMesh(common, mesh)) && !manual.empty())
      return op.emitOpError() << "has manual axes, but shardings on two meshes,"
                              << " " << common << " and " << mesh;
    if (index >= global.size())
      continue;
    size_t position = index;
    if (failed(verifyLocalType(
            sharding, global[index], local[index], mesh, manual, [&]() {
              return op.emitOpError() << kind << " " << position << ": ";
            })))
      return failure();
  }
  return success();
}

LogicalResult ManualComputationOp::verifyRegions() {
  AxisSet manual;
  for (StringAttr name : getManualAxes()) {
    manual.insert(name.getValue());
    // manual_c1
    if (auto owner = findManualOwner(*this, name.getValue()))
      return (emitOpError()
              << "axis " << name << " is manual in an enclosing computation")
                 .attachNote(owner.getLoc())
             << "axis " << name << " is manual here";
  }
  MeshAttr mesh;
  if (failed(verifyValues(*this, getInShardings(), getOperandTypes(),
                          getBody().getArgumentTypes(), manual, mesh,
                          "operand")) ||
      failed(verifyValues(*this, getOutShardings(), getResultTypes(),
                          getReturnedTypes(getBody()), manual, mesh, "result")))
    return failure();
  // manual_c7
  for (StringAttr name : getManualAxes())
    if (mesh && !mesh.hasAxis(name.getValue()))
      return emitOpError() << "manual axis " << name << " is not in " << mesh;
  return success();
}

//===----------------------------------------------------------------------===//
// Generated code
//===----------------------------------------------------------------------===//

#include "hetero/Dialect/Sdy/SdyInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "hetero/Dialect/Sdy/SdyOps.cpp.inc"
