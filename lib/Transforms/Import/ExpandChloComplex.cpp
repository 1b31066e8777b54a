//===- ExpandChloComplex.cpp - Complex functions of CHLO ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex functions from their real and imaginary parts. Branch cuts follow the
// sign of a zero; nothing inside overflows or cancels where the result does
// not.

#include "ExpandChlo.h"
#include <cmath>

using namespace mlir;
using namespace hetero;

/// A number whose square is far from overflow.
static double getSafeBound(Expr x) { return std::sqrt(getLargest(x)) / 8; }

/// sqrt(a^2 + b^2) of finite numbers that are not negative.
static Expr hypotenuse(Expr a, Expr b) {
  Expr large = max(a, b), small = min(a, b);
  Expr ratio = small / select(large == 0.0, 1.0, large);
  return large * sqrt(1.0 + ratio * ratio);
}

/// log |z| for the parts of a large z.
static Expr logOfLarge(Expr large, Expr small) {
  Expr ratio = small / large;
  Expr result = log(large) + 0.5 * log1p(ratio * ratio);
  return select(large == INFINITY, INFINITY, result);
}

//===----------------------------------------------------------------------===//
// Inverse sines and cosines
//===----------------------------------------------------------------------===//

namespace {
/// Re(sqrt(1 - z^2)) and |Im(asin(z))|.
struct Kernel {
  Expr re, im;
};
} // namespace

/// x and y are the absolute values of the parts of z. With r = |z + 1|,
/// s = |z - 1| and a = (r + s) / 2, as found by Hull, Fairgrieve and Tang,
///
///   Re(sqrt(1 - z^2)) = sqrt((a + x) (a - x))
///   |Im(asin(z))|     = log(a + sqrt(a^2 - 1)),
///
/// and a - x and a - 1 are sums of positive terms by
///
///   r - (x + 1) = y^2 / (r + (x + 1)),  s - (1 - x) = y^2 / (s + (1 - x)).
///
/// y^2 is taken out of the roots, because it may underflow.
static Kernel asinAcosKernel(Expr x, Expr y) {
  Expr large = max(x, y);
  Expr isLarge = large > getSafeBound(x);
  Expr xOriginal = x, yOriginal = y;
  // Keep the formulas for moderate numbers quiet elsewhere.
  x = select(isLarge, 0.0, x);
  y = select(isLarge, 1.0, y);

  Expr isInside = x < 1.0;
  Expr toOne = abs(1.0 - x);
  Expr r = hypotenuse(x + 1.0, y), s = hypotenuse(toOne, y);
  Expr a = 0.5 * (r + s);
  Expr u = 1.0 / (r + (x + 1.0));
  // Only zero, and not needed, at z = 1.
  Expr sum = s + toOne;
  Expr v = 1.0 / select(sum == 0.0, 1.0, sum);

  Expr half = 0.5 * (u + v);
  Expr aMinusOne = select(isInside, y * (y * half), 0.5 * (y * (y * u) + sum));
  Expr root =
      select(isInside, y * sqrt(half * (a + 1.0)), sqrt(aMinusOne * (a + 1.0)));
  Expr im = log1p(aMinusOne + root);

  Expr reInside = sqrt(0.5 * (a + x) * (y * (y * u) + sum));
  Expr reOutside = y * sqrt((a + x) * half);
  Expr re = select(x <= 1.0, reInside, reOutside);

  Expr imLarge = std::log(2.0) + logOfLarge(large, min(xOriginal, yOriginal));
  return {select(isLarge, yOriginal, re), select(isLarge, imLarge, im)};
}

static Expr expandKernel(Expr z) {
  Kernel w = asinAcosKernel(abs(real(z)), abs(imag(z)));
  return makeComplex(w.re, w.im);
}

static Expr expandAsin(Expr z) {
  Expr x = real(z), y = imag(z);
  Kernel w = asinAcosKernel(abs(x), abs(y));
  return makeComplex(atan2(x, w.re), copySign(w.im, y));
}

static Expr expandAcos(Expr z) {
  Expr x = real(z), y = imag(z);
  Kernel w = asinAcosKernel(abs(x), abs(y));
  return makeComplex(atan2(w.re, x), copySign(w.im, -y));
}

/// asinh(z) = -i asin(i z)
static Expr expandAsinh(Expr z) {
  Expr x = real(z), y = imag(z);
  Kernel w = asinAcosKernel(abs(y), abs(x));
  return makeComplex(copySign(w.im, x), atan2(y, w.re));
}

static Expr expandAcosh(Expr z) {
  Expr x = real(z), y = imag(z);
  Kernel w = asinAcosKernel(abs(x), abs(y));
  return makeComplex(w.im, copySign(atan2(w.re, x), y));
}

//===----------------------------------------------------------------------===//
// Inverse tangents
//===----------------------------------------------------------------------===//

