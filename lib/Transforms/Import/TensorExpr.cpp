//===- TensorExpr.cpp - Formulas over tensors -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Import/TensorExpr.h"
#include <cfloat>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

DenseElementsAttr hetero::getZeros(RankedTensorType type) {
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    APFloat zero = APFloat::getZero(
        cast<FloatType>(complex.getElementType()).getFloatSemantics());
    return DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
  }
  return DenseElementsAttr::get(
      type, Builder(type.getContext()).getZeroAttr(element));
}

Expr ExprBuilder::operator()(Value value) { return Expr(*this, value); }

/// The run-time sizes of a tensor with dynamic dimensions.
Value ExprBuilder::getShape(Value value) {
  Value &shape = shapes[value];
  if (shape)
    return shape;
  auto type = cast<RankedTensorType>(value.getType());
  Type i32 = builder.getI32Type();
  auto one = RankedTensorType::get({1}, i32);
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(type.getRank())) {
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(create<stablehlo::ConstantOp>(DenseElementsAttr::get(
          one, builder.getI32IntegerAttr(type.getDimSize(dim)))));
      continue;
    }
    Value size = create<stablehlo::GetDimensionSizeOp>(
        RankedTensorType::get({}, i32), value, dim);
    sizes.push_back(create<stablehlo::ReshapeOp>(one, size));
  }
  shape = create<stablehlo::ConcatenateOp>(
      RankedTensorType::get({type.getRank()}, i32), sizes, 0);
  return shape;
}

Value ExprBuilder::splat(Value like, Attribute value, Type elementType) {
  auto type = cast<RankedTensorType>(like.getType());
  auto result =
      RankedTensorType::get(type.getShape(), elementType, type.getEncoding());
  // A dynamic splat belongs to one shape, a static one to any value's.
  Value &splat = splats[{result, value}];
  if (splat && result.hasStaticShape())
    return splat;
  if (result.hasStaticShape()) {
    splat = create<stablehlo::ConstantOp>(DenseElementsAttr::get(
        RankedTensorType::get(type.getShape(), elementType), value));
    return splat;
  }
  Value scalar = create<stablehlo::ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get({}, elementType), value));
  return create<stablehlo::DynamicBroadcastInDimOp>(
      result, scalar, getShape(like), builder.getDenseI64ArrayAttr({}),
      DenseI64ArrayAttr(), DenseI64ArrayAttr());
}

Expr ExprBuilder::splat(Expr like, double value) {
  auto type = cast<FloatType>(like.getElementType());
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return (*this)(splat(like, FloatAttr::get(type, number), type));
}

Expr ExprBuilder::splat(Expr like, const APInt &value) {
  Type type = like.getElementType();
  return (*this)(splat(like, IntegerAttr::get(type, value), type));
}

double hetero::getEpsilon(Expr x) {
  return x.isF64() ? DBL_EPSILON : FLT_EPSILON;
}
double hetero::getLargest(Expr x) { return x.isF64() ? DBL_MAX : FLT_MAX; }
//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <typename OpT, typename... ArgsT>
static Expr make(Expr x, ArgsT &&...args) {
  ExprBuilder &b = x.getBuilder();
  return b(b.create<OpT>(Value(x), std::forward<ArgsT>(args)...));
}

#define HETERO_EXPR_UNARY(NAME, OP)                                            \
  Expr hetero::NAME(Expr x) { return make<stablehlo::OP>(x); }
HETERO_EXPR_UNARY(operator-, NegOp)
HETERO_EXPR_UNARY(operator!, NotOp)
HETERO_EXPR_UNARY(abs, AbsOp)
HETERO_EXPR_UNARY(cos, CosineOp)
HETERO_EXPR_UNARY(exp, ExpOp)
HETERO_EXPR_UNARY(expm1, Expm1Op)
HETERO_EXPR_UNARY(floor, FloorOp)
HETERO_EXPR_UNARY(log, LogOp)
HETERO_EXPR_UNARY(log1p, Log1pOp)
HETERO_EXPR_UNARY(sign, SignOp)
HETERO_EXPR_UNARY(sin, SineOp)
HETERO_EXPR_UNARY(sqrt, SqrtOp)
HETERO_EXPR_UNARY(real, RealOp)
HETERO_EXPR_UNARY(imag, ImagOp)
#undef HETERO_EXPR_UNARY

#define HETERO_EXPR_BINARY(NAME, OP)                                           \
  Expr hetero::NAME(Expr a, Expr b) { return make<stablehlo::OP>(a, Value(b)); }
HETERO_EXPR_BINARY(operator+, AddOp)
HETERO_EXPR_BINARY(operator-, SubtractOp)
HETERO_EXPR_BINARY(operator*, MulOp)
HETERO_EXPR_BINARY(operator/, DivOp)
HETERO_EXPR_BINARY(operator&, AndOp)
HETERO_EXPR_BINARY(operator|, OrOp)
HETERO_EXPR_BINARY(operator^, XorOp)
HETERO_EXPR_BINARY(atan2, Atan2Op)
HETERO_EXPR_BINARY(max, MaxOp)
HETERO_EXPR_BINARY(min, MinOp)
HETERO_EXPR_BINARY(pow, PowOp)
HETERO_EXPR_BINARY(makeComplex, ComplexOp)
#undef HETERO_EXPR_BINARY

#define HETERO_EXPR_COMPARE(NAME, DIRECTION)                                   \
  Expr hetero::NAME(Expr a, Expr b) {                                          \
    return make<stablehlo::CompareOp>(                                         \
        a, Value(b), stablehlo::ComparisonDirection::DIRECTION);               \
  }
HETERO_EXPR_COMPARE(operator<, LT)
HETERO_EXPR_COMPARE(operator<=, LE)
HETERO_EXPR_COMPARE(operator>, GT)
HETERO_EXPR_COMPARE(operator>=, GE)
HETERO_EXPR_COMPARE(operator==, EQ)
HETERO_EXPR_COMPARE(operator!=, NE)
#undef HETERO_EXPR_COMPARE

Expr hetero::square(Expr x) { return x * x; }

Expr hetero::select(Expr pred, Expr a, Expr b) {
  return make<stablehlo::SelectOp>(pred, Value(a), Value(b));
}

Expr hetero::clamp(double low, Expr x, double high) {
  return make<stablehlo::ClampOp>(x.splat(low), Value(x), Value(x.splat(high)));
}

Expr hetero::isNaN(Expr x) { return x != x; }

Expr hetero::copySign(Expr x, Expr sign) {
  unsigned width = sign.getElementType().getIntOrFloatBitWidth();
  ExprBuilder &b = x.getBuilder();
  Type bits = b.getBuilder().getIntegerType(width);
  Expr signBits = bitcast(sign, bits);
  Expr mask = b.splat(signBits, APInt::getSignMask(width));
  Expr magnitude = bitcast(abs(x), bits);
  return bitcast(magnitude | (signBits & mask), x.getElementType());
}

Expr hetero::convert(Expr x, Type elementType) {
  if (x.getElementType() == elementType)
    return x;
  return make<stablehlo::ConvertOp>(x, elementType);
}

Expr hetero::bitcast(Expr x, Type elementType) {
  RankedTensorType type = x.getType();
  ExprBuilder &b = x.getBuilder();
  return b(b.create<stablehlo::BitcastConvertOp>(
      RankedTensorType::get(type.getShape(), elementType, type.getEncoding()),
      Value(x)));
}

Expr hetero::polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.splat(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = sum * x + coefficient;
  return sum;
}
