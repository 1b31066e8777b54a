//===- hetero-translate.cpp - A step in other words -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Analysis/StepReading.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Analysis/UserConstraints.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/InitAll.h"
#include "hetero/Support/LargeStack.h"
#include "hetero/Tools/Diagnostics.h"
#include "hetero/Tools/Input.h"
#include "hetero/Transforms/Import/Passes.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"hetero-translate options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<step.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Write here instead of to stdout"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<bool> summary{
      "summary",
      cl::desc("Operations, FLOPs, bytes, arguments by role (the default)"),
      cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("The summary as JSON"),
                     cl::cat(category)};
  cl::opt<bool> cluster{"cluster",
                        cl::desc("The cluster of the module as cluster.yaml"),
                        cl::cat(category)};
  cl::opt<bool> plan{"plan", cl::desc("The plan of the module as plan.yaml"),
                     cl::cat(category)};
  cl::opt<bool> problem{
      "problem",
      cl::desc("What hetero-plan is to plan, as problem.yaml; imports the "
               "step and forms layers if that is still to do"),
      cl::cat(category)};
  cl::opt<bool> graph{
      "graph",
      cl::desc("The operations of the step for 'hetero-plan --graph'; imports "
               "the step if that is still to do"),
      cl::cat(category)};
};
} // namespace

static LogicalResult printCluster(ModuleOp module, llvm::raw_ostream &os) {
  auto clusters = module.getOps<hetero::ClusterOp>();
  if (clusters.empty())
    return module.emitError(
        "has no hetero.cluster; run hetero-attach-cluster first");
  FailureOr<hetero::cluster::Cluster> cluster =
      hetero::getCluster(*clusters.begin());
  if (failed(cluster))
    return failure();
  hetero::cluster::writeCluster(*cluster, os);
  return success();
}

static LogicalResult printPlan(ModuleOp module, llvm::raw_ostream &os) {
  FailureOr<hetero::PlanOp> op = hetero::getPlanOp(module);
  if (failed(op))
    return failure();
  FailureOr<hetero::planner::Plan> plan = hetero::getPlan(*op);
  if (failed(plan))
    return failure();
  hetero::planner::writePlan(*plan, os);
  return success();
}

static LogicalResult importStep(ModuleOp module, bool formsLayers) {
  PassManager manager(module.getContext());
  hetero::buildImportPipeline(manager, hetero::ImportOptions());
  if (formsLayers)
    manager.addPass(hetero::createFormLayersPass());
  return manager.run(module);
}

static LogicalResult printProblem(ModuleOp module, llvm::raw_ostream &os) {
  FailureOr<func::FuncOp> step = hetero::getStep(module);
  if (failed(step))
    return failure();
  if (module.getOps<hetero::LayerTableOp>().empty() &&
      failed(importStep(module, /*formsLayers=*/true)))
    return failure();

  hetero::StepReading reading(module);
  if (!reading.isValid())
    return failure();
  hetero::planner::Problem &problem = reading.problem;
  hetero::addTensorSplits(
      hetero::findTensorSplits(reading.step, *reading.forms, reading.layers),
      hetero::largestTensorDegree, problem);
  if (failed(hetero::addPins(reading.step, reading.layers, problem)))
    return failure();
  hetero::planner::writeProblem(problem, os);
  return success();
}

static LogicalResult printGraph(ModuleOp module, llvm::raw_ostream &os) {
  FailureOr<func::FuncOp> step = hetero::getStep(module);
  if (failed(step))
    return failure();
  if (!hetero::getRoles(*step).isStep() &&
      failed(importStep(module, /*formsLayers=*/false)))
    return failure();

  step = hetero::getStep(module);
  if (failed(step))
    return failure();
  FailureOr<hetero::FormAxis> axis = hetero::getBatchAxis(*step);
  if (failed(axis))
    return failure();
  hetero::StepGraph graph = hetero::getGraph(*step, axis->units);
  if (llvm::Error error = hetero::planner::check(graph.graph))
    return step->emitError() << llvm::toString(std::move(error));
  hetero::planner::writeGraph(graph.graph, os);
  return success();
}

static int translate(const Options &options) {
  DialectRegistry registry;
  hetero::registerAllDialects(registry);
  auto input = hetero::readInput(options.input, registry, llvm::errs());
  if (!input)
    return 1;
  hetero::keepErrorsShort(registry, *input);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;

  std::string error;
  auto output = openOutputFile(options.output, &error);
  if (!output) {
    llvm::errs() << "error: " << error << "\n";
    return 1;
  }
  LogicalResult printed = success();
  if (options.cluster)
    printed = printCluster(*module, output->os());
  else if (options.plan)
    printed = printPlan(*module, output->os());
  else if (options.problem)
    printed = printProblem(*module, output->os());
  else if (options.graph)
    printed = printGraph(*module, output->os());
  else if (options.json)
    hetero::printSummaryAsJSON(*module, output->os());
  else
    hetero::printSummary(*module, output->os());
  if (failed(printed))
    return 1;
  output->keep();
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Says what a StableHLO step consists of. Run hetero-opt --hetero-import "
      "first to see the roles of its arguments.\n");
  return hetero::runOnLargeStack([&] { return translate(options); });
}
