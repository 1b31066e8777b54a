//===- TransferOrder.h - One order of all transfers of a step ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between GPUs block: a send occupies its stream until the receiver
// has come, and a device may carry out one operation at a time. Ranks that
// start the same transfers in different orders then wait for each other for
// ever. So all ranks start their transfers in one order, that of this file.
//
// The idea
// --------
// What a rank does is a chain of events: it starts a transfer, it waits for
// one. A transfer happens when all of its members have started it, and a wait
// ends when it has happened. Counting calls of kernels as time gives each
// transfer an instant; one that another needs comes at an earlier instant. In
// the order of instants, and of names where they are equal, every transfer
// comes after those that it needs, on all ranks: the first that is not done can
// always go on. Transfers of one instant need nothing of each other; messages
// among them are one group.
//
// A worked example, two stages with one forward and one backward at a time:
//
//   rank 0: start a0, start a1, start g0, wait g0, ...
//   rank 1: start a0, wait a0, start g0, start a1, wait a1, ...
//
// In the order of rank 0, a1 waits for rank 1, which waits in g0 for rank 0.
// The instants are a0 1, a1 and g0 2: a0 goes alone, a1 and g0 together.

#ifndef HETERO_RUNTIME_TRANSFERORDER_H
#define HETERO_RUNTIME_TRANSFERORDER_H

#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Program.h"
#include "hetero/Runtime/Transport.h"
#include <map>
#include <string>
#include <vector>

namespace hetero::runtime {

/// A transfer of a step, the same on all of its members.
struct TransferName {
  Stream stream;
  /// The how manieth of the stream in a step.
  int64_t sequence = 0;

  bool operator<(const TransferName &other) const {
    return std::tie(stream, sequence) < std::tie(other.stream, other.sequence);
  }
};

/// What a rank does about a transfer.
struct TransferEvent {
  TransferName name;
  bool isWait = false;
  /// Calls of kernels since the event before.
  int64_t work = 0;
  /// What the instruction carries out, for messages.
  std::string label;
  /// Of the rank itself, which of its instructions it is; the others do not
  /// know.
  size_t instruction = 0;
};

/// What the session of a rank does, in order.
std::vector<TransferEvent> listTransferEvents(const Program &program);

/// As one text, for the other ranks, and back.
std::string writeTransferEvents(const std::vector<TransferEvent> &events);
Result<std::vector<TransferEvent>> readTransferEvents(const std::string &text);

/// The instant of each transfer, from the events of all ranks. The error names
/// ranks that wait for each other, or a transfer that a member never starts.
/// O(events * log(transfers)).
Result<std::map<TransferName, int64_t>>
orderTransfers(const std::vector<std::vector<TransferEvent>> &ranks);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_TRANSFERORDER_H
