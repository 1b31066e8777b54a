//===- StablehloScatter.cpp - Checks of scatter ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/Reducers.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// Lists of dimensions
//===----------------------------------------------------------------------===//

static LogicalResult checkSorted(Operation *op, ArrayRef<int64_t> dims,
                                 StringRef name) {
  if (llvm::is_sorted(dims))
    return success();
  return op->emitOpError() << "expects " << name << " to be sorted, got ["
                           << dims << "]";
}

static LogicalResult checkDistinct(Operation *op, ArrayRef<int64_t> dims,
                                   ArrayRef<int64_t> others, StringRef name) {
  SmallVector<int64_t> all(dims);
  llvm::append_range(all, others);
  llvm::sort(all);
  auto *twice = llvm::adjacent_find(all);
  if (twice == all.end())
    return success();
  return op->emitOpError() << "expects " << name
                           << " to be distinct, but dimension " << *twice
                           << " is named twice";
}

static LogicalResult checkInRange(Operation *op, ArrayRef<int64_t> dims,
                                  int64_t rank, StringRef name) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << "dimension " << dim << " of " << name
                               << " is out of range for rank " << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

/// Whether the dimensions that the window lacks name input dimensions.
static LogicalResult checkInputDims(ScatterOp op,
                                    ScatterDimensionNumbersAttr numbers,
                                    RankedTensorType input) {
  ArrayRef<int64_t> inserted = numbers.getInsertedWindowDims();
  ArrayRef<int64_t> batching = numbers.getInputBatchingDims();
  // scatter_c9 to c13
  if (failed(checkDistinct(op, inserted, batching,
                           "inserted_window_dims and input_batching_dims")))
    return failure();
  for (auto [dims, name] : {std::pair(inserted, "inserted_window_dims"),
                            std::pair(batching, "input_batching_dims")})
    if (failed(checkSorted(op, dims, name)) ||
        failed(checkInRange(op, dims, input.getRank(), name)))
      return failure();
  return success();
}

/// Whether the batching dimensions of inputs and indices go together.
static LogicalResult checkBatchingDims(ScatterOp op,
                                       ScatterDimensionNumbersAttr numbers,
                                       RankedTensorType input,
                                       RankedTensorType indices) {
  ArrayRef<int64_t> inputDims = numbers.getInputBatchingDims();
  ArrayRef<int64_t> indexDims = numbers.getScatterIndicesBatchingDims();
  // scatter_c14, scatter_c15
  if (failed(
          checkDistinct(op, indexDims, {}, "scatter_indices_batching_dims")) ||
      failed(checkInRange(op, indexDims, indices.getRank(),
                          "scatter_indices_batching_dims")))
    return failure();
  // scatter_c16
  if (llvm::is_contained(indexDims, numbers.getIndexVectorDim()))
    return op.emitOpError()
           << "expects scatter_indices_batching_dims not to contain "
              "index_vector_dim "
           << numbers.getIndexVectorDim();
  // scatter_c17
  if (inputDims.size() != indexDims.size())
    return op.emitOpError() << "expects as many input_batching_dims as "
                               "scatter_indices_batching_dims, got "
                            << inputDims.size() << " and " << indexDims.size();
  // scatter_c18
  for (auto [inputDim, indexDim] : llvm::zip(inputDims, indexDims))
    if (!areCompatibleSizes(input.getDimSize(inputDim),
                            indices.getDimSize(indexDim)))
      return op.emitOpError() << "expects batching dimension " << inputDim
                              << " of the inputs and " << indexDim
                              << " of the indices to have the same size, got "
                              << input.getDimSize(inputDim) << " and "
                              << indices.getDimSize(indexDim);
  return success();
}

/// Whether there is an input dimension for each component of an index.
static LogicalResult checkIndexMap(ScatterOp op,
                                   ScatterDimensionNumbersAttr numbers,
                                   RankedTensorType input,
                                   RankedTensorType indices) {
  int64_t vectorDim = numbers.getIndexVectorDim();
  ArrayRef<int64_t> map = numbers.getScatterDimsToOperandDims();
  // scatter_c19
  int64_t components =
      vectorDim < indices.getRank() ? indices.getDimSize(vectorDim) : 1;
  if (!areCompatibleSizes(components, map.size()))
    return op.emitOpError()
           << "expects scatter_dims_to_operand_dims to have " << components
           << " members, one for each component of an index, got "
           << map.size();
  // scatter_c20, scatter_c21
  return failure(failed(checkDistinct(
                     op, map, numbers.getInputBatchingDims(),
                     "scatter_dims_to_operand_dims and input_batching_dims")) ||
                 failed(checkInRange(op, map, input.getRank(),
                                     "scatter_dims_to_operand_dims")));
}

