//===- RelaxationOptions.cpp - Ways to do a run of layers -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Relaxation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Prices by speed.
static std::vector<double> pricesBySpeed(StageBounds &bounds) {
  std::vector<double> prices;
  size_t whole = bounds.runs.find(0, bounds.runs.numLayers);
  prices.reserve(bounds.classes.size());
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

Relaxation::Relaxation(const StageModel &model, const LayerRuns &runs,
                       ArrayRef<ClassCount> classes,
                       ArrayRef<int64_t> microbatches,
                       const NetworkBounds &network, double longest,
                       std::vector<double> prices, RowTimes &times)
    : bounds(model, runs, classes, *max_element(microbatches),
             *min_element(microbatches), times),
      runs(runs), network(network), count(microbatches.size()),
      numLarge(llvm::count(microbatches, bounds.largest)), longest(longest),
      shortest(workBound(bounds)) {
  findPlaces();
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

void Relaxation::findPlaces() {
  for (const NodeKind &node : network.nodes)
    places.push_back({&node, 0, node.counts});
  std::vector<double> levels(network.outOfClass);
  sort(levels);
  levels.erase(llvm::unique(levels), levels.end());
  // The slowest node of a stage has one of these bandwidths at best.
  for (double level : levels) {
    StagePlaceBound place = {nullptr, level, {}};
    for (auto [entry, out] : zip_equal(bounds.classes, network.outOfClass))
      place.counts.push_back(out >= level ? entry.count : 0);
    if (network.numNodes > 1)
      places.push_back(std::move(place));
  }
}

void Relaxation::setPrices(std::vector<double> given) {
  prices = std::move(given);
  all = 0;
  for (auto [cost, entry] : zip_equal(prices, bounds.classes))
    all += cost * static_cast<double>(entry.count);
  all *= 1 + 1e-9;
  known.assign(runs.size(), std::nullopt);
  covers.clear();
}

/// Up to `fewTimes` times of a row are groups of their own; of more, those that
/// differ by less than the share `togetherWithin` become one group.
static constexpr size_t fewTimes = 16;
static constexpr double togetherWithin = 0.02;

Relaxation::TimeGroups Relaxation::findTimes(size_t run, int64_t tensor,
                                             bool forwardOnly) {
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
  times.erase(llvm::unique(times), times.end());
  TimeGroups groups;
  for (double time : times)
    if (times.size() > fewTimes && !groups.times.empty() &&
        time <= groups.times.back().first * (1 + togetherWithin))
      groups.times.back().second = time;
    else
      groups.times.emplace_back(time, time);
  for (auto [choice, row] : enumerate(bounds.rowChoices())) {
    if (row.tensor != tensor || !bounds.isAllowed(run, choice))
      continue;
    groups.classes.push_back(row.index);
    for (auto [first, last] : groups.times)
      groups.covered.push_back(
          bounds.samplesWithin(run, choice, last, forwardOnly));
  }
  return groups;
}

namespace {
/// Rows of one kind: how many samples each covers, what it costs, and how many
/// there are.
struct CoverRow {
  int64_t covered = 0;
  double cost = 0;
  int64_t number = 0;
};
} // namespace

/// Up to this number of samples, a table finds how whole rows of three and more
/// kinds cover them; beyond it fractions of rows count, which is never dearer.
static constexpr int64_t mostWhole = 64;

/// The least price of rows that cover the samples, infinite if there are not
/// enough. For up to two kinds of rows each number of the first is tried.
static double leastCover(ArrayRef<CoverRow> rows, int64_t samples) {
  int64_t together = 0;
  double cheapest = infinity;
  for (const CoverRow &row : rows) {
    together += row.number * row.covered;
    cheapest = std::min(cheapest, row.cost / static_cast<double>(row.covered));
  }
  if (together < samples)
    return infinity;
  if (rows.size() <= 2) {
    const CoverRow &first = rows.front(), &last = rows.back();
    double least = infinity;
    int64_t most =
        std::min(first.number, int64_t(divideCeil(samples, first.covered)));
    for (int64_t number = rows.size() == 1 ? most : 0; number <= most;
         ++number) {
      int64_t left = std::max<int64_t>(0, samples - number * first.covered);
      int64_t others = divideCeil(left, last.covered);
      if (others <= last.number)
        least = std::min(least, static_cast<double>(number) * first.cost +
                                    static_cast<double>(others) * last.cost);
    }
    return least;
  }
  if (samples > mostWhole)
    return cheapest * static_cast<double>(samples);
  SmallVector<double, mostWhole + 1> least(samples + 1, infinity);
  least[0] = 0;
  for (int64_t left = 1; left <= samples; ++left)
    for (const CoverRow &row : rows)
      least[left] =
          std::min(least[left],
                   row.cost + least[std::max<int64_t>(0, left - row.covered)]);
  return least.back();
}

/// For each group of times the least price of rows of the degree that divide
/// that many samples within its last.
std::vector<double> Relaxation::cover(const TimeGroups &groups, int64_t tensor,
                                      int64_t samples,
                                      const StagePlaceBound &place) const {
  std::vector<double> result;
  for (size_t group = 0; group < groups.times.size(); ++group) {
    SmallVector<CoverRow, 8> rows;
    for (auto [number, index] : enumerate(groups.classes)) {
      int64_t covered = std::min(
          samples, groups.covered[number * groups.times.size() + group]);
      if (covered > 0 && place.counts[index] >= tensor)
        rows.push_back({covered, prices[index] * static_cast<double>(tensor),
                        place.counts[index] / tensor});
    }
    result.push_back(leastCover(rows, samples));
  }
  return result;
}

// Gradients are summed in two passes at the end, or parameters are gathered in
// one pass at the start (or at the end) and gradients summed in one.
OnceBound Relaxation::onceInNode(size_t run, const NodeKind &node,
                                 int64_t tensor, int64_t rows) {
  OnceBound once;
  const ColumnState &state = runs.states[run];
  if (rows > 1 && !network.isMeasured) {
    double part = (1 - 1 / static_cast<double>(rows)) /
                  static_cast<double>(tensor) / node.inside;
    once.end = part * static_cast<double>(state.gradients.count());
    once.gather = std::min(
        once.end, part * static_cast<double>(state.parameters.count()));
  }
  // Each device does its part of the update, at best.
  once.end += bounds.updateTime(run) /
              static_cast<double>(rows > 1 ? node.size() : tensor);
  return once;
}

OnceBound Relaxation::onceAcross(size_t run, double bandwidth,
                                 int64_t numNodes) const {
  if (network.isMeasured)
    return {};
  const ColumnState &state = runs.states[run];
  double part = (1 - 1 / static_cast<double>(numNodes)) / bandwidth;
  double reduce = part * static_cast<double>(state.gradients.count());
  return {
      std::min(reduce, part * static_cast<double>(state.parameters.count())),
      reduce};
}

/// In how many nodes what is dearest can be done at least. One of them has no
/// more than the bandwidth of the place.
int64_t Relaxation::nodesFor(int64_t tensor, const DearestCover &dearest,
                             const StagePlaceBound &place) const {
  int64_t most = 1, slow = 1;
  for (const NodeKind &node : network.nodes) {
    int64_t samples = 0;
    for (auto [index, covered] : enumerate(dearest.covered))
      if (place.counts[index] >= tensor)
        samples += node.counts[index] / tensor * covered;
    most = std::max(most, samples);
    if (node.out <= place.bandwidth)
      slow = std::max(slow, samples);
  }
  int64_t left = std::max<int64_t>(1, samplesOf(dearest.kind) - slow);
  return 1 + int64_t(divideCeil(left, most));
}

/// Adds the option twice where its memory allows: keeping what the layers save,
/// and keeping their inputs and computing the forward again.
void Relaxation::addWithMemory(size_t run, int64_t tensor,
                               const StagePlaceBound &place, bool isLayered,
                               RelaxedStage option,
                               std::vector<RelaxedStage> &list) {
  const ColumnState &state = runs.states[run];
  // Parameters that are divided are gathered; the optimizer state may be
  // divided. If layers come and go, the gradients of one are there.
  auto own = static_cast<double>(state.parameters.count() +
                                 state.gradients.count() * (count > 1 ? 2 : 1));
  option.state = static_cast<double>(state.optimizer.count());
  if (isLayered) {
    own = runs.mostGradients * (count > 1 ? 2 : 1);
    option.state += static_cast<double>(state.parameters.count());
  }
  own /= static_cast<double>(tensor);
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
  // All microbatches are in flight if layers come and go.
  auto samples = static_cast<double>(isLayered ? bounds.model.problem.batch
                                               : bounds.smallest);
  option.kept = runs.saved[run] * samples;
  double kept = option.kept;
  list.push_back(option);
  option.kept = runs.inputs[run] * samples * static_cast<double>(tensor);
  double share = bounds.forwardShare(runs.units[run].first);
  double again = std::max(option.total * share,
                          static_cast<double>(count) * option.forward);
  option.handedOn += again;
  option.total += again;
  option.stay += option.forward;
  if (option.kept < kept)
    list.push_back(option);
}

/// The covers of a place and degree for the layer that a run repeats.
const Relaxation::PlaceCovers &
Relaxation::findCovers(size_t unit, int64_t tensor, size_t place) {
  auto [known, isNewTime] = timeGroups.try_emplace({unit, tensor});
  if (isNewTime)
    known->second = {findTimes(unit, tensor, /*forwardOnly=*/false),
                     findTimes(unit, tensor, /*forwardOnly=*/true)};
  auto [entry, isNew] = covers.try_emplace({unit, tensor, place});
  PlaceCovers &result = entry->second;
  if (!isNew)
    return result;
  const StagePlaceBound &where = places[place];
  result.groups = &known->second.first;
  result.forwards = &known->second.second;
  result.forward = cover(*result.forwards, tensor, bounds.smallest, where);
  result.large = cover(*result.groups, tensor, bounds.largest, where);
  result.small = bounds.smallest == bounds.largest
                     ? result.large
                     : cover(*result.groups, tensor, bounds.smallest, where);
  return result;
}

/// The first of a list that falls with a price not above another one, and the
/// last with that price or a higher one.
static size_t firstWithin(ArrayRef<double> list, double price) {
  return partition_point(list, [&](double other) { return other > price; }) -
         list.begin();
}
static size_t lastNotWithin(ArrayRef<double> list, double price) {
  return partition_point(list, [&](double other) { return other >= price; }) -
         list.begin() - 1;
}

/// Devices at a place have some price, and do the largest and the smallest
/// microbatch and the forward of that in some times. One of the three is the
/// dearest: it is what the devices have to be able to do, and the others are
/// done as fast as that price allows.
void Relaxation::addOptions(size_t run, int64_t tensor, size_t place,
                            std::vector<RelaxedStage> &list) {
  const PlaceCovers &found = findCovers(runs.units[run].first, tensor, place);
  if (found.groups->times.empty())
    return;
  auto add = [&](ArrayRef<double> covers, const TimeGroups &groups,
                 CoverKind kind) {
    double before = infinity;
    for (double price : covers) {
      if (price > all || price == before || price < found.large.back())
        continue;
      before = price;
      // The slowest of those with the price: it has fewest devices.
      size_t group = lastNotWithin(covers, price);
      DearestCover dearest{kind, price, {}};
      dearest.covered.resize(prices.size(), 0);
      for (auto [number, index] : enumerate(groups.classes))
        dearest.covered[index] =
            groups.covered[number * groups.times.size() + group];
      addOption(run, tensor, places[place], found, dearest, list);
    }
  };
  add(found.large, *found.groups, CoverKind::Large);
  if (bounds.smallest < bounds.largest)
    add(found.small, *found.groups, CoverKind::Small);
  add(found.forward, *found.forwards, CoverKind::Forward);
}

void Relaxation::addOption(size_t run, int64_t tensor,
                           const StagePlaceBound &place,
                           const PlaceCovers &found,
                           const DearestCover &dearest,
                           std::vector<RelaxedStage> &list) {
  auto [unit, length] = runs.units[run];
  auto scale = static_cast<double>(length);
  ArrayRef<std::pair<double, double>> times = found.groups->times;
  ArrayRef<std::pair<double, double>> forwards = found.forwards->times;
  RelaxedStage option;
  option.price = dearest.price;
  size_t slow = firstWithin(found.large, option.price);
  size_t fast = firstWithin(found.small, option.price);
  // What is not the dearest costs less.
  if (dearest.kind != CoverKind::Large)
    slow = lastNotWithin(found.large, option.price) + 1;
  if (slow == times.size() || fast == times.size())
    return;
  double time = scale * times[fast].first;
  option.total = static_cast<double>(numLarge) * scale * times[slow].first +
                 static_cast<double>(count - numLarge) * time;
  if (option.total > longest)
    return;
  // The devices that the price buys have to do the forward as well.
  size_t quick = firstWithin(found.forward, option.price);
  option.forward = bounds.forwardShare(unit) * time;
  if (quick < forwards.size())
    option.forward = std::max(option.forward, scale * forwards[quick].first);
  // Gradients of weights are at most half of the backward.
  option.stay = (time + option.forward) / 2;
  option.weights = time - option.stay;
  option.handedOn =
      (option.total + static_cast<double>(count) * option.forward) / 2;
  if (place.node) {
    setInNode(run, tensor, *place.node, dearest, option);
  } else {
    option.isAcross = true;
    option.once =
        onceAcross(run, place.bandwidth, nodesFor(tensor, dearest, place));
    // Each device does its part of the update, at best.
    option.once.end +=
        bounds.updateTime(run) / static_cast<double>(sum_of(place.counts));
  }
  addWithMemory(run, tensor, place, /*isLayered=*/false, option, list);
  if (run != runs.find(0, numLayers()))
    return;
  setLayered(place, option);
  addWithMemory(run, tensor, place, /*isLayered=*/true, option, list);
}

/// One stage may gather and reduce some layers while it computes others, but
/// not the first, and reduces nothing before all forwards are done. Parameters
/// are gathered at least once and gradients summed once; or parameters are
/// divided inside of nodes, and gradients between nodes summed twice.
void Relaxation::setLayered(const StagePlaceBound &place,
                            RelaxedStage &option) const {
  const ColumnState &first = runs.states[runs.find(0, 1)];
  const ColumnState &whole = runs.states[runs.find(0, numLayers())];
  auto share = [](Bytes part, Bytes of) {
    return static_cast<double>(part.count()) /
           static_cast<double>(std::max<int64_t>(1, of.count()));
  };
  double all = 2 * option.once.gather;
  double forwards = static_cast<double>(count) * option.forward;
  double reductions = option.once.end;
  option.once.gather *=
      place.node ? share(first.parameters, whole.parameters) : 0;
  option.once.end *= share(first.gradients, whole.gradients);
  option.total =
      std::max({option.total, all - option.once.gather - option.once.end,
                forwards + reductions - option.once.end});
}

void Relaxation::setInNode(size_t run, int64_t tensor, const NodeKind &node,
                           const DearestCover &dearest, RelaxedStage &option) {
  int64_t most = 1;
  for (auto [number, covered] : zip_equal(node.counts, dearest.covered))
    if (number >= tensor)
      most = std::max(most, covered);
  // A stage with the price has this number of rows, or more.
  int64_t rows = divideCeil(samplesOf(dearest.kind), most);
  option.once = onceInNode(run, node, tensor, rows);
  if (rows == 1 && node.size() > tensor)
    option.once = {
        0, std::min(option.once.end, onceInNode(run, node, tensor, 2).end)};
  double whole = 0;
  for (auto [number, cost] : zip_equal(node.counts, prices))
    whole += static_cast<double>(number) * cost;
  if (network.numNodes > 1 && node.out > 0)
    option.crossing = option.price / whole * crossingBytes / node.out;
}

/// Whether an option is not much worse in anything than another one that costs
/// at least as much.
bool Relaxation::coversAlmost(const RelaxedStage &option,
                              const RelaxedStage &other) const {
  // Options that differ by up to a hundredth become one.
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
         option.state <= other.state * share &&
         option.kept <= other.kept * share &&
         option.room * share >= other.room &&
         option.bytePrice <= other.bytePrice * share;
}

void Relaxation::takeBest(RelaxedStage &option, const RelaxedStage &other) {
  auto lower = [](double &left, double right) { left = std::min(left, right); };
  lower(option.total, other.total);
  lower(option.stay, other.stay);
  lower(option.weights, other.weights);
  lower(option.handedOn, other.handedOn);
  lower(option.forward, other.forward);
  lower(option.once.end, other.once.end);
  lower(option.once.gather, other.once.gather);
  lower(option.crossing, other.crossing);
  lower(option.state, other.state);
  lower(option.kept, other.kept);
  lower(option.bytePrice, other.bytePrice);
  option.room = std::max(option.room, other.room);
}

const std::vector<Relaxation::RelaxedStage> &Relaxation::options(size_t run) {
  if (known[run])
    return *known[run];
  std::vector<RelaxedStage> &result = known[run].emplace();
  std::vector<RelaxedStage> list;
  for (int64_t tensor : runs.degrees[run])
    for (size_t place = 0; place < places.size(); ++place)
      addOptions(run, tensor, place, list);
  // Those that are not worse in everything than another one.
  sort(list, [](const RelaxedStage &left, const RelaxedStage &right) {
    return std::tie(left.price, left.total, left.once.end, left.kept) <
           std::tie(right.price, right.total, right.once.end, right.kept);
  });
  // Those that differ little become one that is as good as all of them in
  // everything.
  std::vector<RelaxedStage> originals;
  for (const RelaxedStage &option : list) {
    // The dearest of those that it can be put with differs least from it.
    size_t at = result.size();
    while (at > 0 && !coversAlmost(originals[at - 1], option))
      --at;
    if (at == 0) {
      result.push_back(option);
      originals.push_back(option);
    } else {
      takeBest(result[at - 1], option);
    }
  }
  for (RelaxedStage &option : result) {
    double free = std::min(option.room, option.price / option.bytePrice);
    option.freeInFlight = std::floor((free - option.state) / option.kept);
  }
  return result;
}
