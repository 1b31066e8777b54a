//===- PlanStep.h - One driver for all who plan -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// A planner (Planners.h) answers one question: the best plan of layers by the
// formulas of the cost model. Which question to ask, and whether to believe the
// answer, is decided here, once for the tool `hetero-plan`, the pass
// `hetero-plan` and Python:
//
//   1. what the request asks for becomes options and constraints;
//   2. the planner makes a plan of layers. Whoever has the program of the step
//      (PlanTrial) measures what that plan's program needs. Where memory is
//      short, so much of it is kept back and the planner is asked again;
//   3. programs of single operations (Spmd.h) are solved for several sets of
//      devices, and taken where they are faster than the plan of layers, or
//      where no plan of layers fits.
//
// Without a program, as for a problem from a file, formulas are believed, and
// there is nothing to write a program of single operations on: step 2 is one
// call, step 3 is left out.
//
// A worked example
// ----------------
// A device has 600 B. The planner expects 544 B; measuring the program gives
// 640 B, and 642 B with a margin: 42 B are missing. The planner is asked again
// about a cluster whose device has 558 B, and takes another device.

#ifndef HETERO_PLANNER_DRIVER_PLANSTEP_H
#define HETERO_PLANNER_DRIVER_PLANSTEP_H

#include "hetero/Planner/Driver/PlanRequest.h"
#include "hetero/Planner/Driver/PlanTrial.h"
#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// What is to be planned.
struct StepModel {
  /// Its layers, with what the program itself constrains: pins, tensor degrees.
  Problem problem;
  /// Its operations; null where only layers are known.
  const Graph *graph = nullptr;
  /// Tries plans by their programs; null where formulas have to do.
  PlanTrial *trial = nullptr;
  /// Shardings on the program say how values are divided, so that no program of
  /// single operations is looked for.
  bool hasShardings = false;
};

/// There is no plan. Notes say of which class memory was kept back, and how
/// much, after measuring the programs of other plans.
class NoPlanError : public llvm::ErrorInfo<NoPlanError> {
public:
  static char ID;

  NoPlanError(std::string message, std::vector<std::string> notes)
      : message(std::move(message)), notes(std::move(notes)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  std::string message;
  std::vector<std::string> notes;
};

/// Who is told about a search while it goes on; see PlannerOptions.
struct PlanListener {
  std::function<void(const Plan &best)> onBetter;
  llvm::raw_ostream *log = nullptr;
};

/// The best plan for the request. Fails when the request cannot be met, which
/// the error explains with its value and what it must be, and with NoPlanError.
llvm::Expected<StepPlan> planStep(const StepModel &model,
                                  const cluster::Cluster &cluster,
                                  const PlanRequest &request,
                                  const PlanListener &listener = {});

/// What the request asks of planners.
llvm::Expected<PlannerOptions> getPlannerOptions(const PlanRequest &request);

/// The sizes of the microbatches of a batch that the request asks for; empty if
/// the planner is to choose.
llvm::Expected<std::vector<int64_t>> getMicrobatches(const PlanRequest &request,
                                                     int64_t batch);

/// Adds what the request asks of plans to the constraints of `problem`.
llvm::Error addConstraints(const PlanRequest &request,
                           const cluster::Cluster &cluster, Problem &problem);

/// The most devices of one class in one node: in more parts no layer is
/// divided along a model dimension.
int64_t countAlike(const cluster::Cluster &cluster);

} // namespace hetero::planner

#endif // HETERO_PLANNER_DRIVER_PLANSTEP_H
