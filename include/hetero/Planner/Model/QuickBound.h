//===- QuickBound.h - Times that no plan can beat ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every plan gets as its bound; Certificate.h has a closer one that takes
// longer.

#ifndef HETERO_PLANNER_MODEL_QUICKBOUND_H
#define HETERO_PLANNER_MODEL_QUICKBOUND_H

#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// A time that no plan for `problem` on `cluster` can beat under the cost
/// model.
Time computeBound(const Problem &problem, const cluster::Cluster &cluster);

/// The same by the work alone, which has to be done somewhere: also programs
/// that divide single operations in other ways than plans do take that long.
Time computeWorkBound(const Problem &problem, const cluster::Cluster &cluster);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_QUICKBOUND_H
