//===- Trace.h - What happened when -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events that sessions record, and the Chrome trace format (which Perfetto and
// chrome://tracing open) for them: a process for each rank, with a lane for
// what it computes, one for what it communicates and one for the operations
// within kernels, where these tell, and a counter of the memory in use.

#ifndef HETERO_RUNTIME_TRACE_H
#define HETERO_RUNTIME_TRACE_H

#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Program.h"
#include <map>
#include <ostream>

namespace hetero::runtime {

struct TraceEvent {
  int64_t rank = 0;
  /// Which step of the session, from 0.
  int64_t step = 0;
  /// Index of the instruction in the program.
  int64_t instruction = 0;
  Opcode opcode = Opcode::Call;
  std::string label;
  /// An operation within the kernel that the instruction calls, by the name
  /// that the kernel gives; `place` is where it comes from.
  bool isOperation = false;
  std::string place;
  /// Nanoseconds on a clock that all ranks of a machine share.
  int64_t begin = 0, end = 0;
  /// Bytes of the operands and results.
  int64_t bytes = 0;
  /// Memory in use on the device after it.
  int64_t liveBytes = 0;
};

/// Nanoseconds on the clock of trace events.
int64_t getTraceTime();

/// Writes the events as a Chrome trace, in the order of ranks and of time, with
/// times from the earliest. `names` has what to call the ranks besides their
/// number.
void writeChromeTrace(std::ostream &os, std::vector<TraceEvent> events,
                      const std::map<int64_t, std::string> &names = {});

/// The same to a file.
MaybeError writeChromeTrace(const std::string &path,
                            std::vector<TraceEvent> events,
                            const std::map<int64_t, std::string> &names = {});

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_TRACE_H
