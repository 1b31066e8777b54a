//===- Network.h - What messages share --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// A medium carries so many bytes per second for everybody who uses it. A
// cluster has these:
//
//   each direction of each cable, and of each port of a switch
//   a shared switch, once for all of its ports
//   the bus of a node whose link is shared
//   the way out of and into each device of a node whose link is not shared
//
// A message passes the media along its route. Many messages that go together (a
// crossing between two stages, the steps of a ring) are one flow: it takes as
// long as its fullest medium, and loads the others with a share of that.
//
// A worked example
// ----------------
// Devices 0 and 1 of one node send 1 GB each to device 2 of another, over a
// cable of 1 GB/s. The cable carries 2 GB, so the flow takes 2 s and has all of
// it. The way out of device 0, 10 GB/s, carries 1 GB in that time: a share of
// 0.05.

#ifndef HETERO_SIMULATOR_NETWORK_H
#define HETERO_SIMULATOR_NETWORK_H

#include "hetero/Cluster/Cluster.h"
#include "llvm/ADT/SmallVector.h"
#include <map>

namespace hetero::simulator {

/// Something that transfers divide between them.
struct Medium {
  /// "n0 -> n1", "bus of n0", "out of device 3".
  std::string name;
  Bandwidth bandwidth;
};

/// The share of a medium, 0 to 1, that a transfer takes when it goes as fast as
/// it can.
struct Load {
  int64_t medium = 0;
  double share = 0;
};

/// How something loads the network while it is on its way.
struct Flow {
  /// The part of its time in which it loads nothing.
  Time latency;
  llvm::SmallVector<Load, 4> loads;
};

/// Bytes from one device to another.
struct Message {
  int64_t from = 0, to = 0;
  Bytes bytes;
};

/// The media of a cluster. Routes are looked up when they are first asked for,
/// so threads need one each.
class Network {
public:
  explicit Network(const cluster::Cluster &cluster);

  const std::vector<Medium> &media() const { return list; }
  /// The media on the way from one device to another.
  llvm::SmallVector<int64_t, 4> mediaBetween(int64_t from, int64_t to) const;
  /// Those between two nodes that others may use as well: between switches, or
  /// a shared one.
  llvm::ArrayRef<int64_t> trunksBetween(int64_t source, int64_t target) const;
  /// The flow of messages that start together and take `time` in all; no share
  /// is above 1, whatever formula the time comes from.
  Flow flowOf(llvm::ArrayRef<Message> messages, Time time) const;
  /// The flow of collectives over groups of devices, each in ring order, that
  /// together take `time`: every device sends as much to the next one.
  Flow ringFlow(llvm::ArrayRef<std::vector<int64_t>> rings, Time time) const;

private:
  llvm::ArrayRef<int64_t> route(int64_t source, int64_t target) const;
  Flow makeFlow(const std::map<int64_t, double> &seconds, Time time) const;

  const cluster::Cluster &cluster;
  std::vector<Medium> list;
  /// For each edge the media from its first vertex to the second and back.
  std::vector<std::pair<int64_t, int64_t>> edgeMedia;
  /// For each node its bus, if it has one, and for each device its way out;
  /// the way in is the next one. -1 if there is none.
  std::vector<int64_t> busOf, portOf;
  /// Between nodes, by source and target.
  mutable std::vector<std::optional<std::vector<int64_t>>> routes, trunks;
  /// By medium.
  std::vector<bool> isTrunk;
};

} // namespace hetero::simulator

#endif // HETERO_SIMULATOR_NETWORK_H
