//===- MeasuredTimes.h - Times of a layer that were measured ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer that was timed for 1 and 4 samples, at 2 and 5 ms, takes 3 ms for 2:
//
//   MeasuredTimes times;
//   times.points = {{1, forward1, backward1}, {4, forward4, backward4}};
//   auto [forward, backward] = times.at(2);

#ifndef HETERO_PLANNER_PROBLEM_MEASUREDTIMES_H
#define HETERO_PLANNER_PROBLEM_MEASUREDTIMES_H

#include "hetero/Support/Amount.h"
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace hetero::planner {

/// How long a layer takes on devices of one class, as measured.
struct MeasuredTimes {
  /// For a number of samples that are computed together.
  struct Point {
    int64_t samples = 0;
    Time forward, backward;

    auto fields() const { return std::tie(samples, forward, backward); }
  };
  /// At least one; the samples ascend.
  std::vector<Point> points;

  /// Forward and backward of `samples` samples, at least 1: linear between two
  /// points; before the first on the line of the first two, but not below its
  /// proportion; behind the last on the line from the middle point. A time that
  /// is below one of fewer samples is taken to be that one, so it never falls.
  std::pair<Time, Time> at(int64_t samples) const;
  /// Forward and backward of a sample in the number of samples for which that
  /// is least, in seconds.
  double leastPerSample() const;

  auto fields() const { return std::tie(points); }
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_PROBLEM_MEASUREDTIMES_H
