//===- NcclWork.cpp - A transfer as calls of NCCL -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NcclWork.h"
#include "hetero/Runtime/Elements.h"
#include <algorithm>
#include <numeric>

using namespace hetero::runtime;

static bool areEqual(const std::vector<int64_t> &sizes) {
  return std::adjacent_find(sizes.begin(), sizes.end(),
                            std::not_equal_to<>()) == sizes.end();
}

char *NcclWork::take(int64_t bytes) {
  Result<void *> block = device.allocate(bytes, "block of a transfer");
  if (!block) {
    if (!failure)
      failure = block.error();
    return nullptr;
  }
  memory.push_back(*block);
  return static_cast<char *>(*block);
}

void NcclWork::copy(void *to, const void *from, int64_t bytes,
                    std::vector<Step> &steps) {
  if (bytes > 0)
    steps.emplace_back(
        [=] { return api.copy(to, from, bytes, channel.stream); });
}

void NcclWork::pack(const Slab &slab, char *block, std::vector<Step> &steps) {
  if (slab.bytes() > 0)
    steps.emplace_back([=] {
      return api.copyRows(block, slab.width, slab.data, slab.pitch, slab.width,
                          slab.rows, channel.stream);
    });
}

void NcclWork::unpack(const char *block, const Slab &slab) {
  if (slab.bytes() > 0)
    after.emplace_back([=] {
      return api.copyRows(slab.data, slab.pitch, block, slab.width, slab.width,
                          slab.rows, channel.stream);
    });
}

/// NCCL has no numbers of 16 bits but floats, and of bits it reduces those of
/// booleans, which are the lesser or the greater byte.
static bool isReducedByNccl(Reduction reduction, ElementType type) {
  bool isBits = reduction == Reduction::And || reduction == Reduction::Or;
  bool isShort = type == ElementType::I16 || type == ElementType::U16;
  return !isShort && (!isBits || type == ElementType::Bool);
}

void NcclWork::combineAll(const Instruction &what, const TensorType &type,
                          const char *parts, size_t numParts, void *to) {
  int64_t bytes = type.numBytes(), count = type.numElements();
  copy(to, parts, bytes, after);
  for (size_t i = 1; i < numParts; ++i)
    after.emplace_back([=, reduction = what.reduction, element = type.element] {
      return device.combine(reduction, element, parts + i * bytes, to, count,
                            channel.stream);
    });
}

/// An all-reduce or a scan of what NCCL does not reduce: every member gathers
/// the operands of all.
MaybeError NcclWork::addOwnReduction(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  int64_t bytes = part.operandType->numBytes();
  char *all = take(bytes * what.group.size());
  if (failure)
    return failure;
  const void *from = part.operand;
  calls.emplace_back([=] {
    return api.allGather(from, all, bytes, ElementType::U8, channel.group,
                         channel.stream);
  });
  bool isScan = what.opcode == Opcode::ExclusiveScan;
  if (!isScan || self > 0) {
    combineAll(what, *part.operandType, all, isScan ? self : what.group.size(),
               part.result);
    return failure;
  }
  const void *neutral = getNeutral(what.reduction, *part.operandType);
  copy(part.result, neutral, bytes, after);
  return failure;
}

void NcclWork::addMessages(int64_t member, const char *out, int64_t outBytes,
                           char *in, int64_t inBytes) {
  if (outBytes > 0)
    calls.emplace_back([=] {
      return api.send(out, outBytes, ElementType::U8, member, channel.group,
                      channel.stream);
    });
  if (inBytes > 0)
    calls.emplace_back([=] {
      return api.receive(in, inBytes, ElementType::U8, member, channel.group,
                         channel.stream);
    });
}

