//===- LoweringConvolution.cpp - Convolutions -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution is a contraction over its padded input, where the place of an
// element is `output * stride + window * dilation`.

#include "Lowering.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// Of each dimension what it becomes when `dim` is two.
static SmallVector<ReassociationIndices> getSplit(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, next = 0; d < rank; ++d) {
    groups.push_back({next++});
    if (d == dim)
      groups.back().push_back(next++);
  }
  return groups;
}

/// Splits a dimension into `count` groups, in front of it.
static Value splitDimension(LoopBuilder &b, Value value, int64_t dim,
                            int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= count;
  shape.insert(shape.begin() + dim, count);
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), value,
      getSplit(type.getRank(), dim));
}

/// The inverse of `splitDimension`.
static Value joinDimension(LoopBuilder &b, Value value, int64_t dim,
                           RankedTensorType type) {
  return tensor::CollapseShapeOp::create(b, type, value,
                                         getSplit(type.getRank(), dim));
}

/// The window of a convolution along one spatial dimension.
namespace {
struct Window {
  int64_t stride = 1, low = 0, high = 0, lhsDilation = 1, rhsDilation = 1;
  bool reversed = false;
};
} // namespace

static SmallVector<Window> getWindows(ConvolutionOp op) {
  size_t count = op.getDimensionNumbers().getInputSpatialDimensions().size();
  SmallVector<Window> windows(count);
  SmallVector<int64_t> padding;
  if (auto attr = op.getPadding())
    padding = llvm::to_vector(attr->getValues<int64_t>());
  for (size_t i = 0; i < count; ++i) {
    Window &window = windows[i];
    if (auto strides = op.getWindowStrides())
      window.stride = (*strides)[i];
    if (!padding.empty()) {
      window.low = padding[2 * i];
      window.high = padding[2 * i + 1];
    }
    if (auto dilation = op.getLhsDilation())
      window.lhsDilation = (*dilation)[i];
    if (auto dilation = op.getRhsDilation())
      window.rhsDilation = (*dilation)[i];
    if (auto reversal = op.getWindowReversal())
      window.reversed = (*reversal)[i];
  }
  return windows;
}

/// The input spread and padded as the windows say.
static Value padInput(Lowering &lowering, ConvolutionOp op, Value input,
                      ArrayRef<Window> windows) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> low(type.getRank(), 0), high(low), interior(low);
  auto dims = op.getDimensionNumbers().getInputSpatialDimensions();
  for (auto [dim, window] : llvm::zip_equal(dims, windows)) {
    low[dim] = window.low;
    high[dim] = window.high;
    interior[dim] = window.lhsDilation - 1;
  }
  return lowering.pad(input, lowering.b.zero(type.getElementType()), low, high,
                      interior);
}

static Value reverseKernel(Lowering &lowering, ConvolutionOp op, Value kernel,
                           ArrayRef<Window> windows) {
  auto type = cast<RankedTensorType>(kernel.getType());
  SmallVector<int64_t> reversed;
  auto dims = op.getDimensionNumbers().getKernelSpatialDimensions();
  for (auto [dim, window] : llvm::zip_equal(dims, windows))
    if (window.reversed && type.getDimSize(dim) > 1)
      reversed.push_back(dim);
  if (reversed.empty())
    return kernel;
  return lowering.makeGenerated(
      type, [&](LoopBuilder &b, ValueRange indices) -> Value {
        SmallVector<Value> position(indices);
        for (int64_t dim : reversed) {
          Value last = b.index(type.getDimSize(dim) - 1);
          position[dim] = b.subI(last, position[dim]);
        }
        return b.extract(kernel, position);
      });
}

