//===- ScalarOps.cpp - StableHLO on single elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

Value hetero::emitSplat(LoopBuilder &b, ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return {};
  auto element = elements.getSplatValue<Attribute>();
  Type type = convertElementType(elements.getElementType());
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex::ConstantOp::create(b, complex, cast<ArrayAttr>(element));
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return b.integer(type, integer.getValue());
  return b.constant(cast<TypedAttr>(element));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

static Value convertFloatToFloat(LoopBuilder &b, Value value, Type to) {
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
static Value convertFloatToInt(LoopBuilder &b, Value value, Type to,
                               bool isUnsignedTarget) {
  if (value.getType().getIntOrFloatBitWidth() == 16)
    value = arith::ExtFOp::create(b, b.getF32Type(), value);
  Type from = value.getType();
  unsigned width = to.getIntOrFloatBitWidth();
  double low = isUnsignedTarget ? 0.0 : -std::ldexp(1.0, width - 1);
  double high = std::ldexp(1.0, isUnsignedTarget ? width : width - 1);
  // For unsigned targets -0.7 truncates to 0, which lies within the range.
  Value below = b.cmpF(isUnsignedTarget ? FloatOrder::OLE : FloatOrder::OLT,
                       value, b.real(from, isUnsignedTarget ? -1.0 : low));
  Value negative = b.cmpF(FloatOrder::OLT, value, b.real(from, low));
  Value above = b.cmpF(FloatOrder::OGE, value, b.real(from, high));
  Value isNaN = b.cmpF(FloatOrder::UNO, value, value);
  Value outside = b.orI(b.orI(negative, above), isNaN);
  Value safe = b.select(outside, b.real(from, 0.0), value);
  Value inside = isUnsignedTarget
                     ? arith::FPToUIOp::create(b, to, safe).getResult()
                     : arith::FPToSIOp::create(b, to, safe).getResult();
  APInt smallest = isUnsignedTarget ? APInt::getZero(width)
                                    : APInt::getSignedMinValue(width);
  APInt largest = isUnsignedTarget ? APInt::getMaxValue(width)
                                   : APInt::getSignedMaxValue(width);
  Value result = b.select(above, b.integer(to, largest), inside);
  return b.select(below, b.integer(to, smallest), result);
}

static Value convertInt(LoopBuilder &b, Value value, Type from, Type to) {
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
    return b.cmpI(IntOrder::ne, value, b.integer(value.getType(), 0));
  unsigned toWidth = target.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(b, target, value);
  if (isUnsigned(from))
    return arith::ExtUIOp::create(b, target, value);
  return arith::ExtSIOp::create(b, target, value);
}

Value hetero::emitConvert(LoopBuilder &b, Value value, Type from, Type to) {
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
      imaginary = b.real(part, 0.0);
    }
    return complex::CreateOp::create(b, complex, real, imaginary);
  }
  if (auto source = dyn_cast<ComplexType>(from))
    return emitConvert(b, complex::ReOp::create(b, value),
                       source.getElementType(), to);
  if (isa<IntegerType>(from))
    return convertInt(b, value, from, to);
  if (isa<FloatType>(to))
    return convertFloatToFloat(b, value, to);
  if (to.isInteger(1))
    return b.cmpF(FloatOrder::UNE, value, b.real(value.getType(), 0.0));
  return convertFloatToInt(b, value, convertElementType(to),
                           to.isUnsignedInteger());
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

namespace {
struct Orders {
  IntOrder ofSigned, ofUnsigned;
  FloatOrder ofFloats;
};
} // namespace

/// In the order of ComparisonDirection.
static constexpr Orders orders[] = {
    {IntOrder::eq, IntOrder::eq, FloatOrder::OEQ},
    {IntOrder::ne, IntOrder::ne, FloatOrder::UNE},
    {IntOrder::sge, IntOrder::uge, FloatOrder::OGE},
    {IntOrder::sgt, IntOrder::ugt, FloatOrder::OGT},
    {IntOrder::sle, IntOrder::ule, FloatOrder::OLE},
    {IntOrder::slt, IntOrder::ult, FloatOrder::OLT}};
static_assert(std::size(orders) == getMaxEnumValForComparisonDirection() + 1);

/// The bits of a float as an integer that is ordered as IEEE's total order.
static Value getTotalOrderKey(LoopBuilder &b, Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value bits = b.bitcast(integer, value);
  Value isNegative = b.cmpI(IntOrder::slt, bits, b.integer(integer, 0));
  Value flipped =
      b.xorI(bits, b.integer(integer, APInt::getSignedMaxValue(width)));
  return b.select(isNegative, flipped, bits);
}

static Value emitCompare(LoopBuilder &b, CompareOp op, ValueRange operands) {
  Value lhs = operands[0], rhs = operands[1];
  Type type = getElementType(op.getLhs());
  ComparisonDirection direction = op.getComparisonDirection();
  const Orders &order = orders[size_t(direction)];

  if (isa<ComplexType>(type)) {
    if (direction == ComparisonDirection::EQ)
      return complex::EqualOp::create(b, lhs, rhs);
    return complex::NotEqualOp::create(b, lhs, rhs);
  }
  if (isa<IntegerType>(type))
    return b.cmpI(isUnsigned(type) ? order.ofUnsigned : order.ofSigned, lhs,
                  rhs);
  if (op.getCompareType() == ComparisonType::TOTALORDER)
    return b.cmpI(order.ofSigned, getTotalOrderKey(b, lhs),
                  getTotalOrderKey(b, rhs));
  if (type.getIntOrFloatBitWidth() == 16) {
    lhs = arith::ExtFOp::create(b, b.getF32Type(), lhs);
    rhs = arith::ExtFOp::create(b, b.getF32Type(), rhs);
  }
  return b.cmpF(order.ofFloats, lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Division by zero gives all ones, the remainder the dividend; the smallest
/// number divided by -1 overflows to itself with remainder 0.
static Value emitDivision(LoopBuilder &b, Value lhs, Value rhs,
                          bool isUnsignedType, bool wantsQuotient) {
  Type type = lhs.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = b.integer(type, 0), one = b.integer(type, 1);
  Value ones = b.integer(type, APInt::getAllOnes(width));
  Value byZero = b.cmpI(IntOrder::eq, rhs, zero);
  Value divisor = b.select(byZero, one, rhs);
  if (isUnsignedType) {
    if (wantsQuotient)
      return b.select(byZero, ones, b.divUI(lhs, divisor));
    return b.select(byZero, lhs, b.remUI(lhs, divisor));
  }
  Value smallest = b.integer(type, APInt::getSignedMinValue(width));
  Value overflows = b.andI(b.cmpI(IntOrder::eq, lhs, smallest),
                           b.cmpI(IntOrder::eq, rhs, ones));
  divisor = b.select(overflows, one, divisor);
  if (wantsQuotient)
    return b.select(byZero, ones, arith::DivSIOp::create(b, lhs, divisor));
  return b.select(byZero, lhs, arith::RemSIOp::create(b, lhs, divisor));
}

/// Shifts by the width or more push out all bits.
template <typename ShiftOp>
static Value emitShift(LoopBuilder &b, Value lhs, Value amount,
                       bool keepsSign) {
  Type type = lhs.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value isInside = b.cmpI(IntOrder::ult, amount, b.integer(type, width));
  Value last = b.integer(type, width - 1);
  Value safe = b.select(isInside, amount, last);
  Value shifted = ShiftOp::create(b, lhs, safe);
  if (keepsSign)
    return shifted;
  return b.select(isInside, shifted, b.integer(type, 0));
}

/// By squaring. A negative exponent leaves something only for 1 and -1.
static Value emitIntPower(LoopBuilder &b, Value base, Value exponent,
                          bool isUnsignedType) {
  Type type = base.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value one = b.integer(type, 1), zero = b.integer(type, 0);
  // The result, a power of the base, and the bits of the exponent that are
  // left.
  Value result = b.loop(
      b.index(0), b.index(width), b.index(1), {one, base, exponent},
      [&](LoopBuilder &nested, Value, ValueRange args) -> SmallVector<Value> {
        Value bit =
            arith::TruncIOp::create(nested, nested.getI1Type(), args[2]);
        Value product = nested.mulI(args[0], args[1]);
        Value next = nested.select(bit, product, args[0]);
        Value square = nested.mulI(args[1], args[1]);
        Value shifted = nested.shrUI(args[2], nested.integer(type, 1));
        return {next, square, shifted};
      })[0];
  if (isUnsignedType)
    return result;
  Value isNegative = b.cmpI(IntOrder::slt, exponent, zero);
  Value isOne = b.cmpI(IntOrder::eq, base, one);
  Value minusOne = b.integer(type, -1);
  Value isMinusOne = b.cmpI(IntOrder::eq, base, minusOne);
  Value isOdd = arith::TruncIOp::create(b, b.getI1Type(), exponent);
  Value sign = b.select(isOdd, minusOne, one);
  Value inverse = b.select(isOne, one, b.select(isMinusOne, sign, zero));
  return b.select(isNegative, inverse, result);
}

static Value emitIntSign(LoopBuilder &b, Value value) {
  Type type = value.getType();
  Value zero = b.integer(type, 0), one = b.integer(type, 1);
  Value isNegative = b.cmpI(IntOrder::slt, value, zero);
  Value isZero = b.cmpI(IntOrder::eq, value, zero);
  Value nonZero = b.select(isNegative, b.integer(type, -1), one);
  return b.select(isZero, zero, nonZero);
}

static Value emitIntUnary(LoopBuilder &b, Operation *op, Value x) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AbsOp) { return math::AbsIOp::create(b, x); })
      .Case([&](NegOp) { return b.subI(b.integer(type, 0), x); })
      .Case([&](NotOp) {
        return b.xorI(x, b.integer(type, APInt::getAllOnes(width)));
      })
      .Case([&](SignOp) { return emitIntSign(b, x); })
      .Case([&](ClzOp) { return math::CountLeadingZerosOp::create(b, x); })
      .Case([&](PopulationCountOp) { return math::CtPopOp::create(b, x); })
      .Default([](Operation *) { return Value(); });
}

