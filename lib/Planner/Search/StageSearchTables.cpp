//===- StageSearchTables.cpp - What searches over stages share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/CostTime.h"
#include "hetero/Planner/Model/SampleDivision.h"
#include "hetero/Planner/Search/StageSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

SearchTables::SearchTables(const StageModel &model, int64_t maxCuts)
    : model(model) {
  int64_t numLayers = model.problem.layers.size();
  int64_t step = (numLayers + maxCuts - 1) / maxCuts;
  for (int64_t layer = 0; layer < numLayers; layer += step)
    cuts.push_back(layer);
  // What is pinned may need a stage of its own.
  for (const Pin &pin : model.problem.constraints.pins)
    cuts.insert(cuts.end(), {pin.layer, pin.layer + 1});
  cuts.push_back(numLayers);
  sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  findRunKinds();
}

/// Runs are alike if they have equally many layers of each kind, the same kind
/// of layer last and the same kind before them, the same inputs, and copies of
/// the same that other layers own.
void SearchTables::findRunKinds() {
  const Problem &problem = model.problem;
  std::vector<int64_t> kinds;
  for (auto [index, layer] : enumerate(problem.layers))
    kinds.push_back(layer.like ? kinds[*layer.like] : int64_t(index));
  size_t numCuts = cuts.size();
  runKinds.resize(numCuts * numCuts);
  std::map<std::vector<int64_t>, size_t> indices;
  for (size_t first = 0; first < numCuts; ++first) {
    std::map<int64_t, int64_t> counts;
    for (size_t last = first + 1; last < numCuts; ++last) {
      for (int64_t layer = cuts[last - 1]; layer < cuts[last]; ++layer)
        ++counts[kinds[layer]];
      std::vector<int64_t> key = {
          first > 0 ? kinds[cuts[first] - 1] : -1,
          last + 1 < numCuts ? kinds[cuts[last] - 1] : -1,
          model.inputBytes(LayerRun{cuts[first], cuts[last] - 1}).count()};
      for (auto [kind, count] : counts)
        key.insert(key.end(), {kind, count});
      auto isInside = [&](int64_t layer) {
        return layer >= cuts[first] && layer < cuts[last];
      };
      for (const Tie &tie : problem.ties)
        key.push_back(!isInside(tie.layers.front()) &&
                      any_of(tie.layers, isInside));
      auto [entry, isNew] =
          indices.try_emplace(std::move(key), representatives.size());
      runKinds[first * numCuts + last] = entry->second;
      if (isNew)
        representatives.emplace_back(first, last);
    }
  }
}

/// What is known under a key; made the first time that it is asked for.
template <typename KeyT, typename ValueT, typename MakeFn>
static const ValueT &findOrMake(std::map<KeyT, ValueT> &known, KeyT key,
                                MakeFn make) {
  auto [entry, isNew] = known.try_emplace(std::move(key));
  if (isNew)
    entry->second = make();
  return entry->second;
}

const std::vector<StageOption> &
SearchTables::findOptions(std::vector<int64_t> key,
                          function_ref<std::vector<StageOption>()> make) {
  // Those of other sizes of microbatches are not needed soon.
  if (optionsFor != key.front()) {
    optionsFor = key.front();
    options.clear();
  }
  return findOrMake(options, std::move(key), make);
}

const std::vector<int64_t> &
SearchTables::divideSamples(ArrayRef<std::pair<int64_t, int64_t>> rows,
                            int64_t tensor, int64_t size) {
  std::vector<int64_t> key = {tensor, size};
  for (auto [deviceClass, count] : rows)
    key.insert(key.end(), {deviceClass, count});
  return findOrMake(divisions, std::move(key), [&] {
    std::vector<RowKind> kinds;
    for (auto [deviceClass, count] : rows)
      kinds.push_back({count, size, timeOfAll(deviceClass, tensor)});
    std::vector<int64_t> samples;
    for (const RowSamples &row : divideBySpeed(kinds, size))
      samples.push_back(row.most());
    return is_contained(samples, 0) ? std::vector<int64_t>() : samples;
  });
}

