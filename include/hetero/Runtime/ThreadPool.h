//===- ThreadPool.h - Loops on several threads ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of one device, for `hetero_parallel_for`. The range is cut into
// one piece a thread, always in the same places, so that results do not depend
// on timing. The calling thread does the first piece. Kernels run one loop
// after the other, so a thread that has nothing to do looks for the next one
// for a short while before it sleeps.

#ifndef HETERO_RUNTIME_THREADPOOL_H
#define HETERO_RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace hetero::runtime {

class ThreadPool {
public:
  using Body = void (*)(int64_t begin, int64_t end, void *context);

  /// `numThreads` counts the calling thread; workers start with the first loop.
  explicit ThreadPool(unsigned numThreads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned getNumThreads() const { return numThreads; }

  /// Calls `body` for every piece of [0, n) and returns when all are done. One
  /// loop at a time; a loop inside of a body runs on its own thread.
  void parallelFor(int64_t n, Body body, void *context);

private:
  void work(unsigned index);
  void runPiece(unsigned index);

  const unsigned numThreads;
  std::mutex mutex;
  std::condition_variable started, finished;
  std::vector<std::thread> workers;
  /// The loop under way.
  int64_t size = 0;
  Body body = nullptr;
  void *context = nullptr;
  std::atomic<uint64_t> generation{0};
  std::atomic<unsigned> numRunning{0};
  bool stopping = false;
};

/// The processors that this thread may use, in order; empty where that is not
/// known.
std::vector<int> getProcessors();

/// Holds this thread, and those that it starts from now on, to the processors.
/// Returns false if they cannot be had.
bool holdTo(const std::vector<int> &processors);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_THREADPOOL_H
