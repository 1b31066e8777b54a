//===- StepEstimate.cpp - How long a step takes, quickly ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/StepEstimate.h"
#include "hetero/Planner/Model/PipelineRecurrence.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

using namespace llvm;
using namespace hetero::planner;

/// How much of its time a way out of a node can be busy before everything waits
/// for it, as simulations of complete plans show, whose times of crossings are
/// those of the cost model. NodeSearch, which rounds them up, has a number of
/// its own.
static constexpr double fullestWay = 0.9;

namespace {
class Pipeline {
public:
  Pipeline(ArrayRef<EstimatedStage> stages, ArrayRef<int64_t> sizeOf,
           ArrayRef<int64_t> inFlight, int64_t count)
      : stages(stages), sizeOf(sizeOf), inFlight(inFlight), count(count),
        numStages(stages.size()), next(numStages, 0), now(numStages),
        linkForward(numStages, 0), linkBackward(numStages, 0),
        forwards(numStages * count, -1), backwards(numStages * count, -1),
        done(count) {
    for (auto [time, stage] : zip_equal(now, stages))
      time = stage.gather;
    for (int64_t i = 0; i < count; ++i)
      forwards[i] = 0;
  }

  double run() {
    for (int64_t stage = numStages - 1; stage >= 0; --stage)
      ready.push_back(stage);
    while (!ready.empty()) {
      int64_t stage = ready.pop_back_val();
      while (step(stage))
        ;
    }
    double total = 0;
    for (auto [time, stage] : zip_equal(now, stages))
      total = std::max(total, time + stage.reduce + stage.update);
    return total;
  }

  /// When the first stage was done with a microbatch.
  double doneWith(int64_t microbatch) const { return done[microbatch]; }

private:
  /// Does the next thing on a stage; false if there is none or it must wait.
  bool step(int64_t stage) {
    // With n in flight: n - 1 forwards, then pairs, then backwards.
    int64_t n = std::max<int64_t>(1, std::min(inFlight[stage], count));
    int64_t at = next[stage];
    if (at == 2 * count)
      return false;
    bool isForward = at < n - 1 || (at < n - 1 + 2 * (count - n + 1) &&
                                    (at - n + 1) % 2 == 0);
    int64_t microbatch = at < n - 1                ? at
                         : at >= 2 * count - n + 1 ? at - count
                         : isForward               ? n - 1 + (at - n + 1) / 2
                                                   : (at - n + 1) / 2;
    const StageSeconds &times = stages[stage].sizes[sizeOf[microbatch]];
    if (isForward) {
      double arrival = forwards[stage * count + microbatch];
      if (arrival < 0)
        return false;
      now[stage] = std::max(now[stage], arrival) + times.forward;
      if (stage + 1 < numStages) {
        linkForward[stage] =
            std::max(linkForward[stage], now[stage]) + times.boundary;
        forwards[(stage + 1) * count + microbatch] = linkForward[stage];
        ready.push_back(stage + 1);
      } else {
        backwards[stage * count + microbatch] = now[stage];
      }
    } else {
      double arrival = backwards[stage * count + microbatch];
      if (arrival < 0)
        return false;
      now[stage] = std::max(now[stage], arrival) + times.backward;
      if (stage > 0) {
        double crossing =
            stages[stage - 1].sizes[sizeOf[microbatch]].boundaryGradient;
        linkBackward[stage] =
            std::max(linkBackward[stage], now[stage]) + crossing;
        backwards[(stage - 1) * count + microbatch] = linkBackward[stage];
        ready.push_back(stage - 1);
      } else {
        done[microbatch] = now[stage];
      }
    }
    ++next[stage];
    return true;
  }

  ArrayRef<EstimatedStage> stages;
  ArrayRef<int64_t> sizeOf, inFlight;
  int64_t count, numStages;
  /// For each stage what it does next and when it is done with the rest, and
  /// when the links from it are free.
  std::vector<int64_t> next;
  std::vector<double> now, linkForward, linkBackward;
  /// When the inputs of forwards and backwards arrive; -1 if they have not.
  std::vector<double> forwards, backwards;
  std::vector<double> done;
  SmallVector<int64_t> ready;
};
} // namespace

