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

} // namespace hetero

#endif // HETERO_ANALYSIS_STEPPROBLEM_H
