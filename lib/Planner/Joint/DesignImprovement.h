//===- DesignImprovement.h - Local search from what was found ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases that run LocalSearch.h: for whole backwards from the best designs,
// and for split backwards from designs that are good with those.

#ifndef HETERO_LIB_PLANNER_JOINT_DESIGNIMPROVEMENT_H
#define HETERO_LIB_PLANNER_JOINT_DESIGNIMPROVEMENT_H

#include "JointState.h"

namespace hetero::planner {

/// Designs that were tried with all schedules, with the seconds of the fastest;
/// the best first.
using ScheduledDesigns = std::vector<std::pair<double, Design>>;

/// Improves the best designs, and adds what comes out to the designs. Every
/// second one is improved in a thread of its own.
void improveDesigns(JointState &state);

/// Improves designs for split backwards, which like other cuts than whole ones,
/// and adds their plans with all schedules: from `scheduled`, and from the best
/// for each number of microbatches that has none there.
void improveSplit(JointState &state, const ScheduledDesigns &scheduled);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_JOINT_DESIGNIMPROVEMENT_H
