//===- EmitRankProgramsSchedule.cpp - Is the schedule one for this plan? --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitRankPrograms.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

/// Instructions that rank programs have no code for must not be dropped. What
/// is recomputed is so in the backward that needs it.
static LogicalResult checkStage(StageScheduleOp list, StageOp stage) {
  bool halves = false, whole = false;
  if (int64_t(list.getChunks()) != stage.getNumChunks()) {
    return (list.emitOpError() << "is for " << list.getChunks() << " chunks")
               .attachNote(stage.getLoc())
           << "the stage has " << stage.getNumChunks() << " runs of layers";
  }
  for (auto instruction :
       list.getInstructions().getAsRange<InstructionAttr>()) {
    halves |= instruction.getKind() == InstructionKind::InputGradient;
    whole |= instruction.getKind() == InstructionKind::Backward;
    if (instruction.getKind() == InstructionKind::Recompute &&
        !stage.getRecompute()) {
      return (list.emitOpError() << "has the instruction " << instruction)
                 .attachNote(stage.getLoc())
             << "the stage does not say recompute";
    }
  }
  if (halves && whole)
    return list.emitOpError()
           << "has whole backwards and halves of them, which cannot be "
              "partitioned together";
  return success();
}

LogicalResult partition::checkSchedule(ModuleOp module,
                                       const StepLayout &layout) {
  auto schedules = module.getOps<ScheduleOp>();
  PlanOp plan = layout.plan;
  SmallVector<StageOp, 4> planned = plan.getStages();
  if (schedules.empty()) {
    for (StageOp stage : planned)
      if (stage.getNumChunks() != 1)
        return stage.emitOpError()
               << "has " << stage.getNumChunks()
               << " runs of layers, whose order only a schedule can say";
    return success();
  }
  ScheduleOp schedule = *schedules.begin();
  if (!llvm::hasSingleElement(schedules)) {
    return (*std::next(schedules.begin()))
               .emitOpError("is a second schedule")
               .attachNote(schedule.getLoc())
           << "the first is here; keep one";
  }
  auto stages = schedule.getBody().getOps<StageScheduleOp>();
  size_t numStages = llvm::range_size(stages);
  if (schedule.getMicrobatches() != layout.microbatches.size() ||
      numStages != planned.size()) {
    return (schedule.emitOpError()
            << "is for " << schedule.getMicrobatches() << " microbatches and "
            << numStages << " stages")
               .attachNote(plan.getLoc())
           << "the plan has " << layout.microbatches.size() << " and "
           << planned.size();
  }
  for (auto [list, stage] : llvm::zip_equal(stages, planned))
    if (failed(checkStage(list, stage)))
      return failure();
  return success();
}
