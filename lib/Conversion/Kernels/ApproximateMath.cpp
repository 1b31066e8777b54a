//===- ApproximateMath.cpp - exp, log1p and tanh, vectorized --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApproximateMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <limits>

using namespace mlir;
using namespace hetero;

namespace {
/// log(1 + x) by the logarithm, which has a vectorized form:
///
///   u = 1 + x,  log1p(x) = log(u) x / (u - 1)
///
/// The quotient makes up for what was rounded off in u: u - 1 is exact where
/// that is much of x. Where u is 1 the result is x, and so it is at infinity.
struct Log1pByLog : public OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    auto type = dyn_cast<FloatType>(x.getType());
    if (!type)
      return failure();
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
    };
    auto equals = [&](Value a, Value other) -> Value {
      return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, a, other);
    };
    Value one = constant(1);
    Value u = arith::AddFOp::create(b, one, x);
    Value ratio = arith::DivFOp::create(b, x, arith::SubFOp::create(b, u, one));
    Value result = arith::MulFOp::create(b, math::LogOp::create(b, u), ratio);
    Value isX = arith::OrIOp::create(
        b, equals(u, one),
        equals(u, constant(std::numeric_limits<double>::infinity())));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isX, x, result);
    return success();
  }
};

struct ApproximateMath
    : public PassWrapper<ApproximateMath, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApproximateMath)
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Log1pByLog>(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == math::TanhOp::getOperationName() ||
             name == math::ExpOp::getOperationName();
    });
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

std::unique_ptr<Pass> hetero::createApproximateMathPass() {
  return std::make_unique<ApproximateMath>();
}
