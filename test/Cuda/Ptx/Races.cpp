//===- Races.cpp - Finds accesses that nothing orders ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Races.h"
#include "PtxThread.h"
#include <algorithm>

namespace hetero::standin::ptx {

// Bytes whose accesses are remembered together; an access never crosses them
// because it is aligned to its size.
constexpr uint64_t pageBytes = 1024;

// Threads of a warp.
constexpr uint32_t warpThreads = 32;

Order::Order(uint32_t numThreads)
    : meetings(size_t(numThreads) * warpThreads) {}

void Order::beginBlock() {
  std::fill(meetings.begin(), meetings.end(), Meeting());
}

void Order::meet(const std::vector<uint32_t> &members, bool isAtBarrier) {
  ++time;
  for (uint32_t one : members)
    for (uint32_t other : members) {
      Meeting &meeting = meetings[one * warpThreads + other % warpThreads];
      meeting.anywhere = time;
      if (isAtBarrier)
        meeting.atBarrier = time;
    }
}

bool Order::isBefore(const Accessor &first, bool isRead,
                     const Accessor &second) const {
  if (first.block != second.block)
    return false;
  if (first.thread == second.thread || first.barriers < second.barriers)
    return true;
  if (first.thread / warpThreads != second.thread / warpThreads)
    return false;
  const Meeting &meeting =
      meetings[first.thread * warpThreads + second.thread % warpThreads];
  return (isRead ? meeting.anywhere : meeting.atBarrier) > first.time;
}

bool Races::isRace(const Accessor &first, bool isRead,
                   const Accessor &second) const {
  return first.line && !(first.isAtomic && second.isAtomic) &&
         !order.isBefore(first, isRead, second);
}

void Races::split(Page &page) {
  std::vector<Cell> cells;
  cells.reserve(pageBytes);
  for (const Cell &cell : page.cells)
    cells.insert(cells.end(), page.grain, cell);
  page.cells = std::move(cells);
  page.grain = 1;
}

/// Of all reads two are enough: of different blocks if there are any, else of
/// different threads.
void Races::noteRead(Cell &cell, const Accessor &who) const {
  Accessor &last = cell.reads[0], &other = cell.reads[1];
  auto isOver = [&](const Accessor &read) {
    return !read.line || order.isBefore(read, /*isRead=*/true, who);
  };
  if (isOver(last)) {
    last = who;
  } else if (isOver(other) || other.block == last.block) {
    other = last;
    last = who;
  }
}

Conflict Races::note(Cell &cell, int how, const Accessor &who) const {
  if (how & PTX_NON_COHERENT) {
    if (cell.write.line)
      return {cell.write, "reads, as what nobody writes, what was written",
              false};
    cell.readOnly = who;
  }
  if (!(how & PTX_WRITE) && isRace(cell.write, false, who))
    return {cell.write, "reads what was written", false};
  if (!(how & PTX_WRITE)) {
    noteRead(cell, who);
    return {};
  }
  if (cell.readOnly.line)
    return {cell.readOnly, "writes what was read as what nobody writes", false};
  for (const Accessor &read : cell.reads)
    if (isRace(read, true, who))
      return {read, "writes what was read", false};
  const Accessor before = cell.write;
  cell.write = who;
  if (!isRace(before, false, who))
    return {};
  bool isSame = before.line == who.line && before.block == who.block &&
                before.thread / warpThreads == who.thread / warpThreads;
  return {before, "writes what was written", isSame};
}

Conflict Races::access(uint64_t address, uint32_t bytes, int how,
                       const Accessor &who) {
  Page &page = pages[address / pageBytes];
  if (page.cells.empty())
    page.cells.resize(pageBytes / page.grain);
  if (page.grain > 1 && (address % page.grain || bytes % page.grain))
    split(page);
  Accessor accessor = who;
  accessor.isAtomic = how & PTX_ATOMIC;
  uint64_t begin = address % pageBytes;
  Conflict result;
  for (uint64_t at = begin; at < begin + bytes; at += page.grain) {
    Conflict conflict = note(page.cells[at / page.grain], how, accessor);
    if (!conflict.message.empty() && !conflict.isIfDifferent)
      return conflict;
    if (result.message.empty())
      result = conflict;
  }
  return result;
}

} // namespace hetero::standin::ptx
