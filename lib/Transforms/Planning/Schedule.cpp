//===- Schedule.cpp - Writes the order of work of each stage --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Schedule.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Transforms/Planning/Passes.h"

namespace hetero {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "hetero/Transforms/Planning/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct SchedulePass : public hetero::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;
  void runOnOperation() override;
  void write(PlanOp plan, const simulator::Schedule &schedule);
};
} // namespace

/// What the plan predicts; equal times where it predicts nothing.
static std::vector<simulator::StageTimes> getTimes(const planner::Plan &plan) {
  std::vector<simulator::StageTimes> times;
  bool unknown = llvm::any_of(plan.stages, [](const planner::Stage &stage) {
    return stage.forward + stage.backward == Time(0);
  });
  for (const planner::Stage &stage : plan.stages) {
    simulator::StageTimes time;
    time.forward = unknown ? Time(timePerSecond) : stage.forward;
    time.backward = unknown ? Time(timePerSecond) : stage.backward;
    time.weightGradient = Time(time.backward.count() / 2);
    time.boundary = stage.boundary;
    time.boundaryGradient = stage.boundaryGradient;
    times.push_back(time);
  }
  return times;
}

/// The counts of `kind` that the plan has room for: those of the plan if it was
/// made for that kind. A plan with less room than a kind needs that does not
/// adapt is an error.
static FailureOr<std::vector<int64_t>> getInFlight(simulator::ScheduleKind kind,
                                                   const planner::Plan &plan,
                                                   PlanOp op) {
  int64_t microbatches = plan.microbatches.size();
  int64_t chunks = plan.stages.front().layers.size();
  std::vector<int64_t> limits;
  limits.reserve(plan.stages.size());
  for (const planner::Stage &stage : plan.stages)
    limits.push_back(std::min(stage.inFlight, microbatches * chunks));
  bool adapts = kind == simulator::ScheduleKind::HeteroOneFOneB ||
                kind == simulator::ScheduleKind::ZeroBubble ||
                kind == simulator::ScheduleKind::Interleaved;
  if (op.getSchedule() && plan.schedule == kind && adapts)
    return limits;
  bool keepsAll = kind == simulator::ScheduleKind::Gpipe;
  std::vector<int64_t> counts = computeInFlight(
      kind, microbatches, getTimes(plan),
      keepsAll ? ArrayRef<int64_t>() : ArrayRef<int64_t>(limits), chunks);
  for (auto [count, limit, stageOp] :
       llvm::zip_equal(counts, limits, op.getStages())) {
    if (count <= limit)
      continue;
    llvm::StringRef name = stringify(kind);
    if (count == microbatches)
      return stageOp.emitOpError()
             << "has room for " << limit << " microbatches in flight, but "
             << name << " keeps all " << count
             << "; plan with schedule=" << name << ", or raise in_flight";
    return stageOp.emitOpError()
           << "has room for " << limit << " in flight, but " << name
           << " keeps " << count << "; plan with schedule=" << name
           << ", or raise in_flight";
  }
  return counts;
}

static InstructionAttr toAttr(const simulator::Instruction &instruction,
                              MLIRContext *context) {
  return InstructionAttr::get(context, instruction.kind, instruction.microbatch,
                              instruction.peer, instruction.chunk, /*sweep=*/0);
}

void SchedulePass::write(PlanOp plan, const simulator::Schedule &schedule) {
  MLIRContext *context = &getContext();
  OpBuilder builder(context);
  builder.setInsertionPointAfter(plan);
  std::string name = "order";
  for (int64_t number = 1; SymbolTable::lookupSymbolIn(getOperation(), name);
       ++number)
    name = "order_" + std::to_string(number);
  auto op =
      ScheduleOp::create(builder, plan.getLoc(), builder.getStringAttr(name),
                         ScheduleKindAttr::get(context, schedule.kind),
                         FlatSymbolRefAttr::get(plan.getSymNameAttr()),
                         builder.getI64IntegerAttr(schedule.microbatches));
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  for (auto [index, stage] : llvm::enumerate(schedule.stages)) {
    SmallVector<Attribute> instructions;
    for (const simulator::Instruction &instruction : stage.instructions)
      instructions.push_back(toAttr(instruction, context));
    numInstructions += instructions.size();
    StageScheduleOp::create(builder, plan.getLoc(),
                            builder.getI64IntegerAttr(index),
                            builder.getI64IntegerAttr(stage.inFlight),
                            builder.getI64IntegerAttr(stage.chunks),
                            builder.getArrayAttr(instructions));
  }
}

/// The kind that is asked for, or else that of the plan.
static FailureOr<simulator::ScheduleKind> getKind(StringRef asked, PlanOp op,
                                                  const planner::Plan &plan) {
  if (asked != "auto")
    return *simulator::parseScheduleKind(asked);
  if (op.getSchedule() == ScheduleKind::Custom)
    return op.emitOpError()
           << "is for a custom schedule, which the module must have";
  return plan.schedule;
}

void SchedulePass::runOnOperation() {
  ModuleOp module = getOperation();
  if (kind != "auto" && !simulator::parseScheduleKind(kind)) {
    module.emitError() << "unknown kind of schedule '" << kind
                       << "'; one of: auto, " << simulator::listScheduleKinds();
    return signalPassFailure();
  }
  if (!module.getOps<ScheduleOp>().empty())
    return;
  FailureOr<PlanOp> op = getPlanOp(module);
  if (failed(op))
    return signalPassFailure();
  FailureOr<planner::Plan> plan = getPlan(*op);
  if (failed(plan))
    return signalPassFailure();
  FailureOr<simulator::ScheduleKind> scheduleKind = getKind(kind, *op, *plan);
  if (failed(scheduleKind))
    return signalPassFailure();
  bool hasChunks = *scheduleKind == simulator::ScheduleKind::Interleaved ||
                   *scheduleKind == simulator::ScheduleKind::Layered;
  int64_t numChunks = hasChunks ? op->getStages().front().getNumChunks() : 1;
  for (StageOp stage : op->getStages())
    if (stage.getNumChunks() != numChunks) {
      stage.emitOpError() << "has " << stage.getNumChunks()
                          << " runs of layers; schedules of this kind have "
                          << numChunks;
      return signalPassFailure();
    }
  FailureOr<std::vector<int64_t>> inFlight =
      getInFlight(*scheduleKind, *plan, *op);
  if (failed(inFlight))
    return signalPassFailure();
  std::vector<simulator::StageCommunication> communication;
  for (const planner::Stage &stage : plan->stages)
    communication.push_back(
        {/*gathers=*/stage.mesh.data > 1 &&
             stage.state != planner::StateMode::Replicated &&
             stage.state != planner::StateMode::Optimizer,
         /*reduces=*/stage.mesh.data > 1});
  numStages += plan->stages.size();
  write(*op, buildSchedule(*scheduleKind, plan->microbatches.size(), *inFlight,
                           communication, numChunks, getTimes(*plan)));
}
