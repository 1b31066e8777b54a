//===- Trace.cpp - What happened when -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Trace.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_os_ostream.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>

using namespace hetero::runtime;

/// Lanes of a rank.
static constexpr int64_t computeLane = 0, communicationLane = 1,
                         operationLane = 2;

int64_t hetero::runtime::getTraceTime() {
  // Steady, and comparable between processes.
  using std::chrono::steady_clock;
  using std::chrono::system_clock;
  static const auto offset = system_clock::now().time_since_epoch() -
                             steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             steady_clock::now().time_since_epoch() + offset)
      .count();
}

static int64_t laneOf(const TraceEvent &event) {
  if (event.isOperation)
    return operationLane;
  return isCommunication(event.opcode) ? communicationLane : computeLane;
}

static void writeName(llvm::json::OStream &json, const char *kind, int64_t rank,
                      std::optional<int64_t> lane, const std::string &name) {
  json.object([&] {
    json.attribute("ph", "M");
    json.attribute("name", kind);
    json.attribute("pid", rank);
    if (lane)
      json.attribute("tid", *lane);
    json.attributeObject(
        "args", [&] { json.attribute("name", llvm::json::fixUTF8(name)); });
  });
}

/// Chrome counts in microseconds.
static double toMicroseconds(int64_t nanoseconds) { return nanoseconds / 1e3; }

static void writeEvent(llvm::json::OStream &json, const TraceEvent &event,
                       int64_t origin) {
  std::string name = event.label.empty() ? nameOf(event.opcode) : event.label;
  json.object([&] {
    json.attribute("ph", "X");
    json.attribute("name", llvm::json::fixUTF8(name));
    json.attribute("cat",
                   event.isOperation ? "operation" : nameOf(event.opcode));
    json.attribute("pid", event.rank);
    json.attribute("tid", laneOf(event));
    json.attribute("ts", toMicroseconds(event.begin - origin));
    json.attribute("dur", toMicroseconds(event.end - event.begin));
    json.attributeObject("args", [&] {
      json.attribute("step", event.step);
      json.attribute("instruction", event.instruction);
      if (event.isOperation)
        json.attribute("place", llvm::json::fixUTF8(event.place));
      else
        json.attribute("bytes", event.bytes);
    });
  });
  if (event.isOperation)
    return;
  json.object([&] {
    json.attribute("ph", "C");
    json.attribute("name", "memory");
    json.attribute("pid", event.rank);
    json.attribute("ts", toMicroseconds(event.end - origin));
    json.attributeObject("args",
                         [&] { json.attribute("bytes", event.liveBytes); });
  });
}

void hetero::runtime::writeChromeTrace(
    std::ostream &os, std::vector<TraceEvent> events,
    const std::map<int64_t, std::string> &names) {
  std::sort(events.begin(), events.end(),
            [](const TraceEvent &a, const TraceEvent &b) {
              return std::tie(a.rank, a.begin, a.end, a.step, a.instruction) <
                     std::tie(b.rank, b.begin, b.end, b.step, b.instruction);
            });
  int64_t origin = INT64_MAX;
  std::set<int64_t> ranks, ranksWithOperations;
  for (const TraceEvent &event : events) {
    origin = std::min(origin, event.begin);
    ranks.insert(event.rank);
    if (event.isOperation)
      ranksWithOperations.insert(event.rank);
  }
  llvm::raw_os_ostream stream(os);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      for (int64_t rank : ranks) {
        std::string name = "rank " + std::to_string(rank);
        auto known = names.find(rank);
        if (known != names.end())
          name += " (" + known->second + ")";
        writeName(json, "process_name", rank, std::nullopt, name);
        writeName(json, "thread_name", rank, computeLane, "compute");
        writeName(json, "thread_name", rank, communicationLane,
                  "communication");
        if (ranksWithOperations.count(rank))
          writeName(json, "thread_name", rank, operationLane, "operations");
      }
      for (const TraceEvent &event : events)
        if (event.opcode != Opcode::Free)
          writeEvent(json, event, origin);
    });
  });
  stream << '\n';
}

MaybeError
hetero::runtime::writeChromeTrace(const std::string &path,
                                  std::vector<TraceEvent> events,
                                  const std::map<int64_t, std::string> &names) {
  std::ofstream file(path);
  if (file)
    writeChromeTrace(file, std::move(events), names);
  file.close();
  if (!file)
    return "cannot write '" + path + "': " + std::strerror(errno);
  return std::nullopt;
}
