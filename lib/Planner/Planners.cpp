//===- Planners.cpp - Planners by name ------------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Planner/Planners.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr PlannerEntry entries[] = {
    {"cephalo", "data parallelism, samples, microbatches and state apart",
     planCephalo},
    {"dp-even", "data parallelism, all devices alike", planDpEven},
    {"dp-proportional",
     "data parallelism, samples by speed and state by memory",
     planDpProportional},
    {"even", "stages, parts and samples as if all devices were alike",
     planEven},
    {"exhaustive", "the best of all plans, for small problems", planExhaustive,
     /*isBaseline=*/false},
    {"fast-only", "the same on the devices of one class", planFastOnly},
    {"hap", "one program for all devices, by A* and linear programs", planHap},
    {"harp", "a pipeline of stages inside of sub-clusters", planHarp},
    {"joint", "all decisions together; never slower than the others", planJoint,
     /*isBaseline=*/false},
    {"single", "the best single device", planSingle},
    {"spmd", "one program for all devices, proven best for its shares",
     planSpmd},
    {"stages", "a pipeline across unequal sub-clusters", planStages},
};

ArrayRef<PlannerEntry> hetero::planner::planners() { return entries; }

Expected<Plan> hetero::planner::runPlanner(StringRef name,
                                           const Problem &problem,
                                           const cluster::Cluster &cluster,
                                           const PlannerOptions &options) {
  // What it was called first.
  if (name == "proportional")
    name = "dp-proportional";
  std::vector<std::string> names;
  for (const PlannerEntry &entry : entries) {
    if (entry.name == name)
      return entry.plan(problem, cluster, options);
    names.push_back(entry.name.str());
  }
  return createStringError("there is no planner '" + name +
                           "'; there are: " + join(names, ", "));
}
