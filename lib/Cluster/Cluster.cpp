//===- Cluster.cpp - Devices that need not be alike -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Cluster/Cluster.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::cluster;

//===----------------------------------------------------------------------===//
// Device classes
//===----------------------------------------------------------------------===//

Speed DeviceClass::peakFor(StringRef type) const {
  for (StringRef name : {type, StringRef("f32")})
    if (auto found = peak.find(name.str()); found != peak.end())
      return found->second;
  Speed lowest = Speed::max();
  for (const auto &[name, speed] : peak)
    lowest = std::min(lowest, speed);
  return lowest;
}

static double toFraction(Share share) {
  return static_cast<double>(share.count()) / 1000000;
}

double DeviceClass::efficiencyAt(double work) const {
  if (efficiency.empty())
    return 1;
  auto above = find_if(efficiency, [&](const CurvePoint &point) {
    return static_cast<double>(point.work.count()) >= work;
  });
  if (above == efficiency.begin())
    return toFraction(efficiency.front().share);
  if (above == efficiency.end())
    return toFraction(efficiency.back().share);
  const CurvePoint &low = *std::prev(above), &high = *above;
  double from = std::log(std::max<double>(1, low.work.count()));
  double to = std::log(std::max<double>(1, high.work.count()));
  double position = to > from ? (std::log(work) - from) / (to - from) : 1;
  return toFraction(low.share) +
         position * (toFraction(high.share) - toFraction(low.share));
}

