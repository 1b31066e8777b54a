//===- PredictedTimeline.cpp - What a plan expects to happen --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Plan/PredictedTimeline.h"
#include "hetero/Simulator/Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>
#include <tuple>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using namespace hetero::simulator;

/// The times of all microbatches of a stage: those of the first one, which the
/// plan predicts, by the number of samples. Chunks take theirs by their layers.
static std::vector<StageTimes> getTimes(const Plan &plan, const Stage &stage,
                                        int64_t chunks) {
  std::vector<StageTimes> times;
  std::vector<int64_t> layers(chunks, 1);
  for (size_t i = 0; i < stage.layers.size() && i < layers.size(); ++i)
    layers[i] = stage.layers[i].last - stage.layers[i].first + 1;
  int64_t numLayers = std::accumulate(layers.begin(), layers.end(), int64_t(0));
  for (int64_t own : layers)
    for (int64_t size : plan.microbatches) {
      double part = double(own) / double(numLayers);
      double ratio = double(size) / std::max<int64_t>(plan.microbatches[0], 1);
      auto scale = [](Time time, double by) {
        return Time::nearest(double(time.count()) * by);
      };
      StageTimes &entry = times.emplace_back();
      entry.forward = scale(stage.forward, ratio * part);
      entry.backward = scale(stage.backward, ratio * part);
      entry.weightGradient = Time(entry.backward.count() / 2);
      entry.boundary = scale(stage.boundary, ratio);
      entry.boundaryGradient = scale(stage.boundaryGradient, ratio);
      entry.gather = scale(stage.gather, part);
      entry.reduce = scale(stage.reduce, part);
      entry.update = stage.update;
    }
  return times;
}

/// The spans of a stage, which all of its devices have.
static void addSpans(const StageSchedule &stage, ArrayRef<Span> spans,
                     TimelineLane &lane) {
  for (auto [instruction, when] : zip_equal(stage.instructions, spans)) {
    // What is received was drawn where it is sent.
    if (isRecv(instruction.kind) || when.end <= when.start)
      continue;
    TimelineSpan span;
    span.start = when.start;
    span.end = when.end;
    span.title = stringify(instruction);
    span.activity = classify(span.title);
    if (instruction.microbatch)
      span.label = std::to_string(*instruction.microbatch);
    else if (instruction.kind == InstructionKind::Update)
      span.label = "update";
    (isCompute(instruction.kind) ? lane.computation : lane.communication)
        .push_back(std::move(span));
  }
}

/// Microbatches in flight over time, as parts of what is not state.
static void addMemory(const StageSchedule &stage, ArrayRef<Span> spans,
                      const DeviceShare &share, TimelineLane &lane) {
  Bytes rest = share.memory - share.state;
  int64_t parts = std::max<int64_t>(stage.inFlight, 1), inFlight = 0;
  auto add = [&](Time time, int64_t change) {
    inFlight += change;
    double filled = std::min(1.0, double(inFlight) / parts);
    lane.memory.push_back(
        {time, share.state + Bytes::nearest(rest.count() * filled)});
  };
  add(Time(0), 0);
  for (auto [instruction, when] : zip_equal(stage.instructions, spans)) {
    if (instruction.kind == InstructionKind::Forward)
      add(when.start, 1);
    if (instruction.kind == InstructionKind::Backward ||
        instruction.kind == InstructionKind::WeightGradient)
      add(when.end, -1);
  }
}

Expected<TimelineSection>
hetero::planner::predictTimeline(const Plan &plan, const Schedule &schedule,
                                 const cluster::Cluster &cluster) {
  if (schedule.stages.size() != plan.stages.size() ||
      schedule.microbatches != int64_t(plan.microbatches.size()))
    return createStringError("the schedule is not one of the plan");
  std::vector<std::vector<StageTimes>> times;
  for (auto [stage, list] : zip_equal(plan.stages, schedule.stages))
    times.push_back(getTimes(plan, stage, std::max<int64_t>(1, list.chunks)));
  Expected<SimulationResult> timing = simulate({schedule, times});
  if (!timing)
    return timing.takeError();
  std::map<int64_t, TimelineLane> lanes;
  for (auto [index, stage] : enumerate(plan.stages)) {
    for (auto [position, device] : enumerate(stage.mesh.devices)) {
      TimelineLane &lane = lanes[device];
      lane.rank = device;
      lane.note +=
          (lane.note.empty() ? "stage " : ", stage ") + std::to_string(index);
      addSpans(schedule.stages[index], timing->spans[index], lane);
      // Of a device with several stages there is no share of each alone.
      if (position < stage.shares.size() && lane.memory.empty() &&
          stage.shares[position].memory > Bytes(0))
        addMemory(schedule.stages[index], timing->spans[index],
                  stage.shares[position], lane);
      if (device >= 0 && device < int64_t(cluster.devices.size())) {
        const cluster::DeviceClass &kind = cluster.classOf(device);
        lane.note += " on " + kind.name;
        lane.capacity = kind.usableMemory();
      }
    }
  }
  TimelineSection section;
  section.title = "Predicted: " + formatTime(timing->total) + " for a step";
  section.remark = "By the cost model, on the cluster of the plan.";
  for (auto &entry : lanes) {
    // A device with several stages does one thing at a time.
    llvm::sort(entry.second.computation,
               [](const TimelineSpan &a, const TimelineSpan &b) {
                 return std::tie(a.start, a.end) < std::tie(b.start, b.end);
               });
    section.lanes.push_back(std::move(entry.second));
  }
  return section;
}
