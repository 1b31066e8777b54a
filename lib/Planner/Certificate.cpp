//===- Certificate.cpp - How good a plan can be at best -------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Planner/Certificate.h"
#include "PlanBuilder.h"
#include "StageBounds.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// What the network gives at best.
struct LinkBounds {
  double latency = infinity, bandwidth = 0;
  double numDevices = 0;
};

/// Decides for one way to cut the batch whether a time can be excluded.
class Relaxation {
public:
  Relaxation(const StageModel &model, const LayerRuns &runs,
             ArrayRef<ClassCount> classes, ArrayRef<int64_t> microbatches,
             const LinkBounds &links)
      : bounds(model, runs, classes, *max_element(microbatches),
               *min_element(microbatches)),
        runs(runs), links(links), count(microbatches.size()),
        numLarge(llvm::count(microbatches, bounds.largest)) {}
  virtual ~Relaxation() = default;

  /// Whether no plan takes `time` or less.
  virtual bool excludes(double time) = 0;

protected:
  int64_t numLayers() const { return runs.numLayers; }
  /// The least time to hand on what leaves the layer before `cut`, from so many
  /// devices.
  double crossing(int64_t cut, double senders) const;

  StageBounds bounds;
  const LayerRuns &runs;
  const LinkBounds &links;
  int64_t count, numLarge;
};

/// For few devices: the least sum of forwards and crossings by layer and number
/// of devices of each class that are used.
class CountRelaxation : public Relaxation {
public:
  using Relaxation::Relaxation;
  bool excludes(double time) override;

  /// In how many ways devices can be taken.
  static int64_t numStates(ArrayRef<ClassCount> classes);

private:
  struct StageBound {
    /// All microbatches (not computed if negative), the forward of the
    /// smallest, the reduction of the gradients, and what of it the last
    /// backward does not cover.
    double total = -1, forward = 0, reduce = 0, exposed = 0;
  };

  void findStates();
  const StageBound &stage(size_t run, size_t state);
  double reduction(size_t run, ArrayRef<int64_t> counts) const;
  bool fitsMemory(size_t run, ArrayRef<int64_t> counts) const;

  /// All numbers of devices, and for each state what can be added to it.
  std::vector<std::vector<int64_t>> states;
  std::vector<std::vector<std::pair<size_t, size_t>>> additions;
  std::vector<StageBound> cache;
};

/// For many devices: the least price by layer and sum of forwards and
/// crossings.
class PriceRelaxation : public Relaxation {
public:
  using Relaxation::Relaxation;
  bool excludes(double time) override;

private:
  bool excludes(double time, ArrayRef<double> prices);
  /// The least price of devices that divide a microbatch within `period`.
  double price(size_t run, double period, ArrayRef<double> prices);
};
} // namespace

//===----------------------------------------------------------------------===//
// Common parts
//===----------------------------------------------------------------------===//

double Relaxation::crossing(int64_t cut, double senders) const {
  const Layer &layer = bounds.model.problem.layers[cut - 1];
  double bytes = static_cast<double>(layer.output.perSample.count()) *
                 static_cast<double>(bounds.smallest);
  return links.latency + bytes / (links.bandwidth * senders);
}

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
static double workBound(StageBounds &bounds) {
  std::vector<double> prices = pricesBySpeed(bounds);
  double all = 0;
  for (auto [price, entry] : zip_equal(prices, bounds.classes))
    all += price * static_cast<double>(entry.count);
  return workPrices(bounds, prices).front() *
         static_cast<double>(bounds.model.problem.batch) / all;
}

//===----------------------------------------------------------------------===//
// Few devices
//===----------------------------------------------------------------------===//

int64_t CountRelaxation::numStates(ArrayRef<ClassCount> classes) {
  int64_t product = 1;
  for (const ClassCount &entry : classes)
    product = std::min<int64_t>(1 << 20, product * (entry.count + 1));
  return product;
}

