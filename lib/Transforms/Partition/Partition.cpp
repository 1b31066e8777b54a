//===- Partition.cpp - From a planned step to rank programs ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitRankPrograms.h"
#include "Recompute.h"
#include "hetero/Analysis/RankPrograms.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Transforms/Partition/Passes.h"
#include "hetero/Transforms/Ranks/RankSteps.h"

namespace hetero {
#define GEN_PASS_DEF_PARTITIONPASS
#include "hetero/Transforms/Partition/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct PartitionPass : public hetero::impl::PartitionPassBase<PartitionPass> {
  using PartitionPassBase::PartitionPassBase;
  void runOnOperation() override;
};
} // namespace

void PartitionPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return signalPassFailure();
  partition::sinkIntoBackward(*step);
  FailureOr<int64_t> recomputed = partition::copyForRecompute(module);
  if (failed(recomputed))
    return signalPassFailure();
  numRecomputed += *recomputed;
  FailureOr<std::unique_ptr<partition::StepLayout>> layout =
      partition::StepLayout::read(module);
  if (failed(layout) || failed(partition::checkSchedule(module, **layout)))
    return signalPassFailure();
  numSweeps += (*layout)->levels.last;
  if (failed(partition::emitRankPrograms(module, **layout)))
    return signalPassFailure();
  FailureOr<std::unique_ptr<ranks::Programs>> programs =
      ranks::Programs::read(module);
  if (failed(programs))
    return signalPassFailure();
  ranks::placeSendWaits(**programs);
  for (auto function : module.getOps<func::FuncOp>()) {
    ProgramAttr program = getProgram(function);
    if (program)
      ++(program.getStage() ? numUnits : numRanks);
  }
}
