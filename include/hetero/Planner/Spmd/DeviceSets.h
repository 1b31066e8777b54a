//===- DeviceSets.h - Which devices run one program -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// All devices that run a program of single operations (Spmd.h) meet in each of
// its collectives, so the slowest link between any two of them slows down all.
// The best program is therefore often one for a part of the cluster: devices
// that are joined by fast links, or those that are not much slower than the
// fastest. Which part that is depends on how much is computed and how much is
// sent; so several *sets of devices* are tried, and each has a lower bound that
// tells, mostly without solving anything, that its program cannot be the best:
//
//   work     all operations divided perfectly over the devices, no collectives
//   shares   the cost graph of Spmd.h with the least cost that each entry has
//            for any shares: one solution of it bounds the programs for all
//            shares
//
// A worked example
// ----------------
// One node with 8 V100 on NVLink, and two with 4 A10G and with 4 T4 on PCIe,
// with 50 Gb/s between the nodes (examples/clusters/aws-16.yaml). In f32 the T4
// are slowest and the A10G fastest. In this order, for a large dense layer:
//
//   16 devices                                all
//   12: A10G and V100                         without the slowest class
//    4: A10G                                  without the next one
//    8: V100;  12: V100 and T4                other classes, nodes and unions,
//    8: A10G and T4;  4: T4                     the most promising first
//    1: an A10G                               for comparison
//
// For a mixture of experts, whose tokens go from all devices to all others, the
// program on the 8 V100 is the fastest by far.

#ifndef HETERO_PLANNER_SPMD_DEVICESETS_H
#define HETERO_PLANNER_SPMD_DEVICESETS_H

#include "hetero/Planner/Spmd/Spmd.h"

namespace hetero::planner {

/// Sets of `devices` that may have the best program, each ascending and none
/// twice:
///
///   - all of them, and without the slowest classes, from the slowest on;
///   - then, by how long their program takes if it divides its work by speed
///     and sums all parameters once: unions of classes and nodes (each class
///     and node alone, each kind of equal nodes once; 2, 4, 8, ... equal nodes;
///     all pairs and triples of classes; the fastest node joined by ever more
///     of the nodes that it has the fastest links to);
///   - last the fastest device alone.
///
/// None if there are no devices. Deterministic. At most 24 sets, so that
/// bounding those that are not solved takes less time than solving one: the
/// last unions are left out.
std::vector<std::vector<int64_t>>
getDeviceSets(const Graph &graph, const cluster::Cluster &cluster,
              llvm::ArrayRef<int64_t> devices);

/// A program and the devices that it is for.
struct DeviceProgram {
  std::vector<int64_t> devices;
  SpmdSolution solution;
};

/// The best program for each set, the fastest first, and of equally fast ones
/// that whose set comes first. Sets without a program that fits into memory are
/// left out, and so are sets whose program takes `options.below` seconds or
/// more, most of them without being solved. A program on one device is there
/// for comparison: programs on several devices that take as long are left out
/// as well.
std::vector<DeviceProgram>
solvePrograms(const Graph &graph, const cluster::Cluster &cluster,
              llvm::ArrayRef<std::vector<int64_t>> sets,
              const SpmdOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_DEVICESETS_H
