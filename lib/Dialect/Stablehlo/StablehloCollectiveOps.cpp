//===- StablehloCollectiveOps.cpp - Between devices -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/Reducers.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::stablehlo;

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloCollectiveOps.cpp.inc"

void StablehloDialect::addCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Stablehlo/StablehloCollectiveOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Groups by the axes of a mesh
//===----------------------------------------------------------------------===//

LogicalResult
ReplicaGroupMeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Attribute mesh, ArrayAttr axes) {
  // replica_group_mesh_axes_c1
  if (isa<FlatSymbolRefAttr>(mesh))
    return success();
  auto meshAttr = dyn_cast<MeshAttr>(mesh);
  if (!meshAttr)
    return emitError() << "mesh must be a FlatSymbolRefAttr or MeshAttr, got "
                       << mesh;
  for (Attribute axis : axes) {
    // replica_group_mesh_axes_c2
    auto ref = dyn_cast<AxisRefAttr>(axis);
    if (!ref)
      return emitError() << "expected AxisRefAttr in axes list, got " << axis;
    // replica_group_mesh_axes_c3
    if (llvm::none_of(meshAttr.getAxes(), [&](MeshAxisAttr meshAxis) {
          return meshAxis.getName() == ref.getName();
        }))
      return emitError() << "axis '" << ref.getName()
                         << "' not found in mesh definition";
  }
  return success();
}

LogicalResult ReplicaGroupMeshAxesAttr::verifySymbolUses(
    Operation *op, SymbolTableCollection &symbolTable) const {
  auto mesh = dyn_cast<FlatSymbolRefAttr>(getMesh());
  // replica_group_mesh_axes_c4
  if (mesh && !symbolTable.lookupNearestSymbolFrom(op, mesh))
    return op->emitOpError() << "replica_groups: mesh symbol '"
                             << mesh.getValue() << "' not found";
  return success();
}

/// replica_group_mesh_axes_c4, for an op.
static LogicalResult verifyMeshSymbol(Operation *op, Attribute groups,
                                      SymbolTableCollection &symbolTable) {
  auto axes = dyn_cast_or_null<ReplicaGroupMeshAxesAttr>(groups);
  return axes ? axes.verifySymbolUses(op, symbolTable) : success();
}

#define HETERO_VERIFY_MESH_SYMBOL(OP)                                          \
  LogicalResult OP::verifySymbolUses(SymbolTableCollection &symbolTable) {     \
    return verifyMeshSymbol(*this, getReplicaGroups(), symbolTable);           \
  }
HETERO_VERIFY_MESH_SYMBOL(AllGatherOp)
HETERO_VERIFY_MESH_SYMBOL(AllReduceOp)
HETERO_VERIFY_MESH_SYMBOL(AllToAllOp)
HETERO_VERIFY_MESH_SYMBOL(CollectiveBroadcastOp)
HETERO_VERIFY_MESH_SYMBOL(CollectiveReduceOp)
HETERO_VERIFY_MESH_SYMBOL(ReduceScatterOp)
#undef HETERO_VERIFY_MESH_SYMBOL

//===----------------------------------------------------------------------===//
// Groups by numbers
//===----------------------------------------------------------------------===//

/// The numbers of a dense attribute; of one that repeats a number, however
/// often, only the first two.
static SmallVector<int64_t> getNumbers(DenseIntElementsAttr attr) {
  ShapedType type = attr.getType();
  if (llvm::is_contained(type.getShape(), 0))
    return {};
  if (attr.isSplat()) {
    bool single =
        llvm::all_of(type.getShape(), [](int64_t n) { return n == 1; });
    return SmallVector<int64_t>(single ? 1 : 2,
                                attr.getSplatValue<APInt>().getSExtValue());
  }
  SmallVector<int64_t> numbers;
  for (APInt number : attr.getValues<APInt>())
    numbers.push_back(number.getSExtValue());
  return numbers;
}

/// The first number that occurs twice in `sorted`.
static std::optional<int64_t> findDuplicate(ArrayRef<int64_t> sorted) {
  const int64_t *it = llvm::adjacent_find(sorted);
  return it == sorted.end() ? std::nullopt : std::optional(*it);
}

namespace {
/// What an op asks of its groups.
struct GroupRules {
  /// Rows may be filled up with -1.
  bool allowPadding = false;
  bool useGlobalDeviceIds = false;
  std::optional<int64_t> groupSize = std::nullopt;
};
} // namespace

