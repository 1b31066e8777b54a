//===- StepProblem.h - What a planner is told about a step ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a step with layers into a planner::Problem: layer i of the problem is
// layer i of the step. Work and traffic of operations that see a part of the
// batch count per sample, those of all others as fixed.

#ifndef HETERO_ANALYSIS_STEPPROBLEM_H
#define HETERO_ANALYSIS_STEPPROBLEM_H

#include "hetero/Analysis/TensorSplits.h"
#include "hetero/Planner/Problem/Problem.h"

namespace hetero {

struct StepGraph;

/// The problem of a step with the costs of the operations in its graph. Names
/// and measured times of layers are those of the `hetero.layer_table`, if the
/// module has one.
planner::Problem getProblem(mlir::func::FuncOp step, const FormAnalysis &forms,
                            const StepLayers &layers, const StepGraph &graph);

/// Lets each layer be like the first one of its kind that has its costs, too.
void linkEqualLayers(llvm::ArrayRef<int64_t> kinds, planner::Problem &problem);

/// The most parts that a layer is ever divided in.
inline constexpr int64_t largestTensorDegree = 64;

/// Says of each layer over how many devices, up to `largest`, it can be divided
/// along a model dimension so that it pays, and what is summed for it.
void addTensorSplits(const TensorSplits &splits, int64_t largest,
                     planner::Problem &problem);

/// Lets `layer` be divided over `degree` devices, whether it pays or not: what
/// cannot be divided is done by all of them.
void allowTensorDegree(int64_t degree, planner::Layer &layer);

} // namespace hetero

#endif // HETERO_ANALYSIS_STEPPROBLEM_H
