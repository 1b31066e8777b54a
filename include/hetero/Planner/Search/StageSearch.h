//===- StageSearch.h - A dynamic program over stages ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of planStages for one order of the devices and one number of
// microbatches. The devices stand in a line with a few positions where it may
// be cut. A stage is a run of layers on the devices between two positions;
// devices between two stages are left out.
//
//   line        a a | a a | b b b b | c c        four positions and the ends
//   a plan      [layers 0-3] [4-5]    -   [6-9]  the b are left out
//
// Minimizes, for a batch that is M times the largest microbatch,
//
//   max_i (r_i + e_i) + (M - 1) max_i (t_i, k_i, r_i / n_i)
//
//   t_i   forward and backward of the slowest device
//   k_i   one crossing to the next stage, through as many nodes at a time as
//         both have
//   r_i   the way of a microbatch from stage i on, sum_{j >= i} (t_j + 2 k_j)
//   n_i   the most microbatches in flight that the memory of stage i allows
//   e_i   gather, reduce and update
//
// The first maximum is about the first and the last microbatch: while they pass
// the stages before i, stage i can gather and reduce. The third term of the
// second is Little's law: with n in flight, a microbatch
// can start only every r / n. It is the price of too little memory, and does
// not count when there is enough for h1f1b.
//
// States are pairs of a layer and a position, from the last to the first; each
// keeps the tails that are not worse in all of r and both maxima than another
// one that starts in the same node.

#ifndef HETERO_PLANNER_SEARCH_STAGESEARCH_H
#define HETERO_PLANNER_SEARCH_STAGESEARCH_H

#include "hetero/Planner/Model/PlanBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hetero::planner {

/// What a run of layers takes on an option, with state held in one way.
struct StageCost {
  StateMode mode = StateMode::Replicated;
  bool recompute = false;
  /// t and e above.
  double time = 0, once = 0;
  /// n above; there is none if not even one microbatch fits.
  int64_t limit = 1;
};

/// Adds an item unless one of the list is as good, and removes those that are
/// not better than it in anything.
template <typename ListT, typename ItemT, typename IsWorseFn>
void addIfBetter(ListT &list, const ItemT &item, IsWorseFn isWorse) {
  if (llvm::any_of(list, [&](const ItemT &old) { return isWorse(item, old); }))
    return;
  llvm::erase_if(list, [&](const ItemT &old) { return isWorse(old, item); });
  list.push_back(item);
}

/// The costs of all allowed modes, with and without recompute, that are not
/// worse in everything than another one.
using StageCosts = llvm::SmallVector<StageCost, 4>;

/// The devices between two positions, divided in one way. Times are in seconds.
struct StageOption {
  int64_t begin = 0, end = 0;
  int64_t tensor = 1, rows = 1;
  /// The first and the last device, and all of them for collectives.
  int64_t firstDevice = 0, lastDevice = 0;
  cost::Group column;
  /// The devices of one class.
  struct Part {
    int64_t deviceClass = 0, count = 0;
    /// The most samples that one of them has.
    int64_t samples = 0;
    Bytes usable;
    /// Of all layers before: forward and backward, the forward alone, and the
    /// update.
    const LayerSums<double> *times = nullptr, *forwards = nullptr;
    const LayerSums<double> *updates = nullptr;
    /// Of all layers before: what they save, and what enters them.
    const LayerSums<Bytes> *saved = nullptr, *inputs = nullptr;
    /// See SearchTables.
    const std::vector<Bytes> *workspace = nullptr, *largestSaved = nullptr;
  };
  std::vector<Part> parts;
  /// Of all layers before: the sums over the parts of a row, where they take
  /// longest.
  const LayerSums<double> *tensorTimes = nullptr, *tensorForwards = nullptr;
  const LayerSums<ColumnState> *states = nullptr;
  /// For each cut the last one that a stage which begins there can end at.
  const std::vector<int64_t> *farthest = nullptr;
  /// The costs that were computed, by kind of run of layers.
  std::shared_ptr<llvm::DenseMap<size_t, StageCosts>> costs;
};

/// What several searches share, for one problem and cluster.
class SearchTables {
public:
  SearchTables(const StageModel &model, int64_t maxCuts);

