//===- SpmdPlan.h - Plans of one stage from SPMD programs -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planners `spmd` and `hap`, for problems of layers.

#ifndef HETERO_PLANNER_SPMD_SPMDPLAN_H
#define HETERO_PLANNER_SPMD_SPMDPLAN_H

#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// One SPMD program for all devices (Spmd.h): program and shares are solved in
/// turn, the program as a cost graph with proven optimality, the shares as a
/// linear program. Works on `options.graph`, or on the layers of the problem as
/// operations. The plan has one stage with the samples by the shares and state
/// as it is fastest; tried on several sets of devices (DeviceSets.h).
/// Polynomial but for the last step of the solver, which is limited: a step of
/// 10,000 operations takes some tenths of a second.
llvm::Expected<Plan> planSpmd(const Problem &problem,
                              const cluster::Cluster &cluster,
                              const PlannerOptions &options = {});

/// The same with the published search, A* over programs (searchInTurn).
/// Exponential where its bound is not tight, therefore narrowed on large
/// graphs. Stops early at `timeBudget`.
llvm::Expected<Plan> planHap(const Problem &problem,
                             const cluster::Cluster &cluster,
                             const PlannerOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_SPMDPLAN_H
