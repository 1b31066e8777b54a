//===- Device.h - Memory and threads of one device --------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that keeps its memory on the host. It counts every byte that is in
// use, refuses to go beyond its cap, and says what uses the memory when it
// does: a plan that would not fit on the real device does not run here either.
//
// Blocks that are given back are kept for the next request of their size class,
// so that the second step asks the system for nothing. They do not count as in
// use, and they are returned to the system when they would stand in the way of
// the cap. Classes are a quarter of a power of two apart, so at most a fifth of
// a block is unused.
//
//   Device device("a100 0", /*cap=*/int64_t(40) << 30, /*numThreads=*/2);
//   Result<void *> memory = device.allocate(4096, "forward 0");
//   ...
//   device.release(*memory);
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_RUNTIME_DEVICE_H
#define HETERO_RUNTIME_DEVICE_H

#include "hetero/Runtime/Error.h"
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace hetero::runtime {

class ThreadPool;

class Device {
public:
  /// Without a cap everything is given that the system has.
  explicit Device(std::string name, std::optional<int64_t> cap = std::nullopt,
                  unsigned numThreads = 1);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// At least `bytes`, aligned to 64, never null (zero bytes have an address as
  /// well). `label` says for what; it is copied. The error names the cap, what
  /// was asked for, and the largest blocks in use.
  Result<void *> allocate(int64_t bytes, const std::string &label);

  /// As `allocate`, but over the cap as well: the error is kept for
  /// `takeError`. For temporaries of kernels, which cannot stop.
  void *allocateWorkspace(int64_t bytes);

  /// Ends a block of `allocate` or `allocateWorkspace`; null is allowed.
  void release(void *memory);

  /// The first error of `allocateWorkspace` since it was last asked for.
  MaybeError takeError();

  const std::string &getName() const { return name; }
  std::optional<int64_t> getCap() const { return cap; }
  ThreadPool &getThreadPool() { return *pool; }

  /// Bytes in use, as asked for.
  int64_t getLiveBytes() const;
  /// The most there ever were, or since the last `resetPeak`.
  int64_t getPeakBytes() const;
  void resetPeak();
  /// Bytes that are kept for later.
  int64_t getCachedBytes() const;
  /// Blocks that came from the system, ever: constant from step to step.
  int64_t getNumSystemBlocks() const;

  /// What kernels on this thread use; null if there is none.
  static Device *getCurrent();

  /// Makes a device current on this thread as long as it lives.
  class Scope {
  public:
    explicit Scope(Device *device);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Device *previous;
  };

private:
  struct Block {
    int64_t bytes;
    int64_t capacity;
    std::string label;
  };

  std::string describeOverrun(int64_t bytes, const std::string &label) const;
  void *take(int64_t bytes, const std::string &label);
  void trim();

  const std::string name;
  const std::optional<int64_t> cap;
  mutable std::mutex mutex;
  std::unordered_map<void *, Block> live;
  /// By capacity.
  std::map<int64_t, std::vector<void *>> cached;
  int64_t liveBytes = 0, peakBytes = 0, cachedBytes = 0, systemBlocks = 0;
  MaybeError workspaceError;
  std::unique_ptr<ThreadPool> pool;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_DEVICE_H
