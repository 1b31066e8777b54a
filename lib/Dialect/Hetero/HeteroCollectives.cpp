//===- HeteroCollectives.cpp - Collectives --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verifiers.h"
#include "hetero/Dialect/Hetero/HeteroCommOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

namespace {
/// The members of a collective, as far as they are known.
struct Group {
  /// How many there are.
  int64_t size;
  /// The positions of the ranks that run the function, and the ranks; empty if
  /// the function does not say.
  SmallVector<int64_t> members;
  ArrayRef<int64_t> ranks;
};
} // namespace

/// Finds the group of a collective, or emits an error.
template <typename OpT>
static FailureOr<Group> getGroupOf(OpT op, SymbolTableCollection &symbols) {
  auto mesh = symbols.lookupNearestSymbolFrom<MeshOp>(op, op.getMeshAttr());
  if (!mesh)
    return op.emitOpError()
           << "collective_c1: " << op.getMeshAttr() << " is not a mesh";
  llvm::SmallPtrSet<Attribute, 4> axes(op.getAxes().begin(),
                                       op.getAxes().end());
  std::optional<int64_t> size = mesh.getGroupSize(op.getAxes());
  if (!size || axes.size() != op.getAxes().size()) {
    InFlightDiagnostic error =
        op.emitOpError()
        << "collective_c1: the axes must be different ones of the mesh";
    error.attachNote(mesh.getLoc()) << "the mesh is here";
    return error;
  }
  Group group{*size, {}, getProgramRanks(op)};
  for (int64_t rank : group.ranks) {
    std::optional<int64_t> member = mesh.getMember(rank, op.getAxes());
    if (!member) {
      InFlightDiagnostic error = op.emitOpError()
                                 << "collective_c2: rank " << rank
                                 << ", which runs this, is not in the mesh";
      error.attachNote(mesh.getLoc()) << "the mesh is here";
      return error;
    }
    group.members.push_back(*member);
  }
  return group;
}

/// What every collective is checked for without its mesh.
template <typename OpT>
static LogicalResult verifyCollective(OpT op) {
  if (!isa_and_nonnull<RankedTensorType>(
          getAwaitedType(op.getResult().getType())))
    return op.emitOpError()
           << "collective_c3: the result " << op.getResult().getType()
           << " is not a ranked tensor or a handle of one";
  if (static_cast<int64_t>(op.getChannel()) < 0 ||
      static_cast<int64_t>(op.getBucket().value_or(0)) < 0)
    return op.emitOpError()
           << "collective_c4: channel and bucket must not be negative";
  return success();
}

/// The tensor type of the result, once that has been verified.
template <typename OpT>
static RankedTensorType getResultTensor(OpT op) {
  return cast<RankedTensorType>(getAwaitedType(op.getResult().getType()));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool agree(int64_t left, int64_t right) {
  return ShapedType::isDynamic(left) || ShapedType::isDynamic(right) ||
         left == right;
}

/// Checks that two types have the same element type and rank, that the
/// dimensions of `splits` exist (`name`_c1), and that the other dimensions are
/// equal (`name`_c2).
static LogicalResult verifyShapes(Operation *op, StringRef name,
                                  RankedTensorType operand,
                                  RankedTensorType result,
                                  ArrayRef<SplitAttr> splits) {
  if (operand.getElementType() != result.getElementType() ||
      operand.getRank() != result.getRank())
    return op->emitOpError() << name << "_c1: " << operand << " and " << result
                             << " differ in element type or rank";
  SmallVector<bool> isSplit(operand.getRank());
  for (SplitAttr split : splits) {
    if (split.getDim() >= operand.getRank())
      return op->emitOpError() << name << "_c1: dimension " << split.getDim()
                               << " does not exist in " << operand;
    isSplit[split.getDim()] = true;
  }
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!isSplit[dim] &&
        !agree(operand.getDimSize(dim), result.getDimSize(dim)))
      return op->emitOpError()
             << name << "_c2: dimension " << dim << " is "
             << operand.getDimSize(dim) << " in the operand and "
             << result.getDimSize(dim) << " in the result";
  return success();
}

/// Checks that `type` has the whole dimension of `split`.
static LogicalResult verifyWhole(Operation *op, const Twine &label,
                                 SplitAttr split, RankedTensorType type) {
  if (agree(type.getDimSize(split.getDim()), split.getLength()))
    return success();
  return op->emitOpError() << label << ": dimension " << split.getDim()
                           << " of " << type << " must be " << split.getLength()
                           << ", which the parts make together";
}

