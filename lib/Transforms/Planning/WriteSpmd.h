//===- WriteSpmd.h - An SPMD program on a step ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of hetero/Planner/Spmd/Spmd.h says of each operation how it is
// divided, of each argument in which form it is stored, and where a tensor
// changes its form. On the step that is `hetero.sharding` on arguments and
// operations, and a `hetero.reshard` in front of the first operation that needs
// another form.
//
// A worked example, two devices with 5 and 3 of 8 samples: sufficient factor
// broadcasting for the graph of Graph.h.
//
//   %y = dot_general %x, %w   {hetero.sharding = split 0 : [5, 3]}
//   %a = hetero.reshard %x to whole
//   %b = hetero.reshard %y to whole
//   %g = dot_general %a, %b
//   %n = subtract %w, %g

#ifndef HETERO_LIB_TRANSFORMS_PLANNING_WRITESPMD_H
#define HETERO_LIB_TRANSFORMS_PLANNING_WRITESPMD_H

#include "hetero/Analysis/StepGraph.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Planner/Spmd/Spmd.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace hetero {

/// The graph of a step with the values and operations of one module: that of
/// the step itself, or of a copy.
struct GraphValues {
  GraphValues() = default;
  explicit GraphValues(const StepGraph &step)
      : graph(&step.graph), values(step.values), operations(step.operations) {}
  GraphValues(const StepGraph &step, const mlir::IRMapping &copy)
      : GraphValues(step) {
    for (mlir::Value &value : values)
      value = copy.lookup(value);
    for (mlir::Operation *&op : operations)
      op = copy.lookup(op);
  }

  const planner::Graph *graph = nullptr;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Operation *> operations;
};

/// Writes the program of `solution`, which is one for `graph`, on the step, for
/// members of the axis `tensor` of `mesh`. An operation that has no rule for
/// what the program wants works on whole values.
void writeSpmdProgram(mlir::func::FuncOp step, GraphValues graph,
                      const planner::SpmdSolution &solution, MeshOp mesh);

} // namespace hetero

#endif // HETERO_LIB_TRANSFORMS_PLANNING_WRITESPMD_H
