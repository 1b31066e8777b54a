//===- ZeroBubble.cpp - Weight gradients that fill gaps -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ZeroBubble.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

/// How many microbatches a stage wants to have on their way after it, and how
/// many at most, for each one that covers the way there and back. By trying
/// many for the stages of large plans.
static constexpr double wantedPeriods = 1.5, mostPeriods = 2;

namespace {
struct Worker {
  /// What is done of each kind; microbatches come in order.
  int64_t forwards = 0, inputs = 0, weights = 0;
  /// When the microbatches can be taken on, and their gradients.
  int64_t activations = 0, gradients = 0;
  bool busy = false;
};

/// A stage is free, or has got something.
struct Event {
  Time time;
  int64_t order;
  int64_t stage;
  enum Kind { Free, Activation, Gradient } kind;

  bool operator<(const Event &other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
};

/// What a rule makes of the stages.
struct Order {
  std::vector<std::vector<Step>> steps;
  Time total;
};

class Follower {
public:
  /// If `paced`, by the second rule.
  Follower(int64_t microbatches, ArrayRef<int64_t> inFlight,
           ArrayRef<StageTimes> times, bool paced)
      : microbatches(microbatches), inFlight(inFlight), times(times),
        workers(inFlight.size()), steps(inFlight.size()),
        forwardFree(inFlight.size()), backwardFree(inFlight.size()) {
    if (paced)
      setPace();
  }

  Order follow();

private:
  void push(Time time, int64_t stage, Event::Kind kind) {
    events.push({time, numEvents++, stage, kind});
  }
  void setPace();
  void start(int64_t stage, Time now);
  void finish(int64_t stage, Time now);
  void cross(Time &free, Time now, Time crossing, int64_t to,
             Event::Kind kind) {
    free = std::max(free, now) + crossing;
    push(free, to, kind);
  }

  int64_t microbatches;
  ArrayRef<int64_t> inFlight;
  ArrayRef<StageTimes> times;
  std::vector<Worker> workers;
  std::vector<std::vector<Step>> steps;
  /// When the boundary after a stage is free, forwards and backwards.
  std::vector<Time> forwardFree, backwardFree;
  /// For each stage: with fewer microbatches on their way after it forwards
  /// come first, and with so many there are none. Empty if that is no matter.
  std::vector<double> wanted, most;
  Time end;
  std::priority_queue<Event> events;
  /// Stages that may start something at the current time.
  std::vector<int64_t> pendingStages;
  int64_t numEvents = 0;
};
} // namespace

/// How long a gradient of inputs and a forward take.
static Time inputTime(const StageTimes &times) {
  return std::max(times.backward - times.weightGradient, times.besideBackward);
}
static Time forwardTime(const StageTimes &times) {
  return std::max(times.forward, times.besideForward);
}

/// By the way there and back from each stage, in periods of the slowest one.
void Follower::setPace() {
  Time period(1), stay;
  for (const StageTimes &own : times)
    period = std::max(period,
                      forwardTime(own) + inputTime(own) + own.weightGradient);
  wanted.resize(times.size());
  most.resize(times.size());
  for (size_t i = times.size(); i-- > 0;) {
    const StageTimes &own = times[i];
    stay +=
        forwardTime(own) + inputTime(own) + own.boundary + own.boundaryGradient;
    double periods = toSeconds(stay) / toSeconds(period);
    wanted[i] = wantedPeriods * periods;
    most[i] = std::max(1.0, mostPeriods * periods);
  }
}

void Follower::start(int64_t stage, Time now) {
  Worker &worker = workers[stage];
  if (worker.busy)
    return;
  const StageTimes &own = times[stage];
  Step step;
  Time duration;
  bool canGoOn = worker.forwards < worker.activations &&
                 worker.forwards - worker.weights < inFlight[stage];
  bool isBehind = false;
  if (!wanted.empty()) {
    auto away = static_cast<double>(worker.forwards - worker.inputs);
    isBehind = away < wanted[stage];
    canGoOn &= away < most[stage];
  }
  if (worker.inputs < worker.gradients && !(canGoOn && isBehind)) {
    step = {InstructionKind::InputGradient, worker.inputs};
    duration = inputTime(own);
  } else if (canGoOn) {
    step = {InstructionKind::Forward, worker.forwards};
    duration = forwardTime(own);
  } else if (worker.weights < worker.inputs) {
    step = {InstructionKind::WeightGradient, worker.weights};
    duration = own.weightGradient;
  } else {
    return;
  }
  worker.busy = true;
  steps[stage].push_back(step);
  push(now + duration, stage, Event::Free);
  end = std::max(end, now + duration + own.reduce + own.update);
}

/// Hands on what the last step has made.
void Follower::finish(int64_t stage, Time now) {
  Worker &worker = workers[stage];
  worker.busy = false;
  bool isLast = stage + 1 == int64_t(workers.size());
  switch (steps[stage].back().kind) {
  case InstructionKind::Forward:
    ++worker.forwards;
    if (isLast)
      ++worker.gradients;
    else
      cross(forwardFree[stage], now, times[stage].boundary, stage + 1,
            Event::Activation);
    break;
  case InstructionKind::InputGradient:
    ++worker.inputs;
    if (stage > 0)
      cross(backwardFree[stage - 1], now, times[stage - 1].boundaryGradient,
            stage - 1, Event::Gradient);
    break;
  default:
    ++worker.weights;
    break;
  }
}

Order Follower::follow() {
  if (workers.empty())
    return {};
  workers.front().activations = microbatches;
  start(0, Time(0));
  while (!events.empty()) {
    Event event = events.top();
    events.pop();
    if (event.kind == Event::Free)
      finish(event.stage, event.time);
    else
      ++(event.kind == Event::Activation ? workers[event.stage].activations
                                         : workers[event.stage].gradients);
    // What arrives at the same time is looked at together.
    bool more = !events.empty() && events.top().time == event.time;
    pendingStages.push_back(event.stage);
    if (more)
      continue;
    for (int64_t stage : pendingStages)
      start(stage, event.time);
    pendingStages.clear();
  }
  return {std::move(steps), end};
}

std::vector<std::vector<Step>>
hetero::simulator::orderZeroBubble(int64_t microbatches,
                                   ArrayRef<int64_t> inFlight,
                                   ArrayRef<StageTimes> times) {
  std::vector<StageTimes> equal;
  if (times.size() != inFlight.size()) {
    StageTimes third;
    third.forward = third.weightGradient = Time(1);
    third.backward = Time(2);
    equal.assign(inFlight.size(), third);
    times = equal;
  }
  Order eager = Follower(microbatches, inFlight, times, false).follow();
  Order paced = Follower(microbatches, inFlight, times, true).follow();
  return std::move(paced.total < eager.total ? paced.steps : eager.steps);
}
