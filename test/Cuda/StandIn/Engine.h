//===- Engine.h - Streams, events and what runs when ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that is entered into a stream becomes an operation that waits for its
// turn. No thread belongs to a device: operations run inside of the calls that
// the program makes, and the seed says which ones of those that CUDA allows.
// What a call waits for runs first; the rest may come much later, or never.
//
// One lock guards everything; entry points hold it (see Calls.h).

#ifndef HETERO_TEST_CUDA_STANDIN_ENGINE_H
#define HETERO_TEST_CUDA_STANDIN_ENGINE_H

#include "Memory.h"
#include "Settings.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <unordered_map>

namespace hetero::standin {

struct Stream;
struct Device;
struct Capture;
struct GroupPlan;

/// What an operation does when its turn has come.
struct Work {
  /// "copy of 64 bytes to the host", for messages.
  std::string name;
  /// Is given who acts, for messages. Null if there is nothing to do.
  std::function<void(const std::string &who)> run;
  /// Calls the host: without the lock, and no entry point may be used there.
  bool isCallback = false;
  /// What NCCL does, instead of `run`.
  std::shared_ptr<GroupPlan> plan;
  /// Memory of the host that it uses when it runs.
  const char *host = nullptr;
  uint64_t hostBytes = 0;
  /// Whether it writes there.
  bool isHostWritten = false;
  /// It moves bytes, whatever they are: also those that nobody has written.
  bool isTransfer = false;
};

enum class State { Queued, Running, Resident, Done };

struct Operation {
  uint64_t number = 0;
  Work work;
  Stream *stream = nullptr;
  State state = State::Queued;
  std::vector<std::shared_ptr<Operation>> waits;
  /// Those that have this one among their waits.
  std::vector<Operation *> followers;
  /// How many of the waits are not done, and one more until it is the first of
  /// its stream.
  int numOpen = 0;
  /// Where it is among all, also when it is done.
  std::shared_ptr<const Moment> moment;
  /// Its number among the communications of all ranks; zero for others.
  uint64_t communication = 0;
  /// The nearest communications that have to end before it begins.
  std::set<uint64_t> behind;

  bool isDone() const { return state == State::Done; }
  /// "kernel 'loop_0' (operation 7, stream 2 of device 0)".
  std::string describe() const;
};

using OperationRef = std::shared_ptr<Operation>;

/// Operations that somebody waits for, with what has to happen before.
struct Need {
  std::vector<OperationRef> operations;
  /// What was found to be needed, without what is done.
  std::vector<OperationRef> open;
};

struct Stream {
  int number = 0;
  Device *device = nullptr;
  /// Waits for the NULL stream, and that for it.
  bool isBlocking = false;
  bool isDestroyed = false;
  std::deque<OperationRef> queue;
  OperationRef last;
  /// How likely it is to run when nobody asks for it.
  int haste = 1;
  std::shared_ptr<Capture> capture;
};

struct Event {
  int number = 0;
  Device *device = nullptr;
  bool hasTime = true;
  OperationRef recorded;
  /// In a capture: the node that it stands for.
  std::shared_ptr<Capture> capture;
  size_t node = 0;
};

struct Device {
  Device(int number, const DeviceKind &kind, uint64_t seed)
      : number(number), kind(kind), memory(number, kind.bytes, seed) {}

  const int number;
  const DeviceKind kind;
  Memory memory;
  int64_t numCalls = 0, numContexts = 0;
  bool isLost = false;
  /// A communication was aborted.
  bool isCutShort = false;
  /// The error that a kernel has left: nothing runs any more.
  int sickness = 0;
  /// Communications that have begun and not ended.
  int numResident = 0;
  /// The NULL stream is the first.
  std::vector<std::unique_ptr<Stream>> streams;
};

class Engine {
public:
  /// Reads the settings when it is called first.
  static Engine &get();

