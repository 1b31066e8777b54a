//===- VerifyPlan.h - Steps of verify and evaluate --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_PLANNER_MODEL_VERIFYPLAN_H
#define HETERO_PLANNER_MODEL_VERIFYPLAN_H

#include "hetero/Planner/Model/StageModel.h"

namespace hetero::planner {

/// Everything that verify checks, but memory. `place` is then the path
/// to the part with the error.
llvm::Error verifyStructure(const StageModel &model, const Plan &plan,
                            std::string *place = nullptr);

/// An error if the predicted step takes longer than can be counted. Such times
/// are all alike, and say nothing.
llvm::Error checkCountable(const Plan &plan);

/// Fills in the predictions of a plan that verifyStructure accepts. `bound` is
/// what computeBound gives.
void predict(const StageModel &model, Time bound, Plan &plan);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_VERIFYPLAN_H
