//===- NcclWorld.cpp - What the ranks know of each other ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NcclWorld.h"
#include "Ending.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hetero::standin;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Attached {
  World *world = nullptr;
  std::string job;
  int slot = -1;
  bool isUsed = false;
};
} // namespace

static Attached &getAttached() {
  static auto *attached = new Attached;
  return *attached;
}

/// Processes that a launcher of MPI started together share its name for them.
static std::string findJob() {
  if (!Engine::get().settings.job.empty())
    return Engine::get().settings.job;
  for (const char *variable : {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID"})
    if (const char *value = std::getenv(variable))
      return value;
  return "process-" + str(getpid());
}

static std::string getPath(std::string job) {
  for (char &letter : job)
    if (letter == '/')
      letter = '_';
  return "/dev/shm/hetero-standin-" + str(getuid()) + "-" + job;
}

static void initialize(World &world) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&world.mutex, &attributes);
  world.freeCall = -1;
  world.numNumbers = 1;
}

/// A process that has ended is still there until its parent asks for it.
static bool isAlive(int process) {
  if (process <= 0 || (kill(process, 0) != 0 && errno != EPERM))
    return false;
  FILE *file = std::fopen(("/proc/" + str(process) + "/stat").c_str(), "r");
  if (!file)
    return false;
  char state = 0;
  // The name of the program is in brackets.
  int numRead = std::fscanf(file, "%*d (%*[^)]) %c", &state);
  std::fclose(file);
  return numRead == 1 && state != 'Z' && state != 'X';
}

/// Takes a row for this process; its devices can be reached through it.
static int takeSlot(World &world) {
  for (int i = 0; i < mostProcesses; ++i) {
    ProcessRow &row = world.processes[i];
    if (row.process)
      continue;
    row.process = getpid();
    for (const auto &device : Engine::get().devices) {
      if (row.numDevices == mostDevices)
        break;
      row.files[row.numDevices] = device->memory.getFile();
      row.spans[row.numDevices++] = device->memory.getSpan();
    }
    return i;
  }
  leaveProcess("more than " + str(mostProcesses) + " processes share a job");
}

/// In place of the number of a process; its row is not used again.
constexpr int hasLeft = -1;

/// The last process removes the file. Rows stay, for who still asks.
static void leaveJob() {
  Attached &attached = getAttached();
  if (!attached.world)
    return;
  // Whoever says it last sees that all have.
  attached.world->processes[attached.slot].process = hasLeft;
  // After a mistake a launcher ends the others, who then cannot do it.
  bool isLast = true;
  for (const ProcessRow &row : attached.world->processes)
    isLast &= !isAlive(row.process);
  if (isLast || isLeaving())
    unlink(getPath(attached.job).c_str());
}

