//===- BucketElimination.h - Folding everything -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact end of the search: nodes are folded one after the other, each into
// one table over all of its neighbours. How large the tables get depends on the
// order; several are tried, each always folding a node whose neighbours have
// the fewest combinations, with random advantages for some.

#ifndef HETERO_LIB_SOLVER_BUCKETELIMINATION_H
#define HETERO_LIB_SOLVER_BUCKETELIMINATION_H

#include "LiveGraph.h"

namespace hetero::solver {

struct EliminationResult {
  double cost = 0;
  /// For each node of the graph that is left, by number of state; 0 for others.
  std::vector<int> states;
};

/// The least solution of what is left of `graph`; nothing if each order makes a
/// table with more than 2^limit entries. The cost is infinite if there is none.
std::optional<EliminationResult> eliminate(const LiveGraph &graph, int orders,
                                           double limit);

} // namespace hetero::solver

#endif // HETERO_LIB_SOLVER_BUCKETELIMINATION_H
