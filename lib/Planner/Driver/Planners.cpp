//===- Planners.cpp - Planners by name ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Driver/Planners.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr PlannerEntry ownEntries[] = {
    {"exhaustive", "the best of all plans, for small problems", planExhaustive},
    {"joint", "all decisions together; never slower than the others",
     planJoint},
    {"stages", "a pipeline across unequal sub-clusters", planStages},
};

ArrayRef<PlannerEntry> hetero::planner::planners() {
  static const std::vector<PlannerEntry> entries = [] {
    std::vector<PlannerEntry> all(jointBaselines());
    all.insert(all.end(), std::begin(ownEntries), std::end(ownEntries));
    llvm::sort(all, [](const PlannerEntry &left, const PlannerEntry &right) {
      return left.name < right.name;
    });
    return all;
  }();
  return entries;
}

Expected<Plan> hetero::planner::planExhaustive(const Problem &problem,
                                               const cluster::Cluster &cluster,
                                               const PlannerOptions &options) {
  if (Error error = check(problem, cluster))
    return error;
  return searchExhaustively(
      problem, cluster, options,
      searchStages("exhaustive", problem, cluster, options));
}

Expected<const PlannerEntry *> hetero::planner::findPlanner(StringRef name) {
  // What it was called first.
  if (name == "proportional")
    name = "dp-proportional";
  std::vector<std::string> names;
  for (const PlannerEntry &entry : planners()) {
    if (entry.name == name)
      return &entry;
    names.push_back(entry.name.str());
  }
  return createStringError("there is no planner '" + name +
                           "'; there are: " + join(names, ", "));
}

Expected<Plan> hetero::planner::runPlanner(StringRef name,
                                           const Problem &problem,
                                           const cluster::Cluster &cluster,
                                           const PlannerOptions &options) {
  Expected<const PlannerEntry *> entry = findPlanner(name);
  if (!entry)
    return entry.takeError();
  return (*entry)->plan(problem, cluster, options);
}
