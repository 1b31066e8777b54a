//===- StateDivision.h - State by free memory -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who holds how much of the state of a stage. Collectives are fastest when all
// parts are alike, so each device of a group that divides state gets the same,
// but for those whose memory does not have that much room: these are filled,
// and the others share the rest.
//
//   state 700, free 80, 400, 680    ->    80, 310, 310
//
// Where there is not enough room at all, everyone is short of the same.

#ifndef HETERO_PLANNER_MODEL_STATEDIVISION_H
#define HETERO_PLANNER_MODEL_STATEDIVISION_H

#include "hetero/Planner/Model/StageModel.h"

namespace hetero::planner {

/// By speed and memory, or as if all devices were alike.
enum class Division { Even, Proportional };

/// `amount` in parts that differ by at most one, the larger ones first.
std::vector<int64_t> divideEvenly(int64_t amount, int64_t parts);

/// `amount` in parts that are alike but for those that `free` keeps lower.
std::vector<int64_t> fillFree(int64_t amount, llvm::ArrayRef<int64_t> free);

/// The memory of a stage whose layers, mesh, samples, state mode and recompute
/// are chosen, as a function of how many microbatches are in flight.
class StateDivision {
public:
  StateDivision(const StageModel &model, Stage &stage, StagePlace place,
                Division division);

  /// The most microbatches in flight that fit; 0 if not even one does. Where
  /// parameters are divided, room to gather them counts on every device, also
  /// on one that comes to hold all of them.
  int64_t limit() const;
  /// Sets the number in flight and the state of each share for it.
  void apply(int64_t inFlight);

private:
  /// Members of one kind in a group.
  struct Part {
    size_t kind = 0;
    std::vector<int64_t> members;
  };

  /// What is left for divided state, with what comes along with it.
  int64_t freeOf(size_t kind, int64_t inFlight) const;
  bool fits(int64_t inFlight) const;

  Stage &stage;
  Division division;
  int64_t numMicrobatches;
  bool layered;
  /// What every device holds, and what a group divides; and gradients that are
  /// divided likewise.
  Bytes common, divided, alongside;
  /// By kind: memory without activations and divided state, and the
  /// activations of one microbatch.
  std::vector<Bytes> free, perMicrobatch;
  std::vector<std::vector<Part>> groups;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_STATEDIVISION_H
