//===- LocalSearch.h - Designs that differ a little -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improves a design step by step. The neighbours of a design are
//
//   cuts           a boundary moves by a few layers
//   devices        a row moves to a stage near by, also with a boundary; rows
//                  of two stages change places; a row that is not used joins,
//                  or one leaves
//   order          neighbours, or all stages, change places with their layers
//   options        another state mode, degree, or recompute of one stage or all
//   microbatches   a few more or fewer, half, twice
//   stages         two become one, one becomes two
//
// The first better neighbour is taken. When there is none, the best design can
// be shaken and improved again. Work is counted, not timed, and what is random
// starts from the same number, so that the result is the same on every machine.

#ifndef HETERO_PLANNER_SEARCH_LOCALSEARCH_H
#define HETERO_PLANNER_SEARCH_LOCALSEARCH_H

#include "hetero/Planner/Search/StagePool.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <random>

namespace hetero::planner {

class LocalSearch {
public:
  /// `value` estimates a design; infinite if it is not possible, and if it is
  /// not below the cutoff.
  LocalSearch(const PlanBuilder &builder,
              llvm::ArrayRef<std::vector<int64_t>> microbatches,
              llvm::function_ref<double(const Design &, double cutoff)> value)
      : builder(builder), cluster(builder.model.cluster),
        microbatches(microbatches), value(value) {}

  /// Improves `design`, whose value is `best`, with at most `work` estimates;
  /// subtracts from `work` what it used.
  void improve(Design &design, double &best, int64_t &work);

  /// Changes a design at random in two or three places, whether that is better
  /// or not.
  Design shake(Design design, std::mt19937 &random) const;

private:
  bool tryDesign(Design design);
  bool moveCuts();
  bool moveRows();
  bool moveRow(size_t from, size_t to);
  bool exchangeRows();
  bool useMore();
  bool dropRows();
  bool changeOrder();
  bool changeOptions();
  bool changeMicrobatches();
  bool changeStages();

  /// Takes rows of `degree` devices of one class and node out of a stage, one
  /// for each class and node that has them.
  std::vector<std::vector<int64_t>> takeable(const StageChoice &stage,
                                             int64_t degree) const;

  const PlanBuilder &builder;
  const cluster::Cluster &cluster;
  llvm::ArrayRef<std::vector<int64_t>> microbatches;
  llvm::function_ref<double(const Design &, double cutoff)> value;

  // Of the current run.
  Design current;
  double currentValue = 0;
  int64_t left = 0;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_SEARCH_LOCALSEARCH_H
