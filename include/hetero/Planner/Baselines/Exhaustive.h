//===- Exhaustive.h - All plans of a small problem --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the planner `exhaustive` does once it has a plan to beat.

#ifndef HETERO_PLANNER_BASELINES_EXHAUSTIVE_H
#define HETERO_PLANNER_BASELINES_EXHAUSTIVE_H

#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// The best of all plans with microbatches that differ by at most one sample:
/// all cuts, devices, tensor degrees, state modes, divisions of samples and
/// in-flight counts. Only what is slower than the best plan so far in one stage
/// alone is left out. Exponential in layers and devices; gives up after
/// `maxPlans`. The oracle that other planners are tested with.
///
/// A good `start` makes most other plans hopeless.
llvm::Expected<Plan> searchExhaustively(const Problem &problem,
                                        const cluster::Cluster &cluster,
                                        const PlannerOptions &options,
                                        llvm::Expected<Plan> start);

} // namespace hetero::planner

#endif // HETERO_PLANNER_BASELINES_EXHAUSTIVE_H
