//===- ExpandChloBessel.cpp - Bessel functions of CHLO --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables are near-minimax approximations, interpolated at Chebyshev nodes
// in 45-digit arithmetic; the text above each says of what, where, and with
// which relative error.

#include "ExpandChlo.h"

using namespace mlir;
using namespace hetero;

/// I1(x) / x = P(x^2), to 7.7e-10 for x < 8 and to 2.1e-17 for x < 12. All
/// terms are positive.
static constexpr double smallF32[] = {
    5.00000000e-1,  6.24999985e-2,  2.60416757e-3,  5.42532523e-5,
    6.78195730e-7,  5.64942752e-9,  3.37280242e-11, 1.47632153e-13,
    5.67811639e-16, 9.33866034e-19, 6.35890240e-21};
static constexpr double smallF64[] = {
    5.0000000000000001e-1,  6.2499999999999949e-2,  2.6041666666667094e-3,
    5.4253472222208102e-5,  6.7816840278023945e-7,  5.6514033562198905e-9,
    3.3639305711789957e-11, 1.5017547093324268e-13, 5.2144264337203903e-16,
    1.4484508163324856e-18, 3.2919535626928621e-21, 6.2344481856959151e-24,
    9.9948775047277870e-27, 1.3694205666396404e-29, 1.6549794509977147e-32,
    1.5936785709933080e-35, 1.9609776066616841e-38, 3.1190645813361660e-42,
    2.2763648496115240e-44};

/// sqrt(x) exp(-x) I1(x) = P(1 / x) beyond that, to 1.2e-8 and 5e-17.
static constexpr double largeF32[] = {
    3.98942280e-1,  -1.49603417e-1, -4.67407044e-2, -4.15600302e-2,
    -3.75987447e-2, -4.30640602e-1, 2.37914306,     -1.01618993e1};
static constexpr double largeF64[] = {
    3.9894228040143268e-1,  -1.4960335515054869e-1, -4.6751048469790336e-2,
    -4.0907174952540884e-2, -5.7523682000276453e-2, -1.1106661295142206e-1,
    -2.3447569850263269e-1, -3.4458593991804213,    1.3988706229148492e2,
    -5.6549486570535256e3,  1.6613698262513677e5,   -3.6530313873125561e6,
    5.9599815296872792e7,   -7.1026050029211781e8,  5.9897438097441412e9,
    -3.3751396940574498e10, 1.1352196457405306e11,  -1.7160917565007238e11};

static Expr expandBesselI1e(Expr x) {
  Expr a = abs(x);
  double border = pick(x, 8.0, 12.0);
  Expr c = min(a, x.splat(border));
  Expr small = exp(-c) * polynomial(c * c, pick(x, smallF32, smallF64)) * x;
  Expr inverse = 1.0 / max(a, x.splat(border));
  Expr large = polynomial(inverse, pick(x, largeF32, largeF64)) * sqrt(inverse);
  return select(a < border, small, select(x < 0.0, -large, large));
}

static LogicalResult rejectComplexBessel(chlo::BesselI1eOp op,
                                         PatternRewriter &) {
  if (!isa<ComplexType>(getElementTypeOrSelf(op.getOperand().getType())))
    return failure();
  return op.emitOpError() << "cannot be expanded for complex elements, "
                          << op.getOperand().getType();
}

void hetero::populateExpandChloBessel(RewritePatternSet &patterns) {
  patterns.add(expandUnary<chlo::BesselI1eOp, expandBesselI1e>)
      .add(rejectComplexBessel);
}
