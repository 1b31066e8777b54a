//===- Arena.cpp - Places for blocks in memory that is there --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Arena.h"
#include <algorithm>

using namespace hetero::runtime;

static uint64_t addressOf(void *memory) {
  return reinterpret_cast<uint64_t>(memory);
}

int64_t Arena::roundUp(int64_t bytes) {
  return std::max<int64_t>(1, (bytes + alignment - 1) / alignment) * alignment;
}

void Arena::add(void *memory, int64_t bytes) {
  newest = addressOf(memory);
  reach = 0;
  pieces[newest] = bytes;
  gaps[newest] = bytes;
}

/// Makes [begin, begin + bytes) of a gap that has it a block.
void Arena::cut(Gaps::iterator gap, Address begin, int64_t bytes) {
  auto [first, size] = *gap;
  Address end = begin + bytes, last = first + size;
  if (begin == first)
    gaps.erase(gap);
  else
    gap->second = begin - first;
  if (end < last)
    gaps[end] = last - end;
  if (begin >= newest && begin < newest + pieces[newest])
    reach = std::max<int64_t>(reach, end - newest);
}

void *Arena::take(int64_t bytes) {
  bytes = roundUp(bytes);
  for (auto gap = gaps.begin(); gap != gaps.end(); ++gap) {
    if (gap->second < bytes)
      continue;
    Address begin = gap->first;
    cut(gap, begin, bytes);
    return reinterpret_cast<void *>(begin);
  }
  return nullptr;
}

void Arena::takeAt(void *memory, int64_t bytes) {
  cut(std::prev(gaps.upper_bound(addressOf(memory))), addressOf(memory),
      roundUp(bytes));
}

void Arena::give(void *memory, int64_t bytes) {
  Address begin = addressOf(memory), end = begin + roundUp(bytes);
  auto after = gaps.lower_bound(begin);
  if (after != gaps.end() && after->first == end && !pieces.count(end)) {
    end += after->second;
    after = gaps.erase(after);
  }
  if (after != gaps.begin() && !pieces.count(begin)) {
    auto before = std::prev(after);
    if (before->first + before->second == begin) {
      before->second = end - before->first;
      return;
    }
  }
  gaps[begin] = end - begin;
}
