//===- ThreadsTransport.cpp - Ranks as threads of one process -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Transport.h"
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

using namespace hetero::runtime;

namespace {
using Message = std::vector<char>;

/// Who sent it, stream, sequence, phase.
using Address = std::tuple<int64_t, int64_t, int64_t, int64_t>;

/// What has arrived at one rank, and whether it should look.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<Address, std::deque<Message>> messages;
  bool stirred = false;

  void stir() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stirred = true;
    }
    arrived.notify_all();
  }
};

/// What the ranks have in common.
struct Exchange {
  explicit Exchange(int64_t numRanks)
      : mailboxes(numRanks), statuses(numRanks) {
    for (RankStatus &status : statuses)
      status.lastProgress = status.lastSeen = Clock::now();
  }

  std::vector<Mailbox> mailboxes;
  /// Guards the rest.
  std::mutex mutex;
  std::map<Stream, int64_t> streams;
  std::vector<RankStatus> statuses;
  MaybeError failure;
};

class ThreadsTransport : public Transport {
public:
  ThreadsTransport(std::shared_ptr<Exchange> exchange, int64_t rank)
      : exchange(std::move(exchange)), rank(rank) {}

  int64_t getRank() const override { return rank; }
  int64_t getNumRanks() const override { return exchange->mailboxes.size(); }
  Result<std::vector<int64_t>>
  agree(const std::vector<Stream> &streams) override;
  Ticket send(const MessageKey &key, const void *data, int64_t bytes) override;
  bool copiesOnSend() const override { return true; }
  Ticket receive(const MessageKey &key, void *data, int64_t bytes) override;
  TicketState poll(Ticket ticket) override;
  void idle(std::chrono::microseconds longest) override;
  void wake() override;
  void abort(const std::string &reason) override;
  MaybeError getFailure() override;
  void publish(const std::string &executing) override;
  RankStatus getStatus(int64_t rank) override;

private:
  struct Receive {
    MessageKey key;
    void *data;
    int64_t bytes;
  };

  std::shared_ptr<Exchange> exchange;
  const int64_t rank;
  /// Receives under way; a send is done at once and has the ticket 0.
  std::map<Ticket, Receive> receives;
  Ticket nextTicket = 1;
};
} // namespace

Result<std::vector<int64_t>>
ThreadsTransport::agree(const std::vector<Stream> &streams) {
  std::lock_guard<std::mutex> lock(exchange->mutex);
  std::vector<int64_t> ids;
  ids.reserve(streams.size());
  for (const Stream &stream : streams)
    ids.push_back(exchange->streams.emplace(stream, exchange->streams.size())
                      .first->second);
  return ids;
}

Ticket ThreadsTransport::send(const MessageKey &key, const void *data,
                              int64_t bytes) {
  const auto *begin = static_cast<const char *>(data);
  Message message(begin, begin + bytes);
  Mailbox &mailbox = exchange->mailboxes[key.peer];
  {
    std::lock_guard<std::mutex> lock(mailbox.mutex);
    mailbox.messages[{rank, key.stream, key.sequence, key.phase}].push_back(
        std::move(message));
    mailbox.stirred = true;
  }
  mailbox.arrived.notify_all();
  return 0;
}

Ticket ThreadsTransport::receive(const MessageKey &key, void *data,
                                 int64_t bytes) {
  receives[nextTicket] = {key, data, bytes};
  return nextTicket++;
}

TicketState ThreadsTransport::poll(Ticket ticket) {
  auto found = receives.find(ticket);
  if (found == receives.end())
    return TicketState::Done;
  const Receive &receive = found->second;
  const MessageKey &key = receive.key;
  Message message;
  {
    Mailbox &mailbox = exchange->mailboxes[rank];
    std::lock_guard<std::mutex> lock(mailbox.mutex);
    auto queue =
        mailbox.messages.find({key.peer, key.stream, key.sequence, key.phase});
    if (queue == mailbox.messages.end())
      return TicketState::Pending;
    message = std::move(queue->second.front());
    queue->second.pop_front();
    if (queue->second.empty())
      mailbox.messages.erase(queue);
  }
  if (int64_t(message.size()) != receive.bytes)
    abort("rank " + std::to_string(rank) + " expects " +
          std::to_string(receive.bytes) + " bytes from rank " +
          std::to_string(key.peer) + ", which sent " +
          std::to_string(message.size()));
  else if (!message.empty())
    std::memcpy(receive.data, message.data(), message.size());
  receives.erase(found);
  return TicketState::Done;
}

void ThreadsTransport::idle(std::chrono::microseconds longest) {
  Mailbox &mailbox = exchange->mailboxes[rank];
  std::unique_lock<std::mutex> lock(mailbox.mutex);
  mailbox.arrived.wait_for(lock, longest, [&] { return mailbox.stirred; });
  mailbox.stirred = false;
}

void ThreadsTransport::wake() { exchange->mailboxes[rank].stir(); }

void ThreadsTransport::abort(const std::string &reason) {
  {
    std::lock_guard<std::mutex> lock(exchange->mutex);
    if (!exchange->failure)
      exchange->failure = reason;
  }
  for (Mailbox &mailbox : exchange->mailboxes)
    mailbox.stir();
}

MaybeError ThreadsTransport::getFailure() {
  std::lock_guard<std::mutex> lock(exchange->mutex);
  return exchange->failure;
}

void ThreadsTransport::publish(const std::string &executing) {
  std::lock_guard<std::mutex> lock(exchange->mutex);
  RankStatus &status = exchange->statuses[rank];
  status.executing = executing;
  status.lastProgress = status.lastSeen = Clock::now();
}

RankStatus ThreadsTransport::getStatus(int64_t which) {
  std::lock_guard<std::mutex> lock(exchange->mutex);
  // A thread of this process cannot get lost.
  exchange->statuses[which].lastSeen = Clock::now();
  return exchange->statuses[which];
}

std::vector<std::unique_ptr<Transport>>
hetero::runtime::createThreadsTransports(int64_t numRanks) {
  auto exchange = std::make_shared<Exchange>(numRanks);
  std::vector<std::unique_ptr<Transport>> transports;
  transports.reserve(numRanks);
  for (int64_t rank = 0; rank < numRanks; ++rank)
    transports.push_back(std::make_unique<ThreadsTransport>(exchange, rank));
  return transports;
}
