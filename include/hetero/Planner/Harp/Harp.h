//===- Harp.h - Pipelines inside of sub-clusters ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner `harp`; HarpSearch.h has its search.

#ifndef HETERO_PLANNER_HARP_HARP_H
#define HETERO_PLANNER_HARP_HARP_H

#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// Pipeline stages inside of sub-clusters (devices of one class in one node, or
/// in one site if there are many), after a published system: for orders of the
/// sub-clusters and numbers of microbatches M, a dynamic program for each
/// possible period p from the last layer to the first chooses layers, mesh,
/// tensor degree, state mode and recompute of each stage. It minimizes
///
///   sum_i (t_i + k_i + g_i) + (M - 1) p,  all t_i, k_i, g_i <= p
///
/// with t forward and backward and a share of gather, reduce and update, k one
/// crossing and g the way back of its gradient, where n_last = 1,
/// n_i = n_{i+1} + 1 + ceil((k_i + g_i) / p) microbatches in flight must fit;
/// the best are also tried with the published counts, which are fewer. Finds
/// the optimum of that for few devices and layers; more are thinned. Devices
/// may be left out; samples and state are divided evenly. O(orders * microbatch
/// counts * periods * layers^2 * positions^2). Does not take layers that are
/// pinned to stages.
llvm::Expected<Plan> planHarp(const Problem &problem,
                              const cluster::Cluster &cluster,
                              const PlannerOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_HARP_HARP_H
