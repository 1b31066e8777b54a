//===- MpiWorld.cpp - All processes of a run ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MpiWorld.h"
#include "CallTimeout.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

using namespace hetero::runtime;
using std::chrono::milliseconds;

/// `tick` when mpirun is ending the process: it kills a second after SIGTERM,
/// and everything has to be said before.
static constexpr milliseconds hurriedTick{20};
/// How long a process has to end by itself after a failure.
static constexpr milliseconds timeToEnd{4000}, hurriedTimeToEnd{150};
/// How long it is tried to tell the others why.
static constexpr milliseconds timeToTell{200}, hurriedTimeToTell{50};
/// How long processes wait for each other at the start, where some may have
/// much to do before, and at the end.
static constexpr std::chrono::seconds timeToMeet{600}, timeToPart{60};

/// The world of this process. It is never destroyed: kernels that do not
/// return may still use it.
static MpiWorld *theWorld = nullptr;
static std::mutex theWorldMutex;

/// What the signal handler touches.
static std::atomic<bool> isTerminated{false};
static int signalEvent = -1;

[[noreturn]] static void endProcess(const std::string &reason) {
  std::fflush(nullptr);
  std::fprintf(stderr, "error: %s\n", reason.c_str());
  std::fflush(stderr);
  std::_Exit(1);
}

static void wakeWatcher() {
  uint64_t one = 1;
  if (signalEvent >= 0 && write(signalEvent, &one, sizeof(one)) < 0)
    return;
}

extern "C" void heteroMpiOnTerminate(int) {
  int saved = errno;
  isTerminated = true;
  wakeWatcher();
  errno = saved;
}

/// SIGTERM is for us unless the program has a handler of its own. Writing to a
/// process that is gone must not end this one without a word.
static void installSignalHandler() {
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction old = {}, action = {};
  if (sigaction(SIGTERM, nullptr, &old) != 0 || old.sa_handler != SIG_DFL)
    return;
  action.sa_handler = heteroMpiOnTerminate;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

/// When nobody is there any more to do what it asks for.
static void removeSignalHandler() {
  struct sigaction old = {};
  if (sigaction(SIGTERM, nullptr, &old) == 0 &&
      old.sa_handler == heteroMpiOnTerminate)
    std::signal(SIGTERM, SIG_DFL);
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

Result<MpiWorld *> MpiWorld::get(const MpiOptions &options) {
  std::lock_guard<std::mutex> lock(theWorldMutex);
  if (theWorld)
    return theWorld;
  auto *world = new MpiWorld();
  if (MaybeError error = world->start(options))
    return Error{*error};
  theWorld = world;
  std::atexit(finishAtExit);
  return theWorld;
}

MaybeError MpiWorld::start(const MpiOptions &options) {
  CallTimeout timeout(
      timeToMeet,
      "the processes of the run have not found each other after "
      "10 minutes: one of them does not start MPI",
      "waiting for all processes of the run to start MPI");
  lossTimeout = options.lossTimeout;
  int isInitialized = 0, isFinalized = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&isInitialized);
  MPI_Finalized(&isFinalized);
  if (isFinalized)
    return "MPI was finalized by this program";
  if (isInitialized) {
    // The program calls MPI as well, and does not ask here before it does.
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
      return "MPI was initialized by this program without MPI_THREAD_MULTIPLE";
  } else {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    ownsMpi = true;
    if (level < MPI_THREAD_SERIALIZED)
      return "this MPI cannot be used from several threads";
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &data);
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  MPI_Comm_set_errhandler(data, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(control, MPI_ERRORS_RETURN);
  int number = 0, size = 1, found = 0;
  int *limit = nullptr;
  MPI_Comm_rank(data, &number);
  MPI_Comm_size(data, &size);
  MPI_Comm_get_attr(data, MPI_TAG_UB, static_cast<void *>(&limit), &found);
  if (found)
    largestTag = *limit;
  rank = number;

  std::vector<ProcessId> processes(size);
  ProcessId self = getOwnProcess();
  MPI_Allgather(&self, sizeof(self), MPI_BYTE, processes.data(), sizeof(self),
                MPI_BYTE, control);
  peers.resize(size);
  Clock::time_point now = Clock::now();
  for (int i = 0; i < size; ++i) {
    peers[i].process = processes[i];
    peers[i].status.lastSeen = peers[i].status.lastProgress = now;
  }
  signalEvent = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  installSignalHandler();
  messenger = std::thread([this] { carryMessages(); });
  watcher = std::thread([this] { watch(); });
  return std::nullopt;
}

void MpiWorld::finishAtExit() { theWorld->finish(); }

/// At the exit of the process. Nobody leaves before all others are done, and
/// know that this one is: what was sent is then received, and a process that is
/// gone is a lost one.
void MpiWorld::finish() {
  for (int64_t i = 0; i < getNumRanks(); ++i)
    if (i != rank)
      send(i, "end", "");
  auto isOver = [&] {
    std::lock_guard<std::mutex> lock(mutex);
    for (int64_t i = 0; i < getNumRanks(); ++i)
      if (i != rank && peers[i].status.state == RankState::Running)
        return false;
    return !isEnding;
  };
  bool hadFailed = getFailure().has_value();
  for (bool isSent = false;
       !getFailure() && !(isOver() && (isSent || getLoss()));) {
    isSent = pump();
    std::this_thread::sleep_for(milliseconds(2));
  }
  MaybeError reason = getFailure();
  if (!reason) {
    reason = getLoss();
    if (reason)
      fail(*reason);
  }
  if (reason && !hadFailed)
    endProcess(*reason);
  stopping = true;
  wakeWatcher();
  watcher.join();
  // After a failure it may be inside of a call that does not return.
  if (reason)
    messenger.detach();
  else
    messenger.join();
  removeSignalHandler();
  // Time for the others to hear of it before mpirun ends them.
  if (reason && !isTerminated)
    std::this_thread::sleep_for(timeToReport);
  if (reason || !ownsMpi)
    return;
  CallTimeout timeout(timeToPart, "MPI_Finalize does not return");
  MPI_Finalize();
}

//===----------------------------------------------------------------------===//
// Small messages
//===----------------------------------------------------------------------===//

bool MpiWorld::use(const std::function<void()> &job) {
  std::unique_lock<std::timed_mutex> lock(mpi);
  if (isQuiet)
    return false;
  job();
  return true;
}

void MpiWorld::send(int64_t peer, const std::string &subject,
                    const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  queued.push_back({peer, subject + '\0' + text});
}

std::optional<std::string> MpiWorld::receive(int64_t peer,
                                             const std::string &subject) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = peers[peer].inbox.find(subject);
  if (found == peers[peer].inbox.end())
    return std::nullopt;
  std::string text = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty())
    peers[peer].inbox.erase(found);
  return text;
}

