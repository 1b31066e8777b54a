//===- BatchSplit.cpp - Samples and microbatches by speed -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Cephalo/BatchSplit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// Up to `maxSingle` devices of a kind are decided one by one; of more, most
/// are put into `numBlocks` blocks of devices that get the same, as the check
/// takes time in proportion to what is decided.
static constexpr int64_t maxSingle = 64, numBlocks = 48;
/// How many intervals of limits splitPhases halves at most. Usually a few leave
/// nothing better; more are left where many limits give about the same.
static constexpr int64_t mostHalvings = 32;

/// A number of samples that a device can do, in microbatches of a size; what
/// splits have as little of as possible.
struct BatchSplitter::Option {
  int64_t samples = 0, micro = 0, weight = 0;
};

/// What the devices of each kind can do within some time, and how much that is
/// at most in all.
struct BatchSplitter::Choices {
  std::vector<std::vector<Option>> options;
  int64_t most = 0;
};

/// For numbers of samples from `first` on: the least sum of weights of the
/// devices so far.
struct BatchSplitter::Level {
  int64_t first = 0;
  std::vector<int32_t> sums;

  int64_t last() const { return first + int64_t(sums.size()) - 1; }
  /// Above all sums that are possible if there is none.
  int32_t at(int64_t samples) const {
    return samples < first || samples > last() ? never : sums[samples - first];
  }

  static constexpr int32_t never = std::numeric_limits<int32_t>::max() / 2;
};

BatchSplitter::BatchSplitter(ArrayRef<SplitKind> kinds, int64_t batch)
    : kinds(kinds.begin(), kinds.end()), batch(batch) {
  for (auto [index, kind] : enumerate(kinds)) {
    int64_t size = kind.devices > maxSingle ? kind.devices / numBlocks : 1;
    int64_t inBlocks = size > 1 ? kind.devices - maxSingle / 2 : 0;
    int64_t count = inBlocks / size;
    blocks.insert(blocks.end(), count, Block{index, size});
    blocks.insert(blocks.end(), kind.devices - count * size, Block{index, 1});
  }
  Table &whole = tables[Whole];
  for (const SplitKind &kind : kinds) {
    std::vector<int64_t> &counts = mostCounts.emplace_back(1, 0);
    std::vector<int64_t> &begin = begins.emplace_back(1, 0);
    std::vector<double> &list = whole.shares.emplace_back();
    int64_t most = std::min(kind.maxMicro, batch);
    for (int64_t micro = 1; micro <= most; ++micro) {
      counts.push_back(
          std::max<int64_t>(0, std::min(batch / micro, kind.maxCount(micro))));
      begin.push_back(list.size());
      for (int64_t count = 1; count <= counts.back(); ++count)
        list.push_back(kind.seconds(micro, count));
    }
  }
  sortValues(Whole);
}

void BatchSplitter::sortValues(Measure measure) {
  Table &table = tables[measure];
  for (ArrayRef<double> list : table.shares)
    append_range(table.values, list);
  sort(table.values);
  table.values.erase(unique(table.values), table.values.end());
}

/// Fills the tables of the phases.
void BatchSplitter::addPhases() {
  if (!tables[Forward].shares.empty())
    return;
  for (auto [kind, counts] : zip_equal(kinds, mostCounts)) {
    for (Measure measure : {Forward, Backward, Computing})
      tables[measure].shares.emplace_back();
    for (int64_t micro = 1; micro < int64_t(counts.size()); ++micro)
      for (int64_t count = 1; count <= counts[micro]; ++count) {
        PhaseTimes times = kind.phases(micro, count);
        tables[Forward].shares.back().push_back(times.forward);
        tables[Backward].shares.back().push_back(times.backward);
        tables[Computing].shares.back().push_back(times.computing);
      }
  }
  for (Measure measure : {Forward, Backward, Computing})
    sortValues(measure);
}

