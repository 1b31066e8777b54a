//===- SpmdCost.h - What steps of an SPMD program take ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

#ifndef HETERO_PLANNER_SPMD_SPMDCOST_H
#define HETERO_PLANNER_SPMD_SPMDCOST_H

#include "hetero/CostModel/CostModel.h"
#include "hetero/Planner/Spmd/Spmd.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <map>
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

/// Operations that cost the same are of one kind, as those of equal layers are.
struct OperationKinds {
  /// Not explicit: whoever asks about one graph once need not keep its kinds.
  OperationKinds(const Graph &graph);

  const Graph &graph;
  /// For each operation its kind, and for each kind its first operation.
  std::vector<int> kindOf;
  std::vector<const GraphOp *> kinds;
};

/// Seconds that a device of the class takes for all operations, or for those of
/// one segment, without the overhead of operations, which all devices pay.
double getWorkTime(const OperationKinds &operations,
                   const cluster::DeviceClass &deviceClass,
                   llvm::ArrayRef<int64_t> segments = {}, int64_t segment = 0);

/// Shares by the speed of devices at these operations.
std::vector<double> getSpeedShares(const OperationKinds &operations,
                                   const cluster::Cluster &cluster,
                                   llvm::ArrayRef<int64_t> devices,
                                   llvm::ArrayRef<int64_t> segments = {},
                                   int64_t segment = 0);

/// The segment of each operation: layers at whose work the classes of devices
/// are about as fast, compared with each other; at most `most` segments. Empty
/// if other shares would save less than a hundredth. Operations without a layer
/// are in the first.
std::vector<int64_t> findSegments(const OperationKinds &operations,
                                  const cluster::Cluster &cluster,
                                  llvm::ArrayRef<int64_t> devices,
                                  int64_t most);

/// Seconds that no program on the devices beats, whatever its shares: each
/// operation divided perfectly, at the best efficiency of each class.
double computeWorkBound(const OperationKinds &operations,
                        const cluster::Cluster &cluster,
                        llvm::ArrayRef<int64_t> devices);

/// Seconds of a part of an operation on a device, without overhead.
double timeOfWork(const cluster::DeviceClass &deviceClass, const GraphOp &op,
                  double part);

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

  /// What everything takes at least, whatever the shares are. `spreads` says
  /// that no device has more than half of everything.
  static SpmdCost forAnyShares(const cluster::Cluster &cluster,
                               llvm::ArrayRef<int64_t> devices, bool spreads);

  const cluster::Cluster &cluster;
  const std::vector<int64_t> devices;
  const SegmentShares shares;
  const cost::Group group;

  llvm::ArrayRef<double> sharesOf(int64_t segment) const {
    return shares[std::min<int64_t>(segment, shares.size() - 1)];
  }

  /// What each device gets of the units, as parts of 1; all of it if there are
  /// none.
  llvm::ArrayRef<double> partsOf(DividedUnits units);

  /// What each device has of a tensor of so many bytes.
  std::vector<Bytes> partsOf(Bytes bytes, DividedUnits units);

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
  double leastTime(const GraphOp &op);

  bool anyShares = false, spreads = false;
  struct Division {
    std::vector<double> parts;
    /// For each class of devices that is used, the most that one of it gets.
    llvm::MapVector<int64_t, double> mostOfClass;
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

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_SPMDCOST_H