double DeviceClass::bestEfficiency() const {
  if (efficiency.empty())
    return 1;
  Share best(0);
  for (const CurvePoint &point : efficiency)
    best = std::max(best, point.share);
  return toFraction(best);
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

namespace {
/// What leads away from each vertex, in the order in which it is listed.
class Graph {
public:
  explicit Graph(const Cluster &cluster)
      : cluster(cluster), neighbours(cluster.numVertices()) {
    for (auto [index, edge] : enumerate(cluster.edges)) {
      neighbours[edge.first].emplace_back(int64_t(index), edge.second);
      neighbours[edge.second].emplace_back(int64_t(index), edge.first);
    }
  }

  /// For each vertex the last edge on the best path from `source` to it, and
  /// the vertex before; -1 if it cannot be reached.
  struct Step {
    int64_t edge = -1, before = -1;
    int64_t hops = -1;
    Bandwidth narrowest;
  };
  std::vector<Step> search(int64_t source) const {
    std::vector<Step> steps(neighbours.size());
    steps[source].hops = 0;
    steps[source].narrowest = Bandwidth::max();
    std::vector<int64_t> level = {source};
    while (!level.empty()) {
      std::vector<int64_t> next;
      for (int64_t vertex : level)
        for (auto [edge, other] : neighbours[vertex]) {
          Step &step = steps[other];
          bool isNew = step.hops < 0;
          if (!isNew && step.hops != steps[vertex].hops + 1)
            continue;
          Bandwidth narrowest = std::min(steps[vertex].narrowest,
                                         cluster.edges[edge].link.bandwidth);
          if (!isNew && narrowest <= step.narrowest)
            continue;
          if (isNew)
            next.push_back(other);
          step = {edge, vertex, steps[vertex].hops + 1, narrowest};
        }
      level = std::move(next);
    }
    return steps;
  }

  /// The widest edge between two vertices, of those the first; -1 if none.
  int64_t findEdge(int64_t from, int64_t to) const {
    int64_t best = -1;
    for (auto [edge, other] : neighbours[from])
      if (other == to && (best < 0 || cluster.edges[edge].link.bandwidth >
                                          cluster.edges[best].link.bandwidth))
        best = edge;
    return best;
  }

private:
  const Cluster &cluster;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> neighbours;
};
} // namespace

static std::vector<int64_t> walkBack(ArrayRef<Graph::Step> steps,
                                     int64_t target) {
  std::vector<int64_t> edges;
  for (int64_t at = target; steps[at].edge >= 0; at = steps[at].before)
    edges.push_back(steps[at].edge);
  std::reverse(edges.begin(), edges.end());
  return edges;
}

static Path makePath(const Cluster &cluster, ArrayRef<int64_t> edges) {
  Path path{Bandwidth::max(), Time(0), false};
  for (int64_t edge : edges) {
    path.bandwidth =
        std::min(path.bandwidth, cluster.edges[edge].link.bandwidth);
    path.latency += cluster.edges[edge].link.latency;
    path.shared |= cluster.edges[edge].link.shared;
  }
  return path;
}

/// The edges of a route, from its source on.
static Expected<std::vector<int64_t>>
followRoute(const Cluster &cluster, const Graph &graph, const Route &route) {
  std::vector<int64_t> stops = route.via;
  stops.push_back(route.target);
  std::vector<int64_t> edges;
  int64_t from = route.source;
  for (int64_t to : stops) {
    int64_t edge = graph.findEdge(from, to);
    if (edge < 0)
      return createStringError("nothing joins '" + cluster.vertexName(from) +
                               "' and '" + cluster.vertexName(to) +
                               "', which follow each other on a route");
    edges.push_back(edge);
    from = to;
  }
  return edges;
}

std::vector<int64_t> Cluster::edgesBetween(int64_t source,
                                           int64_t target) const {
  if (source == target)
    return {};
  Graph graph(*this);
  for (const Route &route : reverse(routes)) {
    bool forwards = route.source == source && route.target == target;
    bool backwards = route.source == target && route.target == source;
    if (!forwards && !backwards)
      continue;
    Expected<std::vector<int64_t>> passed = followRoute(*this, graph, route);
    if (!passed) {
      consumeError(passed.takeError());
      continue;
    }
    if (backwards)
      std::reverse(passed->begin(), passed->end());
    return *passed;
  }
  return walkBack(graph.search(source), target);
}

StringRef Cluster::vertexName(int64_t vertex) const {
  int64_t numNodes = nodes.size();
  return vertex < numNodes ? nodes[vertex].name
                           : switches[vertex - numNodes].name;
}

static Error addEdges(Cluster &cluster) {
  cluster.edges.clear();
  int64_t numVertices = cluster.numVertices(), medium = 0;
  auto add = [&](int64_t first, int64_t second, const Link &link) -> Error {
    for (int64_t vertex : {first, second})
      if (vertex < 0 || vertex >= numVertices)
        return createStringError("a link leads to vertex " + Twine(vertex) +
                                 ", but there are " + Twine(numVertices));
    std::string name =
        (cluster.vertexName(first) + " <-> " + cluster.vertexName(second))
            .str();
    if (first == second)
      return createStringError("'" + cluster.vertexName(first) +
                               "' is joined with itself");
    if (link.bandwidth <= Bandwidth(0) || link.latency < Time(0))
      return createStringError("the link " + name + " has a bandwidth of " +
                               Twine(link.bandwidth.count()) +
                               " B/s; it must be positive");
    cluster.edges.push_back({first, second, link, name, medium});
    return Error::success();
  };
  for (auto [index, hub] : enumerate(cluster.switches)) {
    for (int64_t member : hub.members) {
      if (Error error =
              add(int64_t(cluster.nodes.size() + index), member, hub.link))
        return error;
      medium += !hub.link.shared;
    }
    medium += hub.link.shared;
  }
  for (const Cable &cable : cluster.cables) {
    if (Error error = add(cable.first, cable.second, cable.link))
      return error;
    ++medium;
  }
  return Error::success();
}

static Error addPaths(Cluster &cluster, std::optional<int64_t> *unreached) {
  Graph graph(cluster);
  int64_t numNodes = cluster.nodes.size();
  cluster.paths.assign(numNodes * numNodes, Path());
  for (int64_t source = 0; source < numNodes; ++source) {
    std::vector<Graph::Step> steps = graph.search(source);
    for (int64_t target = 0; target < numNodes; ++target) {
      Path &path = cluster.paths[source * numNodes + target];
      if (source == target) {
        if (const std::optional<Link> &link = cluster.nodes[source].link)
          path = {link->bandwidth, link->latency, link->shared};
        continue;
      }
      if (steps[target].hops < 0) {
        if (unreached)
          *unreached = target;
        return createStringError("no links lead from node '" +
                                 cluster.nodes[source].name + "' to node '" +
                                 cluster.nodes[target].name + "'");
      }
      path = makePath(cluster, walkBack(steps, target));
    }
  }
  for (const Route &route : cluster.routes) {
    for (int64_t end : {route.source, route.target})
      if (end < 0 || end >= numNodes)
        return createStringError("a route must lead from node to node");
    Expected<std::vector<int64_t>> edges = followRoute(cluster, graph, route);
    if (!edges)
      return edges.takeError();
    Path path = makePath(cluster, *edges);
    cluster.paths[route.source * numNodes + route.target] = path;
    cluster.paths[route.target * numNodes + route.source] = path;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static Error addDevices(Cluster &cluster) {
  cluster.devices.clear();
  for (auto [nodeIndex, node] : enumerate(cluster.nodes)) {
    auto fail = [&, &node = node](const Twine &why) {
      return createStringError("node '" + node.name + "' " + why);
    };
    int64_t index = 0;
    for (const DeviceGroup &group : node.groups) {
      if (group.count < 1 || group.count > maxDevicesPerNode - index)
        return fail("has " + Twine(group.count) + " devices of a class; 1 to " +
                    Twine(maxDevicesPerNode - index));
      if (group.deviceClass < 0 ||
          group.deviceClass >= int64_t(cluster.classes.size()))
        return fail("has devices of a class that is not there");
      for (int64_t i = 0; i < group.count; ++i, ++index)
        cluster.devices.push_back({int64_t(nodeIndex), group.deviceClass, index,
                                   !is_contained(node.unavailable, index)});
    }
    if (index == 0)
      return fail("has no devices");
    if (index > 1 && !node.link)
      return fail("has " + Twine(index) + " devices but no link between them");
    if (node.link && (node.link->bandwidth <= Bandwidth(0)))
      return createStringError("the link of node '" + node.name +
                               "' must have a positive bandwidth");
    for (int64_t number : node.unavailable)
      if (number < 0 || number >= index)
        return fail("lists device " + Twine(number) +
                    " as unavailable, but has devices 0 to " +
                    Twine(index - 1));
  }
  return Error::success();
}

static Error checkClass(const DeviceClass &deviceClass) {
  auto fail = [&](const Twine &why) {
    return createStringError("device class '" + deviceClass.name + "' " + why);
  };
  if (deviceClass.usableMemory() <= Bytes(0))
    return fail("has " + deviceClass.memory.str() + " of memory, and " +
                deviceClass.reserved.str() + " of that reserved");
  if (deviceClass.bandwidth <= Bandwidth(0))
    return fail("must have a positive memory bandwidth");
  if (deviceClass.peak.empty())
    return fail("has no peak speed");
  for (const auto &[type, speed] : deviceClass.peak)
    if (speed <= Speed(0))
      return fail("must have a positive peak speed for " + type);
  Work last(-1);
  for (const CurvePoint &point : deviceClass.efficiency) {
    if (point.work <= last)
      return fail("has an efficiency curve whose work does not grow");
    if (point.share <= Share(0) || point.share > Share(1000000))
      return fail("reaches a share of " + point.share.str() +
                  " of its peak; it must be above 0 and at most 1");
    last = point.work;
  }
  return Error::success();
}

Error Cluster::finish(std::optional<int64_t> *unreached) {
  if (nodes.empty())
    return createStringError("the cluster has no nodes");
  if (int64_t(nodes.size()) > maxNodes)
    return createStringError("the cluster has " + Twine(nodes.size()) +
                             " nodes; at most " + Twine(maxNodes));
  for (const DeviceClass &deviceClass : classes)
    if (Error error = checkClass(deviceClass))
      return error;
  if (Error error = addDevices(*this))
    return error;
  if (Error error = addEdges(*this))
    return error;
  return addPaths(*this, unreached);
}

std::string Cluster::describe(int64_t rank) const {
  return ("device " + Twine(rank) + " (" + classOf(rank).name + " of node '" +
          nodeOf(rank).name + "')")
      .str();
}

std::vector<int64_t> Cluster::availableDevices() const {
  std::vector<int64_t> ranks;
  for (auto [rank, device] : enumerate(devices))
    if (device.available)
      ranks.push_back(rank);
  return ranks;
}
