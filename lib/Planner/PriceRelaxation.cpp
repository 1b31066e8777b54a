//===- PriceRelaxation.cpp - A price for each device ----------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relaxation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Prices by speed.
static std::vector<double> pricesBySpeed(StageBounds &bounds) {
  std::vector<double> prices;
  size_t whole = bounds.runs.find(0, bounds.runs.numLayers);
  for (size_t index = 0; index < bounds.classes.size(); ++index)
    prices.push_back(1 / std::max(1e-18, bounds.leastRate(whole, index)));
  return prices;
}

/// What the layers from `first` on cost at least for a second's worth of
/// samples.
static std::vector<double> workPrices(StageBounds &bounds,
                                      ArrayRef<double> prices) {
  int64_t numLayers = bounds.runs.numLayers;
  std::vector<double> work(numLayers + 1, 0);
  for (int64_t layer = numLayers - 1; layer >= 0; --layer) {
    size_t run = bounds.runs.find(layer, layer + 1);
    double least = infinity;
    for (size_t index = 0; index < prices.size(); ++index)
      least = std::min(least, prices[index] * bounds.leastRate(run, index));
    work[layer] = work[layer + 1] + least;
  }
  return work;
}

/// A time that is excluded by the work alone.
double hetero::planner::workBound(StageBounds &bounds) {
  std::vector<double> prices = pricesBySpeed(bounds);
  double all = 0;
  for (auto [price, entry] : zip_equal(prices, bounds.classes))
    all += price * static_cast<double>(entry.count);
  return workPrices(bounds, prices).front() *
         static_cast<double>(bounds.model.problem.batch) / all;
}

//===----------------------------------------------------------------------===//
// Ways to do a run of layers
//===----------------------------------------------------------------------===//

/// One node, or several of which each has at least some bandwidth to others.
struct PriceRelaxation::StagePlaceBound {
  const NodeKind *node = nullptr;
  double bandwidth = 0;
  /// By class, how many devices there are at most.
  std::vector<int64_t> counts;
};

PriceRelaxation::PriceRelaxation(const StageModel &model, const LayerRuns &runs,
                                 ArrayRef<ClassCount> classes,
                                 ArrayRef<int64_t> microbatches,
                                 const NetworkBounds &network, double longest,
                                 std::vector<double> prices)
    : Relaxation(model, runs, classes, microbatches, network), longest(longest),
      shortest(workBound(bounds)) {
  setPrices(prices.empty() ? pricesBySpeed(bounds) : std::move(prices));
  // What leaves a node after some layer, and the first takes all of it.
  const std::vector<Layer> &layers = model.problem.layers;
  double least = infinity, back = infinity;
  for (size_t layer = 0; layer + 1 < layers.size(); ++layer) {
    const Layer &entry = layers[layer];
    least =
        std::min(least, static_cast<double>(entry.output.perSample.count()));
    back = std::min(
        back, static_cast<double>(entry.outputGradient.perSample.count()));
  }
  if (layers.size() > 1)
    crossingBytes = least * static_cast<double>(bounds.smallest);
  if (crossingBytes > 0)
    bothWays = 1 + back / least;
  slowestCrossing = crossingBytes / network.leastOut;
}

void PriceRelaxation::setPrices(std::vector<double> given) {
  prices = std::move(given);
  all = 0;
  for (auto [cost, entry] : zip_equal(prices, bounds.classes))
    all += cost * static_cast<double>(entry.count);
  all *= 1 + 1e-9;
  known.assign(runs.size(), {});
  isKnown.assign(runs.size(), false);
}

/// Up to this many times are all looked at; more of them are put together when
/// they differ by less than a share.
static constexpr size_t fewTimes = 16;
static constexpr double togetherWithin = 0.02;

/// The times at which a row of the degree has one more sample, in groups: the
/// first and the last of each. Of forward and backward, or the forward alone.
std::vector<std::pair<double, double>>
PriceRelaxation::findTimes(size_t run, int64_t tensor, bool forwardOnly) {
  std::vector<double> times;
  double most = longest / static_cast<double>(std::max<int64_t>(1, numLarge));
  for (auto [choice, row] : enumerate(bounds.rowChoices())) {
    if (row.tensor != tensor || !bounds.isAllowed(run, choice))
      continue;
    ArrayRef<double> list = bounds.times(run, choice, forwardOnly);
    for (int64_t samples = 1; samples <= bounds.largest; ++samples) {
      if (list[samples] > most)
        break;
      times.push_back(list[samples]);
    }
  }
  sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<std::pair<double, double>> groups;
  for (double time : times)
    if (times.size() > fewTimes && !groups.empty() &&
        time <= groups.back().first * (1 + togetherWithin))
      groups.back().second = time;
    else
      groups.push_back({time, time});
  return groups;
}

