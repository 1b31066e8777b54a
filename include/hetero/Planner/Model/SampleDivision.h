//===- SampleDivision.h - Samples by speed ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands out samples one at a time to the row of devices that would finish it
// first, which minimizes the time of the slowest: a row that is passed over
// would have needed longer than the one that gets the sample.
//
// Rows that are alike get their next sample at the same time, so whole kinds of
// rows are served. And as the order is by time alone, everything that is done
// before some time r is handed out before the rest: r is found by bisection,
// and only the last few samples are handed out one by one.

#ifndef HETERO_PLANNER_MODEL_SAMPLEDIVISION_H
#define HETERO_PLANNER_MODEL_SAMPLEDIVISION_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace hetero::planner {

/// Rows that take equally long, and how many samples one of them can have.
struct RowKind {
  int64_t rows = 1;
  int64_t cap = 0;
  /// For a number of samples; does not fall.
  std::function<double(int64_t)> seconds;
};

/// What the rows of a kind get: all of them `samples`, the first `more` one
/// more.
struct RowSamples {
  int64_t samples = 0, more = 0;

  int64_t most() const { return samples + (more > 0); }
  int64_t of(int64_t row) const { return samples + (row < more); }
};

/// The largest of the numbers from `low` to `high` that fit, of which smaller
/// ones fit as well; `low` is known to.
template <typename FitsFn>
int64_t findLargest(int64_t low, int64_t high, FitsFn fits) {
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// Divides up to `size` samples; fewer if the caps do not allow so many.
std::vector<RowSamples> divideBySpeed(llvm::ArrayRef<RowKind> kinds,
                                      int64_t size);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_SAMPLEDIVISION_H
