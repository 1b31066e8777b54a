//===- ModuleStep.cpp - A step in a module, for planners ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Planning/ModuleStep.h"
#include "StateLayout.h"
#include "WriteSpmd.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Transforms/Partition/Passes.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "hetero/Transforms/Ranks/Passes.h"
#include "hetero/Transforms/Verify/Verify.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace hetero;

ModuleStep::ModuleStep(ModuleOp module, StepReading &reading)
    : module(module), reading(reading) {}

ModuleStep::~ModuleStep() = default;

//===----------------------------------------------------------------------===//
// What is asked
//===----------------------------------------------------------------------===//

/// Says of each layer over how many devices it can be divided, where there are
/// that many alike in a node.
LogicalResult ModuleStep::addTensorSplits(const cluster::Cluster &cluster,
                                          planner::PlanRequest &request) {
  int64_t most = planner::countAlike(cluster);
  if (user.tensor != 1) {
    if (request.tensor != 0 && request.tensor != user.tensor)
      return emitError(reading.step.getArgument(user.tensorDims.front().first)
                           .getLoc())
             << "sdy.sharding asks for " << user.tensor
             << " parts, but tensor is " << request.tensor;
    if (user.tensor > most)
      return module.emitError()
             << "sdy.sharding on arguments asks for " << user.tensor
             << " parts, but the most devices of one class in one node are "
             << most;
    request.tensor = user.tensor;
  }
  if (most < 2 || request.tensor == 1)
    return success();
  splits = findTensorSplits(reading.step, *reading.forms, reading.layers,
                            user.tensorDims);
  hetero::addTensorSplits(splits, std::min(most, largestTensorDegree),
                          model.problem);
  for (planner::Layer &layer : model.problem.layers)
    allowTensorDegree(request.tensor, layer);
  return success();
}