/// For each group of times the least price of rows of the degree that divide
/// that many samples within its last.
std::vector<double> PriceRelaxation::cover(
    size_t run, int64_t tensor, ArrayRef<std::pair<double, double>> times,
    int64_t samples, const StagePlaceBound &place, bool forwardOnly) {
  std::vector<double> result;
  for (auto [first, last] : times) {
    // The cheapest cover with whole rows if there are few samples, else also
    // with fractions of rows.
    SmallVector<std::pair<int64_t, double>, 16> rows;
    double cheapest = infinity;
    int64_t together = 0;
    for (auto [choice, row] : enumerate(bounds.rowChoices())) {
      if (row.tensor != tensor || !bounds.isAllowed(run, choice) ||
          place.counts[row.index] < tensor)
        continue;
      int64_t covered = std::min(
          samples, bounds.samplesWithin(run, choice, last, forwardOnly));
      if (covered == 0)
        continue;
      double cost = prices[row.index] * static_cast<double>(tensor);
      rows.push_back({covered, cost});
      cheapest = std::min(cheapest, cost / static_cast<double>(covered));
      together += place.counts[row.index] / tensor * covered;
    }
    if (together < samples) {
      result.push_back(infinity);
    } else if (rows.size() == 1) {
      int64_t number = (samples + rows[0].first - 1) / rows[0].first;
      result.push_back(rows[0].second * static_cast<double>(number));
    } else if (samples > 256) {
      result.push_back(cheapest * static_cast<double>(samples));
    } else {
      SmallVector<double, 257> least(samples + 1, infinity);
      least[0] = 0;
      for (int64_t left = 1; left <= samples; ++left)
        for (auto [covered, cost] : rows)
          least[left] = std::min(
              least[left], cost + least[std::max<int64_t>(0, left - covered)]);
      result.push_back(least.back());
    }
  }
  return result;
}

/// The most samples of a row within `time`.
int64_t PriceRelaxation::samplesOfRow(size_t run, int64_t tensor, double time,
                                      const StagePlaceBound &place) {
  int64_t most = 0;
  for (auto [choice, row] : enumerate(bounds.rowChoices()))
    if (row.tensor == tensor && bounds.isAllowed(run, choice) &&
        place.counts[row.index] >= tensor)
      most = std::max(most, bounds.samplesWithin(run, choice, time));
  return most;
}

/// In how many nodes the largest microbatch is done within `time` at least. One
/// of them has no more than the bandwidth of the place.
int64_t PriceRelaxation::nodesFor(size_t run, int64_t tensor, double time,
                                  const StagePlaceBound &place) {
  int64_t most = 1, slow = 1;
  for (const NodeKind &node : network.nodes) {
    int64_t samples = 0;
    for (auto [choice, row] : enumerate(bounds.rowChoices()))
      if (row.tensor == tensor && bounds.isAllowed(run, choice) &&
          place.counts[row.index] >= tensor)
        samples += node.counts[row.index] / tensor *
                   bounds.samplesWithin(run, choice, time);
    most = std::max(most, samples);
    if (node.out <= place.bandwidth)
      slow = std::max(slow, samples);
  }
  int64_t left = std::max<int64_t>(1, bounds.largest - slow);
  return 1 + (left + most - 1) / most;
}

/// With what microbatches keep, or with their inputs and the forward again.
void PriceRelaxation::addWithMemory(size_t run, int64_t tensor,
                                    const StagePlaceBound &place,
                                    StageOption option,
                                    std::vector<StageOption> &list) {
  const ColumnState &state = runs.states[run];
  // Parameters that are divided are gathered; the optimizer state may be
  // divided.
  double own =
      static_cast<double>(state.parameters.count() +
                          state.gradients.count() * (count > 1 ? 2 : 1)) /
      static_cast<double>(tensor);
  option.state = static_cast<double>(state.optimizer.count());
  option.room = place.node ? 0 : infinity;
  option.bytePrice = infinity;
  for (auto [index, entry] : enumerate(bounds.classes)) {
    double free =
        static_cast<double>(bounds.model.cluster.classes[entry.deviceClass]
                                .usableMemory()
                                .count()) -
        own;
    if (free <= 0 || place.counts[index] < tensor)
      continue;
    option.room += static_cast<double>(place.counts[index]) * free;
    option.bytePrice = std::min(option.bytePrice, prices[index] / free);
  }
  auto samples = static_cast<double>(bounds.smallest);
  option.kept = runs.saved[run] * samples;
  double kept = option.kept;
  list.push_back(option);
  option.kept = runs.inputs[run] * samples * static_cast<double>(tensor);
  double again = std::max(option.total * bounds.forwardShare(run),
                          static_cast<double>(count) * option.forward);
  option.handedOn += again;
  option.total += again;
  option.stay += option.forward;
  if (option.kept < kept)
    list.push_back(option);
}

