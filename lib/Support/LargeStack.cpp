//===- LargeStack.cpp - Room for deep recursion ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/LargeStack.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/thread.h"
#include <csignal>
#include <pthread.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

static constexpr unsigned stackSize = 256u << 20;

#if !LLVM_ADDRESS_SANITIZER_BUILD
/// A fault this close to the end of the stack is its exhaustion: a function
/// with a large frame may step over the guard page.
static constexpr uintptr_t guardReach = 1u << 20;

// Read by the signal handler.
static uintptr_t stackEnd;
static struct sigaction previousAction;

static void handleFault(int, siginfo_t *info, void *) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (address >= stackEnd + guardReach || address + guardReach < stackEnd) {
    // Not ours: the fault is raised again and meets the previous handler.
    sigaction(SIGSEGV, &previousAction, nullptr);
    return;
  }
  static constexpr char message[] =
      "error: the input is nested too deeply: the stack is exhausted\n";
  (void)!write(STDERR_FILENO, message, sizeof(message) - 1);
  sys::RunInterruptHandlers();
  _exit(1);
}

namespace {
/// Watches the calling thread's stack for as long as the object lives.
class StackWatch {
public:
  StackWatch() : handlerStack(64u << 10) {
    pthread_attr_t attributes;
    void *lowest = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes))
      return;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    stackEnd = reinterpret_cast<uintptr_t>(lowest);

    stack_t alternate = {};
    alternate.ss_sp = handlerStack.data();
    alternate.ss_size = handlerStack.size();
    if (sigaltstack(&alternate, &previousStack))
      return;
    struct sigaction action = {};
    action.sa_sigaction = handleFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    isActive = sigaction(SIGSEGV, &action, &previousAction) == 0;
  }

  ~StackWatch() {
    if (!isActive)
      return;
    sigaction(SIGSEGV, &previousAction, nullptr);
    sigaltstack(&previousStack, nullptr);
  }

private:
  std::vector<char> handlerStack;
  stack_t previousStack = {};
  bool isActive = false;
};
} // namespace
#endif

int hetero::runOnLargeStack(function_ref<int()> body) {
  int result = 1;
  llvm::thread worker(std::optional<unsigned>(stackSize), [&] {
#if !LLVM_ADDRESS_SANITIZER_BUILD
    StackWatch watch;
#endif
    result = body();
  });
  worker.join();
  return result;
}