/// all_gather_c2, all_gather_c4, all_gather_i3; all_reduce_c1, all_reduce_c3,
/// all_reduce_i2; all_to_all_c5, all_to_all_c7, all_to_all_c8, all_to_all_i5;
/// reduce_scatter_c3, reduce_scatter_c5, reduce_scatter_i3.
static LogicalResult verifyReplicaGroups(std::optional<Location> location,
                                         Attribute groups, GroupRules rules) {
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(groups);
  if (!dense)
    return success();
  ShapedType type = dense.getType();
  if (type.getRank() != 2)
    return emitOptionalError(
        location, "replica groups should be a rank 2 tensor, got ", type);
  SmallVector<int64_t> ids = getNumbers(dense);
  if (ids.empty() && rules.useGlobalDeviceIds)
    return emitOptionalError(location, "if `use_global_device_ids` is set, the "
                                       "replica groups cannot be empty");
  if (llvm::is_contained(ids, -1)) {
    if (!rules.allowPadding)
      return emitOptionalError(location, "invalid replica id -1");
    llvm::erase(ids, -1);
  }
  llvm::sort(ids);
  if (std::optional<int64_t> id = findDuplicate(ids))
    return emitOptionalError(location, "replica id #", *id,
                             " seen more than once");
  for (int64_t id : llvm::seq<int64_t>(0, ids.size()))
    if (!llvm::binary_search(ids, id))
      return emitOptionalError(location, "replica id #", id,
                               " not seen in replica groups");
  if (rules.groupSize && type.getDimSize(1) != *rules.groupSize)
    return emitOptionalError(location, "group size of replica_groups must be ",
                             *rules.groupSize, ", got ", type.getDimSize(1));
  return success();
}

template <typename OpT>
static int64_t getChannelId(OpT op) {
  ChannelHandleAttr channel = op.getChannelHandleAttr();
  return channel ? channel.getHandle() : 0;
}

//===----------------------------------------------------------------------===//
// Reductions of scalars
//===----------------------------------------------------------------------===//

/// Checks that `computation` maps two scalars that elements of `operand` can be
/// promoted to, to another, and returns its element type.
/// all_reduce_c5, collective_reduce_c5, reduce_scatter_c7.
static FailureOr<Type> verifyComputation(std::optional<Location> location,
                                         Region &computation, Type operand) {
  Type scalar = RankedTensorType::get({}, getElementTypeOrSelf(operand));
  if (failed(verifyReducer(location, computation, operand, scalar,
                           /*allowedDimensions=*/{}, "computation")))
    return failure();
  return getElementTypeOrSelf(
      computation.front().back().getOperand(0).getType());
}

/// all_reduce_c6, all_reduce_c7.
static LogicalResult inferReduced(std::optional<Location> location,
                                  ValueRange operands, Region &computation,
                                  SmallVectorImpl<Type> &inferred) {
  for (Value operand : operands) {
    FailureOr<Type> reduced =
        verifyComputation(location, computation, operand.getType());
    if (failed(reduced))
      return failure();
    inferred.push_back(
        cast<RankedTensorType>(operand.getType()).clone(*reduced));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// partition_id and replica_id
//===----------------------------------------------------------------------===//

static Type getIdType(MLIRContext *context) {
  return RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned));
}

LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>, Adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  inferred.push_back(getIdType(context));
  return success();
}

LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>, Adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  inferred.push_back(getIdType(context));
  return success();
}

//===----------------------------------------------------------------------===//
// all_gather
//===----------------------------------------------------------------------===//

/// all_gather_c6.
static LogicalResult verifyGathered(AllGatherOp op, RankedTensorType operand,
                                    RankedTensorType result) {
  int64_t gatherDim = op.getAllGatherDim();
  if (result.getElementType() != operand.getElementType())
    return op.emitOpError()
           << "requires the same element type for operand and result, got "
           << operand << " and " << result;
  if (result.getRank() != operand.getRank())
    return op.emitOpError()
           << "operand and result must have the same rank, got " << operand
           << " and " << result;
  for (int64_t dim : llvm::seq<int64_t>(0, operand.getRank())) {
    int64_t from = operand.getDimSize(dim), to = result.getDimSize(dim);
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to))
      continue;
    if (dim != gatherDim && from != to)
      return op.emitOpError() << "operand and result should have the same "
                                 "shape except for the dimension size at "
                                 "'all_gather_dim', got "
                              << operand << " and " << result;
    if (dim == gatherDim && to % from != 0)
      return op.emitOpError()
             << "result gather dimension has size " << to
             << ", expected to be a multiple of operand gather dimension size "
             << from;
  }
  return success();
}

