//===- Schedule.h - In which order the stages work --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// A schedule is one ordered list of instructions for each stage; it means what
// `hetero.schedule` means in the IR. How long things take is not in it, so a
// schedule can be checked, changed and carried out without a cost model.
//
// Four kinds differ in one number only: how many microbatches n_i stage i may
// have between forward and backward. With n = min(n_i, M) the order on a stage
// is
//
//   n - 1 forwards, then pairs of a forward and a backward, then n - 1
//   backwards
//
//   kind         n_i
//   gpipe        M: all forwards before the first backward
//   1f1b         stages - i: a backward as soon as the pipeline is full
//   h1f1b        n_last = 1, n_i = n_{i+1} + 1 + ceil(2 k_i / t), with k_i one
//                crossing of the boundary after i and t the slowest stage or
//                crossing: enough to cover the way there and back
//   zero_bubble  as the first stage of h1f1b, on all stages; but a backward is
//                split in two: the gradient of the inputs, which the stage
//                before waits for, and that of the weights, which nobody waits
//                for and which fills the gaps. The order is found by following
//                the stages with their times, so it fits unequal ones.
//
// so h1f1b with free boundaries is 1f1b. Counts are capped by what memory
// allows; as a stage must be able to feed the next one, n_i >= n_{i+1}.
//
// Two kinds have stages with several runs of layers, called chunks, and count
// pairs of microbatch and chunk:
//
//   interleaved  chunk c of the last stage hands on to chunk c + 1 of the first
//                one. Groups of as many microbatches as there are stages (the
//                last group also takes what is left over) pass all chunks in
//                turn. n_i = 2 (stages - i - 1) + (chunks - 1) * group + 1,
//                which makes the gaps at both ends shorter by the number of
//                chunks.
//   layered      all microbatches of a chunk before the next chunk, all of them
//                forwards, then all backwards: parameters that are divided are
//                gathered once for a chunk and pass, and its gradients reduced
//                once, beside the computation of the chunk before.
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

#ifndef HETERO_SIMULATOR_SCHEDULE_H
#define HETERO_SIMULATOR_SCHEDULE_H

#include "hetero/Support/Amount.h"
#include "hetero/Support/Enums.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace hetero::simulator {

using hetero::ScheduleKind;

/// All kinds that can be built, in order: not `custom`, whose lists are written
/// by hand.
llvm::ArrayRef<ScheduleKind> scheduleKinds();

/// One thing that a stage does. Schedules that are built have neither `prepare`
/// nor `recompute`, which are for ranks; a simulation refuses them.
using hetero::InstructionKind;

struct Instruction {
  InstructionKind kind = InstructionKind::Forward;
  std::optional<int64_t> microbatch;
  /// The other stage of a send or receive.
  std::optional<int64_t> peer;
  /// Which run of layers of the stage.
  int64_t chunk = 0;

  bool operator==(const Instruction &other) const {
    return kind == other.kind && microbatch == other.microbatch &&
           peer == other.peer && chunk == other.chunk;
  }
};

struct StageSchedule {
  /// The most pairs of microbatch and chunk that are in flight at a time.
  int64_t inFlight = 1;
  std::vector<Instruction> instructions;
  /// Runs of layers.
  int64_t chunks = 1;
};

struct Schedule {
  ScheduleKind kind = ScheduleKind::OneFOneB;
  int64_t microbatches = 1;
  std::vector<StageSchedule> stages;
};

/// What a schedule and its simulation need to know about a stage, for one
/// microbatch and one chunk. All are times on an idle network.
struct StageTimes {
  /// Computation, with communication that it waits for.
  Time forward, backward;
  /// One crossing to the next stage, and of the gradient back from it; zero for
  /// the last stage, unless its chunks hand on to the first one.
  Time boundary, boundaryGradient;
  /// Once for a step; zero if there is nothing to do.
  Time gather, reduce, update;
  /// The part of `backward` that makes the gradients of the weights.
  Time weightGradient;
  /// Collectives that run beside the forward and the backward of each
  /// microbatch, which then take as long as the longer of both.
  Time besideForward, besideBackward;
  /// The parts in which the once-for-a-step gather and reduce are done, usually
  /// the layers: computation begins when the first part is gathered, and all
  /// but the last part can be reduced beside the last backward. With 1 there is
  /// no overlap.
  int64_t parts = 1;
};

/// The in-flight counts of a kind, not above `limits` (one number for each
/// stage; no limits if empty) and not above the number of microbatches times
/// `chunks`. Interleaved counts are at least what the order needs, and layered
/// ones are all there is, whatever the limits.
std::vector<int64_t> computeInFlight(ScheduleKind kind, int64_t microbatches,
                                     llvm::ArrayRef<StageTimes> stages,
                                     llvm::ArrayRef<int64_t> limits = {},
                                     int64_t chunks = 1);

/// The fewest that a stage has in flight: what an interleaved order needs, all
/// of a layered one, or else 1.
int64_t leastInFlight(ScheduleKind kind, int64_t stage, int64_t numStages,
                      int64_t microbatches, int64_t chunks);

/// Whether a stage has parameters to gather first and gradients to reduce last.
struct StageCommunication {
  bool gathers = false, reduces = false;
};

/// The lists for the given in-flight counts, which are lowered where a stage
/// could not feed the next one. Receives come right before what needs them,
/// sends right after what makes them; the update comes last. Each stage has
/// `chunks` runs of layers; only interleaved and layered use more than one.
/// `times` (one for each stage) decide the order of zero_bubble; without them
/// the three parts of a microbatch take equally long everywhere. The lists
/// never wait for each other in a circle.
Schedule buildSchedule(ScheduleKind kind, int64_t microbatches,
                       llvm::ArrayRef<int64_t> inFlight,
                       llvm::ArrayRef<StageCommunication> communication = {},
                       int64_t chunks = 1,
                       llvm::ArrayRef<StageTimes> times = {});

bool isSend(InstructionKind kind);
bool isRecv(InstructionKind kind);
/// Whether the devices of the stage compute: neither communication between
/// stages nor inside of one.
bool isCompute(InstructionKind kind);

/// "forward 3", "send_gradient 2 to 1", "gather chunk 1".
std::string stringify(const Instruction &instruction);
/// One of scheduleKinds().
std::optional<ScheduleKind> parseScheduleKind(llvm::StringRef name);
/// "gpipe, 1f1b, ..." for messages.
std::string listScheduleKinds();

} // namespace hetero::simulator

#endif // HETERO_SIMULATOR_SCHEDULE_H
