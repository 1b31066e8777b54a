//===- ChromeTrace.h - A step for a trace viewer ----------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_TOOLS_HETERO_PLAN_CHROMETRACE_H
#define HETERO_TOOLS_HETERO_PLAN_CHROMETRACE_H

#include "hetero/Simulator/Timeline.h"

namespace hetero::planner {

/// Writes what Perfetto and chrome://tracing open: a process for each device,
/// with a lane for what it computes, lanes for its messages, and its memory.
void writeChromeTrace(const simulator::TimelineSection &section,
                      llvm::raw_ostream &os);

} // namespace hetero::planner

#endif // HETERO_TOOLS_HETERO_PLAN_CHROMETRACE_H
