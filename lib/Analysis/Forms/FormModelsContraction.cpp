//===- FormModelsContraction.cpp - Products, reductions, windows ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FormModels.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::forms;

static DimensionMap getDotGeneralMap(stablehlo::DotGeneralOp op) {
  stablehlo::DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  DimensionMap map = getWholeMap(op);
  int next = 0;
  auto batch = llvm::zip_equal(dims.getLhsBatchingDimensions(),
                               dims.getRhsBatchingDimensions());
  for (auto [lhs, rhs] : batch)
    map.results[0][next++] = map.operands[0][lhs] = map.operands[1][rhs] =
        addLoop(map);
  for (auto [lhs, rhs] : llvm::zip_equal(dims.getLhsContractingDimensions(),
                                         dims.getRhsContractingDimensions()))
    map.operands[0][lhs] = map.operands[1][rhs] =
        addLoop(map, ReductionKind::Sum);
  for (SmallVector<int> &operand : map.operands)
    for (int &dim : operand)
      if (dim == DimensionMap::whole)
        map.results[0][next++] = dim = addLoop(map);
  map.linear = {{0}, {1}};
  return map;
}

static DimensionMap getConvolutionMap(stablehlo::ConvolutionOp op) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  DimensionMap map = getWholeMap(op);
  bool grouped = op.getFeatureGroupCount() != 1;
  if (op.getBatchGroupCount() == 1)
    map.operands[0][dims.getInputBatchDimension()] =
        map.results[0][dims.getOutputBatchDimension()] = addLoop(map);
  if (!grouped)
    map.operands[0][dims.getInputFeatureDimension()] =
        map.operands[1][dims.getKernelInputFeatureDimension()] =
            addLoop(map, ReductionKind::Sum);
  if (!grouped && op.getBatchGroupCount() == 1)
    map.operands[1][dims.getKernelOutputFeatureDimension()] =
        map.results[0][dims.getOutputFeatureDimension()] = addLoop(map);
  map.linear = {{0}, {1}};
  return map;
}

static DimensionMap getReduceMap(stablehlo::ReduceOp op) {
  DimensionMap map = getWholeMap(op);
  unsigned inputs = op.getInputs().size();
  std::optional<ReductionKind> reduction;
  if (inputs == 1)
    reduction = getReduction(op.getBody());
  int next = 0;
  for (int dim = 0, rank = map.operands[0].size(); dim < rank; ++dim) {
    bool reduced = llvm::is_contained(op.getDimensions(), dim);
    if (reduced && !reduction)
      continue;
    int loop = addLoop(map, reduced ? reduction : std::nullopt);
    for (unsigned i = 0; i < inputs; ++i) {
      map.operands[i][dim] = loop;
      if (!reduced)
        map.results[i][next] = loop;
    }
    next += !reduced;
  }
  if (reduction == ReductionKind::Sum)
    map.linear = {{0, 1}};
  else if (reduction) {
    map.linear = {{0}};
    map.commutesWith = reduction;
  }
  return map;
}
/// Windows of one element along a dimension leave it alone.
template <typename OpTy>
static SmallVector<bool> getUntouchedDims(OpTy op, int64_t rank) {
  auto all = [](std::optional<ArrayRef<int64_t>> values, int64_t dim,
                int64_t neutral) {
    return !values || (*values)[dim] == neutral;
  };
  SmallVector<bool> untouched;
  std::optional<ArrayRef<int64_t>> window, strides;
  DenseI64ArrayAttr windowAttr = op.getWindowDimensionsAttr();
  DenseI64ArrayAttr stridesAttr = op.getWindowStridesAttr();
  if (windowAttr)
    window = windowAttr.asArrayRef();
  if (stridesAttr)
    strides = stridesAttr.asArrayRef();
  SmallVector<int64_t> padding(2 * rank, 0);
  if (std::optional<DenseIntElementsAttr> attr = op.getPadding())
    for (auto [i, value] : llvm::enumerate(attr->template getValues<int64_t>()))
      padding[i] = value;
  for (int64_t dim = 0; dim < rank; ++dim)
    untouched.push_back(all(window, dim, 1) && all(strides, dim, 1) &&
                        padding[2 * dim] == 0 && padding[2 * dim + 1] == 0);
  return untouched;
}

static DimensionMap getReduceWindowMap(stablehlo::ReduceWindowOp op) {
  DimensionMap map = getWholeMap(op);
  unsigned inputs = op.getInputs().size();
  int64_t rank = map.operands[0].size();
  SmallVector<bool> untouched = getUntouchedDims(op, rank);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!untouched[dim] ||
        (op.getBaseDilations() && (*op.getBaseDilations())[dim] != 1))
      continue;
    int loop = addLoop(map);
    for (unsigned i = 0; i < inputs; ++i)
      map.operands[i][dim] = map.results[i][dim] = loop;
  }
  if (inputs == 1 && getReduction(op.getBody()) == ReductionKind::Sum)
    map.linear = {{0, 1}};
  return map;
}

static DimensionMap getSelectAndScatterMap(stablehlo::SelectAndScatterOp op) {
  DimensionMap map = getWholeMap(op);
  int64_t rank = map.operands[0].size();
  SmallVector<bool> untouched = getUntouchedDims(op, rank);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (untouched[dim])
      map.operands[0][dim] = map.operands[1][dim] = map.results[0][dim] =
          addLoop(map);
  if (getReduction(op.getScatter()) == ReductionKind::Sum)
    map.linear = {{1, 2}};
  return map;
}

static DimensionMap getSortMap(stablehlo::SortOp op) {
  DimensionMap map = getElementwiseMap(op);
  for (auto *list : {&map.operands, &map.results})
    for (SmallVector<int> &dims : *list)
      dims[op.getDimension()] = DimensionMap::whole;
  return map;
}

/// Operations on matrices in the last two dimensions: the others are a batch.
static DimensionMap getBatchedMap(Operation *op) {
  DimensionMap map = getWholeMap(op);
  int64_t batch = int64_t(map.results[0].size()) - 2;
  for (int64_t dim = 0; dim < batch; ++dim) {
    int loop = addLoop(map);
    for (SmallVector<int> &operand : map.operands)
      operand[dim] = loop;
    map.results[0][dim] = loop;
  }
  return map;
}

static DimensionMap getFftMap(stablehlo::FftOp op) {
  DimensionMap map = getWholeMap(op);
  int64_t batch = map.results[0].size() - op.getFftLength().size();
  for (int64_t dim = 0; dim < batch; ++dim)
    map.operands[0][dim] = map.results[0][dim] = addLoop(map);
  map.linear = {{0}};
  return map;
}
void forms::attachContractionModels(MLIRContext *context) {
  using namespace stablehlo;
  attachMap<DotGeneralOp, getDotGeneralMap>(context);
  attachMap<ConvolutionOp, getConvolutionMap>(context);
  attachMap<ReduceOp, getReduceMap>(context);
  attachMap<ReduceWindowOp, getReduceWindowMap>(context);
  attachMap<SelectAndScatterOp, getSelectAndScatterMap>(context);
  attachMap<SortOp, getSortMap>(context);
  attachMap<FftOp, getFftMap>(context);
  attachMap<CholeskyOp, getBatchedMap>(context);
  attachMap<TriangularSolveOp, getBatchedMap>(context);
}
