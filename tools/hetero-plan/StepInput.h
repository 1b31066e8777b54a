//===- StepInput.h - Programs to be planned ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one file of this tool that knows IR. It imports a program, forms its
// layers, and hands the driver of the planners (PlanStep.h) a ModuleStep: what
// is to be planned, and a program by which plans are measured.

#ifndef HETERO_TOOLS_HETERO_PLAN_STEPINPUT_H
#define HETERO_TOOLS_HETERO_PLAN_STEPINPUT_H

#include "hetero/Planner/Driver/PlanStep.h"

namespace hetero {

/// Whether a file is a program by its name.
bool isProgram(llvm::StringRef file);

/// A program, imported and with layers, and what planners have to know of it.
class StepInput {
public:
  virtual ~StepInput();

  /// Reads the program in a file. What is wrong with it goes to stderr.
  static llvm::Expected<std::unique_ptr<StepInput>> read(llvm::StringRef file);

  virtual const planner::Graph &getGraph() const = 0;
  /// The cluster that the program is for, if it says so.
  virtual const std::optional<cluster::Cluster> &getCluster() const = 0;
  /// What the driver is to plan on `cluster`; lives as long as this. Shardings
  /// on the program become a part of `request`.
  virtual llvm::Expected<planner::StepModel>
  getModel(const cluster::Cluster &cluster, planner::PlanRequest &request) = 0;
};

} // namespace hetero

#endif // HETERO_TOOLS_HETERO_PLAN_STEPINPUT_H
