//===- ContributionsCells.cpp - Sets of samples and members ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contributions.h"

using namespace hetero;
using namespace hetero::verify;

int64_t Cells::count() const {
  int64_t total = 0;
  for (auto [begin, end] : ranges)
    total += end - begin;
  return total;
}

Cells Cells::unite(const Cells &other) const {
  auto all = ranges;
  all.append(other.ranges.begin(), other.ranges.end());
  llvm::sort(all);
  Cells result;
  for (auto [begin, end] : all)
    if (!result.empty() && begin <= result.ranges.back().second)
      result.ranges.back().second = std::max(result.ranges.back().second, end);
    else
      result.ranges.push_back({begin, end});
  return result;
}

Cells Cells::intersect(const Cells &other) const {
  Cells result;
  const auto *a = ranges.begin(), *b = other.ranges.begin();
  while (a != ranges.end() && b != other.ranges.end()) {
    int64_t begin = std::max(a->first, b->first),
            end = std::min(a->second, b->second);
    if (begin < end)
      result.ranges.push_back({begin, end});
    ++(a->second < b->second ? a : b);
  }
  return result;
}

Cells Cells::subtract(const Cells &other) const {
  Cells result;
  for (auto [begin, end] : ranges) {
    for (auto [from, to] : other.ranges) {
      if (to <= begin || from >= end)
        continue;
      if (begin < from)
        result.ranges.push_back({begin, from});
      begin = to;
    }
    if (begin < end)
      result.ranges.push_back({begin, end});
  }
  return result;
}

Cells Cells::slice(int64_t begin, int64_t end) const {
  Cells result;
  int64_t before = 0;
  for (auto [from, to] : ranges) {
    int64_t low = std::max(from, from + begin - before),
            high = std::min(to, from + end - before);
    if (low < high)
      result.ranges.push_back({low, high});
    before += to - from;
  }
  return result;
}

std::string Cells::str() const {
  std::string text = "[";
  for (auto [index, range] : llvm::enumerate(ranges))
    text += (index ? ", " : "") + std::to_string(range.first) + " to " +
            std::to_string(range.second);
  return text + "]";
}
