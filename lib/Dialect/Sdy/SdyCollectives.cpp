//===- SdyCollectives.cpp - Verification of the sdy collectives -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SdyVerify.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::sdy;

bool AllSliceOp::allowMissingInputSharding() { return true; }
bool AllReduceOp::allowMissingInputSharding() { return true; }
bool ReduceScatterOp::allowMissingInputSharding() { return true; }
bool CollectivePermuteOp::allowDifferentMeshes() { return true; }

LogicalResult sdy::detail::verifyCollective(Operation *op) {
  auto collective = cast<CollectiveOpInterface>(op);
  // collective_c1
  TensorShardingAttr inSharding = getSharding(collective.getTensor());
  if (!inSharding && !collective.allowMissingInputSharding())
    return op->emitOpError() << "needs an operand that has a sharding";
  TensorShardingAttr outSharding = collective.getOutSharding();
  if (failed(verifySharding(outSharding, op->getResult(0).getType(), op,
                            [&]() { return op->emitOpError(); })))
    return failure();
  if (!inSharding)
    return success();

  MeshAttr inMesh = inSharding.getMesh(op);
  if (!inMesh)
    return op->emitOpError() << "operand is sharded on an unknown mesh "
                             << inSharding.getMeshOrRef();
  // collective_c2
  MeshAttr outMesh = outSharding.getMesh(op);
  if (inMesh != outMesh && !collective.allowDifferentMeshes())
    return (op->emitOpError() << "result is on " << outMesh
                              << ", but the operand is on " << inMesh)
               .attachNote(collective.getTensor().getLoc())
           << "the operand is defined here";
  // collective_c3
  if (inSharding.getRank() != outSharding.getRank())
    return op->emitOpError()
           << "result sharding has " << outSharding.getRank()
           << " dimensions, but that of the operand " << inSharding.getRank();
  return success();
}

//===----------------------------------------------------------------------===//
// Lists of axes
//===----------------------------------------------------------------------===//

using AxisVector = SmallVector<AxisRefAttr>;

/// The sharding of the operand; split nowhere if it has none. The rank is that
/// of the result's.
static TensorShardingAttr getInSharding(CollectiveOpInterface op) {
  if (TensorShardingAttr sharding = getSharding(op.getTensor()))
    return sharding;
  TensorShardingAttr out = op.getOutSharding();
  return TensorShardingAttr::getFullyReplicated(
      op->getContext(), out.getRank(), out.getMeshOrRef(), /*isClosed=*/false);
}

static std::string toString(ArrayRef<AxisRefAttr> axes) {
  std::string text = "{";
  text += llvm::join(
      llvm::map_range(axes, [](AxisRefAttr axis) { return axis.toString(); }),
      ", ");
  return text + "}";
}

/// Takes `suffix` off the minor end of `axes`. Fails if it is not there.
static LogicalResult removeSuffix(AxisVector &axes,
                                  ArrayRef<AxisRefAttr> suffix, MeshAttr mesh) {
  for (AxisRefAttr axis : llvm::reverse(suffix)) {
    if (axes.empty() || !axis.suffixOf(axes.back(), mesh))
      return failure();
    AxisRefAttr last = axes.pop_back_val();
    if (std::optional<AxisRefAttr> rest = last.withoutSuffix(axis))
      axes.push_back(*rest);
  }
  return success();
}

/// Puts `suffix` at the minor end of `axes`, in merged form.
static void appendSuffix(AxisVector &axes, ArrayRef<AxisRefAttr> suffix,
                         MeshAttr mesh) {
  for (AxisRefAttr axis : suffix) {
    if (!axes.empty() && axes.back().canMerge(axis))
      axes.back() = axes.back().merge(axis, mesh);
    else
      axes.push_back(axis);
  }
}

static AxisVector getAxes(TensorShardingAttr sharding, int64_t dim) {
  return AxisVector(sharding.getDimSharding(dim).getAxes());
}

static LogicalResult verifyResultAxes(CollectiveOpInterface op, int64_t dim,
                                      ArrayRef<AxisRefAttr> expected) {
  ArrayRef<AxisRefAttr> actual =
      op.getOutSharding().getDimSharding(dim).getAxes();
  if (actual == expected)
    return success();
  return op->emitOpError() << "dimension " << dim << " of the result has axes "
                           << toString(actual) << ", but the operation gives "
                           << toString(expected);
}

