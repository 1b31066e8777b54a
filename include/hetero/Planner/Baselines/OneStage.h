//===- OneStage.h - What planners of one stage share ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_PLANNER_BASELINES_ONESTAGE_H
#define HETERO_PLANNER_BASELINES_ONESTAGE_H

#include "hetero/Planner/Model/PlanBuilder.h"

namespace hetero::planner {

/// Checks the problem and gives the devices that may hold all layers, or says
/// why the planner called `planner` cannot make one stage.
llvm::Expected<std::vector<int64_t>>
devicesForOneStage(llvm::StringRef planner, const Problem &problem,
                   const cluster::Cluster &cluster);

} // namespace hetero::planner

#endif // HETERO_PLANNER_BASELINES_ONESTAGE_H
