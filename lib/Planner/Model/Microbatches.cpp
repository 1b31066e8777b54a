//===- Microbatches.cpp - Ways to cut the batch ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Model/StateDivision.h"

using namespace hetero;
using namespace hetero::planner;

/// All numbers of microbatches up to this one are tried; of larger ones those
/// in steps of a tenth, and those that divide the batch.
static constexpr int64_t allCountsUpTo = 64;

std::vector<std::vector<int64_t>>
hetero::planner::microbatchOptions(const Problem &problem) {
  if (!problem.constraints.microbatches.empty())
    return {problem.constraints.microbatches};
  int64_t most =
      std::min({problem.batch, mostMicrobatches,
                problem.constraints.maxMicrobatches.value_or(problem.batch)});
  std::vector<std::vector<int64_t>> options;
  int64_t largest = problem.batch + 1, next = 1;
  for (int64_t count = 1; count <= most; ++count) {
    int64_t size = (problem.batch + count - 1) / count;
    // Of those between, only numbers that make microbatches of one size.
    if (size == largest ||
        (count < next && count < most && problem.batch % count != 0))
      continue;
    largest = size;
    if (count >= next)
      next = count < allCountsUpTo ? count + 1 : count + count / 10;
    options.push_back(divideEvenly(problem.batch, count));
  }
  return options;
}