  const StageModel &model;
  /// The layers that a stage may begin with, and the number of layers. These
  /// are all of them, or every second, third, ... one if there are more than
  /// `maxCuts`.
  std::vector<int64_t> cuts;

  /// The number of the kind of run between two cuts, and the first run of each
  /// kind, which takes what the others take.
  size_t runKind(int64_t firstCut, int64_t lastCut) const {
    return runKinds[firstCut * cuts.size() + lastCut];
  }
  std::pair<int64_t, int64_t> representative(size_t kind) const {
    return representatives[kind];
  }
  /// The options under a key, whose first number is the size of the
  /// microbatches; those of one size are kept.
  const std::vector<StageOption> &
  findOptions(std::vector<int64_t> key,
              llvm::function_ref<std::vector<StageOption>()> make);

  /// The samples that devices of each class get, at most, when a microbatch is
  /// divided over `rows` of each class by their time for all layers; empty if
  /// a class gets none.
  const std::vector<int64_t> &
  divideSamples(llvm::ArrayRef<std::pair<int64_t, int64_t>> rows,
                int64_t tensor, int64_t size);
  /// What a sample takes at least on a device of the class, of all layers
  /// before, when up to `size` are computed at once. The more, the better, but
  /// for times that were measured.
  const LayerSums<double> &leastTimes(int64_t deviceClass, int64_t size);
  const LayerSums<double> &updateTimes(int64_t deviceClass, int64_t tensor);
  const LayerSums<Bytes> &savedBytes(int64_t tensor, int64_t samples);
  /// The largest workspace of the layers between two cuts, at the index
  /// `first * cuts + last`.
  const std::vector<Bytes> &workspaces(int64_t samples);
  /// The most that one of the layers between two cuts saves, likewise.
  const std::vector<Bytes> &largestSaved(int64_t tensor, int64_t samples);
  const LayerSums<Bytes> &inputBytes(int64_t samples);
  /// For each cut the last one that layers which can all be divided in so many
  /// parts reach from there.
  const std::vector<int64_t> &farthestCuts(int64_t tensor);
  /// Parameters, optimizer state and gradients of all layers before.
  const LayerSums<ColumnState> &states(int64_t tensor);

private:
  /// The time for all layers, by the number of samples.
  std::function<double(int64_t)> timeOfAll(int64_t deviceClass, int64_t tensor);
  void findRunKinds();
  std::vector<Bytes>
  rangeMaxima(llvm::function_ref<Bytes(const Layer &)> amount) const;

  std::vector<size_t> runKinds;
  std::vector<std::pair<int64_t, int64_t>> representatives;
  int64_t optionsFor = -1;
  std::map<std::vector<int64_t>, std::vector<StageOption>> options;
  std::map<std::vector<int64_t>, std::vector<int64_t>> divisions;
  std::map<std::pair<int64_t, int64_t>, std::vector<double>> timesOfAll;
  std::map<std::pair<int64_t, int64_t>, LayerSums<double>> leasts, updates;
  std::map<std::pair<int64_t, int64_t>, LayerSums<Bytes>> saved;
  std::map<int64_t, std::vector<Bytes>> largest;
  std::map<std::pair<int64_t, int64_t>, std::vector<Bytes>> mostSaved;
  std::map<int64_t, LayerSums<Bytes>> inputs;
  std::map<int64_t, LayerSums<ColumnState>> stateSums;
  std::map<int64_t, std::vector<int64_t>> farthest;
};

/// A way to lay out all layers, and its value by the formula above.
struct StageLayout {
  double value = 0;
  std::vector<StageChoice> stages;
};

class StageSearch {
public:
  /// `positions` are indices in `order`, from 0 to its size. `isAllowed` says
  /// between which of them there may be a stage; everywhere if it is empty.
  StageSearch(
      SearchTables &tables, const PlannerOptions &options,
      llvm::ArrayRef<int64_t> order, llvm::ArrayRef<int64_t> positions,
      int64_t microbatchSize, int64_t numMicrobatches,
      llvm::function_ref<bool(int64_t begin, int64_t end)> isAllowed = {});

  /// The best layouts with a value below `cutoff`, at most `keep`, the best
  /// first. `maxLabels` bounds what a state keeps. If layers are pinned to
  /// stages, `numStages` must be given.
  std::vector<StageLayout> run(double cutoff, size_t keep, size_t maxLabels,
                               std::optional<int64_t> numStages = {});