FailureOr<std::unique_ptr<ModuleStep>>
ModuleStep::read(ModuleOp module, StepReading &reading,
                 const cluster::Cluster &cluster,
                 planner::PlanRequest &request) {
  std::unique_ptr<ModuleStep> result(new ModuleStep(module, reading));
  planner::StepModel &model = result->model;
  model.problem = reading.problem;
  model.graph = &reading.graph.graph;
  model.trial = result.get();
  result->schedule = request.schedule;
  FailureOr<UserShardings> user = readUserShardings(reading.step);
  if (failed(user) ||
      failed(addPins(reading.step, reading.layers, model.problem)))
    return failure();
  result->user = std::move(*user);
  const UserShardings &shardings = result->user;
  model.hasShardings = !shardings.tensorDims.empty() ||
                       !shardings.storageDims.empty() || shardings.data;
  if (!shardings.storageDims.empty() && request.state.empty())
    request.state = {"full"};
  if (failed(result->addTensorSplits(cluster, request)))
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// What is tried
//===----------------------------------------------------------------------===//

int64_t ModuleStep::layOut(planner::Plan &plan) {
  layouts.push_back(layOutState(reading.step, reading.layers, splits,
                                user.storageDims, plan));
  return int64_t(layouts.size()) - 1;
}

static AxisShardingAttr toAttr(const StateLayout::Split &split, ArrayAttr axes,
                               MLIRContext *context) {
  SmallVector<StringAttr> names(axes.getAsRange<StringAttr>());
  return AxisShardingAttr::get(context, names,
                               split.form.toSplit(context, split.sizes),
                               ReductionKind::Sum);
}

/// Puts what the plan decides about single values on them.
static void annotate(func::FuncOp step, PlanOp plan,
                     const StateLayout &layout) {
  MLIRContext *context = step.getContext();
  SmallVector<StageOp, 4> stages = plan.getStages();
  auto tensorAxes =
      ArrayAttr::get(context, {Attribute(StringAttr::get(context, "tensor"))});
  for (unsigned index = 0; index < step.getNumArguments(); ++index) {
    const std::optional<StateLayout::Split> &tensor = layout.tensor[index],
                                            &storage = layout.storage[index];
    SmallVector<AxisShardingAttr> entries;
    if (tensor) {
      entries.push_back(toAttr(*tensor, tensorAxes, context));
      step.setArgAttr(index, HeteroDialect::getShardingAttrName(),
                      ShardingAttr::get(context,
                                        stages[tensor->stage].getMeshAttr(),
                                        entries));
    }
    if (storage) {
      StageOp stage = stages[storage->stage];
      entries.insert(entries.begin(),
                     toAttr(*storage, stage.getBatchAxes(), context));
      step.setArgAttr(index, HeteroDialect::getStorageAttrName(),
                      ShardingAttr::get(context, stage.getMeshAttr(), entries));
    }
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

/// Writes the plan before the step of a module, which has layers. `graph` has
/// the values and operations of that module.
static PlanOp writePlan(func::FuncOp step, const planner::StepPlan &plan,
                        const StateLayout *layout, GraphValues graph) {
  auto module = step->getParentOfType<ModuleOp>();
  OpBuilder builder(step);
  PlanOp op = createPlan(builder, step.getLoc(), plan.plan, step.getSymName(),
                         *module.getOps<LayerTableOp>().begin());
  if (layout)
    annotate(step, op, *layout);
  if (plan.program) {
    auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(
        op, op.getStages()[0].getMeshAttr());
    writeSpmdProgram(step, std::move(graph), *plan.program, mesh);
  }
  return op;
}

/// Makes the program of each rank, and says how much memory it needs.
static std::optional<std::map<int64_t, Bytes>> measurePrograms(ModuleOp planned,
                                                               StringRef kind) {
  PassManager manager(planned.getContext());
  // Nothing of it is kept.
  manager.enableVerifier(false);
  SchedulePassOptions schedule;
  schedule.kind = kind.str();
  manager.addPass(createSchedulePass(schedule));
  manager.addPass(createPartitionPass());
  manager.addPass(createSelectCollectivesPass());
  if (failed(manager.run(planned)))
    return std::nullopt;
  FailureOr<std::unique_ptr<ranks::Programs>> programs =
      ranks::Programs::read(planned);
  if (failed(programs))
    return std::nullopt;
  std::map<int64_t, verify::Peak> peaks;
  (void)verify::checkMemory(**programs, peaks);
  std::map<int64_t, Bytes> needs;
  for (auto &[rank, peak] : peaks)
    needs[rank] = Bytes(peak.bytes);
  return needs;
}

std::optional<std::map<int64_t, Bytes>>
ModuleStep::measure(const planner::StepPlan &plan,
                    const cluster::Cluster &cluster) {
  // What is wrong with a trial is not an error of the user; the passes that
  // follow say why a plan has no program.
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) {});
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(mapping)));
  if (copy->getOps<ClusterOp>().empty()) {
    OpBuilder builder = OpBuilder::atBlockBegin(copy->getBody());
    if (failed(createCluster(builder, copy->getLoc(), cluster, "cluster")))
      return std::nullopt;
  }
  GraphValues graph;
  if (plan.program)
    graph = GraphValues(reading.graph, mapping);
  writePlan(cast<func::FuncOp>(mapping.lookup(reading.step.getOperation())),
            plan, plan.layout ? &layouts[*plan.layout] : nullptr,
            std::move(graph));
  return measurePrograms(*copy, schedule);
}

//===----------------------------------------------------------------------===//
// What is answered
//===----------------------------------------------------------------------===//

PlanOp ModuleStep::write(const planner::StepPlan &plan) {
  if (user.data) {
    auto [argument, parts] = *user.data;
    for (auto [index, stage] : llvm::enumerate(plan.plan.stages))
      if (stage.mesh.data != parts) {
        emitWarning(reading.step.getArgument(argument).getLoc())
            << "argument " << argument << ": sdy.sharding asks for " << parts
            << " parts of the samples, but stage " << index << " has "
            << stage.mesh.data << "; the planner decides";
        break;
      }
  }
  return writePlan(reading.step, plan,
                   plan.layout ? &layouts[*plan.layout] : nullptr,
                   GraphValues(reading.graph));
}

std::pair<int64_t, int64_t>
ModuleStep::countDivided(const planner::StepPlan &plan) const {
  if (!plan.layout)
    return {0, 0};
  auto isDivided = [](const std::optional<StateLayout::Split> &split) {
    return split.has_value();
  };
  const StateLayout &layout = layouts[*plan.layout];
  return {llvm::count_if(layout.storage, isDivided),
          llvm::count_if(layout.tensor, isDivided)};
}
