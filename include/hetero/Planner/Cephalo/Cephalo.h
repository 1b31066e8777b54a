//===- Cephalo.h - Compute and state split separately -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner `cephalo`.

#ifndef HETERO_PLANNER_CEPHALO_CEPHALO_H
#define HETERO_PLANNER_CEPHALO_CEPHALO_H

#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// Cephalo: one stage, where samples are divided by speed and state by free
/// memory, separately. Device i computes its samples in microbatches of its own
/// size m_i, l_i of them, and minimizes
///
///   max_i (F_i + K_i) and max_i F_i + max_i K_i, with
///   F_i = sum over layers of max(AG, l_i tf(m_i))
///   K_i = sum over layers of max(AG + RS, l_i tb(m_i))
///
/// for each way to hold state, with and without recomputation: the first as
/// published, the second because devices wait for each other in between. By
/// bisection instead of the published cubic recurrence (BatchSplit.h); near
/// linear in the batch. Ties go to who computes least, and then to the fewest
/// microbatches that fit.
///
/// Tries all devices; those that are left without the slowest classes, nodes or
/// sites, or where some come out idle; and one, two, four, ... microbatches of
/// the plan where memory limits fewer. The layout that evaluates best wins,
/// also over those of `dp-even` and `dp-proportional`. As released it is the
/// first sum for all devices, all state divided, one microbatch.
llvm::Expected<Plan> planCephalo(const Problem &problem,
                                 const cluster::Cluster &cluster,
                                 const PlannerOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_CEPHALO_CEPHALO_H
