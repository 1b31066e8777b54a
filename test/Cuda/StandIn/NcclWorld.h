//===- NcclWorld.h - What the ranks know of each other ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for all ranks, of one process or of several: who is in which
// communicator, which operations were entered, which of them occupy their
// devices. It lies in a file that processes of a job map, so it holds numbers
// and no pointers.

#ifndef HETERO_TEST_CUDA_STANDIN_NCCLWORLD_H
#define HETERO_TEST_CUDA_STANDIN_NCCLWORLD_H

#include "Calls.h"
#include <nccl.h>
#include <pthread.h>

namespace hetero::standin {

/// Of one communicator; more do not fit on a test machine.
constexpr int mostRanks = 64;
constexpr int mostProcesses = 64;
constexpr int mostDevices = 16;
constexpr int mostCliques = 1024;
/// Entered and not ended; a program that enters a whole epoch needs no more.
constexpr int mostOperations = 1 << 13;
constexpr int mostCalls = 1 << 16;
/// Communications that one comes directly behind.
constexpr int mostBehind = 24;
/// Threads of a process that use NCCL.
constexpr int mostThreads = 32;

enum class CallKind {
  Send,
  Receive,
  Broadcast,
  AllReduce,
  Reduce,
  AllGather,
  ReduceScatter
};

inline bool isCollective(CallKind kind) {
  return kind != CallKind::Send && kind != CallKind::Receive;
}

/// Memory of a device of any process.
struct Place {
  int process = -1, device = 0;
  uint64_t offset = 0;
};

struct CallRow {
  CallKind kind;
  ncclDataType_t type;
  ncclRedOp_t reduction;
  /// Root, or the other rank.
  int peer;
  int64_t count;
  /// Among the collectives of the rank in its communicator, or its sends to the
  /// peer, or its receives from it.
  int64_t index;
  /// Among the collectives of its group.
  int position, numInGroup;
  bool isDone;
  Place from, to;
  int next;
};

struct OperationRow {
  /// Zero for a free row.
  uint64_t number;
  int clique, rank, process, device, stream;
  bool isResident, isDone;
  /// It stays on its device for ever, or until it is aborted.
  bool isEndless;
  /// Another process waits for it to start.
  bool isWanted;
  int firstCall, numBehind;
  uint64_t behind[mostBehind];
};

enum class Member { Absent, Joined, Aborted, Gone };

struct MemberRow {
  Member state;
  int process, device;
  /// What ncclCommGetAsyncError says.
  ncclResult_t error;
  /// For ncclCommSplit; two, since some ask while others still read.
  int64_t numSplits;
  int colors[2], keys[2];
};

struct CliqueRow {
  bool isUsed;
  uint64_t key[2];
  int numRanks, numJoined;
  MemberRow members[mostRanks];
};

struct ThreadRow {
  int thread;
  /// Communications that it waits for inside of the driver.
  int numAwaited;
  uint64_t awaited[mostBehind];
};

struct ProcessRow {
  int process;
  int numDevices;
  int files[mostDevices];
  uint64_t spans[mostDevices];
  ThreadRow threads[mostThreads];
};

struct World {
  pthread_mutex_t mutex;
  uint64_t progress, numNumbers, numKeys;
  /// Rows from here on are free.
  int numOperations;
  ProcessRow processes[mostProcesses];
  CliqueRow cliques[mostCliques];
  OperationRow operations[mostOperations];
  CallRow calls[mostCalls];
  int freeCall, numCalls;
};

/// Holds the table; it is made or found when it is asked for first.
class WorldLock {
public:
  WorldLock();
  ~WorldLock();
  WorldLock(const WorldLock &) = delete;
  WorldLock &operator=(const WorldLock &) = delete;

  World *operator->() const { return world; }
  World &operator*() const { return *world; }

private:
  World *world;
};

/// Of this process in the table.
int getProcessSlot();
/// The job whose table it is, as ids of communicators name it.
const std::string &getJob();
/// Uses the table of an id; false if another one is in use.
bool joinJob(const std::string &job);

/// Null if it has ended and was forgotten.
OperationRow *findRow(World &world, uint64_t number);

/// The row and the call of a rank that belong to a call of another.
struct Partner {
  OperationRow *row = nullptr;
  CallRow *call = nullptr;
};
Partner findPartner(World &world, const OperationRow &row, const CallRow &call,
                    int rank);
/// Members whose processes are gone count as aborted, and the others are told.
void noticeEnded(World &world, int clique);
/// The ranks that have a part in a call, without that of the row.
std::vector<int> getPartnerRanks(const World &world, const OperationRow &row,
                                 const CallRow &call);

/// Enters the calls into the table, completes what can be.
void match(World &world, OperationRow &row);
/// Moves the data of a call whose ranks all have started, in rank order.
void transfer(World &world, const std::vector<CallRow *> &calls,
              const std::vector<int> &ranks);
int64_t sizeOf(ncclDataType_t type);
const char *nameOf(ncclDataType_t type);
const char *nameOf(ncclRedOp_t reduction);

/// "allReduce 2 of 64 float32".
std::string describe(const CallRow &call);
/// "rank 1 of communicator 3".
std::string describeRank(const OperationRow &row);
/// With the stream and device.
std::string describe(const World &world, const OperationRow &row);

//===----------------------------------------------------------------------===//
// Communicators of this process
//===----------------------------------------------------------------------===//

struct Communicator {
  int clique = 0, rank = 0, numRanks = 0;
  Device *device = nullptr;
  bool isBlocking = true;
  /// All members have come.
  bool isComplete = false;
  bool isAborted = false, isFinalized = false;
  int64_t numCollectives = 0;
  std::map<int, int64_t> numSends, numReceives;
  OperationRef last;
  std::string lastError;
  /// ncclGroupEnd returned "in progress" for it.
  bool isDelayed = false;
  /// Its making, or its end, never comes to an end.
  bool isNeverMade = false, isNeverFinalized = false;
};

struct CallPlan {
  CallKind kind;
  uint64_t from = 0, to = 0;
  int64_t count = 0;
  ncclDataType_t type = ncclFloat32;
  ncclRedOp_t reduction = ncclSum;
  int peer = 0;

  /// What the rank reads and writes.
  uint64_t getReadBytes(int rank, int numRanks) const;
  uint64_t getWrittenBytes(int rank, int numRanks) const;
};

/// The calls of one communicator between the begin and the end of a group.
struct GroupPlan {
  std::shared_ptr<Communicator> communicator;
  std::vector<CallPlan> calls;
  std::vector<Stream *> streams;
  bool isEndless = false;
};

class NcclCall : public Call {
public:
  using Call::Call;
  ncclResult_t check() const;
  /// Ends the process if it was destroyed.
  std::shared_ptr<Communicator> get(ncclComm_t handle) const;
};

std::map<ncclComm_t, std::shared_ptr<Communicator>> &getCommunicators();
bool isInGroup();
/// Runs at the end of the group: members of a thread join together.
void delayJoin(std::shared_ptr<Communicator> communicator);
/// Waits until all members have come.
void awaitMembers(const std::vector<std::shared_ptr<Communicator>> &waiting);
/// Whether all have; takes note of it.
bool hasAllMembers(Communicator &communicator);
/// Enters a call, or keeps it for the end of the group.
ncclResult_t enterCall(const NcclCall &call, ncclComm_t handle, CallPlan plan,
                       cudaStream_t stream);

/// This thread uses NCCL.
void noteThread();
/// From now on what other processes wait for is done here, whatever the program
/// does: a device goes on without its host.
void startHelper();

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_NCCLWORLD_H