  /// What CUDA leaves open is drawn anew, for a process that was forked.
  void setSeed(uint64_t seed, Order order);

  std::mutex mutex;
  Settings settings;
  std::vector<std::unique_ptr<Device>> devices;
  PinnedMemory pinned;
  bool isInitialized = false;

  Stream *createStream(Device &device, bool isBlocking);
  void destroyStream(Stream &stream);
  /// Ends the process if the stream is none.
  Stream &getStream(void *handle, Device &device, const std::string &who);

  /// The operation has its turn after everything in the stream, and `waits`.
  OperationRef enter(Stream &stream, Work work,
                     std::vector<OperationRef> waits = {});
  /// Runs what the seed chooses, at the begin of each call.
  void drift();
  /// Runs until the operations are done, and no more than they need.
  void wait(const std::vector<OperationRef> &operations,
            const std::string &who);
  /// Whether they are done; being asked often enough brings them about.
  bool poll(const std::vector<OperationRef> &operations,
            const std::string &who);
  /// The host knows that they are done.
  void observe(const std::vector<OperationRef> &operations);
  /// The last operation of each stream, done or not.
  std::vector<OperationRef> getLast(const Device &device) const;
  /// Does one thing that is needed; false if there is none.
  bool step(Need &need);
  /// Takes note of communications that ended.
  void refresh();

  /// Whether an operation that has not run uses this memory of the host.
  bool isHostBusy(const char *memory, uint64_t bytes) const;
  bool flip() { return random() & 1; }
  uint64_t draw(uint64_t limit) { return random() % limit; }
  /// The device of an address; null if there is none.
  Device *findDevice(uint64_t address) const;
  OperationRef findCommunication(uint64_t number) const;
  void log(const std::string &line);
  /// Waits a little for what other threads do.
  void rest();
  void notifyAll() { changed.notify_all(); }
  uint64_t getProgress() const { return progress; }
  /// The queue of a communicator's operation that was aborted goes on.
  void finish(const OperationRef &operation);

private:
  explicit Engine(Settings settings);

  void seed();
  bool isRunnable(const Operation &operation) const;
  void becomeOpen(Operation &operation);
  void becomeLessOpen(Operation &operation);
  std::vector<OperationRef> getRunnable() const;
  void run(const OperationRef &operation);
  void endMoment();
  OperationRef choose(std::vector<OperationRef> runnable);
  void collect(const OperationRef &operation, std::set<const void *> &seen,
               std::vector<OperationRef> &needed) const;

  std::condition_variable changed;
  std::mt19937_64 random;
  uint64_t numOperations = 0, progress = 0;
  int numStreams = 0;
  std::vector<std::unique_ptr<Stream>> graveyard;
  /// Operations that wait for nothing, but perhaps for a channel: by device and
  /// stream, so that the choice depends on the seed alone.
  std::map<std::pair<int, int>, Operation *> ready;
  Orders orders;
  std::unordered_map<uint64_t, OperationRef> communications;
};

/// What the engine asks of NCCL's half. Numbers are those of communications.
namespace communication {
/// Numbers it and makes it known to the other ranks.
uint64_t enter(const Operation &operation);
/// It occupies its device from now on.
void start(const Operation &operation);
bool isDone(uint64_t number);
/// Those that have to start before it ends, and are known.
std::vector<uint64_t> getPartners(uint64_t number);
/// Ends the process if some can never end.
void checkDeadlock();
/// A sentence on why it has not ended.
std::string explain(uint64_t number);
/// What a rank entered ends without its partners: it has aborted.
void drop(int clique, int rank);
/// Ends the process if this thread has a group with calls that is not ended:
/// who waits then may wait for those.
void checkGroup(const std::string &who);
/// This thread waits for them inside of the driver; none when it goes on.
void noteAwaited(const std::vector<uint64_t> &numbers);
/// Changes whenever any rank does something.
uint64_t getProgress();
} // namespace communication

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_ENGINE_H
