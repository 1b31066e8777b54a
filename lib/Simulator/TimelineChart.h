//===- TimelineChart.h - The picture of one section -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_SIMULATOR_TIMELINECHART_H
#define HETERO_LIB_SIMULATOR_TIMELINECHART_H

#include "hetero/Simulator/Timeline.h"

namespace hetero::simulator {

/// Text as part of a page.
std::string escape(llvm::StringRef text);

/// When the last span of a section ends; at least 1.
Time getEnd(const TimelineSection &section);

/// The lanes with their names, their time axis and their memory.
void writeChart(const TimelineSection &section, llvm::raw_ostream &os);

} // namespace hetero::simulator

#endif // HETERO_LIB_SIMULATOR_TIMELINECHART_H