/// Whether all who used the table have gone without removing it.
static bool isForgotten(int file) {
  void *mapped = mmap(nullptr, sizeof(World), PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    return false;
  bool isForgotten = true;
  for (const ProcessRow &row : static_cast<World *>(mapped)->processes)
    isForgotten &= !isAlive(row.process);
  munmap(mapped, sizeof(World));
  return isForgotten && ftruncate(file, 0) == 0;
}

/// Removes the tables of processes that were killed.
static void sweep() {
  std::string prefix = "hetero-standin-" + str(getuid()) + "-process-";
  DIR *directory = opendir("/dev/shm");
  if (!directory)
    return;
  while (const dirent *entry = readdir(directory)) {
    std::string name = entry->d_name;
    if (name.rfind(prefix, 0) == 0 &&
        !isAlive(std::atoi(name.c_str() + prefix.size())))
      unlinkat(dirfd(directory), name.c_str(), 0);
  }
  closedir(directory);
}

static void attach(const std::string &job) {
  Attached &attached = getAttached();
  std::string path = getPath(job);
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  // Who has the lock of an empty file makes the table.
  if (file < 0 || flock(file, LOCK_EX) != 0)
    leaveProcess("the table of NCCL '" + path + "' cannot be opened");
  struct stat status;
  fstat(file, &status);
  bool isNew = status.st_size == 0 || isForgotten(file);
  if (isNew && ftruncate(file, sizeof(World)) != 0)
    leaveProcess("the table of NCCL '" + path + "' cannot be made");
  void *mapped =
      mmap(nullptr, sizeof(World), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    leaveProcess("the table of NCCL '" + path + "' cannot be mapped");
  attached.world = static_cast<World *>(mapped);
  attached.job = job;
  if (isNew)
    initialize(*attached.world);
  attached.slot = takeSlot(*attached.world);
  flock(file, LOCK_UN);
  close(file);
}

static World &getWorld() {
  Attached &attached = getAttached();
  if (!attached.world) {
    sweep();
    attach(findJob());
    addFarewell(leaveJob);
  }
  return *attached.world;
}

int hetero::standin::getProcessSlot() {
  getWorld();
  return getAttached().slot;
}

const std::string &hetero::standin::getJob() {
  getWorld();
  return getAttached().job;
}

bool hetero::standin::joinJob(const std::string &job) {
  Attached &attached = getAttached();
  if (attached.job == job) {
    attached.isUsed = true;
    return true;
  }
  if (attached.isUsed)
    return false;
  if (attached.world) {
    leaveJob();
  } else {
    addFarewell(leaveJob);
  }
  attach(job);
  attached.isUsed = true;
  return true;
}

WorldLock::WorldLock() : world(&getWorld()) {
  // The owner of the lock died in the middle of something small.
  if (pthread_mutex_lock(&world->mutex) == EOWNERDEAD)
    pthread_mutex_consistent(&world->mutex);
}

WorldLock::~WorldLock() { pthread_mutex_unlock(&world->mutex); }

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// A number says its row.
OperationRow *hetero::standin::findRow(World &world, uint64_t number) {
  OperationRow &row = world.operations[number % mostOperations];
  return row.number == number ? &row : nullptr;
}

static OperationRow &makeRow(World &world) {
  for (int i = 0; i < mostOperations; ++i) {
    OperationRow &row = world.operations[i];
    if (row.number)
      continue;
    row = {};
    row.number = world.numNumbers++ * mostOperations + i;
    row.firstCall = -1;
    world.numOperations = std::max(world.numOperations, i + 1);
    return row;
  }
  leaveProcess("more than " + str(mostOperations) +
               " communications wait in the streams of all ranks");
}

static int makeCall(World &world) {
  int made = world.freeCall;
  if (made >= 0)
    world.freeCall = world.calls[made].next;
  else if (world.numCalls < mostCalls)
    made = world.numCalls++;
  else
    leaveProcess("more than " + str(mostCalls) +
                 " calls of NCCL wait in the streams of all ranks");
  world.calls[made] = {};
  return made;
}

static void forget(World &world, OperationRow &row) {
  for (int i = row.firstCall; i >= 0;) {
    int next = world.calls[i].next;
    world.calls[i].next = world.freeCall;
    world.freeCall = i;
    i = next;
  }
  row.number = 0;
  while (world.numOperations > 0 &&
         !world.operations[world.numOperations - 1].number)
    --world.numOperations;
}

//===----------------------------------------------------------------------===//
// Partners
//===----------------------------------------------------------------------===//

Partner hetero::standin::findPartner(World &world, const OperationRow &row,
                                     const CallRow &call, int rank) {
  auto isPartner = [&](const CallRow &other) {
    if (isCollective(call.kind))
      return isCollective(other.kind) && other.index == call.index;
    CallKind wanted =
        call.kind == CallKind::Send ? CallKind::Receive : CallKind::Send;
    return other.kind == wanted && other.index == call.index &&
           other.peer == row.rank;
  };
  for (int i = 0; i < world.numOperations; ++i) {
    OperationRow &other = world.operations[i];
    if (!other.number || other.clique != row.clique || other.rank != rank)
      continue;
    for (int c = other.firstCall; c >= 0; c = world.calls[c].next)
      if (isPartner(world.calls[c]))
        return {&other, &world.calls[c]};
  }
  return {};
}

std::vector<int> hetero::standin::getPartnerRanks(const World &world,
                                                  const OperationRow &row,
                                                  const CallRow &call) {
  if (!isCollective(call.kind))
    return {call.peer};
  std::vector<int> ranks;
  for (int rank = 0; rank < world.cliques[row.clique].numRanks; ++rank)
    if (rank != row.rank)
      ranks.push_back(rank);
  return ranks;
}

/// Ends the process unless both mean the same.
static void compare(const OperationRow &row, const CallRow &call,
                    const Partner &partner) {
  const CallRow &other = *partner.call;
  bool isSame;
  if (isCollective(call.kind)) {
    bool hasRoot =
        call.kind == CallKind::Broadcast || call.kind == CallKind::Reduce;
    isSame = call.kind == other.kind && call.type == other.type &&
             call.count == other.count && call.reduction == other.reduction &&
             (!hasRoot || call.peer == other.peer);
  } else {
    isSame = call.count * sizeOf(call.type) == other.count * sizeOf(other.type);
  }
  std::string both = describeRank(row) + " enters " + describe(call) +
                     ", and " + describeRank(*partner.row) + " enters " +
                     describe(other);
  if (!isSame)
    leaveProcess("ranks do not match: " + both);
  if (isCollective(call.kind) &&
      (call.position != other.position || call.numInGroup != other.numInGroup))
    leaveProcess("groups of ranks do not match: " + both + ", as collective " +
                 str(call.position) + " of " + str(call.numInGroup) +
                 " in a group and " + str(other.position) + " of " +
                 str(other.numInGroup));
}

static bool areAllDone(const World &world, const OperationRow &row) {
  for (int i = row.firstCall; i >= 0; i = world.calls[i].next)
    if (!world.calls[i].isDone)
      return false;
  return true;
}

void hetero::standin::match(World &world, OperationRow &row) {
  if (row.isEndless)
    return;
  std::vector<OperationRow *> touched = {&row};
  for (int i = row.firstCall; i >= 0; i = world.calls[i].next) {
    CallRow &call = world.calls[i];
    if (call.isDone)
      continue;
    std::vector<CallRow *> calls = {&call};
    std::vector<int> ranks = {row.rank};
    bool areReady = true;
    for (int rank : getPartnerRanks(world, row, call)) {
      Partner partner = findPartner(world, row, call, rank);
      areReady &=
          partner.row && partner.row->isResident && !partner.row->isEndless;
      if (!areReady)
        break;
      calls.push_back(partner.call);
      ranks.push_back(rank);
      touched.push_back(partner.row);
    }
    if (!areReady)
      continue;
    transfer(world, calls, ranks);
    for (CallRow *done : calls)
      done->isDone = true;
  }
  for (OperationRow *other : touched)
    if (areAllDone(world, *other))
      other->isDone = true;
}

//===----------------------------------------------------------------------===//
// What the engine asks for
//===----------------------------------------------------------------------===//

static void fillCall(CallRow &row, const CallPlan &plan,
                     Communicator &communicator) {
  row.kind = plan.kind;
  row.type = plan.type;
  row.reduction = plan.reduction;
  row.peer = plan.peer;
  row.count = plan.count;
  row.index = plan.kind == CallKind::Send ? communicator.numSends[plan.peer]++
              : plan.kind == CallKind::Receive
                  ? communicator.numReceives[plan.peer]++
                  : communicator.numCollectives++;
}

uint64_t communication::enter(const Operation &operation) {
  GroupPlan &plan = *operation.work.plan;
  Communicator &communicator = *plan.communicator;
  WorldLock world;
  OperationRow &row = makeRow(*world);
  row.clique = communicator.clique;
  row.rank = communicator.rank;
  row.process = getProcessSlot();
  row.device = operation.stream->device->number;
  row.stream = operation.stream->number;
  row.isEndless = plan.isEndless;
  for (uint64_t number : operation.behind)
    if (row.numBehind < mostBehind)
      row.behind[row.numBehind++] = number;
  int numCollectives = std::count_if(
      plan.calls.begin(), plan.calls.end(),
      [](const CallPlan &call) { return isCollective(call.kind); });
  int position = 0;
  int *link = &row.firstCall;
  for (const CallPlan &call : plan.calls) {
    int made = makeCall(*world);
    *link = made;
    CallRow &entry = world->calls[made];
    fillCall(entry, call, communicator);
    if (isCollective(call.kind))
      entry.position = position++;
    entry.numInGroup = numCollectives;
    entry.next = -1;
    link = &entry.next;
  }
  for (int i = row.firstCall; i >= 0; i = world->calls[i].next)
    for (int rank : getPartnerRanks(*world, row, world->calls[i]))
      if (Partner partner = findPartner(*world, row, world->calls[i], rank);
          partner.row)
        compare(row, world->calls[i], partner);
  ++world->progress;
  return row.number;
}

/// Where a buffer lies; ends the process if it does not live.
static Place locate(Memory &memory, int device, uint64_t address,
                    uint64_t bytes, bool isWrite, const std::string &who) {
  Place place;
  if (!bytes)
    return place;
  place.process = getProcessSlot();
  place.device = device;
  place.offset =
      memory.getOffset(memory.access(address, bytes, isWrite, who.c_str()));
  return place;
}

/// In place means at one place for all of NCCL's calls; other overlaps are
/// mistakes.
static void checkOverlap(const CallPlan &call, uint64_t read, uint64_t written,
                         int rank, const std::string &who) {
  if (!read || !written || call.from + read <= call.to ||
      call.to + written <= call.from)
    return;
  uint64_t part = call.count * sizeOf(call.type) * rank;
  bool isInPlace =
      call.kind == CallKind::AllGather       ? call.from == call.to + part
      : call.kind == CallKind::ReduceScatter ? call.to == call.from + part
                                             : call.from == call.to;
  if (!isInPlace)
    leaveProcess(who + " reads " + str(read) + " bytes and writes " +
                 str(written) +
                 " bytes that overlap, and are not where NCCL works in place");
}

void communication::start(const Operation &operation) {
  GroupPlan &plan = *operation.work.plan;
  const Communicator &communicator = *plan.communicator;
  Device &device = *operation.stream->device;
  std::string who = operation.describe();
  WorldLock world;
  OperationRow *row = findRow(*world, operation.communication);
  int i = row->firstCall;
  for (const CallPlan &call : plan.calls) {
    uint64_t read = call.getReadBytes(communicator.rank, communicator.numRanks);
    uint64_t written =
        call.getWrittenBytes(communicator.rank, communicator.numRanks);
    checkOverlap(call, read, written, communicator.rank, who);
    CallRow &entry = world->calls[i];
    entry.from = locate(device.memory, device.number, call.from, read,
                        /*isWrite=*/false, who);
    entry.to = locate(device.memory, device.number, call.to, written,
                      /*isWrite=*/true, who);
    i = entry.next;
  }
  row->isResident = true;
  ++world->progress;
  const CliqueRow &clique = world->cliques[row->clique];
  for (int rank = 0; rank < clique.numRanks; ++rank)
    if (clique.members[rank].state == Member::Aborted)
      return;
  if (!Engine::get().settings.doesNcclHang)
    match(*world, *row);
}

bool communication::isDone(uint64_t number) {
  WorldLock world;
  OperationRow *row = findRow(*world, number);
  if (!row)
    return true;
  if (row->isDone)
    forget(*world, *row);
  return row->number == 0;
}

std::vector<uint64_t> communication::getPartners(uint64_t number) {
  WorldLock world;
  std::vector<uint64_t> numbers;
  OperationRow *row = findRow(*world, number);
  if (!row)
    return numbers;
  for (int i = row->firstCall; i >= 0; i = world->calls[i].next) {
    if (world->calls[i].isDone)
      continue;
    for (int rank : getPartnerRanks(*world, *row, world->calls[i])) {
      Partner partner = findPartner(*world, *row, world->calls[i], rank);
      if (!partner.row || partner.row->isResident)
        continue;
      if (partner.row->process == getProcessSlot())
        numbers.push_back(partner.row->number);
      else
        partner.row->isWanted = true;
    }
  }
  return numbers;
}

void communication::drop(int clique, int rank) {
  WorldLock world;
  for (int i = 0; i < world->numOperations; ++i) {
    OperationRow &row = world->operations[i];
    if (row.number && row.clique == clique && row.rank == rank)
      row.isDone = true;
  }
}

void hetero::standin::noticeEnded(World &world, int clique) {
  CliqueRow &row = world.cliques[clique];
  bool isBroken = false;
  for (int rank = 0; rank < row.numRanks; ++rank) {
    MemberRow &member = row.members[rank];
    if (member.state != Member::Joined ||
        isAlive(world.processes[member.process].process))
      continue;
    member.state = Member::Aborted;
    isBroken = true;
  }
  for (int rank = 0; rank < row.numRanks && isBroken; ++rank)
    if (row.members[rank].state == Member::Joined)
      row.members[rank].error = ncclRemoteError;
}

uint64_t communication::getProgress() {
  // Without communicators there is no table to look into.
  return getAttached().world ? WorldLock()->progress : 0;
}
