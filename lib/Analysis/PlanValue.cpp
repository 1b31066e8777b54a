//===- PlanValue.cpp - A plan in the IR and as a value --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/PlanValue.h"

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// From the value to the IR
//===----------------------------------------------------------------------===//

namespace {
class PlanWriter {
public:
  PlanWriter(OpBuilder &builder, Location location, const planner::Plan &plan)
      : builder(builder), context(builder.getContext()), location(location),
        plan(plan) {}

  PlanOp write(StringRef step, LayerTableOp table);

private:
  MeshOp addMesh(const planner::Stage &stage, size_t index);
  void addStage(const planner::Stage &stage, size_t index, MeshOp mesh);
  ArrayAttr getLimits(Operation *near);
  ResourceAttr getLimit(const planner::Resource &resource, ClusterOp cluster);
  TimeAttr getTime(Time time) { return TimeAttr::get(context, time.count()); }
  TimeAttr getOptionalTime(Time time) {
    return time == Time(0) ? TimeAttr() : getTime(time);
  }
  /// `name`, or with a number if the module has such a symbol already.
  std::string getSymbol(const std::string &name);

  OpBuilder &builder;
  MLIRContext *context;
  Location location;
  const planner::Plan &plan;
};
} // namespace

std::string PlanWriter::getSymbol(const std::string &name) {
  Operation *table = builder.getInsertionBlock()->getParentOp();
  std::string symbol = name;
  for (int64_t number = 1; SymbolTable::lookupSymbolIn(table, symbol); ++number)
    symbol = name + "_" + std::to_string(number);
  return symbol;
}

MeshOp PlanWriter::addMesh(const planner::Stage &stage, size_t index) {
  std::string name = getSymbol("stage" + std::to_string(index));
  const planner::Mesh &mesh = stage.mesh;
  if (mesh.tensor == 1)
    return MeshOp::create(builder, location, name, mesh.devices);
  return MeshOp::create(builder, location, builder.getStringAttr(name),
                        builder.getStrArrayAttr({"data", "tensor"}),
                        builder.getDenseI64ArrayAttr({mesh.data, mesh.tensor}),
                        builder.getDenseI64ArrayAttr(mesh.devices));
}

void PlanWriter::addStage(const planner::Stage &stage, size_t index,
                          MeshOp mesh) {
  SmallVector<int64_t> first, last;
  for (const planner::LayerRun &run : stage.layers) {
    first.push_back(run.first);
    last.push_back(run.last);
  }
  SmallVector<Attribute> samples;
  for (const std::vector<int64_t> &list : stage.samples)
    samples.push_back(builder.getDenseI64ArrayAttr(list));
  auto op = StageOp::create(
      builder, location, builder.getI64IntegerAttr(index),
      FlatSymbolRefAttr::get(mesh.getSymNameAttr()),
      builder.getDenseI64ArrayAttr(first), builder.getDenseI64ArrayAttr(last),
      stage.mesh.tensor == 1 ? builder.getArrayAttr({})
                             : builder.getStrArrayAttr({"data"}),
      builder.getArrayAttr(samples), builder.getI64IntegerAttr(stage.inFlight),
      stage.state != StateMode::Replicated
          ? StateModeAttr::get(context, stage.state)
          : StateModeAttr(),
      stage.recompute ? builder.getUnitAttr() : UnitAttr(),
      /*offload=*/UnitAttr(), getOptionalTime(stage.forward),
      getOptionalTime(stage.backward), getOptionalTime(stage.boundary),
      stage.boundaryGradient == stage.boundary
          ? TimeAttr()
          : getTime(stage.boundaryGradient),
      getOptionalTime(stage.gather), getOptionalTime(stage.reduce),
      getOptionalTime(stage.update));
  if (stage.shares.empty())
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  for (const planner::DeviceShare &share : stage.shares)
    ShareOp::create(builder, location, builder.getI64IntegerAttr(share.device),
                    share.micro ? builder.getI64IntegerAttr(*share.micro)
                                : IntegerAttr(),
                    BytesAttr::get(context, share.state.count()),
                    BytesAttr::get(context, share.memory.count()));
}

/// A cable has no symbol: one of its ends stands for it, a switch if there is
/// one.
ResourceAttr PlanWriter::getLimit(const planner::Resource &resource,
                                  ClusterOp cluster) {
  FlatSymbolRefAttr symbol;
  if (!resource.part.empty()) {
    auto find = [&](StringRef name) {
      return cluster ? SymbolTable::lookupSymbolIn(cluster, name) : nullptr;
    };
    auto [left, right] = StringRef(resource.part).split(" <-> ");
    Operation *found = find(resource.part);
    for (StringRef end : {left, right})
      if (Operation *vertex = found ? nullptr : find(end);
          isa_and_nonnull<SwitchOp>(vertex))
        found = vertex;
    if (!found)
      found = find(left);
    if (cluster && !found)
      return {};
    symbol = FlatSymbolRefAttr::get(
        context, found ? SymbolTable::getSymbolName(found).getValue()
                       : StringRef(resource.part));
  }
  if (!resource.stage && !resource.device && !symbol)
    return {};
  return ResourceAttr::get(context, resource.kind, resource.stage,
                           resource.device, symbol);
}

