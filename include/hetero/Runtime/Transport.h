//===- Transport.h - Messages between ranks ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a way of communicating must be able to do: move bytes from one rank to
// another, without blocking, and tell when somebody is gone. Everything else,
// collectives and waiting among it, is made of that by the Communicator, once
// for all transports: results are the same bits on all of them, and a rank that
// waits can always say for whom.
//
// The idea
// --------
// Ranks agree on *streams*: a stream is a group of ranks and a channel, and
// numbers the transfers on it. A message is known by its two ranks, its stream,
// the number of the transfer in the stream and the phase of it; messages that
// agree in all of these arrive in the order in which they were sent. A message
// that is sent or received has a ticket, which is polled.
//
//   std::vector<int64_t> ids = *transport.agree({{{0, 1}, 7, true}});
//   Ticket ticket = transport.send({1, ids[0], 0, 0}, data, 64);   // rank 0
//   Ticket ticket = transport.receive({0, ids[0], 0, 0}, to, 64);  // rank 1
//   while (transport.poll(ticket) == TicketState::Pending)
//     transport.idle(...);
//
// One thread at a time uses a transport. `abort`, `wake` and `publish` may be
// called from any.

#ifndef HETERO_RUNTIME_TRANSPORT_H
#define HETERO_RUNTIME_TRANSPORT_H

#include "hetero/Runtime/Error.h"
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace hetero::runtime {

using Clock = std::chrono::steady_clock;

/// Transfers that are numbered together.
struct Stream {
  /// The members of a collective in their order, or sender and receiver.
  std::vector<int64_t> group;
  int64_t channel = 0;
  /// A send and its receive, as opposed to a collective of the same group.
  bool isMessage = false;

  bool operator<(const Stream &other) const {
    return std::tie(group, channel, isMessage) <
           std::tie(other.group, other.channel, other.isMessage);
  }
};

struct MessageKey {
  int64_t peer = 0;
  int64_t stream = 0;
  int64_t sequence = 0;
  int64_t phase = 0;
};

using Ticket = int64_t;
enum class TicketState { Pending, Done };

/// Ended: it has left, and was not expected to do more. Lost: it was.
enum class RankState { Running, Ended, Lost };

/// What is known of a rank, for messages.
struct RankStatus {
  RankState state = RankState::Running;
  /// Why it runs no more: "process 4711 on 'host' has ended".
  std::string reason;
  /// What it executes, or "" before it said anything.
  std::string executing;
  /// When it last finished something, as far as is known.
  Clock::time_point lastProgress;
  /// When it was last heard of.
  Clock::time_point lastSeen;
};

class Transport {
public:
  virtual ~Transport() = default;

  virtual int64_t getRank() const = 0;
  virtual int64_t getNumRanks() const = 0;

  /// Numbers streams, the same on all ranks that name them. All ranks call it,
  /// as often as one another, each with the streams that it takes part in.
  virtual Result<std::vector<int64_t>>
  agree(const std::vector<Stream> &streams) = 0;

  /// Starts to send. The data stay as they are until the ticket is done, unless
  /// `copiesOnSend`.
  virtual Ticket send(const MessageKey &key, const void *data,
                      int64_t bytes) = 0;
  /// Whether a send is done at once, because the transport has a copy.
  virtual bool copiesOnSend() const = 0;
  /// Starts to receive a message of exactly `bytes`.
  virtual Ticket receive(const MessageKey &key, void *data, int64_t bytes) = 0;
  /// Asks once. A ticket that is done is gone and not polled again.
  virtual TicketState poll(Ticket ticket) = 0;

  /// Sleeps until something may have happened, at most for `longest`.
  virtual void idle(std::chrono::microseconds longest) = 0;
  /// Ends the sleep of this rank.
  virtual void wake() = 0;

  /// Ends the run on all ranks. The first reason stays.
  virtual void abort(const std::string &reason) = 0;
  /// Why the run has ended, if it has.
  virtual MaybeError getFailure() = 0;

  /// Tells the others what this rank executes; progress if it is something new.
  virtual void publish(const std::string &executing) = 0;
  virtual RankStatus getStatus(int64_t rank) = 0;
};

/// What others were last seen executing, `first` in front: "; rank 1 was last
/// seen executing 'forward 3'". Nothing if nothing is known.
std::string describeOthers(Transport &transport, std::vector<int64_t> first);

/// The ranks of one process as threads: element k is for the thread of rank k.
/// Messages are copied into mailboxes.
std::vector<std::unique_ptr<Transport>>
createThreadsTransports(int64_t numRanks);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_TRANSPORT_H