/// The most microbatches of a size within the limits.
int64_t BatchSplitter::countWithin(size_t kind, int64_t micro,
                                   const Limits &limits) const {
  int64_t most = mostCounts[kind][micro], begin = begins[kind][micro];
  for (auto [table, limit] : zip_equal(tables, limits.most)) {
    if (std::isinf(limit))
      continue;
    ArrayRef<double> times = ArrayRef(table.shares[kind]).slice(begin, most);
    most = partition_point(
               times, [limit = limit](double time) { return time <= limit; }) -
           times.begin();
  }
  return most;
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

/// Whether the most samples that could be done within the limits suffice.
bool BatchSplitter::mayFit(const Limits &limits, int64_t maxSum) const {
  std::vector<Segment> segments;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    std::vector<SplitShare> points(1);
    for (int64_t micro = 1; micro < int64_t(mostCounts[kind].size()); ++micro) {
      SplitShare point{micro, countWithin(kind, micro, limits)};
      if (point.samples() > points.back().samples())
        points.push_back(point);
    }
    addHull(points, kinds[kind].devices, segments);
  }
  stable_sort(segments, [](const Segment &left, const Segment &right) {
    return left.isSteeper(right);
  });
  auto left = double(maxSum);
  double samples = 0;
  for (const Segment &segment : segments) {
    double want = double(segment.micro * segment.devices);
    double part = std::min(1.0, left / want);
    samples += part * double(segment.samples * segment.devices);
    left -= part * want;
  }
  return samples >= double(batch) * (1 - 1e-9);
}

/// What one device can do within the limits, most samples first; nothing last.
std::vector<BatchSplitter::Option>
BatchSplitter::findOptions(size_t kind, const Limits &limits, Ties ties) const {
  std::vector<int64_t> sizes(batch + 1, 0);
  for (int64_t micro = 1; micro < int64_t(mostCounts[kind].size()); ++micro) {
    int64_t most = countWithin(kind, micro, limits);
    for (int64_t count = 1; count <= most; ++count)
      if (ties == Ties::Fewest || sizes[micro * count] == 0)
        sizes[micro * count] = micro;
  }
  std::vector<Option> options;
  for (int64_t samples = batch; samples > 0; --samples)
    if (int64_t micro = sizes[samples])
      options.push_back(
          {samples, micro, ties == Ties::Fewest ? samples / micro : micro});
  options.emplace_back();
  return options;
}

BatchSplitter::Choices BatchSplitter::findChoices(const Limits &limits,
                                                  Ties ties) const {
  Choices choices;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    choices.options.push_back(findOptions(kind, limits, ties));
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
  std::vector<Level> levels = {{0, {0}}};
  int64_t done = 0;
  for (const Block &block : blocks) {
    const Level &before = levels.back();
    ArrayRef<Option> options = choices.options[block.kind];
    done += options.front().samples * block.devices;
    Level next;
    next.first = std::max<int64_t>(0, batch - (choices.most - done));
    int64_t last = std::min(batch, done);
    next.sums.assign(last - next.first + 1, Level::never);
    for (const Option &option : options) {
      int64_t samples = option.samples * block.devices;
      auto weight = int32_t(option.weight * block.devices);
      int64_t begin = std::max(before.first, next.first - samples);
      int64_t end = std::min(before.last(), last - samples) + 1;
      if (begin >= end)
        continue;
      // Without a branch several are done at a time.
      const int32_t *from = before.sums.data() + (begin - before.first);
      int32_t *to = next.sums.data() + (begin + samples - next.first);
      for (int64_t i = 0; i < end - begin; ++i)
        to[i] = std::min(to[i], from[i] + weight);
    }
    levels.push_back(std::move(next));
  }
  return levels;
}

