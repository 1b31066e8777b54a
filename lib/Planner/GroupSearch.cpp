//===- GroupSearch.cpp - Stages of equal groups of devices ----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// More stages of one class are not tried.
static constexpr int64_t mostStages = 32;
/// How many microbatches are in flight for each stage that is to come.
static constexpr double inFlightPerStage = 1.2;

namespace {
/// How the stages of a class lie.
struct Shape {
  int64_t nodes = 1, devices = 1, tensor = 1;
  bool recompute = false;
};

/// The nodes that have devices of a class, with equally many of them.
struct ClassNodes {
  int64_t deviceClass = 0, perNode = 0;
  std::vector<std::vector<int64_t>> nodes;
  /// Bytes for a second to another node, and in a node.
  double out = infinity, inside = infinity;
  std::vector<Shape> shapes;
};

/// Of all layers before, in seconds.
struct Times {
  std::vector<double> both, forward;
};

/// Stages that were given layers.
struct Covered {
  int64_t next = 0;
  double start = 0;
  std::vector<StageChoice> stages;
};

/// What the search does for one number of microbatches.
class GroupSearch {
public:
  GroupSearch(const PlanBuilder &builder, ArrayRef<ClassNodes> classes,
              ArrayRef<int64_t> sizes);

  /// The smallest time for an order of the classes, and its stages.
  std::pair<double, std::vector<StageChoice>> solve(ArrayRef<size_t> order,
                                                    double wait);

private:
  const Times &times(const ClassNodes &nodes, int64_t tensor, int64_t samples);
  bool fits(const ClassNodes &nodes, const Shape &shape, int64_t samples,
            int64_t first, int64_t last) const;
  Covered cover(const ClassNodes &nodes, const Shape &shape, Covered from,
                double time);
  bool coverAll(ArrayRef<size_t> order, double time, Covered &result);

  const StageModel &model;
  ArrayRef<ClassNodes> classes;
  int64_t largest, count, numLayers;
  /// How often a stage waits for the forwards and crossings before it.
  double wait = 1;
  std::vector<double> parameters, gradients, optimizer, saved, inputs;
  std::map<std::tuple<int64_t, int64_t, int64_t>, Times> known;
};
} // namespace

GroupSearch::GroupSearch(const PlanBuilder &builder,
                         ArrayRef<ClassNodes> classes, ArrayRef<int64_t> sizes)
    : model(builder.model), classes(classes), largest(*max_element(sizes)),
      count(sizes.size()), numLayers(model.problem.layers.size()) {
  auto addTo = [](std::vector<double> &list, Bytes bytes) {
    if (list.empty())
      list.push_back(0);
    list.push_back(list.back() + static_cast<double>(bytes.count()));
  };
  Bytes entering;
  for (const Layer &layer : model.problem.layers) {
    addTo(parameters, layer.parameters);
    addTo(gradients, layer.gradients);
    addTo(optimizer, layer.optimizerState);
    addTo(saved, layer.saved.perSample);
    addTo(inputs, entering);
    entering = layer.output.perSample;
  }
}

/// Forward and backward with the sums over a row.
const Times &GroupSearch::times(const ClassNodes &nodes, int64_t tensor,
                                int64_t samples) {
  auto [entry, isNew] = known.try_emplace({nodes.deviceClass, tensor, samples});
  Times &result = entry->second;
  if (!isNew)
    return result;
  const LayerTimes &table =
      model.layerTimes(nodes.deviceClass, tensor, samples);
  result = {table.prefix, table.forwardPrefix};
  if (tensor == 1)
    return result;
  cost::Group group = cost::makeGroup(
      model.cluster, ArrayRef(nodes.nodes.front()).take_front(tensor));
  double forward = 0, both = 0;
  std::pair<Time, Time> sums;
  std::optional<int64_t> before;
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    int64_t kind = model.problem.layers[layer].like.value_or(layer);
    if (before != kind)
      sums = model.tensorTimes(model.problem.layers[layer], group, samples);
    before = kind;
    forward += toSeconds(sums.first);
    both += toSeconds(sums.first) + toSeconds(sums.second);
    result.forward[layer + 1] += forward;
    result.both[layer + 1] += both;
  }
  return result;
}

