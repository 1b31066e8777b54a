//===- Schedule.cpp - Writes the order of work of each stage --------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Simulator/Schedule.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Transforms/Passes.h"

namespace hetero {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "hetero/Transforms/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct SchedulePass : public hetero::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;
  void runOnOperation() override;
  ScheduleOp write(PlanOp plan, const simulator::Schedule &schedule);
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
    time.boundary = stage.boundary;
    time.boundaryGradient = stage.boundaryGradient;
    times.push_back(time);
  }
  return times;
}

/// The counts of `kind` that the plan has room for. A plan with less room than
/// gpipe needs is an error: with less it would be another kind.
static FailureOr<std::vector<int64_t>> getInFlight(simulator::ScheduleKind kind,
                                                   const planner::Plan &plan,
                                                   PlanOp op) {
  int64_t microbatches = plan.microbatches.size();
  std::vector<int64_t> limits;
  for (auto [stage, stageOp] : llvm::zip_equal(plan.stages, op.getStages())) {
    if (kind == simulator::ScheduleKind::Gpipe && stage.inFlight < microbatches)
      return stageOp.emitOpError()
             << "has room for " << stage.inFlight
             << " microbatches in flight, but gpipe keeps all " << microbatches
             << "; plan with schedule=gpipe, or raise in_flight";
    limits.push_back(stage.inFlight);
  }
  return computeInFlight(kind, microbatches, getTimes(plan), limits);
}

static InstructionAttr toAttr(const simulator::Instruction &instruction,
                              MLIRContext *context) {
  // Both enumerations have the same words.
  return InstructionAttr::get(
      context, *symbolizeInstructionKind(stringify(instruction.kind)),
      instruction.microbatch, instruction.peer, /*chunk=*/0, /*sweep=*/0);
}

ScheduleOp SchedulePass::write(PlanOp plan,
                               const simulator::Schedule &schedule) {
  MLIRContext *context = &getContext();
  OpBuilder builder(context);
  builder.setInsertionPointAfter(plan);
  std::string name = "order";
  for (int64_t number = 1; SymbolTable::lookupSymbolIn(getOperation(), name);
       ++number)
    name = "order_" + std::to_string(number);
  auto op = ScheduleOp::create(
      builder, plan.getLoc(), builder.getStringAttr(name),
      ScheduleKindAttr::get(context,
                            *symbolizeScheduleKind(stringify(schedule.kind))),
      FlatSymbolRefAttr::get(plan.getSymNameAttr()),
      builder.getI64IntegerAttr(schedule.microbatches));
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  for (auto [index, stage] : llvm::enumerate(schedule.stages)) {
    SmallVector<Attribute> instructions;
    for (const simulator::Instruction &instruction : stage.instructions)
      instructions.push_back(toAttr(instruction, context));
    numInstructions += instructions.size();
    StageScheduleOp::create(
        builder, plan.getLoc(), builder.getI64IntegerAttr(index),
        builder.getI64IntegerAttr(stage.inFlight), builder.getI64IntegerAttr(1),
        builder.getArrayAttr(instructions));
  }
  return op;
}

void SchedulePass::runOnOperation() {
  ModuleOp module = getOperation();
  std::optional<simulator::ScheduleKind> scheduleKind =
      simulator::parseScheduleKind(kind);
  if (!scheduleKind) {
    module.emitError() << "unknown kind of schedule '" << kind
                       << "'; one of: gpipe, 1f1b, h1f1b";
    return signalPassFailure();
  }
  if (!module.getOps<ScheduleOp>().empty())
    return;
  FailureOr<PlanOp> op = getPlanOp(module);
  if (failed(op))
    return signalPassFailure();
  for (StageOp stage : op->getStages())
    if (stage.getNumChunks() != 1) {
      stage.emitOpError() << "has " << stage.getNumChunks()
                          << " runs of layers; schedules of this kind have 1";
      return signalPassFailure();
    }
  FailureOr<planner::Plan> plan = getPlan(*op);
  if (failed(plan))
    return signalPassFailure();
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
                           communication));
}
