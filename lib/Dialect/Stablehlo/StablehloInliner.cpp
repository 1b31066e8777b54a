//===- StablehloInliner.cpp - Inlining into and out of StableHLO ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::stablehlo;

namespace {
/// Every op may go anywhere, and a call within a region of an op may be
/// replaced by its callee as long as the region stays one block.
struct StablehloInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const override {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *source, bool,
                       IRMapping &) const override {
    return source->hasOneBlock();
  }
};
} // namespace

void StablehloDialect::registerInliner() {
  addInterfaces<StablehloInlinerInterface>();
}
