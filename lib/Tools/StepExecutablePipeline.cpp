//===- StepExecutablePipeline.cpp - The passes that a step still lacks ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/Layers.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Planner/Driver/PlanStep.h"
#include "hetero/Tools/StepExecutable.h"
#include "hetero/Transforms/Import/Passes.h"
#include "hetero/Transforms/Partition/Passes.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "hetero/Transforms/Ranks/Passes.h"
#include "hetero/Transforms/Verify/Passes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace hetero;

static void report(const StepOptions &options, StringRef phase) {
  if (options.progress)
    options.progress(phase);
}

static LogicalResult runPasses(ModuleOp module,
                               function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  build(manager);
  return manager.run(module);
}

static bool hasLayers(func::FuncOp step) {
  return llvm::any_of(step.getOps(), [](Operation &op) {
    return op.hasAttr(HeteroDialect::getLayerAttrName());
  });
}

/// A plan for one device without limits: all layers in one stage.
static LogicalResult addSinglePlan(ModuleOp module,
                                   const planner::PlanRequest &request) {
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return failure();
  FailureOr<FormAxis> axis = getBatchAxis(*step);
  if (failed(axis))
    return failure();
  // What is asked should make sense, even if one device leaves little to plan.
  if (auto asked = planner::getPlannerOptions(request); !asked)
    return step->emitError() << llvm::toString(asked.takeError());
  llvm::Expected<std::vector<int64_t>> microbatches =
      planner::getMicrobatches(request, axis->units);
  if (!microbatches)
    return step->emitError() << llvm::toString(microbatches.takeError());
  FailureOr<StepLayers> layers = readLayers(*step);
  if (failed(layers))
    return failure();
  planner::Plan plan;
  plan.planner = "none";
  plan.batch = axis->units;
  plan.microbatches = std::move(*microbatches);
  if (plan.microbatches.empty())
    plan.microbatches = {axis->units};
  plan.predicted = Time(timePerSecond);
  planner::Stage &stage = plan.stages.emplace_back();
  stage.layers = {{0, std::max<int64_t>(layers->numLayers, 1) - 1}};
  stage.mesh.devices = {0};
  for (int64_t size : plan.distinctMicrobatches())
    stage.samples.push_back({size});
  auto tables = module.getOps<LayerTableOp>();
  OpBuilder builder(*step);
  createPlan(builder, step->getLoc(), plan, step->getSymName(),
             tables.empty() ? LayerTableOp() : *tables.begin());
  return success();
}

/// A function that trains nothing has no plan.
static LogicalResult checkState(func::FuncOp step) {
  if (getRoles(step).isStep())
    return success();
  return step.emitError(
      "is not a training step: its results are not a loss "
      "and the updated values of arguments; donate the state, "
      "or give roles");
}

/// Puts the cluster into the module, if the options name one.
static LogicalResult attachCluster(ModuleOp module,
                                   const StepOptions &options) {
  if (options.clusterText.empty()) {
    if (options.clusterFile.empty())
      return success();
    return runPasses(module, [&](OpPassManager &manager) {
      AttachClusterPassOptions attach;
      attach.clusterFile = options.clusterFile;
      manager.addPass(createAttachClusterPass(attach));
    });
  }
  if (!module.getOps<ClusterOp>().empty())
    return success();
  llvm::Expected<cluster::Cluster> cluster = cluster::readCluster(
      llvm::MemoryBufferRef(options.clusterText, "cluster"));
  if (!cluster)
    return module.emitError() << llvm::toString(cluster.takeError());
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  bool isFree = !cluster->name.empty() && !module.lookupSymbol(cluster->name);
  return createCluster(builder, module.getLoc(), *cluster,
                       isFree ? StringRef(cluster->name) : "cluster");
}

LogicalResult hetero::planModule(ModuleOp module, const StepOptions &options) {
  if (!getRankPrograms(module).empty())
    return success();
  if (module.getOps<PlanOp>().empty()) {
    FailureOr<func::FuncOp> step = getStep(module);
    if (failed(step))
      return failure();
    if (!hasLayers(*step)) {
      report(options, "importing");
      LogicalResult imported = runPasses(module, [&](OpPassManager &manager) {
        ImportOptions import;
        import.roles = ArrayRef<std::string>(options.roles);
        buildImportPipeline(manager, import);
      });
      if (failed(imported) || failed(checkState(*step)) ||
          failed(runPasses(module, [](OpPassManager &manager) {
            manager.addPass(createFormLayersPass());
          })))
        return failure();
    }
  }
  report(options, "planning");
  if (failed(attachCluster(module, options)))
    return failure();
  if (module.getOps<PlanOp>().empty() && module.getOps<ClusterOp>().empty() &&
      failed(addSinglePlan(module, options.plan)))
    return failure();
  return runPasses(module, [&](OpPassManager &manager) {
    SchedulePassOptions schedule;
    schedule.kind = options.plan.schedule;
    manager.addPass(createPlanPass(getPassOptions(options.plan)));
    manager.addPass(createSchedulePass(schedule));
  });
}

LogicalResult hetero::partitionModule(ModuleOp module,
                                      const StepOptions &options) {
  bool isPartitioned = !getRankPrograms(module).empty();
  report(options, isPartitioned ? "verifying" : "partitioning");
  return runPasses(module, [&](OpPassManager &manager) {
    if (!isPartitioned) {
      manager.addPass(createPartitionPass());
      manager.addPass(createSelectCollectivesPass());
    }
    VerifyPassOptions verify;
    verify.memory = options.memoryCaps;
    manager.addPass(createVerifyPass(verify));
  });
}

void hetero::printPlanTable(ModuleOp planned, llvm::raw_ostream &os) {
  for (PlanOp op : planned.getOps<PlanOp>()) {
    auto clusters = planned.getOps<ClusterOp>();
    FailureOr<func::FuncOp> step = getStep(planned);
    FailureOr<planner::Plan> plan = getPlan(op);
    if (clusters.empty() || failed(step) || failed(plan)) {
      os << op << "\n";
      continue;
    }
    FailureOr<cluster::Cluster> cluster = getCluster(*clusters.begin());
    if (failed(cluster))
      return;
    planner::printPlan(getLayerNames(op), *cluster, *plan, os);
  }
}