MaybeError NcclWork::addGather(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  std::vector<Slab> places =
      makeSlabs(part.result, *part.resultType, what.dimension, what.sizes);
  bool isDense = std::all_of(places.begin(), places.end(),
                             [](const Slab &slab) { return slab.isDense(); });
  int64_t own = part.operandType->numBytes(), largest = 0;
  for (const Slab &slab : places)
    largest = std::max(largest, slab.bytes());
  bool isPadded = what.algorithm == Algorithm::Padded && !areEqual(what.sizes);
  // Where the parts of members arrive.
  std::vector<char *> blocks;
  char *block = isDense && !isPadded ? static_cast<char *>(part.result)
                : isPadded           ? take(largest * places.size())
                                     : take(part.resultType->numBytes());
  for (const Slab &slab : places) {
    blocks.push_back(block);
    block += isPadded ? largest : slab.bytes();
  }
  if (failure)
    return failure;
  const void *from = part.operand;
  if (isPadded && own != largest) {
    char *padded = take(largest);
    copy(padded, from, own, before);
    from = padded;
  }
  if (isPadded || areEqual(what.sizes)) {
    calls.emplace_back([=] {
      return api.allGather(from, blocks[0], largest, ElementType::U8,
                           channel.group, channel.stream);
    });
  } else {
    for (size_t i = 0; i < places.size(); ++i)
      if (int64_t bytes = places[i].bytes())
        calls.emplace_back([=] {
          return api.broadcast(i == self ? from : nullptr, blocks[i], bytes,
                               ElementType::U8, i, channel.group,
                               channel.stream);
        });
  }
  if (!isDense || isPadded)
    for (size_t i = 0; i < places.size(); ++i)
      unpack(blocks[i], places[i]);
  return failure;
}

/// Every member gets its part of the operand of each, which lie in `blocks`.
MaybeError NcclWork::addOwnScatter(const TransferPart &part,
                                   const std::vector<char *> &blocks,
                                   const std::vector<Slab> &places) {
  int64_t own = part.resultType->numBytes();
  char *parts = take(own * places.size());
  if (failure)
    return failure;
  for (size_t i = 0; i < places.size(); ++i)
    if (i == self)
      copy(parts + i * own, blocks[i], own, before);
    else
      addMessages(i, blocks[i], places[i].bytes(), parts + i * own, own);
  combineAll(*part.instruction, *part.resultType, parts, places.size(),
             part.result);
  return std::nullopt;
}

MaybeError NcclWork::addScatter(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  ElementType type = part.operandType->element;
  bool isOwn = !isReducedByNccl(what.reduction, type);
  int64_t size = sizeOf(type);
  std::vector<Slab> places =
      makeSlabs(part.operand, *part.operandType, what.dimension, what.sizes);
  bool isDense = std::all_of(places.begin(), places.end(),
                             [](const Slab &slab) { return slab.isDense(); });
  int64_t own = part.resultType->numBytes(), largest = 0;
  for (const Slab &slab : places)
    largest = std::max(largest, slab.bytes());
  bool isPadded =
      what.algorithm == Algorithm::Padded && !areEqual(what.sizes) && !isOwn;
  std::vector<char *> blocks;
  char *block = isDense && !isPadded ? places[0].data
                : isPadded           ? take(largest * places.size())
                                     : take(part.operandType->numBytes());
  for (const Slab &slab : places) {
    blocks.push_back(block);
    if (!isDense || isPadded)
      pack(slab, block, before);
    block += isPadded ? largest : slab.bytes();
  }
  if (failure)
    return failure;
  if (isOwn)
    return addOwnScatter(part, blocks, places);
  Reduction reduction = what.reduction;
  if (isPadded || areEqual(what.sizes)) {
    void *to = isPadded && own != largest ? take(largest) : part.result;
    calls.emplace_back([=] {
      return api.reduceScatter(blocks[0], to, largest / size, type, reduction,
                               channel.group, channel.stream);
    });
    if (to != part.result)
      copy(part.result, to, own, after);
    return failure;
  }
  for (size_t i = 0; i < places.size(); ++i)
    if (int64_t bytes = places[i].bytes())
      calls.emplace_back([=] {
        return api.reduce(blocks[i], i == self ? part.result : nullptr,
                          bytes / size, type, reduction, i, channel.group,
                          channel.stream);
      });
  return std::nullopt;
}

