//===- Relaxation.cpp - Which times no plan can have ----------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relaxation.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

int64_t NodeKind::size() const {
  int64_t sum = 0;
  for (int64_t count : counts)
    sum += count;
  return sum;
}

NetworkBounds::NetworkBounds(const cluster::Cluster &cluster,
                             ArrayRef<int64_t> devices,
                             ArrayRef<ClassCount> classes)
    : latency(infinity), outOfClass(classes.size(), 0),
      isMeasured(!cluster.collectives.empty()) {
  std::map<int64_t, NodeKind> found;
  for (int64_t device : devices) {
    const cluster::Device &entry = cluster.devices[device];
    NodeKind &node = found[entry.node];
    node.counts.resize(classes.size(), 0);
    for (auto [index, entryOfClass] : enumerate(classes))
      node.counts[index] += entryOfClass.deviceClass == entry.deviceClass;
  }
  numNodes = found.size();
  for (auto &[from, node] : found)
    for (auto &[to, other] : found) {
      if (from == to && node.size() < 2)
        continue;
      const cluster::Path &path =
          cluster.paths[from * cluster.nodes.size() + to];
      auto speed = static_cast<double>(path.bandwidth.count());
      latency = std::min(latency, toSeconds(path.latency));
      bandwidth = std::max(bandwidth, speed);
      double &best = from == to ? node.inside : node.out;
      best = std::max(best, speed);
      if (from != to)
        other.out = std::max(other.out, speed);
    }
  if (bandwidth == 0) {
    latency = 0;
    bandwidth = infinity;
  }
  leastOut = infinity;
  for (auto &[index, node] : found) {
    if (node.out > 0)
      leastOut = std::min(leastOut, node.out);
    for (size_t i = 0; i < classes.size(); ++i)
      if (node.counts[i] > 0)
        outOfClass[i] = std::max(outOfClass[i], node.out);
    auto same = find_if(nodes, [&, &node = node](const NodeKind &other) {
      return other.counts == node.counts && other.out == node.out &&
             other.inside == node.inside;
    });
    if (same != nodes.end())
      ++same->number;
    else
      nodes.push_back(node);
  }
}

//===----------------------------------------------------------------------===//
// Common parts
//===----------------------------------------------------------------------===//

Relaxation::Relaxation(const StageModel &model, const LayerRuns &runs,
                       ArrayRef<ClassCount> classes,
                       ArrayRef<int64_t> microbatches,
                       const NetworkBounds &network)
    : bounds(model, runs, classes, *max_element(microbatches),
             *min_element(microbatches)),
      runs(runs), network(network), count(microbatches.size()),
      numLarge(llvm::count(microbatches, bounds.largest)) {}

double Relaxation::raise(double low, double high) {
  // Powers of a number, so that the result does not depend on `high`.
  double base = std::log1p(precision);
  auto first = int64_t(std::ceil(std::log(std::max(low, 1e-12)) / base));
  auto last = int64_t(std::ceil(std::log(high) / base));
  // In growing steps from below: what is far from excluded takes long to try.
  int64_t step = 16;
  while (first < last) {
    int64_t middle = first + std::min(step, (last - first) / 2);
    double time = std::exp(static_cast<double>(middle) * base);
    if (time < high && excludes(time)) {
      low = time;
      first = middle + 1;
      step *= 2;
    } else {
      last = middle;
    }
  }
  return low;
}

/// Each device does its part of the update, at best.
double Relaxation::updateTime(size_t run, int64_t numDevices) {
  return bounds.updateTime(run) / static_cast<double>(numDevices);
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
  once.end += updateTime(run, rows > 1 ? node.size() : tensor);
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

bool Relaxation::fitsMemory(size_t run, ArrayRef<int64_t> counts,
                            int64_t tensor) const {
  const ColumnState &state = runs.states[run];
  double gradients = static_cast<double>(state.gradients.count()) /
                     static_cast<double>(tensor) * (count > 1 ? 2 : 1);
  double room = 0;
  for (auto [number, entry] : zip_equal(counts, bounds.classes)) {
    double usable = static_cast<double>(
        bounds.model.cluster.classes[entry.deviceClass].usableMemory().count());
    room += static_cast<double>(number) * std::max(0.0, usable - gradients);
  }
  return room >= static_cast<double>(state.total().count()) * (1 - 1e-9);
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

/// The least over all places that so many devices can be in.
OnceBound CountRelaxation::once(size_t run, ArrayRef<int64_t> counts) {
  int64_t devices = 0;
  double slowest = infinity;
  for (auto [number, out] : zip_equal(counts, network.outOfClass)) {
    devices += number;
    if (number > 0)
      slowest = std::min(slowest, out);
  }
  OnceBound least = {infinity, infinity};
  auto add = [&](const OnceBound &other) {
    least.gather = std::min(least.gather, other.gather);
    least.end = std::min(least.end, other.end);
  };
  if (devices > 1 && network.numNodes > 1)
    add(onceAcross(run, slowest, 2));
  for (const NodeKind &node : network.nodes) {
    bool fits = true;
    for (auto [number, there] : zip_equal(counts, node.counts))
      fits &= number <= there;
    if (!fits)
      continue;
    for (int64_t tensor : runs.degrees[run])
      if (tensor <= devices)
        add(onceInNode(run, node, tensor, devices / tensor));
  }
  return least.end == infinity ? OnceBound() : least;
}

/// The least time to hand on what leaves the layer before `cut`, from so many
/// devices.
double CountRelaxation::crossing(int64_t cut, double senders) const {
  const Layer &layer = bounds.model.problem.layers[cut - 1];
  double bytes = static_cast<double>(layer.output.perSample.count()) *
                 static_cast<double>(bounds.smallest);
  return network.latency + bytes / (network.bandwidth * senders);
}

CountRelaxation::StageBound &CountRelaxation::stage(size_t run, size_t state) {
  StageBound &result = cache[run * states.size() + state];
  if (result.total >= 0)
    return result;
  ArrayRef<int64_t> counts = states[state];
  if (!fitsMemory(run, counts, runs.mostParts(run))) {
    result.total = infinity;
    return result;
  }
  double large = bounds.makespan(run, counts, bounds.largest, false);
  double small = bounds.smallest == bounds.largest
                     ? large
                     : bounds.makespan(run, counts, bounds.smallest, false);
  result.total = static_cast<double>(numLarge) * large +
                 static_cast<double>(count - numLarge) * small;
  result.once = once(run, counts);
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
          size_t run = runs.find(first, last);
          StageBound &bound = stage(run, added);
          // More layers take longer and need more memory.
          if (before + bound.total > time)
            break;
          if (std::max(before, bound.once.gather) + bound.total +
                  bound.once.end >
              time)
            continue;
          double after = before;
          if (last < numLayers()) {
            if (bound.forward < 0)
              bound.forward =
                  bounds.makespan(run, states[added], bounds.smallest, true);
            after += bound.forward + crossing(last, senders);
          }
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
