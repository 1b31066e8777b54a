//===- RankPrograms.cpp - The programs of all ranks -----------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankBuilder.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

LogicalResult partition::emitRankPrograms(ModuleOp module,
                                          const StepLayout &layout) {
  Traffic traffic(layout);
  UnitTable units(module, layout, traffic);
  auto schedules = module.getOps<ScheduleOp>();
  ScheduleOp schedule = schedules.empty() ? ScheduleOp() : *schedules.begin();
  std::map<int64_t, Member> ranks;
  for (auto [index, stage] : llvm::enumerate(layout.stages))
    for (int64_t data = 0; data < stage.dataSize; ++data)
      for (int64_t tensor = 0; tensor < stage.tensorSize; ++tensor)
        ranks[stage.getRank(data, tensor)] = {int64_t(index), data, tensor, 0};
  OpBuilder builder(module.getContext());
  for (auto &[rank, member] : ranks) {
    builder.setInsertionPointToEnd(module.getBody());
    if (failed(RankBuilder(layout, traffic, units, schedule, member, builder)
                   .build()))
      return failure();
  }
  units.setPrograms();
  // Its types and roles say what the parts are parts of.
  layout.step->setAttr(
      "hetero.outputs",
      units.getNumbers(
          layout.step.getBody().front().getTerminator()->getOperands()));
  layout.step.getBody().getBlocks().clear();
  layout.step.setPrivate();
  return success();
}
