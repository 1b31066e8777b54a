//===- Interrupt.h - A user who wants to stop -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_HETERO_RUN_INTERRUPT_H
#define HETERO_TOOLS_HETERO_RUN_INTERRUPT_H

#include "hetero/Tools/StepExecutable.h"
#include <atomic>
#include <thread>

namespace hetero {

/// As long as it lives, the first SIGINT ends the step that is under way on all
/// ranks. The second ends the process.
class Interrupt {
public:
  explicit Interrupt(StepExecutable &step);
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// Whether there was one.
  static bool hasHappened();

private:
  std::atomic<bool> done{false};
  std::thread thread;
};

} // namespace hetero

#endif // HETERO_TOOLS_HETERO_RUN_INTERRUPT_H
