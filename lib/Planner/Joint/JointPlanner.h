//===- JointPlanner.h - The phases of the joint search ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of planStages and planJoint is a list of phases, each of which
// reads and adds to what was found (JointState.h):
//
//   seed            the plans of the quick baselines
//   search lines    stages along lines of whole runs of devices (LineSearch.h)
//   evaluate        the best designs become plans; planStages ends here
//   seed others     the plans of all other baselines
//   search mixed lines
//                   lines in which runs are taken apart
//   search nodes    on many devices: stages of whole nodes (NodeSearch.h) and
//                   regular ones (GroupSearch.h), simulated with all schedules
//   improve         local search from the best designs (DesignImprovement.h)
//   evaluate improved
//                   the best designs again
//   schedule        the best plans with other schedules (OtherSchedules.h)
//   improve split   local search for split backwards
//   certify         what no plan can beat (Certificate.h)
//
// The other baselines run in a thread beside the first three phases, and the
// certificate beside all that comes after them. How much each phase does is
// counted, so that the plan does not depend on the machine.

#ifndef HETERO_LIB_PLANNER_JOINT_JOINTPLANNER_H
#define HETERO_LIB_PLANNER_JOINT_JOINTPLANNER_H

#include "JointState.h"

namespace hetero::planner {

/// Runs the phases that the mode of the state asks for. Fails if there is no
/// device, or if no design and no baseline fits.
llvm::Expected<Plan> planInPhases(JointState &state);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_JOINT_JOINTPLANNER_H
