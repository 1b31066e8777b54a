//===- ScheduleCheck.cpp - Is the schedule one for this plan? -------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankPrograms.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

/// Instructions that rank programs have no code for. They must not be dropped.
static bool isSupported(InstructionAttr instruction) {
  switch (instruction.getKind()) {
  case InstructionKind::Recompute:
  case InstructionKind::InputGradient:
  case InstructionKind::WeightGradient:
    return false;
  default:
    return instruction.getChunk() == 0;
  }
}

static LogicalResult checkStage(StageScheduleOp stage) {
  for (auto instruction : stage.getInstructions().getAsRange<InstructionAttr>())
    if (!isSupported(instruction))
      return stage.emitOpError() << "has the instruction " << instruction
                                 << ", which cannot be partitioned yet";
  return success();
}

LogicalResult partition::checkSchedule(ModuleOp module,
                                       const StepLayout &layout) {
  auto schedules = module.getOps<ScheduleOp>();
  if (schedules.empty())
    return success();
  ScheduleOp schedule = *schedules.begin();
  if (!llvm::hasSingleElement(schedules)) {
    InFlightDiagnostic error =
        (*std::next(schedules.begin())).emitOpError("is a second schedule");
    error.attachNote(schedule.getLoc()) << "the first is here; keep one";
    return error;
  }
  auto stages = schedule.getBody().getOps<StageScheduleOp>();
  size_t numStages = llvm::range_size(stages);
  if (schedule.getMicrobatches() != layout.microbatches.size() ||
      numStages != layout.stages.size()) {
    PlanOp plan = layout.plan;
    InFlightDiagnostic error = schedule.emitOpError()
                               << "is for " << schedule.getMicrobatches()
                               << " microbatches and " << numStages
                               << " stages";
    error.attachNote(plan.getLoc())
        << "the plan has " << layout.microbatches.size() << " and "
        << layout.stages.size();
    return error;
  }
  for (StageScheduleOp stage : stages)
    if (failed(checkStage(stage)))
      return failure();
  return success();
}
