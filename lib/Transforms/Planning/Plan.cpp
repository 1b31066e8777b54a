//===- Plan.cpp - Plans a step for its cluster ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Transforms/Planning/ModuleStep.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace hetero {
#define GEN_PASS_DEF_PLANPASS
#include "hetero/Transforms/Planning/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct PlanPass : public hetero::impl::PlanPassBase<PlanPass> {
  using PlanPassBase::PlanPassBase;
  void runOnOperation() override {
    if (getOperation().getOps<PlanOp>().empty() && failed(plan()))
      signalPassFailure();
  }

private:
  template <typename From, typename To>
  friend void hetero::copyPlanOptions(const From &from, To &to);

  LogicalResult plan();
  LogicalResult formLayers();
};
} // namespace

/// Only a step with roles that trains something can be planned.
static FailureOr<func::FuncOp> getTrainingStep(ModuleOp module) {
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return failure();
  StepRoles roles = getRoles(*step);
  if (!llvm::any_of(roles.arguments, [](RoleAttr role) { return role; }))
    return step->emitError("has no hetero.role on its arguments; run "
                           "hetero-import first");
  if (!roles.isStep())
    return step->emitError(
        "returns no updated value of any argument, so there is "
        "nothing to train; return the updated parameters");
  return step;
}

LogicalResult PlanPass::formLayers() {
  OpPassManager manager(ModuleOp::getOperationName());
  manager.addPass(createFormLayersPass());
  return runPipeline(manager, getOperation());
}

PlanPassOptions hetero::getPassOptions(const planner::PlanRequest &request) {
  PlanPassOptions options;
  copyPlanOptions(request, options);
  return options;
}

/// Reports why there is no plan, with what was kept back as notes.
static LogicalResult report(func::FuncOp step, llvm::Error error) {
  InFlightDiagnostic diagnostic = step.emitError();
  llvm::handleAllErrors(
      std::move(error),
      [&](const planner::NoPlanError &none) {
        diagnostic << none.message;
        for (const std::string &note : none.notes)
          diagnostic.attachNote(step.getLoc()) << note;
      },
      [&](const llvm::ErrorInfoBase &other) { diagnostic << other.message(); });
  return diagnostic;
}

LogicalResult PlanPass::plan() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> step = getTrainingStep(module);
  if (failed(step))
    return failure();
  auto clusters = module.getOps<ClusterOp>();
  if (clusters.empty())
    return module.emitError(
        "has no hetero.cluster; run hetero-attach-cluster first");
  FailureOr<cluster::Cluster> cluster = getCluster(*clusters.begin());
  if (failed(cluster) ||
      (module.getOps<LayerTableOp>().empty() && failed(formLayers())))
    return failure();
  auto &reading = getAnalysis<StepReading>();
  if (!reading.isValid())
    return failure();
  planner::PlanRequest request;
  copyPlanOptions(*this, request);
  FailureOr<std::unique_ptr<ModuleStep>> model =
      ModuleStep::read(module, reading, *cluster, request);
  if (failed(model))
    return failure();
  llvm::Expected<planner::StepPlan> found =
      planner::planStep((*model)->getModel(), *cluster, request);
  if (!found)
    return report(*step, found.takeError());
  (*model)->write(*found);
  auto [divided, split] = (*model)->countDivided(*found);
  numDivided += divided;
  numSplit += split;
  numStages += found->plan.stages.size();
  numMicrobatches += found->plan.microbatches.size();
  return success();
}
