//===- LowerContractions.cpp - Calls of the matrix library ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Contractions.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// Replaces the operation by a call. Fails if it has to stay a loop.
static LogicalResult replace(linalg::GenericOp op) {
  auto type = dyn_cast<MemRefType>(op.getOutputs()[0].getType());
  if (!type ||
      !(type.getElementType().isF32() || type.getElementType().isF64()))
    return failure();
  FailureOr<ContractionLoops> loops = getContractionLoops(op);
  if (failed(loops))
    return failure();
  SmallVector<int64_t> table = {int64_t(loops->sizes.size()),
                                loops->fill ? 0 : 1};
  for (auto [d, size] : llvm::enumerate(loops->sizes)) {
    table.push_back(size);
    for (const Steps &operand : loops->operands)
      table.push_back(operand.strides[d]);
  }
  StringRef name = type.getElementType().isF32() ? "hetero_contract_f32"
                                                 : "hetero_contract_f64";
  callLibrary(op, *loops, name, table);
  return success();
}

namespace {
struct LowerContractions
    : public hetero::impl::LowerContractionsPassBase<LowerContractions> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kContractionAttr))
        contractions.push_back(op);
    });
    for (linalg::GenericOp op : contractions)
      if (succeeded(replace(op)))
        ++numCalls;
      else
        op->removeAttr(kContractionAttr);
  }
};
} // namespace
