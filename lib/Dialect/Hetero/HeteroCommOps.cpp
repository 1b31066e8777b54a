//===- HeteroCommOps.cpp - Messages, and what is around them --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroCommOps.h"
#include "AsmDirectives.h"
#include "Verifiers.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hetero;

ArrayRef<int64_t> hetero::getProgramRanks(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    return {};
  auto program =
      function->getAttrOfType<ProgramAttr>(HeteroDialect::getProgramAttrName());
  return program ? program.getRanks() : ArrayRef<int64_t>();
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

/// Reads `@grid(data, tensor)`.
static ParseResult parseGroup(OpAsmParser &parser, FlatSymbolRefAttr &mesh,
                              ArrayAttr &axes) {
  StringAttr name;
  if (parser.parseSymbolName(name))
    return failure();
  mesh = FlatSymbolRefAttr::get(name);
  return parseAxes(parser, axes);
}

static void printGroup(OpAsmPrinter &printer, Operation *op,
                       FlatSymbolRefAttr mesh, ArrayAttr axes) {
  printer << mesh;
  printAxes(printer, op, axes);
}

//===----------------------------------------------------------------------===//
// SendOp, RecvOp
//===----------------------------------------------------------------------===//

/// Checks what both ends of a message have in common.
template <typename OpT>
static LogicalResult verifyMessage(OpT op) {
  int64_t peer = op.getPeer(), channel = op.getChannel();
  if (peer < 0 || channel < 0)
    return op.emitOpError() << "message_c1: rank " << peer << " and channel "
                            << channel << " must not be negative";
  ArrayRef<int64_t> ranks = getProgramRanks(op);
  if (ranks.size() > 1)
    return op.emitOpError() << "message_c2: is run by " << ranks.size()
                            << " ranks; a message has one at each end";
  if (!ranks.empty() && ranks.front() == peer)
    return op.emitOpError()
           << "message_c2: is between rank " << peer << " and itself";
  Operation *function = op->template getParentOfType<FunctionOpInterface>();
  ClusterOp cluster = function ? ClusterOp::lookupNear(function) : ClusterOp();
  if (cluster && peer >= cluster.getNumDevices())
    return (op.emitOpError()
            << "message_c3: rank " << peer << " does not exist")
               .attachNote(cluster.getLoc())
           << "the cluster has ranks 0 to " << cluster.getNumDevices() - 1;
  return success();
}

/// The key of a message: both ends and the channel.
static ArrayAttr getMessageKey(MLIRContext *context, int64_t from, int64_t to,
                               int64_t channel) {
  Builder builder(context);
  return builder.getArrayAttr(
      {builder.getStringAttr("message"), builder.getI64IntegerAttr(from),
       builder.getI64IntegerAttr(to), builder.getI64IntegerAttr(channel)});
}

LogicalResult SendOp::verify() { return verifyMessage(*this); }

std::optional<int64_t> SendOp::getMemberBytes(int64_t, int64_t) {
  return getByteSize(getOperand().getType());
}

ArrayAttr SendOp::getMatchingKey(int64_t rank, MeshOp) {
  return getMessageKey(getContext(), rank, getPeer(), getChannel());
}

LogicalResult RecvOp::verify() {
  if (!isa_and_nonnull<RankedTensorType>(getAwaitedType(getResult().getType())))
    return emitOpError() << "recv_c1: the result " << getResult().getType()
                         << " is not a ranked tensor or a handle of one";
  return verifyMessage(*this);
}

std::optional<int64_t> RecvOp::getMemberBytes(int64_t, int64_t) {
  return getByteSize(
      cast<RankedTensorType>(getAwaitedType(getResult().getType())));
}

ArrayAttr RecvOp::getMatchingKey(int64_t rank, MeshOp) {
  return getMessageKey(getContext(), getPeer(), rank, getChannel());
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

LogicalResult WaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  if (operands.size() != 1 || !isa<HandleType>(operands.front().getType()))
    return failure();
  if (Type value = getAwaitedType(operands.front().getType()))
    types.push_back(value);
  return success();
}

//===----------------------------------------------------------------------===//
// ReshardOp, OffsetOp, AccumulateOp, CopyOp
//===----------------------------------------------------------------------===//

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySharding(
      *this, getSharding(), getResult().getType(),
      symbols.lookupNearestSymbolFrom<MeshOp>(*this, getSharding().getMesh()));
}

LogicalResult OffsetOp::verify() {
  RankedTensorType type = getResult().getType();
  if (type.getRank() != 0 || !isa<IntegerType>(type.getElementType()))
    return emitOpError() << "offset_c1: the result " << type
                         << " is not a tensor of rank 0 of integers";
  return success();
}

LogicalResult OffsetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto mesh = symbols.lookupNearestSymbolFrom<MeshOp>(*this, getMeshAttr());
  std::optional<int64_t> members;
  if (mesh)
    members = mesh.getGroupSize(getAxes());
  if (!members)
    return emitOpError() << "offset_c2: " << getMeshAttr()
                         << " is not a mesh that has the axes";
  if (static_cast<int64_t>(getSizes().size()) != *members)
    return emitOpError() << "offset_c2: has " << getSizes().size()
                         << " sizes for " << *members << " members";
  int64_t sum = 0;
  for (int64_t size : getSizes())
    if (size < 0 || llvm::AddOverflow(sum, size, sum))
      return emitOpError() << "offset_c2: size " << size << " is not possible";
  return success();
}

LogicalResult AccumulateOp::verify() {
  return verifyReduction(*this, getReduction(),
                         getOperand().getType().getElementType(),
                         "accumulate_c1");
}

LogicalResult CopyOp::verify() {
  Type from = getOperand().getType();
  Type to = getAwaitedType(getResult().getType());
  auto isHostOf = [](Type host, Type tensor) {
    auto hostType = dyn_cast_or_null<HostType>(host);
    return hostType && hostType.getValue() == tensor;
  };
  if (!isHostOf(from, to) && !isHostOf(to, from))
    return emitOpError() << "copy_c1: one of " << from << " and "
                         << getResult().getType()
                         << " must be a '!hetero.host' of the other";
  return success();
}

/// The key of a collective: its name, the devices of its group, its channel.
static ArrayAttr getCollectiveKey(CommunicationOpInterface op, int64_t rank,
                                  MeshOp mesh) {
  Builder builder(op.getContext());
  SmallVector<int64_t> group;
  if (mesh)
    group = mesh.getGroup(rank, op.getGroupAxes());
  return builder.getArrayAttr(
      {builder.getStringAttr(op->getName().getStringRef()),
       builder.getDenseI64ArrayAttr(group),
       builder.getI64IntegerAttr(op.getChannelNumber())});
}

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroCommOps.cpp.inc"
