//===- Relaxation.h - Which times no plan can have --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For one way to cut the batch into M microbatches, whether a time can be
// excluded. A stage i whose last microbatch is not done before
//
//   max(s_i, g_i) + M t_i + e_i,  s_i = sum_{j < i} (f_j + k_j)
//
// makes the step at least as long: s is when its first microbatch can arrive, g
// and e what gathering the parameters and reducing the gradients takes at
// least, t and f forward and backward, and the forward alone, of a microbatch.
// So does the way back of the last microbatch. A stage hands back its gradient
// not before
//
//   s_i + r_i,  r_i = max(M (f_i + b_i), f_i + k_i + r_{i+1} + k_i + b_i)
//
// where b is the gradient of its inputs, and is done e_i and the gradients of
// its weights later.
//
// A stage is one row, or lies in one node, or in several. Only in the first
// case it need not reduce anything; in the last each node sends and receives
// all but its own part of the gradients, whatever the tensor degree is, as all
// columns share what leads out of the node. In one pass of a collective over n
// nodes with a bandwidth b between them at best, 1 - 1/n of the bytes of all
// columns leave a node: (1 - 1/n) bytes / b.
//
// Each device of a class has a price. If the cheapest stages that cover the
// layers cost more than all devices together, there are none. From the last
// layer to the first, the least prices of stages are found by when the first of
// them may start at the latest; prices are varied to exclude more.
//
// Memory counts. A microbatch stays in stage i from its forward to its
// backward, at least sum_{j >= i} (t_j + 2 k_j), and all M do so before T -
// e_i: on average that many times M / (T - e_i) of them or more are there at a
// time. What they keep, or with recompute (for t_i + f_i instead of t_i) their
// inputs, has to find room beside the optimizer state, and beside parameters
// and gradients, which each device has. A stay is t, in later stages without
// the gradients of weights, which may be made after the gradient is handed
// back.
//
// One stage may also be layered: it has all microbatches in flight, but the
// gradients of one layer suffice, and only the first one is waited for.
//
// A stage in a part of a node may hand on to another one in the same node, but
// all stages that come one after the other in a node have no more than its
// devices: each adds its share of the node to the number of crossings between
// nodes, and the last, unfinished one does not count.

#ifndef HETERO_LIB_PLANNER_BOUNDS_RELAXATION_H
#define HETERO_LIB_PLANNER_BOUNDS_RELAXATION_H

#include "StageBounds.h"

namespace hetero::planner {

/// Nodes with as many devices of each class, joined alike. Bandwidths are in
/// bytes for a second: the best to another node, and between two devices.
struct NodeKind {
  std::vector<int64_t> counts;
  double out = 0, inside = 0;
  int64_t number = 1;

  int64_t size() const;
};

/// What the network gives at best.
struct NetworkBounds {
  NetworkBounds(const cluster::Cluster &cluster,
                llvm::ArrayRef<int64_t> devices,
                llvm::ArrayRef<ClassCount> classes);

  double latency = 0;
  /// The least of the best bandwidths out of nodes.
  double leastOut = 0;
  std::vector<NodeKind> nodes;
  int64_t numNodes = 0;
  /// For each class the best bandwidth out of a node that has it.
  std::vector<double> outOfClass;
  /// Whether times of collectives were measured: nothing is said about them.
  bool isMeasured = false;
};

/// g and e above.
struct OnceBound {
  double gather = 0, end = 0;
};

/// Decides for one way to cut the batch whether a time can be excluded.
class Relaxation {
public:
  /// Stages from a layer on whose times differ little become one that is as
  /// good as all of them: into how many cells starts up to half of the step are
  /// divided, later ones, and stays up to half of the step. More cells exclude
  /// more, and take longer.
  struct Resolution {
    int64_t late, later, stay;
  };
  static constexpr Resolution coarse = {100, 25, 4}, fine = {240, 60, 8};

  /// `prices` to start with; by speed if there are none.
  Relaxation(const StageModel &model, const LayerRuns &runs,
             llvm::ArrayRef<ClassCount> classes,
             llvm::ArrayRef<int64_t> microbatches, const NetworkBounds &network,
             double longest, std::vector<double> prices, RowTimes &times);

  void setResolution(const Resolution &chosen) { resolution = chosen; }
  /// How many ways to put a stage before others were tried.
  int64_t numSteps() const { return steps; }

  /// Whether no plan takes `time` or less.
  bool excludes(double time);
  /// A time not below `low` that is excluded, and the most that is found up to
  /// `high`; `low` is known to be.
  double raise(double low, double high);
  /// As raise, with other prices; returns the best ones, or none if those that
  /// are set are best.
  std::vector<double> improvePrices(double low, double high);

private:
  /// A way to do the layers of a run.
  struct RelaxedStage {
    /// All microbatches, and one of the smallest.
    double total = 0, stay = 0, forward = 0;
    /// The gradients of its weights, which are not part of its stay, and all
    /// microbatches without these.
    double weights = 0, handedOn = 0;
    OnceBound once;
    double price = 0;
    /// Whether it is in several nodes; else what crossings between nodes it
    /// stands for.
    bool isAcross = false;
    double crossing = 0, bytePrice = 0;
    /// Bytes for the state and for each microbatch in flight, and the room that
    /// there is for them; the price of a byte is above.
    double state = 0, kept = 0, room = 0;
    /// How many microbatches in flight its devices have room for anyway.
    double freeInFlight = 0;
  };
  /// Stages from some layer on.
  struct Label {
    double price = std::numeric_limits<double>::infinity();
    /// When the first of them may get its first microbatch at the latest: by
    /// what stages compute, and with all crossings between nodes that can be
    /// counted, of which the last need not be one.
    double late = 0, lateAfter = 0;
    /// What a microbatch stays in them, without crossings between nodes, and
    /// these in one direction.
    double stays = 0, crossings = 0;
    /// How long after its start the first of them hands back the gradient of
    /// the last microbatch at least.
    double back = 0;
  };
  /// Labels by their times.
  class LabelCells {
  public:
    LabelCells(const Resolution &resolution, double time);
    void add(const Label &label);
    /// Those that are not worse than another one, the cheapest first; empties
    /// all cells.
    std::vector<Label> take();

