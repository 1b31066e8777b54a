//===- FormModelsIndexing.cpp - Gather and scatter ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FormModels.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::forms;

/// The dimensions below `rank` that are in none of the lists.
static SmallVector<int64_t> getOthers(int64_t rank,
                                      ArrayRef<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (llvm::none_of(lists, [&](ArrayRef<int64_t> list) {
          return llvm::is_contained(list, dim);
        }))
      others.push_back(dim);
  return others;
}

/// Three kinds of loops: batching dimensions, which all have; the positions of
/// the index, which operand 0 does not have; and dimensions that every window
/// has whole.
static DimensionMap getGatherMap(stablehlo::GatherOp op) {
  stablehlo::GatherDimensionNumbersAttr dims = op.getDimensionNumbers();
  DimensionMap map = getWholeMap(op);
  ArrayRef<int64_t> shape = getShape(op.getOperand());
  SmallVector<int64_t> positions =
      getOthers(map.operands[1].size(), {{dims.getIndexVectorDim()}});
  SmallVector<int64_t> batch =
      getOthers(map.results[0].size(), {dims.getOffsetDims()});
  for (auto [index, result] : llvm::zip_equal(positions, batch))
    map.operands[1][index] = map.results[0][result] = addLoop(map);
  for (auto [operand, index] : llvm::zip_equal(
           dims.getOperandBatchingDims(), dims.getStartIndicesBatchingDims()))
    map.operands[0][operand] = map.operands[1][index];
  SmallVector<int64_t> window =
      getOthers(shape.size(),
                {dims.getCollapsedSliceDims(), dims.getOperandBatchingDims()});
  for (auto [operand, result] : llvm::zip_equal(window, dims.getOffsetDims()))
    if (op.getSliceSizes()[operand] == shape[operand])
      map.operands[0][operand] = map.results[0][result] = addLoop(map);
  return makeMove(std::move(map));
}

/// As a gather, with the updates in place of its result. Positions that are no
/// batching dimension are added up if the region adds.
static DimensionMap getScatterMap(stablehlo::ScatterOp op) {
  stablehlo::ScatterDimensionNumbersAttr dims = op.getScatterDimensionNumbers();
  DimensionMap map = getWholeMap(op);
  if (op.getInputs().size() != 1)
    return map;
  std::optional<ReductionKind> reduction =
      getReduction(op.getUpdateComputation());
  bool adds = reduction == ReductionKind::Sum;
  SmallVector<int64_t> positions =
      getOthers(map.operands[1].size(), {{dims.getIndexVectorDim()}});
  SmallVector<int64_t> batch =
      getOthers(map.operands[2].size(), {dims.getUpdateWindowDims()});
  for (auto [index, update] : llvm::zip_equal(positions, batch)) {
    const auto *it = llvm::find(dims.getScatterIndicesBatchingDims(), index);
    bool batching = it != dims.getScatterIndicesBatchingDims().end();
    if (!batching && !adds)
      continue;
    int loop = batching ? addLoop(map) : addLoop(map, ReductionKind::Sum);
    map.operands[1][index] = map.operands[2][update] = loop;
    if (batching) {
      int64_t input =
          dims.getInputBatchingDims()[it - dims.getScatterIndicesBatchingDims()
                                               .begin()];
      map.operands[0][input] = map.results[0][input] = loop;
    }
  }
  ArrayRef<int64_t> shape = getShape(op.getInputs()[0]);
  SmallVector<int64_t> window =
      getOthers(shape.size(),
                {dims.getInsertedWindowDims(), dims.getInputBatchingDims()});
  for (auto [input, update] :
       llvm::zip_equal(window, dims.getUpdateWindowDims()))
    if (getShape(op.getUpdates()[0])[update] == shape[input])
      map.operands[0][input] = map.operands[2][update] = map.results[0][input] =
          addLoop(map);
  if (adds)
    map.linear = {{0, 2}};
  return map;
}
void forms::attachIndexingModels(MLIRContext *context) {
  attachMap<stablehlo::GatherOp, getGatherMap>(context);
  attachMap<stablehlo::ScatterOp, getScatterMap>(context);
}
