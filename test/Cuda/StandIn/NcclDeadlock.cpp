//===- NcclDeadlock.cpp - Communications that can never end ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can still end is found from what can end at once: a communication can
// start if everything in front of it can end and its device has, or will have,
// a channel for it; it can end if it and all its partners can start. Partners
// that nobody has entered yet may still come, unless all threads of their
// process that use NCCL wait for what cannot end. What remains waits in a
// circle.

#include "Ending.h"
#include "NcclWorld.h"
#include <algorithm>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace hetero::standin;

std::string hetero::standin::describe(const CallRow &call) {
  std::string size = str(call.count) + " " + nameOf(call.type);
  std::string index = str(call.index);
  switch (call.kind) {
  case CallKind::Send:
    return "send " + index + " of " + size + " to rank " + str(call.peer);
  case CallKind::Receive:
    return "receive " + index + " of " + size + " from rank " + str(call.peer);
  case CallKind::Broadcast:
    return "broadcast (collective " + index + ") of " + size + " from rank " +
           str(call.peer);
  case CallKind::AllReduce:
    return "allReduce (collective " + index + ") of the " +
           nameOf(call.reduction) + " of " + size;
  case CallKind::Reduce:
    return "reduce (collective " + index + ") of the " +
           nameOf(call.reduction) + " of " + size + " to rank " +
           str(call.peer);
  case CallKind::AllGather:
    return "allGather (collective " + index + ") of " + size;
  case CallKind::ReduceScatter:
    return "reduceScatter (collective " + index + ") of the " +
           nameOf(call.reduction) + " of " + size;
  }
  return "";
}

std::string hetero::standin::describeRank(const OperationRow &row) {
  return "rank " + str(row.rank) + " of communicator " + str(row.clique);
}

/// The calls that have not been done, the first of them with its name.
std::string hetero::standin::describe(const World &world,
                                      const OperationRow &row) {
  std::string text;
  int more = 0;
  for (int i = row.firstCall; i >= 0; i = world.calls[i].next)
    if (!world.calls[i].isDone && !text.empty())
      ++more;
    else if (!world.calls[i].isDone)
      text = describe(world.calls[i]);
  if (more)
    text += " and " + str(more) + " more of its group";
  text += " (" + describeRank(row) + ", stream " + str(row.stream) +
          " of device " + str(row.device);
  if (world.processes[1].process)
    text += " of process " + str(world.processes[row.process].process);
  return text + ")";
}

//===----------------------------------------------------------------------===//
// What can still end
//===----------------------------------------------------------------------===//

namespace {
class Outlook {
public:
  explicit Outlook(World &world)
      : world(world), canStartRow(world.numOperations),
        canEndRow(world.numOperations) {
    // Only ever more becomes possible.
    do {
      hasChanged = false;
      for (int i = 0; i < world.numOperations; ++i)
        if (world.operations[i].number)
          look(world.operations[i], i);
    } while (hasChanged);
  }

  bool canEnd(const OperationRow &row) const {
    return canEndRow[&row - world.operations];
  }
  bool canStart(const OperationRow &row) const {
    return canStartRow[&row - world.operations];
  }
  /// A communication in front of the row that cannot end, or the one that has
  /// the channel it needs.
  const OperationRow *getObstacle(const OperationRow &row) const;
  /// The rank that keeps the row from its end, and its row if it has one.
  std::pair<int, const OperationRow *> getMissing(const OperationRow &row,
                                                  const CallRow **call) const;

private:
  void look(const OperationRow &row, int index);
  bool isChannelFree(const OperationRow &row) const;
  bool mayCome(const OperationRow &row, int rank) const;
  bool areThreadsStuck(int process) const;

  World &world;
  std::vector<char> canStartRow, canEndRow;
  bool hasChanged = false;
};
} // namespace

bool Outlook::isChannelFree(const OperationRow &row) const {
  int numTaken = 0;
  for (int i = 0; i < world.numOperations; ++i) {
    const OperationRow &other = world.operations[i];
    numTaken += other.number && other.isResident &&
                other.process == row.process && other.device == row.device &&
                !canEndRow[i];
  }
  return numTaken < Engine::get().settings.channels;
}

bool Outlook::areThreadsStuck(int process) const {
  int numThreads = 0;
  for (const ThreadRow &thread : world.processes[process].threads) {
    if (!thread.thread)
      continue;
    ++numThreads;
    bool isStuck = false;
    for (int i = 0; i < thread.numAwaited; ++i) {
      const OperationRow *row = findRow(world, thread.awaited[i]);
      isStuck |= row && !canEnd(*row);
    }
    if (!isStuck)
      return false;
  }
  return numThreads > 0;
}

/// Whether a partner that is not there can still be entered.
bool Outlook::mayCome(const OperationRow &row, int rank) const {
  const MemberRow &member = world.cliques[row.clique].members[rank];
  // The others are told of an abort, and can abort as well.
  if (member.state == Member::Aborted)
    return true;
  return member.state != Member::Gone && !areThreadsStuck(member.process);
}

void Outlook::look(const OperationRow &row, int index) {
  auto allow = [&](std::vector<char> &flags) {
    hasChanged |= !flags[index];
    flags[index] = true;
  };
  bool canStart = true;
  for (int i = 0; i < row.numBehind && !row.isResident; ++i)
    if (const OperationRow *before = findRow(world, row.behind[i]))
      canStart &= bool(canEnd(*before));
  if (row.isResident || (canStart && isChannelFree(row)))
    allow(canStartRow);
  if (!canStartRow[index] || canEndRow[index])
    return;
  const CallRow *call = nullptr;
  if (getMissing(row, &call).first < 0)
    allow(canEndRow);
}

