//===- MpiWorld.h - All processes of a run ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process has once, however many transports it makes: MPI, small
// messages beside the data, the watch over the other ranks, and the end of the
// run.
//
// MPI is used by one thread at a time, inside of `use`. A failure is visible
// only after the last use, so memory that MPI was to read or write can be
// freed then. When a process is gone, calls of MPI may not return any more: the
// thread that watches makes none, so it can always end this process.

#ifndef HETERO_LIB_RUNTIME_MPI_MPIWORLD_H
#define HETERO_LIB_RUNTIME_MPI_MPIWORLD_H

#include "Process.h"
#include "hetero/Runtime/MpiTransport.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <thread>

namespace hetero::runtime {

class MpiWorld {
public:
  /// Starts MPI when it is called for the first time.
  static Result<MpiWorld *> get(const MpiOptions &options);

  int64_t getRank() const { return rank; }
  int64_t getNumRanks() const { return peers.size(); }
  /// For data.
  MPI_Comm getData() const { return data; }
  int64_t getLargestTag() const { return largestTag; }
  /// The number of a new transport, and of a new stream.
  int64_t addTransport() { return numTransports++; }
  int64_t addStream() { return numStreams++; }

  /// Gives MPI to `job`; does nothing and returns false after the end.
  bool use(const std::function<void()> &job);

  /// Ends the run on all ranks. Returns when the failure is visible.
  void fail(const std::string &reason) { fail(reason, /*tell=*/true); }
  MaybeError getFailure();

  // MpiWorldLiveness.cpp
  void publish(const std::string &executing);
  RankStatus getStatus(int64_t rank);
  /// The first rank that is lost, with the reason: "rank 2 is lost: ...".
  MaybeError getLoss();

  /// A small message. `subject` tells it from others between the two.
  void send(int64_t peer, const std::string &subject, const std::string &text);
  std::optional<std::string> receive(int64_t peer, const std::string &subject);
  /// Sends and receives small messages now; else that takes a tenth of a
  /// second. Returns whether all but signs of life are sent.
  bool pump();

private:
  struct Peer {
    ProcessId process;
    RankStatus status;
    Clock::time_point lostSince;
    /// When its process was first seen to have ended.
    std::optional<Clock::time_point> suspectSince;
    /// When it was last sent a sign of life.
    Clock::time_point lastBeat;
    std::map<std::string, std::deque<std::string>> inbox;
  };
  struct Outgoing {
    int64_t peer;
    std::string text;
    /// A sign of life, which nobody misses at the end of the run.
    bool isBeat = false;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  /// How often a rank gives a sign of life, and looks for those of others.
  static constexpr std::chrono::milliseconds tick{100};
  /// How long somebody who waits for a lost rank has to say for what.
  static constexpr std::chrono::milliseconds timeToReport{200},
      hurriedTimeToReport{100};

  MpiWorld() = default;
  MaybeError start(const MpiOptions &options);
  void finish();
  static void finishAtExit();

  void carryMessages();
  void watch();
  void sendNow(Outgoing message);
  void receiveAll(std::deque<std::pair<int64_t, std::string>> &received);
  void handle(int64_t from, const std::string &message);
  void fail(const std::string &reason, bool tell);
  void tellAll(const std::string &reason, std::chrono::milliseconds limit);
  void endProcessIfLate(Clock::time_point now);

  // MpiWorldLiveness.cpp
  void sendBeats(Clock::time_point now);
  void checkPeers(Clock::time_point now);
  void lose(Peer &peer, Clock::time_point now, const std::string &reason);
  MaybeError findReasonToEnd(Clock::time_point now);

  int64_t rank = 0;
  int64_t largestTag = 32767;
  std::chrono::milliseconds lossTimeout{0};
  bool ownsMpi = false;
  std::atomic<int64_t> numTransports{0}, numStreams{0};
  MPI_Comm data = MPI_COMM_NULL, control = MPI_COMM_NULL;

  /// Held by whoever calls MPI. With a time limit, because a call may not
  /// return when a process is gone.
  std::timed_mutex mpi;
  std::atomic<bool> isQuiet{false};
  /// A list, so that the text stays where MPI reads it.
  std::list<Outgoing> outgoing;
  Clock::time_point lastBeat;

  /// Guards the rest.
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Peer> peers;
  std::deque<Outgoing> queued;
  bool isEnding = false;
  MaybeError failure;
  Clock::time_point failedAt;
  std::optional<Clock::time_point> terminatedAt;
  /// How long this process was last stopped, and until when.
  Clock::duration slept{0};
  Clock::time_point wokenAt;

  std::atomic<bool> stopping{false};
  std::thread messenger, watcher;
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_MPI_MPIWORLD_H