/// Whether the memory of a device suffices for the layers with divided
/// optimizer state, if later stages are like this one.
bool GroupSearch::fits(const ClassNodes &nodes, const Shape &shape,
                       int64_t samples, int64_t first, int64_t last) const {
  auto sum = [&](const std::vector<double> &list) {
    return list[last] - list[first];
  };
  auto later = static_cast<double>(numLayers - first) /
               static_cast<double>(last - first);
  double inFlight =
      std::min(static_cast<double>(count), std::ceil(inFlightPerStage * later));
  auto parts = static_cast<double>(shape.tensor);
  double kept = shape.recompute ? sum(inputs) : sum(saved) / parts;
  double bytes =
      sum(parameters) / parts + sum(gradients) / parts * (count > 1 ? 2 : 1) +
      sum(optimizer) / static_cast<double>(shape.nodes * shape.devices) +
      inFlight * kept * static_cast<double>(samples);
  return bytes <=
         static_cast<double>(
             model.cluster.classes[nodes.deviceClass].usableMemory().count());
}

/// All stages of a class in a shape, each with as many layers as possible.
Covered GroupSearch::cover(const ClassNodes &nodes, const Shape &shape,
                           Covered from, double time) {
  int64_t rows = shape.nodes * shape.devices / shape.tensor;
  int64_t groups = int64_t(nodes.nodes.size()) / shape.nodes;
  int64_t inNode = nodes.perNode / shape.devices;
  if (rows > largest)
    return from;
  int64_t samples = (largest + rows - 1) / rows;
  const Times &table = times(nodes, shape.tensor, samples);
  auto number = static_cast<double>(count);
  for (int64_t stage = 0; stage < groups * inNode; ++stage) {
    int64_t first = from.next, last = first;
    double forward = 0;
    while (last < numLayers) {
      auto sum = [&](const std::vector<double> &list) {
        return list[last + 1] - list[first];
      };
      double both = sum(table.both), here = sum(table.forward);
      if (shape.recompute)
        both += here;
      double once = 0;
      if (shape.nodes > 1)
        once = 2 * (1 - 1 / static_cast<double>(shape.nodes)) * sum(gradients) /
               nodes.out * static_cast<double>(inNode);
      else if (rows > 1)
        once = 2 * sum(gradients) / static_cast<double>(shape.tensor) /
               nodes.inside;
      if (from.start + number * both + once > time ||
          !fits(nodes, shape, samples, first, last + 1))
        break;
      forward = here;
      ++last;
    }
    if (last == first)
      break;
    StageChoice &choice = from.stages.emplace_back();
    choice.layers = {first, last - 1};
    choice.tensor = shape.tensor;
    choice.recompute = shape.recompute;
    choice.state = rows > 1 ? StateMode::Optimizer : StateMode::Replicated;
    for (int64_t node = 0; node < shape.nodes; ++node) {
      ArrayRef<int64_t> all = nodes.nodes[stage / inNode * shape.nodes + node];
      ArrayRef<int64_t> own =
          all.slice(stage % inNode * shape.devices, shape.devices);
      choice.devices.insert(choice.devices.end(), own.begin(), own.end());
    }
    from.next = last;
    if (last == numLayers)
      break;
    bool leaves = (stage + 1) % inNode == 0;
    double bytes = static_cast<double>(largest) *
                   static_cast<double>(
                       model.problem.layers[last - 1].output.perSample.count());
    from.start += wait * (forward + bytes * static_cast<double>(shape.tensor) /
                                        static_cast<double>(shape.nodes) /
                                        (leaves ? nodes.out : nodes.inside));
  }
  return from;
}

bool GroupSearch::coverAll(ArrayRef<size_t> order, double time,
                           Covered &result) {
  result = {};
  for (size_t index : order) {
    Covered best = result;
    double most = 0;
    for (const Shape &shape : classes[index].shapes) {
      Covered next = cover(classes[index], shape, result, time);
      // What it does, without what those after it can do less.
      double value = static_cast<double>(next.next - result.next) -
                     (next.start - result.start) / time *
                         static_cast<double>(numLayers - next.next);
      if (value <= most)
        continue;
      most = value;
      best = std::move(next);
    }
    result = std::move(best);
    if (result.next == numLayers)
      return true;
  }
  return false;
}

