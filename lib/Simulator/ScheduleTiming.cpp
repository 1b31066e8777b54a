//===- ScheduleTiming.cpp - When a schedule does what ---------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only one stage sends over a boundary in one direction, in the order of its
// list, so nothing has to be sorted by time: each stage goes on until it waits
// for a message that has not been sent, and the sender wakes it up. Every
// instruction is looked at once or twice.
//
//===----------------------------------------------------------------------===//

#include "hetero/Simulator/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <tuple>

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

static bool isSend(InstructionKind kind) {
  return kind == InstructionKind::SendActivation ||
         kind == InstructionKind::SendGradient;
}

static bool isRecv(InstructionKind kind) {
  return kind == InstructionKind::RecvActivation ||
         kind == InstructionKind::RecvGradient;
}

static bool carriesGradient(InstructionKind kind) {
  return kind == InstructionKind::SendGradient ||
         kind == InstructionKind::RecvGradient;
}

namespace {
/// From which stage to which, whether a gradient, and which microbatch.
using Message = std::tuple<int64_t, int64_t, bool, int64_t>;

class Follower {
public:
  Follower(const Schedule &schedule, ArrayRef<std::vector<StageTimes>> stages)
      : schedule(schedule), times(stages), numStages(schedule.stages.size()),
        next(numStages, 0), now(numStages), waiting(numStages, false) {
    timing.spans.resize(numStages);
    for (auto [spans, stage] : zip(timing.spans, schedule.stages))
      spans.resize(stage.instructions.size());
  }

  Error check() const;
  Expected<Timing> follow();

private:
  const StageTimes &timesOf(int64_t stage, const Instruction &instruction) {
    const std::vector<StageTimes> &list = times[stage];
    return list.size() == 1 ? list.front()
                            : list[instruction.microbatch.value_or(0)];
  }
  Time crossing(int64_t from, int64_t to, const Instruction &instruction);
  bool step(int64_t stage);
  void send(int64_t stage, const Instruction &instruction, Span &span);
  Error describeCircle() const;

  const Schedule &schedule;
  ArrayRef<std::vector<StageTimes>> times;
  int64_t numStages;
  /// For each stage its next instruction and when it is done with the others.
  std::vector<size_t> next;
  std::vector<Time> now;
  std::vector<bool> waiting;
  std::map<Message, Time> arrivals;
  std::map<std::pair<int64_t, int64_t>, Time> linkFree;
  SmallVector<int64_t> ready;
  Timing timing;
};
} // namespace

Error Follower::check() const {
  if (int64_t(times.size()) != numStages)
    return createStringError("there are times for " + Twine(times.size()) +
                             " stages, but the schedule has " +
                             Twine(numStages));
  for (auto [index, list] : enumerate(times))
    if (list.size() != 1 && int64_t(list.size()) != schedule.microbatches)
      return createStringError("stage " + Twine(index) + " has times for " +
                               Twine(list.size()) +
                               " microbatches, but the schedule has " +
                               Twine(schedule.microbatches));
  for (int64_t index = 0; index < numStages; ++index)
    for (const Instruction &instruction : schedule.stages[index].instructions) {
      InstructionKind kind = instruction.kind;
      auto fail = [&](const Twine &why) {
        return createStringError("stage " + Twine(index) + ": '" +
                                 stringify(instruction) + "' " + why);
      };
      bool between = isSend(kind) || isRecv(kind);
      bool once = kind == InstructionKind::Update ||
                  kind == InstructionKind::Gather ||
                  kind == InstructionKind::Reduce;
      if (!once && !instruction.microbatch)
        return fail("names no microbatch");
      if (instruction.microbatch &&
          (*instruction.microbatch < 0 ||
           *instruction.microbatch >= schedule.microbatches))
        return fail("names a microbatch that is not one of the " +
                    Twine(schedule.microbatches));
      if (between &&
          (!instruction.peer || *instruction.peer < 0 ||
           *instruction.peer >= numStages || *instruction.peer == index))
        return fail("needs another one of the " + Twine(numStages) + " stages");
    }
  return Error::success();
}

