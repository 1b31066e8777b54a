//===- StageBounds.cpp - What layers take at least ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StageBounds.h"
#include "hetero/Planner/Model/CostTime.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

LayerRuns::LayerRuns(const Problem &problem)
    : numLayers(problem.layers.size()) {
  std::vector<int64_t> kinds, all = {1};
  for (auto [index, layer] : enumerate(problem.layers)) {
    mostGradients =
        std::max(mostGradients, static_cast<double>(layer.gradients.count()));
    kinds.push_back(layer.like ? kinds[*layer.like] : int64_t(index));
    for (int64_t degree : layer.tensorDegrees)
      if (!is_contained(all, degree))
        all.push_back(degree);
  }
  sort(all);
  LayerBytes bytes(problem);
  // Runs are alike if they have equally many layers of each kind.
  std::map<std::map<int64_t, int64_t>, size_t> indices;
  runs.resize((numLayers + 1) * (numLayers + 1));
  for (int64_t first = 0; first < numLayers; ++first) {
    std::map<int64_t, int64_t> counts;
    std::vector<int64_t> common = all;
    for (int64_t last = first; last < numLayers; ++last) {
      const Layer &layer = problem.layers[last];
      ++counts[kinds[last]];
      erase_if(common, [&](int64_t degree) {
        return degree > 1 && !is_contained(layer.tensorDegrees, degree);
      });
      LayerRun run = {first, last};
      auto entering = static_cast<double>(bytes.inputs.of(run).count());
      auto [entry, isNew] = indices.try_emplace(counts, size());
      runs[first * (numLayers + 1) + last + 1] = entry->second;
      if (!isNew) {
        double &least = inputs[entry->second];
        least = std::min(least, entering);
        continue;
      }
      saved.push_back(static_cast<double>(bytes.saved.of(run).count()));
      inputs.push_back(entering);
      int64_t length = last - first + 1;
      if (counts.size() == 1)
        units.emplace_back(runs[first * (numLayers + 1) + first + 1], length);
      else
        units.emplace_back(entry->second, 1);
      representatives.push_back(run);
      // Ties make copies in some stages only; they are not counted.
      states.push_back(bytes.state.of(run));
      degrees.push_back(common);
    }
  }
}

StageBounds::StageBounds(const StageModel &model, const LayerRuns &runs,
                         ArrayRef<ClassCount> classes, int64_t largest,
                         int64_t smallest, RowTimes &times)
    : model(model), runs(runs), classes(classes.begin(), classes.end()),
      largest(largest), smallest(smallest), rowTimes(times) {
  findChoices();
  for (size_t run = 0; run < runs.size(); ++run)
    for (const RowChoice &choice : choices)
      allowed.push_back(is_contained(runs.degrees[run], choice.tensor));
  tables.resize(allowed.size());
  rowTimes.resize(allowed.size());
}

void StageBounds::findChoices() {
  const cluster::Cluster &cluster = model.cluster;
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> places;
  for (auto [device, entry] : enumerate(cluster.devices))
    if (entry.available)
      places[{entry.deviceClass, entry.node}].push_back(device);
  std::vector<int64_t> degrees;
  for (const std::vector<int64_t> &list : runs.degrees)
    for (int64_t degree : list)
      if (!is_contained(degrees, degree))
        degrees.push_back(degree);
  for (size_t index = 0; index < classes.size(); ++index)
    for (int64_t degree : degrees) {
      std::vector<cost::Group> found;
      std::vector<std::tuple<Bandwidth, Time, bool>> links;
      for (const auto &[key, devices] : places) {
        if (key.first != classes[index].deviceClass ||
            int64_t(devices.size()) < degree)
          continue;
        if (degree > 1) {
          const cluster::Path &path =
              cluster.pathBetween(devices[0], devices[1]);
          std::tuple<Bandwidth, Time, bool> link(path.bandwidth, path.latency,
                                                 path.shared);
          if (is_contained(links, link))
            continue;
          links.push_back(link);
        }
        found.push_back(
            cost::makeGroup(cluster, ArrayRef(devices).take_front(degree)));
      }
      if (found.empty())
        continue;
      choices.push_back({index, degree});
      groups.push_back(std::move(found));
    }
}

