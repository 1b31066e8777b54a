//===- HarpSearch.h - Layers to stages under a period -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of planHarp for one order of the sub-clusters and one number of
// microbatches M. Stages lie inside of a sub-cluster, a run of the line of
// devices; boundaries may cross from one to another. Minimizes
//
//   sum_i (t_i + k_i + g_i) + (M - 1) p  with  t_i <= p,  k_i <= p,  g_i <= p
//
//   t_i   forward and backward, and its share of gather, reduce and update
//   k_i   one crossing to the next stage: between nodes once for each part that
//         it divides its layers into, as all of them need all of it
//   g_i   the way back of its gradient, which all parts of the stage need
//   p     the period
//
// subject to memory: n_i microbatches in flight fit into stage i, where
//
//   n_last = 1,  n_i = min(M, n_{i+1} + 1 + ceil((k_i + g_i) / p))
//
// For a given p this is a dynamic program from the last layer to the first over
// (layer, position in the line), which keeps for each state the tails that are
// not worse in cost, in-flight count and parts of the first stage than another
// one that starts in the same node. The periods to try are the different times
// of stages and crossings. The sum does not fall with a shorter period, so that
// what it is at one period bounds all shorter ones: a bisection that leaves out
// what cannot be better looks at few of them.
//
// Where memory is short, the published rule for n is tried as well: it grows by
// 1 inside of a sub-cluster, and across by 1, 2 or 3 for k below a tenth of p,
// below a half, and above.
//
// As released, the sums have k for one part, no g, no gather, reduce and
// update; n follows the published rule; meshes are powers of two inside of a
// node; and all devices are used.

#ifndef HETERO_PLANNER_HARP_HARPSEARCH_H
#define HETERO_PLANNER_HARP_HARPSEARCH_H

#include "hetero/Planner/Search/StageSearch.h"

namespace hetero::planner {

/// A run of layers on devices between two positions of the line.
struct HarpStage {
  int64_t lastCut = 0, end = 0;
  double time = 0;
  int64_t limit = 1;
  const StageOption *option = nullptr;
  StateMode mode = StateMode::Replicated;
  bool recompute = false;
  /// In how many parts it divides its layers, and one over the nodes it is in.
  double parts = 1, way = 1;
};

/// What lies between two stages.
struct HarpBoundary {
  /// One crossing, and the way back of its gradient; zero as released.
  double there = 0, back = 0;

  double sum() const { return there + back; }
  double longest() const { return std::max(there, back); }
};

/// A way to lay out all layers, its value, what it has in flight, and what it
/// would have by the published rule, which does not mind short crossings.
struct HarpLayout {
  double value = 0;
  std::vector<StageChoice> stages;
  std::vector<int64_t> inFlight, published;
};

class HarpSearch {
public:
  /// `runs` make the line. Stages with a time of `cutoff / M` or more are not
  /// looked at. The result is not more than the share `tolerance` above the
  /// best. With `published` counts in flight follow the published rule.
  HarpSearch(SearchTables &tables, const PlannerOptions &options,
             llvm::ArrayRef<std::vector<int64_t>> runs, int64_t maxPositions,
             int64_t microbatchSize, int64_t numMicrobatches, double cutoff,
             double tolerance, bool published = false);

  /// The best layout with a value below the cutoff.
  std::optional<HarpLayout> run();

  // The parts of the formula, for tests.
  int64_t numCuts() const { return tables.cuts.size(); }
  int64_t numPositions() const { return positions.size(); }
  bool mayLeaveOut() const { return !planner.asReleased; }
  /// The stages that begin at a cut and position, the shortest first.
  llvm::ArrayRef<HarpStage> stages(int64_t cut, int64_t position) const {
    return table[cut * numPositions() + position];
  }
  /// Between a stage and the next one, which begins at `begin`.
  HarpBoundary boundary(const HarpStage &stage, const HarpStage &next,
                        int64_t begin) const;
  /// What a stage needs in flight more than the next one.
  int64_t delay(const HarpBoundary &boundary, double period, int64_t end,
                int64_t begin) const;
  double steps() const { return numSteps; }
  int64_t count() const { return numMicrobatches; }
  llvm::ArrayRef<double> periods() const { return allPeriods; }

private:
  struct Label {
    double cost = 0;
    int64_t inFlight = 0, numStages = 0;
    /// Where its first stage begins; -1 behind the last stage.
    int64_t begin = -1, firstCut = 0;
    const HarpStage *stage = nullptr;
    int64_t rest = -1;
  };

  bool isAllowed(int64_t begin, int64_t end) const;
  /// For one part: from a stage that ends before `lastCut` and `end` to one
  /// that begins at `begin`.
  double crossing(int64_t lastCut, int64_t end, int64_t begin) const {
    return crossingTimes[(end * numPositions() + begin) * numCuts() + lastCut];
  }
  /// Whether a stage that ends at `end` and one that begins at `begin` lie in
  /// different nodes.
  bool isBetweenNodes(int64_t end, int64_t begin) const {
    return betweenNodes[end * numPositions() + begin];
  }
  void addStages(int64_t cut, int64_t begin, double longest);
  void findCrossings();
  void findPeriods();
  void findLeast();
  void compareStarts();
  /// Whether a label is not better than another one for stages that end at
  /// `position` or before.
  bool isDominated(const Label &label, const Label &by,
                   int64_t position) const {
    return by.cost <= label.cost && by.inFlight <= label.inFlight &&
           isReachedAsWell(label, by, position);
  }
  bool isReachedAsWell(const Label &label, const Label &by,
                       int64_t position) const;
  void insert(const Label &label, int64_t position,
              std::vector<int64_t> &labels);
  /// The cheapest label for all layers under a period, below `limit`.
  std::optional<Label> solve(double period, double limit);
  void explore(size_t low, size_t end, double least);
  void consider(const Label &label, double period);
  HarpLayout unwind(const Label &label, double period) const;
  int64_t publishedDelay(double there, double period, int64_t end,
                         int64_t begin) const;

  SearchTables &tables;
  const PlannerOptions &planner;
  const cluster::Cluster &cluster;
  std::vector<int64_t> order, positions;
  /// For each device of the line its run.
  std::vector<int64_t> runOf;
  StageSearch search;
  int64_t numMicrobatches;
  double cutoff, tolerance, numSteps;
  bool published;
  std::vector<std::vector<HarpStage>> table;
  std::vector<double> crossingTimes, allPeriods;
  /// For the end of a stage and the begin of the next one.
  std::vector<char> betweenNodes;
  /// By cut, what the layers before it add to the sum at least.
  std::vector<double> leastBefore;
  /// For two positions the last one that stages which end there or before reach
  /// both of them alike from, at the index `one * numPositions() + other`.
  std::vector<int64_t> alikeUpTo;
  std::vector<Label> arena;
  /// By cut and position its labels. It and the next two are kept for their
  /// memory alone.
  std::vector<std::vector<int64_t>> states;
  std::vector<HarpStage> unsorted;
  std::vector<std::pair<double, size_t>> keys;
  /// The best so far; without stages if there is only a cutoff.
  HarpLayout best;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_HARP_HARPSEARCH_H
