//===- MpiTransport.cpp - Ranks as processes ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/MpiTransport.h"
#include "../Bytes.h"
#include "MpiWorld.h"
#include <algorithm>

using namespace hetero::runtime;

// A tag has to tell apart what two ranks may have under way at a time: stream,
// phase, and the number of the transfer modulo `window`. Messages with equal
// tags arrive in the order in which they were sent. The messages of a stream
// between two ranks have that order anyway; collectives may overtake each
// other, but not by a whole window.
static constexpr int64_t numPhases = 4;
static constexpr int64_t largeWindow = 1024, smallWindow = 32;

/// How often it is looked for messages without sleeping in between, and the
/// longest sleep: MPI cannot wake anybody.
static constexpr int numYields = 100;
static constexpr std::chrono::microseconds shortestSleep{20}, longestSleep{500};

static std::string str(int64_t value) { return std::to_string(value); }

namespace {
class MpiTransport : public Transport {
public:
  MpiTransport(MpiWorld &world, const MpiOptions &options)
      : world(world), largestPiece(options.largestPiece),
        instance(world.addTransport()),
        window(world.getLargestTag() >= (int64_t(1) << 30) ? largeWindow
                                                           : smallWindow) {}

  int64_t getRank() const override { return world.getRank(); }
  int64_t getNumRanks() const override { return world.getNumRanks(); }
  Result<std::vector<int64_t>>
  agree(const std::vector<Stream> &streams) override;
  Ticket send(const MessageKey &key, const void *data, int64_t bytes) override;
  bool copiesOnSend() const override { return false; }
  Ticket receive(const MessageKey &key, void *data, int64_t bytes) override;
  TicketState poll(Ticket ticket) override;
  void idle(std::chrono::microseconds longest) override;
  void wake() override;
  void abort(const std::string &reason) override { world.fail(reason); }
  MaybeError getFailure() override { return world.getFailure(); }
  void publish(const std::string &executing) override {
    world.publish(executing);
  }
  RankStatus getStatus(int64_t rank) override { return world.getStatus(rank); }

private:
  /// A message under way, in pieces.
  struct Open {
    MessageKey key;
    bool isReceive;
    int64_t bytes;
    std::vector<MPI_Request> requests;
    /// Bytes of the pieces that have come.
    int64_t received = 0;
  };

  Ticket post(const MessageKey &key, char *data, int64_t bytes, bool isReceive);
  bool isDone(Open &open, MaybeError &error);
  MaybeError checkWindow(const MessageKey &key) const;
  Result<std::string> await(int64_t peer, const std::string &subject);
  MaybeError numberForAll(const std::string &subject);

  MpiWorld &world;
  const int64_t largestPiece;
  const int64_t instance;
  const int64_t window;
  int64_t round = 0;
  /// On rank 0: the numbers of all streams, on others of their own.
  std::map<Stream, int64_t> numbers;
  /// By number: whether it is one of messages, which keep their order.
  std::map<int64_t, bool> isMessageStream;
  std::map<Ticket, Open> tickets;
  Ticket nextTicket = 1;

