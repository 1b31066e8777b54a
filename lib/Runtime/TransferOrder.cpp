//===- TransferOrder.cpp - One order of all transfers of a step -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/TransferOrder.h"
#include "hetero/Runtime/Communicator.h"
#include <algorithm>
#include <set>
#include <sstream>

using namespace hetero::runtime;

std::vector<TransferEvent>
hetero::runtime::listTransferEvents(const Program &program) {
  std::vector<TransferEvent> events;
  std::map<Stream, int64_t> next;
  // The event of each instruction that is part of a transfer.
  std::vector<size_t> started(program.instructions.size());
  int64_t work = 0;
  auto add = [&](const TransferName &name, bool isWait,
                 const Instruction &what) {
    events.push_back({name, isWait, work, what.label,
                      size_t(&what - program.instructions.data())});
    work = 0;
  };
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &what = program.instructions[i];
    work += what.opcode == Opcode::Call;
    if (what.opcode == Opcode::Wait) {
      add(events[started[what.target]].name, /*isWait=*/true, what);
      continue;
    }
    if (!isCommunication(what.opcode))
      continue;
    bool isJoined = what.bucket != -1 && !events.empty() && i > 0;
    // One of a bucket, with nothing but frees since the last one.
    size_t before = i;
    while (isJoined && before > 0 &&
           program.instructions[before - 1].opcode == Opcode::Free)
      --before;
    isJoined = isJoined && before > 0 &&
               program.instructions[before - 1].bucket == what.bucket;
    if (isJoined) {
      started[i] = started[before - 1];
      continue;
    }
    Stream stream = streamOf(what, program.rank);
    started[i] = events.size();
    TransferName name = {stream, next[stream]++};
    add(name, /*isWait=*/false, what);
    if (!what.started && what.opcode != Opcode::Send)
      add(name, /*isWait=*/true, what);
  }
  return events;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string
hetero::runtime::writeTransferEvents(const std::vector<TransferEvent> &events) {
  std::ostringstream text;
  text << events.size();
  for (const TransferEvent &event : events) {
    const Stream &stream = event.name.stream;
    text << ' ' << event.isWait << ' ' << event.work << ' ' << stream.channel
         << ' ' << stream.isMessage << ' ' << event.name.sequence << ' '
         << stream.group.size();
    for (int64_t member : stream.group)
      text << ' ' << member;
    text << ' ' << event.label.size() << ' ' << event.label;
  }
  return text.str();
}

Result<std::vector<TransferEvent>>
hetero::runtime::readTransferEvents(const std::string &text) {
  std::istringstream stream(text);
  size_t count = 0;
  stream >> count;
  std::vector<TransferEvent> events;
  for (size_t i = 0; i < count && stream; ++i) {
    TransferEvent event;
    size_t members = 0, length = 0;
    stream >> event.isWait >> event.work >> event.name.stream.channel >>
        event.name.stream.isMessage >> event.name.sequence >> members;
    for (size_t k = 0; k < members && stream; ++k) {
      event.name.stream.group.emplace_back();
      stream >> event.name.stream.group.back();
    }
    stream >> length;
    stream.get();
    if (length > text.size())
      break;
    event.label.resize(length);
    stream.read(event.label.data(), length);
    events.push_back(std::move(event));
  }
  if (!stream || events.size() != count)
    return Error{"another rank has sent a list of transfers that ends early"};
  return events;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {
/// A transfer while instants are found.
struct Pending {
  size_t numStarted = 0;
  int64_t instant = 0;
  bool happens = false;
  /// Ranks that wait for it.
  std::vector<size_t> waiting;
};

class Ordering {
public:
  explicit Ordering(const std::vector<std::vector<TransferEvent>> &ranks)
      : ranks(ranks), next(ranks.size()), clocks(ranks.size()) {}

  Result<std::map<TransferName, int64_t>> run();

private:
  /// Goes on with a rank until it has to wait.
  void advance(size_t rank, std::vector<size_t> &ready);
  std::string describeStop() const;

  const std::vector<std::vector<TransferEvent>> &ranks;
  std::vector<size_t> next;
  std::vector<int64_t> clocks;
  std::map<TransferName, Pending> transfers;
};
} // namespace

void Ordering::advance(size_t rank, std::vector<size_t> &ready) {
  while (next[rank] < ranks[rank].size()) {
    const TransferEvent &event = ranks[rank][next[rank]];
    Pending &transfer = transfers[event.name];
    if (event.isWait && !transfer.happens) {
      transfer.waiting.push_back(rank);
      return;
    }
    ++next[rank];
    clocks[rank] += event.work;
    if (event.isWait) {
      clocks[rank] = std::max(clocks[rank], transfer.instant);
      continue;
    }
    transfer.instant = std::max(transfer.instant, clocks[rank] + 1);
    if (++transfer.numStarted < event.name.stream.group.size())
      continue;
    transfer.happens = true;
    ready.insert(ready.end(), transfer.waiting.begin(), transfer.waiting.end());
    transfer.waiting.clear();
  }
}

static std::string describe(const TransferEvent &event) {
  std::string text = "'" + event.label + "' of ranks ";
  for (size_t i = 0; i < event.name.stream.group.size(); ++i)
    text += (i ? ", " : "") + std::to_string(event.name.stream.group[i]);
  return text + " on channel " + std::to_string(event.name.stream.channel);
}

std::string Ordering::describeStop() const {
  std::string text;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    if (next[rank] < ranks[rank].size())
      text += (text.empty() ? "" : "; ") +
              ("rank " + std::to_string(rank) + " waits for " +
               describe(ranks[rank][next[rank]]));
  if (!text.empty())
    return "the transfers of the ranks have no common order: " + text;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    for (const TransferEvent &event : ranks[rank])
      if (!transfers.at(event.name).happens)
        return "not all members start " + describe(event);
  return "";
}

Result<std::map<TransferName, int64_t>> Ordering::run() {
  std::vector<size_t> ready;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    ready.push_back(rank);
  while (!ready.empty()) {
    size_t rank = ready.back();
    ready.pop_back();
    advance(rank, ready);
  }
  if (std::string why = describeStop(); !why.empty())
    return Error{why};
  std::map<TransferName, int64_t> instants;
  for (const auto &[name, transfer] : transfers)
    instants[name] = transfer.instant;
  return instants;
}

Result<std::map<TransferName, int64_t>> hetero::runtime::orderTransfers(
    const std::vector<std::vector<TransferEvent>> &ranks) {
  return Ordering(ranks).run();
}
