//===- Communicator.cpp - Transfers of one rank ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Communicator.h"
#include <algorithm>
#include <cstring>

using namespace hetero::runtime;

/// The longest sleep between two looks at what other ranks do.
static constexpr std::chrono::milliseconds longestSleep{100};

/// How long what a rank has sent before it left may take to arrive.
static constexpr std::chrono::seconds afterlife{2};

static std::string str(int64_t value) { return std::to_string(value); }

static std::string seconds(Clock::duration time) {
  return str(std::chrono::duration_cast<std::chrono::seconds>(time).count()) +
         " s";
}

Stream hetero::runtime::streamOf(const Instruction &what, int64_t rank) {
  if (what.opcode == Opcode::Send)
    return {{rank, what.peer}, what.channel, true};
  if (what.opcode == Opcode::Recv)
    return {{what.peer, rank}, what.channel, true};
  return {what.group, what.channel, false};
}

static Stream streamOfAll(const Transport &transport) {
  Stream stream;
  for (int64_t i = 0; i < transport.getNumRanks(); ++i)
    stream.group.push_back(i);
  return stream;
}

Communicator::Communicator(Transport &transport, CommunicatorOptions options)
    : transport(transport), options(options) {}

Communicator::~Communicator() {
  Communicator::finish();
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  transport.wake();
  if (background.joinable())
    background.join();
}

void Communicator::finish() {
  std::list<std::shared_ptr<Transfer>> rest;
  {
    std::lock_guard<std::mutex> lock(mutex);
    rest = active;
  }
  for (const std::shared_ptr<Transfer> &transfer : rest)
    Communicator::wait(transfer);
  std::lock_guard<std::mutex> lock(mutex);
  active.clear();
}

MaybeError Communicator::open(const Program &program) {
  std::lock_guard<std::mutex> lock(mutex);
  std::map<Stream, int64_t> named;
  // What a program may need besides its own: exchanges of all.
  named[streamOfAll(transport)];
  for (const Instruction &what : program.instructions) {
    if (!isCommunication(what.opcode))
      continue;
    Stream stream = streamOf(what, program.rank);
    for (int64_t member : stream.group)
      if (member >= transport.getNumRanks())
        return "'" + what.label + "' is with rank " + str(member) + " of " +
               str(transport.getNumRanks());
    named[stream];
  }
  std::vector<Stream> list;
  list.reserve(named.size());
  for (const auto &entry : named)
    list.push_back(entry.first);
  Result<std::vector<int64_t>> ids = transport.agree(list);
  if (!ids)
    return ids.error();
  for (size_t i = 0; i < list.size(); ++i)
    streams[list[i]] = (*ids)[i];
  return std::nullopt;
}

int64_t Communicator::getStreamId(const Stream &stream) const {
  auto found = streams.find(stream);
  return found == streams.end() ? -1 : found->second;
}

std::shared_ptr<Transfer>
Communicator::start(const std::vector<TransferPart> &parts, bool copy) {
  const Instruction &what = *parts[0].instruction;
  auto transfer = std::make_shared<Transfer>();
  transfer->label = what.label;
  transfer->opcode = what.opcode;
  transfer->channel = what.channel;
  int64_t rank = transport.getRank();
  Stream stream = streamOf(what, rank);
  transfer->group = stream.group;
  size_t self = std::find(stream.group.begin(), stream.group.end(), rank) -
                stream.group.begin();
  transfer->phases = makePhases(parts, self);
  if (copy)
    for (Phase &phase : transfer->phases)
      for (Block &block : phase.sends)
        block.data = nullptr;
  begin(transfer, stream);
  return transfer;
}

void Communicator::begin(const std::shared_ptr<Transfer> &transfer,
                         const Stream &stream) {
  transfer->begin = Clock::now();
  std::lock_guard<std::mutex> lock(mutex);
  transfer->stream = streams[stream];
  transfer->sequence = sequences[transfer->stream]++;
  startPhase(*transfer);
  progress(*transfer);
  if (!transfer->done)
    active.push_back(transfer);
}

