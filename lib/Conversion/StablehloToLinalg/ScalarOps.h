//===- ScalarOps.h - StableHLO on single elements ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an element-wise operation does to one element, in arith, math and
// complex. It serves the bodies of fused loops and the regions of reductions,
// scatters and sorts alike.
//
// Elements are signless: StableHLO's unsigned types say how an operation reads
// its bits, so the signedness is taken from the StableHLO operation and never
// from the scalar. Floats below 32 bits are computed in f32 and rounded after
// each operation.
//
//   %r = stablehlo.divide %a, %b : tensor<8xui32>
//   // one element: all ones for a zero divisor, otherwise
//   %q = arith.divui %a0, %b1 : i32

#ifndef HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_SCALAROPS_H
#define HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_SCALAROPS_H

#include "LoopBuilder.h"
#include "hetero/Analysis/Fusion.h"

namespace hetero {

/// The signless element type that a StableHLO element type is computed in, or
/// null when there is none (quantized, 4-bit, 8-bit floats).
mlir::Type convertElementType(mlir::Type type);

/// The element type of a tensor value.
mlir::Type getElementType(mlir::Value value);

/// Emits what `op`, an isScalarOp, computes for one element of each operand.
/// The attributes and types of `op` are those of StableHLO, `operands` are
/// converted scalars. Returns null after an error at `op` when there is no such
/// code.
mlir::Value emitScalarOp(LoopBuilder &b, mlir::Operation *op,
                         mlir::ValueRange operands);

/// `value` of StableHLO element type `from` as `to`, by the rules of
/// `stablehlo.convert`.
mlir::Value emitConvert(LoopBuilder &b, mlir::Value value, mlir::Type from,
                        mlir::Type to);

/// The scalar of a constant all of whose elements are equal, or null.
mlir::Value emitSplat(LoopBuilder &b, mlir::stablehlo::ConstantOp op);

/// Emits a region over tensors of rank 0 on scalars. `results` gets what it
/// returns. `getOutside` gives the scalar of a tensor of rank 0 from outside of
/// the region (constants apart, which are emitted again). Fails after an error
/// at the operation that has no scalar form.
llvm::LogicalResult
emitScalarRegion(LoopBuilder &b, mlir::Region &region,
                 mlir::ValueRange arguments,
                 llvm::function_ref<mlir::Value(mlir::Value)> getOutside,
                 llvm::SmallVectorImpl<mlir::Value> &results);

/// exp(x) - 1 of an f32 or f64, without the loss of digits near 0.
mlir::Value emitExpm1(LoopBuilder &b, mlir::Value x);

/// The complex operations, see `emitScalarOp`.
mlir::Value emitComplexOp(LoopBuilder &b, mlir::Operation *op,
                          mlir::ValueRange operands);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_SCALAROPS_H
