//===- Machine.h - Runs the threads of a grid -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_PTX_MACHINE_H
#define HETERO_TEST_CUDA_PTX_MACHINE_H

#include "Fiber.h"
#include "PtxThread.h"
#include "Races.h"
#include "StandIn/Kernels.h"
#include "Translate.h"
#include <deque>
#include <optional>

namespace hetero::standin::ptx {

/// A module that has been loaded, as launches use it.
struct LoadedModule {
  Translation translation;
  /// The lines of the text, for what is said about them.
  std::vector<std::string> lines;
  /// The variables of the module.
  std::vector<char> memory;
};

/// Numbers that depend on the seed alone.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  size_t below(size_t count) { return next() % count; }
  /// The numbers below the count in any order.
  std::vector<uint32_t> permutation(size_t count);

private:
  uint64_t state;
};

class Machine {
public:
  Machine(LoadedModule &module, const TranslatedKernel &kernel, ptx_kernel code,
          const Launch &launch, DeviceMemory &memory);
  ~Machine();

  /// What is wrong with the program, or nothing.
  std::string run();
  uint64_t getNumInstructions() const { return numInstructions; }

private:
  enum class State { Ready, AtBarrier, AtCollective, Ended };
  struct Thread {
    /// The first member, so that the code's pointer to it is one to the thread.
    ptx_thread code;
    Machine *machine;
    uint32_t index;
    State state;
    // What it waits for.
    uint32_t line;
    uint32_t barrier;
    bool isAligned;
    int what;
    uint32_t mask;
    uint64_t value;
    uint32_t lane;
    uint32_t clamp;
    // What the collective gives it.
    uint64_t result;
    bool predicate;
    std::vector<char> local;
    std::unique_ptr<Fiber> fiber;
  };
  struct Waiters {
    uint32_t line = 0;
    uint32_t count = 0;
  };

  std::string checkLaunch() const;
  void runBlock(uint32_t block);
  void runWaiting(uint32_t block);
  static void runThread(void *thread);
  static void runLoop(void *machine);
  void beginBlock(uint32_t block);
  void beginThread(Thread &thread, uint32_t index);
  void resume(Thread &thread);
  void makeReady(Thread &thread);
  /// Nothing on the thread's stack is destroyed: `what` has to be all that
  /// owns memory there, and is taken.
  [[noreturn]] void fail(const Thread &thread, uint32_t line,
                         std::string &&what);
  std::string position(const Thread &thread) const;
  std::string coordinates(const Thread &thread) const;
  std::string instruction(uint32_t line) const;

  // What translated code calls.
  static Machine &of(ptx_thread *code);
  static char *access(ptx_thread *code, int space, uint64_t address,
                      uint32_t bytes, int how, uint32_t line);
  static uint64_t collective(ptx_thread *code, int what, uint32_t mask,
                             uint64_t value, uint32_t lane, uint32_t clamp,
                             uint8_t *predicate, uint32_t line);
  static void barrier(ptx_thread *code, uint32_t index, uint32_t count,
                      int isAligned, uint32_t line);
  static uint64_t enter(ptx_thread *code, uint32_t bytes, uint32_t line);
  static void failCode(ptx_thread *code, const char *what, uint32_t line);

  // Memory.
  char *accessGlobal(Thread &thread, uint64_t address, uint32_t bytes, int how,
                     uint32_t line);
  char *accessModule(Thread &thread, uint64_t address, uint32_t bytes, int how,
                     uint32_t line);
  char *accessShared(Thread &thread, uint64_t address, uint32_t bytes, int how,
                     uint32_t line);
  char *accessLocal(Thread &thread, uint64_t address, uint32_t bytes, int how,
                    uint32_t line);
  char *accessParameters(Thread &thread, uint64_t address, uint32_t bytes,
                         int how, uint32_t line);
  void checkRaces(Races &races, Thread &thread, uint64_t address,
                  uint32_t bytes, int how, uint32_t line, const char *place);
  void settle();
  const char *who(Thread &thread, uint32_t line);

  // Waiting.
  void releaseBarrier(uint32_t index);
  void tryCollective(Thread &thread);
  void finishCollective(const std::vector<Thread *> &members);
  void finishShuffle(const std::vector<Thread *> &members);
  void finishVote(const std::vector<Thread *> &members);
  void finishMatch(const std::vector<Thread *> &members);
  void finishReduction(const std::vector<Thread *> &members);
  std::string explainDeadlock();
  std::string explainCollective(const Thread &thread);
  std::string explainBarrier(const Thread &thread);

  LoadedModule &module;
  const TranslatedKernel &kernel;
  ptx_kernel code;
  const Launch &launch;
  DeviceMemory &memory;
  Random random;
  uint32_t numThreads;
  uint32_t numBlocks;
  uint32_t block = 0;
  std::vector<char> parameters;
  std::vector<char> shared;
  /// Of each byte of shared memory: outside, there, written.
  std::vector<uint8_t> sharedStates;
  std::vector<uint32_t> blockOrder;
  std::vector<uint32_t> threadOrder;
  std::deque<Thread> threads;
  std::vector<Thread *> ready;
  uint32_t barriers = 0;
  std::vector<uint32_t> arrivals;
  Order order;
  std::optional<Races> globalRaces;
  std::optional<Races> sharedRaces;
  /// Two threads write to one place, which is a failure if it changes.
  struct Suspicion {
    const char *place = nullptr;
    std::vector<char> before;
    std::string message;
  };
  std::optional<Suspicion> suspicion;
  Thread *running = nullptr;
  std::string failure;
  uint64_t numInstructions = 0;
  /// The thread that `description` names.
  const Thread *described = nullptr;
  char description[512];
  size_t descriptionBytes = 0;
};

/// Whether races are looked for; see setRaceChecks.
bool areRacesChecked();

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_MACHINE_H
