//===- Plan.h - What was decided --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// A plan cuts the batch into microbatches and the layers into stages, gives
// each stage a mesh of devices, and divides in each stage the samples of a
// microbatch by speed and the state by free memory, in exact numbers. It means
// what `hetero.plan` means in the IR, one field for one word.
//
// A worked example
// ----------------
// The problem of Problem.h on an A100 and a T4 in one machine and an A100 in
// another. The first stage has two devices, which take 3 and 1 of the 4 samples
// of a microbatch, but hold 24 and 72 of the 96 bytes of its state:
//
//   planner: "hand"
//   batch: 8
//   microbatches: [4, 4]
//   schedule: h1f1b
//   predicted: 1.2 ms
//   bound: 900 us
//   stages:
//     - layers: [[0, 0]]
//       mesh: {devices: [0, 1], data: 2, tensor: 1}
//       samples: [[3, 1]]
//       state: full
//       inFlight: 2
//       forward: 20 us
//       backward: 40 us
//       boundary: 60 us
//       shares:
//         - {device: 0, state: 24 B, memory: 600 B}
//         - {device: 1, state: 72 B, memory: 400 B}
//     - layers: [[1, 1]]
//       mesh: {devices: [2], data: 1, tensor: 1}
//       samples: [[4]]
//       ...
//
// Decisions and predictions
// -------------------------
// A planner (or a person) decides microbatches, schedule, layers, meshes,
// samples, state, the state of each share, and in-flight counts. evaluate()
// fills in everything below a comment that says "predicted".

#ifndef HETERO_PLANNER_PLAN_PLAN_H
#define HETERO_PLANNER_PLAN_PLAN_H

#include "hetero/Cluster/Cluster.h"
#include "hetero/Planner/Problem/Problem.h"
#include "hetero/Simulator/Schedule.h"

namespace hetero::planner {

using simulator::ScheduleKind;

/// What a plan minimizes.
using hetero::Objective;

/// Which state the devices of a stage divide between them.
using hetero::StateMode;

/// Devices in a grid, row by row: `devices[d * tensor + t]`. The samples are
/// divided along `data`, the layers along `tensor`.
struct Mesh {
  std::vector<int64_t> devices;
  int64_t data = 1;
  int64_t tensor = 1;

  llvm::ArrayRef<int64_t> row(int64_t index) const {
    return llvm::ArrayRef(devices).slice(index * tensor, tensor);
  }
  std::vector<std::vector<int64_t>> columns() const;
  auto fields() const { return std::tie(devices, data, tensor); }
};

/// Layers from the first to the last.
struct LayerRun {
  int64_t first = 0;
  int64_t last = 0;

  auto fields() const { return std::tie(first, last); }
};

/// What one device of a stage gets.
struct DeviceShare {
  int64_t device = 0;
  /// Samples that it computes at a time, if not all of its share at once.
  std::optional<int64_t> micro;
  /// Bytes of the stage's state (parameters and optimizer state) in storage.
  /// The shares of a stage that divides all of it sum to that state. Rows of
  /// single tensors follow from it by largest remainder.
  Bytes state;
  /// Predicted: the most memory in use at any time, state included.
  Bytes memory;

  auto fields() const { return std::tie(device, micro, state, memory); }
};

/// A run of layers on a mesh.
struct Stage {
  /// Usually one run; they ascend. Each is a chunk of the schedule.
  std::vector<LayerRun> layers;
  Mesh mesh;
  /// For each different size of microbatch, in order of first appearance: the
  /// samples of each of the `mesh.data` groups.
  std::vector<std::vector<int64_t>> samples;
  StateMode state = StateMode::Replicated;
  /// Keep only what enters the layers, and compute the rest again.
  bool recompute = false;
  /// Microbatches between their forward and the end of their backward; pairs of
  /// microbatch and run where there are several runs.
  int64_t inFlight = 1;
  /// One for each device of the mesh, in its order.
  std::vector<DeviceShare> shares;

  /// Predicted for the first microbatch: its computation, with the
  /// communication inside of the stage that it waits for.
  Time forward, backward;
  /// Predicted for the first microbatch: handing the output to the next stage,
  /// and taking its gradient back.
  Time boundary, boundaryGradient;
  /// Predicted, once for a step: gathering divided parameters, combining the
  /// gradients, applying the optimizer.
  Time gather, reduce, update;

  auto fields() const {
    return std::tie(layers, mesh, samples, state, recompute, inFlight, shares,
                    forward, backward, boundary, boundaryGradient, gather,
                    reduce, update);
  }
};

using hetero::ResourceKind;

/// Something that would have to grow to make the step faster: a resource of a
/// stage, of a device, or of a part of the cluster, by name.
struct Resource {
  ResourceKind kind = ResourceKind::Compute;
  std::optional<int64_t> stage, device;
  std::string part;

  auto fields() const { return std::tie(kind, stage, device, part); }
};

/// How a step is laid out on a cluster.
struct Plan {
  /// The name of the planner.
  std::string planner;
  Objective objective = Objective::Time;
  int64_t batch = 0;
  /// Sizes in order; they sum to the batch.
  std::vector<int64_t> microbatches;
  /// In which order the stages work. Stages of an interleaved or layered plan
  /// may have several runs of layers, all equally many.
  ScheduleKind schedule = ScheduleKind::HeteroOneFOneB;
  std::vector<Stage> stages;

  /// Predicted: the time of a step; a time that no plan can beat under the
  /// cost model; what limits it.
  Time predicted;
  Time bound;
  std::vector<Resource> limitedBy;

  /// The share of the step that could at most be saved,
  /// `(predicted - bound) / predicted`, in millionths, rounded down.
  Share gap() const;
  /// The different sizes of microbatches, in order of first appearance.
  std::vector<int64_t> distinctMicrobatches() const;

  auto fields() const {
    return std::tie(planner, objective, batch, microbatches, schedule, stages,
                    predicted, bound, limitedBy);
  }
};

/// The plan with a microbatch for each turn of devices that compute only some
/// samples of their share at a time (`micro`): as many turns as one of them
/// needs, and about as many samples of everybody in each, so that no one waits.
/// 12 and 5 samples, the first 6 at a time, become 6 and 3 and then 6 and 2.
/// Nothing if the plan has several stages, or runs of layers in an order that
/// is not layered, for which a microbatch is more than work. The predictions
/// are those of the plan before.
std::optional<Plan> divideIntoTurns(const Plan &plan);

/// Reads the text form above. Errors start with `<name>:<line>:<column>:`.
llvm::Expected<Plan> readPlan(llvm::MemoryBufferRef buffer);

/// The same, and lets `check` look at the plan. What it finds wrong gets the
/// place in the file of the part whose path it names, by its keys in the text
/// form: "stages.0.shares.1".
llvm::Expected<Plan>
readPlan(llvm::MemoryBufferRef buffer,
         llvm::function_ref<llvm::Error(Plan &, std::string &)> check);

/// Writes the text form; readPlan gives back an equal plan.
void writePlan(const Plan &plan, llvm::raw_ostream &os);

/// Writes a table for people: stages, devices, layers (by name, where there is
/// one), samples, memory, times.
void printPlan(llvm::ArrayRef<std::string> layerNames,
               const cluster::Cluster &cluster, const Plan &plan,
               llvm::raw_ostream &os);

/// The names of the layers of a problem.
std::vector<std::string> getLayerNames(const Problem &problem);

/// What limits the plan: "compute of stage 0, memory of stage 1".
std::string describeLimits(const Plan &plan);

} // namespace hetero::planner

#endif // HETERO_PLANNER_PLAN_PLAN_H
