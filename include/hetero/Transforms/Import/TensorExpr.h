//===- TensorExpr.h - Formulas over tensors ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An expansion of a special function is a formula. This lets it be written as
// one:
//
//   ExprBuilder b(rewriter, loc);
//   Expr x = b(op.getOperand());
//   Expr y = select(x < 0.0, -log1p(-x), log1p(x));
//
// Each step makes one StableHLO op at once, at the builder's insertion point; a
// number stands for a splat of the shape and element type of the other operand,
// made once for each ExprBuilder. Operands are tensors of the same shape, which
// may be dynamic.

#ifndef HETERO_TRANSFORMS_IMPORT_TENSOREXPR_H
#define HETERO_TRANSFORMS_IMPORT_TENSOREXPR_H

#include "hetero/Dialect/Stablehlo.h"
#include "mlir/IR/Builders.h"

namespace hetero {

class Expr;

/// Zeros of any element type.
mlir::DenseElementsAttr getZeros(mlir::RankedTensorType type);

/// Where the ops of a formula go.
class ExprBuilder {
public:
  ExprBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  Expr operator()(mlir::Value value);

  template <typename OpT, typename... ArgsT>
  mlir::Value create(ArgsT &&...args) {
    return OpT::create(builder, loc, std::forward<ArgsT>(args)...)
        ->getResult(0);
  }

  /// A splat with the type of `like`. The number is rounded to its elements,
  /// which are real.
  Expr splat(Expr like, double value);
  Expr splat(Expr like, const llvm::APInt &value);

  /// A splat of `value`, an attribute of `elementType`, in the shape of `like`.
  mlir::Value splat(mlir::Value like, mlir::Attribute value,
                    mlir::Type elementType);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

private:
  mlir::Value getShape(mlir::Value value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::DenseMap<std::pair<mlir::Type, mlir::Attribute>, mlir::Value> splats;
  llvm::DenseMap<mlir::Value, mlir::Value> shapes;
};

/// A tensor value on which one can calculate.
class Expr {
public:
  Expr(ExprBuilder &builder, mlir::Value value)
      : builder(&builder), value(value) {}

  operator mlir::Value() const { return value; }
  ExprBuilder &getBuilder() const { return *builder; }
  mlir::RankedTensorType getType() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::Type getElementType() const { return getType().getElementType(); }
  bool isF64() const { return getElementType().isF64(); }

  /// A splat of the same type.
  Expr splat(double number) const { return builder->splat(*this, number); }

private:
  ExprBuilder *builder;
  mlir::Value value;
};

Expr operator-(Expr x);
Expr operator!(Expr x);

#define HETERO_EXPR_BINARY(OP)                                                 \
  Expr operator OP(Expr a, Expr b);                                            \
  inline Expr operator OP(Expr a, double b) { return a OP a.splat(b); }        \
  inline Expr operator OP(double a, Expr b) { return b.splat(a) OP b; }
HETERO_EXPR_BINARY(+)
HETERO_EXPR_BINARY(-)
HETERO_EXPR_BINARY(*)
HETERO_EXPR_BINARY(/)
HETERO_EXPR_BINARY(<)
HETERO_EXPR_BINARY(<=)
HETERO_EXPR_BINARY(>)
HETERO_EXPR_BINARY(>=)
HETERO_EXPR_BINARY(==)
HETERO_EXPR_BINARY(!=)
#undef HETERO_EXPR_BINARY

/// Bitwise; logical on predicates.
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);

Expr abs(Expr x);
Expr atan2(Expr y, Expr x);
Expr cos(Expr x);
Expr exp(Expr x);
Expr expm1(Expr x);
Expr floor(Expr x);
Expr log(Expr x);
Expr log1p(Expr x);
Expr max(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr pow(Expr base, Expr exponent);
Expr sign(Expr x);
Expr sin(Expr x);
Expr sqrt(Expr x);
Expr square(Expr x);

Expr select(Expr pred, Expr a, Expr b);
inline Expr select(Expr pred, Expr a, double b) {
  return select(pred, a, a.splat(b));
}
inline Expr select(Expr pred, double a, Expr b) {
  return select(pred, b.splat(a), b);
}
Expr clamp(double low, Expr x, double high);
Expr isNaN(Expr x);

/// The magnitude of `x` with the sign of `sign`, where `sign` is not NaN. The
/// sign of a zero counts.
Expr copySign(Expr x, Expr sign);

Expr convert(Expr x, mlir::Type elementType);
Expr bitcast(Expr x, mlir::Type elementType);

Expr real(Expr z);
Expr imag(Expr z);
Expr makeComplex(Expr re, Expr im);

/// c[0] + c[1] x + c[2] x^2 + .., by Horner's rule.
Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients);

/// One of two tables: the second for f64, the first for anything smaller.
inline llvm::ArrayRef<double> pick(Expr x, llvm::ArrayRef<double> single,
                                   llvm::ArrayRef<double> full) {
  return x.isF64() ? full : single;
}
inline double pick(Expr x, double single, double full) {
  return x.isF64() ? full : single;
}

/// Numbers of the element type of `x`, f32 or f64.
double getEpsilon(Expr x);
double getLargest(Expr x);

} // namespace hetero

#endif // HETERO_TRANSFORMS_IMPORT_TENSOREXPR_H