std::pair<int, const OperationRow *>
Outlook::getMissing(const OperationRow &row, const CallRow **call) const {
  for (int i = row.firstCall; i >= 0; i = world.calls[i].next) {
    if (world.calls[i].isDone)
      continue;
    for (int rank : getPartnerRanks(world, row, world.calls[i])) {
      Partner partner = findPartner(world, row, world.calls[i], rank);
      if (partner.row ? this->canStart(*partner.row) : mayCome(row, rank))
        continue;
      *call = &world.calls[i];
      return {rank, partner.row};
    }
  }
  return {-1, nullptr};
}

const OperationRow *Outlook::getObstacle(const OperationRow &row) const {
  for (int i = 0; i < row.numBehind; ++i)
    if (const OperationRow *before = findRow(world, row.behind[i]))
      if (!canEnd(*before))
        return before;
  for (int i = 0; i < world.numOperations; ++i) {
    const OperationRow &other = world.operations[i];
    if (other.number && other.isResident && other.process == row.process &&
        other.device == row.device && !canEndRow[i])
      return &other;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Sentences
//===----------------------------------------------------------------------===//

/// Why a communication that occupies its device does not end.
static std::string explainRow(World &world, const Outlook &outlook,
                              const OperationRow &row) {
  std::string text = describe(world, row);
  const CallRow *call = nullptr;
  auto [rank, partner] = outlook.getMissing(row, &call);
  if (rank < 0)
    return text + (row.isResident ? " waits for ranks that have not come yet"
                                  : " has not had its turn");
  text += " waits for rank " + str(rank);
  if (!partner)
    return text + (world.cliques[row.clique].members[rank].state == Member::Gone
                       ? ", which has destroyed its communicator"
                       : ", whose process waits for what cannot end");
  const OperationRow *obstacle = outlook.getObstacle(*partner);
  if (!obstacle)
    return text;
  bool isChannel = obstacle->isResident && obstacle->stream != partner->stream;
  return text + ", where its part is behind " + describe(world, *obstacle) +
         (isChannel ? ", which occupies the device" : "");
}

void communication::checkDeadlock() {
  // What is told not to end is no mistake.
  const Settings &settings = Engine::get().settings;
  if (settings.doesNcclHang || !settings.endless.empty() || !getProgress())
    return;
  std::string sentence;
  {
    WorldLock world;
    for (int i = 0; i < world->numOperations; ++i)
      if (world->operations[i].number)
        noticeEnded(*world, world->operations[i].clique);
    Outlook outlook(*world);
    for (int i = 0; i < world->numOperations; ++i) {
      const OperationRow &row = world->operations[i];
      if (row.number && row.isResident && !outlook.canEnd(row))
        sentence +=
            (sentence.empty() ? "" : "; ") + explainRow(*world, outlook, row);
    }
  }
  if (!sentence.empty())
    leaveProcess("deadlock of NCCL: " + sentence);
}

std::string communication::explain(uint64_t number) {
  WorldLock world;
  Outlook outlook(*world);
  OperationRow *row = findRow(*world, number);
  if (!row)
    return "its communications have ended";
  noticeEnded(*world, row->clique);
  for (int rank = 0; rank < world->cliques[row->clique].numRanks; ++rank)
    if (world->cliques[row->clique].members[rank].state == Member::Aborted)
      return describe(*world, *row) + " waits, and rank " + str(rank) +
             " has aborted its communicator";
  return explainRow(*world, outlook, *row);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
/// The row of a thread that uses NCCL, until the thread ends.
struct ThreadNote {
  int index = -1;

  ~ThreadNote() {
    if (index >= 0)
      WorldLock()->processes[getProcessSlot()].threads[index].thread = 0;
  }
};
} // namespace

static thread_local ThreadNote note;

void hetero::standin::noteThread() {
  if (note.index >= 0)
    return;
  WorldLock world;
  ProcessRow &process = world->processes[getProcessSlot()];
  for (int i = 0; i < mostThreads && note.index < 0; ++i)
    if (!process.threads[i].thread) {
      process.threads[i] = {};
      process.threads[i].thread = syscall(SYS_gettid);
      note.index = i;
    }
}

void communication::noteAwaited(const std::vector<uint64_t> &numbers) {
  if (note.index < 0)
    return;
  WorldLock world;
  ThreadRow &row = world->processes[getProcessSlot()].threads[note.index];
  row.numAwaited = std::min<int>(numbers.size(), mostBehind);
  std::copy_n(numbers.begin(), row.numAwaited, row.awaited);
}

//===----------------------------------------------------------------------===//
// Other processes
//===----------------------------------------------------------------------===//

/// What other processes wait for and has not started here.
static std::vector<OperationRef> findWanted() {
  std::vector<OperationRef> wanted;
  WorldLock world;
  for (int i = 0; i < world->numOperations; ++i) {
    const OperationRow &row = world->operations[i];
    if (row.number && row.isWanted && !row.isResident &&
        row.process == getProcessSlot())
      wanted.push_back(Engine::get().findCommunication(row.number));
  }
  return wanted;
}

static bool isHelperStopped = false;

/// When the program ends, what the helper uses is torn down.
static void stopHelper() {
  // Who leaves after a mistake may hold the lock, and tears nothing down.
  if (isLeaving())
    return;
  std::lock_guard<std::mutex> lock(Engine::get().mutex);
  isHelperStopped = true;
}

static void help() {
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  while (!isHelperStopped) {
    engine.refresh();
    Need need = {findWanted(), {}};
    if (need.operations.empty() || !engine.step(need))
      engine.rest();
  }
}

void hetero::standin::startHelper() {
  static bool isStarted = false;
  if (isStarted)
    return;
  isStarted = true;
  addFarewell(stopHelper);
  std::thread(help).detach();
}
