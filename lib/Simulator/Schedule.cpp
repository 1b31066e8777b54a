//===- Schedule.cpp - In which order the stages work ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Schedule.h"
#include "ZeroBubble.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

//===----------------------------------------------------------------------===//
// In-flight counts
//===----------------------------------------------------------------------===//

/// The slowest stage or crossing: the pipeline starts a microbatch not more
/// often than that.
static Time findPeriod(ArrayRef<StageTimes> stages) {
  Time period(1);
  for (const StageTimes &stage : stages)
    period = std::max({period,
                       std::max(stage.forward, stage.besideForward) +
                           std::max(stage.backward, stage.besideBackward),
                       stage.boundary, stage.boundaryGradient});
  return period;
}

/// A stage cannot have more in flight than the one before it lets through.
static void lowerToFeed(std::vector<int64_t> &counts) {
  for (size_t i = 1; i < counts.size(); ++i)
    counts[i] = std::min(counts[i], counts[i - 1]);
}

/// Interleaved microbatches go in groups of as many as there are stages; what
/// is left over goes with the last group, as a smaller one could not keep all
/// stages apart.
static int64_t largestGroup(int64_t microbatches, int64_t numStages) {
  return microbatches < numStages ? microbatches
                                  : numStages + microbatches % numStages;
}

int64_t hetero::simulator::leastInFlight(ScheduleKind kind, int64_t stage,
                                         int64_t numStages,
                                         int64_t microbatches, int64_t chunks) {
  int64_t most = std::max<int64_t>(1, microbatches * chunks);
  if (kind == ScheduleKind::Layered)
    return most;
  if (kind != ScheduleKind::Interleaved)
    return 1;
  // The first microbatch of a group must have passed all chunks.
  return std::min(most,
                  (numStages - stage - 1) +
                      (chunks - 1) * largestGroup(microbatches, numStages) + 1);
}

/// What covers the way of a microbatch through the stages from `stage` on, of
/// which the next one has `next` in flight.
static int64_t coverRoundTrip(int64_t stage, ArrayRef<StageTimes> stages,
                              Time period, int64_t next) {
  if (stage + 1 == int64_t(stages.size()))
    return 1;
  int64_t roundTrip =
      (stages[stage].boundary + stages[stage].boundaryGradient).count();
  return next + 1 + int64_t(divideCeil(roundTrip, period.count()));
}

/// The count of the first stage of h1f1b, if memory is no matter.
static int64_t coverAll(ArrayRef<StageTimes> stages, Time period) {
  int64_t count = 0;
  for (int64_t i = int64_t(stages.size()) - 1; i >= 0; --i)
    count = coverRoundTrip(i, stages, period, count);
  return count;
}