/// The time from one stage to another, across all boundaries between them.
Time Follower::crossing(int64_t from, int64_t to,
                        const Instruction &instruction) {
  bool gradient = carriesGradient(instruction.kind);
  Time sum;
  for (int64_t i = std::min(from, to); i < std::max(from, to); ++i) {
    const StageTimes &stage = timesOf(i, instruction);
    sum += gradient ? stage.boundaryGradient : stage.boundary;
  }
  return sum;
}

void Follower::send(int64_t stage, const Instruction &instruction, Span &span) {
  int64_t peer = *instruction.peer;
  Time &free = linkFree[{stage, peer}];
  span.start = std::max(now[stage], free);
  span.end = free = span.start + crossing(stage, peer, instruction);
  arrivals.insert({{stage, peer, carriesGradient(instruction.kind),
                    *instruction.microbatch},
                   span.end});
  if (waiting[peer]) {
    waiting[peer] = false;
    ready.push_back(peer);
  }
}

/// Carries out the next instruction of a stage; false if it has to wait.
bool Follower::step(int64_t stage) {
  const Instruction &instruction =
      schedule.stages[stage].instructions[next[stage]];
  Span &span = timing.spans[stage][next[stage]];
  span.start = now[stage];
  const StageTimes &own = timesOf(stage, instruction);
  Time duration;
  switch (instruction.kind) {
  case InstructionKind::SendActivation:
  case InstructionKind::SendGradient:
    send(stage, instruction, span);
    timing.total = std::max(timing.total, span.end);
    ++next[stage];
    return true;
  case InstructionKind::RecvActivation:
  case InstructionKind::RecvGradient: {
    auto arrival = arrivals.find({*instruction.peer, stage,
                                  carriesGradient(instruction.kind),
                                  *instruction.microbatch});
    if (arrival == arrivals.end())
      return false;
    duration = std::max(Time(0), arrival->second - now[stage]);
    break;
  }
  case InstructionKind::Forward:
    duration = own.forward;
    break;
  case InstructionKind::Backward:
    duration = own.backward;
    break;
  case InstructionKind::Gather:
    duration = own.gather;
    break;
  case InstructionKind::Reduce:
    duration = own.reduce;
    break;
  case InstructionKind::Update:
    duration = own.update;
    break;
  }
  now[stage] = span.end = span.start + duration;
  timing.total = std::max(timing.total, span.end);
  ++next[stage];
  return true;
}

/// Who waits for whom, from the first stage that does not get on.
Error Follower::describeCircle() const {
  std::string text;
  std::vector<bool> seen(numStages, false);
  int64_t stage = find(waiting, true) - waiting.begin();
  while (!seen[stage]) {
    seen[stage] = true;
    const Instruction &instruction =
        schedule.stages[stage].instructions[next[stage]];
    int64_t peer = *instruction.peer;
    text +=
        (text.empty() ? "" : ", ") +
        ("stage " + Twine(stage) + " waits at '" + stringify(instruction) + "'")
            .str();
    if (!waiting[peer])
      return createStringError(text + ", which stage " + Twine(peer) +
                               " never sends");
    stage = peer;
  }
  return createStringError("the stages wait for each other: " + text);
}

Expected<Timing> Follower::follow() {
  for (int64_t stage = numStages - 1; stage >= 0; --stage)
    ready.push_back(stage);
  while (!ready.empty()) {
    int64_t stage = ready.pop_back_val();
    size_t count = schedule.stages[stage].instructions.size();
    while (next[stage] < count && !waiting[stage])
      waiting[stage] = !step(stage);
  }
  if (is_contained(waiting, true))
    return describeCircle();
  return std::move(timing);
}

Expected<Timing>
hetero::simulator::timeSchedule(const Schedule &schedule,
                                ArrayRef<std::vector<StageTimes>> stages) {
  Follower follower(schedule, stages);
  if (Error error = follower.check())
    return error;
  return follower.follow();
}
