//===- ExpandChloGamma.cpp - Gamma and zeta functions of CHLO -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lgamma, digamma, zeta and polygamma. The tables are near-minimax
// approximations, interpolated at Chebyshev nodes in 45-digit arithmetic; the
// text above each says of what, where, and with which relative error.

#include "ExpandChlo.h"
#include <cmath>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// lgamma(x) = (x - 1/2) (log x - 1) + (log(2 pi) - 1) / 2 + P(1 / x^2) / x for
/// x > 3; P is good to 7.6e-9 and 3e-17.
static constexpr double stirlingF32[] = {8.33333333e-2, -2.77777652e-3,
                                         7.93514882e-4, -5.89712489e-4,
                                         7.34474312e-4, -8.22820061e-4};
static constexpr double stirlingF64[] = {
    8.3333333333333333e-2,  -2.7777777777773669e-3, 7.9365079340677522e-4,
    -5.9523803741520898e-4, 8.4174358326330228e-4,  -1.9169705767962550e-3,
    6.3819022789801984e-3,  -2.8532019670306768e-2, 1.5261522546056274e-1,
    -8.3720804878476096e-1, 4.0225198486978493,     -1.4654867004454520e1,
    3.4409591788932712e1,   -3.8179838920183323e1};

/// lgamma(1 + t) = t (t - 1) P(t) / Q(t) for 0 < t < 2, to 1.1e-9 and 4.0e-18.
static constexpr double lgammaNumeratorF32[] = {
    5.77215664e-1, 8.11798750e-1, 3.17245026e-1, 3.19169754e-2, 2.14915718e-4};
static constexpr double lgammaDenominatorF32[] = {1.0, 1.83129137, 1.05842293,
                                                  2.11346269e-1, 1.07079833e-2};
static constexpr double lgammaNumeratorF64[] = {
    5.7721566490153286e-1, 1.7958790189979279,    2.1865334418937055,
    1.3226883681228077,    4.1752536810485757e-1, 6.6206524143729809e-2,
    4.6302125470460272e-3, 1.0318936786846241e-4, 1.5462129680162399e-7};
static constexpr double lgammaDenominatorF64[] = {1.0,
                                                  3.5361659629745214,
                                                  5.0212579006612508,
                                                  3.6722217552107503,
                                                  1.4771004522959045,
                                                  3.2397691734605760e-1,
                                                  3.6138844471214006e-2,
                                                  1.7463681006452904e-3,
                                                  2.4701852219090834e-5};

/// digamma(x) = log x - 1 / (2 x) - P(1 / x^2) / x^2 for x > 3; P is good to
/// 6.2e-8 and 1.2e-16.
static constexpr double digammaLargeF32[] = {8.33333333e-2, -8.33331912e-3,
                                             3.96671386e-3, -4.10354114e-3,
                                             6.33033663e-3, -7.94050755e-3};
static constexpr double digammaLargeF64[] = {
    8.3333333333333333e-2,  -8.3333333333314606e-3, 3.9682539669761439e-3,
    -4.1666663180979847e-3, 7.5757070390861175e-3,  -2.1088301759393138e-2,
    8.3066008831355547e-2,  -4.3197479150785186e-1, 2.6996290251013691,
    -1.7801600496854062e1,  1.0792593503576584e2,   -5.3329938401989626e2,
    1.9208404424602396e3,   -4.3730902617826963e3,  4.6643390792500729e3};

/// digamma(1 + t) = (t - z) P(t) / Q(t) for 0 < t < 2, to 1.5e-10 and 2.8e-19.
/// z, where digamma has its zero, is the sum of two numbers.
static constexpr double digammaNumeratorF32[] = {
    1.25038014, 1.37747684, 4.11441202e-1, 3.15406284e-2, 1.44234765e-4};
static constexpr double digammaDenominatorF32[] = {
    1.0, 1.78519325, 9.47524639e-1, 1.70045527e-1, 7.78485794e-3};
static constexpr double digammaNumeratorF64[] = {
    1.2503801375034054,    2.0079983521060052,    1.1741604116033721,
    3.1649933632550714e-1, 4.0493508265671441e-2, 2.2352895219677608e-3,
    3.9117651665683126e-5, 4.0973619305267238e-8};
static constexpr double digammaDenominatorF64[] = {1.0,
                                                   2.2894571233542136,
                                                   1.9022022748824644,
                                                   7.4704950023285863e-1,
                                                   1.4810832904594672e-1,
                                                   1.4396602345897333e-2,
                                                   6.0000041121003017e-4,
                                                   7.3778476243478861e-6};
