//===- ScheduleChoice.cpp - The best schedule by simulation ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/ScheduleChoice.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

namespace {
class Chooser {
public:
  explicit Chooser(const ScheduleRequest &request) : request(request) {
    for (const std::vector<StageTimes> &list : request.times)
      first.push_back(list.empty() ? StageTimes() : list.front());
  }

  Expected<ScheduleChoice> choose();

private:
  std::vector<int64_t> clean(std::vector<int64_t> counts) const;
  Error consider(ScheduleKind kind, std::vector<int64_t> counts);
  Error climb(ScheduleKind kind);
  std::vector<int64_t> raise(std::vector<int64_t> counts, int64_t before,
                             int64_t by) const;

  const ScheduleRequest &request;
  std::vector<StageTimes> first;
  int64_t simulations = 0;
  std::optional<ScheduleChoice> best;
  /// What has been simulated.
  std::vector<std::pair<ScheduleKind, std::vector<int64_t>>> seen;
};
} // namespace

/// Within the limits, and not more than the stage before lets through.
std::vector<int64_t> Chooser::clean(std::vector<int64_t> counts) const {
  for (auto [index, count] : enumerate(counts)) {
    count = std::min(count, request.microbatches);
    if (index < request.limits.size())
      count = std::min(count, request.limits[index]);
    if (index > 0)
      count = std::min(count, counts[index - 1]);
    count = std::max<int64_t>(1, count);
  }
  return counts;
}

Error Chooser::consider(ScheduleKind kind, std::vector<int64_t> counts) {
  counts = clean(std::move(counts));
  if (is_contained(seen, std::pair(kind, counts)) ||
      (best && simulations >= request.mostSimulations))
    return Error::success();
  ++simulations;
  seen.emplace_back(kind, counts);
  Schedule schedule = buildSchedule(kind, request.microbatches, counts,
                                    request.communication, 1, first);
  Expected<SimulationResult> result =
      simulate({schedule, request.times, request.flows, request.network});
  if (!result)
    return result.takeError();
  if (!best || result->total < best->total)
    best = ScheduleChoice{kind, std::move(counts), result->total};
  return Error::success();
}

/// One more on all stages up to each boundary that takes time.
std::vector<int64_t> Chooser::raise(std::vector<int64_t> counts, int64_t last,
                                    int64_t by) const {
  for (int64_t i = 0; i <= last; ++i)
    counts[i] += by;
  return counts;
}

/// Raises the counts of the best choice as long as that helps.
Error Chooser::climb(ScheduleKind kind) {
  for (bool improves = true; improves;) {
    improves = false;
    for (int64_t last = int64_t(first.size()) - 2; last >= 0; --last) {
      if (best->kind != kind)
        return Error::success();
      Time before = best->total;
      if (Error error = consider(kind, raise(best->inFlight, last, 1)))
        return error;
      improves |= best->total < before;
    }
  }
  return Error::success();
}

Expected<ScheduleChoice> Chooser::choose() {
  if (request.kinds.empty() || first.empty())
    return createStringError("there are no stages or no kinds of schedules to "
                             "choose from");
  for (ScheduleKind kind : request.kinds) {
    std::vector<std::vector<int64_t>> candidates;
    auto countsOf = [&](ScheduleKind rule) {
      return computeInFlight(rule, request.microbatches, first, request.limits);
    };
    bool adapts = kind == ScheduleKind::HeteroOneFOneB ||
                  kind == ScheduleKind::ZeroBubble;
    if (!adapts)
      candidates = {countsOf(kind)};
    if (adapts) {
      std::vector<int64_t> covering = countsOf(ScheduleKind::HeteroOneFOneB);
      candidates = {countsOf(ScheduleKind::OneFOneB), covering};
      for (int64_t by : {1, 2}) {
        std::vector<int64_t> more = covering;
        for (int64_t i = int64_t(first.size()) - 2; i >= 0; --i)
          if (first[i].boundary + first[i].boundaryGradient > Time(0))
            more = raise(more, i, by);
        candidates.push_back(std::move(more));
      }
    }
    if (kind == ScheduleKind::ZeroBubble) {
      candidates.insert(candidates.begin(), countsOf(kind));
      if (best)
        candidates.push_back(best->inFlight);
    }
    for (std::vector<int64_t> &counts : candidates)
      if (Error error = consider(kind, std::move(counts)))
        return error;
    if (adapts)
      if (Error error = climb(kind))
        return error;
  }
  return std::move(*best);
}

Expected<ScheduleChoice>
hetero::simulator::chooseSchedule(const ScheduleRequest &request) {
  return Chooser(request).choose();
}
