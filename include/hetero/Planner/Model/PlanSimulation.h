//===- PlanSimulation.h - What a plan does when -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a plan into the input of the simulator and runs it: the lists of its
// schedule, the times of its stages for every microbatch, and what its messages
// share on the cluster. evaluate() takes the time of a step from here, so every
// planner is judged by it.
//
//   Expected<PlanSimulation> simulation = simulatePlan(problem, cluster, plan);
//   simulation->result.total;        // plan.predicted
//   simulation->result.stages[0];    // busy, exposed, bubble
//   simulation->result.peaks[0][0];  // of the first device of the first stage
//   writeTrace(getTrace(*simulation, cluster, plan), os);  // for a browser

#ifndef HETERO_PLANNER_MODEL_PLANSIMULATION_H
#define HETERO_PLANNER_MODEL_PLANSIMULATION_H

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Simulator/Simulator.h"
#include "hetero/Simulator/Trace.h"

namespace hetero::planner {

/// Stays valid on its own, but for the trace that getTrace makes of it.
struct PlanSimulation {
  simulator::Schedule schedule;
  /// As in simulator::Simulation.
  std::vector<std::vector<simulator::StageTimes>> times;
  std::vector<simulator::StageFlows> flows;
  std::vector<std::vector<simulator::DeviceUse>> devices;
  simulator::SimulationResult result;
};

/// Simulates a step of `plan`. Fails where verify would, but for memory.
llvm::Expected<PlanSimulation> simulatePlan(const Problem &problem,
                                            const cluster::Cluster &cluster,
                                            const Plan &plan);

/// One process of the trace for each stage, named after its devices.
simulator::Trace getTrace(const PlanSimulation &simulation,
                          const cluster::Cluster &cluster, const Plan &plan);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_PLANSIMULATION_H
