//===- StablehloInliner.cpp - Inlining into and out of StableHLO ----------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
