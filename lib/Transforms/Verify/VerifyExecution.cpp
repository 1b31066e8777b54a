//===- VerifyExecution.cpp - All ranks together ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the programs without their numbers. A rank goes on until it waits:
//
//   a collective, or a wait for one     for all members to enter it;
//   a receive, or a wait for one        for the send to be reached;
//   a send, or a wait for one           for the receive to be reached.
//
// The embedded transports buffer sends, others need not; so what is proved here
// holds on each of them. Since reaching an operation never keeps another rank
// from going on, the order in which ranks take turns does not matter, and when
// none can go on, they wait for each other in a cycle.

#include "Contributions.h"
#include "hetero/Transforms/Verify/Verify.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

namespace {
class Machine {
public:
  Machine(const Programs &programs, Contributions *contributions)
      : programs(programs), contributions(contributions) {
    for (const Stream &stream : programs.streams)
      reached.emplace_back(stream.group.size(), 0);
  }
  LogicalResult run();

private:
  struct State {
    const RankSteps *program = nullptr;
    size_t next = 0;
    bool entered = false; ///< The next step was reached before.
  };

  FailureOr<bool> advance(State &state);
  void enter(const RankSteps &rank, const Step &step);
  LogicalResult finish(const RankSteps &rank, const Step &started,
                       const Step &step);
  std::optional<int64_t> getAwaited(const RankSteps &rank,
                                    const Step &step) const;
  LogicalResult reportCycle();

  const Programs &programs;
  Contributions *contributions;
  std::map<int64_t, State> states;
  /// By stream and member: how many of its steps were reached.
  std::vector<SmallVector<int64_t>> reached;
  /// By stream and position: what the members brought, and how many of them
  /// still want it.
  struct Brought {
    std::vector<Content> contents;
    size_t open = 0;
  };
  std::map<std::pair<int64_t, int64_t>, Brought> brought;
};
} // namespace

void Machine::enter(const RankSteps &rank, const Step &step) {
  const Stream &stream = programs.streams[step.stream];
  int64_t member = stream.getMember(rank.rank);
  ++reached[step.stream][member];
  if (!contributions || step.call)
    return;
  Brought &entry = brought[{step.stream, step.position}];
  if (entry.contents.empty()) {
    entry.contents.resize(stream.group.size());
    entry.open = stream.group.size();
  }
  entry.contents[member] = contributions->getContribution(rank, step);
}

/// The first rank that has not reached what belongs to `step`.
std::optional<int64_t> Machine::getAwaited(const RankSteps &rank,
                                           const Step &step) const {
  const Step &what = step.target >= 0 ? rank.steps[step.target] : step;
  const Stream &stream = programs.streams[what.stream];
  for (auto [member, other] : llvm::enumerate(stream.group))
    if (reached[what.stream][member] <= what.position)
      return other;
  return std::nullopt;
}

/// `step` ends what `started` has begun.
LogicalResult Machine::finish(const RankSteps &rank, const Step &started,
                              const Step &step) {
  if (!contributions || started.call)
    return success();
  auto it = brought.find({started.stream, started.position});
  if (it == brought.end())
    return success();
  Value value;
  for (Value result : step.op->getResults())
    if (!isa<HandleType>(result.getType()))
      value = result;
  LogicalResult result =
      contributions->receive(rank, started, programs.streams[started.stream],
                             it->second.contents, value);
  if (--it->second.open == 0)
    brought.erase(it);
  return result;
}

/// Executes the next step, or enters it if it has to wait. Returns whether it
/// was executed.
FailureOr<bool> Machine::advance(State &state) {
  const RankSteps &rank = *state.program;
  const Step &step = rank.steps[state.next];
  if (step.isCommunication()) {
    if (!state.entered)
      enter(rank, step);
    state.entered = true;
    bool starts = cast<CommunicationOpInterface>(step.op).isStart();
    if (!starts && getAwaited(rank, step))
      return false;
    if (!starts && failed(finish(rank, step, step)))
      return failure();
  } else if (step.target >= 0) {
    if (getAwaited(rank, step))
      return false;
    if (failed(finish(rank, rank.steps[step.target], step)))
      return failure();
  } else if (contributions && failed(contributions->execute(rank, step))) {
    return failure();
  }
  ++state.next;
  state.entered = false;
  return true;
}

/// From each rank to the one that it waits for, until one comes again; the
/// cycle is told from its lowest rank on.
LogicalResult Machine::reportCycle() {
  std::vector<int64_t> path;
  int64_t at = -1;
  for (auto &[rank, state] : states)
    if (at < 0 && state.next < state.program->steps.size())
      at = rank;
  auto stepOf = [&](int64_t rank) -> const Step & {
    const State &state = states.at(rank);
    return state.program->steps[state.next];
  };
  while (!llvm::is_contained(path, at)) {
    path.push_back(at);
    at = *getAwaited(*states.at(at).program, stepOf(at));
  }
  path.erase(path.begin(), llvm::find(path, at));
  std::rotate(path.begin(), llvm::min_element(path), path.end());
  auto what = [&](int64_t rank) -> Operation * {
    const Step &step = stepOf(rank);
    const RankSteps &program = *states.at(rank).program;
    return step.target >= 0 ? program.steps[step.target].op : step.op;
  };
  InFlightDiagnostic error = stepOf(path.front()).op->emitOpError();
  error << "waits in a cycle: ";
  for (auto [index, rank] : llvm::enumerate(path)) {
    if (index)
      error << ", which";
    else
      error << "rank " << rank;
    error << " waits in '" << getShortName(what(rank)) << "' (channel "
          << cast<CommunicationOpInterface>(what(rank)).getChannelNumber()
          << ") for rank " << path[(index + 1) % path.size()];
  }
  for (int64_t rank : ArrayRef(path).drop_front())
    error.attachNote(stepOf(rank).op->getLoc())
        << describePlace(*states.at(rank).program, stepOf(rank))
        << " waits here";
  return error;
}

LogicalResult Machine::run() {
  for (auto &[rank, program] : programs.ranks)
    states[rank].program = &program;
  bool any = true;
  while (any) {
    any = false;
    for (auto &[rank, state] : states)
      while (state.next < state.program->steps.size()) {
        FailureOr<bool> done = advance(state);
        if (failed(done))
          return failure();
        if (!*done)
          break;
        any = true;
      }
  }
  bool finished = llvm::all_of(states, [](const auto &entry) {
    return entry.second.next == entry.second.program->steps.size();
  });
  return finished ? success() : reportCycle();
}

LogicalResult verify::checkExecution(const Programs &programs,
                                     Contributions *contributions) {
  return Machine(programs, contributions).run();
}
