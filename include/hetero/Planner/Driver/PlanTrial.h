//===- PlanTrial.h - What the program of a plan needs -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver (PlanStep.h) tries a plan before it believes the formulas of the
// planner: whoever has the program of the step lays out its state in rows, and
// measures what the program of the plan needs. ModuleStep.h does so.

#ifndef HETERO_PLANNER_DRIVER_PLANTRIAL_H
#define HETERO_PLANNER_DRIVER_PLANTRIAL_H

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Planner/Spmd/Spmd.h"

namespace hetero::planner {

/// A plan of layers, or a program of single operations as a plan of one stage
/// whose devices all see the whole batch.
struct StepPlan {
  Plan plan;
  std::optional<SpmdSolution> program;
  /// What PlanTrial::layOut has returned for a plan of layers.
  std::optional<int64_t> layout;
};

/// Tells what only the program of a plan can tell.
class PlanTrial {
public:
  virtual ~PlanTrial();

  /// Planners divide state anywhere; a program divides it into whole rows.
  /// Replaces the bytes in the shares of `plan` (state, and with it memory) by
  /// those of rows, and returns a number for these rows.
  virtual int64_t layOut(Plan &plan) = 0;

  /// The most bytes that each device of the plan needs; nothing if the plan has
  /// no program, which is for later phases to explain.
  virtual std::optional<std::map<int64_t, Bytes>>
  measure(const StepPlan &plan, const cluster::Cluster &cluster) = 0;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_DRIVER_PLANTRIAL_H