std::vector<int64_t>
hetero::simulator::computeInFlight(ScheduleKind kind, int64_t microbatches,
                                   ArrayRef<StageTimes> stages,
                                   ArrayRef<int64_t> limits, int64_t chunks) {
  int64_t numStages = stages.size();
  int64_t most = std::max<int64_t>(1, microbatches * chunks);
  Time period = findPeriod(stages);
  std::vector<int64_t> counts(numStages, 1);
  for (int64_t i = numStages - 1; i >= 0; --i) {
    int64_t limit = i < int64_t(limits.size()) ? limits[i] : most;
    int64_t wanted = most;
    switch (kind) {
    case ScheduleKind::Gpipe:
      break;
    case ScheduleKind::Layered:
      limit = most;
      break;
    case ScheduleKind::OneFOneB:
      wanted = numStages - i;
      break;
    case ScheduleKind::Interleaved: {
      int64_t fewest = leastInFlight(kind, i, numStages, microbatches, chunks);
      wanted = fewest + numStages - i - 1;
      limit = std::max(limit, fewest);
      break;
    }
    case ScheduleKind::HeteroOneFOneB:
      wanted = coverRoundTrip(i, stages, period,
                              i + 1 < numStages ? counts[i + 1] : 0);
      break;
    case ScheduleKind::ZeroBubble:
      wanted = coverAll(stages, period);
      break;
    case ScheduleKind::Custom:
      llvm_unreachable("not one of scheduleKinds()");
    }
    counts[i] = std::max<int64_t>(1, std::min({wanted, limit, most}));
  }
  lowerToFeed(counts);
  return counts;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
/// Writes the list of one stage.
class ListBuilder {
public:
  ListBuilder(ScheduleKind kind, int64_t stage, int64_t numStages,
              StageSchedule &schedule)
      : stage(stage), numStages(numStages), schedule(schedule) {
    goesRound = kind == ScheduleKind::Interleaved && numStages > 1;
  }

  void forward(int64_t microbatch, int64_t chunk = 0) {
    if (std::optional<int64_t> from = before(chunk))
      add(InstructionKind::RecvActivation, microbatch, from, chunk);
    add(InstructionKind::Forward, microbatch, {}, chunk);
    if (std::optional<int64_t> to = after(chunk))
      add(InstructionKind::SendActivation, microbatch, to, chunk);
  }

  /// All of a backward, or the gradient of its inputs.
  void backward(int64_t microbatch, int64_t chunk = 0,
                InstructionKind kind = InstructionKind::Backward) {
    if (std::optional<int64_t> from = after(chunk))
      add(InstructionKind::RecvGradient, microbatch, from, chunk);
    add(kind, microbatch, {}, chunk);
    if (std::optional<int64_t> to = before(chunk))
      add(InstructionKind::SendGradient, microbatch, to, chunk);
  }

  void add(InstructionKind kind, std::optional<int64_t> microbatch = {},
           std::optional<int64_t> peer = {}, int64_t chunk = 0) {
    schedule.instructions.push_back({kind, microbatch, peer, chunk});
  }

private:
  /// The stages whose output a chunk takes and that take its output. Chunks
  /// that do not go round follow each other inside of the stage.
  std::optional<int64_t> before(int64_t chunk) const {
    if (goesRound ? stage > 0 : stage > 0 && chunk == 0)
      return stage - 1;
    if (goesRound && chunk > 0)
      return numStages - 1;
    return std::nullopt;
  }
  std::optional<int64_t> after(int64_t chunk) const {
    bool isLast = chunk == schedule.chunks - 1;
    if (goesRound ? stage < numStages - 1 : stage < numStages - 1 && isLast)
      return stage + 1;
    if (goesRound && !isLast)
      return 0;
    return std::nullopt;
  }

  int64_t stage, numStages;
  bool goesRound;
  StageSchedule &schedule;
};
} // namespace

/// The microbatch and chunk that an interleaved stage does at a place: groups
/// of as many microbatches as there are stages pass all chunks in turn.
static std::pair<int64_t, int64_t>
unitAt(int64_t place, int64_t numStages, int64_t microbatches, int64_t chunks) {
  int64_t numGroups = std::max<int64_t>(1, microbatches / numStages);
  int64_t group = std::min(place / (numStages * chunks), numGroups - 1);
  int64_t first = group * numStages;
  int64_t size = group + 1 < numGroups ? numStages : microbatches - first;
  int64_t rest = place - first * chunks;
  return {first + rest % size, rest / size};
}

static void interleave(ListBuilder &list, int64_t count, int64_t numStages,
                       int64_t microbatches, int64_t chunks) {
  int64_t units = microbatches * chunks;
  for (int64_t i = 0; i < units + count - 1; ++i) {
    if (i < units) {
      auto [microbatch, chunk] = unitAt(i, numStages, microbatches, chunks);
      list.forward(microbatch, chunk);
    }
    if (i >= count - 1) {
      auto [microbatch, chunk] =
          unitAt(i - (count - 1), numStages, microbatches, chunks);
      list.backward(microbatch, chunks - 1 - chunk);
    }
  }
}

/// All microbatches of a chunk after each other. The next chunk is gathered
/// beside them, and what they leave is reduced beside those that follow.
static void layer(ListBuilder &list, StageCommunication inside,
                  int64_t microbatches, int64_t chunks) {
  auto gather = [&](int64_t chunk) {
    if (inside.gathers && chunk >= 0 && chunk < chunks)
      list.add(InstructionKind::Gather, {}, {}, chunk);
  };
  gather(0);
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    gather(chunk + 1);
    for (int64_t i = 0; i < microbatches; ++i)
      list.forward(i, chunk);
  }
  for (int64_t chunk = chunks - 1; chunk >= 0; --chunk) {
    gather(chunk - 1);
    for (int64_t i = 0; i < microbatches; ++i)
      list.backward(i, chunk);
    if (inside.reduces)
      list.add(InstructionKind::Reduce, {}, {}, chunk);
  }
}

/// The counts that lists can have.
static std::vector<int64_t> cleanInFlight(ScheduleKind kind,
                                          int64_t microbatches,
                                          ArrayRef<int64_t> inFlight,
                                          int64_t chunks) {
  std::vector<int64_t> counts;
  int64_t most = std::max<int64_t>(1, microbatches * chunks);
  for (auto [index, count] : enumerate(inFlight)) {
    int64_t fewest =
        leastInFlight(kind, index, inFlight.size(), microbatches, chunks);
    counts.push_back(std::min(most, std::max(fewest, count)));
  }
  lowerToFeed(counts);
  // More than two beyond what the next one has can wait for each other.
  if (kind == ScheduleKind::Interleaved)
    for (size_t i = counts.size(); i-- > 1;)
      counts[i - 1] = std::min(counts[i - 1], counts[i] + 2);
  return counts;
}

