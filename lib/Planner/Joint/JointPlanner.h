//===- JointPlanner.h - The state of the joint search -----------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What planStages and planJoint know while they search; Joint.cpp says in which
// order they do what.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_PLANNER_JOINT_JOINTPLANNER_H
#define HETERO_LIB_PLANNER_JOINT_JOINTPLANNER_H

#include "hetero/Planner/Search/StagePool.h"
#include "hetero/Planner/Search/StageSearch.h"
#include <thread>

namespace hetero::planner {

/// One run of the search.
struct Configuration {
  size_t order = 0, microbatches = 0;
  double value = std::numeric_limits<double>::infinity();
};

/// A design with what it is expected to take, by when it was found.
struct FoundDesign {
  Design design;
  Estimate estimate;
  size_t number = 0;
};

/// Estimates designs, and remembers stages that it has met. One for each
/// thread.
class Estimator {
public:
  Estimator(const Problem &problem, const cluster::Cluster &cluster,
            const PlannerOptions &options)
      : builder(problem, cluster, options) {}

  PlanBuilder builder;
  StagePool &pool(size_t number, llvm::ArrayRef<int64_t> microbatches) {
    return pools.try_emplace(number, builder, microbatches).first->second;
  }

private:
  std::map<size_t, StagePool> pools;
};

class JointPlanner {
public:
  JointPlanner(const Problem &problem, const cluster::Cluster &cluster,
               const PlannerOptions &options, bool thorough);

  llvm::Expected<Plan> plan(llvm::StringRef name);
  /// A plan that is a candidate, and a start for what follows; or what another
  /// planner is short of.
  void addAnswer(std::optional<Candidate> answer);
  /// Problems with at most so many layers times devices are small: more is done
  /// for them.
  static constexpr size_t smallProblem = 400;
  /// Whether the plan gets a certificate. One without is for a part of a search
  /// that has one, and looks less far.
  bool certifies = true;

private:
  bool isOver() const { return deadline.isOver(); }
  void addBaseline(Plan plan);
  std::optional<Candidate> ask(const PlannerEntry &planner) const;
  void searchQuickly();
  void startCertificate();
  void addOthers();
  void addSeed(const Plan &plan);
  void addOrders(std::vector<std::vector<int64_t>> more);
  void chooseMicrobatches();
  bool isPossible(const Design &design) const;
  Estimate
  estimate(const Design &design, Estimator &by,
           double cutoff = std::numeric_limits<double>::infinity()) const;
  void add(Design design);
  void search(Configuration &configuration, SearchTables &tables,
              int64_t numPositions);
  void searchCoarsely(size_t order, size_t microbatches);
  void searchAll();
  double schedule(const Design &design, const Estimate &whole);
  double estimateSplit(const Design &design);
  void addGroups();
  std::vector<Design> chooseSplitStarts();
  std::vector<FoundDesign> chooseStarts();
  std::vector<Design> improve(llvm::ArrayRef<FoundDesign> starts, int64_t work,
                              unsigned seed, Estimator &by) const;
  void improveBest();
  void addSplit();
  void evaluateBest(size_t most, size_t ofEach);
  void scheduleBest();
  void improvePlan();
  void consider(Candidate candidate);
  void sortFound();

  const Problem &problem;
  const cluster::Cluster &cluster;
  const PlannerOptions &options;
  bool thorough;
  /// The runs that the orders are made of.
  std::vector<std::vector<int64_t>> runs;
  Estimator estimator;
  const PlanBuilder &builder;
  SearchTables coarseTables, fineTables;
  Deadline deadline;
  /// Lines of devices; all ways to cut the batch, and those that are searched.
  std::vector<std::vector<int64_t>> orders, microbatches;
  std::vector<size_t> searched;
  std::vector<FoundDesign> found;
  /// The searches that were run, coarsely and finely.
  std::vector<Configuration> done;
  std::vector<std::pair<size_t, size_t>> doneFinely;
  /// The designs of groups that were tried with all schedules, the best first.
  std::vector<std::pair<double, Design>> scheduled;
  double best = std::numeric_limits<double>::infinity();
  Selection selection;
  /// What no plan beats, when the thread that finds it has ended.
  std::optional<Time> certified;
  std::optional<std::thread> certificate;
  /// The plans that fit, the fastest first.
  std::vector<Plan> top;
};

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_JOINT_JOINTPLANNER_H
