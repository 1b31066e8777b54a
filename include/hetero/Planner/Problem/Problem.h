//===- Problem.h - What is to be planned ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// A planner needs to know little of a training step: its layers in forward
// order, and for each what it computes, keeps, hands on and stores. A Problem
// is just that, without any IR: layers are numbers 0, 1, ..., and whoever made
// the problem keeps the map from numbers to operations.
//
// Costs are affine in the number of samples that are computed together. What
// does not depend on the batch (reading the parameters, the optimizer) is the
// fixed part; it is paid once for every microbatch on every device.
//
//   problem  + cluster --(planner)--> plan           Planners.h
//   check(problem)                    input is sound
//   verify(problem, cluster, plan)    output is a plan for it, and it fits
//   evaluate(problem, cluster, plan)  fills in the predictions
//
// A worked example
// ----------------
// Two dense layers, 4 -> 6 -> 2, in f32 with plain SGD, a batch of 8, in the
// text form that readProblem takes:
//
//   batch: 8
//   layers:
//     - name: "dense_0"
//       forward:
//         work: {f32: {sample: 48 FLOP}}
//         bytes: {fixed: 96 B, sample: 40 B}
//       backward:
//         work: {f32: {sample: 48 FLOP}}
//         bytes: {fixed: 96 B, sample: 40 B}
//       update: {work: {f32: {fixed: 48 FLOP}}, bytes: {fixed: 288 B}}
//       parameters: 96 B
//       gradients: 96 B
//       saved: {sample: 16 B}
//       output: {sample: 24 B}
//       outputGradient: {sample: 24 B}
//     - name: "dense_1"
//       ...
//
// The first layer has 24 parameters of 4 bytes. One sample multiplies and adds
// 24 times forwards; its weight gradient takes as much again (the gradient of
// the data is not needed). The input, 16 bytes a sample, is kept for the
// backward; 24 bytes a sample go to the second layer and come back as gradient.
//
// A layer that is `like` an earlier one has the same costs, and need not state
// them again. Times that were measured on a class of devices replace what the
// cost model would say for it:
//
//     - name: "block_0"
//       ...
//       measured:
//         l4: {samples: [1, 2, 4], forward: [9 ms, 16 ms, 31 ms],
//              backward: [17 ms, 31 ms, 60 ms]}
//     - {name: "block_1", like: 1}
//
// How well a device is filled depends on the size of operations, so those of
// other kinds or sizes are best told apart: four large products, and 30 small
// operations that do little more than read and write.
//
//       forward:
//         work: {bf16: {sample: 54 GFLOP}}
//         bytes: {fixed: 100 MB, sample: 60 MB}
//         operations: 4
//         others:
//           - {bytes: {sample: 90 MB}, operations: 30}
//
// What each sample brings along, for the layers that use it:
//
//   inputs:
//     - {layers: [0], sample: 2 KB}

#ifndef HETERO_PLANNER_PROBLEM_PROBLEM_H
#define HETERO_PLANNER_PROBLEM_PROBLEM_H

#include "hetero/Planner/Problem/MeasuredTimes.h"
#include "hetero/Support/Amount.h"
#include "hetero/Support/Fields.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hetero::cluster {
struct Cluster;
} // namespace hetero::cluster

namespace hetero::planner {

using hetero::operator==;

/// What operations do on a device, for n samples at once. Work is counted in
/// four steps: OpWork (Analysis) of an operation in the IR, as if nothing were
/// fused; GraphOp of an operation, with the traffic that is left; Cost of a
/// layer, affine in the samples; and cost::Operations of a part of either, for
/// some samples, which the cost model gives a time.
struct Cost {
  /// Floating-point work by element type of its operands, named as in MLIR
  /// ("f32", "bf16").
  std::map<std::string, Affine<Work>> work;
  /// Bytes that are read from and written to the memory of the device.
  Affine<Bytes> bytes;
  /// How many operations it is: each of them pays the overhead of the device,
  /// and the work of the average one decides how well the device is filled.
  int64_t operations = 1;
  /// Operations of other kinds or sizes, whose time comes on top: products by
  /// their size, and what does little more than read and write. They have no
  /// others themselves.
  std::vector<Cost> others;

  auto fields() const { return std::tie(work, bytes, operations, others); }
};

/// Calls `visit` with the cost itself and with its others.
template <typename VisitFn>
void forEachGroup(const Cost &cost, VisitFn visit) {
  visit(cost);
  for (const Cost &other : cost.others)
    visit(other);
}

/// A run of operations that stays together. Layers are numbered in forward
/// order; layer i uses only what layers before it hand on.
struct Layer {
  /// For messages.
  std::string name;
  /// An earlier layer of the same structure, whose costs are the same.
  std::optional<int64_t> like;

  Cost forward, backward;
  /// The optimizer, once for a step. Its per-sample parts are ignored.
  Cost update;

