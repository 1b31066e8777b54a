//===- DataParallel.h - Planners that make one stage ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The baselines `single`, `dp-even` and `dp-proportional`.

#ifndef HETERO_PLANNER_BASELINES_DATAPARALLEL_H
#define HETERO_PLANNER_BASELINES_DATAPARALLEL_H

#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// The best single device. Tries each class and each number of microbatches;
/// O(devices * microbatches).
llvm::Expected<Plan> planSingle(const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

/// Data parallelism over all devices as if they were alike: shares differ by at
/// most one sample, and state, if it does not fit whole, is divided evenly. The
/// smallest number of microbatches that fits.
llvm::Expected<Plan> planDpEven(const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

/// Data parallelism over all devices with samples by speed and state by free
/// memory. The samples of a microbatch are handed out one at a time to the
/// device that would finish it first and has the memory, which minimizes the
/// time of the slowest; state then fills the free memory. All numbers of
/// microbatches are tried. O(batch log devices) for each.
llvm::Expected<Plan> planDpProportional(const Problem &problem,
                                        const cluster::Cluster &cluster,
                                        const PlannerOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_BASELINES_DATAPARALLEL_H
