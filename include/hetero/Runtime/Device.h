//===- Device.h - Memory and threads of one device --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that keeps its memory on the host, and what other devices have in
// common with it (hetero/Runtime/CudaDevice.h). It counts every byte that is in
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

#ifndef HETERO_RUNTIME_DEVICE_H
#define HETERO_RUNTIME_DEVICE_H

#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Program.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace hetero::runtime {

class CudaDevice;
class ThreadPool;

class Device {
public:
  /// Without a cap everything is given that the system has.
  explicit Device(std::string name, std::optional<int64_t> cap = std::nullopt,
                  unsigned numThreads = 1);
  virtual ~Device();
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

  /// The first error of a kernel, or of `allocateWorkspace`, since it was last
  /// asked for.
  MaybeError takeError();

  /// Copies from the host to memory of the device, back, and within.
  virtual MaybeError write(void *to, const void *from, int64_t bytes);
  virtual MaybeError read(void *to, const void *from, int64_t bytes);
  virtual MaybeError copy(void *to, const void *from, int64_t bytes);
  /// sum[i] := sum[i] op value[i], see hetero/Runtime/Elements.h.
  virtual MaybeError accumulate(Reduction reduction, ElementType type,
                                const void *value, void *sum, int64_t count);
  /// Returns when everything has been done, or `getFailure` gives an error.
  virtual MaybeError
  synchronize(const std::function<MaybeError()> &getFailure) {
    return std::nullopt;
  }
  /// Whether the host can read and write its memory.
  virtual bool isHost() const { return true; }
  /// This, if it is one.
  virtual CudaDevice *asCuda() { return nullptr; }

  const std::string &getName() const { return name; }
  std::optional<int64_t> getCap() const { return cap; }
  ThreadPool &getThreadPool() { return *pool; }

  /// Bytes in use, as asked for.
  int64_t getLiveBytes() const;
  /// The most there ever were, or since the last `resetPeak`.
  int64_t getPeakBytes() const;
  void resetPeak();
  /// A block of memory that is or was in use.
  struct Use {
    int64_t bytes;
    std::string label;
  };
  /// From now on what is in use at the peak is remembered, which takes time
  /// whenever there is a new one.
  void trackPeak();
  /// What was in use at the peak, the largest first; nothing without
  /// `trackPeak`.
  std::vector<Use> getPeakUses() const;
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

protected:
  /// Memory from the system, of a size class and aligned to 64; null if it has
  /// no more.
  virtual void *takeFromSystem(int64_t bytes);
  virtual void giveToSystem(void *memory);
  /// Gives everything back, before the derived device is gone.
  void releaseAll();
  /// Keeps an error for `takeError`, unless there is one.
  void keepError(std::string message);

private:
  struct Block {
    int64_t bytes;
    int64_t capacity;
    std::string label;
  };

  std::string describeOverrun(int64_t bytes, const std::string &label) const;
  /// The blocks in use, the largest first; with the mutex held.
  std::vector<Use> getUses() const;
  void *take(int64_t bytes, const std::string &label);
  void trim();

  const std::string name;
  const std::optional<int64_t> cap;
  mutable std::mutex mutex;
  std::unordered_map<void *, Block> live;
  /// By capacity.
  std::map<int64_t, std::vector<void *>> cached;
  int64_t liveBytes = 0, peakBytes = 0, cachedBytes = 0, systemBlocks = 0;
  bool tracksPeak = false;
  /// The blocks in use are those of the peak, and have not been remembered.
  bool isAtPeak = false;
  std::vector<Use> peakUses;
  MaybeError workspaceError;
  std::unique_ptr<ThreadPool> pool;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_DEVICE_H