/// scatter_c4: along window dimensions an update is no larger than the input,
/// along the others it has the size of the indices.
static LogicalResult checkUpdateShape(ScatterOp op,
                                      ScatterDimensionNumbersAttr numbers,
                                      RankedTensorType input,
                                      RankedTensorType indices,
                                      RankedTensorType update) {
  SmallVector<int64_t> windowSizes;
  for (auto [dim, size] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), dim) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), dim))
      windowSizes.push_back(size);
  SmallVector<int64_t> scatterSizes(indices.getShape());
  if (numbers.getIndexVectorDim() < indices.getRank())
    scatterSizes.erase(scatterSizes.begin() + numbers.getIndexVectorDim());
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
  int64_t rank = windowDims.size() + scatterSizes.size();
  if (update.getRank() != rank)
    return op.emitOpError()
           << "expects updates of rank " << rank << ", with "
           << windowDims.size() << " window and " << scatterSizes.size()
           << " scatter dimensions, got " << update;
  size_t numWindow = 0, numScatter = 0;
  for (auto [dim, size] : llvm::enumerate(update.getShape())) {
    if (llvm::is_contained(windowDims, dim)) {
      int64_t limit = windowSizes[numWindow++];
      if (ShapedType::isStatic(size) && ShapedType::isStatic(limit) &&
          size > limit)
        return op.emitOpError()
               << "expects window dimension " << dim
               << " of the updates to be at most the input's size " << limit
               << ", got " << size;
      continue;
    }
    int64_t expected = scatterSizes[numScatter++];
    if (!areCompatibleSizes(size, expected))
      return op.emitOpError() << "expects scatter dimension " << dim
                              << " of the updates to have the indices' size "
                              << expected << ", got " << size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  TypeRange inputs = adaptor.getInputs().getTypes();
  FailureOr<SmallVector<Type>> elements =
      getAccumulatorElementTypes(location, adaptor.getUpdateComputation(),
                                 inputs.size(), "update_computation");
  if (failed(elements))
    return failure();
  // scatter_c24, scatter_c25
  for (auto [input, element] : llvm::zip(inputs, *elements))
    inferred.push_back(cast<RankedTensorType>(input).clone(element));
  return success();
}

/// Whether all of `types` have compatible shapes.
static LogicalResult checkShapes(ScatterOp op, TypeRange types,
                                 StringRef name) {
  for (Type type : types)
    if (!areCompatibleShapes(types.front(), type))
      return op.emitOpError()
             << "expects " << name << " of compatible shapes, got "
             << types.front() << " and " << type;
  return success();
}

LogicalResult ScatterOp::verify() {
  TypeRange inputs = getInputs().getTypes(), updates = getUpdates().getTypes();
  // scatter_c5
  if (inputs.empty())
    return emitOpError() << "expects at least one input";
  auto input = cast<RankedTensorType>(inputs.front());
  auto indices = cast<RankedTensorType>(getScatterIndices().getType());
  auto update = cast<RankedTensorType>(updates.front());
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  // scatter_c1, scatter_c3
  if (failed(checkShapes(*this, inputs, "inputs")) ||
      failed(checkShapes(*this, updates, "updates")))
    return failure();
  // scatter_c6, scatter_c23: the elements start from the inputs'
  SmallVector<Type> scalars;
  for (Type type : inputs)
    scalars.push_back(RankedTensorType::get({}, getElementTypeOrSelf(type)));
  if (failed(verifyReducer(getLoc(), getUpdateComputation(), updates, scalars,
                           {}, "update_computation")))
    return failure();
  // scatter_c22
  int64_t vectorDim = numbers.getIndexVectorDim();
  if (vectorDim < 0 || vectorDim > indices.getRank())
    return emitOpError() << "index_vector_dim " << vectorDim
                         << " is out of range for indices of rank "
                         << indices.getRank();
  // scatter_c2
  int64_t numDims = numbers.getUpdateWindowDims().size() +
                    numbers.getInsertedWindowDims().size() +
                    numbers.getInputBatchingDims().size();
  if (numDims != input.getRank())
    return emitOpError() << "expects update_window_dims, inserted_window_dims "
                            "and input_batching_dims together to be as many as "
                            "the inputs' dimensions, "
                         << input.getRank() << ", got " << numDims;
  // scatter_c7, scatter_c8
  if (failed(checkSorted(*this, numbers.getUpdateWindowDims(),
                         "update_window_dims")) ||
      failed(checkDistinct(*this, numbers.getUpdateWindowDims(), {},
                           "update_window_dims")) ||
      failed(checkInRange(*this, numbers.getUpdateWindowDims(),
                          update.getRank(), "update_window_dims")))
    return failure();
  return failure(
      failed(checkInputDims(*this, numbers, input)) ||
      failed(checkBatchingDims(*this, numbers, input, indices)) ||
      failed(checkIndexMap(*this, numbers, input, indices)) ||
      failed(checkUpdateShape(*this, numbers, input, indices, update)));
}
