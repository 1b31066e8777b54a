//===- EmitRankPrograms.h - The program of each rank ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts units together: which values leave a unit and where they go (Traffic),
// and for every rank the straight-line program that calls its units in the
// order of the schedule, accumulates over microbatches, and exchanges values
// with other stages.

#ifndef HETERO_LIB_TRANSFORMS_PARTITION_EMITRANKPROGRAMS_H
#define HETERO_LIB_TRANSFORMS_PARTITION_EMITRANKPROGRAMS_H

#include "UnitEmitter.h"
#include "llvm/ADT/SetVector.h"

namespace hetero::partition {

/// The stage on which result `index` of the step leaves it: where the state
/// lives that it updates, else where it is computed.
int64_t getResultStage(const StepLayout &layout, unsigned index);
/// The variant in which result `index` leaves the step from `stage`.
Variant getResultVariant(const StepLayout &layout, unsigned index,
                         int64_t stage);

/// Who needs what from whom.
class Traffic {
public:
  explicit Traffic(const StepLayout &layout);

  /// Values of a unit of `stage` that something outside of it needs.
  llvm::SmallVector<UnitValue>
  getOutputs(int64_t stage, llvm::ArrayRef<mlir::Operation *> ops) const;
  /// Whether the variant of a value is needed on `stage`.
  bool isNeeded(mlir::Value value, Variant variant, int64_t stage) const;
  /// The stages that a value goes to, as `variant` (a moved one), in order.
  llvm::SmallVector<int64_t> getDestinations(mlir::Value value,
                                             Variant variant) const;
  /// The channel of one transfer of a value to a stage; `microbatch` is 0 for
  /// values of which there is one.
  int64_t getChannel(mlir::Value value, Variant variant, int64_t stage,
                     int64_t microbatch) const;

private:
  void need(mlir::Value value, Variant variant, int64_t stage);

  const StepLayout &layout;
  /// Of each value the variants that stages need.
  llvm::MapVector<mlir::Value, llvm::SmallVector<std::pair<Variant, int64_t>>>
      needs;
  std::map<std::tuple<void *, Variant, int64_t>, int64_t> channels;
};

/// Checks that the schedule of the module, if it has one, is for the plan and
/// has only instructions that rank programs carry out.
mlir::LogicalResult checkSchedule(mlir::ModuleOp module,
                                  const StepLayout &layout);

/// Emits unit functions and rank programs at the end of the module, and leaves
/// a declaration of the step. Fails with a diagnostic.
mlir::LogicalResult emitRankPrograms(mlir::ModuleOp module,
                                     const StepLayout &layout);

} // namespace hetero::partition

#endif // HETERO_LIB_TRANSFORMS_PARTITION_EMITRANKPROGRAMS_H
