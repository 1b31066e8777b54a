//===- Traffic.cpp - Transfers that divide media --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Traffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

static constexpr int64_t blockSize = 32;
static constexpr Time never = Time::max();

Traffic::Traffic(const Network *network, size_t streams)
    : streams(streams), ends(streams, never),
      firstEnds(divideCeil(streams, blockSize), End{never}),
      isStale(firstEnds.size(), false), next{never} {
  if (network)
    media = network->media();
  states.resize(media.size());
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void Traffic::setEnd(int64_t stream, Time end) {
  ends[stream] = end;
  int64_t block = stream / blockSize;
  if (isStale[block])
    return;
  isStale[block] = true;
  stale.push_back(block);
}

const Traffic::End &Traffic::nextEnd() {
  if (stale.empty())
    return next;
  for (int64_t block : stale) {
    isStale[block] = false;
    End first{never};
    int64_t last = std::min<int64_t>(ends.size(), (block + 1) * blockSize);
    for (int64_t stream = block * blockSize; stream < last; ++stream)
      if (ends[stream] < first.time)
        first = {ends[stream], stream};
    firstEnds[block] = first;
  }
  stale.clear();
  next = End{never};
  for (const End &end : firstEnds)
    if (end.time < next.time)
      next = end;
  return next;
}

//===----------------------------------------------------------------------===//
// Speeds
//===----------------------------------------------------------------------===//

/// Adds the stream and everything that is joined with it by full media.
void Traffic::collect(int64_t stream) {
  if (streams[stream].visited)
    return;
  streams[stream].visited = true;
  size_t first = members.size();
  members.push_back(stream);
  for (size_t i = first; i < members.size(); ++i)
    for (const Load &load : streams[members[i]].loads) {
      State &medium = states[load.medium];
      if (medium.visited || !isTight(medium))
        continue;
      medium.visited = true;
      full.push_back(load.medium);
      for (int64_t user : medium.users)
        if (!streams[user].visited) {
          streams[user].visited = true;
          members.push_back(user);
        }
    }
}

void Traffic::begin(int64_t index, Time now, Time duration,
                    ArrayRef<Load> loads, bool yields) {
  members.clear();
  full.clear();
  Stream &stream = streams[index];
  stream.loads = loads;
  stream.remaining = double(duration.count());
  stream.rate = 0;
  stream.since = now;
  stream.active = true;
  stream.yields = yields;
  stream.fullSpeed = 0;
  for (const Load &load : loads) {
    State &medium = states[load.medium];
    medium.users.push_back(index);
    medium.wanted += load.share;
    medium.busy += load.share * stream.remaining;
    stream.fullSpeed =
        std::max(stream.fullSpeed,
                 load.share * double(media[load.medium].bandwidth.count()));
  }
  collect(index);
  divide(now);
}

void Traffic::end(int64_t index, Time now) {
  members.clear();
  full.clear();
  Stream &stream = streams[index];
  stream.active = false;
  setEnd(index, never);
  // Those that it slowed down are found before it goes.
  collect(index);
  for (const Load &load : stream.loads) {
    State &medium = states[load.medium];
    medium.users.erase(find(medium.users, index));
    medium.wanted = medium.users.empty() ? 0 : medium.wanted - load.share;
  }
  stream.visited = false;
  stream.loads = {};
  members.erase(members.begin());
  if (members.empty()) {
    for (int64_t medium : full)
      states[medium].visited = false;
    return;
  }
  divide(now);
}

void Traffic::setRate(int64_t index, double rate, Time now) {
  Stream &stream = streams[index];
  if (stream.rate == rate && rate > 0)
    return;
  stream.remaining =
      std::max(0.0, stream.remaining -
                        double((now - stream.since).count()) * stream.rate);
  stream.since = now;
  stream.rate = rate;
  if (rate <= 0)
    return setEnd(index, never);
  // A picosecond of rounding must not be paid twice.
  double left = std::ceil(stream.remaining / rate - 1e-3);
  // Even what takes as long as there are numbers for ends.
  setEnd(index, std::min(now + Time::nearest(std::max(0.0, left)),
                         Time(never.count() - 1)));
}

/// How far the speed of the open streams can rise from `level`: until one of
/// them goes as fast as it can, or a medium is full.
double Traffic::nextLevel(ArrayRef<int64_t> open, double level) {
  for (int64_t medium : full)
    states[medium].rising = 0;
  double next = std::numeric_limits<double>::infinity();
  for (int64_t position : open) {
    const Stream &stream = streams[members[position]];
    next = std::min(next, stream.fullSpeed);
    for (const Load &load : stream.loads)
      states[load.medium].rising += load.share / stream.fullSpeed;
  }
  for (int64_t index : full) {
    State &medium = states[index];
    if (medium.rising > 0)
      next = std::min(next, level + medium.left / medium.rising);
  }
  for (int64_t index : full)
    states[index].left -= (next - level) * states[index].rising;
  return next;
}

/// Raises all streams of a class together.
void Traffic::raise(bool yielding) {
  SmallVector<int64_t> open;
  for (auto [position, index] : enumerate(members))
    if (streams[index].yields == yielding)
      open.push_back(position);
  double level = 0;
  while (!open.empty()) {
    level = nextLevel(open, level);
    size_t before = open.size();
    erase_if(open, [&](int64_t position) {
      const Stream &stream = streams[members[position]];
      bool stops = stream.fullSpeed <= level * (1 + 1e-12);
      for (const Load &load : stream.loads) {
        const State &medium = states[load.medium];
        stops |= medium.visited && medium.left <= 1e-12;
      }
      if (stops)
        rates[position] = std::min(1.0, level / stream.fullSpeed);
      return stops;
    });
    // Rounding must not keep this going.
    if (open.size() == before) {
      for (int64_t position : open)
        rates[position] =
            std::min(1.0, level / streams[members[position]].fullSpeed);
      break;
    }
  }
}

/// The speeds of the members.
void Traffic::divide(Time now) {
  rates.assign(members.size(), 1);
  if (!full.empty()) {
    for (int64_t medium : full)
      states[medium].left = 1;
    raise(/*yielding=*/false);
    raise(/*yielding=*/true);
  }
  for (auto [position, index] : enumerate(members)) {
    streams[index].visited = false;
    setRate(index, rates[position], now);
  }
  for (int64_t medium : full)
    states[medium].visited = false;
}

std::vector<MediumStatistics> Traffic::statistics() const {
  std::vector<MediumStatistics> result;
  for (auto [index, medium] : enumerate(states))
    if (medium.busy > 0)
      result.push_back({int64_t(index), Time::nearest(medium.busy)});
  return result;
}
