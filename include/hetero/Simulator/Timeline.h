//===- Timeline.h - A page that shows what happens when ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step as a picture: one lane for each rank with what it computes, what it
// communicates and how much memory is in use, as predicted and as measured, in
// one HTML page that needs nothing else: no network, no script.
//
//   Timeline timeline;
//   timeline.title = "GPT on 4 devices";
//   TimelineSection &section = timeline.sections.emplace_back();
//   section.title = "predicted";
//   TimelineLane &lane = section.lanes.emplace_back();
//   lane.rank = 0;
//   lane.computation.push_back({Time(0), Time(1000), Activity::Forward, "0",
//                               "forward 0"});
//   writeTimeline(timeline, os);
//
// Sections have time axes of their own: what is predicted is for the cluster,
// what is measured may come from another machine. Everything is placed by
// percentages, so a wider picture shows more of the labels without stretching
// them.

#ifndef HETERO_SIMULATOR_TIMELINE_H
#define HETERO_SIMULATOR_TIMELINE_H

#include "hetero/Support/Amount.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace hetero::simulator {

/// What a span is coloured by.
enum class Activity { Forward, Backward, Update, Communication, Wait, Other };

/// With three digits, as everywhere on the page: "18.1 ms", "1.25 GiB".
std::string formatTime(Time time);
std::string formatBytes(Bytes bytes);

/// "forward", "backward", ...
llvm::StringRef stringify(Activity activity);

/// What an instruction is by its name, as in `#hetero.instruction`: "forward 3"
/// and "recompute 3" are Forward, "send_gradient 2 to 1" is Communication.
Activity classify(llvm::StringRef instruction);

struct TimelineSpan {
  Time start, end;
  Activity activity = Activity::Other;
  /// Short, inside of the span: the number of the microbatch.
  std::string label;
  /// What it is, when the pointer is over it. The times are added.
  std::string title;
};

/// Memory in use from a time on.
struct TimelineMemory {
  Time time;
  Bytes bytes;
};

struct TimelineLane {
  int64_t rank = 0;
  /// The device.
  std::string note;
  /// One at a time.
  std::vector<TimelineSpan> computation;
  /// These may overlap.
  std::vector<TimelineSpan> communication;
  /// By time; nothing is shown if empty.
  std::vector<TimelineMemory> memory;
  /// What the device has.
  std::optional<Bytes> capacity;
};

struct TimelineSection {
  std::string title;
  /// A sentence under the title; may be empty.
  std::string remark;
  std::vector<TimelineLane> lanes;
};

struct Timeline {
  std::string title;
  /// What to know first: ("planner", "stages"), ("predicted", "18.1 ms").
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<TimelineSection> sections;
};

/// The share of a section's time in which a lane computes.
double getBusyShare(const TimelineSection &section, const TimelineLane &lane);

/// Writes the page.
void writeTimeline(const Timeline &timeline, llvm::raw_ostream &os);

} // namespace hetero::simulator

#endif // HETERO_SIMULATOR_TIMELINE_H
