//===- Joint.h - All decisions together -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planners `joint` and `stages`. JointPlanner.h has the search of both.

#ifndef HETERO_PLANNER_JOINT_JOINT_H
#define HETERO_PLANNER_JOINT_JOINT_H

#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// Pipeline stages across unequal sub-clusters, quickly. For orders of the
/// sub-clusters and numbers of microbatches, a dynamic program from the last
/// stage to the first chooses layers, devices, tensor degree, state mode and
/// recompute of each stage; devices may be left out. It minimizes
///
///   max_i (r_i + e_i) + (M - 1) max_i (t_i, k_i, r_i / n_i)
///
/// with t forward and backward of a stage, k one crossing of a boundary,
/// r_i = sum_{j >= i} (t_j + 2 k_j) the way of a microbatch from stage i on, e
/// gather, reduce and update, and n the in-flight count that memory allows. It
/// keeps several labels in each state. The best candidates, and the plans of
/// `single`, `dp-even` and `dp-proportional`, are evaluated with their
/// schedule, and the fastest wins. O(orders * microbatch counts * layers^2 *
/// positions^2).
llvm::Expected<Plan> planStages(const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

/// Everything together: the fastest plan that is found by the search of
/// planStages with more orders (also with classes interleaved, or one around
/// the others), and by local search from its best designs and from the plans of
/// all baselines: cuts, rows of devices, order, options, microbatches and
/// stages change one at a time. Samples go by speed inside of a stage, state by
/// memory, in-flight counts by what is fastest. Never slower than a baseline,
/// because their plans are candidates. Stops early at `timeBudget`. Work is
/// otherwise counted, so that the result is the same everywhere. Fails only if
/// no design and no baseline fits.
llvm::Expected<Plan> planJoint(const Problem &problem,
                               const cluster::Cluster &cluster,
                               const PlannerOptions &options = {});

/// planStages, whose errors name another planner.
llvm::Expected<Plan> searchStages(llvm::StringRef name, const Problem &problem,
                                  const cluster::Cluster &cluster,
                                  const PlannerOptions &options);

/// The planners whose plans planJoint starts from, by name.
llvm::ArrayRef<PlannerEntry> jointBaselines();

} // namespace hetero::planner

#endif // HETERO_PLANNER_JOINT_JOINT_H
