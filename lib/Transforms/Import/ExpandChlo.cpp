//===- ExpandChlo.cpp - Rewrites CHLO to StableHLO ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandChlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"

namespace hetero {
#define GEN_PASS_DEF_EXPANDCHLOPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct ExpandChloPass
    : public hetero::impl::ExpandChloPassBase<ExpandChloPass> {
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  FrozenRewritePatternSet patterns;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks and replacement
//===----------------------------------------------------------------------===//

/// Reports the first operand or result of `op` whose type has a problem.
static LogicalResult
checkTypes(Operation *op, function_ref<std::optional<StringRef>(Type)> find) {
  auto check = [&](TypeRange types, StringRef what) -> LogicalResult {
    for (auto [i, type] : llvm::enumerate(types))
      if (std::optional<StringRef> problem = find(type))
        return op->emitOpError() << "cannot be expanded: " << what << " #" << i
                                 << " " << *problem << ", " << type;
    return success();
  };
  return success(succeeded(check(op->getOperandTypes(), "operand")) &&
                 succeeded(check(op->getResultTypes(), "result")));
}

LogicalResult hetero::checkExpandable(Operation *op) {
  return checkTypes(op, [](Type type) -> std::optional<StringRef> {
    if (!isa<RankedTensorType>(type))
      return "has no rank";
    if (isa<quant::QuantizedType>(getElementTypeOrSelf(type)))
      return "is quantized";
    return std::nullopt;
  });
}

LogicalResult hetero::checkStatic(Operation *op) {
  if (failed(checkExpandable(op)))
    return failure();
  return checkTypes(op, [](Type type) -> std::optional<StringRef> {
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return "has a dynamic shape";
    return std::nullopt;
  });
}

void hetero::replaceWith(PatternRewriter &rewriter, Operation *op,
                         Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = stablehlo::ConvertOp::create(rewriter, op->getLoc(), type, value);
  // The value may also be an operand, whose op has its own attributes.
  Operation *def = value.getDefiningOp();
  if (def && def->getNumResults() == 1 &&
      !llvm::is_contained(op->getOperands(), value))
    for (NamedAttribute attr : op->getDiscardableAttrs())
      def->setDiscardableAttr(attr.getName(), attr.getValue());
  rewriter.replaceOp(op, value);
}

Expr hetero::upcast(Expr x) {
  auto type = dyn_cast<FloatType>(x.getElementType());
  if (!type || type.getWidth() >= 32)
    return x;
  return convert(x, Float32Type::get(type.getContext()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult ExpandChloPass::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  populateExpandChloBessel(set);
  populateExpandChloBroadcast(set);
  populateExpandChloComplex(set);
  populateExpandChloElementary(set);
  populateExpandChloErf(set);
  populateExpandChloGamma(set);
  populateExpandChloRaggedDot(set);
  populateExpandChloScan(set);
  populateExpandChloTopK(set);
  patterns = FrozenRewritePatternSet(std::move(set));
  return success();
}

void ExpandChloPass::runOnOperation() {
  // Inner ops come first, so that those in a body are StableHLO by the time
  // their parent takes the body apart.
  SmallVector<Operation *> ops;
  getOperation()->walk([&](Operation *op) {
    if (isa_and_nonnull<chlo::ChloDialect>(op->getDialect()))
      ops.push_back(op);
  });

  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(&getContext());
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (succeeded(applicator.matchAndRewrite(op, rewriter)))
      ++numExpanded;
    else
      signalPassFailure();
  }
}
