//===- Interrupt.cpp - A user who wants to stop ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Interrupt.h"
#include "llvm/Support/Signals.h"
#include <chrono>

using namespace hetero;

static std::atomic<bool> happened{false};

bool Interrupt::hasHappened() { return happened; }

Interrupt::Interrupt(StepExecutable &step)
    : thread([this, &step] {
        // What a signal handler may do is set a flag.
        while (!done && !happened)
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (happened && !done)
          step.abort("interrupted");
      }) {
  llvm::sys::SetInterruptFunction([] { happened = true; });
}

Interrupt::~Interrupt() {
  done = true;
  thread.join();
  llvm::sys::SetInterruptFunction(nullptr);
}
