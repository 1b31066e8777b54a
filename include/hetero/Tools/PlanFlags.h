//===- PlanFlags.h - What a user asks of a plan, as flags -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of planner::PlanRequest as flags of the same names, alike in all
// tools that plan.

#ifndef HETERO_TOOLS_PLANFLAGS_H
#define HETERO_TOOLS_PLANFLAGS_H

#include "hetero/Planner/Driver/PlanRequest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace hetero {

struct PlanFlags {
  using Flag = llvm::cl::opt<std::string>;

  explicit PlanFlags(llvm::cl::OptionCategory &category);

  /// Fails when a flag that takes numbers has something else. Whether a plan
  /// can be as it is asked is for the driver to say.
  llvm::Expected<planner::PlanRequest> read() const;

  llvm::SmallVector<const Flag *> all() const {
    return {&planner,   &schedule, &microbatches, &state,     &tensor,
            &maxStages, &without,  &effort,       &timeBudget};
  }

  Flag planner, schedule, microbatches, state, tensor, maxStages, without,
      effort, timeBudget;
};

} // namespace hetero

#endif // HETERO_TOOLS_PLANFLAGS_H
