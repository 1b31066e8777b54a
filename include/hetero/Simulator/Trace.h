//===- Trace.h - A simulation for a trace viewer ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON form that chrome://tracing and ui.perfetto.dev read. Every stage is
// a process with rows for what it computes, sends to each other stage and
// combines, and a counter for the memory of its fullest device.
//
//   {"traceEvents": [
//     {"ph": "X", "name": "forward 0", "cat": "forward", "pid": 0, "tid": 0,
//      "ts": 0, "dur": 12.5},
//     {"ph": "C", "name": "memory", "pid": 0, "ts": 0, "args": {"bytes":
//     4096}},
//     ...
//
// Times are in microseconds.

#ifndef HETERO_SIMULATOR_TRACE_H
#define HETERO_SIMULATOR_TRACE_H

#include "hetero/Simulator/Simulator.h"

namespace hetero::simulator {

struct TraceStage {
  /// "stage 0: 2 x a100".
  std::string name;
  const StageSchedule *schedule = nullptr;
  llvm::ArrayRef<Span> spans;
  /// May be empty.
  std::vector<MemoryPoint> memory;
};

struct Trace {
  std::vector<TraceStage> stages;
  /// What is shown with the trace: "planner", "joint".
  std::vector<std::pair<std::string, std::string>> facts;
};

void writeTrace(const Trace &trace, llvm::raw_ostream &os);

} // namespace hetero::simulator

#endif // HETERO_SIMULATOR_TRACE_H
