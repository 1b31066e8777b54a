//===- Fiber.cpp - Switches stacks ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fiber.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#if !defined(__x86_64__) || defined(HETERO_PTX_UCONTEXT)
#include <ucontext.h>
#else
#define HETERO_PTX_SWITCH 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define HETERO_PTX_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define HETERO_PTX_TSAN 1
#endif
#endif

#ifdef HETERO_PTX_SWITCH
// Leaves the registers that a function keeps on the old stack, and takes those
// on the new one.
asm(R"(
  .text
  .p2align 4
  .local hetero_ptx_switch
  .type hetero_ptx_switch, @function
hetero_ptx_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .size hetero_ptx_switch, . - hetero_ptx_switch
)");
extern "C" void hetero_ptx_switch(void **from, void *to);
#endif

namespace hetero::standin::ptx {

// Threads of kernels have few variables; what the host does for them needs
// more, in the worst case to print why it ends.
constexpr size_t stackBytes = 256 * 1024;

struct Fiber::Implementation {
  char *stack = nullptr;
  size_t pageBytes = 0;
  void (*function)(void *) = nullptr;
  void *argument = nullptr;
#ifdef HETERO_PTX_SWITCH
  void *inside = nullptr;
  void *outside = nullptr;
#else
  ucontext_t inside;
  ucontext_t outside;
#endif
#ifdef HETERO_PTX_ASAN
  const void *outsideStack = nullptr;
  size_t outsideBytes = 0;
  void *outsideFake = nullptr;
  void *insideFake = nullptr;
  bool isDone = false;
#endif
#ifdef HETERO_PTX_TSAN
  void *tsan = __tsan_create_fiber(0);
  void *outsideTsan = nullptr;
#endif

  void switchIn() {
#ifdef HETERO_PTX_SWITCH
    hetero_ptx_switch(&outside, inside);
#else
    swapcontext(&outside, &inside);
#endif
  }
  void switchOut() {
#ifdef HETERO_PTX_SWITCH
    hetero_ptx_switch(&inside, outside);
#else
    swapcontext(&inside, &outside);
#endif
  }
};

/// The fiber that is being resumed.
static thread_local Fiber *running = nullptr;

Fiber::Fiber() : implementation(std::make_unique<Implementation>()) {
  implementation->pageBytes = sysconf(_SC_PAGESIZE);
  void *memory = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("no memory for the stack of a thread");
    std::abort();
  }
  implementation->stack = static_cast<char *>(memory);
  // What runs over the end of the stack is stopped.
  mprotect(memory, implementation->pageBytes, PROT_NONE);
}

Fiber::~Fiber() {
  munmap(implementation->stack, stackBytes);
#ifdef HETERO_PTX_TSAN
  __tsan_destroy_fiber(implementation->tsan);
#endif
}

void Fiber::enter() {
  Fiber *fiber = running;
#ifdef HETERO_PTX_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &fiber->implementation->outsideStack,
                                  &fiber->implementation->outsideBytes);
#endif
  fiber->implementation->function(fiber->implementation->argument);
#ifdef HETERO_PTX_ASAN
  fiber->implementation->isDone = true;
#endif
  // Nobody resumes it before it is started again.
  fiber->suspend();
  std::abort();
}

void Fiber::start(void (*function)(void *), void *argument) {
  Implementation &self = *implementation;
  self.function = function;
  self.argument = argument;
#ifdef HETERO_PTX_ASAN
  self.insideFake = nullptr;
  self.isDone = false;
#endif
#ifdef HETERO_PTX_SWITCH
  // Six registers, where to return to, and a word so that the stack is aligned
  // as it is when a function has just been called.
  void **top = reinterpret_cast<void **>(self.stack + stackBytes) - 8;
  for (int i = 0; i < 8; ++i)
    top[i] = nullptr;
  top[6] = reinterpret_cast<void *>(&Fiber::enter);
  self.inside = top;
#else
  getcontext(&self.inside);
  self.inside.uc_stack.ss_sp = self.stack;
  self.inside.uc_stack.ss_size = stackBytes;
  self.inside.uc_link = nullptr;
  makecontext(&self.inside, &Fiber::enter, 0);
#endif
}

void Fiber::resume() {
  Fiber *before = running;
  running = this;
#ifdef HETERO_PTX_ASAN
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, implementation->stack, stackBytes);
#endif
#ifdef HETERO_PTX_TSAN
  implementation->outsideTsan = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(implementation->tsan, 0);
#endif
  implementation->switchIn();
#ifdef HETERO_PTX_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  running = before;
}

void Fiber::suspend() {
#ifdef HETERO_PTX_ASAN
  // What it keeps of a stack goes with the last switch.
  __sanitizer_start_switch_fiber(
      implementation->isDone ? nullptr : &implementation->insideFake,
      implementation->outsideStack, implementation->outsideBytes);
#endif
#ifdef HETERO_PTX_TSAN
  __tsan_switch_to_fiber(implementation->outsideTsan, 0);
#endif
  implementation->switchOut();
#ifdef HETERO_PTX_ASAN
  __sanitizer_finish_switch_fiber(implementation->insideFake,
                                  &implementation->outsideStack,
                                  &implementation->outsideBytes);
#endif
}

} // namespace hetero::standin::ptx
