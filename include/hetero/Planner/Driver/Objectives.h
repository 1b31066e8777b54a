//===- Objectives.h - Time, money, and what would help ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// Planners minimize time on the devices that they are given. Money comes in
// through the choice of these devices: a step costs the price of the devices
// that its plan uses for as long as it takes. So a planner is asked about parts
// of the cluster (some devices of each class), and the answers that are not
// worse than another in both time and money remain:
//
//   devices            step      for an hour   for a step
//   1 l4               40 s      0.80          0.00894
//   2 l4               22 s      1.61          0.00983
//   2 l4 + a6000       18 s      2.41          0.01205
//
// What-if changes the cluster instead: one more device, a wider link, more
// memory. What makes the step fastest is what binds.

#ifndef HETERO_PLANNER_DRIVER_OBJECTIVES_H
#define HETERO_PLANNER_DRIVER_OBJECTIVES_H

#include "hetero/Planner/Driver/Planners.h"
#include <functional>

namespace hetero::planner {

/// The devices of a plan for an hour. Fails, naming it, when a class of them
/// has no price.
llvm::Expected<Price> hourPrice(const cluster::Cluster &cluster,
                                const Plan &plan);

/// The same for the predicted time of a step, in the currency of the prices.
double stepPrice(Price hour, Time step);

/// A plan and what it costs.
struct PricedPlan {
  Plan plan;
  Price hour;
  double step = 0;
};

/// What a plan may cost, for an hour or for a step.
struct Budget {
  std::optional<Price> hour;
  std::optional<double> step;
};

/// Reads "2.5/h" or "0.01/step".
llvm::Expected<Budget> readBudget(llvm::StringRef text);

/// Makes a plan for a problem on a cluster.
using PlanFunction = std::function<llvm::Expected<Plan>(
    const Problem &problem, const cluster::Cluster &cluster)>;

/// Plans on parts of the cluster that are not worse than others in time and
/// money for a step, the fastest first. A part has the first n devices of each
/// class, by rank: every n if that makes at most `maxParts` parts, else halves
/// of halves, as fine as `maxParts` allows. Heuristic: `planner` is
/// run once for each part. Fails when a class has no price, or no part has a
/// plan; then with the error for the whole cluster.
llvm::Expected<std::vector<PricedPlan>>
findPareto(const Problem &problem, const cluster::Cluster &cluster,
           const PlanFunction &planner, int64_t maxParts = 48);

/// The one of `pareto` for a step of least time or price within the budget;
/// fails when none is, with what the cheapest costs.
llvm::Expected<PricedPlan> choosePlan(llvm::ArrayRef<PricedPlan> pareto,
                                      Objective objective,
                                      const Budget &budget);

} // namespace hetero::planner

#endif // HETERO_PLANNER_DRIVER_OBJECTIVES_H
