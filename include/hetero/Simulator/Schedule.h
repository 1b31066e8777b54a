//===- Schedule.h - In which order the stages work --------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The idea
// --------
// A schedule is one ordered list of instructions for each stage. All kinds here
// differ in one number only: how many microbatches n_i stage i may have between
// forward and backward. With n = min(n_i, M) the order on a stage is
//
//   n - 1 forwards, then pairs of a forward and a backward, then n - 1
//   backwards
//
//   kind    n_i
//   gpipe   M: all forwards before the first backward
//   1f1b    stages - i: a backward as soon as the pipeline is full
//   h1f1b   n_last = 1, n_i = n_{i+1} + 1 + ceil(2 k_i / t), with k_i one
//           crossing of the boundary after i and t the slowest stage or
//           crossing: enough to cover the way there and back
//
// so h1f1b with free boundaries is 1f1b. Counts are capped by what memory
// allows; as a stage must be able to feed the next one, n_i >= n_{i+1}.
//
// A worked example
// ----------------
// Four stages, forward 1, backward 2, three microbatches, free boundaries; time
// goes to the right, a digit is a forward, two letters a backward:
//
//   stage 0  0 1 2 . . . . . . . A A . B B . C C      n = 3 (of 4: M = 3)
//   stage 1  . 0 1 2 . . . . A A . B B . C C
//   stage 2  . . 0 1 . . A A 2 B B . C C              n = 2
//   stage 3  . . . 0 A A 1 B B 2 C C                  n = 1
//
// With a crossing of 2.4 in the middle, n becomes [6, 5, 2, 1], and 8
// microbatches take 37.8 instead of the 52.2 of 1f1b.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_SIMULATOR_SCHEDULE_H
#define HETERO_SIMULATOR_SCHEDULE_H

#include "hetero/Support/Amount.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace hetero::simulator {

enum class ScheduleKind { Gpipe, OneFOneB, HeteroOneFOneB };

/// One thing that a stage does, as in `#hetero.instruction`.
enum class InstructionKind {
  Forward,
  Backward,
  Update,
  Gather,
  Reduce,
  SendActivation,
  RecvActivation,
  SendGradient,
  RecvGradient
};

struct Instruction {
  InstructionKind kind = InstructionKind::Forward;
  std::optional<int64_t> microbatch;
  /// The other stage of a send or receive.
  std::optional<int64_t> peer;

  bool operator==(const Instruction &other) const {
    return kind == other.kind && microbatch == other.microbatch &&
           peer == other.peer;
  }
};

struct StageSchedule {
  /// The most microbatches that are in flight at a time.
  int64_t inFlight = 1;
  std::vector<Instruction> instructions;
};

struct Schedule {
  ScheduleKind kind = ScheduleKind::OneFOneB;
  int64_t microbatches = 1;
  std::vector<StageSchedule> stages;
};

/// What a schedule needs to know about a stage.
struct StageTimes {
  /// Of one microbatch.
  Time forward, backward;
  /// One crossing to the next stage, and of the gradient back from it; zero for
  /// the last stage.
  Time boundary, boundaryGradient;
  /// Once for a step; zero if there is nothing to do.
  Time gather, reduce, update;
};

/// The in-flight counts of a kind, not above `limits` (one number for each
/// stage; no limits if empty) and not above the number of microbatches.
std::vector<int64_t> computeInFlight(ScheduleKind kind, int64_t microbatches,
                                     llvm::ArrayRef<StageTimes> stages,
                                     llvm::ArrayRef<int64_t> limits = {});

/// Whether a stage has parameters to gather first and gradients to reduce last.
struct StageCommunication {
  bool gathers = false, reduces = false;
};

/// The lists for the given in-flight counts, which are lowered where a stage
/// could not feed the next one. Receives come right before what needs them,
/// sends right after what makes them; the update comes last.
Schedule buildSchedule(ScheduleKind kind, int64_t microbatches,
                       llvm::ArrayRef<int64_t> inFlight,
                       llvm::ArrayRef<StageCommunication> communication = {});

/// When an instruction runs.
struct Span {
  Time start, end;
};

/// When everything happens, if a stage does one instruction at a time in its
/// order, sends do not block it, and each boundary carries one message at a
/// time in each direction, first come first served.
struct Timing {
  /// For each stage and each of its instructions. A send ends when the message
  /// has arrived; a receive when it can be used.
  std::vector<std::vector<Span>> spans;
  Time total;
};

/// Follows the lists. `stages[s][m]` are the times of stage s for microbatch m;
/// a single entry serves all microbatches. Fails when they wait for each other
/// in a circle, or for a message that nobody sends; the error names the stages
/// and instructions in order.
llvm::Expected<Timing>
timeSchedule(const Schedule &schedule,
             llvm::ArrayRef<std::vector<StageTimes>> stages);

llvm::StringRef stringify(ScheduleKind kind);
llvm::StringRef stringify(InstructionKind kind);
/// "forward 3", "send_gradient 2 to 1".
std::string stringify(const Instruction &instruction);
std::optional<ScheduleKind> parseScheduleKind(llvm::StringRef name);

} // namespace hetero::simulator

#endif // HETERO_SIMULATOR_SCHEDULE_H
