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
  /// As write, of what the host always has.
  virtual MaybeError writeConstant(void *to, const void *from, int64_t bytes) {
    return write(to, from, bytes);
  }
  /// sum[i] := sum[i] op value[i], see hetero/Runtime/Elements.h.
  virtual MaybeError accumulate(Reduction reduction, ElementType type,
                                const void *value, void *sum, int64_t count);

  //===--------------------------------------------------------------------===//
  // Steps. A device may do later what it is given: then it does it in that
  // order, and the host goes on. Only `read`, `synchronize` and a third step
  // that is under way make the host wait.
  //===--------------------------------------------------------------------===//

  /// Is asked whenever the host waits: why the run has ended, if it has.
  void setFailureCheck(std::function<MaybeError()> check) {
    failureCheck = std::move(check);
  }
  /// Returns when everything has been done, or the run has ended.
  virtual MaybeError synchronize() { return std::nullopt; }
  /// What has gone wrong since, without waiting. Others find out only when they
  /// wait for the device.
  virtual MaybeError check() { return std::nullopt; }
  /// Gives back what the device has, before its end: nothing is asked of it
  /// afterwards. The error is the first that nobody was told.
  virtual MaybeError close() { return std::nullopt; }
  /// What was given since the last call is a step.
  virtual MaybeError endStep() { return std::nullopt; }

  /// Lets the device learn from a step that computes nothing what steps need:
  /// `step` makes the calls of one, which have no effect here, and after it no
  /// block is in use.
  virtual MaybeError rehearse(const std::function<MaybeError()> &step) {
    return std::nullopt;
  }

  /// What a device was given between `beginRecording` and `endRecording`; it
  /// was not done then, but is whenever it is replayed.
  class Recording {
  public:
    virtual ~Recording() = default;
  };
  virtual bool canRecord() const { return false; }
  virtual MaybeError beginRecording() { return "recording is not supported"; }
  virtual Result<std::unique_ptr<Recording>> endRecording() {
    return Error{"recording is not supported"};
  }
  virtual MaybeError replay(Recording &recording) { return std::nullopt; }

  /// A point in what the device does, on a clock of its own; `toTraceTime`
  /// says when it was, after `synchronize`. On the host, marks are times.
  virtual int64_t mark();
  virtual int64_t toTraceTime(int64_t mark) { return mark; }
  /// Marks follow, until the next `synchronize`.
  virtual MaybeError beginMarks() { return std::nullopt; }

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

  /// Which blocks are in use and where they lie, as one number.
  uint64_t getLayout() const;
  /// A block in use.
  struct Held {
    void *memory;
    int64_t bytes;
    std::string label;
  };
  std::vector<Held> getHeld() const;
  /// What came and what went between two layouts.
  struct LayoutChange {
    std::vector<Held> gone, come;
  };
  static LayoutChange compare(const std::vector<Held> &before,
                              const std::vector<Held> &after);
  /// The layout is the one from before the change, and then that after it.
  void apply(const LayoutChange &change);

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
  /// Memory for a block, aligned to 64; null if there is none, for which
  /// `whyNoMore` gives the reason. The mutex is held.
  virtual void *place(int64_t bytes);
  virtual void unplace(void *memory, int64_t bytes);
  /// Where a recording has it.
  virtual void placeAt(void *memory, int64_t bytes) {}
  virtual std::string whyNoMore() const { return "the system has no more"; }
  /// Gives everything back, before the derived device is gone.
  void releaseAll();
  MaybeError getFailure() const {
    return failureCheck ? failureCheck() : std::nullopt;
  }
  /// Keeps an error for `takeError`, unless there is one.
  void keepError(std::string message);

private:
  struct Block {
    int64_t bytes;
    std::string label;
  };

  std::string describeOverrun(int64_t bytes, const std::string &label) const;
  /// The blocks in use, the largest first; with the mutex held.
  std::vector<Use> getUses() const;
  void *take(int64_t bytes, const std::string &label);
  void use(void *memory, int64_t bytes, const std::string &label);
  void drop(std::unordered_map<void *, Block>::iterator block);
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
  uint64_t layout = 0;
  std::function<MaybeError()> failureCheck;
  std::unique_ptr<ThreadPool> pool;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_DEVICE_H