void CountRelaxation::findStates() {
  std::vector<int64_t> counts(bounds.classes.size(), 0);
  std::map<std::vector<int64_t>, size_t> indices;
  for (;;) {
    indices[counts] = states.size();
    states.push_back(counts);
    size_t at = 0;
    while (at < counts.size() && counts[at] == bounds.classes[at].count)
      counts[at++] = 0;
    if (at == counts.size())
      break;
    ++counts[at];
  }
  additions.resize(states.size());
  for (size_t from = 0; from < states.size(); ++from)
    for (size_t added = 1; added < states.size(); ++added) {
      std::vector<int64_t> sum = states[from];
      bool isPossible = true;
      for (size_t index = 0; index < sum.size(); ++index) {
        sum[index] += states[added][index];
        isPossible &= sum[index] <= bounds.classes[index].count;
      }
      if (isPossible)
        additions[from].push_back({added, indices[sum]});
    }
  cache.resize(states.size() * runs.size());
}

/// The gradients of the parameters are summed over the rows after the last
/// backward began, unless all devices are one row.
double CountRelaxation::reduction(size_t run, ArrayRef<int64_t> counts) const {
  int64_t devices = 0;
  for (int64_t number : counts)
    devices += number;
  int64_t parts = runs.mostParts(run);
  if (devices <= parts)
    return 0;
  auto gradients = static_cast<double>(runs.states[run].gradients.count());
  double least = infinity;
  for (int64_t tensor = 1; tensor <= parts && 2 * tensor <= devices; ++tensor) {
    double rows = static_cast<double>(devices / tensor);
    least = std::min(least, (rows - 1) / rows * gradients /
                                static_cast<double>(tensor) / links.bandwidth);
  }
  return least == infinity ? 0 : least;
}

/// One copy of the state must be somewhere, and gradients everywhere.
bool CountRelaxation::fitsMemory(size_t run, ArrayRef<int64_t> counts) const {
  const ColumnState &state = runs.states[run];
  double gradients = static_cast<double>(state.gradients.count()) /
                     static_cast<double>(runs.mostParts(run)) *
                     (count > 1 ? 2 : 1);
  double room = 0;
  for (auto [number, entry] : zip_equal(counts, bounds.classes)) {
    double usable = static_cast<double>(
        bounds.model.cluster.classes[entry.deviceClass].usableMemory().count());
    if (number > 0 && usable < gradients)
      return false;
    room += static_cast<double>(number) * (usable - gradients);
  }
  return room >= static_cast<double>(state.total().count());
}

const CountRelaxation::StageBound &CountRelaxation::stage(size_t run,
                                                          size_t state) {
  StageBound &result = cache[run * states.size() + state];
  if (result.total >= 0)
    return result;
  ArrayRef<int64_t> counts = states[state];
  if (!fitsMemory(run, counts)) {
    result.total = infinity;
    return result;
  }
  double large = bounds.makespan(run, counts, bounds.largest, false);
  double small = bounds.smallest == bounds.largest
                     ? large
                     : bounds.makespan(run, counts, bounds.smallest, false);
  result.total = static_cast<double>(numLarge) * large +
                 static_cast<double>(count - numLarge) * small;
  result.forward = bounds.makespan(run, counts, bounds.smallest, true);
  // The last backward is not longer than forward and backward of the largest.
  result.reduce = reduction(run, counts);
  result.exposed = result.reduce - large;
  return result;
}