  /// The devices between two positions, by their numbers.
  llvm::ArrayRef<int64_t> devicesBetween(int64_t begin, int64_t end) const {
    return llvm::ArrayRef(order).slice(positions[begin],
                                       positions[end] - positions[begin]);
  }

  // The parts of the formula, for tests.
  llvm::ArrayRef<StageOption> options(int64_t begin, int64_t end) const {
    return table[begin * numPositions + end];
  }
  /// For the layers between two cuts, given by their numbers; nothing if that
  /// is not possible.
  std::optional<StageCost> cost(const StageOption &option, int64_t firstCut,
                                int64_t lastCut, StateMode mode,
                                bool recompute) const;
  const StageCosts &variants(const StageOption &option, int64_t firstCut,
                             int64_t lastCut) const;
  double crossing(int64_t lastLayer, const StageOption &from,
                  const StageOption &to) const;
  /// From one device to another, for stages that divide their layers in so many
  /// parts, through so many nodes at a time.
  double crossing(int64_t lastLayer, int64_t fromDevice, int64_t toDevice,
                  int64_t fromParts = 1, int64_t toParts = 1,
                  int64_t lanes = 1) const;
  llvm::ArrayRef<StateMode> modes(const StageOption &option) const;
  /// Whether one of layers `first` to `last - 1` may not be on these devices.
  bool isPinnedElsewhere(const StageOption &option, int64_t first,
                         int64_t last) const;
  double computeTime(const StageOption &option, int64_t firstCut,
                     int64_t lastCut, bool recompute = false) const;

private:
  struct Label {
    /// r, and the second and the first maximum above.
    double sum = 0, period = 0, finish = 0;
    int64_t stages = 0;
    /// The first device of the first stage; none behind the last stage.
    int64_t firstDevice = -1;
    /// How it was made: its first stage, and the label of the rest.
    int64_t firstLayer = 0, lastLayer = 0;
    const StageOption *option = nullptr;
    StateMode mode = StateMode::Replicated;
    bool recompute = false;
    int64_t rest = -1;
  };

  /// The tails that start at a layer and position, and the least of what they
  /// have.
  struct State {
    std::vector<int64_t> labels;
    double sum = 0, period = 0;
  };

  void findRest();
  void addOptions(int64_t begin, int64_t end);
  std::vector<StageOption> makeOptions(llvm::ArrayRef<int64_t> devices);
  StageCosts findVariants(const StageOption &option, int64_t firstCut,
                          int64_t lastCut) const;
  double value(const Label &label) const {
    return label.finish + steps * label.period;
  }
  void extend(int64_t cut, const StageOption &option,
              std::vector<int64_t> &labels);
  void insert(Label label, std::vector<int64_t> &labels);
  bool isDominated(const Label &label, const Label &by) const;
  double restPeriod(int64_t layer, int64_t position) const;
  /// Whether a plan with that tail, before which no stage is faster than
  /// `rest`, is below the cutoff.
  bool isBelowCutoff(double rest, double sum, double period) const {
    return rest + sum + steps * std::max(rest, period) < cutoff;
  }
  Label prepend(const StageOption &option, const StageCost &stage, int64_t tail,
                int64_t firstLayer, int64_t lastLayer) const;
  bool isRightStage(const Label &label) const;
  State makeState(std::vector<int64_t> labels) const;
  StageLayout unwind(const Label &label) const;

  SearchTables &tables;
  const StageModel &model;
  const Problem &problem;
  const cluster::Cluster &cluster;
  const PlannerOptions &planner;
  std::vector<int64_t> order, positions;
  int64_t size, count, numLayers, numCuts, numPositions;
  /// M - 1 above.
  double steps;
  std::vector<std::vector<StageOption>> table;
  /// By layer what a sample of all layers before it takes at least, and by
  /// position what all devices before it do of that in a second.
  LayerSums<double> workBefore;
  std::vector<double> speedBefore;

  // Of the current run.
  double cutoff = 0;
  size_t maxLabels = 0;
  std::optional<int64_t> wantedStages;
  std::vector<Label> arena;
  /// By position and cut.
  std::vector<std::vector<State>> states;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_SEARCH_STAGESEARCH_H
