//===- Plan.cpp - Plans a step for its cluster ----------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateStorage.h"
#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Analysis/StepGraph.h"
#include "hetero/Analysis/StepProblem.h"
#include "hetero/Planner/Planners.h"
#include "hetero/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace hetero {
#define GEN_PASS_DEF_PLANPASS
#include "hetero/Transforms/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct PlanPass : public hetero::impl::PlanPassBase<PlanPass> {
  using PlanPassBase::PlanPassBase;
  void runOnOperation() override;

private:
  LogicalResult checkStep(func::FuncOp step);
  FailureOr<LayerTableOp> getLayerTable();
  FailureOr<planner::PlannerOptions> getOptions();
  LogicalResult addConstraints(func::FuncOp step, const StepLayers &layers,
                               int64_t numDevices, planner::Problem &problem);
  LogicalResult addMicrobatches(func::FuncOp step, planner::Problem &problem);
  void annotate(func::FuncOp step, PlanOp plan, const StateStorage &storage);
};
} // namespace

//===----------------------------------------------------------------------===//
// What is asked
//===----------------------------------------------------------------------===//

LogicalResult PlanPass::checkStep(func::FuncOp step) {
  StepRoles roles = getRoles(step);
  if (!llvm::any_of(roles.arguments, [](RoleAttr role) { return role; }))
    return step.emitError("has no hetero.role on its arguments; run "
                          "hetero-import first");
  if (!roles.isStep())
    return step.emitError("returns no next value of any argument, so there is "
                          "nothing to train; return the updated parameters");
  return success();
}

FailureOr<LayerTableOp> PlanPass::getLayerTable() {
  ModuleOp module = getOperation();
  if (module.getOps<LayerTableOp>().empty()) {
    OpPassManager manager(ModuleOp::getOperationName());
    manager.addPass(createFormLayersPass());
    if (failed(runPipeline(manager, module)))
      return failure();
  }
  return *module.getOps<LayerTableOp>().begin();
}

FailureOr<planner::PlannerOptions> PlanPass::getOptions() {
  planner::PlannerOptions options;
  std::optional<simulator::ScheduleKind> kind =
      simulator::parseScheduleKind(schedule);
  if (!kind)
    return getOperation().emitError()
           << "unknown kind of schedule '" << schedule
           << "'; one of: gpipe, 1f1b, h1f1b";
  options.schedule = *kind;
  // What hetero-partition can write.
  options.recompute = false;
  options.stateModes = {planner::StateMode::Replicated,
                        planner::StateMode::Full};
  if (!state.empty())
    options.stateModes.clear();
  for (StringRef name : state) {
    bool known = false;
    for (planner::StateMode mode :
         {planner::StateMode::Replicated, planner::StateMode::Optimizer,
          planner::StateMode::Full})
      if (stringify(mode) == name) {
        options.stateModes.push_back(mode);
        known = true;
      }
    if (!known)
      return getOperation().emitError()
             << "unknown way to hold state '" << name
             << "'; one of: replicated, optimizer, full";
  }
  return options;
}

/// One number is how many there are, of sizes that differ by at most one;
/// several are the sizes.
LogicalResult PlanPass::addMicrobatches(func::FuncOp step,
                                        planner::Problem &problem) {
  SmallVector<int64_t> sizes(microbatches.begin(), microbatches.end());
  if (sizes.empty())
    return success();
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size < 1)
      return step.emitError() << "cannot have microbatches=" << size
                              << "; it must be at least 1";
    sum += std::min(size, INT64_MAX / int64_t(sizes.size()));
  }
  if (sizes.size() == 1) {
    int64_t count = sizes.front();
    if (count > problem.batch)
      return step.emitError()
             << "has a batch of " << problem.batch
             << " samples, which cannot make " << count << " microbatches";
    problem.constraints.microbatches.assign(count, problem.batch / count);
    for (int64_t i = 0; i < problem.batch % count; ++i)
      ++problem.constraints.microbatches[i];
    return success();
  }
  if (sum != problem.batch)
    return step.emitError() << "has a batch of " << problem.batch
                            << " samples, but the microbatches make " << sum;
  problem.constraints.microbatches.assign(sizes.begin(), sizes.end());
  return success();
}

