//===- LayerSums.h - Amounts of all layers before one -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches ask for the amounts of very many runs of layers. A LayerSums adds
// the layers up once, and the amount of a run is a difference of two sums:
//
//   layers with             3, 1, 4, 1      bytes of parameters
//   LayerSums          0,   3, 4, 8, 9
//   of(1, 3)                4 + 1 - ... = 8 - 3 = 5, layers 1 and 2
//
// Bytes and times are whole numbers, whose sums are exact. Seconds as doubles
// round, so a run takes the same to the last bit only if it is asked for in the
// same table.

#ifndef HETERO_PLANNER_MODEL_LAYERSUMS_H
#define HETERO_PLANNER_MODEL_LAYERSUMS_H

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// The sums of an amount over all layers before each one, and over all layers.
template <typename AmountT>
class LayerSums {
public:
  /// Adds a layer. Several amounts of it are added one after the other.
  template <typename... AmountTs>
  void add(const AmountTs &...amounts) {
    AmountT sum = before.back();
    ((sum += amounts), ...);
    before.push_back(sum);
  }
  /// Of the layers `first` to `end - 1`.
  AmountT of(int64_t first, int64_t end) const {
    return before[end] - before[first];
  }
  AmountT of(const LayerRun &run) const { return of(run.first, run.last + 1); }
  /// Of the layers before `end`, and of all.
  const AmountT &upTo(int64_t end) const { return before[end]; }
  const AmountT &all() const { return before.back(); }
  /// Adds the sums of another table for the same layers.
  LayerSums &operator+=(const LayerSums &other) {
    for (size_t layer = 0; layer < before.size(); ++layer)
      before[layer] += other.before[layer];
    return *this;
  }

private:
  std::vector<AmountT> before = std::vector<AmountT>(1);
};

/// The sums of `amount(layer)` over the layers of a problem.
template <typename AmountFn>
auto sumLayers(const Problem &problem, AmountFn amount) {
  LayerSums<decltype(amount(problem.layers.front()))> sums;
  for (const Layer &layer : problem.layers)
    sums.add(amount(layer));
  return sums;
}

/// What enters each layer: `output(layer)` of the one before it.
template <typename AmountFn>
auto sumInputs(const Problem &problem, AmountFn output) {
  using AmountT = decltype(output(problem.layers.front()));
  AmountT entering = AmountT();
  return sumLayers(problem, [&](const Layer &layer) {
    return std::exchange(entering, output(layer));
  });
}

/// Forwards and backwards: as times, which are exact, and in seconds, both
/// together and the forward alone.
struct PassSums {
  LayerSums<Time> forward, backward;
  LayerSums<double> bothSeconds, forwardSeconds;

  void add(Time forwardTime, Time backwardTime) {
    forward.add(forwardTime);
    backward.add(backwardTime);
    bothSeconds.add(toSeconds(forwardTime), toSeconds(backwardTime));
    forwardSeconds.add(toSeconds(forwardTime));
  }
};

/// The state of the layers of a stage that one column of its mesh holds.
struct ColumnState {
  Bytes parameters, optimizer, gradients;

  Bytes total() const { return parameters + optimizer; }
  /// What every device holds of it.
  Bytes undivided(StateMode mode) const {
    return mode == StateMode::Replicated  ? total()
           : mode == StateMode::Optimizer ? parameters
                                          : Bytes(0);
  }
  ColumnState &operator+=(const ColumnState &other) {
    parameters += other.parameters;
    optimizer += other.optimizer;
    gradients += other.gradients;
    return *this;
  }
  ColumnState operator-(const ColumnState &other) const {
    return {parameters - other.parameters, optimizer - other.optimizer,
            gradients - other.gradients};
  }
};

/// `ceil(amount * numerator / denominator)`; the whole amount for a denominator
/// of zero.
inline int64_t scale(int64_t amount, int64_t numerator, int64_t denominator) {
  if (denominator <= 0 || numerator >= denominator)
    return amount;
  __int128 product = static_cast<__int128>(amount) * numerator;
  return int64_t((product + denominator - 1) / denominator);
}

/// What one of `parts` devices has of an amount, at most.
template <typename AmountT>
AmountT divide(AmountT amount, int64_t parts) {
  return AmountT(scale(amount.count(), 1, parts));
}

/// The state of a layer of which a column holds one of `tensor` parts.
inline ColumnState columnState(const Layer &layer, int64_t tensor) {
  return {divide(layer.parameters, tensor),
          divide(layer.optimizerState, tensor),
          divide(layer.gradients, tensor)};
}

/// The bytes of undivided layers: their state, without copies of what is tied;
/// and for a sample what they save and what enters them.
struct LayerBytes {
  explicit LayerBytes(const Problem &problem)
      : state(sumLayers(
            problem, [](const Layer &layer) { return columnState(layer, 1); })),
        saved(sumLayers(
            problem, [](const Layer &layer) { return layer.saved.perSample; })),
        inputs(sumInputs(problem, [](const Layer &layer) {
          return layer.output.perSample;
        })) {}

  LayerSums<ColumnState> state;
  LayerSums<Bytes> saved, inputs;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_LAYERSUMS_H
