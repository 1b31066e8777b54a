//===- StepTimeline.cpp - The picture of a run ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/StepTimeline.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Planner/Plan/PredictedTimeline.h"
#include <tuple>

using namespace mlir;
using namespace hetero;
using namespace hetero::simulator;
using runtime::Opcode;
using runtime::TraceEvent;

//===----------------------------------------------------------------------===//
// Predicted
//===----------------------------------------------------------------------===//

/// The lists of a schedule; nothing if they have instructions that planners do
/// not know.
static std::optional<simulator::Schedule> getSchedule(ScheduleOp op) {
  simulator::Schedule schedule;
  schedule.microbatches = op.getMicrobatches();
  for (auto stageOp : op.getBody().getOps<StageScheduleOp>()) {
    simulator::StageSchedule &stage = schedule.stages.emplace_back();
    stage.inFlight = stageOp.getInFlight();
    for (auto attr : stageOp.getInstructions().getAsRange<InstructionAttr>()) {
      // Takes no time worth speaking of.
      if (attr.getKind() == InstructionKind::Prepare)
        continue;
      if (attr.getKind() == InstructionKind::Recompute ||
          attr.getSweep() != 0 || attr.getChunk() != 0)
        return std::nullopt;
      simulator::Instruction instruction;
      instruction.kind = attr.getKind();
      instruction.microbatch = attr.getMicrobatch();
      instruction.peer = attr.getPeer();
      stage.instructions.push_back(instruction);
    }
  }
  return schedule;
}

static void addPrediction(ModuleOp module, Timeline &timeline) {
  auto plans = module.getOps<PlanOp>();
  auto schedules = module.getOps<ScheduleOp>();
  auto clusters = module.getOps<ClusterOp>();
  if (plans.empty() || schedules.empty() || clusters.empty())
    return;
  // What is wrong with the plan was said when it was made or read.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<cluster::Cluster> cluster = getCluster(*clusters.begin());
  FailureOr<planner::Plan> plan = getPlan(*plans.begin());
  std::optional<simulator::Schedule> schedule = getSchedule(*schedules.begin());
  if (failed(cluster) || failed(plan))
    return;
  timeline.facts.emplace_back("planner", plan->planner);
  timeline.facts.emplace_back(
      "batch", std::to_string(plan->batch) + " samples in " +
                   std::to_string(plan->microbatches.size()) + " microbatches");
  timeline.facts.emplace_back("stages", std::to_string(plan->stages.size()));
  if (!schedule)
    return;
  llvm::Expected<TimelineSection> section =
      planner::predictTimeline(*plan, *schedule, *cluster);
  if (!section)
    return llvm::consumeError(section.takeError());
  timeline.sections.push_back(std::move(*section));
}

//===----------------------------------------------------------------------===//
// Measured
//===----------------------------------------------------------------------===//

static std::string getTitle(const TraceEvent &event) {
  std::string title = event.label.empty() ? nameOf(event.opcode) : event.label;
  if (!event.label.empty() && event.opcode != Opcode::Call)
    title += std::string(" (") + nameOf(event.opcode) + ")";
  return title + "\n" + formatBytes(Bytes(event.bytes));
}

static TimelineSpan makeSpan(const TraceEvent &event, int64_t origin) {
  TimelineSpan span;
  span.start = Time((event.begin - origin) * 1000);
  span.end = Time((event.end - origin) * 1000);
  span.title = getTitle(event);
  if (isCommunication(event.opcode))
    span.activity = Activity::Communication;
  else if (event.opcode == Opcode::Wait)
    span.activity = Activity::Wait;
  else
    span.activity = classify(event.label);
  // The number of the microbatch, or the word if there is none.
  auto [word, rest] = StringRef(event.label).split(' ');
  StringRef number = rest.split(' ').first;
  span.label = (number.empty() ? word : number).str();
  return span;
}

/// What the devices of the plan have.
static std::map<int64_t, Bytes> getCapacities(const Timeline &timeline) {
  std::map<int64_t, Bytes> capacities;
  for (const TimelineSection &section : timeline.sections)
    for (const TimelineLane &lane : section.lanes)
      if (lane.capacity)
        capacities[lane.rank] = *lane.capacity;
  return capacities;
}

static void addMeasurement(std::vector<TraceEvent> events,
                           const std::map<int64_t, std::string> &rankNames,
                           Timeline &timeline) {
  int64_t last = 0, origin = INT64_MAX, end = 0;
  for (const TraceEvent &event : events)
    last = std::max(last, event.step);
  llvm::erase_if(events, [&](const TraceEvent &event) {
    return event.step != last || event.opcode == Opcode::Free ||
           event.isOperation;
  });
  llvm::sort(events, [](const TraceEvent &a, const TraceEvent &b) {
    return std::tie(a.rank, a.begin, a.end, a.instruction) <
           std::tie(b.rank, b.begin, b.end, b.instruction);
  });
  for (const TraceEvent &event : events) {
    origin = std::min(origin, event.begin);
    end = std::max(end, event.end);
  }
  std::map<int64_t, TimelineLane> lanes;
  for (const TraceEvent &event : events) {
    TimelineLane &lane = lanes[event.rank];
    (isCommunication(event.opcode) ? lane.communication : lane.computation)
        .push_back(makeSpan(event, origin));
    lane.memory.push_back(
        {Time((event.end - origin) * 1000), Bytes(event.liveBytes)});
  }
  TimelineSection section;
  section.title = "Measured: " + formatTime(Time((end - origin) * 1000)) +
                  " for step " + std::to_string(last + 1);
  section.remark = "On the machine that ran it, which may not be the cluster "
                   "of the plan.";
  std::map<int64_t, Bytes> capacities = getCapacities(timeline);
  for (auto &[rank, lane] : lanes) {
    lane.rank = rank;
    if (auto capacity = capacities.find(rank); capacity != capacities.end())
      lane.capacity = capacity->second;
    if (auto name = rankNames.find(rank); name != rankNames.end())
      lane.note = name->second;
    llvm::sort(lane.memory,
               [](const TimelineMemory &a, const TimelineMemory &b) {
                 return std::tie(a.time, a.bytes) < std::tie(b.time, b.bytes);
               });
    section.lanes.push_back(std::move(lane));
  }
  timeline.sections.push_back(std::move(section));
}

Timeline hetero::makeTimeline(ModuleOp planned,
                              const std::vector<TraceEvent> &events,
                              const std::map<int64_t, std::string> &rankNames) {
  Timeline timeline;
  timeline.title = "Timeline of a training step";
  if (planned)
    addPrediction(planned, timeline);
  if (!events.empty())
    addMeasurement(events, rankNames, timeline);
  for (const TimelineSection &section : timeline.sections) {
    auto [name, value] = StringRef(section.title).split(": ");
    timeline.facts.emplace_back(name.lower(), value.str());
  }
  return timeline;
}
