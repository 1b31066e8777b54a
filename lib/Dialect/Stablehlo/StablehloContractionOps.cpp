//===- StablehloContractionOps.cpp - Products, transforms, normalisation --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ContractionVerification.h"
#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/ContractionAssembly.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;
using namespace mlir::stablehlo::detail;

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloContractionOps.cpp.inc"

void StablehloDialect::addContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Stablehlo/StablehloContractionOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Common to dot_general and convolution
//===----------------------------------------------------------------------===//

bool stablehlo::detail::areDistinctDims(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<bool> seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank || seen[dim])
      return false;
    seen[dim] = true;
  }
  return true;
}

LogicalResult
stablehlo::detail::verifyPrecisionConfig(Operation *op,
                                         std::optional<ArrayAttr> precision) {
  // dot_general_c11, convolution_c24, dot_c2
  if (precision && precision->size() > 2)
    return op->emitOpError()
           << "expects precision config to be empty or have <= 2 elements, got "
           << precision->size();
  return success();
}

static std::string formatShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  return text;
}

LogicalResult
stablehlo::detail::verifyInferredShape(Operation *op,
                                       ArrayRef<int64_t> inferred) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (areCompatibleSizes(type.getShape(), inferred))
    return success();
  return op->emitOpError() << "inferred shape '[" << formatShape(inferred)
                           << "]' is incompatible with return type of "
                              "operation "
                           << type;
}

LogicalResult stablehlo::detail::verifyQuantizedProduct(Operation *op, Type lhs,
                                                        Type rhs, Type result) {
  auto lhsType = dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(lhs));
  auto rhsType = dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(rhs));
  auto resultType =
      dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(result));
  // dot_general_c14, convolution_c28
  if (!rhsType || bool(lhsType) != bool(resultType))
    return op->emitOpError(
        "expects rhs to be quantized, and lhs and result both or neither");
  Type expressed = rhsType.getExpressedType();
  if (!lhsType) {
    // dot_general_c20, convolution_c34
    if (getElementTypeOrSelf(lhs) != expressed ||
        getElementTypeOrSelf(result) != expressed)
      return op->emitOpError()
             << "expects lhs and result to have the element type " << expressed
             << " that rhs expresses, got " << getElementTypeOrSelf(lhs)
             << " and " << getElementTypeOrSelf(result);
    return success();
  }
  // dot_general_c17, convolution_c31
  if (lhsType.getStorageType() != rhsType.getStorageType())
    return op->emitOpError()
           << "expects lhs and rhs to have the same storage type, got "
           << lhsType.getStorageType() << " and " << rhsType.getStorageType();
  // dot_general_c18, convolution_c32
  if (lhsType.getExpressedType() != expressed ||
      resultType.getExpressedType() != expressed)
    return op->emitOpError()
           << "expects operands and result to have the same expressed type, "
              "got "
           << lhsType.getExpressedType() << ", " << expressed << " and "
           << resultType.getExpressedType();
  // dot_general_c19, convolution_c33
  if (isPerTensorQuantized(rhsType) && !isPerTensorQuantized(resultType))
    return op->emitOpError("expects the result to be quantized per tensor, as "
                           "rhs is");
  return success();
}

//===----------------------------------------------------------------------===//
// dot_general and dot
//===----------------------------------------------------------------------===//

/// The dimensions of one side are in range and distinct.
static LogicalResult verifyDotSide(DotGeneralOp op, StringRef side,
                                   RankedTensorType type,
                                   ArrayRef<int64_t> batching,
                                   ArrayRef<int64_t> contracting) {
  SmallVector<int64_t> dims = llvm::to_vector(batching);
  llvm::append_range(dims, contracting);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    StringRef kind = i < batching.size() ? "_batching_dimensions"
                                         : "_contracting_dimensions";
    // dot_general_c5, dot_general_c6, dot_general_c7, dot_general_c8
    if (dim < 0 || dim >= type.getRank())
      return op.emitOpError()
             << side << kind << " value: " << dim << " is out of range: [0, "
             << type.getRank() << ")";
    // dot_general_c3, dot_general_c4
    if (llvm::is_contained(ArrayRef(dims).take_front(i), dim))
      return op.emitOpError() << "has duplicated dimension from " << side
                              << "_batching_dimensions and " << side
                              << "_contracting_dimensions: " << dim;
  }
  return success();
}