/// The parts of atanh(x + i y):
///
///   re = 1/4 log(|1 + z|^2 / |1 - z|^2) = 1/4 log1p(4 x / |1 - z|^2)
///   im = 1/2 arg((1 + z) (1 - conj z)) = 1/2 atan2(2 y, (1 - x)(1 + x) - y^2)
static std::pair<Expr, Expr> atanhParts(Expr x, Expr y) {
  Expr xa = abs(x), ya = abs(y);
  Expr large = max(xa, ya);
  Expr isLarge = large > getSafeBound(x);
  Expr xs = select(isLarge, 0.0, xa);
  Expr ys = select(isLarge, 1.0, ya);

  Expr distance = hypotenuse(abs(1.0 - xs), ys);
  Expr re = 0.25 * log1p(4.0 * xs / (distance * distance));
  // Next to the pole the square would underflow, and xs is 1.
  re = select(distance < getEpsilon(x), 0.5 * (std::log(2.0) - log(distance)),
              re);
  // 1 / z = conj z / |z|^2 far away.
  Expr ratio = min(xa, ya) / large;
  Expr reLarge = (xa / large) / large / (1.0 + ratio * ratio);
  reLarge = select(large == INFINITY, 0.0, reLarge);
  re = select(isLarge, reLarge, re);

  Expr im =
      0.5 * atan2(2.0 * copySign(ys, y), (1.0 - xs) * (1.0 + xs) - ys * ys);
  Expr imLarge = copySign(y.splat(M_PI / 2), y);
  im = select(isLarge, imLarge, im);
  // Far away an undefined part must not be lost.
  im = select(isNaN(x) | isNaN(y), NAN, im);
  return {copySign(re, x), im};
}

static Expr expandAtanh(Expr z) {
  auto [re, im] = atanhParts(real(z), imag(z));
  return makeComplex(re, im);
}

/// atan(z) = -i atanh(i z)
static Expr expandAtan(Expr z) {
  auto [re, im] = atanhParts(-imag(z), real(z));
  return makeComplex(im, -re);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

namespace {
/// Products of hyperbolic functions of x with numbers up to 1, which may be
/// finite when the functions are not.
struct Hyperbolic {
  explicit Hyperbolic(Expr x)
      : x(x), a(abs(x)), isLarge(a > (x.isF64() ? 709.0 : 88.0)),
        root(exp(a * 0.5)), d(expm1(a)) {}

  Expr cosh(Expr factor) const {
    Expr e = d + 1.0;
    return pick(factor, 0.5 * (e + 1.0 / e));
  }
  Expr sinh(Expr factor) const {
    Expr value = pick(factor, 0.5 * (d + d / (d + 1.0)));
    // A zero keeps its sign.
    return select(x == 0.0, x * factor, select(x < 0.0, -value, value));
  }

private:
  /// e^a / 2 times `factor` for a large a, `moderate` times it otherwise.
  Expr pick(Expr factor, Expr moderate) const {
    return select(isLarge, (0.5 * root * factor) * root, moderate * factor);
  }

  Expr x, a, isLarge, root, d;
};
} // namespace

/// sinh(x + i y) = sinh x cos y + i cosh x sin y; the product with sin 0 is
/// zero even for an infinite x.
static Expr expandSinh(Expr z) {
  Expr x = real(z), y = imag(z);
  Hyperbolic h(x);
  return makeComplex(h.sinh(cos(y)), select(y == 0.0, y, h.cosh(sin(y))));
}

/// cosh(x + i y) = cosh x cos y + i sinh x sin y
static Expr expandCosh(Expr z) {
  Expr x = real(z), y = imag(z);
  Hyperbolic h(x);
  Expr zero = select(x < 0.0, -y, y);
  return makeComplex(h.cosh(cos(y)), select(y == 0.0, zero, h.sinh(sin(y))));
}

static Expr expandSquare(Expr z) {
  Expr x = real(z), y = imag(z);
  return makeComplex((x - y) * (x + y), 2.0 * (x * y));
}

void hetero::populateExpandChloComplex(RewritePatternSet &patterns) {
  patterns.add(expandUnary<chlo::AcosOp, expandAcos, true>)
      .add(expandUnary<chlo::AcoshOp, expandAcosh, true>)
      .add(expandUnary<chlo::AsinAcosKernelOp, expandKernel, true>)
      .add(expandUnary<chlo::AsinOp, expandAsin, true>)
      .add(expandUnary<chlo::AsinhOp, expandAsinh, true>)
      .add(expandUnary<chlo::AtanOp, expandAtan, true>)
      .add(expandUnary<chlo::AtanhOp, expandAtanh, true>)
      .add(expandUnary<chlo::CoshOp, expandCosh, true>)
      .add(expandUnary<chlo::SinhOp, expandSinh, true>)
      .add(expandUnary<chlo::SquareOp, expandSquare, true>);
}
