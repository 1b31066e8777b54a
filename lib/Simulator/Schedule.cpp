//===- Schedule.cpp - In which order the stages work ----------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Simulator/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

//===----------------------------------------------------------------------===//
// In-flight counts
//===----------------------------------------------------------------------===//

/// The slowest stage or crossing: the pipeline starts a microbatch not more
/// often than that.
static Time findPeriod(ArrayRef<StageTimes> stages) {
  Time period(1);
  for (const StageTimes &stage : stages)
    period = std::max({period, stage.forward + stage.backward, stage.boundary,
                       stage.boundaryGradient});
  return period;
}

/// A stage cannot have more in flight than the one before it lets through.
static void lowerToFeed(std::vector<int64_t> &counts) {
  for (size_t i = 1; i < counts.size(); ++i)
    counts[i] = std::min(counts[i], counts[i - 1]);
}

std::vector<int64_t>
hetero::simulator::computeInFlight(ScheduleKind kind, int64_t microbatches,
                                   ArrayRef<StageTimes> stages,
                                   ArrayRef<int64_t> limits) {
  int64_t most = std::max<int64_t>(1, microbatches);
  int64_t numStages = stages.size();
  Time period = findPeriod(stages);
  std::vector<int64_t> counts(numStages, 1);
  for (int64_t i = numStages - 1; i >= 0; --i) {
    switch (kind) {
    case ScheduleKind::Gpipe:
      counts[i] = most;
      break;
    case ScheduleKind::OneFOneB:
      counts[i] = numStages - i;
      break;
    case ScheduleKind::HeteroOneFOneB:
      if (i == numStages - 1)
        break;
      int64_t roundTrip =
          (stages[i].boundary + stages[i].boundaryGradient).count();
      counts[i] =
          counts[i + 1] + 1 + int64_t(divideCeil(roundTrip, period.count()));
      break;
    }
    int64_t limit = i < int64_t(limits.size()) ? limits[i] : most;
    counts[i] = std::max<int64_t>(1, std::min({counts[i], limit, most}));
  }
  lowerToFeed(counts);
  return counts;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
/// Writes the list of one stage.
class ListBuilder {
public:
  ListBuilder(int64_t stage, int64_t numStages, StageSchedule &schedule)
      : stage(stage), isFirst(stage == 0), isLast(stage == numStages - 1),
        schedule(schedule) {}

  void forward(int64_t microbatch) {
    if (!isFirst)
      add(InstructionKind::RecvActivation, microbatch, stage - 1);
    add(InstructionKind::Forward, microbatch);
    if (!isLast)
      add(InstructionKind::SendActivation, microbatch, stage + 1);
  }

  void backward(int64_t microbatch) {
    if (!isLast)
      add(InstructionKind::RecvGradient, microbatch, stage + 1);
    add(InstructionKind::Backward, microbatch);
    if (!isFirst)
      add(InstructionKind::SendGradient, microbatch, stage - 1);
  }

  void add(InstructionKind kind, std::optional<int64_t> microbatch = {},
           std::optional<int64_t> peer = {}) {
    schedule.instructions.push_back({kind, microbatch, peer});
  }

private:
  int64_t stage;
  bool isFirst, isLast;
  StageSchedule &schedule;
};
} // namespace

Schedule
hetero::simulator::buildSchedule(ScheduleKind kind, int64_t microbatches,
                                 ArrayRef<int64_t> inFlight,
                                 ArrayRef<StageCommunication> communication) {
  Schedule result;
  result.kind = kind;
  result.microbatches = microbatches;
  result.stages.resize(inFlight.size());
  std::vector<int64_t> counts;
  for (int64_t count : inFlight)
    counts.push_back(std::max<int64_t>(1, std::min(count, microbatches)));
  lowerToFeed(counts);
  for (auto [index, stage] : enumerate(result.stages)) {
    StageCommunication inside = index < communication.size()
                                    ? communication[index]
                                    : StageCommunication();
    int64_t count = stage.inFlight = counts[index];
    ListBuilder list(index, result.stages.size(), stage);
    if (inside.gathers)
      list.add(InstructionKind::Gather);
    for (int64_t i = 0; i < microbatches + count - 1; ++i) {
      if (i < microbatches)
        list.forward(i);
      if (i >= count - 1)
        list.backward(i - (count - 1));
    }
    if (inside.reduces)
      list.add(InstructionKind::Reduce);
    list.add(InstructionKind::Update);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef hetero::simulator::stringify(ScheduleKind kind) {
  switch (kind) {
  case ScheduleKind::Gpipe:
    return "gpipe";
  case ScheduleKind::OneFOneB:
    return "1f1b";
  case ScheduleKind::HeteroOneFOneB:
    return "h1f1b";
  }
  llvm_unreachable("every kind has a name");
}

std::optional<ScheduleKind>
hetero::simulator::parseScheduleKind(StringRef name) {
  for (ScheduleKind kind : {ScheduleKind::Gpipe, ScheduleKind::OneFOneB,
                            ScheduleKind::HeteroOneFOneB})
    if (stringify(kind) == name)
      return kind;
  return std::nullopt;
}

StringRef hetero::simulator::stringify(InstructionKind kind) {
  switch (kind) {
  case InstructionKind::Forward:
    return "forward";
  case InstructionKind::Backward:
    return "backward";
  case InstructionKind::Update:
    return "update";
  case InstructionKind::Gather:
    return "gather";
  case InstructionKind::Reduce:
    return "reduce";
  case InstructionKind::SendActivation:
    return "send_activation";
  case InstructionKind::RecvActivation:
    return "recv_activation";
  case InstructionKind::SendGradient:
    return "send_gradient";
  case InstructionKind::RecvGradient:
    return "recv_gradient";
  }
  llvm_unreachable("every kind has a name");
}

std::string hetero::simulator::stringify(const Instruction &instruction) {
  std::string text = stringify(instruction.kind).str();
  if (instruction.microbatch)
    text += " " + std::to_string(*instruction.microbatch);
  bool sends = instruction.kind == InstructionKind::SendActivation ||
               instruction.kind == InstructionKind::SendGradient;
  if (instruction.peer)
    text += (sends ? " to " : " from ") + std::to_string(*instruction.peer);
  return text;
}
