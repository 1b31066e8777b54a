//===- ExpandChloErf.cpp - Error functions of CHLO ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erf, erfc and the inverse of erf. The tables are near-minimax approximations,
// interpolated at Chebyshev nodes in 45-digit arithmetic; the text above each
// says of what, where, and with which relative error.

#include "ExpandChlo.h"
#include <cmath>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// erf(x) / x = P(x^2) / Q(x^2) for x^2 < 15.4, to 1.9e-8.
static constexpr double erfNumeratorF32[] = {
    1.12837919,    1.83700103e-1, 5.44245281e-2, 3.82781185e-3,
    3.91743671e-4, 5.04423831e-6, -1.49496068e-8};
static constexpr double erfDenominatorF32[] = {1.0,           4.96133694e-1,
                                               1.13608709e-1, 1.54613533e-2,
                                               1.31940191e-3, 6.65120973e-5};

/// erf(x) / x = P(x^2) for x^2 < 1/4, to 1.4e-9 and 4.1e-18.
static constexpr double erfSmallF32[] = {
    1.12837917, -3.76126090e-1, 1.12828314e-1, -2.67577327e-2, 4.71908257e-3};
static constexpr double erfSmallF64[] = {
    1.1283791670955126,     -3.7612638903183474e-1, 1.1283791670925353e-1,
    -2.6866170632887929e-2, 5.2239773730214700e-3,  -8.5482977536749669e-4,
    1.2053335124353741e-4,  -1.4845849259707870e-5, 1.4725865480556744e-6};

/// (1 + 2x) exp(x^2) erfc(x) = P((x - k) / (x + k)) for x > 1/2, to 2.0e-9 with
/// k = 2.5 up to x = 10.6, and to 1.2e-18 with k = 3.5 up to x = 28.
static constexpr double erfcF32[] = {
    1.26483818,     -1.22356763e-1, -9.90245380e-2, 1.57629922e-1,
    -1.02967111e-1, 3.27607563e-2,  9.32554254e-4,  -4.38036474e-3,
    4.88349442e-4,  6.22938706e-4,  -8.02066406e-5, -9.08271291e-5};
static constexpr double erfcF64[] = {
    1.2423492448711544,     -1.4000918013761939e-1, -1.0555596332218178e-2,
    9.7519095153254453e-2,  -1.1508959816020039e-1, 8.7983153825049762e-2,
    -4.8823325827649890e-2, 1.9099330938661303e-2,  -4.2150199116833030e-3,
    -3.0226783536762912e-4, 5.6438445274437021e-4,  -1.2151271048015844e-4,
    -4.2782425130355105e-5, 2.4262219068778258e-5,  2.3289822784877873e-6,
    -3.8181757936825912e-6, -4.5702269992422469e-8, 6.0749766846153659e-7,
    -5.9908702262214259e-9, -1.0198841794901633e-7, -8.5887045300045118e-10,
    1.6661192874847898e-8,  4.5294110837808245e-10, -1.9030919343151475e-9};

/// inverse(x) / x = P(w) / Q(w) with w = -log(1 - x^2), to 1.3e-10 for w < 3
/// and to 1e-18 for w < 4.
static constexpr double erfInvNumeratorF32[] = {
    8.86226926e-1, 2.73583122e-1, 4.44469835e-2, 4.60346543e-3, 2.51617841e-4};
static constexpr double erfInvDenominatorF32[] = {
    1.0, 4.69061137e-2, 2.48409612e-2, 7.14911762e-4, 4.07423749e-5};
static constexpr double erfInvNumeratorF64[] = {
    8.8622692545275801e-1, 3.4057611375031258e-1, 8.9892010859424119e-2,
    1.7036540913379652e-2, 2.3853869631421086e-3, 2.5242000786508327e-4,
    1.9615860154707771e-5, 1.0177913585611430e-6, 2.7149310615032541e-8};
static constexpr double erfInvDenominatorF64[] = {1.0,
                                                  1.2249960376705493e-1,
                                                  5.6329914120596563e-2,
                                                  5.5150014973353414e-3,
                                                  9.8095656392609645e-4,
                                                  6.9666048238261916e-5,
                                                  5.0595015444692010e-6,
                                                  1.9814543138501378e-7,
                                                  1.7030185328800996e-9};

/// inverse(x) = P(s - c) / Q(s - c) with s = sqrt(-log(1 - x)), to 6.8e-10 with
/// c = 1.9 for 1.9 < s < 4.2, and to 2.9e-17 with c = 2 for 2.1 < s < 6.1.
static constexpr double tailNumeratorF32[] = {
    1.56324966, 2.55812023, 1.49782294, 3.61775456e-1, 2.86343989e-2};