/// Posts the receives and sends of the current phase.
void Communicator::startPhase(Transfer &transfer) {
  if (transfer.phase == transfer.phases.size())
    return;
  Phase &phase = transfer.phases[transfer.phase];
  transfer.received.assign(transfer.group.size(), nullptr);
  auto makeKey = [&](size_t member) {
    return MessageKey{transfer.group[member], transfer.stream,
                      transfer.sequence, phase.number};
  };
  auto getMemory = [&](int64_t bytes) {
    transfer.memory.emplace_back(new char[bytes]);
    return transfer.memory.back().get();
  };
  for (size_t i = 0; i < phase.receives.size(); ++i) {
    Block block = phase.receives[i];
    if (block.bytes == 0)
      continue;
    char *data =
        block.data ? static_cast<char *>(block.data) : getMemory(block.bytes);
    transfer.received[i] = data;
    transfer.open.push_back({transport.receive(makeKey(i), data, block.bytes),
                             transfer.group[i], true});
  }
  for (size_t i = 0; i < phase.sends.size(); ++i) {
    Block block = phase.sends[i];
    if (block.bytes == 0)
      continue;
    const auto *data = static_cast<const char *>(block.data);
    if (!data) {
      char *packed = getMemory(block.bytes);
      phase.pack(i, packed);
      data = packed;
    }
    transfer.open.push_back({transport.send(makeKey(i), data, block.bytes),
                             transfer.group[i], false});
  }
}

/// Polls what is open and goes to the next phase when nothing is. Returns
/// whether anything has happened.
bool Communicator::progress(Transfer &transfer) {
  bool any = false;
  while (!transfer.done) {
    size_t before = transfer.open.size();
    transfer.open.erase(std::remove_if(transfer.open.begin(),
                                       transfer.open.end(),
                                       [&](const Transfer::OpenTicket &open) {
                                         return transport.poll(open.ticket) ==
                                                TicketState::Done;
                                       }),
                        transfer.open.end());
    any |= transfer.open.size() != before;
    if (!transfer.open.empty())
      return any;
    any = true;
    if (transfer.phase < transfer.phases.size()) {
      // A transfer that has failed may have received nothing.
      const Phase &phase = transfer.phases[transfer.phase];
      if (phase.finish && !transport.getFailure())
        phase.finish(transfer.received);
      ++transfer.phase;
      transfer.memory.clear();
      startPhase(transfer);
    }
    if (transfer.phase == transfer.phases.size()) {
      transfer.done = true;
      transfer.end = Clock::now();
    }
  }
  return any;
}

bool Communicator::progress() {
  bool any = false;
  for (auto it = active.begin(); it != active.end();) {
    any |= progress(**it);
    it = (*it)->done ? active.erase(it) : std::next(it);
  }
  return any;
}

/// One round, with the lock held and nobody else driving.
void Communicator::drive(Lock &lock, std::chrono::microseconds longest) {
  driving = true;
  if (!progress()) {
    lock.unlock();
    transport.idle(longest);
    lock.lock();
    progress();
  }
  driving = false;
  changed.notify_all();
}

MaybeError Communicator::wait(const std::shared_ptr<Transfer> &transfer) {
  Lock lock(mutex);
  Clock::time_point begin = Clock::now();
  ++numWaiting;
  MaybeError error = transport.getFailure();
  while (!transfer->done && !error) {
    if (driving) {
      // The background lets go when it is woken.
      transport.wake();
      changed.wait_for(lock, longestSleep);
    } else {
      drive(lock, longestSleep);
    }
    if (transfer->done)
      break;
    error = transport.getFailure();
    if (!error && Clock::now() - begin > longestSleep)
      error = checkPatience(*transfer);
  }
  if (!error)
    error = transport.getFailure();
  --numWaiting;
  changed.notify_all();
  return error;
}

std::string hetero::runtime::describeOthers(Transport &transport,
                                            std::vector<int64_t> first) {
  // Who is waited for may itself be waiting for another.
  std::vector<int64_t> others = std::move(first);
  for (int64_t i = 0; i < transport.getNumRanks() && others.size() < 8; ++i)
    if (i != transport.getRank() &&
        std::find(others.begin(), others.end(), i) == others.end())
      others.push_back(i);
  std::string text;
  const char *separator = " was last seen executing";
  for (int64_t other : others) {
    std::string executing = transport.getStatus(other).executing;
    if (executing.empty())
      continue;
    text += (*separator ? "; rank " : ", rank ") + str(other) + separator +
            " '" + executing + "'";
    separator = "";
  }
  return text;
}

std::string Communicator::describeWait(const Transfer &transfer, int64_t lost) {
  std::string text = "rank " + str(transport.getRank()) + " waits for '" +
                     transfer.label + "' (" + nameOf(transfer.opcode) + ")";
  // The lost one if it is awaited, else somebody from whom something is.
  int64_t peer = -1;
  bool isReceive = false;
  for (const Transfer::OpenTicket &open : transfer.open)
    if (peer == -1 || open.peer == lost || (open.isReceive && peer != lost)) {
      peer = open.peer;
      isReceive = open.isReceive;
    }
  if (peer == -1)
    return text;
  text += std::string(isReceive ? " from" : " to") + " rank " + str(peer) +
          " on channel " + str(transfer.channel) + " for " +
          seconds(Clock::now() - transfer.begin);
  return text + describeOthers(transport, {peer});
}

