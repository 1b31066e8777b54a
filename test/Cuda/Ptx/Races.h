//===- Races.h - Accesses that nothing orders -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers for each few bytes who wrote them last and who read them, in one
// launch. Threads of a block are ordered by barriers; those of different blocks
// are not ordered at all. Orders by fences and flags are not known.

#ifndef HETERO_TEST_CUDA_PTX_RACES_H
#define HETERO_TEST_CUDA_PTX_RACES_H

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace hetero::standin::ptx {

/// Somebody's access.
struct Accessor {
  /// 0 if there was none.
  uint32_t line = 0;
  uint32_t block = 0;
  uint32_t thread = 0;
  /// How many barriers of the block and of the warp have been passed.
  uint32_t barriers = 0;
  uint32_t warpBarriers = 0;
  bool isAtomic = false;
};

struct Conflict {
  Accessor other;
  /// What is wrong; empty if nothing is.
  std::string message;
};

class Races {
public:
  /// Notes an access, `how` as ptx_access has it.
  Conflict access(uint64_t address, uint32_t bytes, int how,
                  const Accessor &who);

  void forget() { pages.clear(); }

private:
  struct Cell {
    Accessor write;
    Accessor reads[2];
    /// Where it was read through the cache for what nobody writes.
    Accessor readOnly;
  };
  /// Cells are of 4 bytes each until something smaller is accessed.
  struct Page {
    uint32_t grain = 4;
    std::vector<Cell> cells;
  };
  static Conflict note(Cell &cell, int how, const Accessor &who);
  static void noteRead(Cell &cell, const Accessor &who);
  static void split(Page &page);

  std::unordered_map<uint64_t, Page> pages;
};

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_RACES_H
