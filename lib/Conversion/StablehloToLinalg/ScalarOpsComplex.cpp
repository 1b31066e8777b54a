//===- ScalarOpsComplex.cpp - StableHLO on single complex numbers ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

static Value makeReal(LoopBuilder &b, ComplexType type, double value) {
  Attribute real = b.getFloatAttr(type.getElementType(), value);
  Attribute zero = b.getFloatAttr(type.getElementType(), 0.0);
  return complex::ConstantOp::create(b, type, b.getArrayAttr({real, zero}));
}

/// The larger (or smaller) of two numbers by real, then imaginary part.
static Value emitExtremum(LoopBuilder &b, Value lhs, Value rhs,
                          FloatOrder strict) {
  Value lhsRe = complex::ReOp::create(b, lhs),
        rhsRe = complex::ReOp::create(b, rhs);
  Value lhsIm = complex::ImOp::create(b, lhs),
        rhsIm = complex::ImOp::create(b, rhs);
  Value equal = b.cmpF(FloatOrder::OEQ, lhsRe, rhsRe);
  Value byReal = b.cmpF(strict, lhsRe, rhsRe);
  Value byImaginary = b.cmpF(strict, lhsIm, rhsIm);
  Value takesLhs = b.select(equal, byImaginary, byReal);
  return b.select(takesLhs, lhs, rhs);
}

/// exp(z) - 1 without the loss of digits near 0:
/// (exp(x) - 1) cos(y) - 2 sin(y/2)^2 + i exp(x) sin(y).
static Value emitComplexExpm1(LoopBuilder &b, Value z) {
  auto type = cast<ComplexType>(z.getType());
  Type part = type.getElementType();
  Value x = complex::ReOp::create(b, z), y = complex::ImOp::create(b, z);
  auto constant = [&](double value) -> Value { return b.real(part, value); };
  Value half = math::SinOp::create(b, b.mulF(y, constant(0.5)));
  Value versine = b.mulF(constant(2.0), b.mulF(half, half));
  Value scaled = b.mulF(emitExpm1(b, x), math::CosOp::create(b, y));
  Value re = arith::SubFOp::create(b, scaled, versine);
  Value sine = b.mulF(math::ExpOp::create(b, x), math::SinOp::create(b, y));
  // A real number stays one, even an infinite one.
  Value zero = constant(0.0);
  Value isReal = b.cmpF(FloatOrder::OEQ, y, zero);
  return complex::CreateOp::create(b, type, re, b.select(isReal, y, sine));
}

static Value emitUnary(LoopBuilder &b, Operation *op, Value z) {
  auto type = cast<ComplexType>(z.getType());
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](RealOp) { return complex::ReOp::create(b, z); })
      .Case([&](ImagOp) { return complex::ImOp::create(b, z); })
      .Case([&](AbsOp) { return complex::AbsOp::create(b, z); })
      .Case([&](NegOp) { return complex::NegOp::create(b, z); })
      .Case([&](SignOp) { return complex::SignOp::create(b, z); })
      .Case([&](CosineOp) { return complex::CosOp::create(b, z); })
      .Case([&](SineOp) { return complex::SinOp::create(b, z); })
      .Case([&](TanOp) { return complex::TanOp::create(b, z); })
      .Case([&](TanhOp) { return complex::TanhOp::create(b, z); })
      .Case([&](ExpOp) { return complex::ExpOp::create(b, z); })
      .Case([&](Expm1Op) { return emitComplexExpm1(b, z); })
      .Case([&](LogOp) { return complex::LogOp::create(b, z); })
      .Case([&](Log1pOp) { return complex::Log1pOp::create(b, z); })
      .Case([&](SqrtOp) { return complex::SqrtOp::create(b, z); })
      .Case([&](RsqrtOp) { return complex::RsqrtOp::create(b, z); })
      .Case([&](LogisticOp) {
        Value one = makeReal(b, type, 1.0);
        Value exp = complex::ExpOp::create(b, complex::NegOp::create(b, z));
        return complex::DivOp::create(b, one,
                                      complex::AddOp::create(b, one, exp));
      })
      .Default([](Operation *) { return Value(); });
}

static Value emitBinary(LoopBuilder &b, Operation *op, Value lhs, Value rhs) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return complex::AddOp::create(b, lhs, rhs); })
      .Case([&](SubtractOp) { return complex::SubOp::create(b, lhs, rhs); })
      .Case([&](MulOp) { return complex::MulOp::create(b, lhs, rhs); })
      .Case([&](DivOp) { return complex::DivOp::create(b, lhs, rhs); })
      .Case([&](PowOp) { return complex::PowOp::create(b, lhs, rhs); })
      .Case([&](Atan2Op) { return complex::Atan2Op::create(b, lhs, rhs); })
      .Case([&](MaxOp) { return emitExtremum(b, lhs, rhs, FloatOrder::OGT); })
      .Case([&](MinOp) { return emitExtremum(b, lhs, rhs, FloatOrder::OLT); })
      .Default([](Operation *) { return Value(); });
}

Value hetero::emitComplexOp(LoopBuilder &b, Operation *op,
                            ValueRange operands) {
  if (operands.size() == 1)
    return emitUnary(b, op, operands[0]);
  if (operands.size() == 2)
    return emitBinary(b, op, operands[0], operands[1]);
  return {};
}
