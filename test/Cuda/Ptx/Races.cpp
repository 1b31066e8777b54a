//===- Races.cpp - Finds accesses that nothing orders ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Races.h"
#include "PtxThread.h"

namespace hetero::standin::ptx {

// Bytes whose accesses are remembered together; an access never crosses them
// because it is aligned to its size.
constexpr uint64_t pageBytes = 1024;

// Threads of a warp.
constexpr uint32_t warpThreads = 32;

/// Whether the first access is over when the second one begins.
static bool isBefore(const Accessor &first, const Accessor &second) {
  if (first.block != second.block)
    return false;
  return first.thread == second.thread || first.barriers < second.barriers ||
         (first.thread / warpThreads == second.thread / warpThreads &&
          first.warpBarriers < second.warpBarriers);
}

static bool isRace(const Accessor &first, const Accessor &second) {
  return first.line && !(first.isAtomic && second.isAtomic) &&
         !isBefore(first, second);
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
void Races::noteRead(Cell &cell, const Accessor &who) {
  Accessor &last = cell.reads[0], &other = cell.reads[1];
  if (!last.line || isBefore(last, who)) {
    last = who;
  } else if (!other.line || isBefore(other, who) || other.block == last.block) {
    other = last;
    last = who;
  }
}

Conflict Races::note(Cell &cell, int how, const Accessor &who) {
  if (how & PTX_NON_COHERENT) {
    if (cell.write.line)
      return {cell.write, "reads, as what nobody writes, what was written"};
    cell.readOnly = who;
  }
  if (isRace(cell.write, who))
    return {cell.write, how & PTX_WRITE ? "writes what was written"
                                        : "reads what was written"};
  if (!(how & PTX_WRITE)) {
    noteRead(cell, who);
    return {};
  }
  if (cell.readOnly.line)
    return {cell.readOnly, "writes what was read as what nobody writes"};
  for (const Accessor &read : cell.reads)
    if (isRace(read, who))
      return {read, "writes what was read"};
  cell.write = who;
  return {};
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
  for (uint64_t at = begin; at < begin + bytes; at += page.grain) {
    Conflict conflict = note(page.cells[at / page.grain], how, accessor);
    if (!conflict.message.empty())
      return conflict;
  }
  return {};
}

} // namespace hetero::standin::ptx
