//===- Verify.h - Steps of verify and evaluate ------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_PLANNER_VERIFY_H
#define HETERO_LIB_PLANNER_VERIFY_H

#include "StageModel.h"

namespace hetero::planner {

/// The part of a plan that an error is about, by its keys in the text form.
struct PlanPlace {
  std::optional<int64_t> stage;
  /// A key of the stage, or of the plan; "mesh.devices" is one in another.
  llvm::StringRef key;
  /// The number of an item of a list.
  std::optional<int64_t> item;
};

/// Everything that verify checks, but memory. `place` is then the part with the
/// error.
llvm::Error verifyStructure(const StageModel &model, const Plan &plan,
                            PlanPlace *place = nullptr);

/// As evaluate for a problem that was checked; `place` is then the part with
/// the error.
llvm::Error evaluateChecked(const Problem &problem,
                            const cluster::Cluster &cluster, Plan &plan,
                            PlanPlace &place);

/// An error if the predicted step takes longer than can be counted. Such times
/// are all alike, and say nothing.
llvm::Error checkCountable(const Plan &plan);

/// Fills in the predictions of a plan that verifyStructure accepts. `bound` is
/// what computeBound gives.
void predict(const StageModel &model, Time bound, Plan &plan);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_VERIFY_H
