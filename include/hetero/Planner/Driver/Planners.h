//===- Planners.h - From a problem to a plan --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each planner is a free function. All of them check the problem first, work
// for any number of devices and samples (a device without a sample is left
// out), and return a plan that verify accepts with the predictions that
// evaluate gives, so plans of different planners can be compared. All are
// deterministic.
//
// Each fails when the problem is not sound, when constraints ask for what it
// cannot do, or when nothing in its space fits: the error then says which
// device is short of how much memory in the plan that came closest, and what
// takes it.

#ifndef HETERO_PLANNER_DRIVER_PLANNERS_H
#define HETERO_PLANNER_DRIVER_PLANNERS_H

#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Baselines/Even.h"
#include "hetero/Planner/Baselines/Exhaustive.h"
#include "hetero/Planner/Cephalo/Cephalo.h"
#include "hetero/Planner/Harp/Harp.h"
#include "hetero/Planner/Joint/Joint.h"
#include "hetero/Planner/Spmd/SpmdPlan.h"

namespace hetero::planner {

/// The best of all plans: searchExhaustively from the plan of planStages.
llvm::Expected<Plan> planExhaustive(const Problem &problem,
                                    const cluster::Cluster &cluster,
                                    const PlannerOptions &options = {});

/// All planners, by name.
llvm::ArrayRef<PlannerEntry> planners();

/// The planner called `name`; an unknown name is an error that lists them.
llvm::Expected<const PlannerEntry *> findPlanner(llvm::StringRef name);

/// Runs the planner called `name`.
llvm::Expected<Plan> runPlanner(llvm::StringRef name, const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_DRIVER_PLANNERS_H
