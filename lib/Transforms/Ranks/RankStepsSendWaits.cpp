//===- RankStepsSendWaits.cpp - Where to wait for sends -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A send may need its receive to be reached before it ends (large messages of
// MPI do). A wait that comes too early can therefore close a cycle, and one
// that comes late keeps memory. The right place follows from what ranks know of
// each other: all programs are executed without their numbers, each rank with a
// clock that says which step every rank has reached for certain. What a rank
// receives carries the clock of the sender; a collective joins those of its
// members. Once the clock of the sender has passed the receive, the wait ends
// at once.

#include "hetero/Analysis/RankPrograms.h"
#include "hetero/Transforms/Ranks/RankSteps.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::ranks;

namespace {
/// By rank (counted in order): how many steps it has reached.
using Clock = std::vector<size_t>;

class Clocks {
public:
  explicit Clocks(const Programs &programs) : programs(programs) {
    for (auto &[number, rank] : programs.ranks) {
      indices[number] = states.size();
      states.push_back({&rank, 0, false, Clock(programs.ranks.size()), {}});
    }
    for (const Stream &stream : programs.streams)
      entered.emplace_back(stream.group.size());
  }
  void run();
  /// The first step after `step` of a rank at which it knows that `other` has
  /// reached `otherStep`; nothing if it never does.
  std::optional<size_t> getKnown(int64_t rank, size_t step, int64_t other,
                                 size_t otherStep) const;

private:
  struct State {
    const RankSteps *rank;
    size_t next;
    bool isEntered;
    Clock clock;
    /// The clock after each step that had to do with other ranks.
    std::vector<std::pair<size_t, Clock>> history;
  };

  bool advance(State &state);
  bool join(State &state, const Step &step);

  const Programs &programs;
  std::map<int64_t, size_t> indices;
  std::vector<State> states;
  /// By stream, member and position: the clock when it was reached.
  std::vector<std::vector<std::vector<Clock>>> entered;
};
} // namespace

/// Takes over what is known of the others; false if one of them has not come.
bool Clocks::join(State &state, const Step &step) {
  auto &members = entered[step.stream];
  for (auto &clocks : members)
    if (clocks.size() <= size_t(step.position))
      return false;
  for (auto &clocks : members)
    for (auto [mine, theirs] :
         llvm::zip_equal(state.clock, clocks[step.position]))
      mine = std::max(mine, theirs);
  state.history.emplace_back(state.next, state.clock);
  return true;
}

bool Clocks::advance(State &state) {
  const Step &step = state.rank->steps[state.next];
  if (step.isCommunication()) {
    const Stream &stream = programs.streams[step.stream];
    if (!state.isEntered) {
      state.clock[indices[state.rank->rank]] = state.next + 1;
      entered[step.stream][stream.getMember(state.rank->rank)].push_back(
          state.clock);
    }
    state.isEntered = true;
    if (!cast<CommunicationOpInterface>(step.op).isStart() &&
        !join(state, step))
      return false;
  } else if (step.target >= 0) {
    const Step &started = state.rank->steps[step.target];
    if (!isa<SendOp>(started.op) && !join(state, started))
      return false;
  }
  ++state.next;
  state.isEntered = false;
  return true;
}

void Clocks::run() {
  bool any = true;
  while (any) {
    any = false;
    for (State &state : states)
      while (state.next < state.rank->steps.size() && advance(state))
        any = true;
  }
}

std::optional<size_t> Clocks::getKnown(int64_t rank, size_t step, int64_t other,
                                       size_t otherStep) const {
  const State &state = states[indices.find(rank)->second];
  size_t index = indices.find(other)->second;
  auto it = llvm::partition_point(state.history, [&](const auto &entry) {
    return entry.first <= step || entry.second[index] <= otherStep;
  });
  if (it == state.history.end())
    return std::nullopt;
  return it->first;
}

void ranks::placeSendWaits(const Programs &programs) {
  Clocks clocks(programs);
  clocks.run();
  for (auto &[number, rank] : programs.ranks) {
    ProgramAttr program = getProgram(rank.function);
    if (program.getRanks().size() != 1)
      continue;
    DenseMap<Operation *, Operation *> last; // What was put after it.
    for (const Step &step : rank.steps) {
      if (step.call || step.target < 0 ||
          !isa<SendOp>(rank.steps[step.target].op))
        continue;
      const Step &send = rank.steps[step.target];
      const Stream &stream = programs.streams[send.stream];
      int64_t receiver = stream.group[1];
      if (!programs.ranks.count(receiver) ||
          stream.steps[1].size() <= size_t(send.position))
        continue;
      std::optional<size_t> known = clocks.getKnown(
          number, step.target, receiver, stream.steps[1][send.position]);
      if (!known)
        continue;
      Operation *top = rank.getTop(rank.steps[*known]);
      Operation *&anchor = last[top];
      step.op->moveAfter(anchor ? anchor : top);
      anchor = step.op;
    }
  }
}
