//===- ClusterWriter.cpp - Writes a cluster.yaml --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Cluster/Cluster.h"
#include "hetero/Support/Yaml.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::cluster;

static void writeClass(const DeviceClass &deviceClass, raw_ostream &os) {
  os << "  " << quoteYaml(deviceClass.name) << ":\n";
  os << "    memory: " << deviceClass.memory.str() << '\n';
  // Everything is written, as the built-in class of that name may differ.
  os << "    reserved: " << deviceClass.reserved.str() << '\n';
  os << "    peak: {";
  interleaveComma(deviceClass.peak, os, [&](const auto &entry) {
    os << quoteYaml(entry.first) << ": " << entry.second.str();
  });
  os << "}\n    bandwidth: " << deviceClass.bandwidth.str() << '\n';
  os << "    efficiency: {";
  interleaveComma(deviceClass.efficiency, os, [&](const CurvePoint &point) {
    os << point.work.str() << ": " << point.share.str();
  });
  os << "}\n    overhead: " << deviceClass.overhead.str() << '\n';
  if (deviceClass.price)
    os << "    price: " << deviceClass.price->str() << '\n';
}

static void writeLinkKeys(const Link &link, raw_ostream &os) {
  os << "kind: " << stringify(link.kind)
     << ", bandwidth: " << link.bandwidth.str()
     << ", latency: " << link.latency.str();
  if (link.shared)
    os << ", shared: true";
}

static void writeNode(const Cluster &cluster, const Node &node,
                      raw_ostream &os) {
  os << "  - name: " << quoteYaml(node.name) << "\n    devices: [";
  interleaveComma(node.groups, os, [&](const DeviceGroup &group) {
    os << quoteYaml(std::to_string(group.count) + " x " +
                    cluster.classes[group.deviceClass].name);
  });
  os << "]\n";
  if (node.link) {
    os << "    link: {";
    writeLinkKeys(*node.link, os);
    os << "}\n";
  }
  if (node.host)
    os << "    host: " << node.host->str() << '\n';
  if (!node.unavailable.empty()) {
    os << "    unavailable: [";
    interleaveComma(node.unavailable, os);
    os << "]\n";
  }
}

void hetero::cluster::writeCluster(const Cluster &cluster, raw_ostream &os) {
  auto writeVertices = [&](ArrayRef<int64_t> vertices) {
    os << '[';
    interleaveComma(vertices, os, [&](int64_t vertex) {
      os << quoteYaml(cluster.vertexName(vertex));
    });
    os << ']';
  };
  os << "name: " << quoteYaml(cluster.name) << "\nclasses:\n";
  for (const DeviceClass &deviceClass : cluster.classes)
    writeClass(deviceClass, os);
  os << "nodes:\n";
  for (const Node &node : cluster.nodes)
    writeNode(cluster, node, os);
  if (!cluster.switches.empty())
    os << "switches:\n";
  for (const Switch &hub : cluster.switches) {
    os << "  - {name: " << quoteYaml(hub.name) << ", joins: ";
    writeVertices(hub.members);
    os << ", link: {";
    writeLinkKeys(hub.link, os);
    os << "}}\n";
  }
  if (!cluster.cables.empty())
    os << "links:\n";
  for (const Cable &cable : cluster.cables) {
    os << "  - {between: ";
    writeVertices({cable.first, cable.second});
    os << ", ";
    writeLinkKeys(cable.link, os);
    os << "}\n";
  }
  if (!cluster.routes.empty())
    os << "routes:\n";
  for (const Route &route : cluster.routes) {
    os << "  - {from: " << quoteYaml(cluster.vertexName(route.source))
       << ", to: " << quoteYaml(cluster.vertexName(route.target)) << ", via: ";
    writeVertices(route.via);
    os << "}\n";
  }
  if (!cluster.sites.empty())
    os << "sites:\n";
  for (const Site &site : cluster.sites) {
    os << "  - {name: " << quoteYaml(site.name) << ", members: ";
    writeVertices(site.members);
    os << "}\n";
  }
  if (!cluster.collectives.empty())
    os << "collectives:\n";
  for (const MeasuredCollective &measured : cluster.collectives) {
    os << "  - {operation: " << stringify(measured.kind)
       << ", members: " << measured.members << ", nodes: " << measured.nodes;
    if (measured.deviceClass)
      os << ", class: "
         << quoteYaml(cluster.classes[*measured.deviceClass].name);
    os << ", times: {";
    interleaveComma(measured.points, os, [&](const CollectivePoint &point) {
      os << point.bytes.str() << ": " << point.time.str();
    });
    os << "}}\n";
  }
}
