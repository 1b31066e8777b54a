//===- FormLayers.cpp - Divides a step into layers ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Analysis/StepReading.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace hetero {
#define GEN_PASS_DEF_FORMLAYERSPASS
#include "hetero/Transforms/Planning/Passes.h.inc"
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
  planner::forEachGroup(cost, [&](const planner::Cost &group) {
    for (const auto &[type, amount] : group.work)
      work += amount.perSample;
  });
  return work;
}

static LayerAttr getLayer(Operation *op) {
  return op->getAttrOfType<LayerAttr>(HeteroDialect::getLayerAttrName());
}

/// Gives each layer and phase that uses a broadcast value one of its own, so
/// that what goes from one to the other, and is kept for the backward, is the
/// value before it. Returns the number of copies.
static int64_t copyBroadcasts(Block &block) {
  int64_t numCopies = 0;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block.getOperations()))) {
    auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
    LayerAttr own = broadcast ? getLayer(broadcast) : LayerAttr();
    if (!own || !broadcast.getOperand().getDefiningOp() ||
        getNumBytes(broadcast.getType()) <=
            getNumBytes(broadcast.getOperand().getType()))
      continue;
    // The first user of each other layer and phase gets the copy.
    llvm::MapVector<LayerAttr, SmallVector<Operation *>> users;
    for (Operation *user : broadcast->getUsers())
      if (Operation *top = block.findAncestorOpInBlock(*user))
        if (LayerAttr layer = getLayer(top); layer && layer != own)
          users[layer].push_back(top);
    for (auto &[layer, tops] : users) {
      OpBuilder builder(
          *llvm::min_element(tops, [](Operation *a, Operation *b) {
            return a->isBeforeInBlock(b);
          }));
      Operation *copy = builder.clone(op);
      copy->setAttr(HeteroDialect::getLayerAttrName(), layer);
      broadcast.getResult().replaceUsesWithIf(
          copy->getResult(0), [&](OpOperand &use) {
            return getLayer(block.findAncestorOpInBlock(*use.getOwner())) ==
                   layer;
          });
      ++numCopies;
    }
    if (broadcast->use_empty())
      broadcast.erase();
  }
  return numCopies;
}

void FormLayersPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!module.getOps<LayerTableOp>().empty())
    return;
  if (maxLayers < 0) {
    module.emitError("max-layers is ")
        << int64_t(maxLayers) << " and must be at least 0, for no limit";
    return signalPassFailure();
  }
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return signalPassFailure();
  FailureOr<FormAxis> axis = getBatchAxis(*step);
  if (failed(axis))
    return signalPassFailure();
  warnOfWholeBatches(*step, *axis);
  Block &block = step->getBody().front();
  StepLayers formed = formLayers(*step, FormAnalysis(block, *axis), maxLayers);
  numLayers += formed.numLayers;
  MLIRContext *context = &getContext();
  for (Operation &op : block)
    if (auto it = formed.ofOp.find(&op); it != formed.ofOp.end())
      op.setAttr(HeteroDialect::getLayerAttrName(),
                 LayerAttr::get(context, it->second.layer, it->second.phase));
  numCopies += copyBroadcasts(block);
  StepReading &reading = getAnalysis<StepReading>();
  if (!reading.isValid())
    return signalPassFailure();
  planner::Problem &problem = reading.problem;
  for (auto [layer, name] : llvm::zip(problem.layers, formed.names))
    layer.name = std::move(name);
  linkEqualLayers(getKinds(*step, reading.layers), problem);
  OpBuilder builder(*step);
  auto table = LayerTableOp::create(builder, step->getLoc(), "layers");
  builder.setInsertionPointToStart(&table.getBody().emplaceBlock());
  for (auto [index, layer] : llvm::enumerate(problem.layers)) {
    IntegerAttr like;
    if (layer.like)
      like = builder.getI64IntegerAttr(*layer.like);
    LayerOp::create(builder, step->getLoc(), index, layer.name, like,
                    WorkAttr::get(context, getWork(layer.forward).count()),
                    WorkAttr::get(context, getWork(layer.backward).count()),
                    BytesAttr::get(context, layer.parameters.count()),
                    BytesAttr::get(context, layer.saved.perSample.count()),
                    BytesAttr::get(context, layer.output.perSample.count()),
                    DictionaryAttr());
  }
  // The table has just what was read.
  markAnalysesPreserved<StepReading>();
}
