//===- MessageIndex.h - Which send belongs to which receive -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the messages of a schedule. The first send of a payload and a
// microbatch from one stage to another belongs to the first such receive there,
// the second to the second: the chunks of a microbatch follow each other in the
// same order on both sides.

#ifndef HETERO_LIB_SIMULATOR_MESSAGEINDEX_H
#define HETERO_LIB_SIMULATOR_MESSAGEINDEX_H

#include "hetero/Simulator/Schedule.h"
#include "llvm/ADT/SmallVector.h"

namespace hetero::simulator {

class MessageIndex {
public:
  explicit MessageIndex(const Schedule &schedule);

  int64_t numMessages() const { return total; }
  /// One stream for each ordered pair of stages with a message.
  int64_t numStreams() const { return channels.size() / 2; }
  /// The message of a send or receive; -1 for one without its other end, and
  /// for other instructions.
  int64_t of(int64_t stage, size_t instruction) const {
    return numbers[stage][instruction];
  }
  int64_t streamOf(int64_t from, int64_t to) const;

private:
  /// What goes from one stage to another: activations or gradients.
  struct Channel {
    /// The number of its first message, and how often a microbatch comes.
    int64_t first = 0, repeats = 0;
    std::vector<int32_t> sent, received;
  };
  int64_t channelOf(int64_t from, int64_t to, bool gradient) const {
    return 2 * streamOf(from, to) + gradient;
  }
  int64_t number(Channel &channel, std::vector<int32_t> &counts,
                 int64_t microbatch);

  int64_t microbatches;
  int64_t total = 0;
  /// Activations and gradients in turn.
  std::vector<Channel> channels;
  /// For each stage the stages that it sends to, with their streams.
  std::vector<llvm::SmallVector<std::pair<int64_t, int64_t>, 4>> peers;
  std::vector<std::vector<int32_t>> numbers;
};

} // namespace hetero::simulator

#endif // HETERO_LIB_SIMULATOR_MESSAGEINDEX_H
