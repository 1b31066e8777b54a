//===- ChloRaggedDot.cpp - Verification of chlo.ragged_dot ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Chlo/ChloOps.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::chlo;

namespace {
/// The role of the ragged dimension.
enum class RaggedMode { Free, Contracting, Batching };
} // namespace

static RaggedMode getMode(RaggedDotDimensionNumbersAttr numbers) {
  int64_t ragged = numbers.getLhsRaggedDimensions()[0];
  if (llvm::is_contained(numbers.getLhsBatchingDimensions(), ragged))
    return RaggedMode::Batching;
  if (llvm::is_contained(numbers.getLhsContractingDimensions(), ragged))
    return RaggedMode::Contracting;
  return RaggedMode::Free;
}

/// ragged_dot_c4: the dimensions of one operand are in range and distinct.
static LogicalResult
checkDims(RaggedDotOp op, int64_t rank,
          ArrayRef<std::pair<StringRef, ArrayRef<int64_t>>> lists) {
  llvm::SmallBitVector seen(rank);
  for (auto [name, dims] : lists)
    for (int64_t dim : dims) {
      if (dim < 0 || dim >= rank)
        return op.emitOpError() << name << " value: " << dim
                                << " is out of range: [0, " << rank << ")";
      if (seen[dim])
        return op.emitOpError()
               << "has duplicated dimension " << dim << " in " << name;
      seen.set(dim);
    }
  return success();
}

/// ragged_dot_c2, c3 and c5 for one kind of paired dimensions.
static LogicalResult checkPairs(RaggedDotOp op, StringRef kind,
                                ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() != rhs.size())
    return op.emitOpError()
           << "lhs and rhs should have the same number of " << kind
           << " dimensions, got " << lhs.size() << " and " << rhs.size();
  auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
  auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
  for (auto [l, r] : llvm::zip(lhs, rhs))
    if (!stablehlo::areCompatibleSizes(lhsType.getDimSize(l),
                                       rhsType.getDimSize(r)))
      return op.emitOpError()
             << kind << " dimension sizes must match for lhs/rhs, got "
             << lhsType.getDimSize(l) << " and " << rhsType.getDimSize(r);
  return success();
}

/// The dimensions of lhs that are neither batching nor contracting.
static SmallVector<int64_t> getFreeDims(int64_t rank,
                                        ArrayRef<ArrayRef<int64_t>> taken) {
  SmallVector<int64_t> free;
  for (int64_t dim : llvm::seq(rank))
    if (llvm::none_of(taken, [&](ArrayRef<int64_t> dims) {
          return llvm::is_contained(dims, dim);
        }))
      free.push_back(dim);
  return free;
}

/// ragged_dot_c7: `group_sizes` is [g] or [b.., x.., g].
static LogicalResult checkGroupSizes(RaggedDotOp op, RaggedMode mode) {
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto sizes = cast<RankedTensorType>(op.getGroupSizes().getType());
  if (sizes.getRank() == 1)
    return success();

  ArrayRef<int64_t> batching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> contracting = numbers.getLhsContractingDimensions();
  SmallVector<int64_t> free =
      getFreeDims(lhs.getRank(), {batching, contracting});
  SmallVector<int64_t> prefix;
  if (mode != RaggedMode::Batching)
    prefix.assign(batching.begin(), batching.end());
  ArrayRef<int64_t> kind = mode == RaggedMode::Batching      ? batching
                           : mode == RaggedMode::Contracting ? contracting
                                                             : free;
  for (int64_t dim : kind) {
    if (dim == numbers.getLhsRaggedDimensions()[0])
      break;
    prefix.push_back(dim);
  }
  if (sizes.getRank() != int64_t(prefix.size()) + 1)
    return op.emitOpError() << "expected group_sizes to have rank "
                            << prefix.size() + 1 << ", got " << sizes.getRank();
  for (auto [i, dim] : llvm::enumerate(prefix))
    if (sizes.getDimSize(i) != lhs.getDimSize(dim))
      return op.emitOpError()
             << "expected dimension " << i
             << " of group_sizes to have the size of lhs dimension " << dim
             << ", got " << sizes << " and " << lhs;
  return success();
}

