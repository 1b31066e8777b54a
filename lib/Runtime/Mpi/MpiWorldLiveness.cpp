//===- MpiWorldLiveness.cpp - Signs of life, and who has gone -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MpiWorld.h"
#include <cstdio>

using namespace hetero::runtime;
using std::chrono::milliseconds;

/// How long a process must be gone before it is lost: what it has sent before
/// comes first.
static constexpr milliseconds confirmation{40};
/// How often one that is silent gets a sign of life. What it does not read
/// takes up the room that the reason of the end will need.
static constexpr milliseconds rareTick{2000};
/// How many times longer one may be silent that is seen to run on this machine:
/// it is rather slow than lost.
static constexpr int64_t patienceWithRunning = 6;

static std::string seconds(Clock::duration time) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s",
                std::chrono::duration<double>(time).count());
  return text;
}

//===----------------------------------------------------------------------===//
// Signs of life
//===----------------------------------------------------------------------===//

void MpiWorld::publish(const std::string &executing) {
  std::lock_guard<std::mutex> lock(mutex);
  RankStatus &status = peers[rank].status;
  status.executing = executing;
  status.lastProgress = Clock::now();
}

RankStatus MpiWorld::getStatus(int64_t which) {
  std::lock_guard<std::mutex> lock(mutex);
  if (which == rank)
    peers[rank].status.lastSeen = Clock::now();
  return peers[which].status;
}

MaybeError MpiWorld::getLoss() {
  std::lock_guard<std::mutex> lock(mutex);
  for (int64_t i = 0; i < getNumRanks(); ++i)
    if (peers[i].status.state == RankState::Lost)
      return "rank " + std::to_string(i) +
             " is lost: " + peers[i].status.reason;
  return std::nullopt;
}

/// What this rank executes, and for how long nothing has been finished.
void MpiWorld::sendBeats(Clock::time_point now) {
  if (now - lastBeat < tick)
    return;
  lastBeat = now;
  std::string text;
  std::vector<int64_t> to;
  {
    std::lock_guard<std::mutex> lock(mutex);
    const RankStatus &status = peers[rank].status;
    int64_t age =
        std::chrono::duration_cast<milliseconds>(now - status.lastProgress)
            .count();
    text = std::string("beat") + '\0' + std::to_string(age) + ' ' +
           status.executing;
    for (int64_t i = 0; i < getNumRanks(); ++i)
      if (i != rank && peers[i].status.state != RankState::Lost &&
          (now - peers[i].status.lastSeen < rareTick ||
           peers[i].status.state == RankState::Ended ||
           now - peers[i].lastBeat >= rareTick)) {
        peers[i].lastBeat = now;
        to.push_back(i);
      }
  }
  for (int64_t peer : to)
    sendNow({peer, text, /*isBeat=*/true});
}

//===----------------------------------------------------------------------===//
// Who has gone
//===----------------------------------------------------------------------===//

void MpiWorld::lose(Peer &peer, Clock::time_point now,
                    const std::string &reason) {
  peer.status.state = RankState::Lost;
  peer.status.reason = reason;
  peer.lostSince = now;
}

void MpiWorld::checkPeers(Clock::time_point now) {
  std::lock_guard<std::mutex> lock(mutex);
  const ProcessId &self = peers[rank].process;
  if (peers[rank].status.state == RankState::Lost)
    return;
  for (int64_t i = 0; i < getNumRanks(); ++i) {
    Peer &peer = peers[i];
    if (i == rank || peer.status.state != RankState::Running)
      continue;
    ProcessState state = getState(peer.process, self);
    if (state == ProcessState::Ended) {
      if (!peer.suspectSince)
        peer.suspectSince = now;
      if (now - *peer.suspectSince < confirmation)
        continue;
      // If this rank was stopped, the others went because it was lost to them.
      if (slept >= lossTimeout && now - wokenAt < lossTimeout)
        return lose(peers[rank], now,
                    describe(self) + " was stopped and was silent for " +
                        seconds(slept));
      lose(peer, now, describe(peer.process) + " has ended");
    } else if (now - peer.status.lastSeen >
               (state == ProcessState::Running ? patienceWithRunning : 1) *
                   lossTimeout) {
      lose(peer, now,
           describe(peer.process) +
               (state == ProcessState::Stopped ? " is stopped and" : "") +
               " was silent for " + seconds(now - peer.status.lastSeen));
    }
  }
}

/// For the case that nobody waits for the lost rank, who would end the run with
/// what it waits for.
MaybeError MpiWorld::findReasonToEnd(Clock::time_point now) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isEnding)
    return std::nullopt;
  const std::string &executing = peers[rank].status.executing;
  std::string here = "rank " + std::to_string(rank);
  here += executing.empty() ? " has not started"
                            : " was executing '" + executing + "'";
  for (int64_t i = 0; i < getNumRanks(); ++i)
    if (peers[i].status.state == RankState::Lost &&
        now - peers[i].lostSince >
            (terminatedAt ? hurriedTimeToReport : timeToReport))
      return "rank " + std::to_string(i) +
             " is lost: " + peers[i].status.reason + "; " + here;
  if (!terminatedAt || now - *terminatedAt < 3 * hurriedTimeToReport)
    return std::nullopt;
  std::string reason = "the run was ended from outside (SIGTERM); " + here;
  for (int64_t i = 0; i < getNumRanks(); ++i)
    if (i != rank && now - peers[i].status.lastSeen > 3 * tick)
      reason += "; rank " + std::to_string(i) + " was silent for " +
                seconds(now - peers[i].status.lastSeen);
  return reason;
}