void PriceRelaxation::addOptions(size_t run, int64_t tensor,
                                 const StagePlaceBound &place,
                                 ArrayRef<std::pair<double, double>> times,
                                 ArrayRef<std::pair<double, double>> forwards,
                                 std::vector<StageOption> &list) {
  std::vector<double> forward = cover(run, tensor, forwards, bounds.smallest,
                                      place, /*forwardOnly=*/true);
  std::vector<double> large = cover(run, tensor, times, bounds.largest, place);
  std::vector<double> small =
      bounds.smallest == bounds.largest
          ? large
          : cover(run, tensor, times, bounds.smallest, place);
  double share = bounds.forwardShare(run), whole = 0;
  if (place.node)
    for (auto [number, cost] : zip_equal(place.node->counts, prices))
      whole += static_cast<double>(number) * cost;
  // For each price that something changes at, the least times of both sizes.
  std::vector<double> levels;
  for (double price : large)
    if (price <= all)
      levels.push_back(price);
  for (double price : small)
    if (price <= all && price >= large.back())
      levels.push_back(price);
  sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  auto firstWithin = [&](ArrayRef<double> list, double price) {
    return partition_point(list, [&](double other) { return other > price; }) -
           list.begin();
  };
  for (double price : levels) {
    size_t slow = firstWithin(large, price), fast = firstWithin(small, price);
    if (slow == times.size() || fast == times.size())
      continue;
    StageOption option;
    option.price = price;
    double time = times[fast].first;
    option.total = static_cast<double>(numLarge) * times[slow].first +
                   static_cast<double>(count - numLarge) * time;
    // The devices that the price buys have to do the forward as well.
    size_t quick = firstWithin(forward, price);
    option.forward = share * time;
    if (quick < forwards.size())
      option.forward = std::max(option.forward, forwards[quick].first);
    // Gradients of weights are at most half of the backward.
    option.stay = (time + option.forward) / 2;
    option.weights = time - option.stay;
    option.handedOn =
        (option.total + static_cast<double>(count) * option.forward) / 2;
    int64_t most = samplesOfRow(run, tensor, times[slow].second, place);
    if (place.node) {
      // So many rows or more.
      int64_t rows = (bounds.largest + most - 1) / most;
      option.once = onceInNode(run, *place.node, tensor, rows);
      if (rows == 1 && place.node->size() > tensor)
        option.once = {0,
                       std::min(option.once.end,
                                onceInNode(run, *place.node, tensor, 2).end)};
      if (network.numNodes > 1 && place.node->out > 0)
        option.crossing = price / whole * crossingBytes / place.node->out;
    } else {
      option.isAcross = true;
      option.once =
          onceAcross(run, place.bandwidth,
                     nodesFor(run, tensor, times[slow].second, place));
    }
    addWithMemory(run, tensor, place, option, list);
  }
}

/// Whether an option is not much worse in anything than another one that costs
/// at least as much.
bool PriceRelaxation::coversAlmost(const StageOption &option,
                                   const StageOption &other) const {
  constexpr double share = 1.01;
  double little = 0.001 * shortest;
  auto isBelow = [&](double left, double right) {
    return left <= right * share + little;
  };
  return option.total <= other.total * share &&
         option.stay <= other.stay * share &&
         option.handedOn <= other.handedOn * share &&
         option.forward <= other.forward * share &&
         (option.isAcross || !other.isAcross) &&
         isBelow(option.once.end, other.once.end) &&
         isBelow(option.once.gather, other.once.gather) &&
         option.crossing <= other.crossing * share &&
         option.kept <= other.kept * share &&
         option.room * share >= other.room &&
         option.bytePrice <= other.bytePrice * share;
}