MaybeError Communicator::checkPatience(const Transfer &transfer) {
  Clock::time_point now = Clock::now(), last = transfer.begin;
  MaybeError error;
  for (int64_t rank = 0; rank < transport.getNumRanks() && !error; ++rank) {
    RankStatus status = transport.getStatus(rank);
    last = std::max(last, status.lastProgress);
    bool isAwaited = std::any_of(
        transfer.open.begin(), transfer.open.end(),
        [&](const Transfer::OpenTicket &open) { return open.peer == rank; });
    if (status.state == RankState::Lost ||
        (status.state == RankState::Ended && isAwaited &&
         now - std::max(transfer.begin, status.lastSeen) > afterlife))
      error = "rank " + str(rank) + " is lost: " + status.reason + "; " +
              describeWait(transfer, rank);
  }
  if (!error && now - last > options.patience)
    error = describeWait(transfer);
  if (error)
    transport.abort(*error);
  return error;
}

void Communicator::driveInBackground() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!background.joinable())
    background = std::thread([this] { driveLoop(); });
  changed.notify_all();
}

void Communicator::driveLoop() {
  Lock lock(mutex);
  while (!stopping) {
    if (active.empty() || numWaiting > 0 || driving)
      changed.wait(lock);
    else
      drive(lock, longestSleep);
  }
}

MaybeError Communicator::barrier(const std::vector<int64_t> &group) {
  char token = 0;
  std::vector<char> tokens(group.size());
  TensorType one{ElementType::I8, {1}},
      all{ElementType::I8, {int64_t(group.size())}};
  Instruction gather;
  gather.opcode = Opcode::AllGather;
  gather.group = group;
  gather.sizes.assign(group.size(), 1);
  gather.label = "barrier";
  return wait(start({{&gather, &one, &token, &all, tokens.data()}}));
}

MaybeError Communicator::exchange(const std::string &label,
                                  std::vector<Block> sends,
                                  std::vector<Block> receives) {
  auto transfer = std::make_shared<Transfer>();
  transfer->label = label;
  transfer->opcode = Opcode::AllToAll;
  Stream stream = streamOfAll(transport);
  transfer->group = stream.group;
  transfer->phases.resize(1);
  transfer->phases[0].sends = std::move(sends);
  transfer->phases[0].receives = std::move(receives);
  begin(transfer, stream);
  return Communicator::wait(transfer);
}

/// Texts are about programs and devices: a longer one is something else.
static constexpr int64_t mostText = int64_t(1) << 31;

/// Ranks that run different things exchange different things at a time.
static Error explainDifference(int64_t rank, const std::string &theirs,
                               const std::string &label) {
  return Error{"rank " + std::to_string(rank) + " tells " +
               (theirs.empty() ? "something else" : theirs) +
               " where this rank expects " + label +
               ": all processes need the same step, plan, options and kind of "
               "device"};
}

Result<std::vector<std::string>>
Communicator::exchange(const std::string &label, const std::string &content) {
  size_t size = transport.getNumRanks(), self = transport.getRank();
  const std::string text = label + '\0' + content;
  int64_t ownSize = text.size();
  std::vector<int64_t> sizes(size, ownSize);
  std::vector<std::string> texts(size, text);
  std::vector<Block> sends(size), receives(size);
  for (size_t i = 0; i < size; ++i)
    if (i != self) {
      sends[i] = {sizeof(ownSize), &ownSize};
      receives[i] = {sizeof(ownSize), &sizes[i]};
    }
  if (MaybeError error = exchange(label, sends, receives))
    return Error{*error};
  for (size_t i = 0; i < size; ++i)
    if (i != self) {
      if (sizes[i] < 0 || sizes[i] > mostText)
        return explainDifference(i, "", label);
      texts[i].resize(sizes[i]);
      sends[i] = {ownSize, const_cast<char *>(text.data())};
      receives[i] = {sizes[i], texts[i].data()};
    }
  if (MaybeError error = exchange(label, sends, receives))
    return Error{*error};
  for (size_t i = 0; i < size; ++i) {
    size_t end = texts[i].find('\0');
    if (end == std::string::npos || texts[i].compare(0, end, label) != 0)
      return explainDifference(
          i, end == std::string::npos ? "" : texts[i].substr(0, end), label);
    texts[i].erase(0, end + 1);
  }
  return texts;
}
