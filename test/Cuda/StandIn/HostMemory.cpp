//===- HostMemory.cpp - Pinned memory, and touching the wrong memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ending.h"
#include "Memory.h"
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>

using namespace hetero::standin;

constexpr uint64_t page = 4096;

//===----------------------------------------------------------------------===//
// Pinned memory
//===----------------------------------------------------------------------===//

namespace {
struct FreedRange {
  uint64_t begin, end;
};
} // namespace

/// The last ranges that were freed, read by the fault handler without a lock.
constexpr size_t mostFreed = 1024;
static FreedRange freed[mostFreed];
static std::atomic<size_t> numFreed{0};

std::string hetero::standin::describeFreedPinned(uint64_t address) {
  for (const FreedRange &range : freed)
    if (address >= range.begin && address < range.end)
      return "offset " + str(address - range.begin) +
             " of pinned memory that was freed";
  return "";
}

void *PinnedMemory::allocate(uint64_t bytes) {
  // A page behind it stays unreachable.
  uint64_t mapped = (bytes + page - 1) / page * page + page;
  void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  mprotect(static_cast<char *>(memory) + mapped - page, page, PROT_NONE);
  std::memset(memory, poison, bytes);
  blocks[reinterpret_cast<uint64_t>(memory)] = {bytes, mapped, false};
  return memory;
}

void PinnedMemory::adopt(void *memory, uint64_t bytes) {
  blocks[reinterpret_cast<uint64_t>(memory)] = {bytes, 0, true};
}

void PinnedMemory::release(void *memory, bool isAdopted,
                           const std::string &who) {
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  auto found = blocks.find(address);
  if (found == blocks.end() || found->second.isAdopted != isAdopted) {
    std::string what = describeFreedPinned(address);
    leaveProcess(who + " is given " + (what.empty() ? hex(address) : what) +
                 ", which is not the beginning of pinned memory of its kind");
  }
  if (!isAdopted) {
    // The addresses stay taken, so that who still uses them is found.
    uint64_t mapped = found->second.mapped;
    madvise(memory, mapped, MADV_DONTNEED);
    mprotect(memory, mapped, PROT_NONE);
    freed[numFreed++ % mostFreed] = {address, address + mapped};
  }
  blocks.erase(found);
}

bool PinnedMemory::contains(const void *memory, uint64_t bytes) const {
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return false;
  auto [begin, block] = *std::prev(after);
  return address + bytes <= begin + block.bytes;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Where the thread goes on when a guarded copy touches what it cannot. The
/// handler reads it, so its place is known without a call, and each store is
/// kept.
static __thread __attribute__((tls_model("initial-exec")))
sigjmp_buf *volatile guard;

static AddressReader readAddress;
static struct sigaction previous[2];

static void handleFault(int signal, siginfo_t *info, void *) {
  if (guard)
    siglongjmp(*guard, 1);
  std::string what = readAddress(reinterpret_cast<uint64_t>(info->si_addr));
  if (!what.empty())
    leaveProcess("the host touches " + what);
  // Not ours: the instruction runs again, and the former handler has it.
  sigaction(signal, &previous[signal == SIGBUS], nullptr);
}

void hetero::standin::installFaultHandler(AddressReader reader) {
  readAddress = reader;
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &previous[0]);
  sigaction(SIGBUS, &action, &previous[1]);
}

bool hetero::standin::copyGuarded(void *to, const void *from, uint64_t bytes) {
  sigjmp_buf here;
  if (sigsetjmp(here, 1)) {
    guard = nullptr;
    return false;
  }
  guard = &here;
  std::memmove(to, from, bytes);
  guard = nullptr;
  return true;
}

bool hetero::standin::poisonGuarded(void *to, uint64_t bytes) {
  sigjmp_buf here;
  if (sigsetjmp(here, 1)) {
    guard = nullptr;
    return false;
  }
  guard = &here;
  std::memset(to, poison, bytes);
  guard = nullptr;
  return true;
}
