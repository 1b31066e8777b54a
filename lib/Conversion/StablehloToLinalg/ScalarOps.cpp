//===- ScalarOps.cpp - StableHLO on single elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

Type hetero::convertElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width != 1 && width != 8 && width != 16 && width != 32 && width != 64)
      return {};
    return IntegerType::get(type.getContext(), width);
  }
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
    return type;
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64()
               ? type
               : Type();
  return {};
}

Type hetero::getElementType(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static Value constantInt(ImplicitLocOpBuilder &b, Type type,
                         const APInt &value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

static Value constantInt(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

static Value constantFloat(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value hetero::emitScalarConstant(ImplicitLocOpBuilder &b, Attribute element,
                                 Type type) {
  Type converted = convertElementType(type);
  if (auto complex = dyn_cast<ComplexType>(converted)) {
    auto parts = cast<ArrayAttr>(element);
    return complex::ConstantOp::create(b, complex, parts);
  }
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return constantInt(b, converted, integer.getValue());
  return arith::ConstantOp::create(b, cast<TypedAttr>(element));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

static Value convertFloatToFloat(ImplicitLocOpBuilder &b, Value value,
                                 Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  Type f32 = b.getF32Type();
  // The code generator converts 16-bit formats from and to f32 only.
  if (fromWidth == 16 && toWidth != 32)
    return convertFloatToFloat(b, arith::ExtFOp::create(b, f32, value), to);
  if (fromWidth == 64 && to.isBF16())
    return arith::TruncFOp::create(b, to,
                                   arith::TruncFOp::create(b, f32, value));
  if (fromWidth < toWidth)
    return arith::ExtFOp::create(b, to, value);
  return arith::TruncFOp::create(b, to, value);
}

/// Out of range goes to the nearest integer that there is, NaN to 0.
static Value convertFloatToInt(ImplicitLocOpBuilder &b, Value value, Type to,
                               bool isUnsignedTarget) {
  if (value.getType().getIntOrFloatBitWidth() == 16)
    value = arith::ExtFOp::create(b, b.getF32Type(), value);
  Type from = value.getType();
  unsigned width = to.getIntOrFloatBitWidth();
  double low = isUnsignedTarget ? 0.0 : -std::ldexp(1.0, width - 1);
  double high = std::ldexp(1.0, isUnsignedTarget ? width : width - 1);
  // For unsigned targets -0.7 truncates to 0, which lies within the range.
  Value below = arith::CmpFOp::create(
      b,
      isUnsignedTarget ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT,
      value, constantFloat(b, from, isUnsignedTarget ? -1.0 : low));
  Value negative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, value,
                                         constantFloat(b, from, low));
  Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, value,
                                      constantFloat(b, from, high));
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value outside =
      arith::OrIOp::create(b, arith::OrIOp::create(b, negative, above), isNaN);
  Value safe =
      arith::SelectOp::create(b, outside, constantFloat(b, from, 0.0), value);
  Value inside = isUnsignedTarget
                     ? arith::FPToUIOp::create(b, to, safe).getResult()
                     : arith::FPToSIOp::create(b, to, safe).getResult();
  APInt smallest = isUnsignedTarget ? APInt::getZero(width)
                                    : APInt::getSignedMinValue(width);
  APInt largest = isUnsignedTarget ? APInt::getMaxValue(width)
                                   : APInt::getSignedMaxValue(width);
  Value result =
      arith::SelectOp::create(b, above, constantInt(b, to, largest), inside);
  return arith::SelectOp::create(b, below, constantInt(b, to, smallest),
                                 result);
}

static Value convertInt(ImplicitLocOpBuilder &b, Value value, Type from,
                        Type to) {
  Type target = convertElementType(to);
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  if (isa<FloatType>(target)) {
    bool narrow = target.getIntOrFloatBitWidth() == 16;
    Type wide = narrow ? b.getF32Type() : target;
    Value result = isUnsigned(from)
                       ? arith::UIToFPOp::create(b, wide, value).getResult()
                       : arith::SIToFPOp::create(b, wide, value).getResult();
    return convertFloatToFloat(b, result, target);
  }
  if (target.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                                 constantInt(b, value.getType(), 0));
  unsigned toWidth = target.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(b, target, value);
  if (isUnsigned(from))
    return arith::ExtUIOp::create(b, target, value);
  return arith::ExtSIOp::create(b, target, value);
}

Value hetero::emitConvert(ImplicitLocOpBuilder &b, Value value, Type from,
                          Type to) {
  if (from == to)
    return value;
  if (auto complex = dyn_cast<ComplexType>(to)) {
    Type part = complex.getElementType();
    Value real, imaginary;
    if (auto source = dyn_cast<ComplexType>(from)) {
      real = convertFloatToFloat(b, complex::ReOp::create(b, value), part);
      imaginary = convertFloatToFloat(b, complex::ImOp::create(b, value), part);
    } else {
      real = emitConvert(b, value, from, part);
      imaginary = constantFloat(b, part, 0.0);
    }
    return complex::CreateOp::create(b, complex, real, imaginary);
  }
  if (auto source = dyn_cast<ComplexType>(from)) {
    return emitConvert(b, complex::ReOp::create(b, value),
                       source.getElementType(), to);
  }
  if (isa<IntegerType>(from))
    return convertInt(b, value, from, to);
  if (isa<FloatType>(to))
    return convertFloatToFloat(b, value, to);
  if (to.isInteger(1))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, value,
                                 constantFloat(b, value.getType(), 0.0));
  return convertFloatToInt(b, value, convertElementType(to),
                           to.isUnsignedInteger());
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static arith::CmpIPredicate getIntPredicate(ComparisonDirection direction,
                                            bool isUnsignedOrder) {
  using P = arith::CmpIPredicate;
  switch (direction) {
  case ComparisonDirection::EQ:
    return P::eq;
  case ComparisonDirection::NE:
    return P::ne;
  case ComparisonDirection::GE:
    return isUnsignedOrder ? P::uge : P::sge;
  case ComparisonDirection::GT:
    return isUnsignedOrder ? P::ugt : P::sgt;
  case ComparisonDirection::LE:
    return isUnsignedOrder ? P::ule : P::sle;
  case ComparisonDirection::LT:
    return isUnsignedOrder ? P::ult : P::slt;
  }
  llvm_unreachable("all directions are handled");
}

static arith::CmpFPredicate getFloatPredicate(ComparisonDirection direction) {
  using P = arith::CmpFPredicate;
  switch (direction) {
  case ComparisonDirection::EQ:
    return P::OEQ;
  case ComparisonDirection::NE:
    return P::UNE;
  case ComparisonDirection::GE:
    return P::OGE;
  case ComparisonDirection::GT:
    return P::OGT;
  case ComparisonDirection::LE:
    return P::OLE;
  case ComparisonDirection::LT:
    return P::OLT;
  }
  llvm_unreachable("all directions are handled");
}

/// The bits of a float as an integer that is ordered as IEEE's total order.
static Value getTotalOrderKey(ImplicitLocOpBuilder &b, Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value bits = arith::BitcastOp::create(b, integer, value);
  Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits,
                                           constantInt(b, integer, 0));
  Value flipped = arith::XOrIOp::create(
      b, bits, constantInt(b, integer, APInt::getSignedMaxValue(width)));
  return arith::SelectOp::create(b, isNegative, flipped, bits);
}

static Value emitCompare(ImplicitLocOpBuilder &b, CompareOp op,
                         ValueRange operands) {
  Value lhs = operands[0], rhs = operands[1];
  Type type = getElementType(op.getLhs());
  ComparisonDirection direction = op.getComparisonDirection();
  if (isa<ComplexType>(type)) {
    if (direction == ComparisonDirection::EQ)
      return complex::EqualOp::create(b, lhs, rhs);
    return complex::NotEqualOp::create(b, lhs, rhs);
  }
  if (isa<IntegerType>(type))
    return arith::CmpIOp::create(
        b, getIntPredicate(direction, isUnsigned(type)), lhs, rhs);
  if (op.getCompareType() == ComparisonType::TOTALORDER)
    return arith::CmpIOp::create(b, getIntPredicate(direction, false),
                                 getTotalOrderKey(b, lhs),
                                 getTotalOrderKey(b, rhs));
  if (type.getIntOrFloatBitWidth() == 16) {
    lhs = arith::ExtFOp::create(b, b.getF32Type(), lhs);
    rhs = arith::ExtFOp::create(b, b.getF32Type(), rhs);
  }
  return arith::CmpFOp::create(b, getFloatPredicate(direction), lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Division by zero gives all ones, the remainder the dividend; the smallest
/// number divided by -1 overflows to itself with remainder 0.
static Value emitDivision(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                          bool isUnsignedType, bool wantsQuotient) {
  Type type = lhs.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = constantInt(b, type, 0), one = constantInt(b, type, 1);
  Value ones = constantInt(b, type, APInt::getAllOnes(width));
  Value byZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs, zero);
  Value divisor = arith::SelectOp::create(b, byZero, one, rhs);
  if (isUnsignedType) {
    if (wantsQuotient)
      return arith::SelectOp::create(b, byZero, ones,
                                     arith::DivUIOp::create(b, lhs, divisor));
    return arith::SelectOp::create(b, byZero, lhs,
                                   arith::RemUIOp::create(b, lhs, divisor));
  }
  Value smallest = constantInt(b, type, APInt::getSignedMinValue(width));
  Value overflows = arith::AndIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, smallest),
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs, ones));
  divisor = arith::SelectOp::create(b, overflows, one, divisor);
  if (wantsQuotient)
    return arith::SelectOp::create(b, byZero, ones,
                                   arith::DivSIOp::create(b, lhs, divisor));
  return arith::SelectOp::create(b, byZero, lhs,
                                 arith::RemSIOp::create(b, lhs, divisor));
}