/// Paired dimensions have the same size.
static LogicalResult verifyDotPairs(DotGeneralOp op, StringRef kind,
                                    ArrayRef<int64_t> lhsDims,
                                    ArrayRef<int64_t> rhsDims) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  for (auto [l, r] : llvm::zip(lhsDims, rhsDims))
    if (!areCompatibleSizes(lhs.getDimSize(l), rhs.getDimSize(r)))
      return op.emitOpError()
             << kind << " dimension sizes must match for lhs/rhs, got "
             << lhs.getDimSize(l) << " and " << rhs.getDimSize(r);
  return success();
}

/// Appends the sizes of the dimensions that are neither in `batching` nor in
/// `contracting`.
static void appendFreeSizes(RankedTensorType type, ArrayRef<int64_t> batching,
                            ArrayRef<int64_t> contracting,
                            SmallVectorImpl<int64_t> &sizes) {
  for (int64_t dim : llvm::seq<int64_t>(0, type.getRank()))
    if (!llvm::is_contained(batching, dim) &&
        !llvm::is_contained(contracting, dim))
      sizes.push_back(type.getDimSize(dim));
}

static LogicalResult verifyQuantizedDot(DotGeneralOp op,
                                        ArrayRef<int64_t> rhsContracting) {
  Type lhs = getElementTypeOrSelf(op.getLhs().getType());
  Type rhs = getElementTypeOrSelf(op.getRhs().getType());
  Type result = getElementTypeOrSelf(op.getType());
  if (!isa<quant::QuantizedType>(lhs) && !isa<quant::QuantizedType>(rhs) &&
      !isa<quant::QuantizedType>(result))
    return success();
  // dot_general_c15
  if (auto type = dyn_cast<quant::UniformQuantizedType>(rhs))
    if (type.getZeroPoint() != 0)
      return op.emitOpError() << "expects the zero point of rhs to be 0, got "
                              << type.getZeroPoint();
  if (auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(rhs)) {
    for (int64_t zeroPoint : type.getZeroPoints())
      if (zeroPoint != 0)
        return op.emitOpError()
               << "expects the zero points of rhs to be 0, got " << zeroPoint;
    // dot_general_c16
    if (llvm::is_contained(rhsContracting, type.getQuantizedDimension()))
      return op.emitOpError() << "expects rhs not to be quantized along its "
                                 "contracting dimension "
                              << type.getQuantizedDimension();
  }
  return verifyQuantizedProduct(op, lhs, rhs, result);
}

