//===- Simulator.cpp - What happens when ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Simulator.h"
#include "MessageIndex.h"
#include "SimulationCheck.h"
#include "Traffic.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

namespace {
enum class EventKind : uint8_t {
  ComputationEnd, ///< of a stage
  TransferEnd,    ///< of what a stream carries, if that shares nothing
  Arrival,        ///< of a transfer, after its latency
  ReductionBegin  ///< of all but the last part, beside the last backward
};

struct Event {
  Time time;
  /// What is listed first comes first.
  uint64_t order;
  int64_t index;
  uint32_t number;
  EventKind kind;

  bool operator<(const Event &other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
};

/// A message or a collective.
struct Transfer {
  Time begun = Time(-1), arrived = Time(-1);
  /// Where its span is, if it has one.
  int32_t stage = -1, instruction = -1;
  /// The stage that may wait for it.
  int32_t receiver = -1;
};

/// A transfer that waits for its turn on a stream.
struct Pending {
  int64_t transfer;
  Time duration;
  const Flow *flow;
};

struct Stream {
  std::vector<Pending> pending;
  size_t next = 0;
  bool busy = false, yields = false;
};

struct Stage {
  size_t next = 0;
  bool waiting = false, computing = false;
  /// What it waited for has arrived.
  bool resumed = false;
  /// The transfer that it waits for, and since when; -1 for one that nobody
  /// sends.
  int64_t awaited = -1;
  Time since;
  /// The computation that runs: its own time, and what must be done before it
  /// ends.
  Time duration;
  int64_t beside = -1;
  /// For each chunk the first part of its gather and the rest.
  SmallVector<std::pair<int64_t, int64_t>, 1> gathers;
  int64_t lastReduction = -1;
  /// The gradient beside which the reduction at the second place runs.
  SmallVector<std::pair<size_t, size_t>, 1> reductions;
};

class Engine {
public:
  explicit Engine(const Simulation &simulation)
      : schedule(simulation.schedule), simulation(simulation),
        numStages(schedule.stages.size()), messages(schedule),
        streams(messages.numStreams() + numStages),
        transfers(messages.numMessages()), stages(numStages),
        traffic(simulation.network, streams.size()) {}

  Expected<SimulationResult> run();

private:
  const StageTimes &timesOf(int64_t stage, int64_t chunk, int64_t microbatch);
  const StageTimes &timesOf(int64_t stage, const Instruction &instruction) {
    return timesOf(stage, instruction.chunk,
                   instruction.microbatch.value_or(0));
  }
  void prepare(int64_t stage);
  void push(Time time, EventKind kind, int64_t index, uint32_t number = 0);
  void handle(const Event &event);
  void finishTransfer(int64_t stream, Time now);

  void proceed(int64_t stage, Time now);
  bool receive(int64_t stage, Time now);
  void wait(int64_t stage, int64_t transfer, Time now);
  int64_t startComputation(int64_t stage, Time now);
  bool finishComputation(int64_t stage, Time now);
  Time computationTime(int64_t stage, const Instruction &instruction);

  void send(int64_t stage, Time now);
  Pending makeMessage(int64_t stage, const Instruction &instruction);
  void gather(int64_t stage, Time now);
  void reduce(int64_t stage, size_t instruction, bool isLast, Time now);
  int64_t addCollective(int64_t stage, int64_t instruction, Time duration,
                        const Flow *flow, Time now);
  void enqueue(int64_t stream, const Pending &pending, Time now);
  void advance(int64_t stream, Time now);
  void arrive(int64_t transfer, Time now);
  bool hasArrived(int64_t transfer) const {
    return transfer < 0 || transfers[transfer].arrived >= Time(0);
  }

  const Flow *flowOf(int64_t stage, Flow StageFlows::*member) const {
    return simulation.flows.empty() ? nullptr
                                    : &(simulation.flows[stage].*member);
  }
  Error describeCircle() const;
  void summarize();