static constexpr double digammaZeroF32[] = {0.4616321325302124,
                                            1.2438149938918909e-8};
static constexpr double digammaZeroF64[] = {0.46163214496836236,
                                            -1.5522348162858677e-17};

/// Bernoulli's numbers B(2 j) / (2 j)! for j = 1, 2, ..
static constexpr double bernoulli[] = {
    8.3333333333333333e-2,  -1.3888888888888889e-3,  3.3068783068783069e-5,
    -8.2671957671957672e-7, 2.0876756987868099e-8,   -5.2841901386874932e-10,
    1.3382536530684679e-11, -3.3896802963225829e-13, 8.5860620562778446e-15,
    -2.1748686985580619e-16};

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// Where a function of x > 0 is evaluated: at 1 + t with 0 < t < 2 if x < 3,
/// after a step of the recurrence from x to x + 1 if x <= 1. t is exact.
struct Middle {
  explicit Middle(Expr x)
      : isUpToOne(x <= 1.0), isLarge(x >= 3.0),
        t(select(isUpToOne, x, x - 1.0)) {}

  Expr isUpToOne, isLarge;
  Expr t;
};

/// The distance of x < 0 from the integer above, which sin(pi x) depends on.
struct Reflection {
  explicit Reflection(Expr x)
      : isNeeded(x < 0.0), argument(select(isNeeded, 1.0 - x, abs(x))),
        fraction(abs(x) - floor(abs(x))) {}

  Expr isNeeded;
  /// 1 - x for a negative x, otherwise x.
  Expr argument;
  Expr fraction;
};
} // namespace

//===----------------------------------------------------------------------===//
// lgamma
//===----------------------------------------------------------------------===//

/// For x >= 0.
static Expr lgammaPositive(Expr x) {
  Expr logX = log(x);
  Middle middle(x);
  Expr t = middle.t;
  Expr fraction =
      polynomial(t, pick(x, lgammaNumeratorF32, lgammaNumeratorF64)) /
      polynomial(t, pick(x, lgammaDenominatorF32, lgammaDenominatorF64));
  Expr small = t * (t - 1.0) * fraction;
  // lgamma(x) = lgamma(x + 1) - log(x)
  small = select(middle.isUpToOne, small - logX, small);

  Expr inverse = 1.0 / x;
  Expr rest = inverse *
              polynomial(inverse * inverse, pick(x, stirlingF32, stirlingF64));
  Expr large = (x - 0.5) * (logX - 1.0) + (0.41893853320467274 + rest);
  return select(middle.isLarge, large, small);
}

/// For x < 0 by reflection: lgamma(x) = log(pi / |sin(pi x)|) - lgamma(1 - x).
static Expr expandLgamma(Expr x) {
  Reflection reflection(x);
  Expr positive = lgammaPositive(reflection.argument);
  // sin(pi f) = sin(pi (1 - f)), and the smaller of both is more exact.
  Expr f = reflection.fraction;
  Expr sine = sin(M_PI * min(f, 1.0 - f));
  Expr negative = 1.1447298858494002 - log(sine) - positive;
  // Beyond the integers, also those that are too large to have a fraction.
  negative = select(f == 0.0, INFINITY, negative);
  Expr result = select(reflection.isNeeded, negative, positive);
  return select(abs(x) == INFINITY, INFINITY, result);
}

//===----------------------------------------------------------------------===//
// digamma
//===----------------------------------------------------------------------===//

/// For x > 0.
static Expr digammaPositive(Expr x) {
  Expr inverse = 1.0 / x;
  Middle middle(x);
  Expr t = middle.t;
  ArrayRef<double> zero = pick(x, digammaZeroF32, digammaZeroF64);
  Expr fraction =
      polynomial(t, pick(x, digammaNumeratorF32, digammaNumeratorF64)) /
      polynomial(t, pick(x, digammaDenominatorF32, digammaDenominatorF64));
  Expr small = ((t - zero[0]) - zero[1]) * fraction;
  // digamma(x) = digamma(x + 1) - 1 / x
  small = select(middle.isUpToOne, small - inverse, small);

  Expr u = inverse * inverse;
  Expr large = log(x) - 0.5 * inverse -
               u * polynomial(u, pick(x, digammaLargeF32, digammaLargeF64));
  return select(middle.isLarge, large, small);
}

