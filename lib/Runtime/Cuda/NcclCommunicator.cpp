//===- NcclCommunicator.cpp - Transfers between GPUs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/NcclCommunicator.h"
#include "Slab.h"
#include "hetero/Runtime/Elements.h"
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

using namespace hetero::runtime;

NcclCommunicator::NcclCommunicator(Transport &transport, CudaDevice &device,
                                   CommunicatorOptions options)
    : Communicator(transport, options), device(device) {}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// All ranks that any rank exchanges messages with, in order.
static std::vector<int64_t>
getMessengers(const std::vector<std::vector<TransferEvent>> &events) {
  std::set<int64_t> ranks;
  for (const auto &list : events)
    for (const TransferEvent &event : list)
      if (event.name.stream.isMessage)
        ranks.insert(event.name.stream.group.begin(),
                     event.name.stream.group.end());
  return {ranks.begin(), ranks.end()};
}

/// The first member of each group makes its id; all exchange what they made.
/// Groups are joined in one order, because joining waits for the other members.
MaybeError NcclCommunicator::joinGroups(
    const std::vector<std::vector<TransferEvent>> &events) {
  messengers = getMessengers(events);
  std::set<std::vector<int64_t>> all;
  if (!messengers.empty())
    all.insert(messengers);
  for (const auto &list : events)
    for (const TransferEvent &event : list)
      if (!event.name.stream.isMessage)
        all.insert(event.name.stream.group);
  int64_t rank = getTransport().getRank();
  std::string made;
  for (const std::vector<int64_t> &group : all) {
    if (group[0] != rank)
      continue;
    Result<NcclId> id = device.getApi().makeNcclId();
    if (!id)
      return id.error();
    made.append(id->data(), id->size());
  }
  Result<std::vector<std::string>> ids = exchange("meet for NCCL", made);
  if (!ids)
    return ids.error();
  std::vector<size_t> used(ids->size());
  for (const std::vector<int64_t> &group : all) {
    NcclId id;
    const std::string &text = (*ids)[group[0]];
    size_t begin = used[group[0]];
    used[group[0]] += id.size();
    auto self = std::find(group.begin(), group.end(), rank);
    if (self == group.end())
      continue;
    if (begin + id.size() > text.size())
      return "rank " + std::to_string(group[0]) + " has made " +
             std::to_string(text.size() / id.size()) +
             " ids for NCCL, and more are needed";
    std::copy_n(text.begin() + begin, id.size(), id.begin());
    Result<CudaHandle> joined =
        device.getApi().joinGroup(id, group.size(), self - group.begin());
    if (!joined)
      return joined.error();
    groups[group] = *joined;
  }
  return std::nullopt;
}

MaybeError NcclCommunicator::agreeOnOrder(const Program &program) {
  Result<std::vector<std::string>> texts = exchange(
      "order of transfers", writeTransferEvents(listTransferEvents(program)));
  if (!texts)
    return texts.error();
  std::vector<std::vector<TransferEvent>> events;
  for (const std::string &text : *texts) {
    Result<std::vector<TransferEvent>> list = readTransferEvents(text);
    if (!list)
      return list.error();
    events.push_back(std::move(*list));
  }
  Result<std::map<TransferName, int64_t>> instants = orderTransfers(events);
  if (!instants)
    return instants.error();
  for (const TransferEvent &event : events[program.rank])
    if (!event.isWait)
      turns.push_back({event.name, instants->at(event.name)});
  std::sort(turns.begin(), turns.end(), [](const Turn &a, const Turn &b) {
    auto key = [](const Turn &turn) {
      return std::make_tuple(turn.instant, !turn.name.stream.isMessage,
                             std::cref(turn.name));
    };
    return key(a) < key(b);
  });
  return joinGroups(events);
}