LogicalResult DotGeneralOp::verify() {
  if (failed(verifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  // dot_general_c1
  if (lhsBatching.size() != rhsBatching.size())
    return emitOpError() << "lhs and rhs should have the same number of "
                            "batching dimensions, got "
                         << lhsBatching.size() << " and " << rhsBatching.size();
  // dot_general_c2
  if (lhsContracting.size() != rhsContracting.size())
    return emitOpError() << "lhs and rhs should have the same number of "
                            "contracting dimensions, got "
                         << lhsContracting.size() << " and "
                         << rhsContracting.size();
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  if (failed(verifyDotSide(*this, "lhs", lhs, lhsBatching, lhsContracting)) ||
      failed(verifyDotSide(*this, "rhs", rhs, rhsBatching, rhsContracting)))
    return failure();
  // dot_general_c9, dot_general_c10
  if (failed(verifyDotPairs(*this, "batching", lhsBatching, rhsBatching)) ||
      failed(
          verifyDotPairs(*this, "contracting", lhsContracting, rhsContracting)))
    return failure();
  // dot_general_c12
  SmallVector<int64_t> sizes;
  for (int64_t dim : lhsBatching)
    sizes.push_back(lhs.getDimSize(dim));
  appendFreeSizes(lhs, lhsBatching, lhsContracting, sizes);
  appendFreeSizes(rhs, rhsBatching, rhsContracting, sizes);
  if (failed(verifyInferredShape(*this, sizes)))
    return failure();
  // dot_general_c21
  if (ArrayAttr precisions = getPrecisionConfigAttr();
      precisions && getAlgorithm())
    for (Attribute precision : precisions)
      if (cast<PrecisionAttr>(precision).getValue() != Precision::DEFAULT)
        return emitOpError(
            "must specify DEFAULT precision config when algorithm is set");
  return verifyQuantizedDot(*this, rhsContracting);
}

LogicalResult DotOp::verify() {
  if (failed(verifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto isVectorOrMatrix = [](RankedTensorType type) {
    return type.getRank() == 1 || type.getRank() == 2;
  };
  // dot_c1
  if (!isVectorOrMatrix(lhs) || !isVectorOrMatrix(rhs))
    return emitOpError() << "expected both lhs/rhs ranks to be either 1 or 2, "
                            "got "
                         << lhs.getRank() << " and " << rhs.getRank();
  if (!areCompatibleSizes(lhs.getShape().back(), rhs.getShape().front()))
    return emitOpError() << "contracting dimension sizes must match for "
                            "lhs/rhs, got "
                         << lhs.getShape().back() << " and "
                         << rhs.getShape().front();
  // dot_c3
  SmallVector<int64_t> sizes = llvm::to_vector(lhs.getShape().drop_back());
  llvm::append_range(sizes, rhs.getShape().drop_front());
  return verifyInferredShape(*this, sizes);
}

//===----------------------------------------------------------------------===//
// cholesky and triangular_solve
//===----------------------------------------------------------------------===//

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getA().getType());
  int64_t rank = type.getRank();
  // cholesky_c2
  if (rank < 2)
    return emitOptionalError(location, "argument 'a' must have rank >= 2, got ",
                             type);
  // cholesky_c3
  if (!areCompatibleSizes(type.getDimSize(rank - 2), type.getDimSize(rank - 1)))
    return emitOptionalError(
        location, "minor dimensions of 'a' must have equal size, got ", type);
  // cholesky_c1
  inferred.push_back(type);
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  int64_t rank = a.getRank();
  // triangular_solve_c2
  if (rank < 2)
    return emitOptionalError(location,
                             "operand 'a' must have rank >= 2, but got ", a);
  if (b.getRank() != rank)
    return emitOptionalError(
        location, "operands must have equal rank, but got ", a, " and ", b);
  // triangular_solve_c3
  if (!areCompatibleSizes(a.getDimSize(rank - 2), a.getDimSize(rank - 1)))
    return emitOptionalError(
        location,
        "two minor dimensions of operand 'a' must be compatible, but got ", a);
  if (!areCompatibleSizes(a.getDimSize(rank - 1),
                          b.getDimSize(rank - (adaptor.getLeftSide() ? 2 : 1))))
    return emitOptionalError(
        location,
        "shared dimension of operands 'a' and 'b' must be compatible, but got ",
        a, " and ", b);
  for (int64_t dim : llvm::seq<int64_t>(0, rank - 2))
    if (!areCompatibleSizes(a.getDimSize(dim), b.getDimSize(dim)))
      return emitOptionalError(
          location,
          "batch dimensions of the operands must be compatible, but got ", a,
          " and ", b);
  // triangular_solve_i6
  if (adaptor.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOptionalError(location,
                             "invalid transpose option value "
                             "TRANSPOSE_INVALID for triangular solve");
  // triangular_solve_c4
  inferred.push_back(b);
  return success();
}

//===----------------------------------------------------------------------===//
// fft
//===----------------------------------------------------------------------===//

/// The element type of the result, null if the operand's does not fit.
static Type getTransformedType(FftType kind, Type operand) {
  auto complexType = dyn_cast<ComplexType>(operand);
  if (kind == FftType::RFFT)
    return operand.isF32() || operand.isF64() ? ComplexType::get(operand)
                                              : Type();
  if (!complexType)
    return {};
  return kind == FftType::IRFFT ? complexType.getElementType() : operand;
}

/// How many complex numbers stand for `length` real ones.
static int64_t getSpectrumSize(int64_t length) {
  return length == 0 ? 0 : length / 2 + 1;
}

/// The operand of RFFT or IRFFT has the sizes that the lengths ask for.
static LogicalResult verifyTransformedSizes(std::optional<Location> location,
                                            FftType kind,
                                            RankedTensorType operand,
                                            ArrayRef<int64_t> lengths) {
  SmallVector<int64_t> expected = llvm::to_vector(lengths);
  if (kind == FftType::IRFFT)
    expected.back() = getSpectrumSize(expected.back());
  ArrayRef<int64_t> sizes = operand.getShape().take_back(expected.size());
  for (auto [size, length] : llvm::zip(sizes, expected))
    if (!areCompatibleSizes(size, length))
      return emitOptionalError(
          location, stringifyFftType(kind),
          " requires the innermost dimensions to agree with fft_length, here [",
          formatShape(expected), "], but the operand is ", operand);
  return success();
}

LogicalResult FftOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  ArrayRef<int64_t> lengths = adaptor.getFftLength();
  FftType kind = adaptor.getFftType();
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  // fft_c3
  if (lengths.empty() || lengths.size() > 3)
    return emitOptionalError(location, "rank must be between 1 and 3, but got ",
                             lengths.size());
  // fft_c2
  Type elementType = getTransformedType(kind, operand.getElementType());
  if (!elementType)
    return emitOptionalError(location, stringifyFftType(kind), " takes ",
                             kind == FftType::RFFT ? "an f32 or f64"
                                                   : "a complex",
                             " tensor as input, but is given ", operand);
  // fft_c1
  if (operand.getRank() < int64_t(lengths.size()))
    return emitOptionalError(location,
                             "operand rank must not be less than fft rank of ",
                             lengths.size(), " for operand of type ", operand);
  SmallVector<int64_t> sizes = llvm::to_vector(operand.getShape());
  SmallVector<int64_t> bounds = llvm::to_vector(getBounds(operand));
  if (kind == FftType::RFFT || kind == FftType::IRFFT) {
    // fft_c4
    if (failed(verifyTransformedSizes(location, kind, operand, lengths)))
      return failure();
    sizes.back() = kind == FftType::RFFT ? getSpectrumSize(lengths.back())
                                         : lengths.back();
    if (!bounds.empty())
      bounds.back() = ShapedType::kDynamic;
  }
  // fft_c5
  Attribute encoding =
      bounds.empty() ? operand.getEncoding() : encodeBounds(context, bounds);
  inferred.push_back(RankedTensorType::get(sizes, elementType, encoding));
  return success();
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

/// Checks the operands of all three ops and returns the type of one number for
/// each feature: batch_norm_*_c1, c2, and c3 up to the last of the operands.
static FailureOr<Type> inferFeatureType(std::optional<Location> location,
                                        ValueRange tensors, ValueRange features,
                                        uint64_t featureIndex) {
  auto type = cast<RankedTensorType>(tensors.front().getType());
  // batch_norm_grad_c2, batch_norm_inference_c2, batch_norm_training_c2
  for (Value value : llvm::concat<Value>(SmallVector<Value>(tensors),
                                         SmallVector<Value>(features)))
    if (!areCompatibleElementTypes(type, value.getType()))
      return emitOptionalError(
          location, "requires compatible element types for all operands, got ",
          type, " and ", value.getType());
  for (Value tensor : tensors.drop_front())
    if (!areCompatibleShapes(type, tensor.getType()))
      return emitOptionalError(
          location,
          "expects multi-dimensional operands to have compatible "
          "shapes, got ",
          type, " and ", tensor.getType());
  for (Value feature : features.drop_front())
    if (!areCompatibleShapes(features.front().getType(), feature.getType()))
      return emitOptionalError(
          location,
          "expects single-dimensional operands to have compatible "
          "shapes, got ",
          features.front().getType(), " and ", feature.getType());
  if (featureIndex >= uint64_t(type.getRank()))
    return emitOptionalError(location,
                             "expects featureIndex to be smaller than the rank "
                             "of multi-dimensional operands; got featureIndex ",
                             featureIndex, ", and rank ", type.getRank());
  int64_t count = type.getDimSize(featureIndex);
  for (Value feature : features) {
    auto featureType = cast<RankedTensorType>(feature.getType());
    if (!areCompatibleSizes(featureType.getDimSize(0), count))
      return emitOptionalError(
          location,
          "expects the size of single-dimensional operands to be compatible "
          "with feature count, but the size of single-dimensional operands is ",
          featureType.getDimSize(0), " and the feature count is ", count);
  }
  Attribute encoding =
      encodeBounds(type.getContext(), getBound(type, featureIndex));
  return Type(RankedTensorType::get({count}, type.getElementType(), encoding));
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  FailureOr<Type> feature = inferFeatureType(
      location, adaptor.getOperand(), {adaptor.getScale(), adaptor.getOffset()},
      adaptor.getFeatureIndex());
  if (failed(feature))
    return failure();
  // batch_norm_training_c5, batch_norm_training_c6, batch_norm_training_c7
  inferred.append({adaptor.getOperand().getType(), *feature, *feature});
  return success();
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(inferFeatureType(location, adaptor.getOperand(),
                              {adaptor.getScale(), adaptor.getOffset(),
                               adaptor.getMean(), adaptor.getVariance()},
                              adaptor.getFeatureIndex())))
    return failure();
  // batch_norm_inference_c7
  inferred.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  FailureOr<Type> feature = inferFeatureType(
      location, {adaptor.getOperand(), adaptor.getGradOutput()},
      {adaptor.getScale(), adaptor.getMean(), adaptor.getVariance()},
      adaptor.getFeatureIndex());
  if (failed(feature))
    return failure();
  // batch_norm_grad_c3, batch_norm_grad_c4
  inferred.append({adaptor.getOperand().getType(), *feature, *feature});
  return success();
}