static Value emitIntBinary(LoopBuilder &b, Operation *op, Value lhs,
                           Value rhs) {
  Type type = getElementType(op->getOperand(0));
  bool isBool = type.isInteger(1), isU = isUnsigned(type);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return isBool ? b.orI(lhs, rhs) : b.addI(lhs, rhs); })
      .Case([&](SubtractOp) {
        return isBool ? b.xorI(lhs, rhs) : b.subI(lhs, rhs);
      })
      .Case([&](MulOp) { return isBool ? b.andI(lhs, rhs) : b.mulI(lhs, rhs); })
      .Case([&](MaxOp) { return isU ? b.maxUI(lhs, rhs) : b.maxSI(lhs, rhs); })
      .Case([&](MinOp) { return isU ? b.minUI(lhs, rhs) : b.minSI(lhs, rhs); })
      .Case([&](DivOp) { return emitDivision(b, lhs, rhs, isU, true); })
      .Case([&](RemOp) { return emitDivision(b, lhs, rhs, isU, false); })
      .Case([&](PowOp) { return emitIntPower(b, lhs, rhs, isU); })
      .Case([&](AndOp) { return b.andI(lhs, rhs); })
      .Case([&](OrOp) { return b.orI(lhs, rhs); })
      .Case([&](XorOp) { return b.xorI(lhs, rhs); })
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
static Value emitFloatSign(LoopBuilder &b, Value x) {
  Value zero = b.real(x.getType(), 0.0);
  Value isItself = b.cmpF(FloatOrder::UEQ, x, zero);
  Value sign = math::CopySignOp::create(b, b.real(x.getType(), 1.0), x);
  return b.select(isItself, x, sign);
}

