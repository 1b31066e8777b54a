//===- Memory.cpp - Memory of devices -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory.h"
#include "Ending.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace hetero::standin;

/// Addresses of one device. Freed ones are used again when all were used once,
/// so it is far more than any memory; ThreadSanitizer leaves less room.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr uint64_t addressesOfDevice = uint64_t(64) << 30;
#else
constexpr uint64_t addressesOfDevice = uint64_t(1) << 40;
#endif
#else
constexpr uint64_t addressesOfDevice = uint64_t(1) << 40;
#endif
constexpr uint64_t page = 4096;
/// What CUDA promises for the beginning of an allocation, and no more.
constexpr uint64_t alignment = 256;
/// What lies behind an allocation up to the guard page.
constexpr unsigned char canary = 0xc5;
/// Freed allocations that messages can name.
constexpr size_t mostDead = 1 << 16;

static uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::string Allocation::describe() const {
  return "allocation " + str(number) + " (" +
         (name.empty() ? "" : quote(name) + ", ") + str(bytes) + " bytes)";
}

Memory::Memory(int device, uint64_t capacity, uint64_t seed)
    : device(device), capacity(capacity), random(seed) {
  file = memfd_create("hetero-standin-device", MFD_CLOEXEC);
  // Where addresses are few, fewer will do.
  for (span = addressesOfDevice; span > 4 * page; span /= 2) {
    if (ftruncate(file, span) != 0)
      continue;
    void *reserved = mmap(nullptr, span, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *mapped = mmap(nullptr, span, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, file, 0);
    if (reserved != MAP_FAILED && mapped != MAP_FAILED) {
      base = reinterpret_cast<uint64_t>(reserved);
      alias = static_cast<char *>(mapped);
      // Not copied into core files and not into children.
      madvise(mapped, span, MADV_DONTDUMP);
      return;
    }
    if (reserved != MAP_FAILED)
      munmap(reserved, span);
    if (mapped != MAP_FAILED)
      munmap(mapped, span);
  }
  leaveProcess("there are no addresses for the memory of device " +
               str(device));
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

/// Pages that nothing lives in, with one free page in front and one behind.
uint64_t Memory::findRoom(uint64_t bytes) {
  uint64_t size = roundUp(bytes, page) + 3 * page;
  if (next + size <= span) {
    next += size;
    return base + next - size + page;
  }
  // All addresses were used: takes the first gap that is large enough.
  uint64_t begin = base;
  for (const auto &[address, allocation] : live) {
    if (address - begin >= size + page)
      return begin + page;
    begin = roundUp(address + allocation.bytes, page);
  }
  return base + span - begin >= size ? begin + page : 0;
}

uint64_t Memory::allocate(uint64_t bytes) {
  // Devices give memory in pieces of their alignment.
  uint64_t taken = roundUp(bytes, alignment);
  if (taken > capacity - used)
    return 0;
  uint64_t room = findRoom(bytes);
  if (!room)
    return 0;
  // At an odd multiple of the alignment: it is not aligned to more.
  uint64_t slots = page / alignment / 2;
  uint64_t address = room + alignment * (2 * (random() % slots) + 1);
  Allocation allocation;
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.number = numAllocations++;
  allocation.accesses = std::make_shared<Accesses>(bytes, /*maker=*/0);
  std::memset(toAlias(room), canary, address - room);
  std::memset(toAlias(address), poison, bytes);
  uint64_t last = roundUp(address + bytes, page);
  std::memset(toAlias(address + bytes), canary, last - address - bytes);
  live[address] = allocation;
  used += taken;
  return address;
}

void Memory::checkSlack(const Allocation &allocation,
                        const std::string &who) const {
  uint64_t address = allocation.address;
  auto check = [&](uint64_t begin, uint64_t last) {
    for (; begin < last; ++begin)
      if (static_cast<unsigned char>(*toAlias(begin)) != canary)
        leaveProcess(who + " frees " + allocation.describe() + " of device " +
                     str(device) + ", beside which something wrote at offset " +
                     str(int64_t(begin - address)));
  };
  check(address / page * page, address);
  check(address + allocation.bytes, roundUp(address + allocation.bytes, page));
}

Allocation &Memory::get(uint64_t address, const std::string &who) {
  auto found = live.find(address);
  if (found != live.end())
    return found->second;
  leaveProcess(who + " is given " + describe(address) +
               ", which is not the beginning of an allocation that lives");
}

void Memory::release(uint64_t address, const std::string &who) {
  Allocation allocation = get(address, who);
  checkSlack(allocation, who);
  if (moment)
    if (std::string wrong = allocation.accesses->noteAll(*moment, *orders);
        !wrong.empty())
      leaveProcess(who + " frees " + allocation.describe() + " of device " +
                   str(device) + ", " + wrong);
  allocation.accesses.reset();
  recent = nullptr;
  live.erase(address);
  used -= roundUp(allocation.bytes, alignment);
  uint64_t begin = address / page * page;
  uint64_t last = roundUp(address + allocation.bytes, page);
  if (madvise(toAlias(begin), last - begin, MADV_REMOVE) != 0)
    std::memset(toAlias(begin), poison, last - begin);
  allocation.end = who;
  dead[address] = allocation;
  deadOrder.push_back(address);
  if (deadOrder.size() > mostDead) {
    dead.erase(deadOrder.front());
    deadOrder.pop_front();
  }
}

void Memory::releaseAll(const std::string &who) {
  while (!live.empty())
    release(live.begin()->first, who);
}

void Memory::setMaker(uint64_t address, const Moment &maker) {
  Allocation &allocation = get(address, "cuMemAllocAsync");
  allocation.accesses =
      std::make_shared<Accesses>(allocation.bytes, maker.number);
}

void Memory::name(uint64_t address, const std::string &name) {
  get(address, "heteroStandInName").name = name;
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

const Allocation *Memory::find(uint64_t address) const {
  auto after = live.upper_bound(address);
  if (after == live.begin())
    return nullptr;
  const Allocation &before = std::prev(after)->second;
  return address < before.address + before.bytes ? &before : nullptr;
}

std::string Memory::describe(uint64_t address) const {
  auto near = [&](const std::map<uint64_t, Allocation> &allocations)
      -> const Allocation * {
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin())
      return nullptr;
    const Allocation &before = std::prev(after)->second;
    // Up to the guard page behind it.
    uint64_t last = roundUp(before.address + before.bytes, page) + page;
    return address < last ? &before : nullptr;
  };
  std::string at = "address " + hex(address) + " of device " + str(device);
  const Allocation *found = near(live);
  if (!found)
    found = near(dead);
  if (!found)
    return at + ", near which nothing was allocated";
  at +=
      ": offset " + str(address - found->address) + " of " + found->describe();
  if (!found->end.empty())
    at += ", which " + found->end + " freed";
  return at;
}

void Memory::refuse(uint64_t address, uint64_t bytes, bool isWrite,
                    const char *who, const char *why) const {
  std::string subject = actor.empty() ? who : actor;
  if (!actor.empty() && actor.find(quote(who)) == std::string::npos)
    subject += " (" + std::string(who) + ")";
  leaveProcess(subject + (isWrite ? " writes " : " reads ") + str(bytes) +
               " bytes at " + describe(address) + ", " + why);
}

char *Memory::access(uint64_t address, uint64_t bytes, bool isWrite,
                     const char *who) {
  if (!recent || address - recent->address >= recent->bytes) {
    recent = const_cast<Allocation *>(find(address));
    if (!recent) {
      if (!bytes)
        return alias;
      refuse(address, bytes, isWrite, who, "where nothing lives");
    }
  }
  if (bytes > recent->bytes - (address - recent->address))
    refuse(address, bytes, isWrite, who, "which ends before");
  if (!recent->isReachable)
    refuse(address, bytes, isWrite, who,
           "of which the cuMemAllocAsync has not had its turn");
  if (moment && bytes) {
    std::string wrong =
        recent->accesses->note(address - recent->address, bytes, isWrite,
                               needsValues, *moment, *orders);
    if (!wrong.empty())
      refuse(address, bytes, isWrite, who, wrong.c_str());
  }
  return toAlias(address);
}

void Memory::copyState(uint64_t to, const Memory &fromMemory, uint64_t from,
                       uint64_t bytes) {
  const Allocation *target = find(to), *source = fromMemory.find(from);
  if (target && source)
    target->accesses->copyState(to - target->address, *source->accesses,
                                from - source->address, bytes);
}
