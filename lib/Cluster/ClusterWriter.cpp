//===- ClusterWriter.cpp - Writes a cluster.yaml --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Cluster/Cluster.h"
#include "hetero/Support/Enums.h"
#include "hetero/Support/Yaml.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::cluster;

/// A curve as "{1 MFLOP: 0.02, 1 TFLOP: 0.8}".
template <typename PointT, typename FromT, typename ToT>
static auto curve(ArrayRef<PointT> points, FromT PointT::*from,
                  ToT PointT::*to) {
  return [=](raw_ostream &os) {
    YamlWriter keys(os);
    for (const PointT &point : points)
      keys.write((point.*from).str(), point.*to);
  };
}

static void writeClass(const DeviceClass &deviceClass, raw_ostream &os) {
  os << "  " << quoteYaml(deviceClass.name) << ":\n";
  YamlWriter keys(os, "    ");
  keys.write("memory", deviceClass.memory);
  // Everything is written, as the built-in class of that name may differ.
  keys.write("reserved", deviceClass.reserved);
  keys.write("peak", deviceClass.peak);
  keys.write("bandwidth", deviceClass.bandwidth);
  keys.write("efficiency", curve(ArrayRef(deviceClass.efficiency),
                                 &CurvePoint::work, &CurvePoint::share));
  keys.write("overhead", deviceClass.overhead);
  keys.write("price", deviceClass.price);
}

static void writeLink(YamlWriter &keys, const Link &link) {
  keys.write("kind", link.kind);
  keys.write("bandwidth", link.bandwidth);
  keys.write("latency", link.latency);
  keys.writeUnless(false, "shared", link.shared);
}

/// A link as a mapping of its own.
static auto inBraces(const Link &link) {
  return [&](raw_ostream &os) {
    YamlWriter keys(os);
    writeLink(keys, link);
  };
}

static void writeNode(const Cluster &cluster, const Node &node,
                      raw_ostream &os) {
  YamlWriter keys(os, "    ", "  - ");
  keys.write("name", node.name);
  keys.write("devices", map_range(node.groups, [&](const DeviceGroup &group) {
               return std::to_string(group.count) + " x " +
                      cluster.classes[group.deviceClass].name;
             }));
  if (node.link)
    keys.write("link", inBraces(*node.link));
  keys.write("host", node.host);
  keys.writeUnless({}, "unavailable", node.unavailable);
}

void hetero::cluster::writeCluster(const Cluster &cluster, raw_ostream &os) {
  auto names = [&](ArrayRef<int64_t> vertices) {
    return map_to_vector(
        vertices, [&](int64_t vertex) { return cluster.vertexName(vertex); });
  };
  YamlWriter top(os, "");
  top.write("name", cluster.name);
  os << "classes:\n";
  for (const DeviceClass &deviceClass : cluster.classes)
    writeClass(deviceClass, os);
  os << "nodes:\n";
  for (const Node &node : cluster.nodes)
    writeNode(cluster, node, os);
  top.writeItems("switches", cluster.switches,
                 [&](YamlWriter &item, const Switch &hub) {
                   item.write("name", hub.name);
                   item.write("joins", names(hub.members));
                   item.write("link", inBraces(hub.link));
                 });
  top.writeItems("links", cluster.cables,
                 [&](YamlWriter &item, const Cable &cable) {
                   item.write("between", names({cable.first, cable.second}));
                   writeLink(item, cable.link);
                 });
  top.writeItems("routes", cluster.routes,
                 [&](YamlWriter &item, const Route &route) {
                   item.write("from", cluster.vertexName(route.source));
                   item.write("to", cluster.vertexName(route.target));
                   item.write("via", names(route.via));
                 });
  top.writeItems("sites", cluster.sites,
                 [&](YamlWriter &item, const Site &site) {
                   item.write("name", site.name);
                   item.write("members", names(site.members));
                 });
  top.writeItems("collectives", cluster.collectives,
                 [&](YamlWriter &item, const MeasuredCollective &measured) {
                   item.write("operation", measured.kind);
                   item.write("members", measured.members);
                   item.write("nodes", measured.nodes);
                   if (measured.deviceClass)
                     item.write("class",
                                cluster.classes[*measured.deviceClass].name);
                   item.write("times", curve(ArrayRef(measured.points),
                                             &CollectivePoint::bytes,
                                             &CollectivePoint::time));
                 });
}
