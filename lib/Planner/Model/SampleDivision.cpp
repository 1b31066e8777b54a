//===- SampleDivision.cpp - Samples by speed ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/SampleDivision.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// What all rows finish within some time, as much as there is for `size`.
static std::vector<int64_t> findLevels(ArrayRef<RowKind> kinds, int64_t size) {
  // What fits, and what does not.
  std::vector<int64_t> best(kinds.size(), 0), beyond;
  for (const RowKind &kind : kinds)
    beyond.push_back(std::min(kind.cap, size));
  auto levelsFor = [&](double time) {
    std::vector<int64_t> levels;
    for (auto [kind, low, high] : zip_equal(kinds, best, beyond))
      levels.push_back(
          findLargest(low, high, [&, &kind = kind](int64_t samples) {
            return kind.seconds(samples) <= time;
          }));
    return levels;
  };
  auto fits = [&](ArrayRef<int64_t> levels) {
    int64_t left = size;
    for (auto [kind, level] : zip_equal(kinds, levels)) {
      if (level > left / kind.rows)
        return false;
      left -= level * kind.rows;
    }
    return true;
  };
  // Rows that are all alike get equally many.
  if (kinds.size() == 1)
    return {std::min(kinds[0].cap, size / kinds[0].rows)};
  double low = 0, high = 0;
  for (const RowKind &kind : kinds)
    if (kind.cap > 0)
      high = std::max(high, kind.seconds(std::min(kind.cap, size)));
  if (fits(beyond))
    return beyond;
  // Until one sample more in some row is too much.
  auto isClose = [&]() { return sum_of(beyond) - sum_of(best) <= 1; };
  for (int i = 0; i < 50 && low < high && !isClose(); ++i) {
    double middle = low + (high - low) / 2;
    std::vector<int64_t> levels = levelsFor(middle);
    if (fits(levels)) {
      low = middle;
      best = std::move(levels);
    } else {
      high = middle;
      beyond = std::move(levels);
    }
  }
  return best;
}

std::vector<RowSamples> hetero::planner::divideBySpeed(ArrayRef<RowKind> kinds,
                                                       int64_t size) {
  std::vector<RowSamples> result;
  int64_t left = size;
  for (auto [kind, level] : zip_equal(kinds, findLevels(kinds, size))) {
    result.push_back({level, 0});
    left -= level * kind.rows;
  }
  while (left > 0) {
    std::optional<size_t> best;
    double earliest = 0;
    for (auto [index, kind] : enumerate(kinds)) {
      if (result[index].samples >= kind.cap)
        continue;
      double time = kind.seconds(result[index].samples + 1);
      if (best && time >= earliest)
        continue;
      best = index;
      earliest = time;
    }
    if (!best)
      break;
    RowSamples &row = result[*best];
    if (left < kinds[*best].rows) {
      row.more = left;
      break;
    }
    ++row.samples;
    left -= kinds[*best].rows;
  }
  return result;
}