  /// Sizes in storage: parameters; what else is updated with them (optimizer
  /// moments, running averages); the gradients of the parameters.
  Bytes parameters, optimizerState, gradients;
  /// What is kept from the forward to the backward, without the parameters.
  Affine<Bytes> saved;
  /// The most that is needed at one time while the layer is computed, beyond
  /// what it saves and hands on.
  Affine<Bytes> workspace;

  /// Everything that is alive from this layer to later ones in the forward,
  /// also on its way past the next layer, and in the backward the other way.
  Affine<Bytes> output, outputGradient;

  /// In how many parts the layer may be divided along a model dimension; 1 is
  /// always allowed and need not be listed. Work, traffic, state and what is
  /// saved are divided by the degree.
  std::vector<int64_t> tensorDegrees;
  /// What is summed over the parts in each forward and in each backward when
  /// the layer is so divided.
  Affine<Bytes> tensorForward, tensorBackward;

  /// Measured times of the whole layer, by the name of the class of devices.
  /// There they replace what follows from `forward` and `backward`; a layer
  /// that is divided takes its part of them.
  std::map<std::string, MeasuredTimes> measured;

  /// The measured times on a class; null if there are none.
  const MeasuredTimes *measuredOn(const std::string &deviceClass) const {
    auto entry = measured.find(deviceClass);
    return entry == measured.end() ? nullptr : &entry->second;
  }

  /// All but its name and what it is like.
  auto costs() const {
    return std::tie(forward, backward, update, parameters, optimizerState,
                    gradients, saved, workspace, output, outputGradient,
                    tensorDegrees, tensorForward, tensorBackward, measured);
  }
  auto fields() const { return std::tuple_cat(std::tie(name, like), costs()); }
};

/// What several layers share: a parameter (tied embeddings), what is made of
/// parameters alone, the gradients of both. It lives in the first of them: its
/// bytes count there. When others are in another stage, that stage holds a
/// copy, which comes from the owner once for a step, and sums up gradients,
/// which go there once for a step.
struct Tie {
  std::vector<int64_t> layers;
  Bytes parameters, gradients;

  auto fields() const { return std::tie(layers, parameters, gradients); }
};

/// An argument of the step that has a part for each sample, and the layers that
/// use it. Their stages hold it from the begin of the step on, each device for
/// the samples that it has of all microbatches.
struct Input {
  std::vector<int64_t> layers;
  /// Bytes of one sample.
  Bytes sample;

  auto fields() const { return std::tie(layers, sample); }
};

/// A decision of the user about one layer.
struct Pin {
  int64_t layer = 0;
  /// The stage that it must be in.
  std::optional<int64_t> stage;
  /// The devices that its stage may consist of; all if empty.
  std::vector<int64_t> devices;

  auto fields() const { return std::tie(layer, stage, devices); }
};

/// More microbatches than this cannot be given: each of them is simulated.
inline constexpr int64_t maxGivenMicrobatches = 1 << 20;

/// What a plan must respect.
struct Constraints {
  std::vector<Pin> pins;
  /// Devices, by rank, that must not be used.
  std::vector<int64_t> forbiddenDevices;
  /// The microbatches, if they are given: their sizes in order. They sum to the
  /// batch.
  std::vector<int64_t> microbatches;
  /// The largest number of microbatches; 1 for a step whose samples cannot be
  /// separated.
  std::optional<int64_t> maxMicrobatches;
  /// The largest number of stages.
  std::optional<int64_t> maxStages;
  /// In how many parts every stage divides its layers, if that is given.
  std::optional<int64_t> tensor;

  auto fields() const {
    return std::tie(pins, forbiddenDevices, microbatches, maxMicrobatches,
                    maxStages, tensor);
  }
};

/// A training step, as a planner sees it.
struct Problem {
  /// Samples in a step.
  int64_t batch = 0;
  std::vector<Layer> layers;
  std::vector<Tie> ties;
  std::vector<Input> inputs;
  Constraints constraints;

  auto fields() const {
    return std::tie(batch, layers, ties, inputs, constraints);
  }
};

/// The degrees that all layers can be divided in.
std::vector<int64_t> commonDegrees(const Problem &problem);

/// Checks that the problem is sound: a positive batch, at least one layer,
/// nothing negative, constraints that refer to what exists and do not
/// contradict each other. The error names the layer or constraint.
llvm::Error check(const Problem &problem);

/// The same, and that `cluster` has what the constraints name: devices that
/// exist, for each pin one that may be used, and enough of them for pinned
/// stages and given parts. A planner does this first.
llvm::Error check(const Problem &problem, const cluster::Cluster &cluster);

/// Reads the text form above. Errors start with `<name>:<line>:<column>:`. Keys
/// that are left out are zero, empty or not given. The result is checked, for
/// `cluster` if one is given.
llvm::Expected<Problem> readProblem(llvm::MemoryBufferRef buffer,
                                    const cluster::Cluster *cluster = nullptr);

/// Writes the text form; readProblem gives back an equal problem.
void writeProblem(const Problem &problem, llvm::raw_ostream &os);

} // namespace hetero::planner

#endif // HETERO_PLANNER_PROBLEM_PROBLEM_H
