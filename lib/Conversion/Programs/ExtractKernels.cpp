//===- ExtractKernels.cpp - What rank programs compute --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Programs/Passes.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_EXTRACTKERNELSPASS
#include "hetero/Conversion/Programs/Passes.h.inc"
} // namespace hetero

namespace {
struct ExtractKernels
    : public hetero::impl::ExtractKernelsPassBase<ExtractKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (getRankPrograms(module).empty())
      return;
    FailureOr<RuntimePrograms> converted = convertToRuntimePrograms(module);
    if (failed(converted))
      return signalPassFailure();
    Block *body = module.getBody();
    body->clear();
    auto &kernels = converted->kernels->getBody()->getOperations();
    body->getOperations().splice(body->end(), kernels);
    for (auto function : module.getOps<func::FuncOp>())
      numKernels += !function.isExternal();
  }
};
} // namespace
