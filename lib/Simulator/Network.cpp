//===- Network.cpp - What messages share ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Network.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;
using hetero::cluster::Cluster;
using hetero::cluster::Edge;

Network::Network(const Cluster &cluster) : cluster(cluster) {
  auto add = [&](const Twine &name, Bandwidth bandwidth) {
    list.push_back({name.str(), bandwidth});
    return int64_t(list.size()) - 1;
  };
  std::map<int64_t, int64_t> sharedSwitches;
  std::map<int64_t, int64_t> users;
  for (const Edge &edge : cluster.edges)
    ++users[edge.medium];
  for (const Edge &edge : cluster.edges) {
    if (users[edge.medium] > 1) {
      auto [entry, isNew] = sharedSwitches.try_emplace(edge.medium, 0);
      if (isNew)
        entry->second = add(
            "switch " + cluster.vertexName(std::max(edge.first, edge.second)),
            edge.link.bandwidth);
      edgeMedia.emplace_back(entry->second, entry->second);
      continue;
    }
    StringRef first = cluster.vertexName(edge.first);
    StringRef second = cluster.vertexName(edge.second);
    int64_t there = add(first + " -> " + second, edge.link.bandwidth);
    edgeMedia.emplace_back(there,
                           add(second + " -> " + first, edge.link.bandwidth));
  }
  busOf.assign(cluster.nodes.size(), -1);
  portOf.assign(cluster.devices.size(), -1);
  for (auto [index, node] : enumerate(cluster.nodes))
    if (node.link && node.link->shared)
      busOf[index] = add("bus of " + node.name, node.link->bandwidth);
  for (auto [rank, device] : enumerate(cluster.devices)) {
    const cluster::Node &node = cluster.nodes[device.node];
    if (!node.link || node.link->shared)
      continue;
    portOf[rank] = add("out of device " + Twine(rank), node.link->bandwidth);
    add("into device " + Twine(rank), node.link->bandwidth);
  }
  routes.resize(cluster.nodes.size() * cluster.nodes.size());
  trunks.resize(routes.size());
  isTrunk.resize(list.size());
  int64_t numNodes = cluster.nodes.size();
  for (auto [edge, media] : zip_equal(cluster.edges, edgeMedia)) {
    bool isShared = users[edge.medium] > 1;
    isTrunk[media.first] = isTrunk[media.second] =
        isShared || std::min(edge.first, edge.second) >= numNodes;
  }
}

/// The media of the edges between two nodes, each once.
ArrayRef<int64_t> Network::route(int64_t source, int64_t target) const {
  std::optional<std::vector<int64_t>> &known =
      routes[source * cluster.nodes.size() + target];
  if (known)
    return *known;
  known.emplace();
  int64_t at = source;
  for (int64_t index : cluster.edgesBetween(source, target)) {
    const Edge &edge = cluster.edges[index];
    bool forwards = edge.first == at;
    int64_t medium =
        forwards ? edgeMedia[index].first : edgeMedia[index].second;
    if (!is_contained(*known, medium))
      known->push_back(medium);
    at = forwards ? edge.second : edge.first;
  }
  return *known;
}

ArrayRef<int64_t> Network::trunksBetween(int64_t source, int64_t target) const {
  std::optional<std::vector<int64_t>> &known =
      trunks[source * cluster.nodes.size() + target];
  if (!known) {
    known.emplace();
    copy_if(route(source, target), std::back_inserter(*known),
            [&](int64_t medium) { return isTrunk[medium]; });
  }
  return *known;
}

SmallVector<int64_t, 4> Network::mediaBetween(int64_t from, int64_t to) const {
  int64_t source = cluster.devices[from].node;
  int64_t target = cluster.devices[to].node;
  if (from == to)
    return {};
  if (source != target) {
    ArrayRef<int64_t> media = route(source, target);
    return {media.begin(), media.end()};
  }
  if (busOf[source] >= 0)
    return {busOf[source]};
  if (portOf[from] >= 0)
    return {portOf[from], portOf[to] + 1};
  return {};
}

/// The flow with these seconds on each medium, which takes `time`.
Flow Network::makeFlow(const std::map<int64_t, double> &seconds,
                       Time time) const {
  Flow flow;
  double duration = toSeconds(time);
  for (auto [medium, busy] : seconds) {
    double share = duration > 0 ? std::min(1.0, busy / duration) : 1;
    if (share > 0)
      flow.loads.push_back({medium, share});
  }
  return flow;
}

Flow Network::flowOf(ArrayRef<Message> messages, Time time) const {
  std::map<int64_t, double> seconds;
  Time latency;
  for (const Message &message : messages) {
    if (message.from == message.to)
      continue;
    latency = std::max(latency,
                       cluster.pathBetween(message.from, message.to).latency);
    for (int64_t medium : mediaBetween(message.from, message.to))
      seconds[medium] += double(message.bytes.count()) /
                         double(list[medium].bandwidth.count());
  }
  latency = std::min(latency, time);
  Flow flow = makeFlow(seconds, time - latency);
  flow.latency = latency;
  return flow;
}

Flow Network::ringFlow(ArrayRef<std::vector<int64_t>> rings, Time time) const {
  std::map<int64_t, double> seconds;
  double longest = 0;
  for (std::vector<int64_t> ring : rings) {
    // One node after the other.
    llvm::stable_sort(ring, [&](int64_t left, int64_t right) {
      return cluster.devices[left].node < cluster.devices[right].node;
    });
    for (size_t i = 0; ring.size() > 1 && i < ring.size(); ++i)
      for (int64_t medium :
           mediaBetween(ring[i], ring[(i + 1) % ring.size()])) {
        double &busy = seconds[medium];
        busy += 1 / double(list[medium].bandwidth.count());
        longest = std::max(longest, busy);
      }
  }
  for (auto &entry : seconds)
    entry.second *= toSeconds(time) / longest;
  return makeFlow(seconds, time);
}