LogicalResult AllGatherOp::verify() {
  if (getNumOperands() != getNumResults())
    return emitOpError() << "expects as many results as operands, got "
                         << getNumResults() << " and " << getNumOperands();
  if (failed(verifyReplicaGroups(
          getLoc(), getReplicaGroups(),
          {/*allowPadding=*/false, getUseGlobalDeviceIds()})))
    return failure();
  // all_gather_c5
  if (getUseGlobalDeviceIds() && getChannelId(*this) < 0)
    return emitOpError() << "channel_id cannot be negative when "
                            "useGlobalDeviceIds is set, got "
                         << getChannelId(*this);
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) {
    auto type = cast<RankedTensorType>(operand.getType());
    // all_gather_c1
    if (getAllGatherDim() >= uint64_t(type.getRank()))
      return emitOpError() << "all_gather_dim must be a valid index of "
                              "operand, got "
                           << getAllGatherDim() << " for " << type;
    if (type.getDimSize(getAllGatherDim()) == 0)
      return emitOpError("dimension size of operand at 'all_gather_dim' "
                         "cannot be zero");
    if (failed(verifyGathered(*this, type,
                              cast<RankedTensorType>(result.getType()))))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// all_reduce, collective_reduce and reduce_scatter
//===----------------------------------------------------------------------===//

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  return inferReduced(location, adaptor.getOperands(), adaptor.getComputation(),
                      inferred);
}

LogicalResult CollectiveReduceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  return inferReduced(location, adaptor.getOperands(), adaptor.getComputation(),
                      inferred);
}

/// all_reduce_c1, c3, c4, i2 and the same of collective_reduce.
template <typename OpT>
static LogicalResult verifyReduction(OpT op) {
  if (failed(verifyReplicaGroups(
          op.getLoc(), op.getReplicaGroups(),
          {/*allowPadding=*/true, op.getUseGlobalDeviceIds()})))
    return failure();
  if (op.getUseGlobalDeviceIds() && getChannelId(op) <= 0)
    return op.emitOpError() << "channel_id must be positive when "
                               "useGlobalDeviceIds is set but got: "
                            << getChannelId(op);
  return success();
}

LogicalResult AllReduceOp::verify() { return verifyReduction(*this); }

LogicalResult CollectiveReduceOp::verify() { return verifyReduction(*this); }

/// reduce_scatter_c8.
static LogicalResult verifyScattered(ReduceScatterOp op,
                                     RankedTensorType operand,
                                     RankedTensorType result) {
  for (int64_t dim : llvm::seq<int64_t>(0, operand.getRank())) {
    int64_t from = operand.getDimSize(dim), to = result.getDimSize(dim);
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to))
      continue;
    if (dim != int64_t(op.getScatterDimension())) {
      if (from != to)
        return op.emitOpError()
               << "non scatter dimensions should be same for operand (" << from
               << ") and result (" << to << ")";
      continue;
    }
    if (from == 0 || to == 0)
      return op.emitOpError() << "dimension sizes at scatter_dimension cannot "
                                 "be zero, got "
                              << from << " and " << to;
    if (from % to != 0)
      return op.emitOpError()
             << "operand scatter dimension has size " << from
             << ", expected to be a multiple of result scatter dimension size "
             << to;
  }
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyReplicaGroups(
          getLoc(), getReplicaGroups(),
          {/*allowPadding=*/false, getUseGlobalDeviceIds()})))
    return failure();
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto result = cast<RankedTensorType>(getType());
  FailureOr<Type> reduced =
      verifyComputation(getLoc(), getComputation(), operand);
  if (failed(reduced))
    return failure();
  // reduce_scatter_c8
  if (operand.getRank() != result.getRank())
    return emitOpError() << "operand and result should have same rank, got "
                         << operand << " and " << result;
  // reduce_scatter_c2
  if (getScatterDimension() >= uint64_t(operand.getRank()))
    return emitOpError() << "scatter dim should be less than operand/result "
                            "rank, got "
                         << getScatterDimension() << " for " << operand;
  // reduce_scatter_c6
  if (getUseGlobalDeviceIds() && getChannelId(*this) <= 0)
    return emitOpError() << "channel_id must be positive when "
                            "useGlobalDeviceIds is set but got: "
                         << getChannelId(*this);
  // With a size that is not known here, StableHLO's own verifier stops as well.
  int64_t dim = getScatterDimension();
  if (operand.isDynamicDim(dim) || result.isDynamicDim(dim))
    return success();
  if (failed(verifyScattered(*this, operand, result)))
    return failure();
  // reduce_scatter_c9
  if (result.getElementType() != *reduced)
    return emitOpError() << "result element-type is expected to be " << *reduced
                         << ", but got " << result.getElementType();
  return success();
}

