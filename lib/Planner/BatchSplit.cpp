//===- BatchSplit.cpp - Samples and microbatches by speed -----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchSplit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// Of more devices than this many, most are treated in this many blocks.
static constexpr int64_t maxSingle = 64, numBlocks = 48;

/// A number of samples that a device can do, in the smallest microbatches.
struct BatchSplitter::Option {
  int64_t samples = 0, micro = 0;
};

/// What the devices of each kind can do within some time, and how much that is
/// at most in all.
struct BatchSplitter::Choices {
  std::vector<std::vector<Option>> options;
  int64_t most = 0;
};

/// For numbers of samples from `first` on: the least sum of sizes of the
/// devices so far, and what the last of them does for it.
struct BatchSplitter::Level {
  int64_t first = 0;
  std::vector<int64_t> sums;
  std::vector<int32_t> choices;

  int64_t last() const { return first + int64_t(sums.size()) - 1; }
};

BatchSplitter::BatchSplitter(ArrayRef<SplitKind> kinds, int64_t batch)
    : kinds(kinds.begin(), kinds.end()), batch(batch) {
  for (auto [index, kind] : enumerate(kinds)) {
    int64_t size = kind.devices > maxSingle ? kind.devices / numBlocks : 1;
    int64_t inBlocks = size > 1 ? kind.devices - maxSingle / 2 : 0;
    for (; inBlocks >= size; inBlocks -= size)
      blocks.push_back({index, size});
    int64_t single = kind.devices;
    for (const Block &block : blocks)
      single -= block.kind == index ? block.devices : 0;
    blocks.insert(blocks.end(), single, Block{index, 1});
  }
  for (const SplitKind &kind : kinds) {
    std::vector<int64_t> &counts = mostCounts.emplace_back(1, 0);
    int64_t most = std::min(kind.maxMicro, batch);
    for (int64_t micro = 1; micro <= most; ++micro) {
      counts.push_back(
          std::max<int64_t>(0, std::min(batch / micro, kind.maxCount(micro))));
      for (int64_t count = 1; count <= counts.back(); ++count)
        times.push_back(kind.seconds(micro, count));
    }
  }
  sort(times);
  times.erase(unique(times), times.end());
}

/// The most microbatches of a size within a time.
int64_t BatchSplitter::countWithin(size_t kind, int64_t micro,
                                   double time) const {
  int64_t low = 0, high = mostCounts[kind][micro];
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    if (kinds[kind].seconds(micro, middle) <= time)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

namespace {
/// A part of the upper hull of (size of microbatch, samples): what one device
/// of a kind gains from larger microbatches.
struct Segment {
  int64_t micro = 0, samples = 0, devices = 0;

  bool isSteeper(const Segment &other) const {
    return static_cast<__int128>(samples) * other.micro >
           static_cast<__int128>(other.samples) * micro;
  }
};
} // namespace

/// Adds the segments of the hull of `points`, which start at (0, 0) and ascend
/// in both.
static void addHull(ArrayRef<SplitShare> points, int64_t devices,
                    std::vector<Segment> &segments) {
  std::vector<Segment> hull;
  SplitShare last = points.front();
  for (const SplitShare &point : points.drop_front()) {
    Segment next = {point.micro - last.micro, point.samples() - last.samples(),
                    devices};
    while (!hull.empty() && !hull.back().isSteeper(next)) {
      next.micro += hull.back().micro;
      next.samples += hull.back().samples;
      hull.pop_back();
    }
    hull.push_back(next);
    last = point;
  }
  append_range(segments, hull);
}

/// Whether the most samples that could be done within the time suffice.
bool BatchSplitter::mayFit(double time, int64_t maxSum) const {
  std::vector<Segment> segments;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    std::vector<SplitShare> points(1);
    for (int64_t micro = 1; micro < int64_t(mostCounts[kind].size()); ++micro) {
      SplitShare point{micro, countWithin(kind, micro, time)};
      if (point.samples() > points.back().samples())
        points.push_back(point);
    }
    addHull(points, kinds[kind].devices, segments);
  }
  stable_sort(segments, [](const Segment &left, const Segment &right) {
    return left.isSteeper(right);
  });
  auto left = static_cast<double>(maxSum);
  double samples = 0;
  for (const Segment &segment : segments) {
    double want = static_cast<double>(segment.micro * segment.devices);
    double part = std::min(1.0, left / want);
    samples += part * static_cast<double>(segment.samples * segment.devices);
    left -= part * want;
  }
  return samples >= static_cast<double>(batch) * (1 - 1e-9);
}

/// What one device can do within the time, most samples first; nothing last.
std::vector<BatchSplitter::Option>
BatchSplitter::findOptions(size_t kind, double time) const {
  std::vector<Option> all;
  for (int64_t micro = 1; micro < int64_t(mostCounts[kind].size()); ++micro) {
    int64_t most = countWithin(kind, micro, time);
    for (int64_t count = 1; count <= most; ++count)
      all.push_back({micro * count, micro});
  }
  all.push_back({0, 0});
  sort(all, [](const Option &left, const Option &right) {
    return left.samples != right.samples ? left.samples > right.samples
                                         : left.micro < right.micro;
  });
  all.erase(unique(all,
                   [](const Option &left, const Option &right) {
                     return left.samples == right.samples;
                   }),
            all.end());
  return all;
}

