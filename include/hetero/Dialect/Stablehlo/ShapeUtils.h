//===- ShapeUtils.h - Checked arithmetic on shapes --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifiers and folders of shape-changing ops share. Sizes come from
// user input: all arithmetic reports overflow instead of wrapping around.

#ifndef HETERO_DIALECT_STABLEHLO_SHAPEUTILS_H
#define HETERO_DIALECT_STABLEHLO_SHAPEUTILS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::stablehlo {

/// Whether two sizes can be equal: `?` agrees with any.
bool areCompatibleSizes(int64_t lhs, int64_t rhs);

/// Whether two shapes can be equal, whatever their bounds.
bool areCompatibleSizes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs);

/// The bound of one dimension, kDynamic when it has none.
int64_t getBound(RankedTensorType type, int64_t dim);

/// The encoding for `bounds` (kDynamic where there is none), null when there
/// are none at all.
Attribute encodeBounds(MLIRContext *context, ArrayRef<int64_t> bounds);

/// The number of elements of a static shape, nothing when 64 bits are too few.
std::optional<int64_t> countElements(ArrayRef<int64_t> shape);

/// The size of a dimension after padding. Nothing when 64 bits are too few;
/// may be negative.
std::optional<int64_t> padSize(int64_t size, int64_t low, int64_t high,
                               int64_t interior);

/// The value of a constant vector or scalar of integers or indices; nothing
/// when it is not constant or an element exceeds the range of int64_t.
std::optional<SmallVector<int64_t>> getConstantInts(Value value);

/// Fails and reports at `location` unless each of `dims` is in [0, rank).
LogicalResult verifyDimsInRange(std::optional<Location> location,
                                ArrayRef<int64_t> dims, int64_t rank,
                                StringRef name);

/// The same unless `dims` are distinct.
LogicalResult verifyDimsDistinct(std::optional<Location> location,
                                 ArrayRef<int64_t> dims, StringRef name);

/// The constraints that broadcast_in_dim and its dynamic form share
/// (broadcast_in_dim_c1 to c6). With `allowMixed`, quantized elements may
/// become others and the other way round.
LogicalResult verifyBroadcastInDim(Location location, RankedTensorType operand,
                                   ArrayRef<int64_t> broadcastDimensions,
                                   RankedTensorType result,
                                   bool allowMixed = false);

/// The constraints on element types that reshape and its dynamic form share
/// (reshape_c1, reshape_c3).
LogicalResult verifyReshapeElements(Location location, RankedTensorType operand,
                                    RankedTensorType result,
                                    bool allowMixed = false);

} // namespace mlir::stablehlo

#endif // HETERO_DIALECT_STABLEHLO_SHAPEUTILS_H
