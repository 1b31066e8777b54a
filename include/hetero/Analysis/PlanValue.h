//===- PlanValue.h - A plan in the IR and as a value ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hetero.plan` and planner::Plan say the same in two languages, as
// `hetero.cluster` and cluster::Cluster do (ClusterValue.h). Meshes, which a
// plan has inside of its stages, are symbols beside it in the IR:
//
//   hetero.mesh @stage0 (data = 2, tensor = 2) = [0, 1, 2, 3]
//   hetero.plan @plan of @step ... {
//     hetero.stage 0 on @stage0 layers [0 to 3] samples (data) [[3, 1]] ...
//
// A mesh without a tensor axis has no named axes.

#ifndef HETERO_ANALYSIS_PLANVALUE_H
#define HETERO_ANALYSIS_PLANVALUE_H

#include "hetero/Analysis/PlanView.h"
#include "hetero/Planner/Plan/Plan.h"

namespace hetero {

/// Writes `plan` and its meshes before the insertion point of `builder`.
/// `table` may be null.
PlanOp createPlan(mlir::OpBuilder &builder, mlir::Location location,
                  const planner::Plan &plan, llvm::StringRef step,
                  LayerTableOp table);

/// The value of a plan that verifies. What the text leaves out (shares, times)
/// is zero. Reports an error for a stage that no planner::Plan can have: with
/// more than one axis beside the batch.
mlir::FailureOr<planner::Plan> getPlan(PlanOp op);

} // namespace hetero

#endif // HETERO_ANALYSIS_PLANVALUE_H
