//===- StepGraph.h - A step as a graph of operations ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a step into a planner::Graph. Everything follows from the dimension
// maps of operations (Forms.h); there is no case for any single one but
// reshapes, which the graph knows by themselves, and barriers, which are one
// operation for each value.
//
// Values that depend only on constants, iotas and small arguments (scalars,
// keys of random numbers) can be had in any form by computing them so, and are
// not in the graph. Operations that only such values go into are not either.
//
// Traffic to memory is that of the loops that the fusion plan of the step has
// (Fusion.h): what it does not store is not written, and each loop that
// computes it reads what it is made of. An operation that moves data reads no
// more than it writes.
//
// The example of Graph.h is what comes of
//
//   %y = dot_general %x, %w, contracting_dims = [1] x [0]
//   %g = dot_general %x, %y, contracting_dims = [0] x [0]
//   %n = subtract %w, %g
//
// where %x is the batch and %n the updated value of the parameter %w.

#ifndef HETERO_ANALYSIS_STEPGRAPH_H
#define HETERO_ANALYSIS_STEPGRAPH_H

#include "hetero/Planner/Problem/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hetero {

struct StepGraph {
  planner::Graph graph;
  /// The value of each tensor, and the operation of each operation.
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Operation *> operations;
};

/// The graph of a step with roles; `batch` is its number of samples.
StepGraph getGraph(mlir::func::FuncOp step, int64_t batch);

} // namespace hetero

#endif // HETERO_ANALYSIS_STEPGRAPH_H