/// With MPI to itself, like all that calls it below.
void MpiWorld::sendNow(Outgoing message) {
  outgoing.push_back(std::move(message));
  Outgoing &last = outgoing.back();
  MPI_Isend(last.text.data(), last.text.size(), MPI_BYTE, last.peer, 0, control,
            &last.request);
}

void MpiWorld::receiveAll(
    std::deque<std::pair<int64_t, std::string>> &received) {
  while (true) {
    int found = 0, size = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, control, &found, &status) !=
            MPI_SUCCESS ||
        !found)
      return;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string text(size, '\0');
    MPI_Recv(text.data(), size, MPI_BYTE, status.MPI_SOURCE, 0, control,
             MPI_STATUS_IGNORE);
    received.emplace_back(status.MPI_SOURCE, std::move(text));
  }
}

bool MpiWorld::pump() {
  std::deque<std::pair<int64_t, std::string>> received;
  bool isSent = false;
  {
    std::unique_lock<std::timed_mutex> lock(mpi, tick);
    if (!lock || isQuiet)
      return false;
    for (auto it = outgoing.begin(); it != outgoing.end();) {
      int done = 0;
      MPI_Test(&it->request, &done, MPI_STATUS_IGNORE);
      it = done ? outgoing.erase(it) : std::next(it);
    }
    std::deque<Outgoing> next;
    {
      std::lock_guard<std::mutex> lock(mutex);
      next.swap(queued);
    }
    for (Outgoing &message : next)
      sendNow(std::move(message));
    isSent =
        std::all_of(outgoing.begin(), outgoing.end(),
                    [](const Outgoing &message) { return message.isBeat; });
    sendBeats(Clock::now());
    receiveAll(received);
  }
  for (const auto &[from, message] : received)
    handle(from, message);
  return isSent;
}

