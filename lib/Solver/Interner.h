//===- Interner.h - Equal lists once ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives equal lists of numbers the same id: 0, 1, 2, ... in the order in which
// they come up. All lists lie behind each other in one vector. Lists are equal
// when their bits are.

#ifndef HETERO_LIB_SOLVER_INTERNER_H
#define HETERO_LIB_SOLVER_INTERNER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <vector>

namespace hetero::solver {

template <typename T>
class Interner {
public:
  /// The id of the list, which must not be one that `get` gave; a new one is
  /// the same as size() was before.
  int add(llvm::ArrayRef<T> list) {
    llvm::ArrayRef<uint8_t> bytes(
        reinterpret_cast<const uint8_t *>(list.data()),
        list.size() * sizeof(T));
    auto hash = uint32_t(llvm::xxh3_64bits(bytes));
    if (2 * size() >= int(slots.size()))
      grow();
    size_t mask = slots.size() - 1, at = hash & mask;
    for (; slots[at] >= 0; at = (at + 1) & mask)
      if (const Entry &entry = entries[slots[at]];
          entry.hash == hash && entry.size == list.size() &&
          std::memcmp(data.data() + entry.begin, list.data(), bytes.size()) ==
              0)
        return slots[at];
    slots[at] = size();
    entries.push_back({hash, uint32_t(list.size()), data.size()});
    data.insert(data.end(), list.begin(), list.end());
    return slots[at];
  }

  /// Valid until the next list is added.
  llvm::ArrayRef<T> get(int id) const {
    return llvm::ArrayRef<T>(data.data() + entries[id].begin, entries[id].size);
  }
  int size() const { return entries.size(); }

private:
  struct Entry {
    uint32_t hash, size;
    size_t begin;
  };

  void grow() {
    size_t mask = std::max<size_t>(64, 2 * slots.size()) - 1;
    slots.assign(mask + 1, -1);
    for (int id = 0; id < size(); ++id) {
      size_t at = entries[id].hash & mask;
      while (slots[at] >= 0)
        at = (at + 1) & mask;
      slots[at] = id;
    }
  }

  std::vector<T> data;
  std::vector<Entry> entries;
  /// Open addressing; -1 where there is none.
  std::vector<int> slots;
};

} // namespace hetero::solver

#endif // HETERO_LIB_SOLVER_INTERNER_H
