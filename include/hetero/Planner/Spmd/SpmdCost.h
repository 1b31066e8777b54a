//===- SpmdCost.h - What steps of an SPMD program take ----------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices have shares that sum to 1. The units of a split are handed out in
// whole numbers by largest remainder, and costs are those of what comes out:
// with shares 0.3, 0.3 and 0.4, 8 heads become 2, 3 and 3, and the time of a
// product that is divided by heads is that of a device with 3 of 8.
//
// A change of form is a collective, or several: each pair of forms of a tensor
// has its cheapest way.
//
// Segments of a program may have shares of their own. A split of one segment is
// then another form than the same split of another, and the change between them
// moves only what a device has in one and not in the other.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_PLANNER_SPMD_SPMDCOST_H
#define HETERO_PLANNER_SPMD_SPMDCOST_H

#include "hetero/CostModel/CostModel.h"
#include "hetero/Planner/Spmd/Spmd.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hetero::planner {

/// A collective on a tensor of `bytes`, not a broadcast; `from` and `to` are
/// what its splits divide.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Bytes bytes;
  DividedUnits from = {}, to = {};
  /// The units stay the same, and only the shares change.
  bool sameUnits = false;

  bool operator<(const Collective &other) const;
};

/// Times of all changes between the forms of a tensor, in seconds.
struct FormChanges {
  int numForms = 0;
  /// Row by row; infinite where there is no way.
  std::vector<double> times;
  /// A form on the way, or -1.
  std::vector<int> via;

  double time(int from, int to) const { return times[from * numForms + to]; }
};

/// The same for operations that cost the same.
std::string getCostKey(const GraphOp &op);

/// Seconds of a part of an operation on a device.
double timeOfPart(const cluster::DeviceClass &deviceClass, const GraphOp &op,
                  double part);

/// Seconds of an operation on a device that it cannot take less than: a part of
/// it takes at least that part of them.
double boundOfOp(const cluster::DeviceClass &deviceClass, const GraphOp &op);

/// `units` in whole numbers, by largest remainder; of equal remainders the
/// first.
std::vector<int64_t> divideUnits(int64_t units, llvm::ArrayRef<double> shares);

class SpmdCost {
public:
  /// `shares` has those of each segment; the last are also those of all that
  /// follow.
  SpmdCost(const cluster::Cluster &cluster, llvm::ArrayRef<int64_t> devices,
           SegmentShares shares);
  /// With the same shares for all segments.
  SpmdCost(const cluster::Cluster &cluster, llvm::ArrayRef<int64_t> devices,
           std::vector<double> shares)
      : SpmdCost(cluster, devices, SegmentShares{std::move(shares)}) {}

  int64_t numDevices() const { return devices.size(); }
  llvm::ArrayRef<int64_t> getDevices() const { return devices; }
  const SegmentShares &getShares() const { return shares; }
  llvm::ArrayRef<double> sharesOf(int64_t segment) const {
    return shares[std::min<int64_t>(segment, shares.size() - 1)];
  }
  const cluster::Cluster &getCluster() const { return cluster; }
  const cost::Group &getGroup() const { return group; }

  /// What each device gets of the units; all of it if there are none.
  llvm::ArrayRef<int64_t> rowsOf(DividedUnits units);
  /// The same as parts of 1.
  llvm::ArrayRef<double> partsOf(DividedUnits units);

  /// The most that a device of the class gets, as a part of 1.
  double mostOf(DividedUnits units, int64_t deviceClass);

  /// Seconds of an operation on the slowest device when the units are divided.
  double operationTime(const GraphOp &op, DividedUnits units);
  double collectiveTime(const Collective &collective);

  /// Times of changes of a tensor with these splits.
  const FormChanges &changesOf(Bytes bytes, llvm::ArrayRef<TensorSplit> splits);

private:
  FormChanges findChanges(Bytes bytes, llvm::ArrayRef<TensorSplit> splits);
  double timeCollective(const Collective &collective);
  double timeExchange(const Collective &collective);
  std::vector<Bytes> shardsOf(Bytes bytes, DividedUnits units);

  const cluster::Cluster &cluster;
  std::vector<int64_t> devices;
  SegmentShares shares;
  cost::Group group;
  struct Division {
    std::vector<int64_t> rows;
    std::vector<double> parts;
    /// For each class of devices that is used, the most that one of it gets.
    std::vector<std::pair<int64_t, double>> mostOfClass;
  };
  const Division &divide(DividedUnits units);

  std::map<DividedUnits, Division> divisions;
  std::map<Collective, double> collectives;
  std::unordered_map<std::string, double> operations;
  std::unordered_map<std::string, FormChanges> changes;
};

/// The collective that changes `from` to `to` directly; nothing if it is free.
/// The change must be possible.
std::optional<Collective> getCollective(Bytes bytes,
                                        llvm::ArrayRef<TensorSplit> splits,
                                        int from, int to);

/// Tensors of equal size whose splits have the same key change their forms in
/// the same time.
void appendSplits(std::string &key, llvm::ArrayRef<TensorSplit> splits);

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_SPMDCOST_H
