//===- Report.h - Answers for people ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_HETERO_PLAN_REPORT_H
#define HETERO_TOOLS_HETERO_PLAN_REPORT_H

#include "hetero/Planner/Driver/Objectives.h"
#include "hetero/Planner/Driver/WhatIf.h"

namespace hetero::planner {

/// What a planner answered: a plan, or why there is none.
struct Answer {
  std::string planner;
  std::optional<Plan> plan;
  std::string message;
  /// How long it took to say so, if that is asked.
  std::optional<double> seconds;
};

/// One line for each planner, the fastest step first.
void printComparison(llvm::ArrayRef<Answer> answers,
                     const cluster::Cluster &cluster, llvm::raw_ostream &os);

/// One line for each plan.
void printPareto(llvm::ArrayRef<PricedPlan> plans,
                 const cluster::Cluster &cluster, llvm::raw_ostream &os);

/// One line for each change; `now` is the step as it is, if there is one.
void printWhatIf(llvm::ArrayRef<WhatIf> answers, std::optional<Time> now,
                 llvm::raw_ostream &os);

/// The devices of a plan by class: "2 l4 + a6000".
std::string describeDevices(const cluster::Cluster &cluster, const Plan &plan);

} // namespace hetero::planner

#endif // HETERO_TOOLS_HETERO_PLAN_REPORT_H