/// For x < 0 by reflection: digamma(x) = digamma(1 - x) - pi / tan(pi x). At
/// the poles, zero and the negative integers, the sign is ambiguous: NaN, as in
/// JAX.
static Expr expandDigamma(Expr x) {
  Reflection reflection(x);
  Expr positive = digammaPositive(reflection.argument);
  // tan(pi x) = -tan(pi f); f and 1 - f give opposite signs.
  Expr f = reflection.fraction;
  Expr isUpper = f > 0.5;
  Expr angle = M_PI * select(isUpper, 1.0 - f, f);
  Expr cotangent = M_PI * cos(angle) / sin(angle);
  Expr negative = positive + select(isUpper, -cotangent, cotangent);
  Expr result = select(reflection.isNeeded, negative, positive);
  return select((x <= 0.0) & (f == 0.0), NAN, result);
}

//===----------------------------------------------------------------------===//
// zeta
//===----------------------------------------------------------------------===//

/// The sum of (q + n)^(-x) over n >= 0 by Euler and Maclaurin, for x > 1 and
/// q > 0: N terms, the integral over the rest from w = q + N, and corrections
///
///   w^(-x) (w / (x - 1) + 1/2 + sum over j of
///           B(2 j) / (2 j)! x (x + 1) .. (x + 2 j - 2) w^(1 - 2 j)).
///
/// 4 terms and 5 corrections give 4.3e-10, 8 and 10 give 1.8e-18.
static Expr zetaPositive(Expr x, Expr q) {
  unsigned numTerms = x.isF64() ? 8 : 4;
  ArrayRef<double> factors = ArrayRef(bernoulli).take_front(x.isF64() ? 10 : 5);
  Expr minusX = -x;
  Expr sum = pow(q, minusX);
  for (unsigned n = 1; n != numTerms; ++n)
    sum = sum + pow(q + double(n), minusX);

  Expr w = q + double(numTerms);
  Expr power = pow(w, minusX);
  Expr u = 1.0 / (w * w);
  // Nested: c1 + (x + 1)(x + 2) u (c2 + (x + 3)(x + 4) u (c3 + ..
  Expr corrections = x.splat(factors.back());
  for (unsigned j = factors.size() - 1; j != 0; --j)
    corrections =
        (x + (2.0 * j - 1)) * (x + 2.0 * j) * u * corrections + factors[j - 1];
  Expr rest = power * (w / (x - 1.0) + 0.5 + x * corrections / w);
  // For a large x the corrections overflow, when nothing is left to correct.
  return sum + select(power == 0.0, 0.0, rest);
}

/// For q < 0 and an integer x the terms before q + n changes its sign are those
/// of two sums from the other side: with f the fraction of -q,
///
///   zeta(x, q) = zeta(x, 1 - f) + (-1)^x (zeta(x, f) - zeta(x, 1 - q)).
Expr hetero::expandZeta(Expr x, Expr q) {
  Reflection reflection(q);
  Expr f = reflection.fraction;
  Expr positive = zetaPositive(x, reflection.argument);
  Expr other = zetaPositive(x, f) - positive;
  Expr half = x * 0.5;
  Expr isEven = half == floor(half);
  Expr negative = zetaPositive(x, 1.0 - f) + select(isEven, other, -other);

  Expr result = select(reflection.isNeeded, negative, positive);
  result = select(q == INFINITY, 0.0, result);
  // Powers of negative numbers need integers.
  result = select((q < 0.0) & (x != floor(x)), NAN, result);
  result = select((q <= 0.0) & ((f == 0.0) | (abs(q) == INFINITY)), INFINITY,
                  result);
  result = select(x == 1.0, INFINITY, result);
  return select((x < 1.0) | isNaN(x) | isNaN(q), NAN, result);
}

//===----------------------------------------------------------------------===//
// polygamma
//===----------------------------------------------------------------------===//

/// polygamma(n, x) = (-1)^(n + 1) n! zeta(n + 1, x), and digamma for n = 0.
Expr hetero::expandPolygamma(Expr n, Expr x) {
  Expr order = n + 1.0;
  Expr magnitude = exp(lgammaPositive(order)) * expandZeta(order, x);
  Expr half = n * 0.5;
  Expr isEven = half == floor(half);
  Expr result = select(isEven, -magnitude, magnitude);
  result = select(n == 0.0, expandDigamma(x), result);
  return select((n < 0.0) | (n != floor(n)), NAN, result);
}

void hetero::populateExpandChloGamma(RewritePatternSet &patterns) {
  patterns.add(expandUnary<chlo::DigammaOp, expandDigamma>)
      .add(expandUnary<chlo::LgammaOp, expandLgamma>)
      .add(expandBinary<chlo::PolygammaOp, expandPolygamma>)
      .add(expandBinary<chlo::ZetaOp, expandZeta>);
}
