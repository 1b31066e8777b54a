//===- DeviceOrders.h - Lines of devices ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search over stages puts the devices in a line and cuts it. Which lines, and
// where they may be cut, is decided here.
//
//   runs        devices that stay together: of one class in one node, or in one
//               site when there are many nodes
//   orders      permutations of the runs; the nodes of all runs interleaved in
//               proportion; one run in two halves around the others
//   positions   between classes, then between nodes, then in the middle of what
//               is left, until there are enough

#ifndef HETERO_PLANNER_SEARCH_DEVICEORDERS_H
#define HETERO_PLANNER_SEARCH_DEVICEORDERS_H

#include "hetero/Cluster/Cluster.h"
#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// The devices by class and node, or by class and site if there would be more
/// than `mostByNode` runs.
std::vector<std::vector<int64_t>> findRuns(const cluster::Cluster &cluster,
                                           llvm::ArrayRef<int64_t> devices,
                                           size_t mostByNode);

/// Up to `most` permutations of the runs, the given one and its reverse first.
/// Up to 5 runs have all of them; more have rotations and exchanges of two.
std::vector<std::vector<int64_t>>
permuteRuns(llvm::ArrayRef<std::vector<int64_t>> runs, int64_t most);

/// Lines in which runs are taken apart: all nodes interleaved, and each run in
/// halves around the others.
std::vector<std::vector<int64_t>>
mixRuns(const cluster::Cluster &cluster,
        llvm::ArrayRef<std::vector<int64_t>> runs);

/// The numbers of the lines that are not like one before them: other devices
/// of the same classes with the same paths between them. Where layers are
/// pinned to devices, no line is like another.
std::vector<size_t> findDifferent(const Problem &problem,
                                  const cluster::Cluster &cluster,
                                  llvm::ArrayRef<std::vector<int64_t>> orders);

/// Where the line may be cut, from 0 to its size.
std::vector<int64_t> findPositions(const cluster::Cluster &cluster,
                                   llvm::ArrayRef<int64_t> order, int64_t most);

} // namespace hetero::planner

#endif // HETERO_PLANNER_SEARCH_DEVICEORDERS_H
