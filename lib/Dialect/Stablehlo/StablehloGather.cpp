//===- StablehloGather.cpp - Result types of gathers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints and the result type of gather and dynamic_gather. They differ
// in one thing: the sizes of a slice may be unknown in a dynamic_gather.

#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"

using namespace mlir;
using namespace mlir::stablehlo;

namespace {
/// A gather with the sizes of a slice if they are known.
struct Gather {
  std::optional<Location> location;
  RankedTensorType operand, indices;
  GatherDimensionNumbersAttr numbers;
  std::optional<ArrayRef<int64_t>> sliceSizes;

  /// The number of dimensions of the result that run over index vectors.
  int64_t getBatchRank() const {
    bool isExplicit = numbers.getIndexVectorDim() < indices.getRank();
    return indices.getRank() - isExplicit;
  }

  LogicalResult verify() const;
  Type inferResultType() const;

private:
  LogicalResult verifyIndexVector() const;
  LogicalResult verifyOffsetDims() const;
  LogicalResult verifyCollapsedAndBatchingDims() const;
  LogicalResult verifyBatchingPairs() const;
  LogicalResult verifySliceSizes() const;
};
} // namespace

static LogicalResult verifySorted(std::optional<Location> location,
                                  ArrayRef<int64_t> dims, StringRef name) {
  if (llvm::is_sorted(dims))
    return success();
  return emitOptionalError(location, name, " should be sorted, got [", dims,
                           "]");
}

LogicalResult Gather::verifyIndexVector() const {
  int64_t vectorDim = numbers.getIndexVectorDim();
  ArrayRef<int64_t> map = numbers.getStartIndexMap();
  // gather_c2
  if (vectorDim < 0 || vectorDim > indices.getRank())
    return emitOptionalError(location, "index_vector_dim ", vectorDim,
                             " is out of range [0, ", indices.getRank(),
                             "] for start indices");
  // gather_c3
  int64_t length =
      vectorDim < indices.getRank() ? indices.getDimSize(vectorDim) : 1;
  if (!areCompatibleSizes(length, map.size()))
    return emitOptionalError(location, "start_index_map has ", map.size(),
                             " entries, but an index vector has ", length);
  // gather_c18
  SmallVector<int64_t> addressed(map);
  llvm::append_range(addressed, numbers.getOperandBatchingDims());
  if (failed(verifyDimsDistinct(location, addressed,
                                "start_index_map with operand_batching_dims")))
    return failure();
  // gather_c19
  return verifyDimsInRange(location, map, operand.getRank(), "start_index_map");
}

LogicalResult Gather::verifyOffsetDims() const {
  ArrayRef<int64_t> dims = numbers.getOffsetDims();
  // gather_c4
  if (failed(verifySorted(location, dims, "offset_dims")) ||
      failed(verifyDimsDistinct(location, dims, "offset_dims")))
    return failure();
  // gather_c5
  return verifyDimsInRange(location, dims, getBatchRank() + dims.size(),
                           "offset_dims");
}

LogicalResult Gather::verifyCollapsedAndBatchingDims() const {
  ArrayRef<int64_t> collapsed = numbers.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = numbers.getOperandBatchingDims();
  int64_t rank = operand.getRank();
  // gather_c6
  SmallVector<int64_t> dropped(collapsed);
  llvm::append_range(dropped, batching);
  if (failed(verifyDimsDistinct(
          location, dropped,
          "collapsed_slice_dims with operand_batching_dims")))
    return failure();
  // gather_c7, gather_c8
  // gather_c10, gather_c11
  for (auto [dims, name] : {std::pair(collapsed, "collapsed_slice_dims"),
                            std::pair(batching, "operand_batching_dims")})
    if (failed(verifySorted(location, dims, name)) ||
        failed(verifyDimsInRange(location, dims, rank, name)))
      return failure();
  // gather_c1
  int64_t count = numbers.getOffsetDims().size() + dropped.size();
  if (count != rank)
    return emitOptionalError(location, "offset_dims, collapsed_slice_dims and ",
                             "operand_batching_dims have ", count,
                             " entries, but the operand has rank ", rank);
  return success();
}

