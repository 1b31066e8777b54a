//===- MeasuredTimes.cpp - Times of layers that were measured -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/MeasuredTimes.h"
#include "llvm/ADT/STLExtras.h"

using namespace hetero;
using namespace hetero::planner;
using namespace llvm;

/// The points of one phase as (samples, picoseconds), not falling.
static std::vector<std::pair<double, double>>
risingPoints(const MeasuredTimes &measured, Time MeasuredTimes::Point::*phase) {
  std::vector<std::pair<double, double>> points;
  double longest = 0;
  for (const MeasuredTimes::Point &point : measured.points) {
    longest = std::max(longest, static_cast<double>((point.*phase).count()));
    points.emplace_back(static_cast<double>(point.samples), longest);
  }
  return points;
}

static double onLine(std::pair<double, double> first,
                     std::pair<double, double> second, double x) {
  double slope = (second.second - first.second) / (second.first - first.first);
  return second.second + slope * (x - second.first);
}

static Time interpolate(ArrayRef<std::pair<double, double>> points, double x) {
  const auto *next = find_if(points, [&](std::pair<double, double> point) {
    return point.first >= x;
  });
  std::pair<double, double> first = points.front(), last = points.back();
  double value;
  if (next == points.end())
    value = points.size() == 1
                ? last.second * x / last.first
                : onLine(points[(points.size() - 1) / 2], last, x);
  else if (next->first == x)
    value = next->second;
  else if (next == points.begin())
    value = std::max(first.second * x / first.first,
                     points.size() == 1 ? 0 : onLine(points[1], first, x));
  else
    value = onLine(next[-1], *next, x);
  return Time::nearest(value);
}

std::pair<Time, Time> MeasuredTimes::at(int64_t samples) const {
  auto x = static_cast<double>(samples);
  return {interpolate(risingPoints(*this, &Point::forward), x),
          interpolate(risingPoints(*this, &Point::backward), x)};
}

double MeasuredTimes::leastPerSample() const {
  // The times are linear in pieces, so the quotient is least at an end of one:
  // at a sample, at a point, or infinitely far out, where it is the slope.
  auto seconds = [&](int64_t samples) {
    auto [forward, backward] = at(samples);
    return toSeconds(forward) + toSeconds(backward);
  };
  int64_t last = points.back().samples, more = 1000;
  double least = std::min(seconds(1), (seconds(last + more) - seconds(last)) /
                                          static_cast<double>(more));
  for (const Point &point : points)
    least = std::min(least, seconds(point.samples) /
                                static_cast<double>(point.samples));
  return least;
}