/// Shifts by the width or more push out all bits.
template <typename ShiftOp>
static Value emitShift(ImplicitLocOpBuilder &b, Value lhs, Value amount,
                       bool keepsSign) {
  Type type = lhs.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, amount,
                                         constantInt(b, type, width));
  Value last = constantInt(b, type, width - 1);
  Value safe = arith::SelectOp::create(b, isInside, amount, last);
  Value shifted = ShiftOp::create(b, lhs, safe);
  if (keepsSign)
    return shifted;
  return arith::SelectOp::create(b, isInside, shifted, constantInt(b, type, 0));
}

/// By squaring. A negative exponent leaves something only for 1 and -1.
static Value emitIntPower(ImplicitLocOpBuilder &b, Value base, Value exponent,
                          bool isUnsignedType) {
  Type type = base.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value one = constantInt(b, type, 1), zero = constantInt(b, type, 0);
  Value result = one, power = base, rest = exponent;
  auto loop = scf::ForOp::create(
      b, arith::ConstantIndexOp::create(b, 0),
      arith::ConstantIndexOp::create(b, width),
      arith::ConstantIndexOp::create(b, 1), ValueRange{result, power, rest},
      [&](OpBuilder &builder, Location loc, Value, ValueRange args) {
        ImplicitLocOpBuilder nested(loc, builder);
        Value bit =
            arith::TruncIOp::create(nested, nested.getI1Type(), args[2]);
        Value product = arith::MulIOp::create(nested, args[0], args[1]);
        Value next = arith::SelectOp::create(nested, bit, product, args[0]);
        Value square = arith::MulIOp::create(nested, args[1], args[1]);
        Value shifted = arith::ShRUIOp::create(nested, args[2],
                                               constantInt(nested, type, 1));
        scf::YieldOp::create(nested, ValueRange{next, square, shifted});
      });
  result = loop.getResult(0);
  if (isUnsignedType)
    return result;
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, exponent, zero);
  Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, base, one);
  Value minusOne = constantInt(b, type, -1);
  Value isMinusOne =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, base, minusOne);
  Value isOdd = arith::TruncIOp::create(b, b.getI1Type(), exponent);
  Value sign = arith::SelectOp::create(b, isOdd, minusOne, one);
  Value inverse = arith::SelectOp::create(
      b, isOne, one, arith::SelectOp::create(b, isMinusOne, sign, zero));
  return arith::SelectOp::create(b, isNegative, inverse, result);
}

