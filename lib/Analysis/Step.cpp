//===- Step.cpp - The training step of a module ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Step.h"
#include "hetero/Dialect/Hetero/Hetero.h"

using namespace mlir;
using namespace hetero;

/// The function that the plan is of, if there is a plan.
static FailureOr<func::FuncOp> getPlannedStep(ModuleOp module) {
  auto plans = module.getOps<PlanOp>();
  if (plans.empty())
    return func::FuncOp();
  PlanOp plan = *plans.begin();
  auto step = module.lookupSymbol<func::FuncOp>(plan.getStepAttr().getAttr());
  if (step && !step.isExternal())
    return step;
  return plan.emitOpError()
         << "is of " << plan.getStepAttr() << ", which "
         << (step ? "has no body" : "the module does not have");
}

FailureOr<func::FuncOp> hetero::getStep(ModuleOp module) {
  FailureOr<func::FuncOp> planned = getPlannedStep(module);
  if (failed(planned) || *planned)
    return planned;
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

LogicalResult hetero::checkOneBlock(func::FuncOp function, StringRef kind) {
  if (function.getBody().hasOneBlock())
    return success();
  return function.emitError() << "has " << function.getBody().getBlocks().size()
                              << " blocks, and a " << kind << " has one";
}
