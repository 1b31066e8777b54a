//===- CommunicatorCollectives.cpp - Collectives as exchanges of blocks ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function gives the phases of one kind of collective. A block is made of
// what all instructions of a bucket have for the same member, one after the
// other; when there is one instruction and its piece lies densely in memory,
// the block is that piece itself.

#include "hetero/Runtime/Communicator.h"
#include "hetero/Runtime/Elements.h"
#include "hetero/Runtime/Regions.h"
#include <algorithm>
#include <cstring>
#include <numeric>

using namespace hetero::runtime;

namespace {
/// A piece of a dense tensor.
struct Piece {
  char *tensor = nullptr;
  TensorType type;
  Region region;

  int64_t numBytes() const {
    int64_t bytes = sizeOf(type.element);
    for (const std::vector<Range> &ranges : region.dimensions) {
      int64_t count = 0;
      for (Range range : ranges)
        count += range.end - range.begin;
      bytes *= count;
    }
    return bytes;
  }

  void read(char *to) const { scatterInto(to, region, tensor, type); }
  void write(const char *from) const { gatherFrom(from, region, tensor, type); }

  /// Where it lies if it lies in one run, else null.
  char *getDense() const;
};

/// The pieces of all instructions of a bucket for one member.
using Pieces = std::vector<Piece>;
using Parts = std::vector<TransferPart>;
} // namespace

/// Below this many bytes an all-reduce sends everything to everybody: one
/// message instead of two, and no member computes much.
static constexpr int64_t smallReduce = 8192;

char *Piece::getDense() const {
  int64_t offset = 0, stride = sizeOf(type.element);
  // From the innermost dimension: once one is not whole, those outside of it
  // must have a single index.
  bool whole = true;
  for (size_t i = type.shape.size(); i-- > 0;) {
    const std::vector<Range> &ranges = region.dimensions[i];
    if (ranges.size() != 1)
      return nullptr;
    int64_t size = ranges[0].end - ranges[0].begin;
    if (!whole && size != 1)
      return nullptr;
    whole = whole && size == type.shape[i];
    offset += ranges[0].begin * stride;
    stride *= type.shape[i];
  }
  return tensor + offset;
}

static Piece wholePiece(const void *tensor, const TensorType &type) {
  return {static_cast<char *>(const_cast<void *>(tensor)), type, wholeOf(type)};
}

/// [begin, end) of `dimension`.
static Piece cut(Piece piece, int64_t dimension, int64_t begin, int64_t end) {
  piece.region.dimensions[dimension] = {{begin, end}};
  return piece;
}

/// What member `member` has of a dimension that is split by `sizes`.
static Range getRange(const std::vector<int64_t> &sizes, size_t member) {
  int64_t begin =
      std::accumulate(sizes.begin(), sizes.begin() + member, int64_t(0));
  return {begin, begin + sizes[member]};
}

static Piece cut(const Piece &piece, int64_t dimension,
                 const std::vector<int64_t> &sizes, size_t member) {
  Range range = getRange(sizes, member);
  return cut(piece, dimension, range.begin, range.end);
}

static Block makeBlock(const Pieces &pieces) {
  Block block;
  for (const Piece &piece : pieces)
    block.bytes += piece.numBytes();
  if (pieces.size() == 1)
    block.data = pieces[0].getDense();
  return block;
}

/// A phase that sends `sends[k]` to member k and receives `receives[k]` from
/// it. Where nothing is sent or received the list is empty.
static Phase makePhase(const std::vector<Pieces> &sends,
                       const std::vector<Pieces> &receives, size_t self) {
  Phase phase;
  for (size_t i = 0; i < sends.size(); ++i) {
    phase.sends.push_back(i == self ? Block() : makeBlock(sends[i]));
    phase.receives.push_back(i == self ? Block() : makeBlock(receives[i]));
  }
  phase.pack = [sends](size_t member, char *to) {
    for (const Piece &piece : sends[member]) {
      piece.read(to);
      to += piece.numBytes();
    }
  };
  return phase;
}

/// As makePhase; the blocks then go to their places. What is received in its
/// place already is not copied.
static Phase makeMove(const std::vector<Pieces> &sends,
                      const std::vector<Pieces> &receives, size_t self) {
  Phase phase = makePhase(sends, receives, self);
  phase.finish = [sends, receives, self, blocks = phase.receives](
                     const std::vector<const char *> &received) {
    for (size_t i = 0; i < receives.size(); ++i) {
      if (i == self) {
        for (size_t j = 0; j < receives[i].size(); ++j) {
          std::vector<char> own(sends[i][j].numBytes());
          sends[i][j].read(own.data());
          receives[i][j].write(own.data());
        }
        continue;
      }
      const char *from = received[i];
      if (!from || blocks[i].data)
        continue;
      for (const Piece &piece : receives[i]) {
        piece.write(from);
        from += piece.numBytes();
      }
    }
  };
  return phase;
}