static Value emitIntSign(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  Value zero = constantInt(b, type, 0), one = constantInt(b, type, 1);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value, zero);
  Value isZero =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, zero);
  Value nonZero =
      arith::SelectOp::create(b, isNegative, constantInt(b, type, -1), one);
  return arith::SelectOp::create(b, isZero, zero, nonZero);
}

static Value emitIntUnary(ImplicitLocOpBuilder &b, Operation *op, Value x) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AbsOp) { return math::AbsIOp::create(b, x); })
      .Case([&](NegOp) {
        return arith::SubIOp::create(b, constantInt(b, type, 0), x);
      })
      .Case([&](NotOp) {
        return arith::XOrIOp::create(
            b, x, constantInt(b, type, APInt::getAllOnes(width)));
      })
      .Case([&](SignOp) { return emitIntSign(b, x); })
      .Case([&](ClzOp) { return math::CountLeadingZerosOp::create(b, x); })
      .Case([&](PopulationCountOp) { return math::CtPopOp::create(b, x); })
      .Default([](Operation *) { return Value(); });
}

static Value emitIntBinary(ImplicitLocOpBuilder &b, Operation *op, Value lhs,
                           Value rhs) {
  Type type = getElementType(op->getOperand(0));
  bool isBool = type.isInteger(1), isU = isUnsigned(type);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) -> Value {
        if (isBool)
          return arith::OrIOp::create(b, lhs, rhs);
        return arith::AddIOp::create(b, lhs, rhs);
      })
      .Case([&](SubtractOp) -> Value {
        if (isBool)
          return arith::XOrIOp::create(b, lhs, rhs);
        return arith::SubIOp::create(b, lhs, rhs);
      })
      .Case([&](MulOp) -> Value {
        if (isBool)
          return arith::AndIOp::create(b, lhs, rhs);
        return arith::MulIOp::create(b, lhs, rhs);
      })
      .Case([&](MaxOp) -> Value {
        if (isU)
          return arith::MaxUIOp::create(b, lhs, rhs);
        return arith::MaxSIOp::create(b, lhs, rhs);
      })
      .Case([&](MinOp) -> Value {
        if (isU)
          return arith::MinUIOp::create(b, lhs, rhs);
        return arith::MinSIOp::create(b, lhs, rhs);
      })
      .Case([&](DivOp) { return emitDivision(b, lhs, rhs, isU, true); })
      .Case([&](RemOp) { return emitDivision(b, lhs, rhs, isU, false); })
      .Case([&](PowOp) { return emitIntPower(b, lhs, rhs, isU); })
      .Case([&](AndOp) { return arith::AndIOp::create(b, lhs, rhs); })
      .Case([&](OrOp) { return arith::OrIOp::create(b, lhs, rhs); })
      .Case([&](XorOp) { return arith::XOrIOp::create(b, lhs, rhs); })
      .Case([&](ShiftLeftOp) {
        return emitShift<arith::ShLIOp>(b, lhs, rhs, false);
      })
      .Case([&](ShiftRightLogicalOp) {
        return emitShift<arith::ShRUIOp>(b, lhs, rhs, false);
      })
      .Case([&](ShiftRightArithmeticOp) {
        return emitShift<arith::ShRSIOp>(b, lhs, rhs, true);
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Floats, f32 or f64
//===----------------------------------------------------------------------===//

/// NaN and zeros are their own signs.
static Value emitFloatSign(ImplicitLocOpBuilder &b, Value x) {
  Value zero = constantFloat(b, x.getType(), 0.0);
  Value isItself = arith::CmpFOp::create(b, arith::CmpFPredicate::UEQ, x, zero);
  Value sign =
      math::CopySignOp::create(b, constantFloat(b, x.getType(), 1.0), x);
  return arith::SelectOp::create(b, isItself, x, sign);
}

/// tanh(x / 2) (exp(x) + 1). MLIR would subtract 1 from exp(x).
Value hetero::emitExpm1(ImplicitLocOpBuilder &b, Value x) {
  Type type = x.getType();
  Value half = arith::MulFOp::create(b, x, constantFloat(b, type, 0.5));
  Value above = arith::AddFOp::create(b, math::ExpOp::create(b, x),
                                      constantFloat(b, type, 1.0));
  return arith::MulFOp::create(b, math::TanhOp::create(b, half), above);
}

static Value emitFloatUnary(ImplicitLocOpBuilder &b, Operation *op, Value x) {
  Type type = x.getType();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AbsOp) { return math::AbsFOp::create(b, x); })
      .Case([&](NegOp) { return arith::NegFOp::create(b, x); })
      .Case([&](SignOp) { return emitFloatSign(b, x); })
      .Case([&](CbrtOp) { return math::CbrtOp::create(b, x); })
      .Case([&](CeilOp) { return math::CeilOp::create(b, x); })
      .Case([&](FloorOp) { return math::FloorOp::create(b, x); })
      .Case([&](RoundOp) { return math::RoundOp::create(b, x); })
      .Case([&](RoundNearestEvenOp) { return math::RoundEvenOp::create(b, x); })
      .Case([&](CosineOp) { return math::CosOp::create(b, x); })
      .Case([&](SineOp) { return math::SinOp::create(b, x); })
      .Case([&](TanOp) { return math::TanOp::create(b, x); })
      .Case([&](TanhOp) { return math::TanhOp::create(b, x); })
      .Case([&](ExpOp) { return math::ExpOp::create(b, x); })
      .Case([&](Expm1Op) { return emitExpm1(b, x); })
      .Case([&](LogOp) { return math::LogOp::create(b, x); })
      .Case([&](Log1pOp) { return math::Log1pOp::create(b, x); })
      .Case([&](SqrtOp) { return math::SqrtOp::create(b, x); })
      .Case([&](RsqrtOp) {
        return arith::DivFOp::create(b, constantFloat(b, type, 1.0),
                                     math::SqrtOp::create(b, x));
      })
      .Case([&](LogisticOp) {
        Value one = constantFloat(b, type, 1.0);
        Value exp = math::ExpOp::create(b, arith::NegFOp::create(b, x));
        return arith::DivFOp::create(b, one,
                                     arith::AddFOp::create(b, one, exp));
      })
      .Default([](Operation *) { return Value(); });
}

