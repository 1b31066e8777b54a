//===- StepReading.h - A step with layers, read once ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that planning needs to know about a step with roles and layers: the forms
// of its values along the batch, its layers, its operations as a graph, and the
// problem that follows from these. Each is made once. Passes get it from MLIR's
// analysis manager: hetero-form-layers makes it for its table and keeps it for
// hetero-plan.
//
//   StepReading &reading = getAnalysis<StepReading>();
//   if (!reading.isValid())
//     return signalPassFailure();            // diagnostics have been emitted
//   planner::Problem problem = reading.problem;

#ifndef HETERO_ANALYSIS_STEPREADING_H
#define HETERO_ANALYSIS_STEPREADING_H

#include "hetero/Analysis/StepGraph.h"
#include "hetero/Analysis/StepProblem.h"
#include "mlir/IR/BuiltinOps.h"

namespace hetero {

struct StepReading {
  /// Reads the step of a module. Emits an error if there is none, if it has no
  /// batch, or if an operation has no layer.
  explicit StepReading(mlir::Operation *module);

  bool isValid() const { return forms != nullptr; }

  mlir::func::FuncOp step;
  std::unique_ptr<FormAnalysis> forms;
  StepLayers layers;
  StepGraph graph;
  /// With names and measured times of layers; without pins and tensor degrees.
  planner::Problem problem;
};

} // namespace hetero

#endif // HETERO_ANALYSIS_STEPREADING_H