bool CountRelaxation::excludes(double time) {
  if (states.empty())
    findStates();
  std::vector<double> least((numLayers() + 1) * states.size(), infinity);
  least[0] = 0;
  for (int64_t first = 0; first < numLayers(); ++first)
    for (size_t from = 0; from < states.size(); ++from) {
      double before = least[first * states.size() + from];
      if (before > time)
        continue;
      for (auto [added, to] : additions[from]) {
        double senders = 0;
        for (int64_t number : states[added])
          senders += static_cast<double>(number);
        for (int64_t last = first + 1; last <= numLayers(); ++last) {
          const StageBound &bound = stage(runs.find(first, last), added);
          // More layers take longer and need more memory.
          if (before + bound.total > time)
            break;
          // A single stage may reduce a part of its layers beside the others.
          bool isAll = first == 0 && last == numLayers();
          if (isAll ? bound.reduce > time
                    : before + bound.total + bound.exposed > time)
            continue;
          double after = before;
          if (last < numLayers())
            after += bound.forward + crossing(last, senders);
          double &slot = least[last * states.size() + to];
          slot = std::min(slot, after);
        }
      }
    }
  for (size_t state = 0; state < states.size(); ++state)
    if (least[numLayers() * states.size() + state] <= time)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Many devices
//===----------------------------------------------------------------------===//

double PriceRelaxation::price(size_t run, double period,
                              ArrayRef<double> prices) {
  // Rows cover whole samples: the cheapest cover if there are few samples, else
  // as many rows as it takes, also fractions.
  SmallVector<std::pair<int64_t, double>, 16> rows;
  double samples = static_cast<double>(bounds.smallest), cheapest = infinity;
  for (auto [choice, row] : enumerate(bounds.rowChoices())) {
    if (!bounds.isAllowed(run, choice))
      continue;
    int64_t covered =
        std::min(bounds.smallest, bounds.samplesWithin(run, choice, period));
    if (covered == 0)
      continue;
    double cost = prices[row.index] * static_cast<double>(row.tensor);
    rows.push_back({covered, cost});
    cheapest = std::min(cheapest, cost / static_cast<double>(covered));
  }
  if (rows.empty())
    return infinity;
  double result = cheapest * samples;
  if (bounds.smallest <= 256) {
    std::vector<double> least(bounds.smallest + 1, infinity);
    least[0] = 0;
    for (int64_t left = 1; left <= bounds.smallest; ++left)
      for (auto [covered, cost] : rows)
        least[left] = std::min(
            least[left], cost + least[std::max<int64_t>(0, left - covered)]);
    result = least.back();
  }
  // One copy of the state must be somewhere.
  double memory = infinity;
  for (auto [cost, entry] : zip_equal(prices, bounds.classes))
    memory = std::min(memory,
                      cost / static_cast<double>(
                                 bounds.model.cluster.classes[entry.deviceClass]
                                     .usableMemory()
                                     .count()));
  memory *= static_cast<double>(runs.states[run].total().count());
  return std::max(result, memory);
}

bool PriceRelaxation::excludes(double time, ArrayRef<double> prices) {
  double all = 0;
  for (auto [cost, entry] : zip_equal(prices, bounds.classes))
    all += cost * static_cast<double>(entry.count);
  // Stages take between one of these periods and the one before.
  static constexpr double periods[] = {1,    0.99, 0.98, 0.97, 0.96, 0.94,
                                       0.92, 0.9,  0.87, 0.83, 0.78, 0.72,
                                       0.65, 0.55, 0.42, 0.3,  0.2,  0.1};
  constexpr size_t numPeriods = std::size(periods);
  constexpr int64_t numCells = 400;
  double longest = time / static_cast<double>(count);
  double cell = time / numCells;
  std::vector<double> costs(runs.size() * numPeriods, -1);
  std::vector<double> shares(runs.size(), -1);
  std::vector<double> least((numLayers() + 1) * numCells, infinity);
  least[0] = 0;
  double handOn = links.latency;
  std::vector<double> rest = workPrices(bounds, prices);
  for (double &work : rest)
    work *= static_cast<double>(bounds.smallest) / longest;
  for (int64_t first = 0; first < numLayers(); ++first)
    for (int64_t filled = 0; filled < numCells; ++filled) {
      double before = least[first * numCells + filled];
      if (before + rest[first] > all * (1 + 1e-9))
        continue;
      double start = static_cast<double>(filled) * cell;
      for (int64_t last = first + 1; last <= numLayers(); ++last) {
        size_t run = runs.find(first, last);
        if (shares[run] < 0)
          shares[run] = bounds.forwardShare(run);
        bool found = false;
        for (size_t index = 0; index < numPeriods; ++index) {
          // The true period is above the next one.
          double lower =
              index + 1 < numPeriods ? periods[index + 1] * longest : 0;
          if (start + lower * static_cast<double>(count) > time)
            continue;
          double &cost = costs[run * numPeriods + index];
          if (cost < 0)
            cost = price(run, periods[index] * longest, prices);
          if (before + cost + rest[last] > all * (1 + 1e-9))
            break;
          found = true;
          double after = start;
          if (last < numLayers())
            after += lower * shares[run] + handOn;
          auto to = std::min<int64_t>(numCells - 1, int64_t(after / cell));
          double &slot = least[last * numCells + to];
          slot = std::min(slot, before + cost);
        }
        if (!found)
          break;
      }
    }
  for (int64_t filled = 0; filled < numCells; ++filled)
    if (least[numLayers() * numCells + filled] <= all * (1 + 1e-9))
      return false;
  return true;
}

bool PriceRelaxation::excludes(double time) {
  // By speed, and with one class more or less dear.
  std::vector<double> prices = pricesBySpeed(bounds);
  if (excludes(time, prices))
    return true;
  if (prices.size() < 2)
    return false;
  for (size_t index = 0; index < prices.size(); ++index)
    for (double factor : {0.85, 1.15}) {
      std::vector<double> changed = prices;
      changed[index] *= factor;
      if (excludes(time, changed))
        return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// The certificate
//===----------------------------------------------------------------------===//

static LinkBounds boundLinks(const Cluster &cluster,
                             ArrayRef<int64_t> devices) {
  LinkBounds links;
  links.numDevices = static_cast<double>(devices.size());
  std::map<int64_t, int64_t> inNode;
  for (int64_t device : devices)
    ++inNode[cluster.devices[device].node];
  for (auto [from, fromCount] : inNode)
    for (auto [to, toCount] : inNode) {
      if (from == to && fromCount < 2)
        continue;
      const cluster::Path &path =
          cluster.paths[from * cluster.nodes.size() + to];
      links.latency = std::min(links.latency, toSeconds(path.latency));
      links.bandwidth = std::max(links.bandwidth,
                                 static_cast<double>(path.bandwidth.count()));
    }
  if (links.bandwidth == 0) {
    links.latency = 0;
    links.bandwidth = infinity;
  }
  return links;
}

/// Up to this many ways to take devices, and steps of its dynamic program, they
/// are counted, not priced.
static constexpr int64_t mostStates = 400, mostSteps = 4000000;

static std::unique_ptr<Relaxation>
makeRelaxation(const StageModel &model, const LayerRuns &runs,
               ArrayRef<ClassCount> classes, ArrayRef<int64_t> microbatches,
               const LinkBounds &links) {
  int64_t states = CountRelaxation::numStates(classes);
  int64_t layers = model.problem.layers.size();
  if (states <= mostStates &&
      states * states / 4 * layers * layers / 2 <= mostSteps * 10)
    return std::make_unique<CountRelaxation>(model, runs, classes, microbatches,
                                             links);
  return std::make_unique<PriceRelaxation>(model, runs, classes, microbatches,
                                           links);
}

/// To which share the smallest time that is not excluded is found.
static constexpr double precision = 0.003;

Time hetero::planner::computeCertificate(const Problem &problem,
                                         const Cluster &cluster, Time known) {
  StageModel model(problem, cluster);
  std::vector<int64_t> devices = usableDevices(problem, cluster);
  std::map<int64_t, int64_t> numbers;
  for (int64_t device : devices)
    ++numbers[cluster.devices[device].deviceClass];
  std::vector<ClassCount> classes;
  for (auto [deviceClass, number] : numbers)
    classes.push_back({deviceClass, number});
  if (classes.empty())
    return known;
  LinkBounds links = boundLinks(cluster, devices);
  LayerRuns runs(problem);

  std::vector<std::vector<int64_t>> options = microbatchOptions(problem);
  std::vector<std::tuple<double, size_t>> order;
  for (auto [index, microbatches] : enumerate(options)) {
    StageBounds bounds(model, runs, classes, *max_element(microbatches),
                       *min_element(microbatches));
    order.push_back({workBound(bounds), index});
  }
  sort(order);
  double best = toSeconds(known);
  for (auto [quick, index] : order) {
    if (quick >= best)
      break;
    std::unique_ptr<Relaxation> relaxation =
        makeRelaxation(model, runs, classes, options[index], links);
    if (relaxation->excludes(best))
      continue;
    double low = quick, high = best;
    while (high - low > precision * high) {
      double middle = low + (high - low) / 2;
      (relaxation->excludes(middle) ? low : high) = middle;
    }
    best = low;
  }
  // Stay below what sums of rounded times may differ by.
  double picoseconds = best * (1 - 1e-9) * static_cast<double>(timePerSecond) -
                       4 * static_cast<double>(problem.layers.size());
  return std::min(known, Time::nearest(std::floor(std::max(0.0, picoseconds))));
}
