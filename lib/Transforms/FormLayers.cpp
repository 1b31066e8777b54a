//===- FormLayers.cpp - Divides a step into layers ------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Analysis/StepProblem.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Transforms/Passes.h"

namespace hetero {
#define GEN_PASS_DEF_FORMLAYERSPASS
#include "hetero/Transforms/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct FormLayersPass
    : public hetero::impl::FormLayersPassBase<FormLayersPass> {
  using FormLayersPassBase::FormLayersPassBase;
  void runOnOperation() override;
};
} // namespace

static ::hetero::Work getWork(const planner::Cost &cost) {
  ::hetero::Work work(0);
  for (auto &[type, amount] : cost.work)
    work += amount.perSample;
  return work;
}

void FormLayersPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!module.getOps<LayerTableOp>().empty())
    return;
  if (maxLayers < 1) {
    module.emitError("max-layers is ")
        << int64_t(maxLayers) << " and must be at least 1";
    return signalPassFailure();
  }
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return signalPassFailure();
  FailureOr<FormAxis> axis = getBatchAxis(*step);
  if (failed(axis))
    return signalPassFailure();
  warnOfWholeBatches(*step, *axis);
  FormAnalysis forms(step->getBody().front(), std::move(*axis));
  StepLayers layers = formLayers(*step, forms, maxLayers);
  numLayers += layers.numLayers;
  MLIRContext *context = &getContext();
  for (Operation &op : step->getBody().front())
    if (auto it = layers.ofOp.find(&op); it != layers.ofOp.end())
      op.setAttr(HeteroDialect::getLayerAttrName(),
                 LayerAttr::get(context, it->second.layer, it->second.phase));
  planner::Problem problem = getProblem(*step, forms, layers);
  OpBuilder builder(*step);
  auto table = LayerTableOp::create(builder, step->getLoc(), "layers");
  builder.setInsertionPointToStart(&table.getBody().emplaceBlock());
  for (auto [index, layer] : llvm::enumerate(problem.layers))
    LayerOp::create(builder, step->getLoc(), index, layer.name, IntegerAttr(),
                    WorkAttr::get(context, getWork(layer.forward).count()),
                    WorkAttr::get(context, getWork(layer.backward).count()),
                    BytesAttr::get(context, layer.parameters.count()),
                    BytesAttr::get(context, layer.saved.perSample.count()),
                    BytesAttr::get(context, layer.output.perSample.count()));
}
