//===- Simulator.h - What happens when --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// Follows the lists of a schedule from event to event. The devices of a stage
// work in step, so a stage stands for all of them. It has
//
//   a compute stream      one instruction at a time, in the order of the list
//   a stream to each      messages in the order in which they are sent, one at
//   other stage           a time; computation goes on beside them
//   a collective stream   gathers and reductions, likewise
//
// A receive waits for its message. A forward waits for the gather of its chunk,
// an update for the reductions of the stage; `StageTimes::parts` says how much
// of these runs beside the first and last computation.
//
// What is on its way loads media (Network.h). Transfers that are under way at
// the same time divide a medium fairly: all go equally fast, in bytes per
// second, until a medium is full; those that do not pass it go on to rise. So a
// transfer that waits for a slow link between two sites leaves its network card
// to the others. Collectives move in small chunks, so they get what messages
// between stages leave of a medium. When nothing is shared, everything takes
// its StageTimes to the picosecond.
//
// A worked example
// ----------------
// Two stages, one microbatch, forward 1 s, backward 2 s, a boundary of 1 s:
//
//   Schedule schedule = buildSchedule(ScheduleKind::OneFOneB, 1, {1, 1});
//   StageTimes first, second;
//   first.forward = second.forward = Time(1 * timePerSecond);
//   first.backward = second.backward = Time(2 * timePerSecond);
//   first.boundary = first.boundaryGradient = Time(1 * timePerSecond);
//   std::vector<std::vector<StageTimes>> times = {{first}, {second}};
//   auto result = simulate({schedule, times});
//   result->total;              // 8 s: 1 + 1 + 1 + 2 + 1 + 2
//   result->stages[0].busy;     // 3 s
//   result->stages[0].exposed;  // 1 s: the gradient on its way back
//   result->stages[0].bubble;   // 4 s: the rest

#ifndef HETERO_SIMULATOR_SIMULATOR_H
#define HETERO_SIMULATOR_SIMULATOR_H

#include "hetero/Simulator/Network.h"
#include "hetero/Simulator/Schedule.h"

namespace hetero::simulator {

/// How the communication of a stage loads the network, beside the times in its
/// StageTimes. A flow without loads has its link for itself.
struct StageFlows {
  Flow boundary, boundaryGradient;
  Flow gather, reduce;
  Flow besideForward, besideBackward;
};

/// What one device of a stage keeps.
struct DeviceUse {
  int64_t device = 0;
  /// In use all the time: state, gradients, workspace, buffers.
  Bytes fixed;
  /// Kept from the forward to the end of the backward (or weight gradient), by
  /// the index of the times; one entry serves all.
  std::vector<Bytes> kept;
};

/// A schedule, with what its stages take.
struct Simulation {
  const Schedule &schedule;
  /// For each stage and `chunk * microbatches + microbatch` the times; or for
  /// each stage and chunk, when all microbatches take the same.
  llvm::ArrayRef<std::vector<StageTimes>> times;
  /// For each stage; empty if nothing is shared. The media are those of
  /// `network`, which must then be there.
  llvm::ArrayRef<StageFlows> flows = {};
  const Network *network = nullptr;
  /// For each stage its devices; may be empty.
  llvm::ArrayRef<std::vector<DeviceUse>> devices = {};
};

/// When an instruction runs.
struct Span {
  Time start, end;
};

/// How a stage spends the step. The three sum to the time of the step.
struct StageStatistics {
  /// Computing.
  Time busy;
  /// Waiting for something that is on its way.
  Time exposed;
  /// Waiting for something that nobody has made yet, or done.
  Time bubble;
  /// The most pairs of microbatch and chunk in flight.
  int64_t inFlight = 0;
};

/// The memory of a device: its largest amount, and when it is first reached.
struct DevicePeak {
  int64_t device = 0;
  Bytes bytes;
  Time when;
};

/// What passed a medium.
struct MediumStatistics {
  int64_t medium = 0;
  /// The time that its bytes take when it has nothing else to do.
  Time busy;
};

struct SimulationResult {
  Time total;
  /// For each stage and each of its instructions. A send ends when the message
  /// has arrived; a receive when it can be used; gathers and reductions are on
  /// their way in between.
  std::vector<std::vector<Span>> spans;
  std::vector<StageStatistics> stages;
  /// For each stage, in the order of Simulation::devices.
  std::vector<std::vector<DevicePeak>> peaks;
  /// The media that were used, by number.
  std::vector<MediumStatistics> media;
};

/// Follows the lists. Fails when there are not times for everything, when an
/// instruction names what does not exist, and when stages wait for each other
/// in a circle or for a message that nobody sends; the error then names the
/// stages and instructions in order. O(n log s) for n instructions and s
/// stages, and as often as transfers meet on a full medium the number of those.
llvm::Expected<SimulationResult> simulate(const Simulation &simulation);

/// Memory in use from a time on.
struct MemoryPoint {
  Time time;
  Bytes bytes;
};

/// The memory of a device of a stage over time. `spans` are those of the stage.
std::vector<MemoryPoint> memoryOverTime(const StageSchedule &stage,
                                        int64_t microbatches,
                                        llvm::ArrayRef<Span> spans,
                                        const DeviceUse &device);

} // namespace hetero::simulator

#endif // HETERO_SIMULATOR_SIMULATOR_H
