//===- ScheduleReference.cpp - Lists followed in another way --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScheduleReference.h"
#include <map>
#include <tuple>

using namespace hetero;
using namespace hetero::simulator;

static Time computationTime(InstructionKind kind, const StageTimes &times) {
  switch (kind) {
  case InstructionKind::Forward:
    return times.forward;
  case InstructionKind::Backward:
    return times.backward;
  case InstructionKind::InputGradient:
    return times.backward - times.weightGradient;
  case InstructionKind::WeightGradient:
    return times.weightGradient;
  case InstructionKind::Update:
    return times.update;
  default:
    return Time(0);
  }
}

ReferenceTiming
hetero::simulator::followLists(const Schedule &schedule,
                               llvm::ArrayRef<std::vector<StageTimes>> times) {
  size_t numStages = schedule.stages.size();
  ReferenceTiming timing;
  timing.spans.resize(numStages);
  std::vector<Time> now(numStages);
  // By sender, receiver, kind and microbatch.
  std::map<std::tuple<int64_t, int64_t, bool, int64_t>, Time> arrivals;
  std::map<std::pair<int64_t, int64_t>, Time> free;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t s = 0; s < numStages; ++s)
      while (timing.spans[s].size() < schedule.stages[s].instructions.size()) {
        const Instruction &instruction =
            schedule.stages[s].instructions[timing.spans[s].size()];
        int64_t stage = s, peer = instruction.peer.value_or(0);
        int64_t microbatch = instruction.microbatch.value_or(0);
        bool gradient = instruction.kind == InstructionKind::SendGradient ||
                        instruction.kind == InstructionKind::RecvGradient;
        auto timesOf = [&](int64_t of) {
          return times[of].size() == 1 ? times[of][0] : times[of][microbatch];
        };
        Span span{now[s], now[s]};
        if (isSend(instruction.kind)) {
          StageTimes boundary = timesOf(std::min(stage, peer));
          Time &link = free[{stage, peer}];
          span.start = std::max(now[s], link);
          span.end = link = span.start + (gradient ? boundary.boundaryGradient
                                                   : boundary.boundary);
          arrivals[{stage, peer, gradient, microbatch}] = span.end;
        } else if (isRecv(instruction.kind)) {
          auto arrival = arrivals.find({peer, stage, gradient, microbatch});
          if (arrival == arrivals.end())
            break;
          now[s] = span.end = std::max(now[s], arrival->second);
        } else {
          now[s] = span.end =
              span.start + computationTime(instruction.kind, timesOf(stage));
        }
        timing.total = std::max(timing.total, span.end);
        timing.spans[s].push_back(span);
        moved = true;
      }
  }
  return timing;
}