void MpiWorld::handle(int64_t from, const std::string &message) {
  size_t split = std::min(message.find('\0'), message.size());
  std::string subject = message.substr(0, split);
  std::string text =
      split < message.size() ? message.substr(split + 1) : std::string();
  if (subject == "abort")
    return fail(text, /*tell=*/false);
  std::lock_guard<std::mutex> lock(mutex);
  Peer &peer = peers[from];
  if (peer.status.state == RankState::Running)
    peer.status.lastSeen = Clock::now();
  if (subject == "end") {
    peer.status.state = RankState::Ended;
    peer.status.reason = "it has left the run";
    return;
  }
  if (subject != "beat") {
    peer.inbox[subject].push_back(text);
    return;
  }
  char *rest = nullptr;
  int64_t age = std::strtoll(text.c_str(), &rest, 10);
  peer.status.lastProgress = Clock::now() - milliseconds(age);
  peer.status.executing = *rest == ' ' ? rest + 1 : rest;
}

//===----------------------------------------------------------------------===//
// Failure
//===----------------------------------------------------------------------===//

MaybeError MpiWorld::getFailure() {
  std::lock_guard<std::mutex> lock(mutex);
  return failure;
}

void MpiWorld::fail(const std::string &reason, bool tell) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (isEnding) {
      changed.wait(lock, [&] { return failure.has_value(); });
      return;
    }
    isEnding = true;
  }
  // On a thread of its own, as calls of MPI may not return any more.
  milliseconds limit = isTerminated ? hurriedTimeToTell : timeToTell;
  std::thread([this, reason, tell, limit] {
    {
      std::unique_lock<std::timed_mutex> lock(mpi, limit);
      if (lock && tell && !isQuiet)
        tellAll(reason, limit);
      isQuiet = true;
    }
    changed.notify_all();
  }).detach();
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait_for(lock, 2 * limit + hurriedTick,
                     [&] { return isQuiet.load(); });
    isQuiet = true;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    failure = reason;
    failedAt = Clock::now();
  }
  changed.notify_all();
  wakeWatcher();
}

void MpiWorld::tellAll(const std::string &reason, milliseconds limit) {
  std::vector<int64_t> to;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (int64_t i = 0; i < getNumRanks(); ++i)
      if (i != rank && !peers[i].suspectSince)
        to.push_back(i);
  }
  for (int64_t peer : to)
    sendNow({peer, std::string("abort") + '\0' + reason});
  Clock::time_point begin = Clock::now();
  while (!outgoing.empty() && Clock::now() - begin < limit) {
    int done = 0;
    MPI_Test(&outgoing.back().request, &done, MPI_STATUS_IGNORE);
    if (done)
      outgoing.pop_back();
    else
      std::this_thread::sleep_for(milliseconds(1));
  }
}

//===----------------------------------------------------------------------===//
// The two threads
//===----------------------------------------------------------------------===//

void MpiWorld::carryMessages() {
  while (!stopping) {
    pump();
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait_for(lock, tick, [&] { return stopping.load(); });
  }
}

/// Calls no MPI, so nothing keeps it from ending the process.
void MpiWorld::watch() {
  Clock::time_point last = Clock::now();
  while (!stopping) {
    pollfd event = {signalEvent, POLLIN, 0};
    poll(&event, 1, (isTerminated ? hurriedTick : tick).count());
    uint64_t count;
    if (read(signalEvent, &count, sizeof(count)) < 0 && errno != EAGAIN)
      std::this_thread::sleep_for(tick);
    Clock::time_point now = Clock::now();
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (isTerminated && !terminatedAt)
        terminatedAt = now;
      // Who has slept, because it was stopped, has not heard of anybody.
      if (now - last > 10 * tick) {
        for (Peer &peer : peers)
          peer.status.lastSeen += now - last;
        slept = now - last;
        wokenAt = now;
      }
    }
    last = now;
    checkPeers(now);
    if (MaybeError reason = findReasonToEnd(now))
      fail(*reason);
    endProcessIfLate(Clock::now());
  }
}

void MpiWorld::endProcessIfLate(Clock::time_point now) {
  std::string reason;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!failure ||
        now - failedAt < (terminatedAt ? hurriedTimeToEnd : timeToEnd))
      return;
    reason = *failure;
  }
  endProcess(reason);
}
