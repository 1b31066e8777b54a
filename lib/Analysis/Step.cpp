//===- Step.cpp - The training step of a module ---------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Analysis/Step.h"

using namespace mlir;
using namespace hetero;

FailureOr<func::FuncOp> hetero::getStep(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getName() == "main")
      return function;
    if (function.isPublic() && !function->hasAttr("hetero.program"))
      functions.push_back(function);
  }
  if (functions.size() == 1)
    return functions.front();
  InFlightDiagnostic diag = module.emitError(
      "expected a function @main or exactly one public function, found ");
  diag << functions.size() << " public functions";
  for (func::FuncOp function : functions)
    diag.attachNote(function.getLoc()) << "@" << function.getName();
  return failure();
}
