//===- StageModel.h - What a stage takes ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time and memory of the stages of a plan, by the cost model. This is the only
// place that knows what the fields of a plan cost; verify, evaluate and all
// planners ask here.
//
// A microbatch of a stage on a mesh of `data` rows and `tensor` columns:
//
//   time       the slowest device, each with its samples and its part of each
//              layer, and the sums over the columns of a row
//   boundary   each row sends what overlaps to each row of the next stage; what
//              enters or leaves a node does so one after the other
//
// The memory of a device, for n microbatches in flight:
//
//   state          its share
//   gathered       the parameters of its column, if they are divided
//   gradients      once, and once more for the sum of several microbatches
//                  (when layers are accumulated one by one and state is
//                  divided, both for the largest two and one runs of layers
//                  alone, and gradients like state for the rest)
//   activations    n times what the layers save for its samples; with
//                  recompute n times their inputs and what one of them saves
//   workspace      the largest one of a layer
//   buffers        what it receives from and sends to its neighbours
//
// A parameter that several stages use is part of the state of each. Its
// gradients go to the stage that it lives in and the updated parameters come
// back, when the gradients of a stage are combined.

#ifndef HETERO_PLANNER_MODEL_STAGEMODEL_H
#define HETERO_PLANNER_MODEL_STAGEMODEL_H

#include "hetero/CostModel/CostModel.h"
#include "hetero/Planner/Model/LayerSums.h"
#include "hetero/Simulator/Network.h"
#include "hetero/Simulator/Schedule.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <tuple>

namespace hetero::planner {

using simulator::StageTimes;

/// The computation of each layer on a class of devices, for one degree of
/// division and one number of samples.
struct LayerTimes {
  std::vector<Time> forward, backward;
  PassSums sums;
};

/// What the memory of a stage depends on beside the stage itself: whether it
/// has neighbours, and the microbatches of the plan.
struct StagePlace {
  bool isFirst = true, isLast = true;
  int64_t numMicrobatches = 1;
  /// Whether its runs of layers are accumulated one by one.
  bool layered = false;
};

/// Devices of a stage of one class that have the same to do and to hold.
struct MemberKind {
  Bytes usable;
  /// Their numbers in the mesh.
  std::vector<int64_t> members;
};

/// A device whose memory is too small for a plan.
struct Shortage {
  int64_t stage = 0, device = 0;
  Bytes missing, usable;
  cost::MemoryUse use;
};

class StageModel {
public:
  StageModel(const Problem &problem, const cluster::Cluster &cluster);

  const Problem &problem;
  const cluster::Cluster &cluster;

  /// Cached; the reference stays valid.
  const LayerTimes &layerTimes(int64_t deviceClass, int64_t tensor,
                               int64_t samples) const;
  /// The sums over the parts of a divided layer, forwards and backwards.
  std::pair<Time, Time> tensorTimes(const Layer &layer,
                                    const cost::Group &group,
                                    int64_t samples) const;

  /// The sums over the parts of divided layers in a row that has a bus together
  /// with `alike - 1` others. Cached; the reference stays valid.
  const PassSums &tensorSums(llvm::ArrayRef<int64_t> row, int64_t alike,
                             int64_t samples) const;

  ColumnState columnState(llvm::ArrayRef<LayerRun> layers,
                          int64_t tensor) const;
  /// What a sample brings along for these layers.
  Bytes inputBytes(llvm::ArrayRef<LayerRun> layers) const;
  /// Whether layers that lie in one stage include `layer`.
  static bool contains(llvm::ArrayRef<LayerRun> layers, int64_t layer);

  /// Forward and backward of the device with that number in the mesh, for
  /// samples that it computes at once.
  std::pair<Time, Time> chunkTimes(const Stage &stage, size_t device,
                                   int64_t samples) const;
  /// Forward and backward of a microbatch of the size with that number in
  /// `Stage::samples`.
  std::pair<Time, Time> computeTimes(const Stage &stage, size_t size) const;
  /// One crossing from a stage to the next, and of the gradient back.
  std::pair<Time, Time> boundaryTimes(const Stage &from, const Stage &to,
                                      size_t size) const;
  /// The messages of one crossing, or of the gradient back.
  std::vector<simulator::Message> boundaryMessages(const Stage &from,
                                                   const Stage &to, size_t size,
                                                   bool gradient) const;
  /// The first node whose devices are joined as those of the node are.
  int64_t kindOfNode(int64_t node) const { return nodeKinds[node]; }
  /// The media of the cluster.
  const simulator::Network &network() const;
  /// Gather, reduce and update, without what is tied between stages.
  StageTimes onceTimes(const Stage &stage) const;
  /// Exchanging tied gradients and parameters, for each stage.
  std::vector<Time> tieTimes(const Plan &plan) const;
  /// All times of all stages, for each different size of microbatch.
  std::vector<std::vector<StageTimes>> stageTimes(const Plan &plan) const;

  /// Of the device with that number in the mesh.
  cost::MemoryUse memoryUse(const Stage &stage, StagePlace place,
                            size_t device) const;
  cost::MemoryUse memoryUse(const Plan &plan, size_t stage,
                            size_t device) const {
    return memoryUse(plan.stages[stage], placeOf(plan, stage), device);
  }
  static StagePlace placeOf(const Plan &plan, size_t stage);
  /// By class, samples and share of the state, in order of the first member.
  std::vector<MemberKind> memberKinds(const Stage &stage) const;
  /// The device of the plan that is short of most memory.
  std::optional<Shortage> findShortage(const Plan &plan) const;
  /// "device 1 (t4 of node 'box') is short of 2 GiB: ..."
  std::string describe(const Shortage &shortage) const;

private:
  Time updateTime(const Stage &stage, size_t device,
                  const ColumnState &column) const;

  /// Calls `visit` with the first of layers one after the other that hold and
  /// hand on the same, and with their number, for all layers of the runs.
  template <typename VisitFn>
  void forEachAlike(llvm::ArrayRef<LayerRun> layers, VisitFn visit) const {
    for (const LayerRun &run : layers)
      for (int64_t layer = run.first; layer <= run.last;) {
        int64_t end = std::min(alikeUpTo[layer], run.last + 1);
        visit(layer, end - layer);
        layer = end;
      }
  }
  /// What the layers save of a microbatch, for that many samples of it, of
  /// which `chunk` are computed at a time.
  cost::Activations savedBy(llvm::ArrayRef<LayerRun> layers, int64_t tensor,
                            int64_t samples, int64_t chunk) const;
  Bytes activations(const Stage &stage, int64_t inFlight, int64_t samples,
                    int64_t chunk, int64_t numMicrobatches) const;
  Bytes crossingBuffers(llvm::ArrayRef<LayerRun> layers, StagePlace place,
                        int64_t samples) const;

  /// For each layer the first one that is like it, and the end of the layers
  /// from it on that hold and hand on the same.
  std::vector<int64_t> kinds, alikeUpTo;
  std::vector<int64_t> nodeKinds;
  mutable llvm::DenseMap<std::tuple<int64_t, int64_t, int64_t>,
                         std::unique_ptr<LayerTimes>>
      times;
  mutable std::map<std::vector<int64_t>, PassSums> sums;
  mutable std::optional<simulator::Network> media;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_STAGEMODEL_H
