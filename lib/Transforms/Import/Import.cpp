//===- Import.cpp - From what JAX emits to one canonical function ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Import/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hetero;

void hetero::buildImportPipeline(OpPassManager &manager,
                                 const ImportOptions &options) {
  manager.addPass(createCheckTypesPass());
  manager.addPass(createInlineCallsPass());
  OpPassManager &step = manager.nest<func::FuncOp>();
  step.addPass(createExpandChloPass());
  step.addPass(createCanonicalizerPass());
  step.addPass(createCSEPass());
  if (options.inferRoles) {
    InferRolesPassOptions roles;
    roles.roles.assign(options.roles.begin(), options.roles.end());
    step.addPass(createInferRolesPass(roles));
  }
  step.addPass(createSelectBranchesPass());
  UnrollLayersPassOptions unroll;
  unroll.all = options.unrollAll;
  step.addPass(createUnrollLayersPass(unroll));
  step.addPass(createCanonicalizerPass());
  step.addPass(createCSEPass());
  step.addPass(createSplitBarriersPass());
  step.addPass(createExternalizeConstantsPass());
  manager.addPass(createSymbolDCEPass());
}

void hetero::registerImportPipeline() {
  PassPipelineRegistration<ImportOptions>(
      "hetero-import",
      "Import a step from JAX: check, inline, expand CHLO, unroll layers, "
      "simplify, infer roles",
      buildImportPipeline);
}