/// Forward and backward together, and the forward alone, of samples at once.
std::pair<double, double> StageBounds::timesOf(size_t run, size_t choice,
                                               int64_t samples) const {
  const RowChoice &row = choices[choice];
  int64_t first = runs.representatives[run].first;
  int64_t last = runs.representatives[run].last + 1;
  const LayerTimes &times =
      model.layerTimes(classes[row.index].deviceClass, row.tensor, samples);
  double both = times.sums.bothSeconds.of(first, last);
  double forward = times.sums.forwardSeconds.of(first, last);
  if (row.tensor == 1)
    return {both, forward};
  double sums = infinity, forwardSums = infinity;
  for (const cost::Group &group : groups[choice]) {
    double here = 0, backward = 0;
    for (int64_t layer = first; layer < last;) {
      // Layers that are alike take the same.
      int64_t kind = model.problem.layers[layer].like.value_or(layer), next;
      for (next = layer + 1; next < last; ++next)
        if (model.problem.layers[next].like.value_or(next) != kind)
          break;
      std::pair<Time, Time> times =
          model.tensorTimes(model.problem.layers[layer], group, samples);
      auto number = static_cast<double>(next - layer);
      here += number * toSeconds(times.first);
      backward += number * toSeconds(times.second);
      layer = next;
    }
    forwardSums = std::min(forwardSums, here);
    sums = std::min(sums, here + backward);
  }
  return {both + sums, forward + forwardSums};
}

/// All numbers of samples up to this one have times of their own. Larger ones
/// are looked at in steps of a fiftieth; those in between are taken to need as
/// long as the next smaller one, which is never too much.
static constexpr int64_t allSamplesUpTo = 64;

const StageBounds::Table &StageBounds::table(size_t run, size_t choice) {
  Table &result = tables[run * choices.size() + choice];
  if (!result.both.empty())
    return result;
  result.both.push_back(0);
  result.forward.push_back(0);
  // Parts of a share may be computed one after the other.
  double leastForward = infinity;
  result.rate = infinity;
  std::pair<double, double> times;
  auto &known = rowTimes[run * choices.size() + choice];
  size_t number = 0;
  for (int64_t samples = 1, next = 1; samples <= largest; ++samples) {
    if (samples == next) {
      if (number == known.size())
        known.push_back(timesOf(run, choice, samples));
      times = known[number++];
      next += samples <= allSamplesUpTo ? 1 : samples / 50;
    }
    auto [both, forward] = times;
    if (both > 0)
      result.forwardShare = std::min(result.forwardShare, forward / both);
    auto count = static_cast<double>(samples);
    result.rate = std::min(result.rate, both / count);
    leastForward = std::min(leastForward, forward / count);
    result.both.push_back(
        std::max(result.both.back(), std::min(both, result.rate * count)));
    result.forward.push_back(std::max(result.forward.back(),
                                      std::min(forward, leastForward * count)));
  }
  // Between those that are looked at, the forward may be a little less of it.
  if (largest > allSamplesUpTo)
    result.forwardShare *= 0.98;
  return result;
}

int64_t StageBounds::samplesWithin(size_t run, size_t choice, double time,
                                   bool forwardOnly) {
  const Table &times = table(run, choice);
  const std::vector<double> &list = forwardOnly ? times.forward : times.both;
  return std::upper_bound(list.begin() + 1, list.end(), time) - list.begin() -
         1;
}

double StageBounds::updateTime(size_t run) {
  auto [unit, length] = runs.units[run];
  if (unit != run)
    return updateTime(unit) * static_cast<double>(length);
  updates.resize(runs.size(), -1);
  double &least = updates[run];
  if (least >= 0)
    return least;
  least = infinity;
  for (const ClassCount &entry : classes) {
    double sum = 0;
    for (int64_t layer = runs.representatives[run].first;
         layer <= runs.representatives[run].last; ++layer) {
      sum += toSeconds(costBound(model.cluster.classes[entry.deviceClass],
                                 model.problem.layers[layer].update,
                                 [](auto amount) { return amount.fixed; }));
    }
    least = std::min(least, sum);
  }
  return least;
}

double StageBounds::leastRate(size_t run, size_t index) {
  double least = infinity;
  auto [unit, length] = runs.units[run];
  for (size_t choice = 0; choice < choices.size(); ++choice)
    if (choices[choice].index == index && isAllowed(unit, choice))
      least = std::min(least, table(unit, choice).rate *
                                  static_cast<double>(choices[choice].tensor));
  return least * static_cast<double>(length);
}

double StageBounds::forwardShare(size_t run) {
  double least = 1;
  for (size_t choice = 0; choice < choices.size(); ++choice)
    if (isAllowed(run, choice))
      least = std::min(least, table(run, choice).forwardShare);
  return least;
}