/// ragged_dot_c8
static LogicalResult checkGroups(RaggedDotOp op, RaggedMode mode) {
  ArrayRef<int64_t> groupDims =
      op.getRaggedDotDimensionNumbers().getRhsGroupDimensions();
  if (mode != RaggedMode::Free) {
    if (!groupDims.empty())
      return op.emitOpError()
             << "there must be zero group dimensions in the rhs when the "
                "ragged dimension is batch or contracting, got "
             << groupDims.size();
    return success();
  }
  if (groupDims.size() != 1)
    return op.emitOpError()
           << "there must be exactly one group dimension in the rhs when the "
              "lhs ragged dimension is non-contracting, got "
           << groupDims.size();
  int64_t numGroups =
      cast<RankedTensorType>(op.getGroupSizes().getType()).getShape().back();
  int64_t rhsGroups =
      cast<RankedTensorType>(op.getRhs().getType()).getDimSize(groupDims[0]);
  if (!stablehlo::areCompatibleSizes(numGroups, rhsGroups))
    return op.emitOpError()
           << "rhs group dimension is expected to have size=" << numGroups
           << ", got " << rhsGroups;
  return success();
}

/// ragged_dot_c9: [g if contracting] [b..] [free lhs..] [free rhs..].
static LogicalResult checkResult(RaggedDotOp op, RaggedMode mode) {
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  SmallVector<int64_t> shape;
  if (mode == RaggedMode::Contracting)
    shape.push_back(
        cast<RankedTensorType>(op.getGroupSizes().getType()).getShape().back());
  for (int64_t dim : numbers.getLhsBatchingDimensions())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim :
       getFreeDims(lhs.getRank(), {numbers.getLhsBatchingDimensions(),
                                   numbers.getLhsContractingDimensions()}))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim :
       getFreeDims(rhs.getRank(), {numbers.getRhsBatchingDimensions(),
                                   numbers.getRhsContractingDimensions(),
                                   numbers.getRhsGroupDimensions()}))
    shape.push_back(rhs.getDimSize(dim));

  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!result || failed(verifyCompatibleShape(shape, result.getShape()))) {
    InFlightDiagnostic diag = op.emitOpError() << "inferred shape [";
    llvm::interleaveComma(shape, diag, [&](int64_t size) {
      if (ShapedType::isDynamic(size))
        diag << "?";
      else
        diag << size;
    });
    return diag << "] is incompatible with return type of operation "
                << op.getResult().getType();
  }
  return success();
}

LogicalResult RaggedDotOp::verify() {
  RaggedDotDimensionNumbersAttr numbers = getRaggedDotDimensionNumbers();
  auto lhs = dyn_cast<RankedTensorType>(getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(getRhs().getType());
  if (!lhs || !rhs)
    return emitOpError() << "requires ranked lhs and rhs, got "
                         << getLhs().getType() << " and " << getRhs().getType();
  for (RankedTensorType type : {lhs, rhs})
    if (!stablehlo::hasValidQuantizedAxis(type))
      return emitOpError() << "expects a scale for each slice of the quantized "
                              "dimension, got "
                           << type;
  // ragged_dot_c1
  if (std::optional<ArrayAttr> config = getPrecisionConfig();
      config && config->size() > 2)
    return emitOpError() << "expects precision config to be empty or have <= 2 "
                            "elements, got "
                         << config->size();
  if (failed(checkDims(
          *this, lhs.getRank(),
          {{"lhs_batching_dimensions", numbers.getLhsBatchingDimensions()},
           {"lhs_contracting_dimensions",
            numbers.getLhsContractingDimensions()}})) ||
      failed(checkDims(
          *this, rhs.getRank(),
          {{"rhs_batching_dimensions", numbers.getRhsBatchingDimensions()},
           {"rhs_contracting_dimensions",
            numbers.getRhsContractingDimensions()},
           {"rhs_group_dimensions", numbers.getRhsGroupDimensions()}})) ||
      failed(checkPairs(*this, "batching", numbers.getLhsBatchingDimensions(),
                        numbers.getRhsBatchingDimensions())) ||
      failed(checkPairs(*this, "contracting",
                        numbers.getLhsContractingDimensions(),
                        numbers.getRhsContractingDimensions())))
    return failure();
  // ragged_dot_c6
  ArrayRef<int64_t> ragged = numbers.getLhsRaggedDimensions();
  if (ragged.size() != 1)
    return emitOpError()
           << "there must be exactly one ragged dimension in the lhs, got "
           << ragged.size();
  if (ragged[0] < 0 || ragged[0] >= lhs.getRank())
    return emitOpError() << "lhs_ragged_dimensions value: " << ragged[0]
                         << " is out of range: [0, " << lhs.getRank() << ")";
  RaggedMode mode = getMode(numbers);
  return failure(failed(checkGroupSizes(*this, mode)) ||
                 failed(checkGroups(*this, mode)) ||
                 failed(checkResult(*this, mode)));
}
