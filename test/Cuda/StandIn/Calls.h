//===- Calls.h - What every entry point does first --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry point holds the lock of the engine, is counted, and fails if the
// settings say so; then the engine may run whatever it likes.

#ifndef HETERO_TEST_CUDA_STANDIN_CALLS_H
#define HETERO_TEST_CUDA_STANDIN_CALLS_H

#include "Engine.h"
#include <chrono>
#include <cuda.h>

namespace hetero::standin {

enum class Fate { Works, Fails, NeverEnds, DeviceIsLost };

class Call {
public:
  /// `function` is the entry point's name, with the headers' "_v2".
  explicit Call(const char *function, bool doesDrift = true);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  const std::string &getName() const { return name; }
  Fate getFate() const { return fate; }
  /// Whether it has to return an error.
  bool hasFailed() const {
    return fate == Fate::Fails || fate == Fate::DeviceIsLost;
  }
  /// Of the current context; null if there is none.
  Device *getDevice() const { return device; }

protected:
  Engine &engine;
  std::string name;
  Device *device = nullptr;
  Fate fate = Fate::Works;
};

/// An entry point of the driver.
class DriverCall : public Call {
public:
  using Call::Call;

  /// What it has to return at once; zero to go on.
  CUresult check(bool needsContext = true) const;
  /// What it has to return after it has waited for the device.
  CUresult checkDevice() const;
};

/// The devices of the contexts that are current in this thread, the last one on
/// top.
std::vector<Device *> &getContexts();

/// While the host's function runs that was entered into a stream.
class CallbackScope {
public:
  CallbackScope();
  ~CallbackScope();
};

/// Says when nothing has happened for long.
class Patience {
public:
  bool isOver(double seconds);

private:
  uint64_t seen = 0;
  std::chrono::steady_clock::time_point since;
  bool isFirst = true;
};

void openLogs(const Settings &settings);
void writeLog(const std::string &line);
/// Counts start anew, under this name.
void mark(const std::string &name);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_CALLS_H
