//===- StepReading.cpp - A step with layers, read once --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/StepReading.h"
#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Step.h"

using namespace mlir;
using namespace hetero;

StepReading::StepReading(Operation *module) {
  FailureOr<func::FuncOp> found = getStep(cast<ModuleOp>(module));
  if (failed(found))
    return;
  step = *found;
  FailureOr<FormAxis> axis = getBatchAxis(step);
  if (failed(axis))
    return;
  FailureOr<StepLayers> read = readLayers(step);
  if (failed(read))
    return;
  layers = std::move(*read);
  forms =
      std::make_unique<FormAnalysis>(step.getBody().front(), std::move(*axis));
  graph = getGraph(step, forms->getAxis().units);
  problem = getProblem(step, *forms, layers, graph);
}