/// As makePhase, where `sends[self]` is what this member brings itself; in the
/// order of members, those in [0, end) are combined into `results`.
static Phase makeReduce(const std::vector<Pieces> &sends, const Pieces &results,
                        size_t self, size_t end, Reduction reduction) {
  std::vector<Pieces> receives(sends.size());
  for (size_t i = 0; i < end; ++i)
    receives[i] = results;
  Phase phase = makePhase(sends, receives, self);
  // Nothing is received in place: it is combined.
  for (Block &block : phase.receives)
    block.data = nullptr;
  phase.finish = [sends, results, self, end,
                  reduction](const std::vector<const char *> &received) {
    int64_t offset = 0;
    for (size_t part = 0; part < results.size(); ++part) {
      const Piece &result = results[part];
      int64_t bytes = result.numBytes();
      ElementType element = result.type.element;
      int64_t count = bytes / sizeOf(element);
      char *to = result.getDense();
      std::vector<char> own(bytes);
      if (self < end)
        sends[self][part].read(own.data());
      if (end == 0)
        fillNeutral(reduction, element, to, count);
      for (size_t i = 0; i < end && bytes > 0; ++i) {
        const char *from = i == self ? own.data() : received[i] + offset;
        if (i == 0)
          std::memcpy(to, from, bytes);
        else
          combine(reduction, element, from, to, count);
      }
      offset += bytes;
    }
  };
  return phase;
}

/// A tensor as one dimension, of which any slice is dense.
static TensorType flatten(const TensorType &type) {
  return {type.element, {type.numElements()}};
}

static std::vector<Phase> makeAllReduce(const Parts &parts, size_t self) {
  const Instruction &what = *parts[0].instruction;
  size_t size = what.group.size();
  int64_t bytes = 0;
  for (const TransferPart &part : parts)
    bytes += part.operandType->numBytes();
  bool direct = size <= 2 || bytes <= smallReduce;

  std::vector<Pieces> sends(size), slices(size);
  for (const TransferPart &part : parts) {
    TensorType type = flatten(*part.operandType);
    Piece operand = wholePiece(part.operand, type);
    Piece result = wholePiece(part.result, type);
    int64_t count = type.shape[0], share = count / size, rest = count % size;
    for (size_t i = 0; i < size; ++i) {
      int64_t begin = share * i + std::min<int64_t>(i, rest);
      int64_t end = begin + share + (int64_t(i) < rest ? 1 : 0);
      sends[i].push_back(direct ? operand : cut(operand, 0, begin, end));
      slices[i].push_back(direct ? result : cut(result, 0, begin, end));
    }
  }
  std::vector<Phase> phases;
  phases.push_back(makeReduce(sends, slices[self], self, size, what.reduction));
  if (direct)
    return phases;
  // The own slice is in its place: nothing is moved for `self`.
  std::vector<Pieces> sums(size, slices[self]), places = slices;
  sums[self].clear();
  places[self].clear();
  phases.push_back(makeMove(sums, places, self));
  phases.back().number = 1;
  return phases;
}

static std::vector<Phase> makeReduceScatter(const Parts &parts, size_t self) {
  const Instruction &what = *parts[0].instruction;
  size_t size = what.group.size();
  std::vector<Pieces> sends(size);
  Pieces results;
  for (const TransferPart &part : parts) {
    const Instruction &own = *part.instruction;
    Piece operand = wholePiece(part.operand, *part.operandType);
    for (size_t i = 0; i < size; ++i)
      sends[i].push_back(cut(operand, own.dimension, own.sizes, i));
    results.push_back(wholePiece(part.result, *part.resultType));
  }
  return {makeReduce(sends, results, self, size, what.reduction)};
}

static std::vector<Phase> makeExclusiveScan(const Parts &parts, size_t self) {
  const Instruction &what = *parts[0].instruction;
  std::vector<Pieces> sends(what.group.size());
  Pieces results;
  for (const TransferPart &part : parts) {
    for (size_t i = self + 1; i < sends.size(); ++i)
      sends[i].push_back(wholePiece(part.operand, *part.operandType));
    results.push_back(wholePiece(part.result, *part.resultType));
  }
  return {makeReduce(sends, results, self, self, what.reduction)};
}

