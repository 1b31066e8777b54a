//===- PlanView.cpp - The plan of a module, read once ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/PlanView.h"

using namespace mlir;
using namespace hetero;

std::optional<std::pair<int64_t, int64_t>>
StageView::findMember(int64_t rank) const {
  const auto *it = llvm::find(devices, rank);
  if (it == devices.end())
    return std::nullopt;
  return std::pair((it - devices.begin()) / tensorSize,
                   (it - devices.begin()) % tensorSize);
}

/// `distinct` has the different sizes of microbatches in order of first
/// appearance, as the lists of samples have them.
static FailureOr<StageView> readStage(PlanOp plan, StageOp stage,
                                      ArrayRef<int64_t> distinct) {
  StageView view;
  view.stage = stage;
  view.mesh =
      SymbolTable::lookupNearestSymbolFrom<MeshOp>(plan, stage.getMeshAttr());
  view.batchAxes = stage.getBatchAxes();
  SmallVector<Attribute> others;
  if (!view.batchAxes.empty())
    for (Attribute axis : view.mesh.getAxisNames())
      if (!llvm::is_contained(view.batchAxes, axis))
        others.push_back(axis);
  if (others.size() > 1)
    return stage.emitOpError() << "leaves " << others.size()
                               << " axes of its mesh beside the batch; at most "
                                  "1 is supported";
  if (!others.empty()) {
    view.tensorAxes = ArrayAttr::get(stage.getContext(), others);
    view.tensorSize = *view.mesh.getGroupSize(view.tensorAxes);
  }
  view.dataSize = *view.mesh.getGroupSize(view.batchAxes);
  view.devices.resize(view.dataSize * view.tensorSize);
  for (int64_t rank : view.mesh.getDevices()) {
    int64_t tensor =
        others.empty() ? 0 : *view.mesh.getMember(rank, view.tensorAxes);
    view.devices[*view.mesh.getMember(rank, view.batchAxes) * view.tensorSize +
                 tensor] = rank;
  }
  for (int64_t size : plan.getMicrobatches()) {
    size_t index = llvm::find(distinct, size) - distinct.begin();
    auto samples = cast<DenseI64ArrayAttr>(stage.getSamples()[index]);
    view.samples.emplace_back(samples.asArrayRef());
  }
  return view;
}

FailureOr<PlanView> PlanView::read(PlanOp plan) {
  PlanView view;
  view.plan = plan;
  view.microbatches.assign(plan.getMicrobatches().begin(),
                           plan.getMicrobatches().end());
  SmallVector<int64_t> distinct;
  int64_t offset = 0;
  for (int64_t size : view.microbatches) {
    view.offsets.push_back(offset);
    offset += size;
    if (!llvm::is_contained(distinct, size))
      distinct.push_back(size);
  }
  for (StageOp stage : plan.getStages()) {
    FailureOr<StageView> read = readStage(plan, stage, distinct);
    if (failed(read))
      return failure();
    view.stages.push_back(std::move(*read));
  }
  return view;
}

FailureOr<PlanOp> hetero::getPlanOp(ModuleOp module) {
  auto plans = module.getOps<PlanOp>();
  if (plans.empty())
    return module.emitError("has no hetero.plan; run hetero-plan first");
  PlanOp plan = *plans.begin();
  if (llvm::hasSingleElement(plans))
    return plan;
  return (*std::next(plans.begin()))
             .emitError("is a second plan")
             .attachNote(plan.getLoc())
         << "the first is here; keep one";
}

std::vector<std::string> hetero::getLayerNames(PlanOp plan) {
  std::vector<std::string> names;
  if (FlatSymbolRefAttr symbol = plan.getLayerTableAttr())
    if (auto table =
            SymbolTable::lookupNearestSymbolFrom<LayerTableOp>(plan, symbol))
      for (LayerOp layer : table.getBody().getOps<LayerOp>())
        names.push_back(layer.getName().str());
  return names;
}
