//===- Recompute.h - The forward once more, for the backward ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage that says `recompute` keeps only what enters its layers. Before the
// step is partitioned, the operations of the forward that the backward of the
// same layer takes values from are copied, as phase `recompute`, to where the
// backward first needs them. Units then do the rest: what no other unit needs
// does not leave the forward.
//
// A copy ends at what is there anyway: arguments, values that other layers use,
// values that are computed once for all microbatches, and sums that were
// completed. Random numbers are made again from the same key and offset, so
// they are the same.
//
// A worked example, a layer of a stage that recomputes:
//
//   %h = dot_general %x, %w     layer 3 forward; %x comes from layer 2
//   %t = tanh %h                layer 3 forward
//   %y = dot_general %t, %v     layer 3 forward, used by layer 4
//   %g = multiply %dy, %t       layer 3 backward
//
// becomes, in front of %g, which then uses %t2:
//
//   %h2 = dot_general %x, %w    layer 3 recompute
//   %t2 = tanh %h2              layer 3 recompute
//
// Derivatives that depend on no gradient stand in the forward of steps from
// JAX, beside what they are made of. They move to where the backward needs them
// first; there they take memory for a layer at a time.

#ifndef HETERO_LIB_TRANSFORMS_PARTITION_RECOMPUTE_H
#define HETERO_LIB_TRANSFORMS_PARTITION_RECOMPUTE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hetero::partition {

/// Moves operations of the backward that stand in the forward of the step to
/// their first users.
void sinkIntoBackward(mlir::func::FuncOp step);

/// Copies operations for the stages that recompute; returns how many. Fails
/// with a diagnostic where the layers or the batch cannot be read.
mlir::FailureOr<int64_t> copyForRecompute(mlir::ModuleOp module);

} // namespace hetero::partition

#endif // HETERO_LIB_TRANSFORMS_PARTITION_RECOMPUTE_H