void PriceRelaxation::takeBest(StageOption &option, const StageOption &other) {
  auto lower = [](double &left, double right) { left = std::min(left, right); };
  lower(option.total, other.total);
  lower(option.stay, other.stay);
  lower(option.weights, other.weights);
  lower(option.handedOn, other.handedOn);
  lower(option.forward, other.forward);
  lower(option.once.end, other.once.end);
  lower(option.once.gather, other.once.gather);
  lower(option.crossing, other.crossing);
  lower(option.kept, other.kept);
  lower(option.bytePrice, other.bytePrice);
  option.room = std::max(option.room, other.room);
}

const std::vector<PriceRelaxation::StageOption> &
PriceRelaxation::options(size_t run) {
  std::vector<StageOption> &result = known[run];
  if (isKnown[run])
    return result;
  isKnown[run] = true;
  std::vector<StagePlaceBound> places;
  for (const NodeKind &node : network.nodes)
    places.push_back({&node, 0, node.counts});
  std::vector<double> levels(network.outOfClass);
  sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  // The slowest node of a stage has one of these bandwidths at best.
  for (double level : levels) {
    StagePlaceBound place = {nullptr, level, {}};
    for (auto [entry, out] : zip_equal(bounds.classes, network.outOfClass))
      place.counts.push_back(out >= level ? entry.count : 0);
    if (network.numNodes > 1)
      places.push_back(std::move(place));
  }
  std::vector<StageOption> list;
  for (int64_t tensor : runs.degrees[run]) {
    std::vector<std::pair<double, double>> times =
        findTimes(run, tensor, /*forwardOnly=*/false);
    std::vector<std::pair<double, double>> forwards =
        findTimes(run, tensor, /*forwardOnly=*/true);
    if (times.empty())
      continue;
    for (const StagePlaceBound &place : places)
      addOptions(run, tensor, place, times, forwards, list);
  }
  // Those that are not worse in everything than another one.
  sort(list, [](const StageOption &left, const StageOption &right) {
    return std::tie(left.price, left.total, left.once.end, left.kept) <
           std::tie(right.price, right.total, right.once.end, right.kept);
  });
  // Those that differ little become one that is as good as all of them in
  // everything.
  std::vector<StageOption> originals;
  for (const StageOption &option : list) {
    size_t at = 0;
    while (at < result.size() && !coversAlmost(originals[at], option))
      ++at;
    if (at == result.size()) {
      result.push_back(option);
      originals.push_back(option);
    } else {
      takeBest(result[at], option);
    }
  }
  for (StageOption &option : result) {
    double free = std::min(option.room, option.price / option.bytePrice);
    option.freeInFlight = std::floor((free - option.state) / option.kept);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The dynamic program
//===----------------------------------------------------------------------===//

/// What the layers before one cost if no stage had to wait for its first
/// microbatch and one microbatch were in flight.
std::vector<double> PriceRelaxation::findFront(double time) {
  std::vector<double> front(numLayers() + 1, infinity);
  front[0] = 0;
  for (int64_t last = 1; last <= numLayers(); ++last)
    for (int64_t first = 0; first < last; ++first)
      for (const StageOption &option : options(runs.find(first, last))) {
        if (option.price + front[first] >= front[last])
          break;
        double bytes = option.state + option.kept;
        if (option.once.gather + option.total + option.once.end <= time &&
            bytes <= option.room)
          front[last] = std::min(
              front[last],
              front[first] + std::max(option.price, bytes * option.bytePrice));
      }
  return front;
}

PriceRelaxation::LabelCells::LabelCells(const Resolution &resolution,
                                        double time)
    : resolution(resolution), time(time),
      cells((resolution.late + resolution.later + 1) * (resolution.stay + 1)) {}

/// Puts a label with those whose times differ little from its own: they become
/// one that is as good as all of them.
void PriceRelaxation::LabelCells::add(const Label &label) {
  auto cellOf = [&](double value, int64_t number) {
    return int64_t(std::clamp(2 * value / time, 0.0, 1.0) *
                   static_cast<double>(number));
  };
  int64_t late = cellOf(label.lateAfter, resolution.late) +
                 cellOf(label.lateAfter - time / 2, resolution.later);
  Label &cell = cells[late * (resolution.stay + 1) +
                      cellOf(label.stays, resolution.stay)];
  if (cell.price == infinity) {
    cell = label;
    return;
  }
  cell.price = std::min(cell.price, label.price);
  cell.late = std::max(cell.late, label.late);
  cell.lateAfter = std::max(cell.lateAfter, label.lateAfter);
  cell.stays = std::min(cell.stays, label.stays);
  cell.crossings = std::min(cell.crossings, label.crossings);
  cell.back = std::min(cell.back, label.back);
}

/// Those that are not worse than another one, the cheapest first.
std::vector<PriceRelaxation::Label> PriceRelaxation::LabelCells::take() const {
  std::vector<Label> kept;
  for (const Label &label : reverse(cells))
    if (label.price < infinity &&
        none_of(
            kept,
            [&](const Label &other) {
              return other.price <= label.price && other.late >= label.late &&
                     other.lateAfter >= label.lateAfter &&
                     other.stays <= label.stays &&
                     other.crossings <= label.crossings &&
                     other.back <= label.back;
            }))
      kept.push_back(label);
  sort(kept, [](const Label &left, const Label &right) {
    return std::tie(left.price, left.stays, left.late, left.lateAfter) <
           std::tie(right.price, right.stays, right.late, right.lateAfter);
  });
  return kept;
}

/// The label of the stages from `option` on, if there can be such stages.
std::optional<PriceRelaxation::Label>
PriceRelaxation::extend(const Label &after, const StageOption &option,
                        bool isLast, double time, double most) const {
  double window = time - option.once.end;
  double step = option.forward + network.latency;
  Label label;
  label.back = option.handedOn;
  if (!isLast)
    label.back = std::max(label.back, step + after.back + network.latency +
                                          option.stay - option.forward);
  double own = window - std::max(option.total, label.back + option.weights);
  label.late = std::min(own, after.late - step);
  label.lateAfter =
      std::min(own + slowestCrossing, after.lateAfter - step - option.crossing);
  if (label.late < 0 || label.lateAfter < 0)
    return std::nullopt;
  label.stays = after.stays + option.stay;
  label.crossings = after.crossings;
  if (!isLast) {
    label.stays += 2 * network.latency;
    label.crossings += option.crossing;
  }
  label.price = after.price + option.price;
  double stay = label.stays + option.weights +
                std::max(0.0, label.crossings - slowestCrossing) * bothWays;
  // How many are in flight is of no interest if more of them cost nothing.
  auto number = static_cast<double>(count);
  if (number * stay > option.freeInFlight * window) {
    double inFlight =
        std::min(number, std::ceil(number * stay / window * (1 - 1e-9)));
    double bytes = option.state + std::max(1.0, inFlight) * option.kept;
    label.price =
        after.price + std::max(option.price, bytes * option.bytePrice);
    if (bytes > option.room)
      return std::nullopt;
  }
  if (label.price > most)
    return std::nullopt;
  return label;
}

bool PriceRelaxation::excludes(double time) {
  std::vector<double> front = findFront(time);
  if (front.back() > all)
    return true;
  // Of the stages from each layer on.
  std::vector<std::vector<Label>> labels(numLayers() + 1);
  labels.back().push_back({0, infinity, infinity, 0, 0, 0});
  for (int64_t first = numLayers() - 1; first >= 0; --first) {
    LabelCells cells(resolution, time);
    double most = all - front[first];
    for (int64_t last = first + 1; last <= numLayers(); ++last) {
      if (labels[last].empty())
        continue;
      for (const StageOption &option : options(runs.find(first, last))) {
        if (option.price + labels[last].front().price > most)
          break;
        if (option.once.gather + option.total + option.once.end > time)
          continue;
        for (const Label &after : labels[last]) {
          if (option.price + after.price > most)
            break;
          ++steps;
          if (after.late < option.forward)
            continue;
          std::optional<Label> label =
              extend(after, option, last == numLayers(), time, most);
          if (!label)
            continue;
          if (first == 0)
            return false;
          cells.add(*label);
        }
      }
    }
    labels[first] = cells.take();
  }
  return true;
}

/// What looking for better prices may take, in options that are tried.
static constexpr int64_t mostSteps = 2500000;

std::vector<double> PriceRelaxation::improvePrices(double low, double high) {
  // One class more or less dear, as long as that helps.
  std::vector<double> best;
  for (double step : {0.06, 0.2, 0.03, 0.015}) {
    bool helps = true;
    for (int round = 0; helps && round < 4; ++round) {
      helps = false;
      for (size_t index = 0; index < bounds.classes.size(); ++index)
        for (double factor : {1 + step, 1 / (1 + step)}) {
          double aim = low * (1 + 1.5 * precision);
          if (aim >= high || steps > mostSteps)
            return best;
          std::vector<double> before = prices, changed = prices;
          changed[index] *= factor;
          setPrices(std::move(changed));
          if (excludes(aim)) {
            low = raise(aim, high);
            best = prices;
            helps = true;
            break;
          }
          setPrices(std::move(before));
        }
    }
  }
  return best;
}