static std::vector<Phase> makeAllGather(const Parts &parts, size_t self) {
  size_t size = parts[0].instruction->group.size();
  std::vector<Pieces> sends(size), receives(size);
  for (const TransferPart &part : parts) {
    const Instruction &own = *part.instruction;
    Piece result = wholePiece(part.result, *part.resultType);
    for (size_t i = 0; i < size; ++i) {
      sends[i].push_back(wholePiece(part.operand, *part.operandType));
      receives[i].push_back(cut(result, own.dimension, own.sizes, i));
    }
  }
  return {makeMove(sends, receives, self)};
}

static std::vector<Phase> makeAllToAll(const Parts &parts, size_t self) {
  size_t size = parts[0].instruction->group.size();
  std::vector<Pieces> sends(size), receives(size);
  for (const TransferPart &part : parts) {
    const Instruction &own = *part.instruction;
    Piece operand = wholePiece(part.operand, *part.operandType);
    Piece result = wholePiece(part.result, *part.resultType);
    Range had = getRange(own.sizes, self), gets = getRange(own.toSizes, self);
    for (size_t i = 0; i < size; ++i) {
      if (own.dimension != own.toDimension) {
        sends[i].push_back(cut(operand, own.toDimension, own.toSizes, i));
        receives[i].push_back(cut(result, own.dimension, own.sizes, i));
        continue;
      }
      // Other sizes of the same dimension: what one had and the other gets.
      auto common = [&](const Piece &piece, Range mine, Range other) {
        int64_t begin = std::max(mine.begin, other.begin);
        int64_t end = std::max(begin, std::min(mine.end, other.end));
        if (begin == end)
          begin = end = mine.begin;
        return cut(piece, own.dimension, begin - mine.begin, end - mine.begin);
      };
      sends[i].push_back(common(operand, had, getRange(own.toSizes, i)));
      receives[i].push_back(common(result, gets, getRange(own.sizes, i)));
    }
  }
  return {makeMove(sends, receives, self)};
}

/// Down a binomial tree: the member at distance d from the root gets the value
/// from the one whose distance lacks d's highest bit. What one member sends in
/// its second phase another receives in its first, so both have one number.
static std::vector<Phase> makeBroadcast(const Parts &parts, size_t self) {
  const Instruction &what = *parts[0].instruction;
  size_t size = what.group.size(), root = what.root;
  size_t distance = (self + size - root) % size;
  std::vector<Pieces> nothing(size), receives(size), sends(size);
  Pieces values;
  for (const TransferPart &part : parts)
    values.push_back(wholePiece(part.result, *part.resultType));
  size_t step = 1;
  while (step <= distance)
    step *= 2;
  std::vector<Phase> phases;
  if (distance != 0) {
    receives[(distance - step / 2 + root) % size] = values;
    phases.push_back(makeMove(nothing, receives, self));
  } else {
    Pieces own;
    for (const TransferPart &part : parts)
      own.push_back(wholePiece(part.operand, *part.operandType));
    sends[self] = own;
    receives[self] = values;
    phases.push_back(makeMove(sends, receives, self));
    sends[self].clear();
  }
  for (; distance + step < size; step *= 2)
    sends[(distance + step + root) % size] = values;
  phases.push_back(makeMove(sends, nothing, self));
  return phases;
}

/// A group of two, the sender first.
static std::vector<Phase> makeMessage(const Parts &parts, size_t self) {
  std::vector<Pieces> sends(2), receives(2);
  for (const TransferPart &part : parts) {
    if (self == 0)
      sends[1].push_back(wholePiece(part.operand, *part.operandType));
    else
      receives[0].push_back(wholePiece(part.result, *part.resultType));
  }
  return {makeMove(sends, receives, self)};
}

std::vector<Phase>
hetero::runtime::makePhases(const std::vector<TransferPart> &parts,
                            size_t self) {
  switch (parts[0].instruction->opcode) {
  case Opcode::AllReduce:
    return makeAllReduce(parts, self);
  case Opcode::ReduceScatter:
    return makeReduceScatter(parts, self);
  case Opcode::ExclusiveScan:
    return makeExclusiveScan(parts, self);
  case Opcode::AllGather:
    return makeAllGather(parts, self);
  case Opcode::AllToAll:
    return makeAllToAll(parts, self);
  case Opcode::Broadcast:
    return makeBroadcast(parts, self);
  default:
    return makeMessage(parts, self);
  }
}
