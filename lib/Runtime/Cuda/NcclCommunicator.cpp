//===- NcclCommunicator.cpp - Transfers between GPUs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/NcclCommunicator.h"
#include "hetero/Runtime/Elements.h"
#include <algorithm>
#include <numeric>

using namespace hetero::runtime;

NcclCommunicator::NcclCommunicator(Transport &transport, CudaDevice &device,
                                   CommunicatorOptions options)
    : Communicator(transport, options), device(device) {}

NcclCommunicator::~NcclCommunicator() {
  for (auto &[transfer, entered] : waiting)
    release(entered);
  for (Entered &entered : sends)
    release(entered);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The first member makes the id and gives it to the others, over the
/// transport.
Result<NcclId> NcclCommunicator::exchangeId(const Stream &stream) {
  int64_t rank = getTransport().getRank();
  bool isFirst = stream.group[0] == rank;
  NcclId id = {};
  if (isFirst) {
    Result<NcclId> made = device.getApi().makeNcclId();
    if (!made)
      return made;
    id = *made;
  }
  TensorType type = {ElementType::U8, {int64_t(id.size())}};
  NcclId received = id;
  Instruction what;
  what.label = "meet for NCCL";
  what.channel = stream.channel;
  what.group = stream.group;
  what.opcode = Opcode::Broadcast;
  if (stream.isMessage) {
    what.opcode = isFirst ? Opcode::Send : Opcode::Recv;
    what.peer = stream.group[isFirst ? 1 : 0];
  }
  TransferPart part;
  part.instruction = &what;
  if (isFirst) {
    part.operandType = &type;
    part.operand = id.data();
  }
  if (!isFirst || !stream.isMessage) {
    part.resultType = &type;
    part.result = received.data();
  }
  std::shared_ptr<Transfer> transfer = Communicator::start({part});
  if (MaybeError error = Communicator::wait(transfer))
    return Error{*error};
  return received;
}

MaybeError NcclCommunicator::open(const Program &program) {
  if (MaybeError error = Communicator::open(program))
    return error;
  // In the order of their numbers, which is that of all ranks: joining waits
  // for the others.
  std::map<int64_t, Stream> used;
  for (const Instruction &what : program.instructions)
    if (isCommunication(what.opcode)) {
      Stream stream = streamOf(what, program.rank);
      used[getStreamId(stream)] = stream;
    }
  for (const auto &[number, stream] : used) {
    Result<NcclId> id = exchangeId(stream);
    if (!id)
      return id.error();
    int64_t self =
        std::find(stream.group.begin(), stream.group.end(), program.rank) -
        stream.group.begin();
    Result<CudaHandle> group =
        device.getApi().joinGroup(*id, stream.group.size(), self);
    if (!group)
      return group.error();
    Result<CudaHandle> made = device.getApi().createStream();
    if (!made)
      return made.error();
    channels[stream] = {*group, *made};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {
/// The part of a dense tensor that has indices [begin, end) along one
/// dimension: as many rows as there are indices in front of the dimension.
struct Slab {
  char *data = nullptr;
  int64_t rows = 1, width = 0, pitch = 0;

  int64_t bytes() const { return rows * width; }
  bool isDense() const { return rows == 1 || width == pitch; }
};
} // namespace

static Slab makeSlab(const void *tensor, const TensorType &type,
                     int64_t dimension, int64_t begin, int64_t end) {
  Slab slab;
  int64_t inner = sizeOf(type.element);
  for (size_t d = 0; d < type.shape.size(); ++d) {
    if (int64_t(d) < dimension)
      slab.rows *= type.shape[d];
    if (int64_t(d) > dimension)
      inner *= type.shape[d];
  }
  slab.width = (end - begin) * inner;
  slab.pitch = type.shape[dimension] * inner;
  slab.data = static_cast<char *>(const_cast<void *>(tensor)) + begin * inner;
  return slab;
}

/// What each member has of `sizes` along a dimension.
static std::vector<Slab> makeSlabs(const void *tensor, const TensorType &type,
                                   int64_t dimension,
                                   const std::vector<int64_t> &sizes) {
  std::vector<Slab> slabs;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    slabs.push_back(makeSlab(tensor, type, dimension, begin, begin + size));
    begin += size;
  }
  return slabs;
}

static bool areEqual(const std::vector<int64_t> &sizes) {
  return std::adjacent_find(sizes.begin(), sizes.end(),
                            std::not_equal_to<>()) == sizes.end();
}

/// The instructions of one bucket as work for the device: what is copied
/// before, what NCCL does at once, what is copied after.
class NcclCommunicator::Work {
public:
  Work(CudaDevice &device, const Channel &channel, size_t self,
       std::vector<void *> &memory)
      : device(device), api(device.getApi()), channel(channel), self(self),
        memory(memory) {}

  MaybeError add(const TransferPart &part);
  MaybeError enter();

private:
  using Step = std::function<MaybeError()>;

  MaybeError addGather(const TransferPart &part);
  MaybeError addScatter(const TransferPart &part);
  MaybeError addExchange(const TransferPart &part);
  MaybeError addScan(const TransferPart &part);
  MaybeError checkReduction(const Instruction &what, ElementType type) const;

  /// Memory for the transfer; null after an error, which is kept.
  char *take(int64_t bytes);
  /// Copies a slab to or from a dense block, before or after.
  void pack(const Slab &slab, char *block, std::vector<Step> &steps);
  void unpack(const char *block, const Slab &slab);
  void copy(void *to, const void *from, int64_t bytes,
            std::vector<Step> &steps);

  CudaDevice &device;
  CudaApi &api;
  const Channel channel;
  const size_t self;
  std::vector<void *> &memory;
  std::vector<Step> before, calls, after;
  MaybeError failure;
};

char *NcclCommunicator::Work::take(int64_t bytes) {
  Result<void *> block = device.allocate(bytes, "block of a transfer");
  if (!block) {
    if (!failure)
      failure = block.error();
    return nullptr;
  }
  memory.push_back(*block);
  return static_cast<char *>(*block);
}

void NcclCommunicator::Work::copy(void *to, const void *from, int64_t bytes,
                                  std::vector<Step> &steps) {
  if (bytes > 0)
    steps.emplace_back(
        [=] { return api.copy(to, from, bytes, channel.stream); });
}

void NcclCommunicator::Work::pack(const Slab &slab, char *block,
                                  std::vector<Step> &steps) {
  if (slab.bytes() > 0)
    steps.emplace_back([=] {
      return api.copyRows(block, slab.width, slab.data, slab.pitch, slab.width,
                          slab.rows, channel.stream);
    });
}

void NcclCommunicator::Work::unpack(const char *block, const Slab &slab) {
  if (slab.bytes() > 0)
    after.emplace_back([=] {
      return api.copyRows(slab.data, slab.pitch, block, slab.width, slab.width,
                          slab.rows, channel.stream);
    });
}

/// NCCL reduces numbers; of bits it has those of booleans.
MaybeError NcclCommunicator::Work::checkReduction(const Instruction &what,
                                                  ElementType type) const {
  bool isBits =
      (what.reduction == Reduction::And || what.reduction == Reduction::Or) &&
      type != ElementType::Bool;
  bool isShort = type == ElementType::I16 || type == ElementType::U16;
  if (!isBits && !isShort)
    return std::nullopt;
  return std::string("the ") + nameOf(what.reduction) + " of " + nameOf(type) +
         " between ranks is not supported by NCCL";
}

MaybeError NcclCommunicator::Work::addGather(const TransferPart &part) {
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

MaybeError NcclCommunicator::Work::addScatter(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  ElementType type = part.operandType->element;
  if (MaybeError error = checkReduction(what, type))
    return error;
  int64_t size = sizeOf(type);
  std::vector<Slab> places =
      makeSlabs(part.operand, *part.operandType, what.dimension, what.sizes);
  bool isDense = std::all_of(places.begin(), places.end(),
                             [](const Slab &slab) { return slab.isDense(); });
  int64_t own = part.resultType->numBytes(), largest = 0;
  for (const Slab &slab : places)
    largest = std::max(largest, slab.bytes());
  bool isPadded = what.algorithm == Algorithm::Padded && !areEqual(what.sizes);
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

MaybeError NcclCommunicator::Work::addExchange(const TransferPart &part) {
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
    if (i == self) {
      copy(in, out, to.bytes(), before);
    } else {
      if (int64_t bytes = from.bytes())
        calls.emplace_back([=] {
          return api.send(out, bytes, ElementType::U8, i, channel.group,
                          channel.stream);
        });
      if (int64_t bytes = to.bytes())
        calls.emplace_back([=] {
          return api.receive(in, bytes, ElementType::U8, i, channel.group,
                             channel.stream);
        });
    }
    if (in != to.data)
      unpack(in, to);
  }
  return std::nullopt;
}

MaybeError NcclCommunicator::Work::addScan(const TransferPart &part) {
  const Instruction &what = *part.instruction;
  ElementType type = part.operandType->element;
  if (MaybeError error = checkReduction(what, type))
    return error;
  int64_t count = part.operandType->numElements();
  int64_t bytes = part.operandType->numBytes();
  char *neutral = take(bytes);
  if (failure)
    return failure;
  std::vector<char> values(bytes);
  fillNeutral(what.reduction, type, values.data(), count);
  before.emplace_back(
      [=] { return api.write(neutral, values.data(), bytes, channel.stream); });
  Reduction reduction = what.reduction;
  for (size_t root = 0; root < what.group.size(); ++root) {
    const void *from = self < root ? part.operand : neutral;
    void *to = self == root ? part.result : nullptr;
    calls.emplace_back([=] {
      return api.reduce(from, to, count, type, reduction, root, channel.group,
                        channel.stream);
    });
  }
  return std::nullopt;
}

MaybeError NcclCommunicator::Work::add(const TransferPart &part) {
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
  // A group of sends and receives is {sender, receiver}.
  int64_t other = 1 - static_cast<int64_t>(self);
  switch (what.opcode) {
  case Opcode::Send:
    calls.emplace_back([=] {
      return api.send(from, count, element, other, channel.group,
                      channel.stream);
    });
    return std::nullopt;
  case Opcode::Recv:
    calls.emplace_back([=] {
      return api.receive(to, count, element, other, channel.group,
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
    if (MaybeError error = checkReduction(what, element))
      return error;
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

MaybeError NcclCommunicator::Work::enter() {
  for (const Step &step : before)
    if (MaybeError error = step())
      return error;
  bool isGroup = calls.size() > 1;
  if (isGroup)
    if (MaybeError error = api.beginGroup())
      return error;
  for (const Step &step : calls)
    if (MaybeError error = step())
      return error;
  if (isGroup)
    if (MaybeError error = api.endGroup())
      return error;
  for (const Step &step : after)
    if (MaybeError error = step())
      return error;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

void NcclCommunicator::release(Entered &entered) {
  if (entered.hasEvent)
    device.getApi().release(entered.event);
  for (void *block : entered.memory)
    device.release(block);
}

void NcclCommunicator::releaseDone() {
  std::vector<Entered> open;
  for (Entered &entered : sends)
    if (!entered.hasEvent || device.getApi().hasHappened(entered.event))
      release(entered);
    else
      open.push_back(std::move(entered));
  sends = std::move(open);
}

MaybeError NcclCommunicator::enter(const std::vector<TransferPart> &parts,
                                   bool copy, Entered &entered) {
  CudaApi &api = device.getApi();
  int64_t rank = getTransport().getRank();
  Stream stream = streamOf(*parts[0].instruction, rank);
  auto found = channels.find(stream);
  if (found == channels.end())
    return "'" + parts[0].instruction->label + "' is not of an opened program";
  const Channel &channel = found->second;
  size_t self = std::find(stream.group.begin(), stream.group.end(), rank) -
                stream.group.begin();
  Work work(device, channel, self, entered.memory);
  for (TransferPart part : parts) {
    if (copy && part.operand) {
      Result<void *> block =
          device.allocate(part.operandType->numBytes(), "copy to send");
      if (!block)
        return block.error();
      entered.memory.push_back(*block);
      if (MaybeError error =
              device.copy(*block, part.operand, part.operandType->numBytes()))
        return error;
      part.operand = *block;
    }
    if (MaybeError error = work.add(part))
      return error;
  }
  Result<CudaHandle> computed = api.record(device.getStream());
  if (!computed)
    return computed.error();
  MaybeError error = api.await(channel.stream, *computed);
  api.release(*computed);
  if (error)
    return error;
  if (MaybeError failed = work.enter())
    return failed;
  Result<CudaHandle> done = api.record(channel.stream);
  if (!done)
    return done.error();
  entered.event = *done;
  entered.hasEvent = true;
  return std::nullopt;
}

std::shared_ptr<Transfer>
NcclCommunicator::start(const std::vector<TransferPart> &parts, bool copy) {
  const Instruction &what = *parts[0].instruction;
  auto transfer = std::make_shared<Transfer>();
  transfer->label = what.label;
  transfer->opcode = what.opcode;
  transfer->channel = what.channel;
  transfer->group = streamOf(what, getTransport().getRank()).group;
  transfer->begin = Clock::now();
  releaseDone();
  Entered entered;
  entered.error = enter(parts, copy, entered);
  if (entered.error)
    getTransport().abort("rank " + std::to_string(getTransport().getRank()) +
                         ": '" + what.label + "': " + *entered.error);
  // The executor does not wait for a send that has its copy.
  if (copy)
    sends.push_back(std::move(entered));
  else
    waiting[transfer.get()] = std::move(entered);
  transfer->end = Clock::now();
  transfer->done = true;
  return transfer;
}

MaybeError NcclCommunicator::wait(const std::shared_ptr<Transfer> &transfer) {
  auto found = waiting.find(transfer.get());
  // Instructions of one bucket share a transfer; the first has waited.
  if (found == waiting.end())
    return std::nullopt;
  Entered entered = std::move(found->second);
  waiting.erase(found);
  if (entered.error)
    return entered.error;
  MaybeError error = device.getApi().await(device.getStream(), entered.event);
  release(entered);
  transfer->end = Clock::now();
  return error;
}
