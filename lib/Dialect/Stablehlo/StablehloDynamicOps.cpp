//===- StablehloDynamicOps.cpp - Shapes of run time -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers look at operands that are constants: what a static counterpart
// would reject is rejected here as well.

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloDynamicOps.cpp.inc"

void StablehloDialect::addDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Stablehlo/StablehloDynamicOps.cpp.inc"
      >();
}

/// Reports a constant shape that is not the shape of the result.
static LogicalResult verifyConstantShape(Operation *op, Value shape,
                                         RankedTensorType result) {
  std::optional<SmallVector<int64_t>> sizes = getConstantInts(shape);
  if (!sizes)
    return success();
  bool isNegative = llvm::any_of(*sizes, [](int64_t size) { return size < 0; });
  if (isNegative || !areCompatibleSizes(*sizes, result.getShape()))
    return op->emitOpError()
           << "output shape [" << *sizes
           << "] is incompatible with the result's type " << result;
  return success();
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  // dynamic_broadcast_in_dim_c1 to dynamic_broadcast_in_dim_c6
  if (failed(verifyBroadcastInDim(getLoc(), operand, getBroadcastDimensions(),
                                  result, /*allowMixed=*/true)))
    return failure();
  // dynamic_broadcast_in_dim_c7
  if (failed(verifyConstantShape(*this, getOutputDimensions(), result)))
    return failure();
  // dynamic_broadcast_in_dim_c5
  if (auto sizes = getConstantInts(getOutputDimensions()))
    for (auto [dim, resultDim] : llvm::enumerate(getBroadcastDimensions()))
      if (operand.getDimSize(dim) != 1 &&
          !areCompatibleSizes(operand.getDimSize(dim), (*sizes)[resultDim]))
        return emitOpError() << "size of operand dimension " << dim << " ("
                             << operand.getDimSize(dim)
                             << ") is neither 1 nor the value of the output "
                                "shape at index "
                             << resultDim << " (" << (*sizes)[resultDim] << ")";
  // dynamic_broadcast_in_dim_c8
  ArrayRef<int64_t> expanding =
      getKnownExpandingDimensions().value_or(ArrayRef<int64_t>());
  ArrayRef<int64_t> nonexpanding =
      getKnownNonexpandingDimensions().value_or(ArrayRef<int64_t>());
  SmallVector<int64_t> known(expanding);
  llvm::append_range(known, nonexpanding);
  if (failed(verifyDimsDistinct(
          getLoc(), known,
          "known_expanding_dimensions with known_nonexpanding_dimensions")))
    return failure();
  // dynamic_broadcast_in_dim_c9
  if (failed(verifyDimsInRange(getLoc(), expanding, operand.getRank(),
                               "known_expanding_dimensions")))
    return failure();
  // dynamic_broadcast_in_dim_c10
  return verifyDimsInRange(getLoc(), nonexpanding, operand.getRank(),
                           "known_nonexpanding_dimensions");
}

LogicalResult DynamicIotaOp::verify() {
  // dynamic_iota_c1
  int64_t dimension = getIotaDimension();
  int64_t rank = getType().getRank();
  if (dimension >= rank)
    return emitOpError() << "iota dimension " << dimension
                         << " is out of range for a result of rank " << rank;
  // dynamic_iota_c2
  return verifyConstantShape(*this, getOutputShape(), getType());
}

LogicalResult DynamicPadOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  // dynamic_pad_c2
  int64_t length = getEdgePaddingLow().getType().getDimSize(0);
  if (length != operand.getRank())
    return emitOpError() << "padding operands have " << length
                         << " elements, but the operand has rank "
                         << operand.getRank();
  // dynamic_pad_c3
  auto interior = getConstantInts(getInteriorPadding());
  if (interior && llvm::any_of(*interior, [](int64_t i) { return i < 0; }))
    return emitOpError() << "interior padding must not be negative, got ["
                         << *interior << "]";
  // dynamic_pad_c4
  auto low = getConstantInts(getEdgePaddingLow());
  auto high = getConstantInts(getEdgePaddingHigh());
  if (!low || !high || !interior)
    return success();
  for (int64_t dim : llvm::seq<int64_t>(0, operand.getRank())) {
    if (operand.isDynamicDim(dim))
      continue;
    std::optional<int64_t> size = padSize(operand.getDimSize(dim), (*low)[dim],
                                          (*high)[dim], (*interior)[dim]);
    if (!size || *size < 0)
      return emitOpError() << "padding results in "
                           << (size ? "negative" : "too large")
                           << " size for dimension " << dim;
    if (!areCompatibleSizes(*size, result.getDimSize(dim)))
      return emitOpError() << "padding gives dimension " << dim << " the size "
                           << *size << ", but the result's is "
                           << result.getDimSize(dim);
  }
  return success();
}

LogicalResult DynamicReshapeOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  // dynamic_reshape_c1, dynamic_reshape_c3
  if (failed(verifyReshapeElements(getLoc(), operand, result,
                                   /*allowMixed=*/true)))
    return failure();
  // dynamic_reshape_c4
  int64_t length = getOutputShape().getType().getDimSize(0);
  if (length != result.getRank())
    return emitOpError() << "output shape has " << length
                         << " elements, but the result has rank "
                         << result.getRank();
  if (failed(verifyConstantShape(*this, getOutputShape(), result)))
    return failure();
  // dynamic_reshape_c2
  std::optional<SmallVector<int64_t>> sizes = getConstantInts(getOutputShape());
  if (!sizes && result.hasStaticShape())
    sizes = llvm::to_vector(result.getShape());
  if (!operand.hasStaticShape() || !sizes ||
      operand.getShape() == ArrayRef<int64_t>(*sizes))
    return success();
  std::optional<int64_t> count = countElements(operand.getShape());
  std::optional<int64_t> resultCount = countElements(*sizes);
  if (!count || !resultCount)
    return emitOpError() << "has more elements than 64 bits can count";
  if (*count != *resultCount)
    return emitOpError() << "output shape [" << *sizes << "] has "
                         << *resultCount << " elements, but the operand has "
                         << *count;
  return success();
}

LogicalResult RealDynamicSliceOp::verify() {
  // real_dynamic_slice_c3
  int64_t length = getStartIndices().getType().getDimSize(0);
  int64_t rank = getOperand().getType().getRank();
  if (length == rank)
    return success();
  if (ShapedType::isDynamic(length))
    return emitOpError() << "requires start_indices of " << rank
                         << " elements, got " << getStartIndices().getType();
  return emitOpError() << "has " << length
                       << " start indices, but the operand has rank " << rank;
}