std::function<double(int64_t)> SearchTables::timeOfAll(int64_t deviceClass,
                                                       int64_t tensor) {
  std::vector<double> &known = timesOfAll[{deviceClass, tensor}];
  return [this, &known, deviceClass, tensor](int64_t samples) {
    // A table of all numbers up to a huge one would be mostly empty.
    constexpr int64_t mostInTable = 1 << 20;
    if (samples > mostInTable)
      return model.layerTimes(deviceClass, tensor, samples)
          .sums.bothSeconds.all();
    if (samples >= int64_t(known.size()))
      known.resize(samples + 1, -1);
    double &time = known[samples];
    if (time < 0)
      time =
          model.layerTimes(deviceClass, tensor, samples).sums.bothSeconds.all();
    return time;
  };
}

const LayerSums<double> &SearchTables::leastTimes(int64_t deviceClass,
                                                  int64_t size) {
  return findOrMake(leasts, {deviceClass, size}, [&] {
    const std::string &name = model.cluster.classes[deviceClass].name;
    const LayerTimes &times = model.layerTimes(deviceClass, 1, size);
    int64_t index = 0;
    return sumLayers(model.problem, [&](const Layer &layer) {
      double least = times.sums.bothSeconds.of(index, index + 1) / double(size);
      ++index;
      const MeasuredTimes *measured = layer.measuredOn(name);
      return measured ? std::min(least, measured->leastPerSample()) : least;
    });
  });
}

const LayerSums<double> &SearchTables::updateTimes(int64_t deviceClass,
                                                   int64_t tensor) {
  return findOrMake(updates, {deviceClass, tensor}, [&] {
    return sumLayers(model.problem, [&](const Layer &layer) {
      return toSeconds(
          costTime(model.cluster.classes[deviceClass], layer.update,
                   [&](auto amount) { return divide(amount.fixed, tensor); }));
    });
  });
}

const LayerSums<Bytes> &SearchTables::savedBytes(int64_t tensor,
                                                 int64_t samples) {
  return findOrMake(saved, {tensor, samples}, [&] {
    return sumLayers(model.problem, [&](const Layer &layer) {
      return divide(layer.saved.at(samples), tensor);
    });
  });
}

/// The largest amount of a layer between two cuts.
std::vector<Bytes>
SearchTables::rangeMaxima(function_ref<Bytes(const Layer &)> amount) const {
  size_t numCuts = cuts.size();
  std::vector<Bytes> table(numCuts * numCuts);
  for (size_t first = 0; first < numCuts; ++first) {
    Bytes most;
    for (size_t last = first + 1; last < numCuts; ++last) {
      for (int64_t layer = cuts[last - 1]; layer < cuts[last]; ++layer)
        most = std::max(most, amount(model.problem.layers[layer]));
      table[first * numCuts + last] = most;
    }
  }
  return table;
}

const std::vector<Bytes> &SearchTables::workspaces(int64_t samples) {
  return findOrMake(largest, samples, [&] {
    return rangeMaxima(
        [&](const Layer &layer) { return layer.workspace.at(samples); });
  });
}

const std::vector<Bytes> &SearchTables::largestSaved(int64_t tensor,
                                                     int64_t samples) {
  return findOrMake(mostSaved, {tensor, samples}, [&] {
    return rangeMaxima([&](const Layer &layer) {
      return divide(layer.saved.at(samples), tensor);
    });
  });
}

const LayerSums<Bytes> &SearchTables::inputBytes(int64_t samples) {
  return findOrMake(inputs, samples, [&] {
    return sumInputs(model.problem, [&](const Layer &layer) {
      return layer.output.at(samples);
    });
  });
}

const std::vector<int64_t> &SearchTables::farthestCuts(int64_t tensor) {
  return findOrMake(farthest, tensor, [&] {
    int64_t numCuts = cuts.size();
    std::vector<int64_t> result(numCuts, numCuts - 1);
    for (int64_t cut = numCuts - 2; tensor > 1 && cut >= 0; --cut) {
      bool divides = true;
      for (int64_t layer = cuts[cut]; layer < cuts[cut + 1]; ++layer)
        divides &=
            is_contained(model.problem.layers[layer].tensorDegrees, tensor);
      result[cut] = divides ? result[cut + 1] : cut;
    }
    return result;
  });
}

const LayerSums<ColumnState> &SearchTables::states(int64_t tensor) {
  return findOrMake(stateSums, tensor, [&] {
    return sumLayers(model.problem, [&](const Layer &layer) {
      return columnState(layer, tensor);
    });
  });
}
