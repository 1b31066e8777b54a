//===- Fiber.h - Stacks that one thread switches between --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_PTX_FIBER_H
#define HETERO_TEST_CUDA_PTX_FIBER_H

#include <cstddef>
#include <memory>

namespace hetero::standin::ptx {

/// Runs a function on a stack of its own, which may stop in between. It can be
/// started again when the function has returned, or even when it has not: what
/// was on the stack is then lost.
class Fiber {
public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber &) = delete;

  /// The next resume() calls the function.
  void start(void (*function)(void *), void *argument);
  /// Returns when the function does or when it suspends.
  void resume();
  /// Of the fiber that runs: back to who resumed it.
  void suspend();

private:
  struct Implementation;
  static void enter();
  std::unique_ptr<Implementation> implementation;
};

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_FIBER_H