Schedule
hetero::simulator::buildSchedule(ScheduleKind kind, int64_t microbatches,
                                 ArrayRef<int64_t> inFlight,
                                 ArrayRef<StageCommunication> communication,
                                 int64_t chunks, ArrayRef<StageTimes> times) {
  if (kind != ScheduleKind::Interleaved && kind != ScheduleKind::Layered)
    chunks = 1;
  Schedule result;
  result.kind = kind;
  result.microbatches = microbatches;
  result.stages.resize(inFlight.size());
  std::vector<int64_t> counts =
      cleanInFlight(kind, microbatches, inFlight, chunks);
  std::vector<std::vector<Step>> steps;
  if (kind == ScheduleKind::ZeroBubble)
    steps = orderZeroBubble(microbatches, counts, times);
  int64_t numStages = inFlight.size();
  for (auto [index, stage] : enumerate(result.stages)) {
    StageCommunication inside = index < communication.size()
                                    ? communication[index]
                                    : StageCommunication();
    stage.chunks = chunks;
    int64_t count = stage.inFlight = counts[index];
    ListBuilder list(kind, index, numStages, stage);
    if (kind == ScheduleKind::Layered) {
      layer(list, inside, microbatches, chunks);
      list.add(InstructionKind::Update);
      continue;
    }
    for (int64_t chunk = 0; inside.gathers && chunk < chunks; ++chunk)
      list.add(InstructionKind::Gather, {}, {}, chunk);
    if (kind == ScheduleKind::Interleaved) {
      interleave(list, count, numStages, microbatches, chunks);
    } else if (kind == ScheduleKind::ZeroBubble) {
      for (const Step &step : steps[index]) {
        if (step.kind == InstructionKind::Forward)
          list.forward(step.microbatch);
        else if (step.kind == InstructionKind::InputGradient)
          list.backward(step.microbatch, 0, step.kind);
        else
          list.add(step.kind, step.microbatch);
      }
    } else {
      for (int64_t i = 0; i < microbatches + count - 1; ++i) {
        if (i < microbatches)
          list.forward(i);
        if (i >= count - 1)
          list.backward(i - (count - 1));
      }
    }
    for (int64_t chunk = chunks - 1; inside.reduces && chunk >= 0; --chunk)
      list.add(InstructionKind::Reduce, {}, {}, chunk);
    list.add(InstructionKind::Update);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Kinds of instructions
//===----------------------------------------------------------------------===//

bool hetero::simulator::isSend(InstructionKind kind) {
  return kind == InstructionKind::SendActivation ||
         kind == InstructionKind::SendGradient;
}

bool hetero::simulator::isRecv(InstructionKind kind) {
  return kind == InstructionKind::RecvActivation ||
         kind == InstructionKind::RecvGradient;
}

bool hetero::simulator::isCompute(InstructionKind kind) {
  return kind <= InstructionKind::Update;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr ScheduleKind allKinds[] = {
    ScheduleKind::Gpipe,       ScheduleKind::OneFOneB,
    ScheduleKind::Interleaved, ScheduleKind::HeteroOneFOneB,
    ScheduleKind::ZeroBubble,  ScheduleKind::Layered};

ArrayRef<ScheduleKind> hetero::simulator::scheduleKinds() { return allKinds; }

std::optional<ScheduleKind>
hetero::simulator::parseScheduleKind(StringRef name) {
  std::optional<ScheduleKind> kind = symbolizeScheduleKind(name);
  return kind == ScheduleKind::Custom ? std::nullopt : kind;
}

std::string hetero::simulator::listScheduleKinds() {
  return join(
      map_range(allKinds,
                [](ScheduleKind kind) { return stringify(kind).str(); }),
      ", ");
}

std::string hetero::simulator::stringify(const Instruction &instruction) {
  std::string text = stringify(instruction.kind).str();
  if (instruction.microbatch)
    text += " " + std::to_string(*instruction.microbatch);
  if (instruction.peer)
    text += (isSend(instruction.kind) ? " to " : " from ") +
            std::to_string(*instruction.peer);
  if (instruction.chunk != 0)
    text += " chunk " + std::to_string(instruction.chunk);
  return text;
}
