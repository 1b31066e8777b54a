//===- SearchTables.cpp - What searches over stages share -----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// All devices of a class take the next sample at the same time, so samples are
/// handed out to whole classes, by the time for all layers.
std::vector<int64_t>
SearchTables::divideSamples(ArrayRef<std::pair<int64_t, int64_t>> rows,
                            int64_t tensor, int64_t size) {
  std::vector<int64_t> samples(rows.size(), 0);
  int64_t left = size;
  auto next = [&](size_t i) {
    return model.layerTimes(rows[i].first, tensor, samples[i] + 1)
        .prefix.back();
  };
  std::vector<double> times;
  for (size_t i = 0; i < rows.size(); ++i)
    times.push_back(next(i));
  while (left > 0) {
    size_t best = std::min_element(times.begin(), times.end()) - times.begin();
    ++samples[best];
    left -= rows[best].second;
    times[best] = next(best);
  }
  if (is_contained(samples, 0))
    return {};
  return samples;
}

const std::vector<double> &SearchTables::updateTimes(int64_t deviceClass,
                                                     int64_t tensor) {
  std::vector<double> &sums = updates[{deviceClass, tensor}];
  if (!sums.empty())
    return sums;
  sums.push_back(0);
  for (const Layer &layer : model.problem.layers) {
    cost::Operations operations;
    for (const auto &[type, work] : layer.update.work)
      operations.work[type] = Work(scale(work.fixed.count(), 1, tensor));
    operations.bytes =
        Bytes(scale(layer.update.bytes.fixed.count(), 1, tensor));
    operations.count = layer.update.operations;
    sums.push_back(sums.back() +
                   toSeconds(cost::operationTime(
                       model.cluster.classes[deviceClass], operations)));
  }
  return sums;
}

const std::vector<int64_t> &SearchTables::savedBytes(int64_t tensor,
                                                     int64_t samples) {
  std::vector<int64_t> &sums = saved[{tensor, samples}];
  if (!sums.empty())
    return sums;
  sums.push_back(0);
  for (const Layer &layer : model.problem.layers)
    sums.push_back(sums.back() +
                   scale(layer.saved.at(samples).count(), 1, tensor));
  return sums;
}

const std::vector<Bytes> &SearchTables::workspaces(int64_t samples) {
  std::vector<Bytes> &table = largest[samples];
  if (!table.empty())
    return table;
  size_t numLayers = model.problem.layers.size();
  table.resize((numLayers + 1) * (numLayers + 1));
  for (size_t first = 0; first < numLayers; ++first) {
    Bytes most;
    for (size_t last = first + 1; last <= numLayers; ++last) {
      most =
          std::max(most, model.problem.layers[last - 1].workspace.at(samples));
      table[first * (numLayers + 1) + last] = most;
    }
  }
  return table;
}

const std::vector<double> &SearchTables::tensorTimes(ArrayRef<int64_t> row,
                                                     int64_t samples) {
  // Rows lie inside of a node, whose devices are all joined alike.
  std::vector<double> &result = sums[{model.cluster.devices[row.front()].node,
                                      int64_t(row.size()), samples}];
  if (!result.empty())
    return result;
  cost::Group group = cost::makeGroup(model.cluster, row);
  result.push_back(0);
  for (const Layer &layer : model.problem.layers) {
    auto [forward, backward] = model.tensorTimes(layer, group, samples);
    result.push_back(result.back() + toSeconds(forward) + toSeconds(backward));
  }
  return result;
}

const std::vector<ColumnState> &SearchTables::states(int64_t tensor) {
  std::vector<ColumnState> &result = stateSums[tensor];
  if (!result.empty())
    return result;
  result.emplace_back();
  for (const Layer &layer : model.problem.layers) {
    ColumnState next = result.back();
    next.parameters += Bytes(scale(layer.parameters.count(), 1, tensor));
    next.optimizer += Bytes(scale(layer.optimizerState.count(), 1, tensor));
    next.gradients += Bytes(scale(layer.gradients.count(), 1, tensor));
    result.push_back(next);
  }
  return result;
}
