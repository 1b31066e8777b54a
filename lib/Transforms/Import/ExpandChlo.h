//===- ExpandChlo.h - Parts of the expansion of CHLO ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files ExpandChlo*.cpp share. A pattern that cannot expand its op
// says why in an error at the op and fails; each op is tried once.
//
// Functions on Exprs compute in f32 or f64; unless their name says complex,
// operands and results are real.

#ifndef HETERO_LIB_TRANSFORMS_IMPORT_EXPANDCHLO_H
#define HETERO_LIB_TRANSFORMS_IMPORT_EXPANDCHLO_H

#include "hetero/Dialect/Chlo.h"
#include "hetero/Transforms/Import/TensorExpr.h"
#include "mlir/IR/PatternMatch.h"

namespace hetero {

void populateExpandChloBessel(mlir::RewritePatternSet &patterns);
void populateExpandChloBroadcast(mlir::RewritePatternSet &patterns);
void populateExpandChloComplex(mlir::RewritePatternSet &patterns);
void populateExpandChloElementary(mlir::RewritePatternSet &patterns);
void populateExpandChloErf(mlir::RewritePatternSet &patterns);
void populateExpandChloGamma(mlir::RewritePatternSet &patterns);
void populateExpandChloRaggedDot(mlir::RewritePatternSet &patterns);
void populateExpandChloScan(mlir::RewritePatternSet &patterns);
void populateExpandChloTopK(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// Checks and replacement
//===----------------------------------------------------------------------===//

/// Reports the first operand or result that is not a ranked tensor, or is
/// quantized.
mlir::LogicalResult checkExpandable(mlir::Operation *op);

/// The same, and that all operands and results have static shapes.
mlir::LogicalResult checkStatic(mlir::Operation *op);

/// Replaces an op with one result. A value of another element type is
/// converted, one of a compatible shape cast; what was attached to the op
/// (shardings, user attributes) goes to the op that defines the new value.
void replaceWith(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                 mlir::Value value);

inline mlir::RankedTensorType getTensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// `x` in the type to compute in: f64 stays, every smaller type becomes f32.
Expr upcast(Expr x);

//===----------------------------------------------------------------------===//
// Functions that more than one op needs
//===----------------------------------------------------------------------===//

Expr expandNextAfter(Expr x, Expr y);
Expr expandPolygamma(Expr n, Expr x);
Expr expandZeta(Expr x, Expr q);

/// Reports elements of formats in which stepping to the next bit pattern is not
/// stepping to the next number, or zero has one sign.
mlir::LogicalResult checkNextAfter(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Patterns of element-wise ops
//===----------------------------------------------------------------------===//

/// Expands a function of one operand that is real, or one that is complex.
template <typename OpT, Expr (*expand)(Expr), bool isComplex = false>
mlir::LogicalResult expandUnary(OpT op, mlir::PatternRewriter &rewriter) {
  mlir::Type type = mlir::getElementTypeOrSelf(op.getOperand().getType());
  if (llvm::isa<mlir::ComplexType>(type) != isComplex ||
      mlir::failed(checkExpandable(op)))
    return mlir::failure();
  ExprBuilder b(rewriter, op.getLoc());
  replaceWith(rewriter, op, expand(upcast(b(op.getOperand()))));
  return mlir::success();
}

/// Expands a real function of two operands.
template <typename OpT, Expr (*expand)(Expr, Expr)>
mlir::LogicalResult expandBinary(OpT op, mlir::PatternRewriter &rewriter) {
  if (mlir::failed(checkExpandable(op)))
    return mlir::failure();
  ExprBuilder b(rewriter, op.getLoc());
  replaceWith(
      rewriter, op,
      expand(upcast(b(op->getOperand(0))), upcast(b(op->getOperand(1)))));
  return mlir::success();
}

/// Expands an op to the value that `expand` makes; null where that has reported
/// why it cannot.
template <typename OpT, mlir::Value (*expand)(OpT, ExprBuilder &)>
mlir::LogicalResult expandWith(OpT op, mlir::PatternRewriter &rewriter) {
  if (mlir::failed(checkExpandable(op)))
    return mlir::failure();
  ExprBuilder b(rewriter, op.getLoc());
  mlir::Value value = expand(op, b);
  if (!value)
    return mlir::failure();
  replaceWith(rewriter, op, value);
  return mlir::success();
}

} // namespace hetero

#endif // HETERO_LIB_TRANSFORMS_IMPORT_EXPANDCHLO_H
