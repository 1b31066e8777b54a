//===- PredictedTimeline.h - What a plan expects to happen ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the schedule of a plan with the times that the plan predicts, and
// draws each of its devices: when it computes, when messages are on their way,
// and how its memory fills and empties.
//
// A plan tells two amounts of memory for each device: its state, which is
// always there, and the most that is in use. The difference is drawn as growing
// by equal parts with each microbatch in flight.

#ifndef HETERO_PLANNER_PLAN_PREDICTEDTIMELINE_H
#define HETERO_PLANNER_PLAN_PREDICTEDTIMELINE_H

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Simulator/Schedule.h"
#include "hetero/Simulator/Timeline.h"

namespace hetero::planner {

/// One lane for each device of `plan`, by rank. `plan` has its predictions and
/// `schedule` its stages and microbatches. Fails as simulator::simulate
/// does.
llvm::Expected<simulator::TimelineSection>
predictTimeline(const Plan &plan, const simulator::Schedule &schedule,
                const cluster::Cluster &cluster);

} // namespace hetero::planner

#endif // HETERO_PLANNER_PLAN_PREDICTEDTIMELINE_H
