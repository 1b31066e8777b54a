//===- ThreadPool.cpp - Loops on several threads --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/ThreadPool.h"
#include "hetero/Runtime/Device.h"
#include "hetero/Runtime/Hooks.h"
#include <algorithm>
#ifdef __linux__
#include <sched.h>
#endif

using namespace hetero::runtime;

/// Whether this thread is inside of a body.
static thread_local bool insideLoop = false;

/// How often a thread looks for work before it sleeps: some ten microseconds.
static constexpr int kSpins = 2000;

static void pauseShortly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

ThreadPool::ThreadPool(unsigned numThreads)
    : numThreads(std::max(1u, numThreads)) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    ++generation;
  }
  started.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::runPiece(unsigned index) {
  // Without the product of n and the index, which may not fit.
  int64_t share = size / numThreads, rest = size % numThreads;
  int64_t begin = share * index + std::min<int64_t>(index, rest);
  int64_t end = begin + share + (index < rest ? 1 : 0);
  insideLoop = true;
  if (begin < end)
    body(begin, end, context);
  insideLoop = false;
}

/// Waits for `isDone`, which others make true with the mutex held, at first
/// without sleeping.
template <typename Condition>
static void await(std::mutex &mutex, std::condition_variable &changed,
                  Condition isDone) {
  for (int i = 0; i < kSpins; ++i) {
    if (isDone())
      return;
    pauseShortly();
  }
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, isDone);
}

void ThreadPool::work(unsigned index) {
  uint64_t seen = 0;
  while (true) {
    await(mutex, started, [&] { return generation != seen; });
    seen = generation;
    if (stopping)
      return;
    runPiece(index);
    if (--numRunning == 0) {
      std::lock_guard<std::mutex> lock(mutex);
      finished.notify_one();
    }
  }
}

void ThreadPool::parallelFor(int64_t n, Body newBody, void *newContext) {
  if (n <= 0)
    return;
  if (numThreads == 1 || n == 1 || insideLoop)
    return newBody(0, n, newContext);
  size = n;
  body = newBody;
  context = newContext;
  numRunning = numThreads - 1;
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++generation;
  }
  started.notify_all();
  // Temporaries of a body count for the device of the loop.
  Device *device = Device::getCurrent();
  for (unsigned i = workers.size() + 1; i < numThreads; ++i)
    workers.emplace_back([this, i, device] {
      Device::Scope scope(device);
      work(i);
    });
  runPiece(0);
  await(mutex, finished, [&] { return numRunning == 0; });
}

#ifdef __linux__
std::vector<int> hetero::runtime::getProcessors() {
  cpu_set_t set;
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set))
      processors.push_back(i);
  return processors;
}

bool hetero::runtime::holdTo(const std::vector<int> &processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors)
    if (processor >= 0 && processor < CPU_SETSIZE)
      CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}
#else
std::vector<int> hetero::runtime::getProcessors() { return {}; }

bool hetero::runtime::holdTo(const std::vector<int> &processors) {
  return false;
}
#endif

extern "C" void hetero_parallel_for(int64_t n,
                                    void (*body)(int64_t begin, int64_t end,
                                                 void *context),
                                    void *context) {
  if (Device *device = Device::getCurrent())
    return device->getThreadPool().parallelFor(n, body, context);
  if (n > 0)
    body(0, n, context);
}
