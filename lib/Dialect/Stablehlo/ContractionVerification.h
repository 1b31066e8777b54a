//===- ContractionVerification.h - Shared checks of products ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dot_general and convolution have in common.

#ifndef HETERO_LIB_DIALECT_STABLEHLO_CONTRACTIONVERIFICATION_H
#define HETERO_LIB_DIALECT_STABLEHLO_CONTRACTIONVERIFICATION_H

#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::stablehlo::detail {

/// Whether all of `dims` are in [0, rank) and none is there twice.
bool areDistinctDims(ArrayRef<int64_t> dims, int64_t rank);

/// A precision for each operand, at most.
LogicalResult verifyPrecisionConfig(Operation *op,
                                    std::optional<ArrayAttr> precision);

/// The written result has the shape that follows from the operands.
LogicalResult verifyInferredShape(Operation *op, ArrayRef<int64_t> inferred);

/// The element types of quantized operands and result go together:
/// dot_general_c14, c17 to c20; convolution_c28, c31 to c34.
LogicalResult verifyQuantizedProduct(Operation *op, Type lhs, Type rhs,
                                     Type result);

} // namespace mlir::stablehlo::detail

#endif // HETERO_LIB_DIALECT_STABLEHLO_CONTRACTIONVERIFICATION_H
