//===- CostModel.h - What things take ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// Three questions, answered from the description of a cluster; there are no
// constants in the code. What a cluster does not tell is in
// lib/CostModel/Figures.yaml, with its source.
//
// 1. How long do operations take on a device? By its roofline: as long as the
//    slower of arithmetic and memory, plus an overhead for each.
//
//      max(sum_type work_type / (peak_type * efficiency), bytes / bandwidth)
//        + count * overhead
//
//    The efficiency depends on the work of the average operation. A curve can
//    rise so steeply that more work would take less time; it is then taken to
//    need as much time as less work.
//
// 2. How long does a message or a collective take? alpha-beta: latency plus
//    bytes over bandwidth, for n members whose slowest neighbours are joined by
//    (alpha, beta) and a tensor of B bytes:
//
//      point to point   alpha + B / beta
//      ring             all-reduce 2 (n-1) (alpha + B / n / beta)
//                       all-gather, reduce-scatter half of that
//      tree             all-reduce 2 ceil(log2 n) (alpha + B / beta)
//      hierarchical     a ring inside of each node, then one between nodes
//      padded           as ring, every shard as large as the largest
//      grouped          one broadcast for each member, with exact sizes:
//                       u (B - smallest shard) / beta + (2 n - 1) alpha, with u
//                       how much longer uneven parts take
//      all-to-all       (n-1) alpha + most bytes of a member / beta
//
//    Transfers that run at the same time on a shared medium divide it. When the
//    cluster has measured times for an operation over such a group, they are
//    used instead: linear between two points, and never falling; below the
//    first point its time, as that is latency; behind the last one on the line
//    of the last two.
//
// 3. What fills the memory of a device? See MemoryUse.
//
// A worked example
// ----------------
// 12 MB in shards of 1, 1 and 10 MB over 1 GB/s and 10 us: padded takes
// 2 * (10 us + 10 ms) = 20.02 ms, grouped 1.25 * 11 ms + 5 * 10 us = 13.80 ms.
// In shards of 10, 10 and 11 bytes padded wins, 20.02 us to 50.03 us.

#ifndef HETERO_COSTMODEL_COSTMODEL_H
#define HETERO_COSTMODEL_COSTMODEL_H

#include "hetero/Cluster/Cluster.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <map>
#include <string>

namespace hetero::cost {

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A group of operations that run one after the other.
struct Operations {
  /// Floating-point work by element type.
  std::map<std::string, Work> work;
  /// Memory traffic.
  Bytes bytes;
  /// How many operations it is.
  int64_t count = 1;
};

/// The time of `operations` on a device of the class. It does not fall when any
/// amount grows.
Time operationTime(const cluster::DeviceClass &deviceClass,
                   const Operations &operations);

/// A time per unit of work and traffic that nothing can beat on the class: the
/// roofline at the best efficiency, without overhead.
Time operationBound(const cluster::DeviceClass &deviceClass,
                    const Operations &operations);

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

/// How a collective is done. `auto` and `point_to_point` are not formulas;
/// where an algorithm is asked for they mean ring.
using hetero::Algorithm;

/// Devices that communicate, in ring order, as the formulas see them.
struct Group {
  int64_t members = 1;
  /// The slowest of the paths between neighbours.
  Bandwidth bandwidth = Bandwidth::max();
  Time latency;
  /// The same inside of nodes, and between them.
  Bandwidth nodeBandwidth = Bandwidth::max();
  Time nodeLatency;
  Bandwidth networkBandwidth = Bandwidth::max();
  Time networkLatency;
  /// Nodes, and the most and fewest members in one.
  int64_t nodes = 1;
  int64_t mostInNode = 1, fewestInNode = 1;
  /// By kind, what was measured for such a group; empty if nothing was.
  std::array<std::vector<cluster::CollectivePoint>, cluster::numCollectiveKinds>
      measured;
};

/// The group of the devices with these ranks, in this order. `alike` groups on
/// other devices of the same nodes work at the same time, and share what leads
/// out of the nodes, and buses inside: two columns of a mesh that spans nodes
/// have half of the network each.
Group makeGroup(const cluster::Cluster &cluster,
                llvm::ArrayRef<int64_t> devices, int64_t alike = 1);

/// Groups that work at the same time, wherever their devices are.
std::vector<Group> makeGroups(const cluster::Cluster &cluster,
                              llvm::ArrayRef<std::vector<int64_t>> rings);

/// One message.
Time transferTime(const cluster::Path &path, Bytes bytes);

/// Sums a tensor of `bytes` over the group. Padded and grouped mean ring.
Time allReduceTime(const Group &group, Bytes bytes, Algorithm algorithm);

/// Joins `shards`, one for each member. Tree means ring. Reduce-scatter takes
/// as long.
Time allGatherTime(const Group &group, llvm::ArrayRef<Bytes> shards,
                   Algorithm algorithm);

/// Every member hands each other member a part of what it has: `sent` and
/// `received` are the bytes of each member in total. One message for each pair,
/// of which a member sends and receives one at a time.
Time allToAllTime(const Group &group, llvm::ArrayRef<Bytes> sent,
                  llvm::ArrayRef<Bytes> received);

/// An algorithm and its time.
struct Choice {
  Algorithm algorithm = Algorithm::Ring;
  Time time;
};

/// The fastest algorithm; the first in the order of the enumeration if several
/// are.
Choice chooseAllReduce(const Group &group, Bytes bytes);
/// Ring, if all shards are alike, else padded or grouped.
Choice chooseAllGather(const Group &group, llvm::ArrayRef<Bytes> shards);
Choice chooseReduceScatter(const Group &group, llvm::ArrayRef<Bytes> shards);
Choice chooseAllToAll(const Group &group, llvm::ArrayRef<Bytes> sent,
                      llvm::ArrayRef<Bytes> received);

/// A value at `bytes` of measured points, of which there is at least one.
Time interpolate(llvm::ArrayRef<cluster::CollectivePoint> points, Bytes bytes);

/// What lib/CostModel/Figures.yaml says.
struct CostFigures {
  /// How much longer uneven parts take, in millionths.
  Share uneven;
  /// How many microbatches stay on the device when activations are parked.
  int64_t parked = 1;
};
const CostFigures &costFigures();

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What a stage saves for one microbatch.
struct Activations {
  /// Everything that its layers save; what enters them; the most that one of
  /// them saves.
  Bytes saved, inputs, largest;
};

/// Where activations are between forward and backward.
struct ActivationUse {
  Bytes device, host;
};

/// What `inFlight` microbatches keep. With `recompute` the inputs of the layers
/// alone, and while a layer is computed again what it saves. With `offload`
/// that is parked in the memory of the host, but for the microbatches that are
/// computed or on their way.
ActivationUse activationUse(const Activations &activations, int64_t inFlight,
                            bool recompute, bool offload);

/// What fills the memory of a device while a step runs.
struct MemoryUse {
  /// Parameters and optimizer state in storage.
  Bytes state;
  /// Parameters that are gathered for the step.
  Bytes gathered;
  /// Gradients: the sums, and those of the current microbatch.
  Bytes gradients;
  /// What forwards keep, for all microbatches in flight.
  Bytes activations;
  /// The largest need inside of a layer.
  Bytes workspace;
  /// What is being sent and received.
  Bytes buffers;
  /// What the samples bring along.
  Bytes inputs;

  Bytes total() const;
  /// For messages: "state 3 GiB, activations 500 MiB"; the largest first.
  std::string str() const;
};

} // namespace hetero::cost

#endif // HETERO_COSTMODEL_COSTMODEL_H
