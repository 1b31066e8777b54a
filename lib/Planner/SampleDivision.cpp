//===- SampleDivision.cpp - Samples by speed ------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleDivision.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// The most samples that a row finishes within `time`, not above `most`.
static int64_t samplesWithin(const RowKind &kind, double time, int64_t most) {
  int64_t low = 0, high = most;
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    if (kind.seconds(middle) <= time)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// What all rows finish within some time, as much as there is for `size`.
static std::vector<int64_t> findLevels(ArrayRef<RowKind> kinds, int64_t size) {
  auto levelsFor = [&](double time) {
    std::vector<int64_t> levels;
    for (const RowKind &kind : kinds)
      levels.push_back(samplesWithin(kind, time, std::min(kind.cap, size)));
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
  std::vector<int64_t> best(kinds.size(), 0);
  if (std::vector<int64_t> levels = levelsFor(high); fits(levels))
    return levels;
  for (int i = 0; i < 50 && low < high; ++i) {
    double middle = low + (high - low) / 2;
    std::vector<int64_t> levels = levelsFor(middle);
    if (fits(levels)) {
      low = middle;
      best = std::move(levels);
    } else {
      high = middle;
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