MaybeError NcclCommunicator::open(const Program &program) {
  if (MaybeError error = Communicator::open(program))
    return error;
  Result<CudaHandle> made = device.getApi().createStream();
  if (!made)
    return made.error();
  stream = *made;
  return agreeOnOrder(program);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static bool areEqual(const std::vector<int64_t> &sizes) {
  return std::adjacent_find(sizes.begin(), sizes.end(),
                            std::not_equal_to<>()) == sizes.end();
}

/// The instructions of one bucket as work for the device: what is copied
/// before, what NCCL does at once, what is copied after.
class NcclCommunicator::Work {
public:
  /// Where transfers of a group go. `self` is the position of this rank in it,
  /// `peer` that of the other one of a message.
  struct Channel {
    CudaHandle group = 0, stream = 0;
    int64_t self = 0, peer = 0;
  };
  using Step = std::function<MaybeError()>;

  Work(NcclCommunicator &communicator, const Channel &channel,
       std::vector<void *> &memory)
      : communicator(communicator), device(communicator.device),
        api(device.getApi()), channel(channel), self(channel.self),
        memory(memory) {}

  MaybeError add(const TransferPart &part);

  /// What comes before, at once, and after.
  const std::vector<Step> &getBefore() const { return before; }
  const std::vector<Step> &getCalls() const { return calls; }
  const std::vector<Step> &getAfter() const { return after; }

private:
  MaybeError addGather(const TransferPart &part);
  MaybeError addScatter(const TransferPart &part);
  MaybeError addExchange(const TransferPart &part);
  MaybeError addScan(const TransferPart &part);
  MaybeError addOwnReduction(const TransferPart &part);
  MaybeError addOwnScatter(const TransferPart &part,
                           const std::vector<char *> &blocks,
                           const std::vector<Slab> &places);
  /// The neutral value in every element; null after an error, which is kept.
  /// What joins a sum of floats is -0, which leaves the sign of a zero alone.
  const void *getNeutral(Reduction reduction, const TensorType &type,
                         bool isSummand = false);
  /// Sends bytes to a member and receives some from it, if there are any.
  void addMessages(int64_t member, const char *out, int64_t outBytes, char *in,
                   int64_t inBytes);
  /// To `to` what all members gave, which lies one after the other from
  /// `parts` on, in their order; after.
  void combineAll(const Instruction &what, const TensorType &type,
                  const char *parts, size_t numParts, void *to);

  /// Memory for the transfer; null after an error, which is kept.
  char *take(int64_t bytes);
  /// Copies a slab to or from a dense block, before or after.
  void pack(const Slab &slab, char *block, std::vector<Step> &steps);
  void unpack(const char *block, const Slab &slab);
  void copy(void *to, const void *from, int64_t bytes,
            std::vector<Step> &steps);

  NcclCommunicator &communicator;
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

/// NCCL has no numbers of 16 bits but floats, and of bits it reduces those of
/// booleans, which are the lesser or the greater byte.
static bool isReducedByNccl(Reduction reduction, ElementType type) {
  bool isBits = reduction == Reduction::And || reduction == Reduction::Or;
  bool isShort = type == ElementType::I16 || type == ElementType::U16;
  return !isShort && (!isBits || type == ElementType::Bool);
}

void NcclCommunicator::Work::combineAll(const Instruction &what,
                                        const TensorType &type,
                                        const char *parts, size_t numParts,
                                        void *to) {
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
MaybeError NcclCommunicator::Work::addOwnReduction(const TransferPart &part) {
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

void NcclCommunicator::Work::addMessages(int64_t member, const char *out,
                                         int64_t outBytes, char *in,
                                         int64_t inBytes) {
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

/// Every member gets its part of the operand of each, which lie in `blocks`.
MaybeError
NcclCommunicator::Work::addOwnScatter(const TransferPart &part,
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

MaybeError NcclCommunicator::Work::addScatter(const TransferPart &part) {
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
    if (i == self)
      copy(in, out, to.bytes(), before);
    else
      addMessages(i, out, from.bytes(), in, to.bytes());
    if (in != to.data)
      unpack(in, to);
  }
  return std::nullopt;
}

const void *NcclCommunicator::Work::getNeutral(Reduction reduction,
                                               const TensorType &type,
                                               bool isSummand) {
  bool isFloat = type.element >= ElementType::F16;
  isSummand &= isFloat && reduction == Reduction::Sum;
  int64_t count = type.numElements();
  std::vector<char> &values =
      communicator.neutrals[{reduction, type.element, count, isSummand}];
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

MaybeError NcclCommunicator::Work::addScan(const TransferPart &part) {
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

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

NcclCommunicator::~NcclCommunicator() {
  for (auto &[name, started] : ready)
    release(*started);
  for (auto &[transfer, started] : waiting)
    release(*started);
  for (std::unique_ptr<Started> &started : sends)
    release(*started);
}

void NcclCommunicator::release(Started &started) {
  for (std::optional<CudaHandle> event : {started.computed, started.done})
    if (event)
      device.getApi().release(*event);
  for (void *block : started.memory)
    device.release(block);
}

void NcclCommunicator::releaseSends(int64_t before) {
  // They are in the order in which they were entered.
  auto end = std::find_if(sends.begin(), sends.end(), [&](auto &started) {
    return started->number >= before;
  });
  for (auto it = sends.begin(); it != end; ++it)
    release(**it);
  sends.erase(sends.begin(), end);
}

/// Says what the transfer will do, with memory and copies that it needs.
MaybeError NcclCommunicator::prepare(const std::vector<TransferPart> &parts,
                                     bool copy, Started &started) {
  int64_t rank = getTransport().getRank();
  Stream named = streamOf(*parts[0].instruction, rank);
  const std::vector<int64_t> &group =
      named.isMessage ? messengers : named.group;
  auto joined = groups.find(group);
  if (joined == groups.end())
    return "'" + parts[0].instruction->label + "' is not of an opened program";
  auto find = [&](int64_t member) {
    return std::find(group.begin(), group.end(), member) - group.begin();
  };
  Work::Channel channel = {joined->second, stream, find(rank), 0};
  if (named.isMessage)
    channel.peer = find(parts[0].instruction->peer);
  started.work = std::make_unique<Work>(*this, channel, started.memory);
  for (TransferPart part : parts) {
    if (copy && part.operand) {
      int64_t bytes = part.operandType->numBytes();
      Result<void *> block = device.allocate(bytes, "copy to send");
      if (!block)
        return block.error();
      started.memory.push_back(*block);
      if (MaybeError error = device.copy(*block, part.operand, bytes))
        return error;
      part.operand = *block;
    }
    if (MaybeError error = started.work->add(part))
      return error;
  }
  Result<CudaHandle> computed = device.getApi().record(device.getStream());
  if (!computed)
    return computed.error();
  started.computed = *computed;
  return std::nullopt;
}

static MaybeError
runAll(const std::vector<std::function<MaybeError()>> &steps) {
  for (const auto &step : steps)
    if (MaybeError error = step())
      return error;
  return std::nullopt;
}

/// Transfers whose turn it is; more than one are messages of one instant.
MaybeError NcclCommunicator::enter(const std::vector<Started *> &transfers) {
  CudaApi &api = device.getApi();
  size_t numCalls = 0;
  for (Started *started : transfers) {
    started->number = numEntered++;
    MaybeError error = api.await(stream, *started->computed);
    api.release(*std::exchange(started->computed, std::nullopt));
    if (!error)
      error = runAll(started->work->getBefore());
    if (error)
      return error;
    numCalls += started->work->getCalls().size();
  }
  bool isTraced = device.hasMarks();
  int64_t begin = isTraced ? device.mark(stream) : 0;
  if (numCalls > 1)
    if (MaybeError error = api.beginGroup())
      return error;
  MaybeError failed;
  for (Started *started : transfers)
    if (!failed)
      failed = runAll(started->work->getCalls());
  if (numCalls > 1)
    if (MaybeError error = api.endGroup(); error && !failed)
      failed = error;
  if (failed)
    return failed;
  for (Started *started : transfers) {
    if (MaybeError error = runAll(started->work->getAfter()))
      return error;
    Result<CudaHandle> done = api.record(stream);
    if (!done)
      return done.error();
    started->done = *done;
    started->work.reset();
    if (isTraced)
      started->transfer->marks = {begin, device.mark(stream)};
  }
  return std::nullopt;
}

MaybeError NcclCommunicator::enterReady() {
  while (nextTurn < turns.size()) {
    size_t end = nextTurn + 1;
    auto isWithFirst = [&](const Turn &turn) {
      return turn.instant == turns[nextTurn].instant &&
             turn.name.stream.isMessage &&
             turns[nextTurn].name.stream.isMessage;
    };
    while (end < turns.size() && isWithFirst(turns[end]))
      ++end;
    std::vector<Started *> together;
    for (size_t i = nextTurn; i < end; ++i) {
      auto found = ready.find(turns[i].name);
      if (found == ready.end())
        return std::nullopt;
      together.push_back(found->second.get());
    }
    if (MaybeError error = enter(together))
      return error;
    for (size_t i = nextTurn; i < end; ++i) {
      std::unique_ptr<Started> started =
          std::move(ready.extract(turns[i].name).mapped());
      if (started->isAlone)
        sends.push_back(std::move(started));
      else
        waiting[started->transfer.get()] = std::move(started);
    }
    nextTurn = end;
  }
  // The step has started all that it has.
  nextTurn = 0;
  sequences.clear();
  return std::nullopt;
}

std::shared_ptr<Transfer>
NcclCommunicator::start(const std::vector<TransferPart> &parts, bool copy) {
  const Instruction &what = *parts[0].instruction;
  int64_t rank = getTransport().getRank();
  Stream named = streamOf(what, rank);
  auto transfer = std::make_shared<Transfer>();
  transfer->label = what.label;
  transfer->opcode = what.opcode;
  transfer->channel = what.channel;
  transfer->group = named.group;
  transfer->begin = Clock::now();
  auto started = std::make_unique<Started>();
  started->transfer = transfer;
  // The executor does not wait for a send that has its copy.
  started->isAlone = copy;
  MaybeError error = prepare(parts, copy, *started);
  if (!error) {
    ready[{named, sequences[named]++}] = std::move(started);
    error = enterReady();
  }
  if (error) {
    getTransport().abort("rank " + std::to_string(rank) + ": '" + what.label +
                         "': " + *error);
    if (started)
      release(*started);
    failed[transfer.get()] = *error;
  }
  transfer->end = Clock::now();
  transfer->done = true;
  return transfer;
}

MaybeError NcclCommunicator::wait(const std::shared_ptr<Transfer> &transfer) {
  if (auto error = failed.find(transfer.get()); error != failed.end())
    return error->second;
  for (const auto &[name, started] : ready)
    if (started->transfer == transfer)
      return "'" + transfer->label + "' is waited for before its turn";
  auto found = waiting.find(transfer.get());
  // Instructions of one bucket share a transfer; the first has waited.
  if (found == waiting.end())
    return std::nullopt;
  std::unique_ptr<Started> started = std::move(found->second);
  waiting.erase(found);
  MaybeError error = device.getApi().await(device.getStream(), *started->done);
  release(*started);
  releaseSends(started->number);
  transfer->end = Clock::now();
  return error;
}

MaybeError NcclCommunicator::endStep() {
  if (sends.empty())
    return std::nullopt;
  MaybeError error =
      device.getApi().await(device.getStream(), *sends.back()->done);
  releaseSends(numEntered);
  return error;
}
