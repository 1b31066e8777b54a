//===- StageModel.cpp - The time that a stage takes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/StageModel.h"
#include "hetero/Planner/Model/CostTime.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;
using hetero::cluster::DeviceClass;

/// Whether memory sees no difference between two layers.
static bool holdsTheSame(const Layer &left, const Layer &right) {
  auto amounts = [](const Layer &layer) {
    return std::tie(layer.parameters, layer.optimizerState, layer.gradients,
                    layer.saved.fixed, layer.saved.perSample,
                    layer.workspace.fixed, layer.workspace.perSample,
                    layer.output.fixed, layer.output.perSample);
  };
  return amounts(left) == amounts(right);
}

StageModel::StageModel(const Problem &problem, const Cluster &cluster)
    : problem(problem), cluster(cluster) {
  for (auto [index, layer] : enumerate(problem.layers))
    kinds.push_back(layer.like ? kinds[*layer.like] : int64_t(index));
  int64_t numLayers = problem.layers.size();
  alikeUpTo.assign(numLayers, numLayers);
  for (int64_t layer = numLayers - 2; layer >= 0; --layer)
    alikeUpTo[layer] =
        holdsTheSame(problem.layers[layer], problem.layers[layer + 1])
            ? alikeUpTo[layer + 1]
            : layer + 1;
  int64_t numNodes = cluster.nodes.size();
  std::map<std::tuple<int64_t, int64_t, bool>, int64_t> firsts;
  for (int64_t node = 0; node < numNodes; ++node) {
    const cluster::Path &inside = cluster.paths[node * numNodes + node];
    nodeKinds.push_back(
        firsts
            .try_emplace({inside.bandwidth.count(), inside.latency.count(),
                          inside.shared},
                         node)
            .first->second);
  }
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

static Time partTime(const DeviceClass &deviceClass, const Cost &cost,
                     int64_t tensor, int64_t samples) {
  return costTime(deviceClass, cost, [&](auto amount) {
    return divide(amount.at(samples), tensor);
  });
}

const LayerTimes &StageModel::layerTimes(int64_t deviceClass, int64_t tensor,
                                         int64_t samples) const {
  std::unique_ptr<LayerTimes> &entry = times[{deviceClass, tensor, samples}];
  if (entry)
    return *entry;
  entry = std::make_unique<LayerTimes>();
  LayerTimes &result = *entry;
  const DeviceClass &device = cluster.classes[deviceClass];
  for (const Layer &layer : problem.layers) {
    Time forward, backward;
    if (layer.like && samples > 0) {
      forward = result.forward[*layer.like];
      backward = result.backward[*layer.like];
    } else if (const MeasuredTimes *measured = layer.measuredOn(device.name);
               measured && samples > 0) {
      std::tie(forward, backward) = measured->at(samples);
      forward = divide(forward, tensor);
      backward = divide(backward, tensor);
    } else if (samples > 0) {
      forward = partTime(device, layer.forward, tensor, samples);
      backward = partTime(device, layer.backward, tensor, samples);
    }
    result.forward.push_back(forward);
    result.backward.push_back(backward);
    result.sums.add(forward, backward);
  }
  return result;
}

std::pair<Time, Time> StageModel::tensorTimes(const Layer &layer,
                                              const cost::Group &group,
                                              int64_t samples) const {
  if (group.members <= 1 || samples == 0)
    return {Time(0), Time(0)};
  return {cost::chooseAllReduce(group, layer.tensorForward.at(samples)).time,
          cost::chooseAllReduce(group, layer.tensorBackward.at(samples)).time};
}

/// How many rows of a mesh are on the bus of a row in one node, if there is
/// one.
static int64_t rowsOnBus(const Cluster &cluster, const Mesh &mesh,
                         int64_t row) {
  int64_t node = cluster.devices[mesh.row(row).front()].node;
  const std::optional<cluster::Link> &link = cluster.nodes[node].link;
  if (!link || !link->shared)
    return 1;
  int64_t count = 0;
  for (int64_t other = 0; other < mesh.data; ++other)
    count += cluster.devices[mesh.row(other).front()].node == node;
  return count;
}

const PassSums &StageModel::tensorSums(ArrayRef<int64_t> row, int64_t alike,
                                       int64_t samples) const {
  // Inside of a node all devices are joined alike; what was measured is for a
  // class.
  const cluster::Device &first = cluster.devices[row.front()];
  bool inside = all_of(row, [&](int64_t device) {
    const cluster::Device &other = cluster.devices[device];
    return other.node == first.node && (cluster.collectives.empty() ||
                                        other.deviceClass == first.deviceClass);
  });
  std::vector<int64_t> key = {
      samples, int64_t(row.size()), alike, nodeKinds[first.node],
      cluster.collectives.empty() ? 0 : first.deviceClass};
  if (!inside)
    key.insert(key.end(), row.begin(), row.end());
  auto [entry, isNew] = sums.try_emplace(std::move(key));
  PassSums &result = entry->second;
  if (!isNew)
    return result;
  cost::Group group = cost::makeGroup(cluster, row, alike);
  std::pair<Time, Time> last;
  int64_t lastKind = -1;
  for (auto [index, layer] : enumerate(problem.layers)) {
    if (kinds[index] != lastKind)
      last = tensorTimes(layer, group, samples);
    lastKind = kinds[index];
    result.add(last.first, last.second);
  }
  return result;
}

/// What the layers of the runs take together.
static Time sumOf(ArrayRef<LayerRun> layers, const LayerSums<Time> &times) {
  // What is too long to count stays so.
  if (times.all() == Time::max())
    return Time::max();
  Time sum;
  for (const LayerRun &run : layers)
    sum += times.of(run);
  return sum;
}

std::pair<Time, Time> StageModel::chunkTimes(const Stage &stage, size_t device,
                                             int64_t samples) const {
  const Mesh &mesh = stage.mesh;
  const LayerTimes &table = layerTimes(
      cluster.devices[mesh.devices[device]].deviceClass, mesh.tensor, samples);
  Time forward = sumOf(stage.layers, table.sums.forward);
  Time backward = sumOf(stage.layers, table.sums.backward);
  if (mesh.tensor > 1) {
    int64_t row = int64_t(device) / mesh.tensor;
    const PassSums &joined =
        tensorSums(mesh.row(row), rowsOnBus(cluster, mesh, row), samples);
    forward += sumOf(stage.layers, joined.forward);
    backward += sumOf(stage.layers, joined.backward);
  }
  return {forward, stage.recompute ? backward + forward : backward};
}

std::pair<Time, Time> StageModel::computeTimes(const Stage &stage,
                                               size_t size) const {
  const Mesh &mesh = stage.mesh;
  Time slowestForward, slowestBackward;
  // Class, kind of node, samples and chunk of the device before, which often is
  // alike.
  std::tuple<int64_t, int64_t, int64_t, int64_t> before(-1, -1, 0, 0);
  for (size_t device = 0; device < mesh.devices.size(); ++device) {
    int64_t samples = stage.samples[size][int64_t(device) / mesh.tensor];
    int64_t chunk =
        std::min(samples, stage.shares[device].micro.value_or(samples));
    if (chunk <= 0)
      continue;
    const cluster::Device &entry = cluster.devices[mesh.devices[device]];
    std::tuple<int64_t, int64_t, int64_t, int64_t> here(
        entry.deviceClass, mesh.tensor > 1 ? nodeKinds[entry.node] : 0, samples,
        chunk);
    // A row that lies in several nodes is not like another one.
    bool inside =
        mesh.tensor == 1 ||
        all_of(mesh.row(int64_t(device) / mesh.tensor), [&](int64_t other) {
          return cluster.devices[other].node == entry.node;
        });
    if (inside && here == before)
      continue;
    before = inside ? here : decltype(before)(-1, -1, 0, 0);
    auto [forward, backward] = chunkTimes(stage, device, chunk);
    forward = forward * (samples / chunk);
    backward = backward * (samples / chunk);
    if (samples % chunk > 0) {
      auto [more, moreBackward] = chunkTimes(stage, device, samples % chunk);
      forward += more;
      backward += moreBackward;
    }
    slowestForward = std::max(slowestForward, forward);
    slowestBackward = std::max(slowestBackward, backward);
  }
  return {slowestForward, slowestBackward};
}

//===----------------------------------------------------------------------===//
// Boundaries
//===----------------------------------------------------------------------===//

/// A row keeps consecutive samples; all columns of a row have the same ones, so
/// that only one of them has to send.
std::vector<simulator::Message>
StageModel::boundaryMessages(const Stage &from, const Stage &to, size_t size,
                             bool gradient) const {
  const Layer &last = problem.layers[from.layers.back().last];
  const Affine<Bytes> &amount = gradient ? last.outputGradient : last.output;
  const Stage &source = gradient ? to : from, &target = gradient ? from : to;
  ArrayRef<int64_t> sent = source.samples[size];
  ArrayRef<int64_t> received = target.samples[size];
  std::vector<simulator::Message> messages;
  int64_t fromRow = 0, toRow = 0, fromEnd = 0, toEnd = 0, at = 0;
  auto advance = [&]() {
    while (fromRow < source.mesh.data && fromEnd + sent[fromRow] <= at)
      fromEnd += sent[fromRow++];
    while (toRow < target.mesh.data && toEnd + received[toRow] <= at)
      toEnd += received[toRow++];
    return fromRow < source.mesh.data && toRow < target.mesh.data;
  };
  while (advance()) {
    int64_t next = std::min(fromEnd + sent[fromRow], toEnd + received[toRow]);
    for (auto [index, device] : enumerate(target.mesh.row(toRow)))
      messages.push_back({source.mesh.row(fromRow)[index % source.mesh.tensor],
                          device, amount.at(next - at)});
    at = next;
  }
  return messages;
}

/// How long messages take that devices and nodes send and receive at the same
/// time.
static Time crossingTime(const Cluster &cluster,
                         const simulator::Network &network,
                         ArrayRef<simulator::Message> messages) {
  Time latency, longest;
  std::map<int64_t, Time> outOfNode, intoNode, onTrunk, insideNode, outOfDevice,
      intoDevice;
  auto add = [&](Time &user, Time more) {
    longest = std::max(longest, user += more);
  };
  for (auto [from, to, bytes] : messages) {
    const cluster::Path &path = cluster.pathBetween(from, to);
    int64_t fromNode = cluster.devices[from].node;
    int64_t toNode = cluster.devices[to].node;
    latency = std::max(latency, path.latency);
    Time time = bytes / path.bandwidth;
    if (fromNode != toNode) {
      add(outOfNode[fromNode], time);
      add(intoNode[toNode], time);
      for (int64_t trunk : network.trunksBetween(fromNode, toNode))
        add(onTrunk[trunk], bytes / network.media()[trunk].bandwidth);
    } else if (path.shared) {
      add(insideNode[fromNode], time);
    } else {
      add(outOfDevice[from], time);
      add(intoDevice[to], time);
    }
  }
  return latency + longest;
}

std::pair<Time, Time> StageModel::boundaryTimes(const Stage &from,
                                                const Stage &to,
                                                size_t size) const {
  auto timeOf = [&](bool gradient) {
    return crossingTime(cluster, network(),
                        boundaryMessages(from, to, size, gradient));
  };
  return {timeOf(/*gradient=*/false), timeOf(/*gradient=*/true)};
}

const simulator::Network &StageModel::network() const {
  if (!media)
    media.emplace(cluster);
  return *media;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

bool StageModel::contains(ArrayRef<LayerRun> layers, int64_t layer) {
  return any_of(layers, [&](const LayerRun &run) {
    return run.first <= layer && layer <= run.last;
  });
}

ColumnState StageModel::columnState(ArrayRef<LayerRun> layers,
                                    int64_t tensor) const {
  ColumnState column;
  forEachAlike(layers, [&](int64_t first, int64_t count) {
    const Layer &layer = problem.layers[first];
    column.parameters += divide(layer.parameters, tensor) * count;
    column.optimizer += divide(layer.optimizerState, tensor) * count;
    column.gradients += divide(layer.gradients, tensor) * count;
  });
  for (const Tie &tie : problem.ties) {
    if (contains(layers, tie.layers.front()) ||
        none_of(tie.layers, [&](int64_t l) { return contains(layers, l); }))
      continue;
    column.parameters += divide(tie.parameters, tensor);
    column.gradients += divide(tie.gradients, tensor);
  }
  return column;
}

Bytes StageModel::inputBytes(ArrayRef<LayerRun> layers) const {
  Bytes sum;
  for (const Input &input : problem.inputs)
    if (any_of(input.layers, [&](int64_t l) { return contains(layers, l); }))
      sum += input.sample;
  return sum;
}

/// The bytes of something that is divided as the state is, for each of the
/// devices with these shares.
static std::vector<Bytes> divideLike(Bytes bytes, ArrayRef<int64_t> shares) {
  int64_t total = 0;
  for (int64_t share : shares)
    total += share;
  std::vector<Bytes> parts;
  for (int64_t share : shares)
    parts.push_back(total > 0 ? Bytes(scale(bytes.count(), share, total))
                              : divide(bytes, shares.size()));
  return parts;
}

namespace {
/// The times of the collectives of one column.
struct ColumnTimes {
  Time gather, reduce, afterUpdate;
};
} // namespace

/// State is divided inside of each node: gather and reduce-scatter there, and
/// sum the parts between nodes, all of them at once.
static ColumnTimes nodeTimes(const Cluster &cluster,
                             ArrayRef<std::vector<int64_t>> columns,
                             size_t index, ArrayRef<int64_t> shares,
                             const ColumnState &column) {
  ColumnTimes result;
  std::map<int64_t, std::vector<int64_t>> parts;
  std::map<int64_t, std::vector<std::vector<int64_t>>> rings;
  std::vector<std::vector<int64_t>> leaders(columns.size());
  for (auto [device, share] : zip_equal(columns[index], shares))
    parts[cluster.devices[device].node].push_back(share);
  for (auto [number, devices] : enumerate(columns))
    for (int64_t device : devices) {
      auto &list = rings[cluster.devices[device].node];
      list.resize(columns.size());
      if (list[number].empty())
        leaders[number].push_back(device);
      list[number].push_back(device);
    }
  for (const auto &[node, list] : parts) {
    if (list.size() == 1)
      continue;
    cost::Group group = cost::makeGroups(cluster, rings[node])[index];
    result.gather = std::max(
        result.gather,
        cost::chooseAllGather(group, divideLike(column.parameters, list)).time);
    result.reduce = std::max(
        result.reduce,
        cost::chooseReduceScatter(group, divideLike(column.gradients, list))
            .time);
  }
  result.reduce +=
      cost::chooseAllReduce(cost::makeGroups(cluster, leaders)[index],
                            column.gradients)
          .time;
  return result;
}

static ColumnTimes columnTimes(const cost::Group &group, StateMode mode,
                               ArrayRef<int64_t> shares,
                               const ColumnState &column) {
  auto gatherTime = [&](Bytes bytes) {
    return cost::chooseAllGather(group, divideLike(bytes, shares)).time;
  };
  auto scatterTime = [&](Bytes bytes) {
    return cost::chooseReduceScatter(group, divideLike(bytes, shares)).time;
  };
  switch (mode) {
  case StateMode::Replicated:
    return {Time(0), cost::chooseAllReduce(group, column.gradients).time,
            Time(0)};
  case StateMode::Optimizer:
    return {Time(0), scatterTime(column.gradients),
            gatherTime(column.parameters)};
  case StateMode::Full:
    return {gatherTime(column.parameters), scatterTime(column.gradients),
            Time(0)};
  case StateMode::Node:
    break;
  }
  llvm_unreachable("what is divided in nodes has times of its own");
}

Time StageModel::updateTime(const Stage &stage, size_t device,
                            const ColumnState &column) const {
  int64_t part = 1, whole = 1;
  if (stage.state == StateMode::Optimizer && column.optimizer > Bytes(0)) {
    part = (stage.shares[device].state - column.parameters).count();
    whole = column.optimizer.count();
  } else if ((stage.state == StateMode::Full ||
              stage.state == StateMode::Node) &&
             column.total() > Bytes(0)) {
    part = stage.shares[device].state.count();
    whole = column.total().count();
  }
  if (part <= 0)
    return Time(0);
  const DeviceClass &deviceClass = cluster.classOf(stage.mesh.devices[device]);
  auto scaled = [&](auto amount) {
    return decltype(amount.fixed)(
        scale(scale(amount.fixed.count(), 1, stage.mesh.tensor), part, whole));
  };
  Time sum, last;
  int64_t lastKind = -1;
  for (const LayerRun &run : stage.layers)
    for (int64_t index = run.first; index <= run.last; ++index) {
      // Equal layers take equally long.
      if (kinds[index] != lastKind)
        last = costTime(deviceClass, problem.layers[index].update, scaled);
      lastKind = kinds[index];
      sum += last;
    }
  return sum;
}

StageTimes StageModel::onceTimes(const Stage &stage) const {
  const Mesh &mesh = stage.mesh;
  ColumnState column = columnState(stage.layers, mesh.tensor);
  StageTimes result;
  std::set<std::pair<int64_t, Bytes>> seen;
  for (size_t device = 0; device < mesh.devices.size(); ++device)
    if (seen.insert({cluster.devices[mesh.devices[device]].deviceClass,
                     stage.shares[device].state})
            .second)
      result.update =
          std::max(result.update, updateTime(stage, device, column));
  if (mesh.data == 1)
    return result;
  Time afterUpdate;
  std::vector<std::vector<int64_t>> columns = mesh.columns();
  std::vector<cost::Group> groups = cost::makeGroups(cluster, columns);
  for (int64_t index = 0; index < mesh.tensor; ++index) {
    std::vector<int64_t> shares;
    for (int64_t row = 0; row < mesh.data; ++row) {
      Bytes state = stage.shares[row * mesh.tensor + index].state;
      if (stage.state == StateMode::Optimizer)
        state -= column.parameters;
      shares.push_back(state.count());
    }
    ColumnTimes times =
        stage.state == StateMode::Node
            ? nodeTimes(cluster, columns, index, shares, column)
            : columnTimes(groups[index], stage.state, shares, column);
    result.gather = std::max(result.gather, times.gather);
    result.reduce = std::max(result.reduce, times.reduce);
    afterUpdate = std::max(afterUpdate, times.afterUpdate);
  }
  result.update += afterUpdate;
  return result;
}

std::vector<Time> StageModel::tieTimes(const Plan &plan) const {
  std::vector<Time> sums(plan.stages.size());
  for (const Tie &tie : problem.ties) {
    auto owner = find_if(plan.stages, [&](const Stage &stage) {
      return contains(stage.layers, tie.layers.front());
    });
    for (size_t index = 0; index < plan.stages.size(); ++index) {
      const Stage &stage = plan.stages[index];
      bool uses = any_of(tie.layers,
                         [&](int64_t l) { return contains(stage.layers, l); });
      if (!uses || &stage == &*owner)
        continue;
      const cluster::Path &path = cluster.pathBetween(
          stage.mesh.devices.front(), owner->mesh.devices.front());
      Time exchange = cost::transferTime(path, tie.gradients) +
                      cost::transferTime(path, tie.parameters);
      sums[index] += exchange;
      sums[owner - plan.stages.begin()] += exchange;
    }
  }
  return sums;
}

std::vector<std::vector<StageTimes>>
StageModel::stageTimes(const Plan &plan) const {
  std::vector<Time> ties = tieTimes(plan);
  std::vector<std::vector<StageTimes>> result(plan.stages.size());
  for (auto [index, stage] : enumerate(plan.stages)) {
    StageTimes once = onceTimes(stage);
    once.reduce += ties[index];
    for (size_t size = 0; size < stage.samples.size(); ++size) {
      StageTimes times = once;
      std::tie(times.forward, times.backward) = computeTimes(stage, size);
      if (index + 1 < plan.stages.size())
        std::tie(times.boundary, times.boundaryGradient) =
            boundaryTimes(stage, plan.stages[index + 1], size);
      result[index].push_back(times);
    }
  }
  return result;
}