/// Checks that there is a size for each member.
static LogicalResult verifySizes(Operation *op, SplitAttr split,
                                 const Group &group) {
  if (split.isBatch())
    return op->emitOpError() << "collective_c5: the sizes must be given";
  if (static_cast<int64_t>(split.getSizes().size()) != group.size)
    return op->emitOpError() << "collective_c5: has " << split.getSizes().size()
                             << " sizes for " << group.size << " members";
  return success();
}

/// Checks that `type` has the part that `split` gives to the ranks that run
/// the function; if they are not known, to any member.
static LogicalResult verifyPart(Operation *op, const Twine &label,
                                SplitAttr split, RankedTensorType type,
                                const Group &group) {
  int64_t dim = split.getDim();
  if (type.isDynamicDim(dim))
    return success();
  for (auto [member, rank] : llvm::zip_equal(group.members, group.ranks))
    if (type.getDimSize(dim) != split.getLength(member))
      return op->emitOpError()
             << label << ": dimension " << dim << " of " << type << " must be "
             << split.getLength(member) << ", the part of rank " << rank;
  if (!group.members.empty() ||
      llvm::any_of(llvm::seq<int64_t>(0, group.size), [&](int64_t member) {
        return type.getDimSize(dim) == split.getLength(member);
      }))
    return success();
  return op->emitOpError() << label << ": dimension " << dim << " of " << type
                           << " is not the part of any member";
}

/// The bytes of `type` with the dimension of `split` cut down to the part of
/// `member`.
static std::optional<int64_t> getPartBytes(RankedTensorType type,
                                           SplitAttr split, int64_t member) {
  if (member < 0 || member >= static_cast<int64_t>(split.getSizes().size()))
    return std::nullopt;
  SmallVector<int64_t> shape(type.getShape());
  shape[split.getDim()] = split.getLength(member);
  return getByteSize(RankedTensorType::get(shape, type.getElementType()));
}

//===----------------------------------------------------------------------===//
// AllGatherOp
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  if (failed(verifyCollective(*this)))
    return failure();
  return verifyShapes(*this, "all_gather", getOperand().getType(),
                      getResultTensor(*this), getSplit());
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<Group> group = getGroupOf(*this, symbols);
  return failure(failed(group) ||
                 failed(verifySizes(*this, getSplit(), *group)) ||
                 failed(verifyWhole(*this, "all_gather_c3", getSplit(),
                                    getResultTensor(*this))) ||
                 failed(verifyPart(*this, "all_gather_c4", getSplit(),
                                   getOperand().getType(), *group)));
}

std::optional<int64_t> AllGatherOp::getMemberBytes(int64_t member, int64_t) {
  return getPartBytes(getOperand().getType(), getSplit(), member);
}

//===----------------------------------------------------------------------===//
// ReduceScatterOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyCollective(*this)) ||
      failed(verifyReduction(*this, getReduction(),
                             getOperand().getType().getElementType(),
                             "collective_c6")))
    return failure();
  return verifyShapes(*this, "reduce_scatter", getOperand().getType(),
                      getResultTensor(*this), getSplit());
}

LogicalResult
ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<Group> group = getGroupOf(*this, symbols);
  return failure(failed(group) ||
                 failed(verifySizes(*this, getSplit(), *group)) ||
                 failed(verifyWhole(*this, "reduce_scatter_c3", getSplit(),
                                    getOperand().getType())) ||
                 failed(verifyPart(*this, "reduce_scatter_c4", getSplit(),
                                   getResultTensor(*this), *group)));
}

std::optional<int64_t> ReduceScatterOp::getMemberBytes(int64_t, int64_t) {
  return getByteSize(getOperand().getType());
}

//===----------------------------------------------------------------------===//
// AllReduceOp, ExclusiveScanOp
//===----------------------------------------------------------------------===//

/// Checks a reduction whose result is like its operand.
template <typename OpT>
static LogicalResult verifySameType(OpT op, StringRef label) {
  if (failed(verifyCollective(op)) ||
      failed(verifyReduction(op, op.getReduction(),
                             op.getOperand().getType().getElementType(),
                             "collective_c6")))
    return failure();
  if (op.getOperand().getType() != getResultTensor(op))
    return op.emitOpError()
           << label << ": the operand " << op.getOperand().getType()
           << " and the result " << getResultTensor(op) << " differ";
  return success();
}