static Value emitFloatBinary(ImplicitLocOpBuilder &b, Operation *op, Value lhs,
                             Value rhs) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return arith::AddFOp::create(b, lhs, rhs); })
      .Case([&](SubtractOp) { return arith::SubFOp::create(b, lhs, rhs); })
      .Case([&](MulOp) { return arith::MulFOp::create(b, lhs, rhs); })
      .Case([&](DivOp) { return arith::DivFOp::create(b, lhs, rhs); })
      .Case([&](RemOp) { return arith::RemFOp::create(b, lhs, rhs); })
      .Case([&](MaxOp) { return arith::MaximumFOp::create(b, lhs, rhs); })
      .Case([&](MinOp) { return arith::MinimumFOp::create(b, lhs, rhs); })
      .Case([&](PowOp) { return math::PowFOp::create(b, lhs, rhs); })
      .Case([&](Atan2Op) { return math::Atan2Op::create(b, lhs, rhs); })
      .Default([](Operation *) { return Value(); });
}

/// Rounds to `exponentBits` and `mantissaBits` by the bits of the number: ties
/// to even, overflow to infinity, underflow to zero; NaN stays.
static Value emitReducePrecision(ImplicitLocOpBuilder &b, Value x,
                                 int64_t exponentBits, int64_t mantissaBits) {
  auto type = cast<FloatType>(x.getType());
  unsigned width = type.getWidth();
  int64_t mantissa = type.getFPMantissaWidth() - 1;
  int64_t exponent = width - 1 - mantissa;
  Type integer = b.getIntegerType(width);
  auto constant = [&](const APInt &value) {
    return constantInt(b, integer, value);
  };
  Value bits = arith::BitcastOp::create(b, integer, x);
  if (mantissaBits < mantissa) {
    int64_t dropped = mantissa - mantissaBits;
    Value last = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, bits, constant(APInt(width, dropped))),
        constant(APInt(width, 1)));
    APInt half = APInt::getLowBitsSet(width, dropped - 1);
    Value bias = arith::AddIOp::create(b, last, constant(half));
    bits = arith::AddIOp::create(b, bits, bias);
    bits = arith::AndIOp::create(
        b, bits, constant(~APInt::getLowBitsSet(width, dropped)));
  }
  if (exponentBits < exponent) {
    APInt sign = APInt::getSignMask(width);
    APInt exponentMask = APInt::getBitsSet(width, mantissa, width - 1);
    int64_t bias = (int64_t(1) << (exponent - 1)) - 1;
    int64_t reducedBias = (int64_t(1) << (exponentBits - 1)) - 1;
    APInt largest = APInt(width, bias + reducedBias) << mantissa;
    APInt smallest = APInt(width, bias - reducedBias) << mantissa;
    Value magnitude = arith::AndIOp::create(b, bits, constant(exponentMask));
    Value signBit = arith::AndIOp::create(b, bits, constant(sign));
    Value over = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, magnitude,
                                       constant(largest));
    Value under = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, magnitude,
                                        constant(smallest));
    Value infinity = arith::OrIOp::create(b, signBit, constant(exponentMask));
    bits = arith::SelectOp::create(b, under, signBit, bits);
    bits = arith::SelectOp::create(b, over, infinity, bits);
  }
  Value rounded = arith::BitcastOp::create(b, type, bits);
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return arith::SelectOp::create(b, isNaN, x, rounded);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static Value emitClamp(ImplicitLocOpBuilder &b, ClampOp op,
                       ValueRange operands) {
  Value low = operands[0], x = operands[1], high = operands[2];
  Type type = getElementType(op.getOperand());
  if (isa<FloatType>(type))
    return arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, x, low),
                                     high);
  if (isUnsigned(type))
    return arith::MinUIOp::create(b, arith::MaxUIOp::create(b, x, low), high);
  return arith::MinSIOp::create(b, arith::MaxSIOp::create(b, x, low), high);
}

