//===- Report.h - What a run took -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times and memory of a run, for people:
//
//   prepared in 0.41 s: importing 0.02 s, planning 0.01 s, optimizing 0.31 s
//   10 steps: median 1.93 ms, 1.90 ms to 2.20 ms; the first took 7.31 ms
//   rank 0 (cpu): at most 36.9 MiB in use; the largest:
//     12 MiB    argument 0

#ifndef HETERO_TOOLS_HETERO_RUN_REPORT_H
#define HETERO_TOOLS_HETERO_RUN_REPORT_H

#include "hetero/Tools/StepExecutable.h"
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace hetero {

/// Measures what happens one after the other.
class PhaseTimes {
public:
  using Clock = std::chrono::steady_clock;

  /// A phase begins, and the one before it ends.
  void begin(std::string phase);
  /// The last phase ends.
  void end();
  /// One line with all phases that took at least a hundredth of the whole.
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<std::pair<std::string, double>> phases;
  Clock::time_point started;
  bool isRunning = false;
};

/// The median and the spread of the times of steps, in seconds; the first one,
/// which meets everything for the first time, is told apart if there are more.
void printStepTimes(std::vector<double> seconds, llvm::raw_ostream &os);

/// What was in use at the peak on the devices of this process.
void printMemory(StepExecutable &step, llvm::raw_ostream &os);

/// The operations that took the most of a step, those of equal name together.
/// The first step counts only if there is no other.
void printProfile(const std::vector<runtime::TraceEvent> &events,
                  llvm::raw_ostream &os);

} // namespace hetero

#endif // HETERO_TOOLS_HETERO_RUN_REPORT_H