LogicalResult AllReduceOp::verify() {
  return verifySameType(*this, "all_reduce_c1");
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return getGroupOf(*this, symbols);
}

std::optional<int64_t> AllReduceOp::getMemberBytes(int64_t, int64_t) {
  return getByteSize(getOperand().getType());
}

LogicalResult ExclusiveScanOp::verify() {
  return verifySameType(*this, "exclusive_scan_c1");
}

LogicalResult
ExclusiveScanOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return getGroupOf(*this, symbols);
}

std::optional<int64_t> ExclusiveScanOp::getMemberBytes(int64_t, int64_t) {
  return getByteSize(getOperand().getType());
}

//===----------------------------------------------------------------------===//
// AllToAllOp
//===----------------------------------------------------------------------===//

LogicalResult AllToAllOp::verify() {
  if (failed(verifyCollective(*this)) ||
      failed(verifyShapes(*this, "all_to_all", getOperand().getType(),
                          getResultTensor(*this), {getFrom(), getTo()})))
    return failure();
  if (getFrom().getDim() == getTo().getDim() && !getFrom().isBatch() &&
      !getTo().isBatch() && getFrom().getLength() != getTo().getLength())
    return emitOpError() << "all_to_all_c5: dimension " << getFrom().getDim()
                         << " has length " << getFrom().getLength()
                         << " before and " << getTo().getLength() << " after";
  return success();
}

/// Whether the operand and the result of `op` are the parts of `member`.
static bool hasPartsOf(AllToAllOp op, int64_t member) {
  return agree(op.getOperand().getType().getDimSize(op.getFrom().getDim()),
               op.getFrom().getLength(member)) &&
         agree(getResultTensor(op).getDimSize(op.getTo().getDim()),
               op.getTo().getLength(member));
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<Group> group = getGroupOf(*this, symbols);
  if (failed(group) || failed(verifySizes(*this, getFrom(), *group)) ||
      failed(verifySizes(*this, getTo(), *group)))
    return failure();
  if (getFrom().getDim() != getTo().getDim() &&
      (failed(verifyWhole(*this, "all_to_all_c3", getTo(),
                          getOperand().getType())) ||
       failed(verifyWhole(*this, "all_to_all_c3", getFrom(),
                          getResultTensor(*this)))))
    return failure();
  if (failed(verifyPart(*this, "all_to_all_c4", getFrom(),
                        getOperand().getType(), *group)) ||
      failed(verifyPart(*this, "all_to_all_c4", getTo(), getResultTensor(*this),
                        *group)))
    return failure();
  if (group->members.empty() &&
      llvm::none_of(llvm::seq<int64_t>(0, group->size),
                    [&](int64_t member) { return hasPartsOf(*this, member); }))
    return emitOpError() << "all_to_all_c4: the operand and the result are not "
                            "the parts of the same member";
  return success();
}

std::optional<int64_t> AllToAllOp::getMemberBytes(int64_t member, int64_t) {
  return getPartBytes(getOperand().getType(), getFrom(), member);
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  if (failed(verifyCollective(*this)))
    return failure();
  if (getOperand() && getOperand().getType() != getResultTensor(*this))
    return emitOpError() << "broadcast_c3: the operand "
                         << getOperand().getType() << " and the result "
                         << getResultTensor(*this) << " differ";
  return success();
}

LogicalResult BroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<Group> group = getGroupOf(*this, symbols);
  if (failed(group))
    return failure();
  int64_t root = getRoot();
  if (root < 0 || root >= group->size)
    return emitOpError() << "broadcast_c1: comes from member " << root
                         << ", but there are " << group->size;
  for (auto [member, rank] : llvm::zip_equal(group->members, group->ranks))
    if ((member == root) != (getOperand() != nullptr))
      return emitOpError() << "broadcast_c2: rank " << rank
                           << (member == root ? " must bring the value"
                                              : " must not bring a value");
  return success();
}

std::optional<int64_t> BroadcastOp::getMemberBytes(int64_t member, int64_t) {
  if (member != static_cast<int64_t>(getRoot()))
    return 0;
  return getByteSize(getResultTensor(*this));
}