  const Schedule &schedule;
  const Simulation &simulation;
  int64_t numStages;
  MessageIndex messages;
  std::vector<Stream> streams;
  std::vector<Transfer> transfers;
  std::vector<Stage> stages;
  Traffic traffic;
  std::vector<Event> events;
  uint64_t numEvents = 0;
  SimulationResult result;
};
} // namespace

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void Engine::push(Time time, EventKind kind, int64_t index, uint32_t number) {
  events.push_back({time, numEvents++, index, number, kind});
  std::push_heap(events.begin(), events.end());
}

void Engine::handle(const Event &event) {
  Time now = event.time;
  switch (event.kind) {
  case EventKind::ComputationEnd:
    if (finishComputation(event.index, now))
      proceed(event.index, now);
    return;
  case EventKind::ReductionBegin: {
    // Stages have few reductions, one for each chunk.
    Stage &stage = stages[event.index];
    return reduce(event.index, stage.reductions[event.number].second,
                  /*isLast=*/false, now);
  }
  case EventKind::Arrival:
    return arrive(event.index, now);
  case EventKind::TransferEnd:
    return finishTransfer(event.index, now);
  }
}

/// What the stream carried is over; the next one starts.
void Engine::finishTransfer(int64_t index, Time now) {
  Stream &stream = streams[index];
  const Pending &done = stream.pending[stream.next];
  Time latency = done.flow ? done.flow->latency : Time(0);
  int64_t transfer = done.transfer;
  ++stream.next;
  stream.busy = false;
  advance(index, now);
  if (latency > Time(0))
    push(now + latency, EventKind::Arrival, transfer);
  else
    arrive(transfer, now);
}

const StageTimes &Engine::timesOf(int64_t stage, int64_t chunk,
                                  int64_t microbatch) {
  const std::vector<StageTimes> &list = simulation.times[stage];
  return int64_t(list.size()) == schedule.stages[stage].chunks
             ? list[chunk]
             : list[chunk * schedule.microbatches + microbatch];
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Carries out what a stage does next until it computes or waits.
void Engine::proceed(int64_t index, Time now) {
  Stage &stage = stages[index];
  const std::vector<Instruction> &list = schedule.stages[index].instructions;
  while (stage.next < list.size()) {
    InstructionKind kind = list[stage.next].kind;
    if (isCompute(kind)) {
      int64_t needed = startComputation(index, now);
      if (needed >= 0)
        return wait(index, needed, now);
      if (stage.computing)
        return;
      continue;
    }
    if (isRecv(kind)) {
      if (!receive(index, now))
        return;
    } else if (isSend(kind)) {
      send(index, now);
    } else if (kind == InstructionKind::Gather) {
      gather(index, now);
    } else {
      reduce(index, stage.next, /*isLast=*/true, now);
    }
    ++stage.next;
  }
}

void Engine::wait(int64_t index, int64_t transfer, Time now) {
  Stage &stage = stages[index];
  stage.waiting = true;
  stage.awaited = transfer;
  stage.since = now;
}

/// False if the message is not there.
bool Engine::receive(int64_t index, Time now) {
  Stage &stage = stages[index];
  Span &span = result.spans[index][stage.next];
  int64_t transfer = messages.of(index, stage.next);
  if (transfer < 0 || !hasArrived(transfer)) {
    span.start = now;
    wait(index, transfer, now);
    return false;
  }
  if (!stage.resumed)
    span.start = now;
  stage.resumed = false;
  span.end = now;
  return true;
}

Time Engine::computationTime(int64_t stage, const Instruction &instruction) {
  const StageTimes &times = timesOf(stage, instruction);
  switch (instruction.kind) {
  case InstructionKind::Forward:
    return times.forward;
  case InstructionKind::Backward:
    return times.backward;
  case InstructionKind::InputGradient:
    return times.backward - times.weightGradient;
  case InstructionKind::WeightGradient:
    return times.weightGradient;
  default:
    return times.update;
  }
}

/// Starts the next computation, unless it has to wait for the transfer that is
/// returned. One that takes no time is over at once.
int64_t Engine::startComputation(int64_t index, Time now) {
  Stage &stage = stages[index];
  const Instruction &instruction =
      schedule.stages[index].instructions[stage.next];
  InstructionKind kind = instruction.kind;
  bool isUpdate = kind == InstructionKind::Update;
  int64_t needed =
      isUpdate ? stage.lastReduction : stage.gathers[instruction.chunk].first;
  if (!hasArrived(needed))
    return needed;
  const StageTimes &times = timesOf(index, instruction);
  stage.duration = computationTime(index, instruction);
  result.spans[index][stage.next].start = now;
  result.stages[index].busy += stage.duration;
  bool isForward = kind == InstructionKind::Forward;
  bool isBackward = kind == InstructionKind::Backward ||
                    kind == InstructionKind::InputGradient;
  Time beside = isForward    ? times.besideForward
                : isBackward ? times.besideBackward
                             : Time(0);
  stage.beside = -1;
  if (beside > Time(0))
    stage.beside =
        addCollective(index, -1, beside,
                      flowOf(index, isForward ? &StageFlows::besideForward
                                              : &StageFlows::besideBackward),
                      now);
  for (auto [number, pair] : enumerate(stage.reductions))
    if (pair.first == stage.next)
      push(now + Time(stage.duration.count() / times.parts),
           EventKind::ReductionBegin, index, number);
  stage.computing = true;
  if (stage.duration == Time(0) && stage.beside < 0 &&
      stage.reductions.empty()) {
    finishComputation(index, now);
    return -1;
  }
  push(now + stage.duration, EventKind::ComputationEnd, index);
  return -1;
}

/// The computation is over, unless a collective beside it is not.
bool Engine::finishComputation(int64_t index, Time now) {
  Stage &stage = stages[index];
  const Instruction &instruction =
      schedule.stages[index].instructions[stage.next];
  auto waitFor = [&](int64_t transfer) {
    wait(index, transfer, now);
    return false;
  };
  if (!hasArrived(stage.beside))
    return waitFor(stage.beside);
  if (instruction.kind != InstructionKind::Update) {
    int64_t &rest = stage.gathers[instruction.chunk].second;
    if (!hasArrived(rest))
      return waitFor(rest);
    if (rest >= 0) {
      // The part of the computation that needs the last part is still to do.
      Time end =
          transfers[rest].arrived +
          Time(stage.duration.count() / timesOf(index, instruction).parts);
      rest = -1;
      if (end > now) {
        result.stages[index].exposed += end - now;
        push(end, EventKind::ComputationEnd, index);
        return false;
      }
    }
  }
  stage.computing = false;
  result.spans[index][stage.next].end = now;
  result.total = std::max(result.total, now);
  ++stage.next;
  return true;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// A message across all boundaries between two stages, or from the last stage
/// back to the first, with the index of the boundary's stage.
Pending Engine::makeMessage(int64_t stage, const Instruction &instruction) {
  int64_t peer = *instruction.peer, microbatch = *instruction.microbatch;
  bool gradient = instruction.kind == InstructionKind::SendGradient;
  auto member =
      gradient ? &StageTimes::boundaryGradient : &StageTimes::boundary;
  auto flow = gradient ? &StageFlows::boundaryGradient : &StageFlows::boundary;
  Pending pending;
  pending.transfer = messages.of(stage, stages[stage].next);
  if (gradient == (stage < peer)) {
    // From the last chunk of the last stage on to the first one.
    int64_t from = std::max(stage, peer);
    int64_t chunk = instruction.chunk - (gradient ? 1 : 0);
    chunk = std::clamp<int64_t>(chunk, 0, schedule.stages[from].chunks - 1);
    pending.duration = timesOf(from, chunk, microbatch).*member;
    pending.flow = flowOf(from, flow);
    return pending;
  }
  int64_t first = std::min(stage, peer);
  for (int64_t i = first; i < std::max(stage, peer); ++i) {
    int64_t chunk = std::min(instruction.chunk, schedule.stages[i].chunks - 1);
    pending.duration += timesOf(i, chunk, microbatch).*member;
  }
  pending.flow = flowOf(first, flow);
  return pending;
}

void Engine::send(int64_t stage, Time now) {
  const Instruction &instruction =
      schedule.stages[stage].instructions[stages[stage].next];
  Pending pending = makeMessage(stage, instruction);
  Transfer &transfer = transfers[pending.transfer];
  transfer.stage = stage;
  transfer.instruction = stages[stage].next;
  transfer.receiver = *instruction.peer;
  enqueue(messages.streamOf(stage, *instruction.peer), pending, now);
}

int64_t Engine::addCollective(int64_t stage, int64_t instruction, Time duration,
                              const Flow *flow, Time now) {
  int64_t index = transfers.size();
  transfers.emplace_back();
  transfers.back().stage = transfers.back().receiver = stage;
  transfers.back().instruction = instruction;
  enqueue(messages.numStreams() + stage, {index, duration, flow}, now);
  return index;
}

/// The first part, which computation waits for, and the rest.
void Engine::gather(int64_t index, Time now) {
  Stage &stage = stages[index];
  const Instruction &instruction =
      schedule.stages[index].instructions[stage.next];
  const StageTimes &times = timesOf(index, instruction);
  const Flow *flow = flowOf(index, &StageFlows::gather);
  Time first(times.gather.count() / times.parts);
  auto &[begin, rest] = stage.gathers[instruction.chunk];
  begin = addCollective(index, stage.next, first, flow, now);
  rest = times.parts == 1 ? -1
                          : addCollective(index, stage.next,
                                          times.gather - first, flow, now);
}

/// All but the last part while the last gradients are computed, if there are
/// parts, and then the rest.
void Engine::reduce(int64_t index, size_t place, bool isLast, Time now) {
  Stage &stage = stages[index];
  const Instruction &instruction = schedule.stages[index].instructions[place];
  const StageTimes &times = timesOf(index, instruction);
  bool inParts = any_of(stage.reductions,
                        [&](const auto &pair) { return pair.second == place; });
  Time last(inParts ? times.reduce.count() / times.parts
                    : times.reduce.count());
  stage.lastReduction =
      addCollective(index, place, isLast ? last : times.reduce - last,
                    flowOf(index, &StageFlows::reduce), now);
}

void Engine::enqueue(int64_t stream, const Pending &pending, Time now) {
  transfers[pending.transfer].begun = now;
  streams[stream].pending.push_back(pending);
  if (!streams[stream].busy)
    advance(stream, now);
}

/// Puts the next transfer of a stream on its way.
void Engine::advance(int64_t index, Time now) {
  Stream &stream = streams[index];
  if (stream.next == stream.pending.size()) {
    stream.pending.clear();
    stream.next = 0;
    return;
  }
  stream.busy = true;
  const Pending &pending = stream.pending[stream.next];
  const Transfer &transfer = transfers[pending.transfer];
  if (transfer.instruction >= 0) {
    // Of several parts the first one says when it begins.
    Span &span = result.spans[transfer.stage][transfer.instruction];
    if (span.end == Time(0))
      span.start = now;
  }
  Time latency = pending.flow ? pending.flow->latency : Time(0);
  Time duration = std::max(Time(0), pending.duration - latency);
  if (!pending.flow || pending.flow->loads.empty() || duration == Time(0))
    return push(now + duration, EventKind::TransferEnd, index);
  traffic.begin(index, now, duration, pending.flow->loads,
                index >= messages.numStreams());
}

void Engine::arrive(int64_t index, Time now) {
  Transfer &transfer = transfers[index];
  transfer.arrived = now;
  result.total = std::max(result.total, now);
  if (transfer.instruction >= 0)
    result.spans[transfer.stage][transfer.instruction].end = now;
  int64_t receiver = transfer.receiver;
  Stage &stage = stages[receiver];
  if (!stage.waiting || stage.awaited != index)
    return;
  stage.waiting = false;
  result.stages[receiver].exposed +=
      now - std::max(stage.since, transfer.begun);
  if (stage.computing && !finishComputation(receiver, now))
    return;
  stage.resumed =
      transfer.stage != receiver; // it waits at the receive of a message
  proceed(receiver, now);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Finds the last gradient before each reduction that is done in parts.
void Engine::prepare(int64_t index) {
  const StageSchedule &list = schedule.stages[index];
  Stage &stage = stages[index];
  stage.gathers.assign(list.chunks, {-1, -1});
  result.spans[index].resize(list.instructions.size());
  std::vector<int64_t> lastGradient(list.chunks, -1);
  for (auto [place, instruction] : enumerate(list.instructions)) {
    if (instruction.kind == InstructionKind::Backward ||
        instruction.kind == InstructionKind::WeightGradient)
      lastGradient[instruction.chunk] = place;
    int64_t gradient = lastGradient[instruction.chunk];
    if (instruction.kind == InstructionKind::Reduce && gradient >= 0 &&
        timesOf(index, instruction).parts > 1) {
      stage.reductions.push_back({size_t(gradient), size_t(place)});
      lastGradient[instruction.chunk] = -1;
    }
  }
}

Expected<SimulationResult> Engine::run() {
  result.spans.resize(numStages);
  result.stages.resize(numStages);
  for (int64_t stage = 0; stage < numStages; ++stage)
    prepare(stage);
  for (int64_t stage = 0; stage < numStages; ++stage)
    proceed(stage, Time(0));
  for (;;) {
    // A copy: what follows changes it.
    Traffic::End end = traffic.nextEnd();
    if (end.stream >= 0 &&
        (events.empty() || end.time <= events.front().time)) {
      traffic.end(end.stream, end.time);
      finishTransfer(end.stream, end.time);
      continue;
    }
    if (events.empty())
      break;
    std::pop_heap(events.begin(), events.end());
    Event event = events.back();
    events.pop_back();
    handle(event);
  }
  if (any_of(stages, [](const Stage &stage) { return stage.waiting; }))
    return describeCircle();
  summarize();
  return std::move(result);
}

/// Who waits for whom, from the first stage that does not get on.
Error Engine::describeCircle() const {
  std::string text;
  std::vector<bool> seen(numStages, false);
  int64_t index = find_if(stages, [](const Stage &s) { return s.waiting; }) -
                  stages.begin();
  while (!seen[index]) {
    seen[index] = true;
    const Instruction &instruction =
        schedule.stages[index].instructions[stages[index].next];
    int64_t peer = *instruction.peer;
    text +=
        (text.empty() ? "" : ", ") +
        ("stage " + Twine(index) + " waits at '" + stringify(instruction) + "'")
            .str();
    if (!stages[peer].waiting)
      return createStringError(text + ", which stage " + Twine(peer) +
                               " never sends");
    index = peer;
  }
  return createStringError("the stages wait for each other: " + text);
}

void Engine::summarize() {
  result.media = traffic.statistics();
  for (int64_t index = 0; index < numStages; ++index) {
    StageStatistics &statistics = result.stages[index];
    statistics.bubble = result.total - statistics.busy - statistics.exposed;
    int64_t inFlight = 0;
    for (const Instruction &instruction : schedule.stages[index].instructions) {
      inFlight += instruction.kind == InstructionKind::Forward;
      statistics.inFlight = std::max(statistics.inFlight, inFlight);
      inFlight -= instruction.kind == InstructionKind::Backward ||
                  instruction.kind == InstructionKind::WeightGradient;
    }
  }
  for (auto [index, devices] : enumerate(simulation.devices)) {
    std::vector<DevicePeak> &peaks = result.peaks.emplace_back();
    for (const DeviceUse &device : devices) {
      DevicePeak peak{device.device, Bytes(-1), Time(0)};
      for (const MemoryPoint &point :
           memoryOverTime(schedule.stages[index], schedule.microbatches,
                          result.spans[index], device))
        if (point.bytes > peak.bytes)
          peak = {device.device, point.bytes, point.time};
      peaks.push_back(peak);
    }
  }
}

std::vector<MemoryPoint>
hetero::simulator::memoryOverTime(const StageSchedule &stage,
                                  int64_t microbatches, ArrayRef<Span> spans,
                                  const DeviceUse &device) {
  std::vector<MemoryPoint> points = {{Time(0), device.fixed}};
  Bytes now = device.fixed;
  auto keptBy = [&](const Instruction &instruction) {
    size_t index =
        instruction.chunk * microbatches + instruction.microbatch.value_or(0);
    if (int64_t(device.kept.size()) == stage.chunks)
      index = instruction.chunk;
    return device.kept.empty()
               ? Bytes(0)
               : device.kept[std::min(index, device.kept.size() - 1)];
  };
  for (auto [instruction, span] : zip_equal(stage.instructions, spans)) {
    if (instruction.kind == InstructionKind::Forward)
      points.push_back({span.start, now += keptBy(instruction)});
    if (instruction.kind == InstructionKind::Backward ||
        instruction.kind == InstructionKind::WeightGradient)
      points.push_back({span.end, now -= keptBy(instruction)});
  }
  return points;
}

Expected<SimulationResult>
hetero::simulator::simulate(const Simulation &simulation) {
  if (Error error = checkSimulation(simulation))
    return error;
  return Engine(simulation).run();
}