MaybeError NcclWork::addExchange(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  std::vector<Slab> sends, receives;
  if (what.dimension != what.toDimension) {
    sends = makeSlabs(part.operand, *part.operandType, what.toDimension,
                      what.toSizes);
    receives =
        makeSlabs(part.result, *part.resultType, what.dimension, what.sizes);
  } else {
    // Other sizes of the same dimension: what one had and the other gets.
    auto begin = [](const std::vector<int64_t> &sizes, size_t member) {
      return std::accumulate(sizes.begin(), sizes.begin() + member, int64_t(0));
    };
    auto common = [&](const void *tensor, const TensorType &type,
                      const std::vector<int64_t> &mine,
                      const std::vector<int64_t> &theirs, size_t member) {
      int64_t origin = begin(mine, self);
      int64_t low = std::max(origin, begin(theirs, member));
      int64_t high =
          std::min(origin + mine[self], begin(theirs, member) + theirs[member]);
      if (high <= low)
        low = high = origin;
      return makeSlab(tensor, type, what.dimension, low - origin,
                      high - origin);
    };
    for (size_t i = 0; i < what.group.size(); ++i) {
      sends.push_back(
          common(part.operand, *part.operandType, what.sizes, what.toSizes, i));
      receives.push_back(
          common(part.result, *part.resultType, what.toSizes, what.sizes, i));
    }
  }
  for (size_t i = 0; i < sends.size(); ++i) {
    const Slab from = sends[i], to = receives[i];
    char *out = from.isDense() ? from.data : take(from.bytes());
    char *in = to.isDense() ? to.data : take(to.bytes());
    if (failure)
      return failure;
    if (out != from.data)
      pack(from, out, before);
    if (i == self)
      copy(in, out, to.bytes(), before);
    else
      addMessages(i, out, from.bytes(), in, to.bytes());
    if (in != to.data)
      unpack(in, to);
  }
  return std::nullopt;
}

const void *NcclWork::getNeutral(Reduction reduction, const TensorType &type,
                                 bool isSummand) {
  bool isFloat = type.element >= ElementType::F16;
  isSummand &= isFloat && reduction == Reduction::Sum;
  int64_t count = type.numElements();
  std::vector<char> &values =
      neutrals[{reduction, type.element, count, isSummand}];
  if (values.empty()) {
    values.resize(type.numBytes());
    fillNeutral(reduction, type.element, values.data(), count);
    int64_t number = sizeOf(type.element);
    if (type.element >= ElementType::C64)
      number /= 2;
    for (size_t end = number; isSummand && end <= values.size(); end += number)
      values[end - 1] = char(0x80);
  }
  const void *neutral = device.getConstant(values.data(), values.size());
  if (!neutral && !failure)
    failure = device.takeError();
  return neutral;
}

MaybeError NcclWork::addScan(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  ElementType type = part.operandType->element;
  if (!isReducedByNccl(what.reduction, type))
    return addOwnReduction(part);
  int64_t count = part.operandType->numElements();
  const void *first = getNeutral(what.reduction, *part.operandType);
  const void *others =
      getNeutral(what.reduction, *part.operandType, /*isSummand=*/true);
  if (failure)
    return failure;
  Reduction reduction = what.reduction;
  for (size_t root = 0; root < what.group.size(); ++root) {
    const void *from = self < root ? part.operand : root == 0 ? first : others;
    void *to = self == root ? part.result : nullptr;
    calls.emplace_back([=] {
      return api.reduce(from, to, count, type, reduction, root, channel.group,
                        channel.stream);
    });
  }
  return std::nullopt;
}

MaybeError NcclWork::add(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  const TensorType &type =
      part.operandType ? *part.operandType : *part.resultType;
  int64_t count = type.numElements();
  if (count == 0 && what.opcode != Opcode::AllGather &&
      what.opcode != Opcode::ReduceScatter && what.opcode != Opcode::AllToAll)
    return std::nullopt;
  const void *from = part.operand;
  void *to = part.result;
  ElementType element = type.element;
  switch (what.opcode) {
  case Opcode::Send:
    calls.emplace_back([=] {
      return api.send(from, count, element, channel.peer, channel.group,
                      channel.stream);
    });
    return std::nullopt;
  case Opcode::Recv:
    calls.emplace_back([=] {
      return api.receive(to, count, element, channel.peer, channel.group,
                         channel.stream);
    });
    return std::nullopt;
  case Opcode::Broadcast:
    calls.emplace_back([=, root = what.root] {
      return api.broadcast(from, to, count, element, root, channel.group,
                           channel.stream);
    });
    return std::nullopt;
  case Opcode::AllReduce:
    if (!isReducedByNccl(what.reduction, element))
      return addOwnReduction(part);
    calls.emplace_back([=, reduction = what.reduction] {
      return api.allReduce(from, to, count, element, reduction, channel.group,
                           channel.stream);
    });
    return std::nullopt;
  case Opcode::AllGather:
    return addGather(part);
  case Opcode::ReduceScatter:
    return addScatter(part);
  case Opcode::AllToAll:
    return addExchange(part);
  case Opcode::ExclusiveScan:
    return addScan(part);
  default:
    return std::string("'") + nameOf(what.opcode) + "' does not communicate";
  }
}
