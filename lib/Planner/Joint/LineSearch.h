//===- LineSearch.h - Stages along lines of devices -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phase that runs StageSearch.h for lines of devices and numbers of
// microbatches. All pairs would be too many, so that it goes on in three steps:
// a few lines with all numbers, coarsely; all lines with the best of these
// numbers, coarsely; the best pairs, finely. What is found is added to the
// designs of the state.

#ifndef HETERO_LIB_PLANNER_JOINT_LINESEARCH_H
#define HETERO_LIB_PLANNER_JOINT_LINESEARCH_H

#include "JointState.h"
#include "hetero/Planner/Search/StageSearch.h"

namespace hetero::planner {

class LineSearch {
public:
  explicit LineSearch(JointState &state);

  /// Searches lines that keep the runs of devices together.
  void searchRuns();
  /// Searches lines in which runs are taken apart, and what of the others was
  /// not searched before.
  void searchMixed();
  llvm::ArrayRef<std::vector<int64_t>> lines() const { return orders; }

private:
  /// A line and a number of microbatches, and the best estimate for them.
  struct Pair {
    size_t line = 0, microbatches = 0;
    double value = std::numeric_limits<double>::infinity();
  };

  /// Adds lines that are not like those that are there, up to
  /// PlannerOptions::maxOrders.
  void addLines(std::vector<std::vector<int64_t>> more);
  void searchAll();
  std::vector<std::optional<int64_t>> stageCounts(size_t line) const;
  void search(Pair &pair, SearchTables &tables, int64_t numPositions);
  void searchCoarsely(size_t line, size_t microbatches);
  void searchFinely();
  void sortPairs();

  JointState &state;
  SearchTables coarseTables, fineTables;
  std::vector<std::vector<int64_t>> runs, orders;
  /// What was searched, coarsely and finely.
  std::vector<Pair> pairs;
  std::vector<std::pair<size_t, size_t>> fine;
};

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_JOINT_LINESEARCH_H
