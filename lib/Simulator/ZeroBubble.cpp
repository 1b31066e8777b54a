//===- ZeroBubble.cpp - Weight gradients that fill gaps -------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroBubble.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

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

class Follower {
public:
  Follower(int64_t microbatches, ArrayRef<int64_t> inFlight,
           ArrayRef<StageTimes> times)
      : microbatches(microbatches), inFlight(inFlight), times(times),
        workers(inFlight.size()), steps(inFlight.size()),
        forwardFree(inFlight.size()), backwardFree(inFlight.size()) {}

  std::vector<std::vector<Step>> follow();

private:
  void push(Time time, int64_t stage, Event::Kind kind) {
    events.push({time, numEvents++, stage, kind});
  }
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
  std::priority_queue<Event> events;
  /// Stages that may start something at the current time.
  std::vector<int64_t> pendingStages;
  int64_t numEvents = 0;
};
} // namespace

void Follower::start(int64_t stage, Time now) {
  Worker &worker = workers[stage];
  if (worker.busy)
    return;
  const StageTimes &own = times[stage];
  Step step;
  Time duration;
  if (worker.inputs < worker.gradients) {
    step = {InstructionKind::InputGradient, worker.inputs};
    duration = std::max(own.backward - own.weightGradient, own.besideBackward);
  } else if (worker.forwards < worker.activations &&
             worker.forwards - worker.weights < inFlight[stage]) {
    step = {InstructionKind::Forward, worker.forwards};
    duration = std::max(own.forward, own.besideForward);
  } else if (worker.weights < worker.inputs) {
    step = {InstructionKind::WeightGradient, worker.weights};
    duration = own.weightGradient;
  } else {
    return;
  }
  worker.busy = true;
  steps[stage].push_back(step);
  push(now + duration, stage, Event::Free);
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

std::vector<std::vector<Step>> Follower::follow() {
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
  return std::move(steps);
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
  return Follower(microbatches, inFlight, times).follow();
}
