//===- Cluster.h - Devices that need not be alike ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// A cluster is classes of devices, nodes that hold devices, and a network
// between nodes. It is read from a `cluster.yaml`, and means what
// `hetero.cluster` means in the IR. Devices have ranks 0, 1, ... in the order
// in which the nodes, and inside a node its classes, are listed; a device that
// is not available keeps its rank.
//
// The network is a graph. Its vertices are nodes and switches, numbered nodes
// first; its edges are the ports of each switch and the links. A message takes
// the path with the fewest edges, of those the one whose narrowest edge is
// widest, of those the one that is listed first, unless a route says otherwise.
//
// A worked example
// ----------------
//
//   name: lab
//   classes:                       # beside the built-in ones, see catalogue()
//     l4-shared: {like: l4, reserved: 4 GiB}
//     a6000: {price: 0.8/h}        # a built-in class with one field changed
//   nodes:
//     - name: box
//       devices: [1 x l4, 1 x l4-shared]        # ranks 0 and 1
//       link: {kind: pcie, bandwidth: 12 GB/s, latency: 5 us, shared: true}
//       host: 128 GiB
//     - name: tower
//       devices: [a6000]                        # rank 2
//   links:
//     - between: [box, tower]
//       kind: ethernet
//       bandwidth: 10 Gb/s
//       latency: 30 us
//
// All keys, those with a star required:
//
//   name  classes  nodes*  switches  links  routes  sites  collectives
//   a class   like memory* reserved peak* bandwidth* efficiency overhead price
//             (* unless it is built in, or like another)
//   a node    name* devices* count link host unavailable
//   a switch  name* joins* link*
//   a link    between* kind bandwidth* latency shared
//   a route   from* to* via*
//   a site    name* members*
//   a collective  operation* members* nodes class times*
//
// Measured times of collectives take the place of formulas (CostModel.h): those
// of `operation` over so many members in so many nodes, of one class if it is
// given, by the bytes of the whole tensor:
//
//   collectives:
//     - {operation: all_reduce, members: 2, nodes: 1, class: l4,
//        times: {1 MB: 250 us, 64 MB: 13 ms}}
//
// A node with `count: 3` stands for three of them, <name>_0 to <name>_2, and
// the name alone then stands for all three where members are listed.

#ifndef HETERO_CLUSTER_CLUSTER_H
#define HETERO_CLUSTER_CLUSTER_H

#include "hetero/Support/Amount.h"
#include "hetero/Support/Enums.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hetero::cluster {

/// A point of an efficiency curve: the share of the peak that an operation with
/// this much work reaches.
struct CurvePoint {
  Work work;
  Share share;
};

/// What devices of one kind have in common.
struct DeviceClass {
  std::string name;
  /// What the device has, and what of that is not ours to use.
  Bytes memory, reserved;
  /// Speed by element type, as the vendor states it.
  std::map<std::string, Speed> peak;
  /// Of the memory of the device.
  Bandwidth bandwidth;
  /// By growing work; linear in its logarithm in between, constant outside; all
  /// of the peak if empty.
  std::vector<CurvePoint> efficiency;
  /// What each operation takes at least.
  Time overhead;
  std::optional<Price> price;

  Bytes usableMemory() const { return memory - reserved; }
  /// The peak for operands of `type`: the listed one; else that of f32, in
  /// which it is then computed; else the lowest.
  Speed peakFor(llvm::StringRef type) const;
  /// The share of the peak for an operation with that much work, 0 to 1.
  double efficiencyAt(double work) const;
  /// The highest share on the curve.
  double bestEfficiency() const;
};

using hetero::LinkKind;

/// Carries `bandwidth` in each direction at the same time and adds `latency` to
/// each message. When it is `shared` all of its users have it together.
struct Link {
  LinkKind kind = LinkKind::Ethernet;
  Bandwidth bandwidth;
  Time latency;
  bool shared = false;
};

/// Several devices of one class.
struct DeviceGroup {
  int64_t count = 1;
  /// Index in Cluster::classes.
  int64_t deviceClass = 0;
};

struct Node {
  std::string name;
  std::vector<DeviceGroup> groups;
  /// Between its devices; there is one if it has several.
  std::optional<Link> link;
  /// The memory of the machine itself.
  std::optional<Bytes> host;
  /// Devices, by their number inside of the node, that must not be used.
  std::vector<int64_t> unavailable;
};

/// Joins vertices, each by a port of its own.
struct Switch {
  std::string name;
  std::vector<int64_t> members;
  Link link;
};

/// A cable between two vertices.
struct Cable {
  int64_t first = 0, second = 0;
  Link link;
};