double hetero::planner::estimateStep(ArrayRef<EstimatedStage> stages,
                                     ArrayRef<int64_t> sizeOf,
                                     ArrayRef<int64_t> inFlight) {
  int64_t count = sizeOf.size(), deepest = 1;
  for (int64_t n : inFlight)
    deepest = std::max(deepest, std::min(n, count));
  int64_t followed = std::min(
      count, std::max<int64_t>(32, 3 * deepest + 2 * int64_t(stages.size())));
  // The larger microbatches come first; follow as many of them as of the
  // others.
  std::vector<int64_t> some(followed);
  for (int64_t i = 0; i < followed; ++i)
    some[i] = sizeOf[i * count / followed];
  Pipeline pipeline(stages, some, inFlight, followed);
  double time = pipeline.run();
  if (followed == count)
    return time;
  int64_t middle = followed / 2, late = followed - 1 - deepest / 2;
  double period = (pipeline.doneWith(late) - pipeline.doneWith(middle)) /
                  static_cast<double>(late - middle);
  return time + static_cast<double>(count - followed) * period;
}

double hetero::planner::leastStep(ArrayRef<EstimatedStage> stages,
                                  ArrayRef<double> counts) {
  double longest = 0, before = 0, after = 0;
  for (const EstimatedStage &stage : stages) {
    double work = 0;
    double forward = std::numeric_limits<double>::infinity(),
           backward = forward;
    for (auto [count, times] : zip_equal(counts, stage.sizes)) {
      work += count * (times.forward + times.backward);
      forward = std::min(forward, times.forward + times.boundary);
      backward = std::min(backward, times.backward + times.boundaryGradient);
    }
    longest =
        std::max(longest, std::max(before, stage.gather) + work +
                              std::max(after, stage.reduce + stage.update));
    before += forward;
    after += backward;
  }
  return longest;
}

/// How long the ways out of the nodes of each stage are busy for a microbatch:
/// with what goes forwards and what goes back, of all stages in them.
static std::vector<double> findLoads(ArrayRef<EstimatedStage> stages) {
  SmallDenseMap<int64_t, double> byNode;
  for (size_t i = 0; i + 1 < stages.size(); ++i) {
    if (stages[i].node == stages[i + 1].node)
      continue;
    const StageSeconds &times = stages[i].sizes.front();
    byNode[stages[i].node] += times.boundary;
    byNode[stages[i + 1].node] += times.boundaryGradient;
  }
  std::vector<double> loads;
  for (const EstimatedStage &stage : stages)
    loads.push_back(byNode.lookup(stage.node));
  return loads;
}

double hetero::planner::splitStep(ArrayRef<EstimatedStage> stages,
                                  ArrayRef<double> counts,
                                  ArrayRef<int64_t> limits) {
  double count = std::accumulate(counts.begin(), counts.end(), 0.0);
  // A stage has no more in flight than the one before it.
  std::vector<double> rooms, starts;
  double least = count, start = 0;
  for (auto [limit, stage] : zip_equal(limits, stages)) {
    rooms.push_back(least = std::min(least, static_cast<double>(limit)));
    starts.push_back(start);
    start += stage.sizes.front().forward + stage.sizes.front().boundary;
  }
  std::vector<double> loads = findLoads(stages);
  PipelineTail tail;
  for (size_t i = stages.size(); i-- > 0;) {
    const EstimatedStage &stage = stages[i];
    const StageSeconds &times = stage.sizes.front();
    double slower = 1;
    // What goes forwards and what goes back share the ways out of nodes.
    if (i + 1 < stages.size() && stage.node != stages[i + 1].node)
      slower = sharedWay(std::max(times.boundary, times.boundaryGradient),
                         times.forward + times.backward);
    PipelineStage next;
    next.forward = times.forward;
    next.backward = times.backward;
    next.there = slower * times.boundary;
    next.back = slower * times.boundaryGradient;
    next.count = count;
    for (auto [number, of] : zip_equal(counts, stage.sizes))
      next.work += number * (of.forward + of.backward);
    next.room = rooms[i];
    next.ways = wayTime(count, loads[i], fullestWay);
    next.gather = std::max(0.0, stage.gather - starts[i]);
    next.reduce = stage.reduce;
    next.update = stage.update;
    tail = prependStage(next, tail);
  }
  return tail.seconds;
}
