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

/// Everything that verify checks, but memory.
llvm::Error verifyStructure(const StageModel &model, const Plan &plan);

/// Fills in the predictions of a plan that verifyStructure accepts. `bound` is
/// what computeBound gives.
void predict(const StageModel &model, Time bound, Plan &plan);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_VERIFY_H
