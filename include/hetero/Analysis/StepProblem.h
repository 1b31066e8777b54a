//===- StepProblem.h - What a planner is told about a step ------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a step with layers into a planner::Problem: layer i of the problem is
// layer i of the step. Work and traffic of operations that see a part of the
// batch count per sample, those of all others as fixed.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_ANALYSIS_STEPPROBLEM_H
#define HETERO_ANALYSIS_STEPPROBLEM_H

#include "hetero/Analysis/Layers.h"
#include "hetero/Planner/Problem.h"

namespace hetero {

planner::Problem getProblem(mlir::func::FuncOp step, const FormAnalysis &forms,
                            const StepLayers &layers);

/// Adds a pin for each layer with a `hetero.placement`. Fails, with both
/// places, when operations of one layer are placed on different stages.
mlir::LogicalResult addPins(mlir::func::FuncOp step, const StepLayers &layers,
                            planner::Problem &problem);

/// The problem of a module that has been imported and has layers, with their
/// names and with pins, as it is written to a file.
mlir::FailureOr<planner::Problem> readProblem(mlir::ModuleOp module);

} // namespace hetero

#endif // HETERO_ANALYSIS_STEPPROBLEM_H