  private:
    /// Half of the step, and how many cells there are for a second.
    double half, lateScale, laterScale, stayScale;
    int32_t numStays;
    std::vector<Label> cells;
    /// The cells that are not empty.
    std::vector<uint32_t> used;
  };
  /// The devices that a stage may be on: those of one node, or of several of
  /// which each has at least some bandwidth to others.
  struct StagePlaceBound {
    const NodeKind *node = nullptr;
    double bandwidth = 0;
    /// By class, how many devices there are at most.
    std::vector<int64_t> counts;
  };
  /// The times at which a row of some degree has one more sample, in groups:
  /// the first and the last of each. Of forward and backward, or the forward
  /// alone.
  struct TimeGroups {
    std::vector<std::pair<double, double>> times;
    /// The classes that have such rows, and for each class and group how many
    /// samples a row has within its last.
    std::vector<size_t> classes;
    std::vector<int64_t> covered;
  };
  /// For each group of times of a layer, or of its forward, the least price of
  /// devices at a place that do the largest and the smallest microbatch, or its
  /// forward, within that. The same for all runs that repeat the layer.
  struct PlaceCovers {
    const TimeGroups *groups = nullptr, *forwards = nullptr;
    std::vector<double> large, small, forward;
  };

  /// What the devices of a stage have to do within some time: the largest
  /// microbatch, the smallest, or the forward of that.
  enum class CoverKind { Large, Small, Forward };
  /// The kind of these whose devices cost most, and their price; and by class
  /// how many samples a row computes in the time that this kind has.
  struct DearestCover {
    CoverKind kind = CoverKind::Large;
    double price = 0;
    llvm::SmallVector<int64_t, 8> covered;
  };

  int64_t samplesOf(CoverKind kind) const {
    return kind == CoverKind::Large ? bounds.largest : bounds.smallest;
  }
  bool coversAlmost(const RelaxedStage &option,
                    const RelaxedStage &other) const;
  static void takeBest(RelaxedStage &option, const RelaxedStage &other);
  int64_t numLayers() const { return runs.numLayers; }
  /// What a stage takes once for a step if it lies in one node on exactly one
  /// row, or on `rows` rows or more; and if it lies in `numNodes` nodes, one of
  /// which has at most that bandwidth to others.
  OnceBound onceInNode(size_t run, const NodeKind &node, int64_t tensor,
                       int64_t rows);
  OnceBound onceAcross(size_t run, double bandwidth, int64_t numNodes) const;
  void setPrices(std::vector<double> given);
  std::optional<Label> extend(const Label &after, const RelaxedStage &option,
                              bool isLast, double time, double most) const;
  const std::vector<RelaxedStage> &options(size_t run);
  TimeGroups findTimes(size_t run, int64_t tensor, bool forwardOnly);
  std::vector<double> cover(const TimeGroups &groups, int64_t tensor,
                            int64_t samples,
                            const StagePlaceBound &place) const;
  void findPlaces();
  const PlaceCovers &findCovers(size_t unit, int64_t tensor, size_t place);
  void addOptions(size_t run, int64_t tensor, size_t place,
                  std::vector<RelaxedStage> &list);
  void addOption(size_t run, int64_t tensor, const StagePlaceBound &place,
                 const PlaceCovers &found, const DearestCover &dearest,
                 std::vector<RelaxedStage> &list);
  void setInNode(size_t run, int64_t tensor, const NodeKind &node,
                 const DearestCover &dearest, RelaxedStage &option);
  void setLayered(const StagePlaceBound &place, RelaxedStage &option) const;
  void addWithMemory(size_t run, int64_t tensor, const StagePlaceBound &place,
                     bool isLayered, RelaxedStage option,
                     std::vector<RelaxedStage> &list);
  int64_t nodesFor(int64_t tensor, const DearestCover &dearest,
                   const StagePlaceBound &place) const;
  std::vector<double> findFront(double time);

  StageBounds bounds;
  const LayerRuns &runs;
  const NetworkBounds &network;
  int64_t count, numLarge;
  Resolution resolution = fine;
  /// No time above the first is of interest, and none below the second.
  double longest, shortest;
  std::vector<double> prices;
  double all = 0;
  /// What a crossing between nodes moves at least, and takes at most for that.
  double crossingBytes = 0, slowestCrossing = 0;
  /// How many times as long as a crossing a microbatch takes that crosses a
  /// boundary between nodes and whose gradient comes back.
  double bothWays = 1;
  int64_t steps = 0;
  std::vector<StagePlaceBound> places;
  std::map<std::pair<size_t, int64_t>, std::pair<TimeGroups, TimeGroups>>
      timeGroups;
  std::map<std::tuple<size_t, int64_t, size_t>, PlaceCovers> covers;
  /// The options of each run of layers that was asked for.
  std::vector<std::optional<std::vector<RelaxedStage>>> known;
};

/// Times are tried in steps of this share, so that what is excluded is less
/// than that below what could be: far less than the gaps of plans.
constexpr double precision = 0.003;

/// A time that is excluded by the work alone.
double workBound(StageBounds &bounds);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_BOUNDS_RELAXATION_H
