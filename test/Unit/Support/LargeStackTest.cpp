//===- LargeStackTest.cpp - Tests of the large stack ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/LargeStack.h"
#include "llvm/Support/Compiler.h"
#include "gtest/gtest.h"
#include <csignal>

using namespace hetero;

/// Uses about a kilobyte of stack a level.
LLVM_ATTRIBUTE_NOINLINE static unsigned recurse(unsigned depth) {
  volatile char frame[1024];
  frame[depth % sizeof(frame)] = 1;
  if (depth == 0)
    return frame[0];
  return recurse(depth - 1) + frame[depth % sizeof(frame)];
}

TEST(LargeStack, ReturnsTheResult) {
  EXPECT_EQ(runOnLargeStack([] { return 42; }), 42);
  EXPECT_EQ(runOnLargeStack([] { return 43; }), 43);
}

TEST(LargeStack, HasRoomFarBeyondTheUsualStack) {
  EXPECT_EQ(runOnLargeStack([] { return int(recurse(50000)); }), 50001);
}

#if !LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD
TEST(LargeStackDeathTest, ExhaustionIsAnErrorWithCodeOne) {
  EXPECT_EXIT(runOnLargeStack([] { return int(recurse(~0u)); }),
              testing::ExitedWithCode(1), "the stack is exhausted");
}

TEST(LargeStackDeathTest, OtherFaultsStayFaults) {
  EXPECT_EXIT(runOnLargeStack([] {
                signal(SIGSEGV, SIG_DFL);
                return raise(SIGSEGV);
              }),
              testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(runOnLargeStack([] { return *(volatile int *)8; }),
              testing::KilledBySignal(SIGSEGV), "");
}
#endif