/// tanh(x / 2) (exp(x) + 1). MLIR would subtract 1 from exp(x).
Value hetero::emitExpm1(LoopBuilder &b, Value x) {
  Type type = x.getType();
  Value half = b.mulF(x, b.real(type, 0.5));
  Value above = b.addF(math::ExpOp::create(b, x), b.real(type, 1.0));
  return b.mulF(math::TanhOp::create(b, half), above);
}

static Value emitFloatUnary(LoopBuilder &b, Operation *op, Value x) {
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
        return b.divF(b.real(type, 1.0), math::SqrtOp::create(b, x));
      })
      .Case([&](LogisticOp) {
        Value one = b.real(type, 1.0);
        Value exp = math::ExpOp::create(b, arith::NegFOp::create(b, x));
        return b.divF(one, b.addF(one, exp));
      })
      .Default([](Operation *) { return Value(); });
}

static Value emitFloatBinary(LoopBuilder &b, Operation *op, Value lhs,
                             Value rhs) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return b.addF(lhs, rhs); })
      .Case([&](SubtractOp) { return arith::SubFOp::create(b, lhs, rhs); })
      .Case([&](MulOp) { return b.mulF(lhs, rhs); })
      .Case([&](DivOp) { return b.divF(lhs, rhs); })
      .Case([&](RemOp) { return arith::RemFOp::create(b, lhs, rhs); })
      .Case([&](MaxOp) { return arith::MaximumFOp::create(b, lhs, rhs); })
      .Case([&](MinOp) { return arith::MinimumFOp::create(b, lhs, rhs); })
      .Case([&](PowOp) { return math::PowFOp::create(b, lhs, rhs); })
      .Case([&](Atan2Op) { return math::Atan2Op::create(b, lhs, rhs); })
      .Default([](Operation *) { return Value(); });
}

