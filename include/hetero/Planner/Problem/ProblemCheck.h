//===- ProblemCheck.h - Where a problem is wrong ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_PLANNER_PROBLEM_PROBLEMCHECK_H
#define HETERO_PLANNER_PROBLEM_PROBLEMCHECK_H

#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// As `check`; `place` is then the path to the part with the error, by its keys
/// in the text form: "constraints.pins.0.stage".
llvm::Error check(const Problem &problem, std::string &place);

/// What remains of `check` with a cluster for a sound problem.
llvm::Error checkConstraints(const Problem &problem,
                             const cluster::Cluster &cluster,
                             std::string &place);

/// In how many parts a layer can be divided: "1, 2, 4".
std::string listDegrees(const Layer &layer);

} // namespace hetero::planner

#endif // HETERO_PLANNER_PROBLEM_PROBLEMCHECK_H
