//===- Stages.cpp - Pipelines across unequal sub-clusters -----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Planner/Planners.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

Expected<Plan> hetero::planner::planStages(const Problem &problem,
                                           const cluster::Cluster &cluster,
                                           const PlannerOptions &options) {
  Expected<Plan> plan = planProportional(problem, cluster, options);
  if (plan)
    plan->planner = "stages";
  return plan;
}
