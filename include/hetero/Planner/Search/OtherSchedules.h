//===- OtherSchedules.h - Stages of a plan in other orders ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches look at one kind of schedule with in-flight counts by a formula.
// Their best plans are worth a closer look:
//
//   h1f1b, zero_bubble   the counts that are fastest by simulation, within what
//                        memory allows (ScheduleChoice.h). Stages that compute
//                        again what they do not keep have whole backwards: what
//                        the second half needs would have to stay.
//   interleaved          the layers of each stage in two to four runs, so that
//                        all stages begin sooner, for more crossings

#ifndef HETERO_PLANNER_SEARCH_OTHERSCHEDULES_H
#define HETERO_PLANNER_SEARCH_OTHERSCHEDULES_H

#include "hetero/Planner/Model/PlanBuilder.h"

namespace hetero::planner {

/// Adds the plan in the kinds of schedules that the options allow to the
/// selection, where it fits. Does nothing for plans of one stage or of several
/// runs.
void addSchedules(const PlanBuilder &builder, const Plan &plan,
                  Selection &selection);

} // namespace hetero::planner

#endif // HETERO_PLANNER_SEARCH_OTHERSCHEDULES_H