ArrayAttr PlanWriter::getLimits(Operation *near) {
  ClusterOp cluster = ClusterOp::lookupNear(near);
  SmallVector<Attribute> limits;
  for (const planner::Resource &resource : plan.limitedBy)
    if (ResourceAttr limit = getLimit(resource, cluster);
        limit && !llvm::is_contained(limits, limit))
      limits.push_back(limit);
  return limits.empty() ? ArrayAttr() : builder.getArrayAttr(limits);
}

PlanOp PlanWriter::write(StringRef step, LayerTableOp table) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<MeshOp> meshes;
  for (auto [index, stage] : llvm::enumerate(plan.stages))
    meshes.push_back(addMesh(stage, index));
  bool hasBound = plan.bound > Time(0) && plan.bound <= plan.predicted;
  auto op = PlanOp::create(
      builder, location, builder.getStringAttr(getSymbol("plan")),
      FlatSymbolRefAttr::get(context, step),
      builder.getStringAttr(plan.planner),
      ObjectiveAttr::get(context, plan.objective),
      /*budget=*/PriceAttr(),
      table ? FlatSymbolRefAttr::get(table.getSymNameAttr())
            : FlatSymbolRefAttr(),
      builder.getI64IntegerAttr(plan.batch),
      builder.getDenseI64ArrayAttr(plan.microbatches),
      ScheduleKindAttr::get(context, plan.schedule),
      getTime(std::max(plan.predicted, Time(1))),
      hasBound ? getTime(plan.bound) : TimeAttr(), /*limited_by=*/ArrayAttr());
  if (ArrayAttr limits = getLimits(op))
    op.setLimitedByAttr(limits);
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  for (auto [index, stage] : llvm::enumerate(plan.stages))
    addStage(stage, index, meshes[index]);
  return op;
}

PlanOp hetero::createPlan(OpBuilder &builder, Location location,
                          const planner::Plan &plan, StringRef step,
                          LayerTableOp table) {
  return PlanWriter(builder, location, plan).write(step, table);
}

//===----------------------------------------------------------------------===//
// From the IR to the value
//===----------------------------------------------------------------------===//

static Time getTime(std::optional<TimeAttr> attr) {
  return attr ? Time(attr->getValue()) : Time(0);
}

static planner::Stage getStage(const StageView &view) {
  StageOp op = view.stage;
  planner::Stage stage;
  for (auto [first, last] :
       llvm::zip_equal(op.getFirstLayers(), op.getLastLayers()))
    stage.layers.push_back({first, last});
  stage.mesh.devices.assign(view.devices.begin(), view.devices.end());
  stage.mesh.data = view.dataSize;
  stage.mesh.tensor = view.tensorSize;
  for (auto list : op.getSamples().getAsRange<DenseI64ArrayAttr>())
    stage.samples.emplace_back(list.asArrayRef().begin(),
                               list.asArrayRef().end());
  stage.state = op.getState().value_or(StateMode::Replicated);
  stage.recompute = op.getRecompute();
  stage.inFlight = op.getInFlight();
  for (int64_t device : stage.mesh.devices) {
    planner::DeviceShare share;
    share.device = device;
    for (ShareOp shareOp : op.getBody().getOps<ShareOp>())
      if (int64_t(shareOp.getDevice()) == device) {
        if (std::optional<uint64_t> micro = shareOp.getMicro())
          share.micro = *micro;
        share.state = Bytes(shareOp.getState().getValue());
        share.memory = Bytes(shareOp.getMemory().getValue());
      }
    stage.shares.push_back(share);
  }
  stage.forward = getTime(op.getForward());
  stage.backward = getTime(op.getBackward());
  stage.boundary = getTime(op.getBoundary());
  stage.boundaryGradient = op.getBoundaryGradient()
                               ? getTime(op.getBoundaryGradient())
                               : stage.boundary;
  stage.gather = getTime(op.getGather());
  stage.reduce = getTime(op.getReduce());
  stage.update = getTime(op.getUpdate());
  return stage;
}

static planner::Resource getResource(ResourceAttr attr) {
  planner::Resource resource;
  resource.kind = attr.getKind();
  resource.stage = attr.getStage();
  resource.device = attr.getDevice();
  if (attr.getSymbol())
    resource.part = attr.getSymbol().getValue().str();
  return resource;
}

FailureOr<planner::Plan> hetero::getPlan(PlanOp op) {
  planner::Plan plan;
  plan.planner = op.getPlanner().str();
  plan.objective = op.getObjective();
  plan.batch = op.getBatch();
  plan.microbatches.assign(op.getMicrobatches().begin(),
                           op.getMicrobatches().end());
  // Planners do not know the orders of custom schedules.
  if (std::optional<ScheduleKind> kind = op.getSchedule();
      kind && kind != ScheduleKind::Custom)
    plan.schedule = *kind;
  plan.predicted = Time(op.getPredicted().getValue());
  plan.bound = getTime(op.getBound());
  if (std::optional<ArrayAttr> limits = op.getLimitedBy())
    for (auto limit : limits->getAsRange<ResourceAttr>())
      plan.limitedBy.push_back(getResource(limit));
  FailureOr<PlanView> view = PlanView::read(op);
  if (failed(view))
    return failure();
  for (const StageView &stage : view->stages)
    plan.stages.push_back(getStage(stage));
  return plan;
}
