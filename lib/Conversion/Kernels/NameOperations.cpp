//===- NameOperations.cpp - Operations in their locations -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Passes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_NAMEOPERATIONSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// "tanh 8x128xf32"; without the type if it is not a tensor.
static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName().stripDialect();
  auto type = op->getNumResults() > 0
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type)
    return text;
  os << " ";
  for (int64_t size : type.getShape())
    os << size << "x";
  os << type.getElementType();
  return text;
}

namespace {
struct NameOperations
    : public hetero::impl::NameOperationsPassBase<NameOperations> {
  using NameOperationsPassBase::NameOperationsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (op->getName().getDialectNamespace() != "stablehlo" ||
          op->hasTrait<OpTrait::IsTerminator>())
        return;
      auto name = StringAttr::get(&getContext(), describe(op));
      op->setLoc(FusedLoc::get(&getContext(), {op->getLoc()}, name));
      ++numNamed;
    });
  }
};
} // namespace
