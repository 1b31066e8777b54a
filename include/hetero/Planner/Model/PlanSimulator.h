//===- PlanSimulator.h - Simulating plans by a stage model ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_PLANNER_MODEL_PLANSIMULATOR_H
#define HETERO_PLANNER_MODEL_PLANSIMULATOR_H

#include "hetero/Planner/Model/PlanSimulation.h"
#include "hetero/Planner/Model/StageModel.h"
#include "hetero/Simulator/ScheduleChoice.h"

namespace hetero::planner {

/// What the stages of a plan take for each different size of microbatch; by
/// stage and `chunk * sizes + size`.
std::vector<std::vector<StageTimes>> getStageTimes(const StageModel &model,
                                                   const Plan &plan);

/// Simulates a plan that verifyStructure accepts, whose stages take `bySize`.
/// `devices` may be empty.
PlanSimulation
simulateStages(const StageModel &model, const Plan &plan,
               llvm::ArrayRef<std::vector<StageTimes>> bySize,
               std::vector<std::vector<simulator::DeviceUse>> devices = {});

/// The fastest schedule of some kinds for the stages of a plan, which have one
/// run each, with at most `limits` in flight.
simulator::ScheduleChoice chooseSchedule(const StageModel &model,
                                         const Plan &plan,
                                         llvm::ArrayRef<ScheduleKind> kinds,
                                         llvm::ArrayRef<int64_t> limits,
                                         int64_t mostSimulations);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_PLANSIMULATOR_H
