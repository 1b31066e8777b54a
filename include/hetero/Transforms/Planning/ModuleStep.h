//===- ModuleStep.h - A step in a module, for planners ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands between a module and the driver of planners, which knows no IR
// (hetero/Planner/Driver/PlanStep.h). It says what is to be planned, tries
// plans by partitioning copies of the module, and writes the plan that the
// driver chooses:
//
//   StepReading reading(module);             // in a pass: getAnalysis
//   auto step = ModuleStep::read(module, reading, cluster, request);
//   Expected<planner::StepPlan> plan =
//       planner::planStep((*step)->getModel(), cluster, request);
//   (*step)->write(*plan);
//
// Planners count memory by layers and formulas. Of a plan that fills its
// devices only the program itself says whether it fits: how large temporaries
// are, what is there at the same time, whether updated state lies beside the
// old.

#ifndef HETERO_TRANSFORMS_PLANNING_MODULESTEP_H
#define HETERO_TRANSFORMS_PLANNING_MODULESTEP_H

#include "hetero/Analysis/StepReading.h"
#include "hetero/Analysis/UserConstraints.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Planner/Driver/PlanStep.h"

namespace hetero {

struct StateLayout;

class ModuleStep : public planner::PlanTrial {
public:
  /// `reading` is that of `module`, and outlives the result. Shardings that the
  /// user has written on arguments become a part of `request`. Reports an error
  /// for those that no plan on `cluster` can follow, and for operations of one
  /// layer that are placed on several stages.
  static mlir::FailureOr<std::unique_ptr<ModuleStep>>
  read(mlir::ModuleOp module, StepReading &reading,
       const cluster::Cluster &cluster, planner::PlanRequest &request);
  ~ModuleStep() override;

  const planner::StepModel &getModel() const { return model; }

  int64_t layOut(planner::Plan &plan) override;
  std::optional<std::map<int64_t, Bytes>>
  measure(const planner::StepPlan &plan,
          const cluster::Cluster &cluster) override;

  /// Writes the plan before the step, and what it says of single values on
  /// them. Warns if samples go to another number of devices than the user has
  /// asked for.
  PlanOp write(const planner::StepPlan &plan);

  /// How many tensors of state a plan of layers divides for storage, and how
  /// many along a model dimension.
  std::pair<int64_t, int64_t> countDivided(const planner::StepPlan &plan) const;

private:
  ModuleStep(mlir::ModuleOp module, StepReading &reading);
  mlir::LogicalResult addTensorSplits(const cluster::Cluster &cluster,
                                      planner::PlanRequest &request);

  mlir::ModuleOp module;
  StepReading &reading;
  planner::StepModel model;
  UserShardings user;
  TensorSplits splits;
  /// The kind of schedule that plans are tried with.
  std::string schedule;
  /// By the number that layOut gave.
  std::vector<StateLayout> layouts;
};

} // namespace hetero

#endif // HETERO_TRANSFORMS_PLANNING_MODULESTEP_H