LogicalResult Gather::verifyBatchingPairs() const {
  ArrayRef<int64_t> operandDims = numbers.getOperandBatchingDims();
  ArrayRef<int64_t> indexDims = numbers.getStartIndicesBatchingDims();
  // gather_c13, gather_c14
  if (failed(verifyDimsDistinct(location, indexDims,
                                "start_indices_batching_dims")) ||
      failed(verifyDimsInRange(location, indexDims, indices.getRank(),
                               "start_indices_batching_dims")))
    return failure();
  // gather_c15
  if (llvm::is_contained(indexDims, numbers.getIndexVectorDim()))
    return emitOptionalError(location, "start_indices_batching_dims contains ",
                             numbers.getIndexVectorDim(),
                             ", which is the index_vector_dim");
  // gather_c16
  if (operandDims.size() != indexDims.size())
    return emitOptionalError(
        location, "operand_batching_dims has ", operandDims.size(),
        " entries, but start_indices_batching_dims has ", indexDims.size());
  // gather_c17
  for (auto [operandDim, indexDim] : llvm::zip(operandDims, indexDims)) {
    int64_t size = operand.getDimSize(operandDim);
    int64_t indexSize = indices.getDimSize(indexDim);
    if (!areCompatibleSizes(size, indexSize))
      return emitOptionalError(location, "operand batching dimension ",
                               operandDim, " has size ", size,
                               ", but start indices batching dimension ",
                               indexDim, " has size ", indexSize);
  }
  return success();
}

LogicalResult Gather::verifySliceSizes() const {
  // gather_c20
  int64_t count = sliceSizes->size();
  if (count != operand.getRank())
    return emitOptionalError(location, "slice_sizes has ", count,
                             " entries, but the operand has rank ",
                             operand.getRank());
  // gather_c9, gather_c12
  for (auto [dims, name] :
       {std::pair(numbers.getCollapsedSliceDims(), "collapsed_slice_dims"),
        std::pair(numbers.getOperandBatchingDims(), "operand_batching_dims")})
    for (int64_t dim : dims)
      if ((*sliceSizes)[dim] > 1)
        return emitOptionalError(location, "slice size of dimension ", dim,
                                 " of ", name, " should be at most 1, got ",
                                 (*sliceSizes)[dim]);
  // gather_c21
  for (auto [dim, size] : llvm::enumerate(*sliceSizes))
    if (size < 0 ||
        (!operand.isDynamicDim(dim) && size > operand.getDimSize(dim)))
      return emitOptionalError(location, "slice size ", size,
                               " is out of bounds for operand dimension ", dim,
                               " of size ", operand.getDimSize(dim));
  return success();
}

LogicalResult Gather::verify() const {
  if (failed(verifyIndexVector()) || failed(verifyOffsetDims()) ||
      failed(verifyCollapsedAndBatchingDims()) || failed(verifyBatchingPairs()))
    return failure();
  return sliceSizes ? verifySliceSizes() : success();
}

Type Gather::inferResultType() const {
  // The sizes of a slice that are left, in order.
  SmallVector<int64_t> offsetSizes;
  for (int64_t dim : llvm::seq<int64_t>(0, operand.getRank()))
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), dim) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), dim))
      offsetSizes.push_back(sliceSizes ? (*sliceSizes)[dim]
                                       : ShapedType::kDynamic);
  SmallVector<int64_t> shape, bounds;
  int64_t indexDim = 0, rank = getBatchRank() + offsetSizes.size();
  auto *nextOffset = offsetSizes.begin();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(numbers.getOffsetDims(), dim)) {
      shape.push_back(*nextOffset++);
      bounds.push_back(ShapedType::kDynamic);
      continue;
    }
    if (indexDim == numbers.getIndexVectorDim())
      ++indexDim;
    shape.push_back(indices.getDimSize(indexDim));
    bounds.push_back(getBound(indices, indexDim));
    ++indexDim;
  }
  return RankedTensorType::get(shape, operand.getElementType(),
                               encodeBounds(operand.getContext(), bounds));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  Gather gather{location,
                cast<RankedTensorType>(adaptor.getOperand().getType()),
                cast<RankedTensorType>(adaptor.getStartIndices().getType()),
                adaptor.getDimensionNumbers(), adaptor.getSliceSizes()};
  if (failed(gather.verify()))
    return failure();
  // gather_c22, gather_c23
  inferred.push_back(gather.inferResultType());
  return success();
}

LogicalResult DynamicGatherOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto sizesType = cast<RankedTensorType>(adaptor.getSliceSizes().getType());
  // dynamic_gather_c20
  if (sizesType.getDimSize(0) != operand.getRank())
    return emitOptionalError(
        location, "slice_sizes has ", sizesType.getDimSize(0),
        " entries, but the operand has rank ", operand.getRank());
  std::optional<SmallVector<int64_t>> sizes =
      getConstantInts(adaptor.getSliceSizes());
  Gather gather{location, operand,
                cast<RankedTensorType>(adaptor.getStartIndices().getType()),
                adaptor.getDimensionNumbers(), std::nullopt};
  if (sizes)
    gather.sliceSizes = ArrayRef<int64_t>(*sizes);
  if (failed(gather.verify()))
    return failure();
  inferred.push_back(gather.inferResultType());
  return success();
}