/// The split with these choices that has the least weight, if there is one.
std::optional<BatchSplit>
BatchSplitter::splitWithin(const Choices &choices) const {
  if (choices.most < batch)
    return std::nullopt;
  std::vector<Level> levels = fillLevels(choices);
  if (levels.back().at(batch) >= Level::never)
    return std::nullopt;
  BatchSplit result;
  result.shares.resize(kinds.size());
  int64_t samples = batch;
  for (size_t number = blocks.size(); number-- > 0;) {
    const Block &block = blocks[number];
    int32_t sum = levels[number + 1].at(samples);
    const Option &option =
        *find_if(choices.options[block.kind], [&](const Option &option) {
          int64_t before = samples - option.samples * block.devices;
          return levels[number].at(before) + option.weight * block.devices ==
                 sum;
        });
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

static int64_t sumOfSizes(const BatchSplit &split) {
  int64_t sum = 0;
  for (const std::vector<SplitShare> &shares : split.shares)
    for (const SplitShare &share : shares)
      sum += share.micro;
  return sum;
}

bool BatchSplitter::isPossible(const Limits &limits, int64_t maxSum) const {
  Choices choices = findChoices(limits, Ties::Smallest);
  if (choices.most < batch)
    return false;
  return fitsGreedily(choices, maxSum) ||
         fillLevels(choices).back().at(batch) <=
             std::min<int64_t>(maxSum, Level::never - 1);
}

/// The least limit of a measure, of those in the range, beside the others.
std::optional<double> BatchSplitter::findLeast(Measure measure,
                                               const Limits &limits,
                                               int64_t maxSum,
                                               ArrayRef<double> range) const {
  auto isEnough = [&](int64_t index) {
    return isPossible(limits.with(measure, range[index]), maxSum);
  };
  const double *first = partition_point(range, [&](double value) {
    return !mayFit(limits.with(measure, value), maxSum);
  });
  // Nothing before `low` is possible; `high` is, or there is nothing.
  int64_t low = first - range.begin(), size = range.size(), step = 1;
  int64_t high = low;
  while (high < size && !isEnough(high)) {
    low = high + 1;
    high = high == size - 1 ? size : std::min(size - 1, high + step);
    step *= 2;
  }
  if (high >= size)
    return std::nullopt;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (isEnough(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return range[high];
}

std::optional<BatchSplit> BatchSplitter::split(int64_t maxSum) const {
  std::optional<double> time = findLeast(Whole, Limits(), maxSum);
  if (!time)
    return std::nullopt;
  return splitWithin(findChoices(Limits().with(Whole, *time), Ties::Smallest));
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// The search for limits of forward and backward with the least sum.
class BatchSplitter::PhaseSearch {
public:
  PhaseSearch(const BatchSplitter &splitter, int64_t maxSum)
      : splitter(splitter), maxSum(maxSum),
        forwards(splitter.tables[Forward].values),
        backwards(splitter.tables[Backward].values) {}

  std::optional<Limits> run();

private:
  /// A limit of the forward by its number, and the least backward with it.
  struct Point {
    int64_t forward = 0;
    double backward = 0;
  };
  /// The limits between two points.
  struct Interval {
    Point low, high;
  };

  /// No limit of the interval gives less.
  double boundOf(const Interval &interval) const {
    return forwards[interval.low.forward + 1] + interval.high.backward;
  }
  void consider(const Point &point);
  void push(const Point &low, const Point &high);
  std::optional<Point> findEnd(Measure first) const;

  const BatchSplitter &splitter;
  int64_t maxSum;
  ArrayRef<double> forwards, backwards;
  std::vector<Interval> intervals;
  Point best;
  double least = std::numeric_limits<double>::infinity();
};

void BatchSplitter::PhaseSearch::consider(const Point &point) {
  double sum = forwards[point.forward] + point.backward;
  if (sum >= least)
    return;
  least = sum;
  best = point;
}

void BatchSplitter::PhaseSearch::push(const Point &low, const Point &high) {
  if (high.forward - low.forward > 1)
    intervals.push_back({low, high});
}

/// The point with the least of one, and then of the other.
std::optional<BatchSplitter::PhaseSearch::Point>
BatchSplitter::PhaseSearch::findEnd(Measure first) const {
  Measure second = first == Forward ? Backward : Forward;
  std::optional<double> one = splitter.findLeast(first, Limits(), maxSum);
  if (!one)
    return std::nullopt;
  double other =
      *splitter.findLeast(second, Limits().with(first, *one), maxSum);
  double forward = first == Forward ? *one : other;
  return Point{lower_bound(forwards, forward) - forwards.begin(),
               first == Forward ? other : *one};
}

std::optional<BatchSplitter::Limits> BatchSplitter::PhaseSearch::run() {
  std::optional<Point> low = findEnd(Forward);
  if (!low)
    return std::nullopt;
  Point high = *findEnd(Backward);
  consider(*low);
  consider(high);
  push(*low, high);
  for (int64_t step = 0; step < mostHalvings && !intervals.empty(); ++step) {
    auto next = llvm::min_element(
        intervals, [&](const Interval &left, const Interval &right) {
          return boundOf(left) < boundOf(right);
        });
    if (boundOf(*next) >= least)
      break;
    Interval interval = *next;
    intervals.erase(next);
    Point middle;
    middle.forward = (interval.low.forward + interval.high.forward) / 2;
    const double *from = lower_bound(backwards, interval.high.backward);
    const double *to = upper_bound(backwards, interval.low.backward);
    middle.backward = *splitter.findLeast(
        Backward, Limits().with(Forward, forwards[middle.forward]), maxSum,
        ArrayRef(from, to));
    push(middle, interval.high);
    // From where on the backward is as short as in the middle.
    int64_t begin = interval.low.forward + 1;
    double first = *splitter.findLeast(
        Forward, Limits().with(Backward, middle.backward), maxSum,
        forwards.slice(begin, middle.forward + 1 - begin));
    middle.forward = lower_bound(forwards, first) - forwards.begin();
    push(interval.low, middle);
    consider(middle);
  }
  return Limits()
      .with(Forward, forwards[best.forward])
      .with(Backward, best.backward);
}

/// Makes microbatches smaller, the largest first, until their sizes sum to at
/// most `maxSum`; returns whether that is possible.
bool BatchSplitter::shrink(BatchSplit &split, const Limits &limits,
                           int64_t maxSum) const {
  // The next smaller size for the same samples, or 0.
  auto findSmaller = [&](size_t kind, const SplitShare &share) -> int64_t {
    for (int64_t micro = share.micro - 1; micro > 0; --micro)
      if (share.samples() % micro == 0 &&
          countWithin(kind, micro, limits) >= share.samples() / micro)
        return micro;
    return 0;
  };
  for (int64_t sum = sumOfSizes(split); sum > maxSum;) {
    SplitShare *largest = nullptr;
    int64_t smaller = 0;
    for (size_t kind = 0; kind < kinds.size(); ++kind)
      for (SplitShare &share : split.shares[kind]) {
        if (largest && share.micro <= largest->micro)
          continue;
        if (int64_t micro = findSmaller(kind, share)) {
          largest = &share;
          smaller = micro;
        }
      }
    if (!largest)
      return false;
    sum -= largest->micro - smaller;
    *largest = {smaller, largest->samples() / smaller};
  }
  return true;
}

double BatchSplitter::leastComputing() {
  addPhases();
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  return findLeast(Computing, Limits(), any)
      .value_or(std::numeric_limits<double>::infinity());
}

BatchSplitter::PhaseResult BatchSplitter::findPhases(int64_t maxSum) const {
  PhaseResult result;
  result.limits = PhaseSearch(*this, maxSum).run();
  if (!result.limits)
    return result;
  // What is waited for hides how much there is to compute.
  result.limits = result.limits->with(
      Computing, *findLeast(Computing, *result.limits, maxSum));
  Choices choices = findChoices(*result.limits, Ties::Smallest);
  result.leastSum = fillLevels(choices).back().at(batch);
  return result;
}

const BatchSplitter::PhaseResult &BatchSplitter::phasesWithin(int64_t maxSum) {
  auto known = phaseResults.lower_bound(maxSum);
  // What is best with more memory is so with less, as long as it suffices.
  for (auto entry = known; entry != phaseResults.end(); ++entry)
    if (entry->first == maxSum || !entry->second.limits ||
        entry->second.leastSum <= maxSum)
      return entry->second;
  return phaseResults.emplace_hint(known, maxSum, findPhases(maxSum))->second;
}

std::optional<BatchSplit> BatchSplitter::splitPhases(int64_t maxSum,
                                                     Ties ties) {
  addPhases();
  const PhaseResult &phases = phasesWithin(maxSum);
  if (!phases.limits)
    return std::nullopt;
  const Limits &limits = *phases.limits;
  std::optional<BatchSplit> result = splitWithin(findChoices(limits, ties));
  if (ties == Ties::Fewest && !shrink(*result, limits, maxSum))
    result = splitWithin(findChoices(limits, Ties::Smallest));
  result->seconds = limits.most[Forward] + limits.most[Backward];
  return result;
}
