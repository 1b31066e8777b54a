//===- Nccl.cpp - Communicators of NCCL -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ending.h"
#include "Leaks.h"
#include "NcclWorld.h"
#include <algorithm>
#include <climits>
#include <cstring>

using namespace hetero::standin;

std::map<ncclComm_t, std::shared_ptr<Communicator>> &
hetero::standin::getCommunicators() {
  static auto *communicators =
      new std::map<ncclComm_t, std::shared_ptr<Communicator>>;
  return *communicators;
}

ncclResult_t NcclCall::check() const {
  bool isSick = device && device->sickness;
  return hasFailed() || isSick ? ncclUnhandledCudaError : ncclSuccess;
}

std::shared_ptr<Communicator> NcclCall::get(ncclComm_t handle) const {
  auto found = getCommunicators().find(handle);
  if (found != getCommunicators().end())
    return found->second;
  leaveProcess(name +
               " is given a communicator that was destroyed or never was one");
}

static ncclComm_t toHandle(const std::shared_ptr<Communicator> &communicator) {
  return reinterpret_cast<ncclComm_t>(communicator.get());
}

const char *ncclGetErrorString(ncclResult_t result) {
  NcclCall call(__func__, /*doesDrift=*/false);
  if (call.getFate() == Fate::Fails)
    return "unknown";
  switch (result) {
  case ncclSuccess:
    return "no error";
  case ncclUnhandledCudaError:
    return "unhandled cuda error";
  case ncclSystemError:
    return "unhandled system error";
  case ncclInternalError:
    return "internal error";
  case ncclInvalidArgument:
    return "invalid argument";
  case ncclInvalidUsage:
    return "invalid usage";
  case ncclRemoteError:
    return "remote process exited or there was a network error";
  case ncclInProgress:
    return "NCCL operation in progress";
  default:
    return "unknown result code";
  }
}

ncclResult_t ncclGetVersion(int *version) {
  int chosen = Engine::get().settings.ncclVersion;
  *version = chosen != 0 ? chosen : NCCL_VERSION_CODE;
  return ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

namespace {
/// What is in an ncclUniqueId.
struct Id {
  uint64_t key;
  char job[NCCL_UNIQUE_ID_BYTES - sizeof(uint64_t)];
};
static_assert(sizeof(Id) == sizeof(ncclUniqueId), "not the size of NCCL's id");
} // namespace

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  Id made = {};
  made.key = ++WorldLock()->numKeys;
  std::snprintf(made.job, sizeof(made.job), "%s", getJob().c_str());
  std::memcpy(id, &made, sizeof(made));
  return ncclSuccess;
}

/// The row of the communicator with these keys, a new one if there is none.
static int findClique(World &world, uint64_t key, uint64_t part, int numRanks) {
  int unused = -1;
  for (int i = mostCliques - 1; i >= 0; --i) {
    const CliqueRow &row = world.cliques[i];
    if (row.isUsed && row.key[0] == key && row.key[1] == part)
      return i;
    if (!row.isUsed)
      unused = i;
  }
  if (unused < 0)
    leaveProcess("more than " + str(mostCliques) + " communicators were made");
  world.cliques[unused].isUsed = true;
  world.cliques[unused].key[0] = key;
  world.cliques[unused].key[1] = part;
  world.cliques[unused].numRanks = numRanks;
  return unused;
}

/// Makes the rank known to the others; does not wait for them.
static ncclResult_t join(Communicator &communicator, uint64_t key,
                         uint64_t part) {
  WorldLock world;
  int index = findClique(*world, key, part, communicator.numRanks);
  CliqueRow &row = world->cliques[index];
  std::string who = "rank " + str(communicator.rank) + " of communicator " +
                    str(index) + " joins as one of " +
                    str(communicator.numRanks);
  if (row.numRanks != communicator.numRanks)
    leaveProcess(who + ", and another one as one of " + str(row.numRanks));
  MemberRow &member = row.members[communicator.rank];
  if (member.state != Member::Absent)
    leaveProcess(who + ", and another one has joined as the same rank");
  int physical = communicator.device->kind.physical;
  for (int rank = 0; rank < row.numRanks; ++rank)
    if (row.members[rank].state != Member::Absent &&
        row.members[rank].device == physical) {
      communicator.lastError = "rank " + str(rank) + " and rank " +
                               str(communicator.rank) +
                               " are both on the device " + str(physical);
      std::fprintf(stderr, "hetero stand-in: ncclCommInitRank: %s\n",
                   communicator.lastError.c_str());
      return ncclInvalidUsage;
    }
  member.state = Member::Joined;
  member.process = getProcessSlot();
  member.device = physical;
  ++row.numJoined;
  ++world->progress;
  communicator.clique = index;
  return ncclSuccess;
}