BatchSplitter::Choices BatchSplitter::findChoices(double time) const {
  Choices choices;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    choices.options.push_back(findOptions(kind, time));
    choices.most +=
        choices.options.back().front().samples * kinds[kind].devices;
  }
  return choices;
}

/// Whether taking away what is too much, as soon as possible, gives the batch.
bool BatchSplitter::fitsGreedily(const Choices &choices, int64_t maxSum) const {
  int64_t excess = choices.most - batch, sum = 0;
  if (excess < 0)
    return false;
  for (const Block &block : blocks) {
    ArrayRef<Option> options = choices.options[block.kind];
    int64_t best = options.front().samples;
    const Option *last = partition_point(options, [&](const Option &option) {
      return (best - option.samples) * block.devices <= excess;
    });
    const Option &option = last[-1];
    excess -= (best - option.samples) * block.devices;
    sum += option.micro * block.devices;
  }
  return excess == 0 && sum <= maxSum;
}

/// Block by block, for numbers of samples that the others can complete.
std::vector<BatchSplitter::Level>
BatchSplitter::fillLevels(const Choices &choices) const {
  constexpr int64_t never = std::numeric_limits<int64_t>::max() / 2;
  std::vector<Level> levels = {{0, {0}, {}}};
  int64_t done = 0;
  for (const Block &block : blocks) {
    const Level &before = levels.back();
    ArrayRef<Option> options = choices.options[block.kind];
    done += options.front().samples * block.devices;
    Level next;
    next.first = std::max<int64_t>(0, batch - (choices.most - done));
    int64_t last = std::min(batch, done);
    next.sums.assign(last - next.first + 1, never);
    next.choices.assign(next.sums.size(), -1);
    for (auto [index, option] : enumerate(options)) {
      int64_t samples = option.samples * block.devices;
      int64_t micro = option.micro * block.devices;
      int64_t begin = std::max(before.first, next.first - samples);
      int64_t end = std::min(before.last(), last - samples);
      for (int64_t from = begin; from <= end; ++from) {
        int64_t sum = before.sums[from - before.first] + micro;
        int64_t to = from + samples - next.first;
        if (sum >= next.sums[to])
          continue;
        next.sums[to] = sum;
        next.choices[to] = int32_t(index);
      }
    }
    levels.push_back(std::move(next));
  }
  return levels;
}

/// The split with these choices, if there is one.
std::optional<BatchSplit> BatchSplitter::splitWithin(const Choices &choices,
                                                     int64_t maxSum) const {
  if (choices.most < batch)
    return std::nullopt;
  std::vector<Level> levels = fillLevels(choices);
  if (levels.back().sums.back() > maxSum)
    return std::nullopt;
  BatchSplit result;
  result.shares.resize(kinds.size());
  int64_t samples = batch;
  for (size_t number = blocks.size(); number-- > 0;) {
    const Block &block = blocks[number];
    const Level &level = levels[number + 1];
    Option option =
        choices.options[block.kind][level.choices[samples - level.first]];
    samples -= option.samples * block.devices;
    SplitShare share{option.micro,
                     option.micro > 0 ? option.samples / option.micro : 0};
    std::vector<SplitShare> &shares = result.shares[block.kind];
    shares.insert(shares.end(), block.devices, share);
    if (share.count > 0)
      result.seconds = std::max(
          result.seconds, kinds[block.kind].seconds(share.micro, share.count));
  }
  // Most samples first, so that the result does not depend on the search.
  for (std::vector<SplitShare> &shares : result.shares)
    stable_sort(shares, [](const SplitShare &left, const SplitShare &right) {
      return left.samples() != right.samples()
                 ? left.samples() > right.samples()
                 : left.micro < right.micro;
    });
  return result;
}

std::optional<BatchSplit> BatchSplitter::split(int64_t maxSum) const {
  auto isPossible = [&](int64_t index) {
    Choices choices = findChoices(times[index]);
    return fitsGreedily(choices, maxSum) ||
           splitWithin(choices, maxSum).has_value();
  };
  auto first =
      partition_point(times, [&](double t) { return !mayFit(t, maxSum); });
  // Nothing before `low` is possible; `high` is, or there is nothing.
  int64_t low = first - times.begin(), size = times.size(), step = 1;
  int64_t high = low;
  while (high < size && !isPossible(high)) {
    low = high + 1;
    high = high == size - 1 ? size : std::min(size - 1, high + step);
    step *= 2;
  }
  if (high >= size)
    return std::nullopt;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (isPossible(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return splitWithin(findChoices(times[high]), maxSum);
}
