//===- NcclCommunicator.cpp - Transfers between GPUs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/NcclCommunicator.h"
#include "NcclWork.h"
#include "TransferWatch.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace hetero::runtime;

NcclCommunicator::NcclCommunicator(Transport &transport, CudaDevice &device,
                                   CommunicatorOptions options)
    : Communicator(transport, options), device(device),
      watch(std::make_unique<TransferWatch>(transport, options.patience,
                                            device.getName())) {}

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

/// " with ranks 0 and 2".
static std::string listRanks(const char *word,
                             const std::vector<int64_t> &ranks) {
  std::string text;
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 == ranks.size() ? " and "
                                     : ", ") +
            std::to_string(ranks[i]);
  return ranks.empty()
             ? ""
             : word + std::string(ranks.size() > 1 ? " ranks " : " rank ") +
                   text;
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
    TransferWatch::Awaited others = {"the communicator of NCCL", {}, {}};
    for (int64_t member : group)
      if (member != rank)
        others.peers.push_back(member);
    others.what += listRanks(" with", others.peers);
    watch->begin(others);
    Result<CudaHandle> joined =
        device.getApi().joinGroup(id, group.size(), self - group.begin(),
                                  [&] { return watch->check(&others); });
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
  if (MaybeError error = agreeOnOrder(program))
    return error;
  return watchTransfers(program);
}

/// "recv 'activation' (step.mlir:14)".
static std::string spell(const Instruction &what) {
  return nameOf(what.opcode) +
         (what.label.empty() ? "" : " '" + what.label + "'") +
         (what.location.empty() ? "" : " (" + what.location + ")");
}