/// Rounds to `exponentBits` and `mantissaBits` by the bits of the number: ties
/// to even, overflow to infinity, underflow to zero; NaN stays.
static Value emitReducePrecision(LoopBuilder &b, Value x, int64_t exponentBits,
                                 int64_t mantissaBits) {
  auto type = cast<FloatType>(x.getType());
  unsigned width = type.getWidth();
  int64_t mantissa = type.getFPMantissaWidth() - 1;
  int64_t exponent = width - 1 - mantissa;
  Type integer = b.getIntegerType(width);
  auto constant = [&](const APInt &value) { return b.integer(integer, value); };
  Value bits = b.bitcast(integer, x);
  if (mantissaBits < mantissa) {
    int64_t dropped = mantissa - mantissaBits;
    Value last = b.andI(b.shrUI(bits, constant(APInt(width, dropped))),
                        constant(APInt(width, 1)));
    APInt half = APInt::getLowBitsSet(width, dropped - 1);
    Value bias = b.addI(last, constant(half));
    bits = b.addI(bits, bias);
    bits = b.andI(bits, constant(~APInt::getLowBitsSet(width, dropped)));
  }
  if (exponentBits < exponent) {
    APInt sign = APInt::getSignMask(width);
    APInt exponentMask = APInt::getBitsSet(width, mantissa, width - 1);
    int64_t bias = (int64_t(1) << (exponent - 1)) - 1;
    int64_t reducedBias = (int64_t(1) << (exponentBits - 1)) - 1;
    APInt largest = APInt(width, bias + reducedBias) << mantissa;
    APInt smallest = APInt(width, bias - reducedBias) << mantissa;
    Value magnitude = b.andI(bits, constant(exponentMask));
    Value signBit = b.andI(bits, constant(sign));
    Value over = b.cmpI(IntOrder::ugt, magnitude, constant(largest));
    Value under = b.cmpI(IntOrder::ule, magnitude, constant(smallest));
    Value infinity = b.orI(signBit, constant(exponentMask));
    bits = b.select(under, signBit, bits);
    bits = b.select(over, infinity, bits);
  }
  Value rounded = b.bitcast(type, bits);
  Value isNaN = b.cmpF(FloatOrder::UNO, x, x);
  return b.select(isNaN, x, rounded);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static Value emitClamp(LoopBuilder &b, ClampOp op, ValueRange operands) {
  Value low = operands[0], x = operands[1], high = operands[2];
  Type type = getElementType(op.getOperand());
  if (isa<FloatType>(type))
    return arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, x, low),
                                     high);
  if (isUnsigned(type))
    return b.minUI(b.maxUI(x, low), high);
  return b.minSI(b.maxSI(x, low), high);
}

static Value emitReal(LoopBuilder &b, Operation *op, ValueRange operands) {
  Type type = operands.front().getType();
  if (auto clamp = dyn_cast<ClampOp>(op))
    return emitClamp(b, clamp, operands);
  if (isa<IntegerType>(type))
    return operands.size() == 1
               ? emitIntUnary(b, op, operands[0])
               : emitIntBinary(b, op, operands[0], operands[1]);
  if (isa<IsFiniteOp>(op)) {
    Value infinity = b.real(type, INFINITY);
    return b.cmpF(FloatOrder::OLT, math::AbsFOp::create(b, operands[0]),
                  infinity);
  }
  if (auto reduce = dyn_cast<ReducePrecisionOp>(op))
    return emitReducePrecision(b, operands[0], reduce.getExponentBits(),
                               reduce.getMantissaBits());
  return operands.size() == 1
             ? emitFloatUnary(b, op, operands[0])
             : emitFloatBinary(b, op, operands[0], operands[1]);
}

static Value emitAny(LoopBuilder &b, Operation *op, ValueRange operands) {
  if (auto convert = dyn_cast<ConvertOp>(op))
    return emitConvert(b, operands[0], getElementType(convert.getOperand()),
                       getElementType(convert.getResult()));
  if (auto bitcast = dyn_cast<BitcastConvertOp>(op))
    return b.bitcast(convertElementType(getElementType(bitcast.getResult())),
                     operands[0]);
  if (auto compare = dyn_cast<CompareOp>(op))
    return emitCompare(b, compare, operands);
  if (isa<SelectOp>(op))
    return b.select(operands[0], operands[1], operands[2]);
  if (isa<ComplexOp>(op))
    return complex::CreateOp::create(b, ComplexType::get(operands[0].getType()),
                                     operands[0], operands[1]);
  if (isa<ComplexType>(operands.front().getType()))
    return emitComplexOp(b, op, operands);
  if (isa<RealOp>(op))
    return operands[0];
  Type type = operands.front().getType();
  if (isa<ImagOp>(op))
    return b.real(type, 0.0);
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

Value hetero::emitScalarOp(LoopBuilder &b, Operation *op, ValueRange operands) {
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

/// Emits one operation of a region, null after an error.
static Value emitRegionOp(LoopBuilder &b, Operation &op, ValueRange operands) {
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
hetero::emitScalarRegion(LoopBuilder &b, Region &region, ValueRange arguments,
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
