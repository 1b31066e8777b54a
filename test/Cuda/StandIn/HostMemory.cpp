//===- HostMemory.cpp - Pinned memory, and touching the wrong memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ending.h"
#include "Memory.h"
#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

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

void *PinnedMemory::allocate(uint64_t bytes, bool isShared) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  // A page behind it stays unreachable.
  uint64_t mapped = (bytes + page - 1) / page * page + page;
  int file = memfd_create("hetero-standin-pinned", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, mapped) != 0)
    return nullptr;
  auto map = [&] {
    return mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_NORESERVE, file, 0);
  };
  void *memory = map(), *alias = map();
  close(file);
  if (memory == MAP_FAILED || alias == MAP_FAILED)
    return nullptr;
  mprotect(static_cast<char *>(memory) + mapped - page, page, PROT_NONE);
  std::memset(memory, poison, bytes);
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  Block &block = blocks[address];
  block = {bytes, mapped, false, isShared, static_cast<char *>(alias), {}};
  block.isWritten.resize(mapped / page, !isGuarded || isShared);
  protect(address, block);
  return memory;
}

void PinnedMemory::adopt(void *memory, uint64_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  blocks[reinterpret_cast<uint64_t>(memory)] = {bytes, 0,       true,
                                                false, nullptr, {}};
}

void PinnedMemory::release(void *memory, bool isAdopted,
                           const std::string &who) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
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
    mmap(memory, mapped, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    munmap(found->second.alias, mapped);
    freed[numFreed++ % mostFreed] = {address, address + mapped};
  }
  blocks.erase(found);
}

PinnedMemory::Blocks::iterator PinnedMemory::find(uint64_t address) {
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return blocks.end();
  auto before = std::prev(after);
  return address < before->first + before->second.bytes ? before : blocks.end();
}

PinnedMemory::Blocks::const_iterator
PinnedMemory::find(uint64_t address) const {
  return const_cast<PinnedMemory *>(this)->find(address);
}

bool PinnedMemory::contains(const void *memory, uint64_t bytes) const {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  auto found = find(address);
  return found != blocks.end() &&
         address + bytes <= found->first + found->second.bytes;
}

char *PinnedMemory::toAlias(char *memory) const {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  auto found = find(address);
  return found == blocks.end() || found->second.isAdopted
             ? memory
             : found->second.alias + (address - found->first);
}

//===----------------------------------------------------------------------===//
// Copies that may touch it
//===----------------------------------------------------------------------===//

/// Each page of a block is as closed as its strictest use wants.
void PinnedMemory::protect(uint64_t address, const Block &block) const {
  auto getAllowed = [&](uint64_t at) {
    bool isWritten = block.isWritten[(at - address) / page];
    int allowed = isWritten ? PROT_READ | PROT_WRITE : PROT_NONE;
    for (const Use &use : uses)
      if (use.begin < at + page && at < use.end)
        allowed &= use.isWritten ? PROT_NONE : PROT_READ;
    return allowed;
  };
  // Pages in a row mostly are alike.
  for (uint64_t begin = address, end = address + block.bytes; begin < end;) {
    int allowed = getAllowed(begin);
    uint64_t at = begin + page;
    while (at < end && getAllowed(at) == allowed)
      at += page;
    mprotect(reinterpret_cast<void *>(begin), at - begin, allowed);
    begin = at;
  }
}

void PinnedMemory::use(const char *memory, uint64_t bytes, bool isWritten,
                       std::shared_ptr<const Moment> moment,
                       const std::string &name) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  auto found = find(address);
  if (found == blocks.end() || found->second.isAdopted ||
      found->second.isShared)
    return;
  for (uint64_t at = address / page * page; at < address + bytes; at += page) {
    auto isKnown = found->second.isWritten[(at - found->first) / page];
    if (!isKnown && !isWritten)
      leaveProcess(name + " reads offset " + str(at - found->first) +
                   " of pinned memory, where nobody has put anything");
    isKnown = true;
  }
  uses.push_back(
      {address, address + bytes, isWritten, std::move(moment), name});
  protect(found->first, found->second);
}

void PinnedMemory::release(
    const std::function<bool(const Moment &)> &isObserved) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::vector<Use> over, rest;
  for (Use &use : uses)
    (isObserved(*use.moment) ? over : rest).push_back(std::move(use));
  uses = std::move(rest);
  for (const Use &use : over)
    if (auto found = find(use.begin); found != blocks.end())
      protect(found->first, found->second);
}

std::string PinnedMemory::describe(uint64_t address, bool isWrite) const {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  auto found = find(address);
  for (const Use &use : uses)
    if (found != blocks.end() && use.begin <= address && address < use.end)
      return "offset " + str(address - found->first) +
             " of pinned memory, which " + use.name +
             (use.isWritten ? " writes" : " reads") +
             ", and the host has not waited for that";
  if (found != blocks.end() && !found->second.isAdopted && !isWrite &&
      !found->second.isWritten[(address - found->first) / page])
    return "offset " + str(address - found->first) +
           " of pinned memory, where nobody has put anything";
  return "";
}

bool PinnedMemory::open(uint64_t address) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  auto found = find(address);
  if (found == blocks.end() || found->second.isAdopted)
    return false;
  found->second.isWritten[(address - found->first) / page] = true;
  mprotect(reinterpret_cast<void *>(address / page * page), page,
           PROT_READ | PROT_WRITE);
  return true;
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
static AddressOpener openAddress;
static struct sigaction previous[2];

/// Whether the instruction that faulted writes, where that is known.
static bool isWriting(void *context) {
#ifdef __x86_64__
  // Bit 1 of the error code of a page fault.
  return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
  return true;
#endif
}

static void handleFault(int signal, siginfo_t *info, void *context) {
  if (guard)
    siglongjmp(*guard, 1);
  std::string what = readAddress(reinterpret_cast<uint64_t>(info->si_addr),
                                 isWriting(context));
  if (!what.empty())
    leaveProcess("the host touches " + what);
  if (openAddress(reinterpret_cast<uint64_t>(info->si_addr)))
    return;
  // Not ours: the instruction runs again, and the former handler has it.
  sigaction(signal, &previous[signal == SIGBUS], nullptr);
}

void hetero::standin::installFaultHandler(AddressReader reader,
                                          AddressOpener opener) {
  readAddress = reader;
  openAddress = opener;
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