bool hetero::standin::hasAllMembers(Communicator &communicator) {
  if (communicator.isNeverMade)
    return false;
  if (!communicator.isComplete) {
    WorldLock world;
    const CliqueRow &row = world->cliques[communicator.clique];
    communicator.isComplete = row.numJoined == row.numRanks;
    if (!communicator.isComplete)
      return false;
    for (int rank = 0; rank < row.numRanks; ++rank)
      if (row.members[rank].process != getProcessSlot())
        startHelper();
  }
  return communicator.isComplete;
}

static std::string listMissing(const Communicator &communicator) {
  WorldLock world;
  const CliqueRow &row = world->cliques[communicator.clique];
  std::string list;
  for (int rank = 0; rank < row.numRanks; ++rank)
    if (row.members[rank].state == Member::Absent)
      list += (list.empty() ? "rank " : ", rank ") + str(rank);
  return list;
}

void hetero::standin::awaitMembers(
    const std::vector<std::shared_ptr<Communicator>> &waiting) {
  Engine &engine = Engine::get();
  for (const std::shared_ptr<Communicator> &each : waiting) {
    Patience patience;
    while (!hasAllMembers(*each)) {
      if (patience.isOver(engine.settings.patience))
        leaveProcess("ncclCommInitRank of rank " + str(each->rank) + " of " +
                     str(each->numRanks) + " waits without end for " +
                     listMissing(*each));
      // Others may need what is in the streams to come as far.
      engine.drift();
      engine.rest();
    }
  }
}

static ncclResult_t create(const NcclCall &call, ncclComm_t *made, int numRanks,
                           int rank, uint64_t key, uint64_t part,
                           bool isBlocking) {
  if (!call.getDevice())
    return ncclUnhandledCudaError;
  if (numRanks < 1 || numRanks > mostRanks || rank < 0 || rank >= numRanks)
    return ncclInvalidArgument;
  auto communicator = std::make_shared<Communicator>();
  communicator->rank = rank;
  communicator->numRanks = numRanks;
  communicator->device = call.getDevice();
  communicator->isBlocking = isBlocking;
  communicator->isNeverMade = call.getFate() == Fate::NeverEnds;
  *made = nullptr;
  if (communicator->isNeverMade)
    communicator->clique = findClique(*WorldLock(), key, part, numRanks);
  else if (ncclResult_t error = join(*communicator, key, part))
    return error;
  *made = toHandle(communicator);
  noteGiven(Thing::Communicator);
  getCommunicators()[*made] = communicator;
  noteThread();
  Engine::get().notifyAll();
  if (!isBlocking)
    return isInGroup() ? ncclSuccess : ncclInProgress;
  if (isInGroup())
    delayJoin(communicator);
  else
    awaitMembers({communicator});
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *made, int numRanks,
                                    ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  Id given;
  std::memcpy(&given, &id, sizeof(given));
  if (!given.key || !joinJob(given.job))
    return ncclInvalidArgument;
  bool isBlocking = !config || config->blocking != 0;
  return create(call, made, numRanks, rank, given.key, 0, isBlocking);
}

ncclResult_t ncclCommInitRank(ncclComm_t *made, int numRanks, ncclUniqueId id,
                              int rank) {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  Id given;
  std::memcpy(&given, &id, sizeof(given));
  if (!given.key || !joinJob(given.job))
    return ncclInvalidArgument;
  return create(call, made, numRanks, rank, given.key, 0, /*isBlocking=*/true);
}

//===----------------------------------------------------------------------===//
// Dividing
//===----------------------------------------------------------------------===//

namespace {
struct Share {
  int rank = 0, numRanks = 0;
};
} // namespace

/// Waits until all members have said their color; the place among those of the
/// same one.
static Share meetForSplit(Communicator &communicator, int color, int key) {
  Engine &engine = Engine::get();
  int64_t turn;
  {
    WorldLock world;
    CliqueRow &row = world->cliques[communicator.clique];
    MemberRow &self = row.members[communicator.rank];
    turn = self.numSplits++;
    self.colors[turn % 2] = color;
    self.keys[turn % 2] = key;
    ++world->progress;
  }
  engine.notifyAll();
  Patience patience;
  for (;;) {
    {
      WorldLock world;
      CliqueRow &row = world->cliques[communicator.clique];
      bool areAll = true;
      Share share;
      for (int rank = 0; rank < row.numRanks; ++rank) {
        const MemberRow &other = row.members[rank];
        areAll &= other.numSplits > turn;
        if (other.colors[turn % 2] != color)
          continue;
        ++share.numRanks;
        std::pair<int, int> mine = {key, communicator.rank};
        share.rank += std::make_pair(other.keys[turn % 2], rank) < mine;
      }
      if (areAll)
        return share;
    }
    if (patience.isOver(engine.settings.patience))
      leaveProcess("ncclCommSplit of rank " + str(communicator.rank) +
                   " of communicator " + str(communicator.clique) +
                   " waits without end for other ranks");
    engine.drift();
    engine.rest();
  }
}