LogicalResult PlanPass::addConstraints(func::FuncOp step,
                                       const StepLayers &layers,
                                       int64_t numDevices,
                                       planner::Problem &problem) {
  if (maxStages < 0)
    return getOperation().emitError() << "max-stages is " << int64_t(maxStages)
                                      << " and must be at least 1";
  if (maxStages > 0)
    problem.constraints.maxStages = maxStages;
  for (int64_t device : without)
    if (device < 0 || device >= numDevices)
      return getOperation().emitError()
             << "without names device " << device
             << ", but the cluster has devices 0 to " << numDevices - 1;
  problem.constraints.forbiddenDevices.assign(without.begin(), without.end());
  return failure(failed(addMicrobatches(step, problem)) ||
                 failed(addPins(step, layers, problem)));
}

//===----------------------------------------------------------------------===//
// What is answered
//===----------------------------------------------------------------------===//

/// Puts what the plan decides about single values on them.
void PlanPass::annotate(func::FuncOp step, PlanOp plan,
                        const StateStorage &storage) {
  MLIRContext *context = &getContext();
  SmallVector<StageOp, 4> stages = plan.getStages();
  for (auto [index, split] : llvm::enumerate(storage.arguments)) {
    if (!split)
      continue;
    StageOp stage = stages[split->stage];
    SmallVector<StringAttr> axes(stage.getBatchAxes().getAsRange<StringAttr>());
    auto entry =
        AxisShardingAttr::get(context, axes,
                              SplitAttr::get(context, split->dim, /*outer=*/1,
                                             /*inner=*/1, split->sizes),
                              ReductionKind::Sum);
    step.setArgAttr(index, HeteroDialect::getStorageAttrName(),
                    ShardingAttr::get(context, stage.getMeshAttr(), {entry}));
  }
  // A mesh that a pin named may be a larger one than that of the stage.
  for (Operation &op : step.getBody().front())
    if (auto placement = op.getAttrOfType<PlacementAttr>(
            HeteroDialect::getPlacementAttrName());
        placement && placement.getMesh() &&
        placement.getStage() < int64_t(stages.size()))
      op.setAttr(HeteroDialect::getPlacementAttrName(),
                 PlacementAttr::get(context, placement.getStage(),
                                    stages[placement.getStage()].getMeshAttr(),
                                    placement.getChunk()));
}

void PlanPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!module.getOps<PlanOp>().empty())
    return;
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step) || failed(checkStep(*step)))
    return signalPassFailure();
  auto clusters = module.getOps<ClusterOp>();
  if (clusters.empty()) {
    module.emitError("has no hetero.cluster; run hetero-attach-cluster first");
    return signalPassFailure();
  }
  FailureOr<cluster::Cluster> cluster = getCluster(*clusters.begin());
  FailureOr<planner::PlannerOptions> options = getOptions();
  FailureOr<FormAxis> axis = getBatchAxis(*step);
  if (failed(cluster) || failed(options) || failed(axis))
    return signalPassFailure();
  FailureOr<LayerTableOp> table = getLayerTable();
  if (failed(table))
    return signalPassFailure();
  FailureOr<StepLayers> layers = readLayers(*step);
  if (failed(layers))
    return signalPassFailure();
  FormAnalysis forms(step->getBody().front(), std::move(*axis));
  planner::Problem problem = getProblem(*step, forms, *layers);
  for (auto [layer, op] :
       llvm::zip(problem.layers, table->getBody().getOps<LayerOp>()))
    layer.name = op.getName().str();
  if (failed(addConstraints(*step, *layers, cluster->devices.size(), problem)))
    return signalPassFailure();
  // These divide single operations.
  StepGraph graph;
  if (plannerName == "spmd" || plannerName == "hap") {
    graph = getGraph(*step, problem.batch);
    options->graph = &graph.graph;
  }
  llvm::Expected<planner::Plan> plan =
      planner::runPlanner(plannerName, problem, *cluster, *options);
  if (!plan) {
    step->emitError() << llvm::toString(plan.takeError());
    return signalPassFailure();
  }
  StateStorage storage = divideState(*step, *layers, *plan);
  OpBuilder builder(*step);
  PlanOp op =
      createPlan(builder, step->getLoc(), *plan, step->getSymName(), *table);
  annotate(*step, op, storage);
  numStages += plan->stages.size();
  numMicrobatches += plan->microbatches.size();
  numDivided += storage.numDivided;
}
