//===- ThreadPool.cpp - Loops on several threads --------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Runtime/ThreadPool.h"
#include "hetero/Runtime/Device.h"
#include "hetero/Runtime/Hooks.h"
#include <algorithm>

using namespace hetero::runtime;

/// Whether this thread is inside of a body.
static thread_local bool insideLoop = false;

ThreadPool::ThreadPool(unsigned numThreads)
    : numThreads(std::max(1u, numThreads)) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
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

void ThreadPool::work(unsigned index) {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    started.wait(lock, [&] { return stopping || generation != seen; });
    if (stopping)
      return;
    seen = generation;
    lock.unlock();
    runPiece(index);
    lock.lock();
    if (--numRunning == 0)
      finished.notify_one();
  }
}

void ThreadPool::parallelFor(int64_t n, Body newBody, void *newContext) {
  if (n <= 0)
    return;
  if (numThreads == 1 || n == 1 || insideLoop)
    return newBody(0, n, newContext);
  {
    std::lock_guard<std::mutex> lock(mutex);
    size = n;
    body = newBody;
    context = newContext;
    numRunning = numThreads - 1;
    ++generation;
    if (workers.empty()) {
      // Temporaries of a body count for the device of the loop.
      Device *device = Device::getCurrent();
      for (unsigned i = 1; i < numThreads; ++i)
        workers.emplace_back([this, i, device] {
          Device::Scope scope(device);
          work(i);
        });
    }
  }
  started.notify_all();
  runPiece(0);
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return numRunning == 0; });
}

extern "C" void hetero_parallel_for(int64_t n,
                                    void (*body)(int64_t begin, int64_t end,
                                                 void *context),
                                    void *context) {
  if (Device *device = Device::getCurrent())
    return device->getThreadPool().parallelFor(n, body, context);
  if (n > 0)
    body(0, n, context);
}
