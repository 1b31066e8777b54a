//===- Staging.cpp - Data on its way between host and device --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Staging.h"
#include <algorithm>
#include <cstring>

using namespace hetero::runtime;

/// A bus has its full speed with a few MiB, and the host fills one piece while
/// the device copies another.
static constexpr int64_t pieceSize = int64_t(8) << 20;
/// A page: what less would take anyway.
static constexpr int64_t leastSize = 4096;
/// Pinned memory is lost to everybody else on the machine. This is the batch of
/// a step for most models, so that the next one can be written while it runs.
static constexpr int64_t mostTotal = int64_t(256) << 20;

Staging::~Staging() {
  for (auto &[capacity, block] : blocks)
    api.freeOnHost(block.memory);
}

void Staging::setPassed(int64_t passedPoint) {
  passed = std::max(passed, passedPoint);
}

MaybeError Staging::waitForAll(const FailureCheck &getFailure) {
  Result<CudaHandle> event = api.record(stream);
  if (!event)
    return event.error();
  MaybeError error = api.waitFor(*event, getFailure);
  api.release(*event);
  if (!error)
    setPassed(point);
  return error;
}

/// A block that nothing uses.
Result<Staging::Block *> Staging::take(int64_t bytes,
                                       const FailureCheck &getFailure) {
  auto find = [&]() -> Block * {
    for (auto it = blocks.lower_bound(bytes); it != blocks.end(); ++it)
      if (it->second.until <= passed)
        return &it->second;
    return nullptr;
  };
  if (Block *block = find())
    return block;
  int64_t capacity = leastSize;
  while (capacity < bytes)
    capacity *= 2;
  if (total + capacity > mostTotal) {
    if (MaybeError error = waitForAll(getFailure))
      return Error{*error};
    if (Block *block = find())
      return block;
    // All that nothing uses are too small, and give way.
    for (auto it = blocks.begin(); it != blocks.end();) {
      if (it->second.until > passed) {
        ++it;
        continue;
      }
      api.freeOnHost(it->second.memory);
      total -= it->first;
      it = blocks.erase(it);
    }
  }
  Result<void *> memory = api.allocateOnHost(capacity);
  if (!memory)
    return Error{memory.error()};
  total += capacity;
  auto made =
      blocks.insert({capacity, {static_cast<char *>(*memory), /*until=*/0}});
  return &made->second;
}

MaybeError Staging::write(void *to, const void *from, int64_t bytes,
                          const FailureCheck &getFailure) {
  for (int64_t begin = 0; begin < bytes; begin += pieceSize) {
    int64_t size = std::min(pieceSize, bytes - begin);
    Result<Block *> block = take(size, getFailure);
    if (!block)
      return block.error();
    std::memcpy((*block)->memory, static_cast<const char *>(from) + begin,
                size);
    (*block)->until = ++point;
    if (MaybeError error = api.write(static_cast<char *>(to) + begin,
                                     (*block)->memory, size, stream))
      return error;
  }
  return std::nullopt;
}

MaybeError Staging::read(void *to, const void *from, int64_t bytes,
                         const FailureCheck &getFailure) {
  // What has been entered and not arrived: the device copies the next piece
  // while the host copies this one.
  struct Piece {
    Block *block;
    char *to;
    int64_t size, point;
    CudaHandle event;
  };
  std::vector<Piece> open;
  auto finish = [&]() -> MaybeError {
    Piece piece = open.front();
    open.erase(open.begin());
    MaybeError error = api.waitFor(piece.event, getFailure);
    api.release(piece.event);
    if (error)
      return error;
    std::memcpy(piece.to, piece.block->memory, piece.size);
    piece.block->until = piece.point;
    setPassed(piece.point);
    return std::nullopt;
  };
  MaybeError error;
  for (int64_t begin = 0; begin < bytes && !error; begin += pieceSize) {
    int64_t size = std::min(pieceSize, bytes - begin);
    while (open.size() > 1 && !error)
      error = finish();
    if (error)
      break;
    Result<Block *> block = take(size, getFailure);
    if (!block) {
      error = block.error();
      break;
    }
    // Nobody else's until it has been read.
    (*block)->until = INT64_MAX;
    ++point;
    error = api.read((*block)->memory, static_cast<const char *>(from) + begin,
                     size, stream);
    if (error)
      break;
    Result<CudaHandle> event = api.record(stream);
    if (!event) {
      error = event.error();
      break;
    }
    open.push_back(
        {*block, static_cast<char *>(to) + begin, size, point, *event});
  }
  while (!open.empty()) {
    if (error) {
      api.release(open.back().event);
      open.pop_back();
    } else {
      error = finish();
    }
  }
  return error;
}