std::pair<double, std::vector<StageChoice>>
GroupSearch::solve(ArrayRef<size_t> order, double given) {
  wait = given;
  Covered best, tried;
  double high = 1e-6;
  for (int i = 0; !coverAll(order, high, best); ++i) {
    if (i == 50)
      return {infinity, {}};
    high *= 2;
  }
  double low = high / 2;
  while (high > 1.005 * low) {
    double middle = low + (high - low) / 2;
    if (coverAll(order, middle, tried)) {
      high = middle;
      best = std::move(tried);
    } else {
      low = middle;
    }
  }
  return {high, std::move(best.stages)};
}

/// All shapes that use all nodes, or nearly.
static std::vector<Shape> findShapes(const Problem &problem, int64_t numNodes,
                                     int64_t perNode, bool recomputes) {
  std::vector<int64_t> degrees = {1};
  for (const Layer &layer : problem.layers)
    for (int64_t degree : layer.tensorDegrees)
      if (!is_contained(degrees, degree) &&
          all_of(problem.layers, [&](const Layer &other) {
            return is_contained(other.tensorDegrees, degree);
          }))
        degrees.push_back(degree);
  std::vector<Shape> shapes;
  for (int64_t nodes = 1; nodes <= numNodes; ++nodes) {
    // A twentieth of the nodes may be left out.
    if (numNodes % nodes * 20 > numNodes)
      continue;
    for (int64_t devices = 1; devices <= perNode; ++devices) {
      if (perNode % devices != 0 ||
          numNodes / nodes * (perNode / devices) > mostStages)
        continue;
      for (int64_t tensor : degrees)
        if (devices % tensor == 0)
          for (bool recompute : {false, true})
            if (!recompute || recomputes)
              shapes.push_back({nodes, devices, tensor, recompute});
    }
  }
  return shapes;
}

/// The classes with their nodes; a node that has fewer devices of a class than
/// others counts with what all have.
static std::vector<ClassNodes> findClasses(const PlanBuilder &builder,
                                           ArrayRef<int64_t> devices) {
  const Cluster &cluster = builder.model.cluster;
  std::map<int64_t, std::map<int64_t, std::vector<int64_t>>> found;
  for (int64_t device : devices)
    found[cluster.devices[device].deviceClass][cluster.devices[device].node]
        .push_back(device);
  std::vector<ClassNodes> result;
  for (auto &[deviceClass, nodes] : found) {
    ClassNodes &entry = result.emplace_back();
    entry.deviceClass = deviceClass;
    entry.perNode = devices.size();
    for (auto &[node, list] : nodes) {
      entry.perNode = std::min<int64_t>(entry.perNode, list.size());
      entry.nodes.push_back(list);
    }
    auto speed = [&](int64_t from, int64_t to) {
      return static_cast<double>(
          cluster.pathBetween(from, to).bandwidth.count());
    };
    if (entry.nodes.size() > 1)
      entry.out = speed(entry.nodes[0].front(), entry.nodes[1].front());
    if (entry.perNode > 1)
      entry.inside = speed(entry.nodes[0][0], entry.nodes[0][1]);
    entry.shapes = findShapes(builder.model.problem, entry.nodes.size(),
                              entry.perNode, builder.options.recompute);
  }
  return result;
}

std::vector<GroupDesign>
hetero::planner::searchGroups(const PlanBuilder &builder,
                              ArrayRef<int64_t> devices,
                              ArrayRef<std::vector<int64_t>> microbatches,
                              ArrayRef<size_t> searched, int64_t mostOrders) {
  std::vector<ClassNodes> classes = findClasses(builder, devices);
  std::vector<GroupDesign> result;
  for (size_t index : searched) {
    GroupSearch search(builder, classes, microbatches[index]);
    std::vector<size_t> order(classes.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    int64_t number = 0;
    do {
      for (double wait : {1.0, 2.0, 3.5}) {
        auto [seconds, stages] = search.solve(order, wait);
        if (seconds < infinity)
          result.push_back({seconds, {index, std::move(stages)}});
      }
    } while (++number < mostOrders &&
             std::next_permutation(order.begin(), order.end()));
  }
  std::vector<std::pair<double, size_t>> order;
  for (auto [index, entry] : enumerate(result))
    order.push_back({entry.seconds, index});
  sort(order);
  std::vector<GroupDesign> sorted;
  for (auto [seconds, index] : order)
    sorted.push_back(std::move(result[index]));
  return sorted;
}