/// Removes (or adds) a list of axes for each dimension and compares.
static LogicalResult verifyPerDimension(CollectiveOpInterface op,
                                        ArrayRef<AxisRefListAttr> lists,
                                        bool remove) {
  MeshAttr mesh = op.getOutSharding().getMesh(op);
  AxisUses uses(mesh);
  for (AxisRefListAttr list : lists)
    if (failed(uses.add(list.getValue(), [&]() { return op->emitOpError(); })))
      return failure();
  // gather_c1, slice_c1, reduce_scatter_c1, to_unreduced_c1
  int64_t rank = op.getOutSharding().getRank();
  if (int64_t(lists.size()) != rank)
    return op->emitOpError() << "has lists of axes for " << lists.size()
                             << " dimensions, but the result has " << rank;
  TensorShardingAttr in = getInSharding(op);
  for (auto [dim, list] : llvm::enumerate(lists)) {
    AxisVector axes = getAxes(in, dim);
    // gather_c2, to_unreduced_c2
    if (remove && failed(removeSuffix(axes, list.getValue(), mesh)))
      return op->emitOpError()
             << "cannot remove " << toString(list.getValue()) << " from "
             << toString(getAxes(in, dim)) << " in dimension " << dim;
    if (!remove)
      appendSuffix(axes, list.getValue(), mesh);
    // gather_c3, slice_c2, reduce_scatter_c2, to_unreduced_c3
    if (failed(verifyResultAxes(op, dim, axes)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  return verifyPerDimension(*this, getGatheringAxes(), /*remove=*/true);
}

LogicalResult AllSliceOp::verify() {
  return verifyPerDimension(*this, getSlicingAxes(), /*remove=*/false);
}

LogicalResult ReduceScatterOp::verify() {
  return verifyPerDimension(*this, getReduceScatterAxes(), /*remove=*/false);
}

/// Checks the dimensions of all moves; marks them in `moved`.
static LogicalResult verifyMoves(AllToAllOp op, llvm::BitVector &moved) {
  int64_t previous = -1;
  for (AllToAllParamAttr move : op.getParams()) {
    for (int64_t dim : {move.getSrcDim(), move.getTgtDim()}) {
      // all_to_all_c2
      if (dim < 0 || dim >= int64_t(moved.size()))
        return op.emitOpError() << "dimension " << dim
                                << " is out of range for rank " << moved.size();
      // all_to_all_c3
      if (moved.test(dim))
        return op.emitOpError() << "dimension " << dim << " occurs twice";
      moved.set(dim);
    }
    // all_to_all_c4
    if (move.getSrcDim() <= previous)
      return op.emitOpError() << "source dimensions must increase, got "
                              << move.getSrcDim() << " after " << previous;
    previous = move.getSrcDim();
  }
  return success();
}

LogicalResult AllToAllOp::verify() {
  // all_to_all_c1
  if (getParams().empty())
    return emitOpError() << "moves no axes";
  TensorShardingAttr in = getInSharding(*this);
  MeshAttr mesh = getOutSharding().getMesh(*this);
  AxisUses uses(mesh);
  for (AllToAllParamAttr move : getParams())
    if (failed(uses.add(move.getAxes(), [&]() { return emitOpError(); })))
      return failure();
  llvm::BitVector moved(in.getRank());
  if (failed(verifyMoves(*this, moved)))
    return failure();

  SmallVector<AxisVector> axes;
  for (int64_t dim = 0; dim < in.getRank(); ++dim)
    axes.push_back(getAxes(in, dim));
  for (AllToAllParamAttr move : getParams()) {
    // all_to_all_c5
    if (failed(removeSuffix(axes[move.getSrcDim()], move.getAxes(), mesh)))
      return emitOpError() << "cannot remove " << toString(move.getAxes())
                           << " from "
                           << toString(getAxes(in, move.getSrcDim()))
                           << " in dimension " << move.getSrcDim();
    appendSuffix(axes[move.getTgtDim()], move.getAxes(), mesh);
  }
  // all_to_all_c6
  for (auto [dim, expected] : llvm::enumerate(axes))
    if (failed(verifyResultAxes(*this, dim, expected)))
      return failure();
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  TensorShardingAttr in = getInSharding(*this), out = getOutSharding();
  MeshAttr inMesh = in.getMesh(*this), outMesh = out.getMesh(*this);
  // permute_c1
  if (inMesh.getAxes() != outMesh.getAxes())
    return emitOpError() << "result is on " << outMesh
                         << ", which has other axes than the operand's "
                         << inMesh;
  // permute_c2
  if (in.getMeshOrRef() != out.getMeshOrRef() &&
      inMesh.getDeviceIds() == outMesh.getDeviceIds())
    return emitOpError() << "meshes of operand and result have different names "
                            "but the same devices";
  // permute_c3
  for (int64_t dim = 0; dim < in.getRank(); ++dim) {
    int64_t inParts = in.getDimSharding(dim).getShardedSize(inMesh);
    int64_t outParts = out.getDimSharding(dim).getShardedSize(outMesh);
    if (inParts != outParts)
      return emitOpError() << "dimension " << dim << " of the result has "
                           << outParts << " parts, but that of the operand "
                           << inParts;
  }
  return success();
}

/// True when `axis` overlaps one of `others`.
static bool overlapsAny(AxisRefAttr axis, ArrayRef<AxisRefAttr> others) {
  return llvm::any_of(others,
                      [&](AxisRefAttr other) { return axis.overlaps(other); });
}

static bool splitsSomeDimension(AxisRefAttr axis, TensorShardingAttr sharding) {
  return llvm::any_of(sharding.getDimShardings(),
                      [&](DimensionShardingAttr dim) {
                        return overlapsAny(axis, dim.getAxes());
                      });
}

LogicalResult AllReduceOp::verify() {
  TensorShardingAttr in = getInSharding(*this), out = getOutSharding();
  // all_reduce_c1
  if (in.getMeshOrRef() != out.getMeshOrRef() &&
      !(in.isFullyReplicated() && out.isFullyReplicated()))
    return emitOpError() << "operand is on " << in.getMeshOrRef()
                         << ", but the result on " << out.getMeshOrRef();
  for (int64_t dim = 0; dim < in.getRank(); ++dim)
    if (failed(verifyResultAxes(*this, dim, getAxes(in, dim))))
      return failure();
  AxisUses uses(out.getMesh(*this));
  if (failed(uses.add(getReductionAxes(), [&]() { return emitOpError(); })))
    return failure();
  // all_reduce_c4
  if (!uses.isOrdered(getReductionAxes()))
    return emitOpError() << "reduction axes are not in the order of "
                         << out.getMesh(*this);
  for (AxisRefAttr axis : getReductionAxes()) {
    // all_reduce_c2
    if (splitsSomeDimension(axis, in) ||
        overlapsAny(axis, in.getReplicatedAxes()))
      return emitOpError() << "cannot reduce along " << axis.toString()
                           << ", which splits the operand or is replicated";
    // all_reduce_c3
    if (overlapsAny(axis, out.getUnreducedAxes()))
      return emitOpError() << "reduces along " << axis.toString()
                           << ", which is unreduced in the result";
  }
  return success();
}

/// Checks that the unreduced axes of the result are those of the operand and
/// `added`, each in the order of the mesh.
static LogicalResult verifyUnreduced(CollectiveOpInterface op,
                                     ArrayRef<AxisRefAttr> added) {
  MeshAttr mesh = op.getOutSharding().getMesh(op);
  AxisVector all(getInSharding(op).getUnreducedAxes());
  llvm::append_range(all, added);
  auto key = [&](AxisRefAttr axis) {
    return std::tuple(mesh.getAxisIndex(axis.getName()),
                      axis.getSubAxisPreSize(), axis.getSize(mesh));
  };
  llvm::sort(all,
             [&](AxisRefAttr a, AxisRefAttr b) { return key(a) < key(b); });
  AxisVector expected;
  appendSuffix(expected, all, mesh);
  if (op.getOutSharding().getUnreducedAxes() == ArrayRef(expected))
    return success();
  return op->emitOpError() << "result has unreduced axes "
                           << toString(op.getOutSharding().getUnreducedAxes())
                           << ", but the operation gives "
                           << toString(expected);
}

LogicalResult ShardedToUnreducedOp::verify() {
  if (failed(verifyPerDimension(*this, getAxes(), /*remove=*/true)))
    return failure();
  // to_unreduced_c4
  AxisVector added;
  for (AxisRefListAttr list : getAxes())
    llvm::append_range(added, list.getValue());
  return verifyUnreduced(*this, added);
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  TensorShardingAttr in = getInSharding(*this);
  // replicated_to_unreduced_c1
  if (in.getDimShardings() != getOutSharding().getDimShardings())
    return emitOpError() << "operand has sharding " << in
                         << ", which differs in a dimension from "
                         << getOutSharding();
  // replicated_to_unreduced_c4
  if (getAxes().empty())
    return emitOpError() << "has no axes";
  AxisUses uses(getOutSharding().getMesh(*this));
  if (failed(uses.add(getAxes(), [&]() { return emitOpError(); })))
    return failure();
  // replicated_to_unreduced_c5
  if (!uses.isOrdered(getAxes()))
    return emitOpError() << "axes are not in the order of "
                         << getOutSharding().getMesh(*this);
  // replicated_to_unreduced_c2
  for (AxisRefAttr axis : getAxes())
    if (splitsSomeDimension(axis, in) ||
        overlapsAny(axis, in.getUnreducedAxes()))
      return emitOpError() << "axis " << axis.toString()
                           << " does not hold copies of the operand";
  // replicated_to_unreduced_c3
  return verifyUnreduced(*this, getAxes());
}
