//===- ScheduleChoice.h - The best schedule by simulation -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// How many microbatches in flight are best follows from no formula: a stage
// that is faster than the others catches up by itself, the last microbatches
// are in no steady state, and messages share links. So several counts are
// simulated, and the fastest wins; of equally fast ones that with fewer
// microbatches in flight:
//
//   those of 1f1b
//   those that cover each way there and back, as in Schedule.h
//   the same with one and with two more before each slow boundary
//   from the best of these on, one more on all stages up to a boundary, as long
//   as that helps
//
// The split backward of zero_bubble is tried with the counts of its own and
// with those found for h1f1b, as it can also lose.
//
// A worked example
// ----------------
// The four stages of Schedule.h with a crossing of 2.4 in the middle, and 64
// microbatches: 1f1b takes 354.6, [6, 5, 2, 1] in flight 205.8. If memory
// allows only 5 on the first stage, the best within that is found.

#ifndef HETERO_SIMULATOR_SCHEDULECHOICE_H
#define HETERO_SIMULATOR_SCHEDULECHOICE_H

#include "hetero/Simulator/Simulator.h"

namespace hetero::simulator {

/// Stages with one chunk each, for which a schedule is wanted.
struct ScheduleRequest {
  int64_t microbatches = 1;
  /// As in Simulation.
  llvm::ArrayRef<std::vector<StageTimes>> times;
  llvm::ArrayRef<StageFlows> flows = {};
  const Network *network = nullptr;
  /// For each stage; none if empty.
  llvm::ArrayRef<StageCommunication> communication = {};
  /// The most that each stage can have in flight; no limits if empty.
  llvm::ArrayRef<int64_t> limits = {};
  /// Any of 1f1b, h1f1b, zero_bubble and gpipe.
  llvm::ArrayRef<ScheduleKind> kinds;
  /// After how many simulations to stop.
  int64_t mostSimulations = 64;
};

struct ScheduleChoice {
  ScheduleKind kind = ScheduleKind::OneFOneB;
  std::vector<int64_t> inFlight;
  Time total;
};

/// The fastest schedule that was found, of all kinds of the request, the first
/// one if several are. Fails as simulate does.
llvm::Expected<ScheduleChoice> chooseSchedule(const ScheduleRequest &request);

} // namespace hetero::simulator

#endif // HETERO_SIMULATOR_SCHEDULECHOICE_H
