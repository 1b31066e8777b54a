//===- TransferWatch.cpp - Whether a device still gets on -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TransferWatch.h"
#include <algorithm>

using namespace hetero::runtime;

/// A host that waits asks every millisecond. One that has not for so long did
/// something else in between.
static constexpr std::chrono::seconds longestSilence{5};
/// How often it is looked what the other ranks do: as in Communicator.
static constexpr std::chrono::milliseconds timeBetweenLooks{100};
/// As in Communicator, how long what a rank has sent before it left may take.
static constexpr std::chrono::seconds afterlife{2};

static std::string str(int64_t value) { return std::to_string(value); }

TransferWatch::TransferWatch(Transport &transport,
                             std::chrono::milliseconds patience,
                             std::string device)
    : transport(transport), patience(patience), device(std::move(device)) {}

void TransferWatch::setSteps(std::vector<Awaited> theTransfers,
                             std::vector<std::string> theCalls,
                             const int32_t *theCounters) {
  transfers = std::move(theTransfers);
  calls = std::move(theCalls);
  counters = theCounters;
}

MaybeError TransferWatch::locate(size_t transfer, MaybeError error) const {
  if (!error || transport.getFailure())
    return error;
  return transfers[transfer].what + ": " + *error;
}

std::string TransferWatch::describe(const Awaited &awaited,
                                    Clock::time_point now) const {
  auto time =
      std::chrono::duration_cast<std::chrono::seconds>(now - waitsSince);
  return "rank " + str(transport.getRank()) + " waits for " + awaited.what +
         " on device '" + device + "' for " + str(time.count()) + " s" +
         describeOthers(transport, awaited.peers);
}

/// The first rank that is gone, and was awaited or not expected to go.
MaybeError TransferWatch::findLoss(const Awaited &awaited) {
  Clock::time_point now = Clock::now();
  for (int64_t rank = 0; rank < transport.getNumRanks(); ++rank) {
    RankStatus status = transport.getStatus(rank);
    bool isAwaited = std::find(awaited.peers.begin(), awaited.peers.end(),
                               rank) != awaited.peers.end();
    bool isGone = status.state == RankState::Ended && isAwaited &&
                  now - std::max(waitsSince, status.lastSeen) > afterlife;
    if (status.state == RankState::Lost || isGone)
      return "rank " + str(rank) + " is lost: " + status.reason + "; " +
             describe(awaited, now);
  }
  return std::nullopt;
}

void TransferWatch::begin(const Awaited &other) {
  transport.publish(other.what);
  current = &other;
  waitsSince = lastAsked = Clock::now();
}

MaybeError TransferWatch::check(const Awaited *other) {
  if (MaybeError failure = transport.getFailure())
    return failure;
  if (!other && transfers.empty())
    return std::nullopt;
  Clock::time_point now = Clock::now();
  // The device writes them while they are read.
  auto read = [this](int32_t counter) {
    return counters ? __atomic_load_n(counters + counter, __ATOMIC_RELAXED) : 0;
  };
  int32_t seenTransfers = read(ofTransfers), seenCalls = read(ofCalls);
  const Awaited &awaited =
      other ? *other : transfers[seenTransfers % transfers.size()];
  bool hasTransferred = seenTransfers != numTransfers;
  bool hasCalled = seenCalls != numCalls;
  if (hasTransferred || hasCalled || other != current ||
      now - lastAsked > longestSilence)
    waitsSince = now;
  if (hasTransferred)
    transport.publish(awaited.title);
  else if (hasCalled)
    transport.publish(calls[seenCalls % calls.size()]);
  numTransfers = seenTransfers;
  numCalls = seenCalls;
  current = other;
  lastAsked = now;
  if (now - lastLook < timeBetweenLooks)
    return std::nullopt;
  lastLook = now;
  MaybeError error = findLoss(awaited);
  Clock::time_point last = waitsSince;
  for (int64_t rank = 0; rank < transport.getNumRanks(); ++rank)
    last = std::max(last, transport.getStatus(rank).lastProgress);
  if (!error && now - last > patience)
    error = describe(awaited, now);
  if (error)
    transport.abort(*error);
  return error;
}
