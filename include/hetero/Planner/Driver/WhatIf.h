//===- WhatIf.h - What would make the step faster ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans again with more of something, and says what helps.

#ifndef HETERO_PLANNER_DRIVER_WHATIF_H
#define HETERO_PLANNER_DRIVER_WHATIF_H

#include "hetero/Planner/Driver/Objectives.h"

namespace hetero::planner {

/// A change of the cluster and the step on it.
struct WhatIf {
  /// "one more l4 in node 'box'", "twice the bandwidth of 'lan'", "twice the
  /// memory of p40"
  std::string change;
  /// Nothing if there is no plan even so.
  std::optional<Time> predicted;
  /// Only for one more device of a class with a price.
  std::optional<Price> price;
};

/// One more device of each class, twice the bandwidth of each link (nodes that
/// are alike together), twice the memory of each class; what helps most comes
/// first. `planner` is run once for each; where the plan that there is `now` is
/// faster than what it finds, that is kept.
std::vector<WhatIf> askWhatIf(const Problem &problem,
                              const cluster::Cluster &cluster,
                              const PlanFunction &planner,
                              const Plan *now = nullptr);

} // namespace hetero::planner

#endif // HETERO_PLANNER_DRIVER_WHATIF_H