  std::mutex mutex;
  std::condition_variable stirring;
  bool stirred = false;
  int numIdle = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Agreement
//===----------------------------------------------------------------------===//

static std::string writeStreams(const std::vector<Stream> &streams) {
  ByteWriter writer;
  for (const Stream &stream : streams) {
    writer.add(stream.channel);
    writer.add(int64_t(stream.isMessage));
    writer.add(int64_t(stream.group.size()));
    for (int64_t member : stream.group)
      writer.add(member);
  }
  return writer.bytes;
}

static std::vector<Stream> readStreams(const std::string &text) {
  std::vector<Stream> streams;
  for (ByteReader reader(text); !reader.atEnd();) {
    Stream stream;
    stream.channel = reader.integer();
    stream.isMessage = reader.integer();
    int64_t size = reader.integer();
    for (int64_t i = 0; i < size && !reader.atEnd(); ++i)
      stream.group.push_back(reader.integer());
    streams.push_back(std::move(stream));
  }
  return streams;
}

/// A rank may still be compiling, which can take its time; so this waits as
/// long as it gives signs of life.
Result<std::string> MpiTransport::await(int64_t peer,
                                        const std::string &subject) {
  Clock::time_point begin = Clock::now();
  while (true) {
    world.pump();
    if (std::optional<std::string> text = world.receive(peer, subject))
      return *text;
    if (MaybeError failure = getFailure())
      return Error{*failure};
    MaybeError loss = world.getLoss();
    RankStatus status = getStatus(peer);
    if (!loss && status.state == RankState::Ended)
      loss = "rank " + str(peer) + " is lost: " + status.reason;
    if (loss) {
      abort(*loss + "; rank " + str(getRank()) + " waits for rank " +
            str(peer) + " to open its program");
      return Error{*getFailure()};
    }
    bool isLong = Clock::now() - begin > std::chrono::milliseconds(50);
    std::this_thread::sleep_for(std::chrono::microseconds(isLong ? 5000 : 50));
  }
}

/// On rank 0: numbers what others ask for, and answers.
MaybeError MpiTransport::numberForAll(const std::string &subject) {
  std::vector<std::vector<Stream>> wanted(getNumRanks());
  for (int64_t peer = 1; peer < getNumRanks(); ++peer) {
    Result<std::string> text = await(peer, subject);
    if (!text)
      return text.error();
    wanted[peer] = readStreams(*text);
    for (const Stream &stream : wanted[peer])
      numbers.emplace(stream, -1);
  }
  for (auto &[stream, number] : numbers)
    if (number == -1)
      number = world.addStream();
  for (int64_t peer = 1; peer < getNumRanks(); ++peer) {
    ByteWriter answer;
    for (const Stream &stream : wanted[peer])
      answer.add(numbers[stream]);
    world.send(peer, subject, answer.bytes);
  }
  world.pump();
  return std::nullopt;
}

Result<std::vector<int64_t>>
MpiTransport::agree(const std::vector<Stream> &streams) {
  std::string subject = "streams " + str(instance) + " " + str(round++);
  if (getRank() == 0) {
    for (const Stream &stream : streams)
      numbers.emplace(stream, -1);
    if (MaybeError error = numberForAll(subject))
      return Error{*error};
  } else {
    world.send(0, subject, writeStreams(streams));
    Result<std::string> answer = await(0, subject);
    if (!answer)
      return Error{answer.error()};
    ByteReader reader(*answer);
    for (const Stream &stream : streams)
      numbers[stream] = reader.integer();
  }
  std::vector<int64_t> ids;
  int64_t limit = world.getLargestTag() / (numPhases * window);
  for (const Stream &stream : streams) {
    ids.push_back(numbers[stream]);
    isMessageStream[ids.back()] = stream.isMessage;
    if (ids.back() >= limit) {
      abort("the programs have more than " + str(limit) +
            " streams, which is more than the tags of this MPI can tell apart");
      return Error{*getFailure()};
    }
  }
  return ids;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

static std::string describeError(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int size = 0;
  MPI_Error_string(code, text, &size);
  return text;
}

MaybeError MpiTransport::checkWindow(const MessageKey &key) const {
  auto found = isMessageStream.find(key.stream);
  if (key.sequence < window ||
      (found != isMessageStream.end() && found->second))
    return std::nullopt;
  for (const auto &entry : tickets)
    if (entry.second.key.stream == key.stream &&
        entry.second.key.sequence <= key.sequence - window)
      return "rank " + str(getRank()) + " has " + str(window) +
             " collectives of one group and channel under way";
  return std::nullopt;
}

Ticket MpiTransport::post(const MessageKey &key, char *data, int64_t bytes,
                          bool isReceive) {
  if (MaybeError error = checkWindow(key))
    abort(*error);
  int64_t tag = (key.stream * numPhases + key.phase % numPhases) * window +
                key.sequence % window;
  Open open{key, isReceive, bytes, {}};
  int code = MPI_SUCCESS;
  world.use([&] {
    int64_t begin = 0;
    do {
      int size = std::min(bytes - begin, largestPiece);
      open.requests.push_back(MPI_REQUEST_NULL);
      MPI_Request *request = &open.requests.back();
      code = isReceive ? MPI_Irecv(data + begin, size, MPI_BYTE, key.peer, tag,
                                   world.getData(), request)
                       : MPI_Isend(data + begin, size, MPI_BYTE, key.peer, tag,
                                   world.getData(), request);
      begin += size;
    } while (begin < bytes && code == MPI_SUCCESS);
  });
  if (code != MPI_SUCCESS)
    abort(std::string(isReceive ? "receiving from" : "sending to") + " rank " +
          str(key.peer) + " failed: " + describeError(code));
  tickets.emplace(nextTicket, std::move(open));
  return nextTicket++;
}

Ticket MpiTransport::send(const MessageKey &key, const void *data,
                          int64_t bytes) {
  return post(key, static_cast<char *>(const_cast<void *>(data)), bytes,
              /*isReceive=*/false);
}

Ticket MpiTransport::receive(const MessageKey &key, void *data, int64_t bytes) {
  return post(key, static_cast<char *>(data), bytes, /*isReceive=*/true);
}

/// With MPI to itself.
bool MpiTransport::isDone(Open &open, MaybeError &error) {
  while (!open.requests.empty()) {
    int done = 0, size = 0;
    MPI_Status status = {};
    int code = MPI_Test(&open.requests.back(), &done, &status);
    if (code != MPI_SUCCESS) {
      int kind = code;
      MPI_Error_class(code, &kind);
      error = kind == MPI_ERR_TRUNCATE
                  ? "rank " + str(getRank()) + " expects " + str(open.bytes) +
                        " bytes from rank " + str(open.key.peer) +
                        ", which sent more"
                  : "a message with rank " + str(open.key.peer) +
                        " failed: " + describeError(code);
      return false;
    }
    if (!done)
      return false;
    if (open.isReceive) {
      MPI_Get_count(&status, MPI_BYTE, &size);
      open.received += size;
    }
    open.requests.pop_back();
  }
  if (open.isReceive && open.received != open.bytes)
    error = "rank " + str(getRank()) + " expects " + str(open.bytes) +
            " bytes from rank " + str(open.key.peer) + ", which sent " +
            str(open.received);
  return !error;
}

TicketState MpiTransport::poll(Ticket ticket) {
  auto found = tickets.find(ticket);
  if (found == tickets.end())
    return TicketState::Done;
  MaybeError error;
  bool done = false;
  world.use([&] { done = isDone(found->second, error); });
  if (error)
    abort(*error);
  if (!done)
    return TicketState::Pending;
  tickets.erase(found);
  numIdle = 0;
  return TicketState::Done;
}

void MpiTransport::idle(std::chrono::microseconds longest) {
  if (++numIdle <= numYields)
    return std::this_thread::yield();
  std::chrono::microseconds pause =
      shortestSleep * (int64_t(1) << std::min((numIdle - numYields) / 8, 8));
  std::unique_lock<std::mutex> lock(mutex);
  stirring.wait_for(lock, std::min({pause, longest, longestSleep}),
                    [&] { return stirred; });
  stirred = false;
}

void MpiTransport::wake() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stirred = true;
  }
  stirring.notify_all();
}

Result<std::unique_ptr<Transport>>
hetero::runtime::createMpiTransport(MpiOptions options) {
  Result<MpiWorld *> world = MpiWorld::get(options);
  if (!world)
    return Error{world.error()};
  return std::unique_ptr<Transport>(
      std::make_unique<MpiTransport>(**world, options));
}