//===----------------------------------------------------------------------===//
// all_to_all
//===----------------------------------------------------------------------===//

/// Divides the size at `split` by `count` and multiplies that at `concat`.
/// Fails when the product overflows.
static LogicalResult exchange(MutableArrayRef<int64_t> sizes, int64_t split,
                              int64_t concat, int64_t count) {
  if (ShapedType::isStatic(sizes[split]))
    sizes[split] /= count;
  if (ShapedType::isDynamic(sizes[concat]))
    return success();
  std::optional<int64_t> product = llvm::checkedMul(sizes[concat], count);
  if (!product)
    return failure();
  sizes[concat] = *product;
  return success();
}

static FailureOr<Type> inferExchanged(std::optional<Location> location,
                                      RankedTensorType operand, uint64_t split,
                                      uint64_t concat, int64_t count) {
  uint64_t rank = operand.getRank();
  // all_to_all_c1
  if (split >= rank)
    return emitOptionalError(location, "AllToAll split_dimension ", split,
                             " is out-of-bounds for input rank ", rank);
  // all_to_all_c3
  if (concat >= rank)
    return emitOptionalError(location, "AllToAll concat_dimension ", concat,
                             " is out-of-bounds for input rank ", rank);
  SmallVector<int64_t> sizes = llvm::to_vector(operand.getShape());
  // all_to_all_c2
  if (ShapedType::isStatic(sizes[split]) && sizes[split] % count != 0)
    return emitOptionalError(
        location, "split dimension has size ", sizes[split],
        ", expected to be a multiple of split_count ", count);
  SmallVector<int64_t> bounds = llvm::to_vector(getBounds(operand));
  if (failed(exchange(sizes, split, concat, count)) ||
      (!bounds.empty() && failed(exchange(bounds, split, concat, count))))
    return emitOptionalError(location, "size of the concatenated dimension "
                                       "does not fit in 64 bits");
  Attribute encoding = bounds.empty()
                           ? operand.getEncoding()
                           : encodeBounds(operand.getContext(), bounds);
  return Type(RankedTensorType::get(sizes, operand.getElementType(), encoding));
}

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  int64_t count = adaptor.getSplitCount();
  if (failed(verifyReplicaGroups(location, adaptor.getReplicaGroups(),
                                 {/*allowPadding=*/false,
                                  /*useGlobalDeviceIds=*/false, count})))
    return failure();
  // all_to_all_c9
  for (Value operand : adaptor.getOperands()) {
    FailureOr<Type> type = inferExchanged(
        location, cast<RankedTensorType>(operand.getType()),
        adaptor.getSplitDimension(), adaptor.getConcatDimension(), count);
    if (failed(type))
      return failure();
    inferred.push_back(*type);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// collective_broadcast and collective_permute
//===----------------------------------------------------------------------===//

LogicalResult CollectiveBroadcastOp::verify() {
  auto groups = dyn_cast<DenseIntElementsAttr>(getReplicaGroups());
  if (!groups)
    return success();
  // collective_broadcast_i2
  if (groups.getType().getRank() != 2)
    return emitOpError() << "replica groups should be a rank 2 tensor, got "
                         << groups.getType();
  SmallVector<int64_t> ids = getNumbers(groups);
  llvm::sort(ids);
  // collective_broadcast_c2
  if (!ids.empty() && ids.front() < 0)
    return emitOpError() << "replica_groups values must be positive, but was "
                            "given "
                         << ids.front();
  // collective_broadcast_c1
  if (std::optional<int64_t> id = findDuplicate(ids))
    return emitOpError() << "replica id #" << *id << " seen more than once";
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  ShapedType type = pairs.getType();
  // collective_permute_i2
  if (type.getRank() != 2)
    return emitOpError() << "expect source_target_pairs attribute to be of "
                            "rank 2, but got rank "
                         << type.getRank();
  // collective_permute_c1
  if (type.getDimSize(1) != 2)
    return emitOpError() << "expect source_target_pairs attribute of shape (N, "
                            "2), but got "
                         << type;
  SmallVector<int64_t> numbers = getNumbers(pairs);
  // collective_permute_c4
  for (int64_t number : numbers)
    if (number < 0)
      return emitOpError() << "replica ids in source_target_pairs must be >= "
                              "0, got "
                           << number;
  // Two pairs of equal numbers repeat both source and target.
  if (pairs.isSplat() && type.getDimSize(0) > 1)
    return emitOpError() << "duplicate sources not allowed, got "
                         << numbers.front();
  SmallVector<int64_t> ends[2];
  for (auto [i, number] : llvm::enumerate(numbers))
    ends[i % 2].push_back(number);
  // collective_permute_c2, collective_permute_c3
  for (auto [list, name] :
       {std::pair(&ends[0], "sources"), std::pair(&ends[1], "targets")}) {
    llvm::sort(*list);
    if (std::optional<int64_t> id = findDuplicate(*list))
      return emitOpError() << "duplicate " << name << " not allowed, got "
                           << *id;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// send and recv
//===----------------------------------------------------------------------===//

namespace {
/// Between whom a channel runs.
enum ChannelType : int64_t {
  deviceToDevice = 1,
  deviceToHost = 2,
  hostToDevice = 3
};
} // namespace

/// send_c1_i3, recv_c1_i3
static LogicalResult verifyChannelType(Operation *op, int64_t type,
                                       bool isHostTransfer,
                                       ChannelType hostType,
                                       StringRef hostTypeName) {
  int64_t expected = isHostTransfer ? hostType : deviceToDevice;
  if (type == expected)
    return success();
  return op->emitOpError() << "channel_type should be "
                           << (isHostTransfer ? hostTypeName
                                              : "DEVICE_TO_DEVICE")
                           << " (" << expected << ") when is_host_transfer is "
                           << (isHostTransfer ? "true" : "false") << ", got "
                           << type;
}

LogicalResult SendOp::verify() {
  return verifyChannelType(*this, getChannelHandle().getType(),
                           getIsHostTransfer(), deviceToHost, "DEVICE_TO_HOST");
}

LogicalResult RecvOp::verify() {
  if (failed(verifyChannelType(*this, getChannelHandle().getType(),
                               getIsHostTransfer(), hostToDevice,
                               "HOST_TO_DEVICE")))
    return failure();
  // recv_c2
  if (getResults().empty())
    return emitOpError(
        "result is expected to be at least of size 1, but got 0");
  // recv_c3
  for (Type result : TypeRange(getResultTypes()).drop_back())
    if (!isa<TensorType>(result))
      return emitOpError() << "everything but the last element of result types "
                              "is expected to be of tensor type, but got "
                           << result;
  // recv_c4
  if (Type last = getResults().back().getType(); !isa<TokenType>(last))
    return emitOpError() << "last element of result types is expected to be of "
                            "token type, but got "
                         << last;
  return success();
}

//===----------------------------------------------------------------------===//
// async_start and async_done
//===----------------------------------------------------------------------===//

/// What can be started.
static bool isAsynchronous(Operation &op) {
  static constexpr StringLiteral names[] = {
      "stablehlo.all_gather",         "stablehlo.all_reduce",
      "stablehlo.all_to_all",         "stablehlo.collective_broadcast",
      "stablehlo.collective_permute", "stablehlo.collective_reduce",
      "stablehlo.dynamic_slice",      "stablehlo.dynamic_update_slice",
      "stablehlo.reduce_scatter",     "stablehlo.slice"};
  return llvm::is_contained(names, op.getName().getStringRef());
}

LogicalResult AsyncStartOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &inferred) {
  Region &body = adaptor.getBody();
  // async_start_c1
  if (!llvm::hasSingleElement(body) ||
      !llvm::hasNItems(body.front().getOperations(), 2))
    return emitOptionalError(
        location, "region must contain exactly one operation and a return");
  Block &block = body.front();
  if (!isAsynchronous(block.front()))
    return emitOptionalError(
        location, "region must contain a collective or slice operation, got '",
        block.front().getName(), "'");
  // async_start_c2
  if (!llvm::equal(block.getArgumentTypes(), adaptor.getOperands().getTypes()))
    return emitOptionalError(location,
                             "operand types must match the types of the "
                             "region's arguments, got (",
                             adaptor.getOperands().getTypes(), ") and (",
                             block.getArgumentTypes(), ")");
  if (block.back().getNumOperands() != 1)
    return emitOptionalError(location,
                             "region must return exactly one value, but got ",
                             block.back().getNumOperands());
  Type returned = block.back().getOperand(0).getType();
  if (!isa<RankedTensorType>(returned))
    return emitOptionalError(
        location, "region must return a ranked tensor, but got ", returned);
  // async_start_c3
  inferred.push_back(FutureType::get(context, returned));
  return success();
}

LogicalResult AsyncDoneOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  ArrayRef<Type> types =
      cast<FutureType>(adaptor.getOperand().getType()).getTypes();
  // async_done_c1
  if (types.size() != 1)
    return emitOptionalError(
        location, "future must have exactly one type parameter, but got ",
        types.size());
  inferred.push_back(types.front());
  return success();
}
