//===- PlanPipeline.cpp - From what JAX emits to a planned step -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Import/Passes.h"
#include "hetero/Transforms/Partition/Passes.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace hetero;

void hetero::buildPlanPipeline(OpPassManager &manager,
                               const PlanPipelineOptions &options) {
  ImportOptions import;
  import.roles = options.roles;
  buildImportPipeline(manager, import);

  AttachClusterPassOptions cluster;
  cluster.clusterFile = options.cluster;
  // Without a file, the module has its cluster already.
  if (!options.cluster.empty())
    manager.addPass(createAttachClusterPass(cluster));

  FormLayersPassOptions layers;
  layers.maxLayers = options.maxLayers;
  manager.addPass(createFormLayersPass(layers));

  PlanPassOptions plan;
  copyPlanOptions(options, plan);
  manager.addPass(createPlanPass(plan));

  SchedulePassOptions schedule;
  schedule.kind = options.schedule;
  manager.addPass(createSchedulePass(schedule));
  if (options.partition)
    manager.addPass(createPartitionPass());
}

void hetero::registerPlanPipeline() {
  PassPipelineRegistration<PlanPipelineOptions>(
      "hetero-plan-pipeline",
      "Plan a step from JAX for a cluster: import, attach the cluster, form "
      "layers, plan, schedule, and partition if asked to",
      buildPlanPipeline);
}
