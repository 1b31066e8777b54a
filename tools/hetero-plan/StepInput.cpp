//===- StepInput.cpp - Programs to be planned -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepInput.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/InitAll.h"
#include "hetero/Tools/Diagnostics.h"
#include "hetero/Tools/Input.h"
#include "hetero/Transforms/Import/Passes.h"
#include "hetero/Transforms/Planning/ModuleStep.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace hetero;

bool hetero::isProgram(StringRef file) {
  return file.ends_with(".mlir") || file.ends_with(".mlirbc");
}

StepInput::~StepInput() = default;

namespace {
class ModuleInput : public StepInput {
public:
  LogicalResult read(StringRef file);
  const planner::Graph &getGraph() const override {
    return reading->graph.graph;
  }
  const std::optional<cluster::Cluster> &getCluster() const override {
    return ownCluster;
  }
  llvm::Expected<planner::StepModel>
  getModel(const cluster::Cluster &cluster,
           planner::PlanRequest &request) override;

private:
  LogicalResult takeCluster();

  std::optional<cluster::Cluster> ownCluster;
  std::unique_ptr<MLIRContext> context;
  std::shared_ptr<llvm::SourceMgr> sources;
  std::unique_ptr<SourceMgrDiagnosticHandler> diagnostics;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<StepReading> reading;
  std::vector<std::unique_ptr<ModuleStep>> steps;
};
} // namespace

/// Plans are tried on the cluster that they are for, which need not be this.
LogicalResult ModuleInput::takeCluster() {
  for (ClusterOp op : llvm::make_early_inc_range(module->getOps<ClusterOp>())) {
    FailureOr<cluster::Cluster> cluster = hetero::getCluster(op);
    if (failed(cluster))
      return failure();
    ownCluster = std::move(*cluster);
    op.erase();
  }
  return success();
}

LogicalResult ModuleInput::read(StringRef file) {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto input = readInput(file, registry, llvm::errs());
  if (!input)
    return failure();
  keepErrorsShort(registry, *input);
  context = std::make_unique<MLIRContext>(registry);
  context->printOpOnDiagnostic(false);
  sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  diagnostics =
      std::make_unique<SourceMgrDiagnosticHandler>(*sources, context.get());
  module = parseSourceFile<ModuleOp>(sources, context.get());
  if (!module)
    return failure();
  if (!module->getOps<PlanOp>().empty())
    return (*module->getOps<PlanOp>().begin())
        .emitError("is a plan already; hetero-translate --plan prints it");
  if (failed(takeCluster()))
    return failure();
  if (module->getOps<LayerTableOp>().empty()) {
    PassManager manager(context.get());
    buildImportPipeline(manager, ImportOptions());
    manager.addPass(createFormLayersPass());
    if (failed(manager.run(*module)))
      return failure();
  }
  reading = std::make_unique<StepReading>(*module);
  return success(reading->isValid());
}

llvm::Expected<planner::StepModel>
ModuleInput::getModel(const cluster::Cluster &cluster,
                      planner::PlanRequest &request) {
  FailureOr<std::unique_ptr<ModuleStep>> step =
      ModuleStep::read(*module, *reading, cluster, request);
  if (failed(step))
    return llvm::createStringError("the program cannot be planned");
  return steps.emplace_back(std::move(*step))->getModel();
}

llvm::Expected<std::unique_ptr<StepInput>> StepInput::read(StringRef file) {
  auto input = std::make_unique<ModuleInput>();
  if (failed(input->read(file)))
    return llvm::createStringError("'" + file +
                                   "' cannot be turned into a problem");
  return input;
}
