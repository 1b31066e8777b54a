//===- UserConstraints.h - What the user asks of a plan ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what the user has written on a step: `hetero.placement` on operations
// as pins of their layers, and `sdy.sharding` on arguments, which JAX writes
// for `in_shardings`, as constraints on the plan. The mesh of the user is made
// of equal devices and the cluster is not, so axes are read by their use:
//
//   axes that split the samples of a batch are *data axes*. How many devices
//   share the samples, and in which parts, is left to the planner, with a
//   warning where it is another number than the axes have;
//   state that is split along data axes is divided for storage along that
//   dimension (`state full`), in the parts that the plan decides;
//   state that is split along other axes is split for computation: every stage
//   divides its layers in as many parts as the axes have devices, and this
//   parameter along this dimension.
//
// A worked example:
//
//   sdy.mesh @mesh = <["data"=2, "model"=4]>
//   %x: tensor<8x64xf32>   {sdy.sharding = <@mesh, [{"data"}, {}]>}
//   %w: tensor<64x256xf32> {sdy.sharding = <@mesh, [{}, {"model"}]>}
//   %m: tensor<64x256xf32> {sdy.sharding = <@mesh, [{"data"}, {}]>}
//
// asks for 4 parts of each stage and splits %w along dimension 1; %m is stored
// in parts along dimension 0.

#ifndef HETERO_ANALYSIS_USERCONSTRAINTS_H
#define HETERO_ANALYSIS_USERCONSTRAINTS_H

#include "hetero/Analysis/Layers.h"
#include "hetero/Dialect/Sdy/Sdy.h"
#include "hetero/Planner/Problem/Problem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace hetero {

/// A dimension that is split into more than one part.
struct ShardedDim {
  int64_t dim, parts;
  llvm::ArrayRef<mlir::sdy::AxisRefAttr> axes;
};

/// The dimensions that `sdy.sharding` splits of an argument, in order.
llvm::SmallVector<ShardedDim> getShardedDims(mlir::func::FuncOp step,
                                             unsigned argument);

struct UserShardings {
  /// The first batch argument that is split, and in how many parts.
  std::optional<std::pair<unsigned, int64_t>> data;
  /// In how many parts stages divide their layers; 1 if nothing asks for it.
  int64_t tensor = 1;
  /// From arguments, by number, to the dimension that is split.
  llvm::MapVector<unsigned, int64_t> tensorDims, storageDims;
};

/// Reads the shardings of the arguments of a step with roles. What no plan can
/// follow is an error: a batch that is split along other dimensions than its
/// samples (hetero/Analysis/BatchAxis.h), several dimensions of one argument,
/// different numbers of parts, more parts than a dimension is long, arguments
/// that are neither batch nor state.
mlir::FailureOr<UserShardings> readUserShardings(mlir::func::FuncOp step);

/// Adds a pin for each layer with a `hetero.placement`. Fails, with both
/// places, when operations of one layer are placed on different stages.
mlir::LogicalResult addPins(mlir::func::FuncOp step, const StepLayers &layers,
                            planner::Problem &problem);

} // namespace hetero

#endif // HETERO_ANALYSIS_USERCONSTRAINTS_H