static Value emitReal(ImplicitLocOpBuilder &b, Operation *op,
                      ValueRange operands) {
  Type type = operands.front().getType();
  if (auto clamp = dyn_cast<ClampOp>(op))
    return emitClamp(b, clamp, operands);
  if (isa<IntegerType>(type))
    return operands.size() == 1
               ? emitIntUnary(b, op, operands[0])
               : emitIntBinary(b, op, operands[0], operands[1]);
  if (isa<IsFiniteOp>(op)) {
    Value infinity = constantFloat(b, type, INFINITY);
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                 math::AbsFOp::create(b, operands[0]),
                                 infinity);
  }
  if (auto reduce = dyn_cast<ReducePrecisionOp>(op))
    return emitReducePrecision(b, operands[0], reduce.getExponentBits(),
                               reduce.getMantissaBits());
  return operands.size() == 1
             ? emitFloatUnary(b, op, operands[0])
             : emitFloatBinary(b, op, operands[0], operands[1]);
}

static Value emitAny(ImplicitLocOpBuilder &b, Operation *op,
                     ValueRange operands) {
  if (auto convert = dyn_cast<ConvertOp>(op))
    return emitConvert(b, operands[0], getElementType(convert.getOperand()),
                       getElementType(convert.getResult()));
  if (auto bitcast = dyn_cast<BitcastConvertOp>(op)) {
    Type to = convertElementType(getElementType(bitcast.getResult()));
    return operands[0].getType() == to
               ? operands[0]
               : arith::BitcastOp::create(b, to, operands[0]).getResult();
  }
  if (auto compare = dyn_cast<CompareOp>(op))
    return emitCompare(b, compare, operands);
  if (isa<SelectOp>(op))
    return arith::SelectOp::create(b, operands[0], operands[1], operands[2]);
  if (isa<ComplexOp>(op))
    return complex::CreateOp::create(b, ComplexType::get(operands[0].getType()),
                                     operands[0], operands[1]);
  if (isa<ComplexType>(operands.front().getType()))
    return emitComplexOp(b, op, operands);
  if (isa<RealOp>(op))
    return operands[0];
  Type type = operands.front().getType();
  if (isa<ImagOp>(op))
    return constantFloat(b, type, 0.0);
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.getWidth() >= 32)
    return emitReal(b, op, operands);
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(convertFloatToFloat(b, operand, b.getF32Type()));
  Value result = emitReal(b, op, wide);
  if (!result || !isa<FloatType>(result.getType()))
    return result;
  return convertFloatToFloat(b, result, type);
}

