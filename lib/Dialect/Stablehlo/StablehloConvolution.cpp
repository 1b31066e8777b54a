//===- StablehloConvolution.cpp - Checks of convolutions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convolution` and `dynamic_conv` differ only in where the padding comes from.
// The labels of dynamic_conv are those of convolution with the same number.

#include "ContractionVerification.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::stablehlo;
using namespace mlir::stablehlo::detail;

namespace {
/// How the kernel moves along one spatial dimension.
struct WindowDimension {
  int64_t size = 0;
  int64_t stride = 1;
  int64_t paddingLow = 0;
  int64_t paddingHigh = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// Dimension numbers and groups
//===----------------------------------------------------------------------===//

static LogicalResult verifySide(Operation *op, StringRef name, int64_t rank,
                                int64_t first, int64_t second,
                                ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> dims = {first, second};
  llvm::append_range(dims, spatial);
  if (areDistinctDims(dims, rank))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expects " << name
                            << " dimension-numbers to be unique and in-range "
                               "[0, "
                            << rank << "), got {";
  llvm::interleaveComma(dims, diag);
  return diag << "}";
}

template <typename OpT>
static LogicalResult verifyDimensionNumbers(OpT op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  int64_t rank = lhs.getRank();
  // convolution_c1
  if (rhs.getRank() != rank)
    return op.emitOpError() << "expects convolution arguments to have same "
                               "number of dimensions, got "
                            << lhs << " and " << rhs;
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  size_t numSpatial = numbers.getInputSpatialDimensions().size();
  // convolution_c17, convolution_c19
  if (numbers.getKernelSpatialDimensions().size() != numSpatial ||
      numbers.getOutputSpatialDimensions().size() != numSpatial)
    return op.emitOpError()
           << "expects the same size for input, kernel and output "
              "spatial-dimensions, but got "
           << numSpatial << ", " << numbers.getKernelSpatialDimensions().size()
           << ", and " << numbers.getOutputSpatialDimensions().size()
           << " resp.";
  // convolution_c12
  if (rank != int64_t(numSpatial) + 2)
    return op.emitOpError() << "expects convolution arguments to have "
                            << numSpatial + 2 << " dimensions, got " << rank;
  // convolution_c13, convolution_c18, convolution_c20
  return failure(
      failed(verifySide(op, "input", rank, numbers.getInputBatchDimension(),
                        numbers.getInputFeatureDimension(),
                        numbers.getInputSpatialDimensions())) ||
      failed(verifySide(op, "kernel", rank,
                        numbers.getKernelInputFeatureDimension(),
                        numbers.getKernelOutputFeatureDimension(),
                        numbers.getKernelSpatialDimensions())) ||
      failed(verifySide(op, "output", rank, numbers.getOutputBatchDimension(),
                        numbers.getOutputFeatureDimension(),
                        numbers.getOutputSpatialDimensions())));
}

static LogicalResult verifyDivides(Operation *op, StringRef countName,
                                   int64_t count, StringRef sizeName,
                                   int64_t size) {
  if (ShapedType::isDynamic(size) || size % count == 0)
    return success();
  return op->emitOpError() << "expects " << sizeName << " dimension (" << size
                           << ") to be divisible by " << countName << " ("
                           << count << ")";
}

/// Expects valid dimension numbers.
template <typename OpT>
static LogicalResult verifyGroups(OpT op) {
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  // convolution_c23
  if (featureGroups > 1 && batchGroups > 1)
    return op.emitOpError()
           << "expects batch_group_count and feature_group_count not to be "
              "both greater than 1, got "
           << batchGroups << " and " << featureGroups << " resp.";
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  int64_t features = lhs.getDimSize(numbers.getInputFeatureDimension());
  int64_t kernelInputs =
      rhs.getDimSize(numbers.getKernelInputFeatureDimension());
  int64_t kernelOutputs =
      rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  // convolution_c10, convolution_c11, convolution_c15, convolution_c16
  if (failed(verifyDivides(op, "batch_group_count", batchGroups, "input batch",
                           batch)) ||
      failed(verifyDivides(op, "feature_group_count", featureGroups,
                           "input feature", features)) ||
      failed(verifyDivides(op, "batch_group_count", batchGroups,
                           "kernel output feature", kernelOutputs)) ||
      failed(verifyDivides(op, "feature_group_count", featureGroups,
                           "kernel output feature", kernelOutputs)))
    return failure();
  // convolution_c14
  if (ShapedType::isStatic(features) && ShapedType::isStatic(kernelInputs) &&
      features / featureGroups != kernelInputs)
    return op.emitOpError()
           << "expects input feature dimension (" << features
           << ") / feature_group_count (" << featureGroups
           << ") = kernel input feature dimension (" << kernelInputs << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// The window
//===----------------------------------------------------------------------===//

static LogicalResult verifyLength(Operation *op, StringRef name, size_t length,
                                  size_t numSpatial) {
  if (length == 0 || length == numSpatial)
    return success();
  return op->emitOpError() << "expects " << name
                           << " to have same dimension-size as size of window "
                              "dimensions ("
                           << numSpatial << "), but got: " << length;
}

static LogicalResult verifyPositive(Operation *op, StringRef name, size_t dim,
                                    int64_t value) {
  if (value > 0)
    return success();
  return op->emitOpError() << "expects window to have positive " << name
                           << " for " << dim << "-th window dimension, but got "
                           << value;
}

/// The window without padding. Expects valid dimension numbers.
template <typename OpT>
static FailureOr<SmallVector<WindowDimension>> verifyWindow(OpT op) {
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  ArrayRef<int64_t> spatial =
      op.getDimensionNumbers().getKernelSpatialDimensions();
  using List = ArrayRef<int64_t>;
  List strides = op.getWindowStrides().value_or(List());
  List baseDilations = op.getLhsDilation().value_or(List());
  List windowDilations = op.getRhsDilation().value_or(List());
  size_t numReversals =
      op.getWindowReversal().value_or(ArrayRef<bool>()).size();
  // convolution_c2, convolution_c5, convolution_c7, convolution_c9
  size_t rank = spatial.size();
  if (failed(verifyLength(op, "window-strides", strides.size(), rank)) ||
      failed(verifyLength(op, "base-dilation factors", baseDilations.size(),
                          rank)) ||
      failed(verifyLength(op, "window-dilation factors", windowDilations.size(),
                          rank)) ||
      failed(verifyLength(op, "window-reversal", numReversals, rank)))
    return failure();
  SmallVector<WindowDimension> window(rank);
  for (auto [i, dim] : llvm::enumerate(window)) {
    dim.size = rhs.getDimSize(spatial[i]);
    if (!strides.empty())
      dim.stride = strides[i];
    if (!baseDilations.empty())
      dim.baseDilation = baseDilations[i];
    if (!windowDilations.empty())
      dim.windowDilation = windowDilations[i];
    if (ShapedType::isStatic(dim.size) &&
        failed(verifyPositive(op, "size", i, dim.size)))
      return failure();
    // convolution_c3, convolution_c6, convolution_c8
    if (failed(verifyPositive(op, "stride", i, dim.stride)) ||
        failed(
            verifyPositive(op, "base dilation factor", i, dim.baseDilation)) ||
        failed(verifyPositive(op, "window dilation factor", i,
                              dim.windowDilation)))
      return failure();
  }
  return window;
}

/// convolution_c4: reads a padding of shape [window.size(), 2].
static LogicalResult addPadding(Operation *op, DenseIntElementsAttr padding,
                                MutableArrayRef<WindowDimension> window) {
  ShapedType type = padding.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return op->emitOpError()
           << "expects the shape of padding-attribute to be {N, 2}, but got "
           << type;
  if (failed(verifyLength(op, "padding-entries", type.getDimSize(0),
                          window.size())))
    return failure();
  if (type.getDimSize(0) == 0)
    return success();
  SmallVector<int64_t> values;
  for (APInt value : padding.getValues<APInt>())
    values.push_back(value.getSExtValue());
  for (auto [i, dim] : llvm::enumerate(window)) {
    dim.paddingLow = values[2 * i];
    dim.paddingHigh = values[2 * i + 1];
  }
  return success();
}

/// The extent of `size` elements with `dilation - 1` holes between neighbours.
static std::optional<int64_t> dilate(int64_t size, int64_t dilation) {
  if (size == 0)
    return 0;
  std::optional<int64_t> spread = llvm::checkedMul(size - 1, dilation);
  return spread ? llvm::checkedAdd<int64_t>(*spread, 1) : std::nullopt;
}

/// How many places the window has on `base` elements: 0 if it does not fit.
/// Nothing if the numbers overflow.
static std::optional<int64_t> countPlaces(int64_t base,
                                          const WindowDimension &window) {
  std::optional<int64_t> extent = dilate(base, window.baseDilation);
  std::optional<int64_t> windowExtent =
      dilate(window.size, window.windowDilation);
  std::optional<int64_t> padding =
      llvm::checkedAdd(window.paddingLow, window.paddingHigh);
  if (!extent || !windowExtent || !padding)
    return std::nullopt;
  extent = llvm::checkedAdd(*extent, *padding);
  if (!extent)
    return std::nullopt;
  if (*extent <= 0 || *windowExtent > *extent)
    return 0;
  return (*extent - *windowExtent) / window.stride + 1;
}

/// convolution_c25, convolution_c26.
static LogicalResult verifyShape(ConvolutionOp op,
                                 ArrayRef<WindowDimension> window) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  SmallVector<int64_t> sizes(lhs.getRank(), ShapedType::kDynamic);
  for (auto [i, dim] : llvm::enumerate(window)) {
    int64_t base = lhs.getDimSize(numbers.getInputSpatialDimensions()[i]);
    if (ShapedType::isDynamic(base) || ShapedType::isDynamic(dim.size))
      continue;
    std::optional<int64_t> places = countPlaces(base, dim);
    if (!places)
      return op.emitOpError() << "size of spatial dimension " << i
                              << " of the result does not fit in 64 bits";
    sizes[numbers.getOutputSpatialDimensions()[i]] = *places;
  }
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  if (ShapedType::isStatic(batch))
    sizes[numbers.getOutputBatchDimension()] =
        batch / int64_t(op.getBatchGroupCount());
  sizes[numbers.getOutputFeatureDimension()] =
      rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  return verifyInferredShape(op, sizes);
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static LogicalResult verifyQuantizedAxis(Operation *op, StringRef name,
                                         Type elementType, int64_t expected) {
  auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(elementType);
  if (!type || type.getQuantizedDimension() == expected)
    return success();
  return op->emitOpError() << "expects " << name
                           << " to be quantized along its output feature "
                              "dimension "
                           << expected << ", got "
                           << type.getQuantizedDimension();
}

template <typename OpT>
static LogicalResult verifyElementTypes(OpT op) {
  Type lhs = getElementTypeOrSelf(op.getLhs().getType());
  Type rhs = getElementTypeOrSelf(op.getRhs().getType());
  Type result = getElementTypeOrSelf(op.getType());
  auto isQuantized = llvm::IsaPred<quant::QuantizedType>;
  // convolution_c27
  if (!isQuantized(lhs) && !isQuantized(rhs) && lhs != rhs)
    return op.emitOpError() << "expects lhs and rhs to have compatible element "
                               "type, got "
                            << lhs << " and " << rhs;
  if (!isQuantized(lhs) && !isQuantized(rhs) && !isQuantized(result))
    return success();
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  // convolution_c29, convolution_c30
  if (failed(verifyQuantizedAxis(op, "rhs", rhs,
                                 numbers.getKernelOutputFeatureDimension())) ||
      failed(verifyQuantizedAxis(op, "result", result,
                                 numbers.getOutputFeatureDimension())))
    return failure();
  return verifyQuantizedProduct(op, lhs, rhs, result);
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyDimensionNumbers(*this)) || failed(verifyGroups(*this)) ||
      failed(verifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  FailureOr<SmallVector<WindowDimension>> window = verifyWindow(*this);
  if (failed(window))
    return failure();
  if (DenseIntElementsAttr padding = getPaddingAttr())
    if (failed(addPadding(*this, padding, *window)))
      return failure();
  if (failed(verifyShape(*this, *window)))
    return failure();
  return verifyElementTypes(*this);
}

LogicalResult DynamicConvOp::verify() {
  if (failed(verifyDimensionNumbers(*this)) || failed(verifyGroups(*this)) ||
      failed(verifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  // dynamic_conv_c4
  auto padding = cast<RankedTensorType>(getPadding().getType());
  int64_t numSpatial = getDimensionNumbers().getInputSpatialDimensions().size();
  if (padding.getRank() != 2 || padding.getDimSize(0) != numSpatial ||
      padding.getDimSize(1) != 2)
    return emitOpError() << "expects padding to be of shape [" << numSpatial
                         << ", 2], but got " << padding;
  DenseIntElementsAttr constant;
  if (matchPattern(getPadding(), m_Constant(&constant)) &&
      failed(verifyWindow(*this)))
    return failure();
  return verifyElementTypes(*this);
}
