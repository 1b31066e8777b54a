//===- PlanRequest.h - What a user asks of a plan ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One struct from the command line, the passes and Python to the driver
// (PlanStep.h). Every field is an option of the same name everywhere:
//
//   hetero-opt --hetero-plan="planner=harp max-stages=2"
//   hetero-plan step.mlir --planner harp --max-stages 2
//   hetero-run step.mlir --planner harp --max-stages 2
//   hetero.jit(step, planner="harp", max_stages=2)

#ifndef HETERO_PLANNER_DRIVER_PLANREQUEST_H
#define HETERO_PLANNER_DRIVER_PLANREQUEST_H

#include <cstdint>
#include <string>
#include <vector>

namespace hetero::planner {

struct PlanRequest {
  /// A name of Planners.h.
  std::string planner = "joint";
  /// The kind of schedule that the plan is for, or "auto": the planner chooses.
  std::string schedule = "auto";
  /// One number is how many there are, of sizes that differ by at most one;
  /// several are the sizes. The planner chooses if there is none.
  std::vector<int64_t> microbatches;
  /// How stages of several devices may hold their state: "replicated",
  /// "optimizer", "full". The planner chooses if there is none.
  std::vector<std::string> state;
  /// In how many parts every stage divides its layers along a model dimension;
  /// the planner chooses if 0.
  int64_t tensor = 0;
  /// The largest number of stages; 0 for no limit.
  int64_t maxStages = 0;
  /// Devices, by rank, that must not be used.
  std::vector<int64_t> without;
  /// How many times as long `joint` searches, from 1 to 100.
  int64_t effort = 1;
  /// How long a planner may search, as "5s"; empty for no limit.
  std::string timeBudget;
  /// Keeps planners that are known from publications to what their releases
  /// search, for comparisons.
  bool asReleased = false;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_DRIVER_PLANREQUEST_H
