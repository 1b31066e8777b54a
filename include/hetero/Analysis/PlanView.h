//===- PlanView.h - The plan of a module, read once -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hetero.plan` says, in the terms of those who follow it: the devices of
// each stage as a grid, and who has which samples of which microbatch.
//
//   hetero.mesh @grid (data = 2, tensor = 2) = [4, 5, 6, 7]
//   hetero.plan ... batch 12 microbatches [8, 4] ... {
//     hetero.stage 0 on @grid ... samples (data) [[5, 3], [3, 1]] ...
//
// The stage has 2 data members and 2 tensor members, and the ranks
//
//   tensor member    0  1
//   data member 0    4  5      samples 0 to 4 of the batch, then 8 to 10
//   data member 1    6  7      samples 5 to 7 of the batch, then 11
//
// PlanValue.h turns the same op into a planner::Plan and back.

#ifndef HETERO_ANALYSIS_PLANVIEW_H
#define HETERO_ANALYSIS_PLANVIEW_H

#include "hetero/Dialect/Hetero/Hetero.h"

namespace hetero {

/// A stage and its devices as a grid of data and tensor members.
struct StageView {
  mutable StageOp stage;
  mutable MeshOp mesh;
  /// Axes of the mesh: of the data and of the tensor members; `tensorAxes` is
  /// null if there is none.
  mlir::ArrayAttr batchAxes, tensorAxes;
  int64_t dataSize = 1, tensorSize = 1;
  /// The ranks, one data member after the other.
  llvm::SmallVector<int64_t> devices;
  /// For each microbatch the samples of each data member.
  llvm::SmallVector<llvm::SmallVector<int64_t>> samples;

  int64_t getRank(int64_t data, int64_t tensor) const {
    return devices[data * tensorSize + tensor];
  }
  /// The data and the tensor member that a rank is; nothing if the stage does
  /// not have it.
  std::optional<std::pair<int64_t, int64_t>> findMember(int64_t rank) const;
};

struct PlanView {
  /// Reads a plan that verifies. Reports an error for a stage with more than
  /// one axis beside the batch.
  static mlir::FailureOr<PlanView> read(PlanOp plan);

  PlanOp plan;
  llvm::SmallVector<StageView> stages;
  /// How many samples each microbatch has, and how many come before it.
  llvm::SmallVector<int64_t> microbatches, offsets;
};

/// The plan of the module; reports an error if there is none, or several.
mlir::FailureOr<PlanOp> getPlanOp(mlir::ModuleOp module);

/// The names of the layers that a plan is about; empty if it has no table.
std::vector<std::string> getLayerNames(PlanOp plan);

} // namespace hetero

#endif // HETERO_ANALYSIS_PLANVIEW_H
