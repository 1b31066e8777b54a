//===- ChromeTrace.cpp - A step for a trace viewer ------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChromeTrace.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace hetero;
using hetero::simulator::TimelineLane;
using hetero::simulator::TimelineSpan;

/// Traces count microseconds.
static double toMicroseconds(Time time) {
  return static_cast<double>(time.count()) / 1e6;
}

static void writeName(json::OStream &json, StringRef kind, int64_t rank,
                      int64_t lane, StringRef name) {
  json.object([&] {
    json.attribute("ph", "M");
    json.attribute("name", kind);
    json.attribute("pid", rank);
    json.attribute("tid", lane);
    json.attributeObject("args", [&] { json.attribute("name", name); });
  });
}

static void writeSpan(json::OStream &json, int64_t rank, int64_t lane,
                      const TimelineSpan &span) {
  json.object([&] {
    json.attribute("ph", "X");
    json.attribute("name", span.title.empty() ? span.label : span.title);
    json.attribute("cat", simulator::stringify(span.activity));
    json.attribute("pid", rank);
    json.attribute("tid", lane);
    json.attribute("ts", toMicroseconds(span.start));
    json.attribute("dur", toMicroseconds(span.end - span.start));
  });
}

/// Messages that overlap get lanes of their own, from 1 on.
static int64_t chooseLane(const TimelineSpan &span, std::vector<Time> &ends) {
  for (size_t lane = 0; lane < ends.size(); ++lane)
    if (ends[lane] <= span.start) {
      ends[lane] = span.end;
      return int64_t(lane) + 1;
    }
  ends.push_back(span.end);
  return int64_t(ends.size());
}

void hetero::planner::writeChromeTrace(
    const simulator::TimelineSection &section, raw_ostream &os) {
  json::OStream json(os);
  json.object([&] {
    json.attributeArray("traceEvents", [&] {
      for (const TimelineLane &lane : section.lanes) {
        writeName(json, "process_name", lane.rank, 0,
                  "device " + std::to_string(lane.rank) + ": " + lane.note);
        writeName(json, "thread_name", lane.rank, 0, "computation");
        for (const TimelineSpan &span : lane.computation)
          writeSpan(json, lane.rank, 0, span);
        std::vector<Time> ends;
        for (const TimelineSpan &span : lane.communication)
          writeSpan(json, lane.rank, chooseLane(span, ends), span);
        for (size_t number = 1; number <= ends.size(); ++number)
          writeName(json, "thread_name", lane.rank, int64_t(number),
                    "messages " + std::to_string(number));
        for (const simulator::TimelineMemory &memory : lane.memory)
          json.object([&] {
            json.attribute("ph", "C");
            json.attribute("name", "memory");
            json.attribute("pid", lane.rank);
            json.attribute("ts", toMicroseconds(memory.time));
            json.attributeObject(
                "args", [&] { json.attribute("bytes", memory.bytes.count()); });
          });
      }
    });
    json.attribute("displayTimeUnit", "ms");
  });
  os << '\n';
}