ncclResult_t ncclCommSplit(ncclComm_t parent, int color, int key,
                           ncclComm_t *made, ncclConfig_t *config) {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  std::shared_ptr<Communicator> communicator = call.get(parent);
  if (isInGroup() || communicator->isAborted || !hasAllMembers(*communicator))
    return ncclInvalidUsage;
  Share share = meetForSplit(*communicator, color, key);
  *made = nullptr;
  if (color == NCCL_SPLIT_NOCOLOR)
    return ncclSuccess;
  uint64_t part;
  {
    WorldLock world;
    const CliqueRow &row = world->cliques[communicator->clique];
    part = uint64_t(row.members[communicator->rank].numSplits) << 32 |
           uint32_t(color);
  }
  bool isBlocking = !config || config->blocking == NCCL_CONFIG_UNDEF_INT
                        ? communicator->isBlocking
                        : config->blocking != 0;
  // Keys of ids are small numbers; those of divided communicators are not.
  uint64_t origin = (uint64_t(1) << 32) + communicator->clique;
  return create(call, made, share.numRanks, share.rank, origin, part,
                isBlocking);
}

//===----------------------------------------------------------------------===//
// Leaving
//===----------------------------------------------------------------------===//

static void setMember(const Communicator &communicator, Member state) {
  WorldLock world;
  CliqueRow &row = world->cliques[communicator.clique];
  row.members[communicator.rank].state = state;
  // The others learn of an abort from their connections.
  if (state == Member::Aborted)
    for (int rank = 0; rank < row.numRanks; ++rank)
      if (rank != communicator.rank && !row.members[rank].error)
        row.members[rank].error = ncclRemoteError;
  ++world->progress;
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  std::shared_ptr<Communicator> communicator = call.get(handle);
  if (communicator->isFinalized)
    return ncclInvalidArgument;
  communicator->isFinalized = true;
  communicator->isNeverFinalized = call.getFate() == Fate::NeverEnds;
  if (!communicator->isBlocking)
    return ncclInProgress;
  Engine::get().wait({communicator->last}, call.getName());
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  std::shared_ptr<Communicator> communicator = call.get(handle);
  if (!communicator->isAborted)
    Engine::get().wait({communicator->last}, call.getName());
  setMember(*communicator, Member::Gone);
  getCommunicators().erase(handle);
  noteGivenBack(Thing::Communicator);
  return ncclSuccess;
}

/// What the rank entered ends at once, without its data.
ncclResult_t ncclCommAbort(ncclComm_t handle) {
  NcclCall call(__func__);
  // It works on a device that does not.
  if (call.getFate() == Fate::Fails)
    return call.check();
  std::shared_ptr<Communicator> communicator = call.get(handle);
  communicator->isAborted = true;
  communicator->device->isCutShort = true;
  setMember(*communicator, Member::Aborted);
  communication::drop(communicator->clique, communicator->rank);
  getCommunicators().erase(handle);
  noteGivenBack(Thing::Communicator);
  Engine::get().refresh();
  Engine::get().notifyAll();
  return ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t *state) {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  std::shared_ptr<Communicator> communicator = call.get(handle);
  *state = ncclSuccess;
  {
    WorldLock world;
    noticeEnded(*world, communicator->clique);
    const CliqueRow &row = world->cliques[communicator->clique];
    *state = row.members[communicator->rank].error;
  }
  if (*state)
    return ncclSuccess;
  bool isFinalizing = communicator->isNeverFinalized ||
                      (communicator->isFinalized && communicator->last &&
                       !communicator->last->isDone());
  if (isFinalizing && !communicator->isNeverFinalized)
    Engine::get().poll({communicator->last}, call.getName());
  if (!hasAllMembers(*communicator) || communicator->isDelayed || isFinalizing)
    *state = ncclInProgress;
  communicator->isDelayed = false;
  return ncclSuccess;
}

const char *ncclGetLastError(ncclComm_t handle) {
  NcclCall call(__func__);
  auto found = getCommunicators().find(handle);
  return found == getCommunicators().end() ? ""
                                           : found->second->lastError.c_str();
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int *count) {
  NcclCall call(__func__);
  *count = call.get(handle)->numRanks;
  return call.check();
}

ncclResult_t ncclCommCuDevice(const ncclComm_t handle, int *device) {
  NcclCall call(__func__);
  *device = call.get(handle)->device->number;
  return call.check();
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int *rank) {
  NcclCall call(__func__);
  *rank = call.get(handle)->rank;
  return call.check();
}
