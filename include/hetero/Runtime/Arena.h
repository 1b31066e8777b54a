//===- Arena.h - Places for blocks in memory that is there ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says where blocks lie in one or few large pieces of memory, which it never
// touches. A block gets the lowest place that is large enough, and what is
// given back joins the gaps beside it. So the places depend on nothing but the
// order of the requests: steps that ask for the same in the same order have
// their blocks at the same addresses.
//
//   Arena arena;
//   arena.add(memory, 1 << 20);
//   void *a = arena.take(1000);   // memory
//   void *b = arena.take(3000);   // memory + 1024
//   arena.give(a);
//   arena.take(500);              // memory

#ifndef HETERO_RUNTIME_ARENA_H
#define HETERO_RUNTIME_ARENA_H

#include <cstdint>
#include <map>

namespace hetero::runtime {

class Arena {
public:
  /// What CUDA's own allocations have, and its widest accesses need.
  static constexpr int64_t alignment = 256;

  /// What a block takes up: whole units, and one at least.
  static int64_t roundUp(int64_t bytes);

  /// From now on there is this piece, of whole units.
  void add(void *memory, int64_t bytes);
  /// Null if no gap is large enough.
  void *take(int64_t bytes);
  /// Takes a place that is free.
  void takeAt(void *memory, int64_t bytes);
  /// Ends a block that was taken with as many bytes.
  void give(void *memory, int64_t bytes);

  /// How far into the piece that was added last blocks ever reached.
  int64_t getReach() const { return reach; }

private:
  using Address = uint64_t;
  using Gaps = std::map<Address, int64_t>;

  void cut(Gaps::iterator gap, Address begin, int64_t bytes);

  /// Gaps by address, with their sizes; they do not join over the ends of
  /// pieces.
  Gaps gaps;
  /// The begin of each piece.
  std::map<Address, int64_t> pieces;
  Address newest = 0;
  int64_t reach = 0;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_ARENA_H
