//===- Races.h - Accesses that nothing orders -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers for each few bytes who wrote them last and who read them, in one
// launch. Threads of a block are ordered by barriers; those of different blocks
// are not ordered at all. What a thread has read before it shuffles is read
// before what others do then. Orders by fences and flags are not known.

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
  /// How many barriers the block has passed.
  uint32_t barriers = 0;
  bool isAtomic = false;
  /// What Order::now said.
  uint64_t time = 0;
};

struct Conflict {
  Accessor other;
  /// What is wrong; empty if nothing is.
  std::string message;
  /// It is nothing if both write the same: one instruction of a warp may write
  /// to one place, and it is not said whose value is there then.
  bool isIfDifferent = false;
};

/// What orders the threads of the block that runs.
class Order {
public:
  explicit Order(uint32_t numThreads);

  void beginBlock();
  /// Threads of one warp have waited for each other, at a barrier or to
  /// exchange values.
  void meet(const std::vector<uint32_t> &members, bool isAtBarrier);
  /// Whether the first access is over when the second one begins. Reads are, if
  /// the values could have been exchanged since.
  bool isBefore(const Accessor &first, bool isRead,
                const Accessor &second) const;
  uint64_t now() const { return time; }

private:
  /// When two threads of a warp have met last.
  struct Meeting {
    uint64_t anywhere = 0;
    uint64_t atBarrier = 0;
  };
  uint64_t time = 1;
  /// 32 for each thread, by lanes.
  std::vector<Meeting> meetings;
};

class Races {
public:
  explicit Races(const Order &order) : order(order) {}

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
  Conflict note(Cell &cell, int how, const Accessor &who) const;
  void noteRead(Cell &cell, const Accessor &who) const;
  bool isRace(const Accessor &first, bool isRead, const Accessor &second) const;
  static void split(Page &page);

  const Order &order;
  std::unordered_map<uint64_t, Page> pages;
};

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_RACES_H
