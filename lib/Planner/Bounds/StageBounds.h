//===- StageBounds.h - What layers take at least ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds for a run of layers as a stage, for one way to cut the batch.
// Runs with the same layers but for their order are alike, so that the model of
// 32 equal blocks has only as many different runs as lengths.
//
// A device of class k in a row of g has s samples of a microbatch within t if
// T_kg(s) <= t; it then covers s / g of the samples of its stage. T is what the
// layers take on the device for s samples at once, or in equal parts if that is
// faster, with the sums over a row in the node that has the fastest. Rows lie
// inside of a node.

#ifndef HETERO_LIB_PLANNER_BOUNDS_STAGEBOUNDS_H
#define HETERO_LIB_PLANNER_BOUNDS_STAGEBOUNDS_H

#include "hetero/Planner/Model/StageModel.h"

namespace hetero::planner {

/// The classes of devices that may be used, and how many there are of each.
struct ClassCount {
  int64_t deviceClass = 0, count = 0;
};

/// A row of `tensor` devices of the class with number `index` in the list.
struct RowChoice {
  size_t index = 0;
  int64_t tensor = 1;
};

/// The different runs of layers of a problem.
class LayerRuns {
public:
  explicit LayerRuns(const Problem &problem);

  int64_t numLayers = 0;
  /// For each kind of run its first appearance; its parameters, optimizer state
  /// and gradients; and the degrees that all of its layers can be divided in.
  std::vector<LayerRun> representatives;
  std::vector<ColumnState> states;
  std::vector<std::vector<int64_t>> degrees;
  /// By kind of run: a shorter run that it repeats, and how often. That is a
  /// single layer if all layers of the run are alike, else the run itself,
  /// once.
  std::vector<std::pair<size_t, int64_t>> units;
  /// By kind of run: the bytes that its layers save at least for a sample, and
  /// those that enter them.
  std::vector<double> saved, inputs;
  /// The gradients of the layer that has most, in bytes.
  double mostGradients = 0;

  size_t size() const { return representatives.size(); }
  /// The number of the kind of run that the layers `first` to `last - 1` are.
  size_t find(int64_t first, int64_t last) const {
    return runs[first * (numLayers + 1) + last];
  }

private:
  std::vector<size_t> runs;
};

/// What rows take for the numbers of samples that are looked at, in order: it
/// does not depend on how the batch is cut.
using RowTimes = std::vector<std::vector<std::pair<double, double>>>;

class StageBounds {
public:
  /// `times` is kept for others with the same layers and classes.
  StageBounds(const StageModel &model, const LayerRuns &runs,
              llvm::ArrayRef<ClassCount> classes, int64_t largest,
              int64_t smallest, RowTimes &times);

  const StageModel &model;
  const LayerRuns &runs;
  const std::vector<ClassCount> classes;
  /// Samples of the largest and the smallest microbatch.
  const int64_t largest, smallest;

  /// The most samples that a row of the choice has within `time`.
  int64_t samplesWithin(size_t run, size_t choice, double time,
                        bool forwardOnly = false);
  llvm::ArrayRef<RowChoice> rowChoices() const { return choices; }
  bool isAllowed(size_t run, size_t choice) const {
    return allowed[run * choices.size() + choice];
  }

  /// By number of samples, from 0 to the largest microbatch: the least time of
  /// a row of the choice, or of its forward alone.
  llvm::ArrayRef<double> times(size_t run, size_t choice,
                               bool forwardOnly = false) {
    const Table &known = table(run, choice);
    return forwardOnly ? known.forward : known.both;
  }
  /// The least time of a device alone to update all of the state.
  double updateTime(size_t run);

  /// The least time of a device of a class for a sample.
  double leastRate(size_t run, size_t index);
  /// The least share of the forward in forward and backward.
  double forwardShare(size_t run);

private:
  /// By number of samples, from 0.
  struct Table {
    std::vector<double> both, forward;
    double rate = 0, forwardShare = 1;
  };

  void findChoices();
  std::pair<double, double> timesOf(size_t run, size_t choice,
                                    int64_t samples) const;
  const Table &table(size_t run, size_t choice);

  std::vector<RowChoice> choices;
  std::vector<bool> allowed;
  std::vector<Table> tables;
  RowTimes &rowTimes;
  std::vector<double> updates;
  /// For each choice its rows in nodes that join their devices differently.
  std::vector<std::vector<cost::Group>> groups;
};

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_BOUNDS_STAGEBOUNDS_H
