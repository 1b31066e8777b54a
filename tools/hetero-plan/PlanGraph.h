//===- PlanGraph.h - Programs for graphs of operations ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hetero-plan --graph`: the input is a graph of operations (Planner/Graph.h),
// and the answer is an SPMD program for all devices of the cluster.

#ifndef HETERO_TOOLS_HETERO_PLAN_PLANGRAPH_H
#define HETERO_TOOLS_HETERO_PLAN_PLANGRAPH_H

#include "hetero/Planner/Problem/Graph.h"

namespace hetero::planner {

struct GraphRequest {
  llvm::StringRef cluster;
  /// `spmd` or `hap`.
  llvm::StringRef planner;
  bool json = false;
  /// Say on stderr how long the search took.
  bool timing = false;
  /// When `hap` stops with the best so far.
  std::optional<Time> timeBudget;
};

llvm::Error planGraph(const Graph &graph, const GraphRequest &request,
                      llvm::raw_ostream &os);

} // namespace hetero::planner

#endif // HETERO_TOOLS_HETERO_PLAN_PLANGRAPH_H
