//===- MessageIndex.cpp - Which send belongs to which receive -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MessageIndex.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

int64_t MessageIndex::streamOf(int64_t from, int64_t to) const {
  for (auto [peer, stream] : peers[from])
    if (peer == to)
      return stream;
  return -1;
}

static bool carriesGradient(InstructionKind kind) {
  return kind == InstructionKind::SendGradient ||
         kind == InstructionKind::RecvGradient;
}

/// The message that comes next for the microbatch; -1 if there are no more.
int64_t MessageIndex::number(Channel &channel, std::vector<int32_t> &counts,
                             int64_t microbatch) {
  if (counts.empty())
    counts.resize(microbatches);
  int64_t repeat = counts[microbatch]++;
  return repeat < channel.repeats
             ? channel.first + repeat * microbatches + microbatch
             : -1;
}

MessageIndex::MessageIndex(const Schedule &schedule)
    : microbatches(schedule.microbatches), peers(schedule.stages.size()),
      numbers(schedule.stages.size()) {
  // How often a microbatch is sent tells how many messages there are.
  for (auto [from, stage] : enumerate(schedule.stages))
    for (const Instruction &instruction : stage.instructions) {
      if (!isSend(instruction.kind))
        continue;
      int64_t to = *instruction.peer;
      if (streamOf(from, to) < 0) {
        peers[from].push_back({to, numStreams()});
        channels.resize(channels.size() + 2);
      }
      Channel &channel =
          channels[channelOf(from, to, carriesGradient(instruction.kind))];
      if (channel.sent.empty())
        channel.sent.resize(microbatches);
      channel.repeats = std::max<int64_t>(
          channel.repeats, ++channel.sent[*instruction.microbatch]);
    }
  for (Channel &channel : channels) {
    channel.first = total;
    total += channel.repeats * microbatches;
    channel.sent.clear();
  }
  for (auto [index, stage] : enumerate(schedule.stages)) {
    std::vector<int32_t> &list = numbers[index];
    list.reserve(stage.instructions.size());
    for (const Instruction &instruction : stage.instructions) {
      bool sends = isSend(instruction.kind);
      list.push_back(-1);
      if (!sends && !isRecv(instruction.kind))
        continue;
      int64_t from = sends ? index : *instruction.peer;
      int64_t to = sends ? *instruction.peer : index;
      if (streamOf(from, to) < 0)
        continue;
      Channel &channel =
          channels[channelOf(from, to, carriesGradient(instruction.kind))];
      list.back() = number(channel, sends ? channel.sent : channel.received,
                           *instruction.microbatch);
    }
  }
}