/// Says of each transfer of a step who has a part in it, and behind which
/// kernel it is.
MaybeError NcclCommunicator::watchTransfers(const Program &program) {
  if (turns.empty())
    return std::nullopt;
  std::map<TransferName, size_t> instructions;
  for (const TransferEvent &event : listTransferEvents(program))
    if (!event.isWait)
      instructions[event.name] = event.instruction;
  std::vector<TransferWatch::Awaited> transfers;
  for (const Turn &turn : turns) {
    size_t index = instructions.at(turn.name);
    const Instruction &what = program.instructions[index];
    TransferWatch::Awaited awaited;
    for (int64_t member : turn.name.stream.group)
      if (member != program.rank)
        awaited.peers.push_back(member);
    std::string ranks = listRanks(what.opcode == Opcode::Send   ? " to"
                                  : what.opcode == Opcode::Recv ? " from"
                                                                : " with",
                                  awaited.peers);
    awaited.what = hetero::runtime::describe(program, index) + ranks;
    awaited.title = nameOf(what.opcode) + ranks;
    for (size_t before = index; before-- > 0;)
      if (program.instructions[before].opcode == Opcode::Call) {
        const std::string &label = program.instructions[before].label;
        awaited.what += " after '" + label + "'";
        awaited.title += " after " + label;
        break;
      }
    transfers.push_back(std::move(awaited));
  }
  std::vector<std::string> calls;
  for (const Instruction &what : program.instructions)
    if (what.opcode == Opcode::Call)
      calls.push_back(what.label);
  numCalls = int32_t(calls.size());
  Result<const int32_t *> counters = device.getApi().createCounters(
      2, std::max(numCalls, int32_t(turns.size())));
  if (!counters)
    return counters.error();
  watch->setSteps(std::move(transfers), std::move(calls), *counters);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

MaybeError NcclCommunicator::checkWait() { return watch->check(); }

void NcclCommunicator::finish() {
  Communicator::finish();
  if (getTransport().getFailure())
    device.getApi().abortGroups();
}

MaybeError NcclCommunicator::close() {
  finish();
  if (MaybeError failure = getTransport().getFailure())
    return failure;
  TransferWatch::Awaited others = {
      "the end of the communicators of NCCL", {}, {}};
  for (const auto &[group, handle] : groups)
    for (int64_t member : group)
      if (member != getTransport().getRank() &&
          std::find(others.peers.begin(), others.peers.end(), member) ==
              others.peers.end())
        others.peers.push_back(member);
  others.what += listRanks(" with", others.peers);
  // Who has left meanwhile is not lost.
  others.peers.clear();
  watch->begin(others);
  return device.getApi().leaveGroups([&] { return watch->check(&others); });
}

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
  NcclWork::Channel channel = {joined->second, stream, find(rank), 0};
  if (named.isMessage)
    channel.peer = find(parts[0].instruction->peer);
  started.group = joined->second;
  started.work =
      std::make_unique<NcclWork>(device, neutrals, channel, started.memory);
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

/// What NCCL does at once, and what says that it has been done.
MaybeError NcclCommunicator::enterCalls(const std::vector<Started *> &transfers,
                                        size_t end) {
  CudaApi &api = device.getApi();
  size_t numCalls = 0;
  for (Started *started : transfers)
    numCalls += started->work->getCalls().size();
  auto locate = [&](size_t i, MaybeError error) {
    return watch->locate(end - transfers.size() + i, std::move(error));
  };
  if (numCalls > 1)
    if (MaybeError error = api.beginGroup())
      return locate(0, error);
  MaybeError failed;
  for (size_t i = 0; i < transfers.size() && !failed; ++i)
    failed = locate(i, runAll(transfers[i]->work->getCalls()));
  // A group that was begun is ended in any case.
  if (numCalls > 1)
    if (MaybeError error = api.endGroup(); error && !failed)
      failed = locate(0, error);
  if (!failed && numCalls > 0)
    failed = locate(
        0, api.settle(transfers[0]->group, [this] { return checkWait(); }));
  return failed ? failed
                : locate(0, api.setCounter(TransferWatch::ofTransfers,
                                           int32_t(end), stream));
}

/// Transfers whose turn it is; more than one are messages of one instant.
MaybeError NcclCommunicator::enter(const std::vector<Started *> &transfers,
                                   size_t end) {
  CudaApi &api = device.getApi();
  auto locate = [&](size_t i, MaybeError error) {
    return watch->locate(end - transfers.size() + i, std::move(error));
  };
  for (size_t i = 0; i < transfers.size(); ++i) {
    Started *started = transfers[i];
    started->number = numEntered++;
    MaybeError error = api.await(stream, *started->computed);
    api.release(*std::exchange(started->computed, std::nullopt));
    if (!error)
      error = runAll(started->work->getBefore());
    if (error)
      return locate(i, error);
  }
  bool isTraced = device.hasMarks();
  int64_t begin = isTraced ? device.mark(stream) : 0;
  if (MaybeError error = enterCalls(transfers, end))
    return error;
  for (size_t i = 0; i < transfers.size(); ++i) {
    Started *started = transfers[i];
    if (MaybeError error = runAll(started->work->getAfter()))
      return locate(i, error);
    Result<CudaHandle> done = api.record(stream);
    if (!done)
      return locate(i, done.error());
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
    if (MaybeError error = enter(together, end))
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
  // After one that has failed the order is lost.
  MaybeError error = getTransport().getFailure();
  if (!error && (error = prepare(parts, copy, *started))) {
    error = spell(what) + ": " + *error;
  } else if (!error) {
    ready[{named, sequences[named]++}] = std::move(started);
    error = enterReady();
  }
  if (error) {
    getTransport().abort("rank " + std::to_string(rank) + ": " + *error);
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

/// The device says when it has come behind it.
MaybeError NcclCommunicator::endCall(const Instruction &what) {
  if (turns.empty())
    return std::nullopt;
  nextCall = nextCall % numCalls + 1;
  return device.getApi().setCounter(TransferWatch::ofCalls, nextCall,
                                    device.getStream());
}

MaybeError NcclCommunicator::endStep() {
  nextCall = 0;
  if (sends.empty())
    return std::nullopt;
  MaybeError error =
      device.getApi().await(device.getStream(), *sends.back()->done);
  releaseSends(numEntered);
  return error;
}
