//===- ProblemCheck.h - Where a problem is wrong ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_PLANNER_PROBLEM_PROBLEMCHECK_H
#define HETERO_PLANNER_PROBLEM_PROBLEMCHECK_H

#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// The part of a problem that a check looks at.
struct ProblemPlace {
  enum class Kind {
    Problem,
    Batch,
    Layer,
    Tie,
    Input,
    Constraints,
    Microbatches,
    Forbidden,
    Tensor,
    Pin,
    PinStage,
    PinDevice
  };

  Kind kind = Kind::Problem;
  /// Of the layer, tie, input, forbidden device or pin.
  int64_t index = 0;
  /// Of the device in the pin.
  int64_t device = 0;
};

/// As `check`; `place` is then the part with the error.
llvm::Error check(const Problem &problem, ProblemPlace &place);

/// What remains of `check` with a cluster for a sound problem.
llvm::Error checkConstraints(const Problem &problem,
                             const cluster::Cluster &cluster,
                             ProblemPlace &place);

/// In how many parts a layer can be divided: "1, 2, 4".
std::string listDegrees(const Layer &layer);

} // namespace hetero::planner

#endif // HETERO_PLANNER_PROBLEM_PROBLEMCHECK_H