LogicalResult Lowering::lower(ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType type = convertType(op.getResult());
  Type hloResult = getElementType(op.getResult());
  Type sumType = getSumType(hloResult);
  if (mapEmpty(op.getResult()))
    return success();
  auto sumTensor =
      RankedTensorType::get(type.getShape(), convertElementType(sumType));
  if (convertType(op.getLhs()).getNumElements() == 0 ||
      convertType(op.getRhs()).getNumElements() == 0) {
    map(op.getResult(), makeFilled(type, b.zero(type.getElementType())));
    return success();
  }
  SmallVector<Window> windows = getWindows(op);
  Value input = convertTensor(*this, lookup(op.getLhs()),
                              getElementType(op.getLhs()), sumType);
  Value kernel = convertTensor(*this, lookup(op.getRhs()),
                               getElementType(op.getRhs()), sumType);
  input = padInput(*this, op, input, windows);
  kernel = reverseKernel(*this, op, kernel, windows);

  // Groups are a dimension of their own in front of what they split: input
  // features (or batch), output features of kernel and result. Without them the
  // result is computed as it is, where it may be that of the kernel.
  int64_t groups =
      std::max<int64_t>(op.getFeatureGroupCount(), op.getBatchGroupCount());
  int64_t inputSplit = op.getBatchGroupCount() > 1
                           ? numbers.getInputBatchDimension()
                           : numbers.getInputFeatureDimension();
  int64_t kernelSplit = numbers.getKernelOutputFeatureDimension();
  int64_t resultSplit = numbers.getOutputFeatureDimension();
  bool isSplit = groups > 1;
  if (isSplit) {
    input = splitDimension(b, input, inputSplit, groups);
    kernel = splitDimension(b, kernel, kernelSplit, groups);
  }
  auto after = [&](int64_t dim, int64_t split) {
    return isSplit && dim >= split ? dim + 1 : dim;
  };

  // Dimensions of the loop nest: those of the result with its groups, then
  // window and input features.
  int64_t numSpatial = windows.size();
  int64_t resultRank = type.getRank() + isSplit;
  int64_t numDims = resultRank + numSpatial + 1;
  MLIRContext *context = b.getContext();
  auto dim = [&](int64_t d) { return getAffineDimExpr(d, context); };
  SmallVector<AffineExpr> inputExprs(resultRank), kernelExprs(resultRank);
  AffineExpr feature = dim(numDims - 1);
  if (isSplit)
    inputExprs[inputSplit] = kernelExprs[kernelSplit] = dim(resultSplit);
  inputExprs[after(numbers.getInputBatchDimension(), inputSplit)] =
      dim(after(numbers.getOutputBatchDimension(), resultSplit));
  inputExprs[after(numbers.getInputFeatureDimension(), inputSplit)] = feature;
  kernelExprs[kernelSplit + isSplit] = dim(resultSplit + isSplit);
  kernelExprs[after(numbers.getKernelInputFeatureDimension(), kernelSplit)] =
      feature;
  for (int64_t i = 0; i < numSpatial; ++i) {
    AffineExpr place =
        dim(after(numbers.getOutputSpatialDimensions()[i], resultSplit));
    AffineExpr offset = dim(resultRank + i);
    inputExprs[after(numbers.getInputSpatialDimensions()[i], inputSplit)] =
        place * windows[i].stride + offset * windows[i].rhsDilation;
    kernelExprs[after(numbers.getKernelSpatialDimensions()[i], kernelSplit)] =
        offset;
  }
  SmallVector<int64_t> shape(type.getShape());
  if (isSplit) {
    shape[resultSplit] /= groups;
    shape.insert(shape.begin() + resultSplit, groups);
  }
  auto resultMap = AffineMap::getMultiDimIdentityMap(numDims, context)
                       .getSliceMap(0, resultRank);
  Value sum = makeContraction(
      *this, {input, AffineMap::get(numDims, 0, inputExprs, context)},
      {kernel, AffineMap::get(numDims, 0, kernelExprs, context)},
      RankedTensorType::get(shape, sumTensor.getElementType()), resultMap);
  if (isSplit)
    sum = joinDimension(b, sum, resultSplit, sumTensor);
  map(op.getResult(), convertTensor(*this, sum, sumType, hloResult));
  return success();
}