static constexpr double tailDenominatorF32[] = {1.0, 9.65285913e-1,
                                                3.08156063e-1, 2.86191853e-2};
static constexpr double tailNumeratorF64[] = {
    1.6681883160585020,    4.1802321199155402,    4.4146847568944159,
    2.5358495661639291,    8.5094695364467462e-1, 1.6615585739092605e-1,
    1.7675057414191118e-2, 8.8061728148730364e-4, 1.4401339765215013e-5};
static constexpr double tailDenominatorF64[] = {1.0,
                                                1.8766940558255644,
                                                1.4651226720126560,
                                                6.0161245379844191e-1,
                                                1.3576960023783198e-1,
                                                1.6010666838776275e-2,
                                                8.5188455675042939e-4,
                                                1.4401059812010808e-5};

//===----------------------------------------------------------------------===//
// erf and erfc
//===----------------------------------------------------------------------===//

/// erf(x) for |x| < 1/2.
static Expr erfSmall(Expr x) {
  return x * polynomial(x * x, pick(x, erfSmallF32, erfSmallF64));
}

/// exp(-x^2) without the error of x^2, which x^2 itself would multiply: h is x
/// with so few bits that its square is exact.
static Expr expMinusSquare(Expr x) {
  ExprBuilder &b = x.getBuilder();
  Expr h = b(b.create<stablehlo::ReducePrecisionOp>(
      Value(x), x.isF64() ? 11 : 8, x.isF64() ? 23 : 9));
  return exp(-(h * h)) * exp((h - x) * (h + x));
}

/// erfc(x) for x > 1/2.
static Expr erfcLarge(Expr x) {
  // Beyond, the result is zero and the fit does not hold.
  x = min(x, x.splat(pick(x, 10.6, 28.0)));
  double k = pick(x, 2.5, 3.5);
  Expr fit = polynomial((x - k) / (x + k), pick(x, erfcF32, erfcF64));
  return expMinusSquare(x) * (fit / (1.0 + 2.0 * x));
}

static Expr expandErfc(Expr x) {
  Expr a = abs(x);
  Expr large = erfcLarge(a);
  return select(a < 0.5, 1.0 - erfSmall(x),
                select(x < 0.0, 2.0 - large, large));
}

/// One fraction serves f32 everywhere. f64 needs erfc for larger x, where
/// nothing cancels: erfc(x) < erf(x).
static Expr expandErf(Expr x) {
  if (!x.isF64()) {
    Expr t = x * x;
    Expr fraction =
        polynomial(t, erfNumeratorF32) / polynomial(t, erfDenominatorF32);
    return select(t > 15.4, sign(x), clamp(-1.0, x * fraction, 1.0));
  }
  Expr a = abs(x);
  Expr large = 1.0 - erfcLarge(a);
  return select(a < 0.5, erfSmall(x), select(x < 0.0, -large, large));
}

//===----------------------------------------------------------------------===//
// Inverse of erf
//===----------------------------------------------------------------------===//

static Expr expandErfInv(Expr x) {
  Expr a = abs(x);
  // 1 - |x| is exact where it matters; of 1 - x^2 that cannot be said.
  Expr rest = 1.0 - a;
  Expr isTail = rest < pick(x, 0.027, 0.0121);
  Expr w = -log(select(isTail, rest, rest * (1.0 + a)));

  Expr centre =
      x * (polynomial(w, pick(x, erfInvNumeratorF32, erfInvNumeratorF64)) /
           polynomial(w, pick(x, erfInvDenominatorF32, erfInvDenominatorF64)));
  Expr t = sqrt(w) - pick(x, 1.9, 2.0);
  Expr tail = polynomial(t, pick(x, tailNumeratorF32, tailNumeratorF64)) /
              polynomial(t, pick(x, tailDenominatorF32, tailDenominatorF64));
  // At 1 both polynomials overflow; beyond, the logarithm is NaN.
  tail = select(a == 1.0, INFINITY, tail);
  return select(isTail, select(x < 0.0, -tail, tail), centre);
}

void hetero::populateExpandChloErf(RewritePatternSet &patterns) {
  patterns.add(expandUnary<chlo::ErfOp, expandErf>)
      .add(expandUnary<chlo::ErfcOp, expandErfc>)
      .add(expandUnary<chlo::ErfInvOp, expandErfInv>);
}
