//===- ExpandChloElementary.cpp - Elementary functions of CHLO ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real functions with a short closed form, bits of numbers, and constants. The
// forms avoid overflow inside, cancellation near zeros, and lose neither the
// sign of a zero nor a denormal number.

#include "ExpandChlo.h"
#include <cmath>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

/// sqrt(1 - x^2), exact to the last bits where x is close to 1 and NaN beyond.
static Expr cathetus(Expr x) { return sqrt((1.0 - x) * (1.0 + x)); }

static Expr expandAcos(Expr x) { return atan2(cathetus(x), x); }
static Expr expandAsin(Expr x) { return atan2(x, cathetus(x)); }
static Expr expandAtan(Expr x) { return atan2(x, x.splat(1.0)); }

//===----------------------------------------------------------------------===//
// Hyperbolic functions and their inverses
//===----------------------------------------------------------------------===//

/// Below this, f(x) = x to the last bit for an odd f with f'(0) = 1.
static double getLinearBound(Expr x) { return std::sqrt(getEpsilon(x)) / 4; }

/// Beyond this exp(x) comes close to overflow.
static double getExpBound(Expr x) { return x.isF64() ? 709.0 : 88.0; }

/// e^x / 2 for x so large that e^x overflows when the half does not.
static Expr halfExp(Expr x) {
  Expr root = exp(x * 0.5);
  return (root * 0.5) * root;
}

static Expr expandCosh(Expr x) {
  Expr a = abs(x);
  Expr e = exp(a);
  return select(a > getExpBound(x), halfExp(a), 0.5 * (e + 1.0 / e));
}

static Expr expandSinh(Expr x) {
  Expr a = abs(x);
  // (e^a - e^-a) / 2 = (d + d / (d + 1)) / 2 with d = e^a - 1.
  Expr d = expm1(a);
  Expr magnitude =
      select(a > getExpBound(x), halfExp(a), 0.5 * (d + d / (d + 1.0)));
  return select(a < getLinearBound(x), x,
                select(x < 0.0, -magnitude, magnitude));
}

static Expr expandAsinh(Expr x) {
  Expr a = abs(x);
  // log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1)))
  Expr a2 = a * a;
  Expr inner = log1p(a + a2 / (1.0 + sqrt(a2 + 1.0)));
  Expr outer = log(a) + std::log(2.0);
  Expr magnitude = select(a > std::sqrt(getLargest(x)) / 2, outer, inner);
  return select(a < getLinearBound(x), x,
                select(x < 0.0, -magnitude, magnitude));
}

static Expr expandAcosh(Expr x) {
  // log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(t) sqrt(t + 2)) with t = x - 1,
  // which is NaN for t < 0.
  Expr t = x - 1.0;
  Expr inner = log1p(t + sqrt(t) * sqrt(t + 2.0));
  Expr outer = log(x) + std::log(2.0);
  return select(x > getLargest(x) / 2, outer, inner);
}

static Expr expandAtanh(Expr x) {
  // The logarithms have opposite signs: nothing cancels. They are NaN beyond
  // -1 and 1.
  Expr result = 0.5 * (log1p(x) - log1p(-x));
  return select(abs(x) < getLinearBound(x), x, result);
}

//===----------------------------------------------------------------------===//
// Infinities
//===----------------------------------------------------------------------===//

static Expr expandIsInf(Expr x) { return abs(x) == INFINITY; }
static Expr expandIsNegInf(Expr x) { return x == -INFINITY; }
static Expr expandIsPosInf(Expr x) { return x == INFINITY; }

//===----------------------------------------------------------------------===//
// Bits of floating-point numbers
//===----------------------------------------------------------------------===//

LogicalResult hetero::checkNextAfter(Operation *op) {
  Type elementType = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E5M2Type,
          Float8E4M3Type, Float8E3M4Type, Float8E4M3FNType>(elementType))
    return success();
  return op->emitOpError() << "cannot be expanded for elements of type "
                           << elementType;
}

Expr hetero::expandNextAfter(Expr x, Expr y) {
  ExprBuilder &b = x.getBuilder();
  unsigned width = x.getElementType().getIntOrFloatBitWidth();
  Type bits = b.getBuilder().getIntegerType(width);
  Expr xBits = bitcast(x, bits), yBits = bitcast(y, bits);
  auto splat = [&](const APInt &value) { return b.splat(xBits, value); };
  Expr zero = splat(APInt::getZero(width));
  Expr one = splat(APInt(width, 1));
  Expr signMask = splat(APInt::getSignMask(width));
  Expr magnitudeMask = splat(APInt::getSignedMaxValue(width));

  // Numbers of one sign are ordered like their magnitude bits.
  Expr xSign = xBits & signMask, ySign = yBits & signMask;
  Expr xMagnitude = xBits & magnitudeMask, yMagnitude = yBits & magnitudeMask;
  Expr isTowardsZero = (xMagnitude > yMagnitude) | (xSign != ySign);
  Expr step = select(isTowardsZero, splat(APInt::getAllOnes(width)), one);
  // From either zero the smallest number of y's sign comes next.
  Expr next = select(xMagnitude == zero, ySign | one, xBits + step);
  Expr result = bitcast(next, x.getElementType());
  result = select(x == y, y, result);
  return select(isNaN(x) | isNaN(y), NAN, result);
}

static Value expandNextAfterOp(chlo::NextAfterOp op, ExprBuilder &b) {
  if (failed(checkNextAfter(op)))
    return {};
  return expandNextAfter(b(op.getX()), b(op.getY()));
}