/// The way between two nodes, in both directions.
struct Route {
  int64_t source = 0, target = 0;
  std::vector<int64_t> via;
};

/// Vertices in one place.
struct Site {
  std::string name;
  std::vector<int64_t> members;
};

using hetero::CollectiveKind;
inline constexpr int numCollectiveKinds =
    hetero::getMaxEnumValForCollectiveKind() + 1;

/// The time of a collective on a tensor of so many bytes.
struct CollectivePoint {
  Bytes bytes;
  Time time;
};

/// What collectives took when they were measured.
struct MeasuredCollective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  int64_t members = 2, nodes = 1;
  /// The class of all members; any if not given.
  std::optional<int64_t> deviceClass;
  /// At least one, by growing bytes.
  std::vector<CollectivePoint> points;
};

struct Device {
  /// Indices in Cluster::nodes and Cluster::classes.
  int64_t node = 0, deviceClass = 0;
  /// Its number inside of the node.
  int64_t index = 0;
  bool available = true;
};

/// An edge of the network: a cable, or a port of a switch.
struct Edge {
  int64_t first = 0, second = 0;
  Link link;
  /// For messages: "n0 <-> n1".
  std::string name;
  /// Edges with the same medium share its bandwidth: the ports of a shared
  /// switch. Every other edge has a medium of its own.
  int64_t medium = 0;
};

/// How messages go from one device to another: the narrowest edge and the sum
/// of the latencies.
struct Path {
  Bandwidth bandwidth;
  Time latency;
  /// Whether a part of it is shared with others that send at the same time.
  bool shared = false;
};

/// A cluster. The vectors up to `collectives` describe it; `finish` derives the
/// rest from them and checks them.
struct Cluster {
  std::string name;
  std::vector<DeviceClass> classes;
  std::vector<Node> nodes;
  std::vector<Switch> switches;
  std::vector<Cable> cables;
  std::vector<Route> routes;
  std::vector<Site> sites;
  std::vector<MeasuredCollective> collectives;

  /// Derived: all devices by rank.
  std::vector<Device> devices;
  /// Derived: all edges, and for each pair of nodes the path, row by row;
  /// inside of a node the path between two of its devices.
  std::vector<Edge> edges;
  std::vector<Path> paths;

  /// Fills in what is derived. Fails, naming the part, when the cluster has no
  /// node, a node cannot be reached from the first one (the number of that node
  /// is then in `unreached`), an index is out of range, or a number is not
  /// possible.
  llvm::Error finish(std::optional<int64_t> *unreached = nullptr);

  int64_t numVertices() const { return nodes.size() + switches.size(); }
  /// The name of a node or switch.
  llvm::StringRef vertexName(int64_t vertex) const;
  const DeviceClass &classOf(int64_t rank) const {
    return classes[devices[rank].deviceClass];
  }
  const Node &nodeOf(int64_t rank) const { return nodes[devices[rank].node]; }
  /// The path between two different devices.
  const Path &pathBetween(int64_t from, int64_t to) const {
    return paths[devices[from].node * nodes.size() + devices[to].node];
  }
  /// The edges that messages between two nodes pass, in order, as indices in
  /// `edges`; none inside of a node.
  std::vector<int64_t> edgesBetween(int64_t source, int64_t target) const;
  /// For messages: "device 2 (p40 of node 'box')".
  std::string describe(int64_t rank) const;
  /// The ranks of the devices that may be used.
  std::vector<int64_t> availableDevices() const;
};

/// Clusters with more nodes than this are refused: the paths between all pairs
/// are kept.
inline constexpr int64_t maxNodes = 2048;
/// As in the IR.
inline constexpr int64_t maxDevicesPerNode = 65536;

/// The built-in device classes, by name. They come from
/// lib/Cluster/Catalogue.yaml, which names the source of each figure.
llvm::ArrayRef<DeviceClass> catalogue();

/// Reads a cluster.yaml. Only the classes that its nodes use are kept, in order
/// of first use. Errors start with `<name>:<line>:<column>:`; an unknown key
/// lists the known ones, and an unknown class those with a similar name.
llvm::Expected<Cluster> readCluster(llvm::MemoryBufferRef buffer);

/// Reads the file, or gives `makeDefaultCluster()` for the name "builtin".
llvm::Expected<Cluster> readClusterFile(llvm::StringRef file);

/// One device of the built-in class `cpu`.
Cluster makeDefaultCluster();

/// Writes a cluster.yaml; readCluster gives back the same cluster.
void writeCluster(const Cluster &cluster, llvm::raw_ostream &os);

} // namespace hetero::cluster

#endif // HETERO_CLUSTER_CLUSTER_H