Value hetero::emitScalarOp(ImplicitLocOpBuilder &b, Operation *op,
                           ValueRange operands) {
  OpBuilder::InsertionGuard guard(b);
  Location outer = b.getLoc();
  b.setLoc(op->getLoc());
  Value result = isScalarOp(op) ? emitAny(b, op, operands) : Value();
  b.setLoc(outer);
  if (!result)
    op->emitError() << "'" << op->getName() << "' on "
                    << op->getOperand(0).getType()
                    << " is not supported on the CPU";
  return result;
}

/// The scalar of a constant all of whose elements are equal, or null.
static Value emitSplat(ImplicitLocOpBuilder &b, ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return {};
  return emitScalarConstant(b, elements.getSplatValue<Attribute>(),
                            elements.getElementType());
}

/// Emits one operation of a region, null after an error.
static Value emitRegionOp(ImplicitLocOpBuilder &b, Operation &op,
                          ValueRange operands) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    if (Value splat = emitSplat(b, constant))
      return splat;
  } else if (isa<ReshapeOp, BroadcastInDimOp, TransposeOp>(op)) {
    return operands[0];
  } else if (isScalarOp(&op)) {
    return emitScalarOp(b, &op, operands);
  }
  op.emitError() << "'" << op.getName()
                 << "' within a computation on single elements is not "
                    "supported on the CPU";
  return {};
}

LogicalResult
hetero::emitScalarRegion(ImplicitLocOpBuilder &b, Region &region,
                         ValueRange arguments,
                         llvm::function_ref<Value(Value)> getOutside,
                         SmallVectorImpl<Value> &results) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  auto lookup = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    auto constant = value.getDefiningOp<ConstantOp>();
    Value scalar = constant ? emitSplat(b, constant) : Value();
    return scalar ? scalar : getOutside(value);
  };
  for (Operation &op : region.front()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    if (isa<ReturnOp>(op)) {
      llvm::append_range(results, operands);
      return success();
    }
    Value result = emitRegionOp(b, op, operands);
    if (!result)
      return failure();
    mapping.map(op.getResult(0), result);
  }
  return success();
}