//===----------------------------------------------------------------------===//
// mulhi
//===----------------------------------------------------------------------===//

static Expr shiftRight(Expr x, unsigned bits, bool isSigned) {
  ExprBuilder &b = x.getBuilder();
  unsigned width = x.getElementType().getIntOrFloatBitWidth();
  Expr amount = b.splat(x, APInt(width, bits));
  return b(
      isSigned
          ? b.create<stablehlo::ShiftRightArithmeticOp>(Value(x), Value(amount))
          : b.create<stablehlo::ShiftRightLogicalOp>(Value(x), Value(amount)));
}

/// The upper half of a product of 64-bit numbers from products of their 32-bit
/// halves:
///
///   x y = (xh yh) 2^64 + (xh yl + xl yh) 2^32 + xl yl
///
/// The low halves are unsigned, the high ones have the sign of the number. The
/// sums cannot overflow: each is less than 2^32 + (2^32 - 1)^2 in magnitude.
static Expr mulhi64(Expr x, Expr y, bool isSigned) {
  ExprBuilder &b = x.getBuilder();
  Expr mask = b.splat(x, APInt::getLowBitsSet(64, 32));
  Expr xl = x & mask, yl = y & mask;
  Expr xh = shiftRight(x, 32, isSigned), yh = shiftRight(y, 32, isSigned);
  Expr middle = xh * yl + shiftRight(xl * yl, 32, /*isSigned=*/false);
  Expr carry = xl * yh + (middle & mask);
  return xh * yh + shiftRight(middle, 32, isSigned) +
         shiftRight(carry, 32, isSigned);
}

static Expr expandMulhi(Expr x, Expr y) {
  auto type = cast<IntegerType>(x.getElementType());
  bool isSigned = !type.isUnsigned();
  unsigned width = type.getWidth();
  if (width == 64)
    return mulhi64(x, y, isSigned);
  // Twice the width holds the whole product; there is none below 8.
  auto wide = IntegerType::get(type.getContext(), std::max(8u, 2 * width),
                               type.getSignedness());
  Expr product = convert(x, wide) * convert(y, wide);
  return convert(shiftRight(product, width, isSigned), type);
}

//===----------------------------------------------------------------------===//
// Products, copies, constants
//===----------------------------------------------------------------------===//

/// Needs no wider type, so it does not get one.
static LogicalResult expandSquare(chlo::SquareOp op,
                                  PatternRewriter &rewriter) {
  if (isa<ComplexType>(getElementTypeOrSelf(op.getOperand().getType())) ||
      failed(checkExpandable(op)))
    return failure();
  ExprBuilder b(rewriter, op.getLoc());
  replaceWith(rewriter, op, square(b(op.getOperand())));
  return success();
}

/// StableHLO has the same function, real and complex.
static Value expandTan(chlo::TanOp op, ExprBuilder &b) {
  return b.create<stablehlo::TanOp>(op.getOperand());
}

static Value expandConj(chlo::ConjOp op, ExprBuilder &b) {
  Expr z = b(op.getOperand());
  return isa<ComplexType>(z.getElementType()) ? makeComplex(real(z), -imag(z))
                                              : z;
}

static Value expandConstant(chlo::ConstantOp op, ExprBuilder &b) {
  return b.create<stablehlo::ConstantOp>(Attribute(op.getValue()));
}

static Value expandConstantLike(chlo::ConstantLikeOp op, ExprBuilder &b) {
  Type elementType = getElementTypeOrSelf(op.getType());
  Attribute value = op.getValue();
  if (auto number = dyn_cast<complex::NumberAttr>(value)) {
    Type part = cast<ComplexType>(elementType).getElementType();
    value =
        b.getBuilder().getArrayAttr({FloatAttr::get(part, number.getReal()),
                                     FloatAttr::get(part, number.getImag())});
  } else if (!isa<FloatAttr, IntegerAttr>(value)) {
    op.emitOpError() << "cannot be expanded: value " << value
                     << " is not a number";
    return {};
  }
  return b.splat(op.getOperand(), value, elementType);
}

void hetero::populateExpandChloElementary(RewritePatternSet &patterns) {
  patterns.add(expandUnary<chlo::AcosOp, expandAcos>)
      .add(expandUnary<chlo::AcoshOp, expandAcosh>)
      .add(expandUnary<chlo::AsinOp, expandAsin>)
      .add(expandUnary<chlo::AsinhOp, expandAsinh>)
      .add(expandUnary<chlo::AtanOp, expandAtan>)
      .add(expandUnary<chlo::AtanhOp, expandAtanh>)
      .add(expandUnary<chlo::CoshOp, expandCosh>)
      .add(expandUnary<chlo::IsInfOp, expandIsInf>)
      .add(expandUnary<chlo::IsNegInfOp, expandIsNegInf>)
      .add(expandUnary<chlo::IsPosInfOp, expandIsPosInf>)
      .add(expandUnary<chlo::SinhOp, expandSinh>)
      .add(expandBinary<chlo::MulhiOp, expandMulhi>)
      .add(expandWith<chlo::ConjOp, expandConj>)
      .add(expandWith<chlo::ConstantOp, expandConstant>)
      .add(expandWith<chlo::ConstantLikeOp, expandConstantLike>)
      .add(expandWith<chlo::NextAfterOp, expandNextAfterOp>)
      .add(expandSquare)
      .add(expandWith<chlo::TanOp, expandTan>);
}
