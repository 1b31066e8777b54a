//===- Report.cpp - What a run took ---------------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "hetero/Support/Approximate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace hetero;

void PhaseTimes::begin(std::string phase) {
  end();
  phases.push_back({std::move(phase), 0.0});
  started = Clock::now();
  isRunning = true;
}

void PhaseTimes::end() {
  if (isRunning)
    phases.back().second =
        std::chrono::duration<double>(Clock::now() - started).count();
  isRunning = false;
}

void PhaseTimes::print(llvm::raw_ostream &os) const {
  double whole = 0.0;
  for (const auto &phase : phases)
    whole += phase.second;
  os << llvm::format("prepared in %.3g s", whole);
  const char *separator = ": ";
  for (const auto &[name, seconds] : phases) {
    if (seconds < whole / 100)
      continue;
    os << separator << name << llvm::format(" %.3g s", seconds);
    separator = ", ";
  }
  os << "\n";
}

static std::string inTime(double seconds) {
  return approximateQuantity(Dimension::Time, int64_t(seconds * 1e12));
}

void hetero::printStepTimes(std::vector<double> seconds,
                            llvm::raw_ostream &os) {
  if (seconds.empty())
    return;
  double first = seconds.front();
  if (seconds.size() == 1) {
    os << "1 step: " << inTime(first) << "\n";
    return;
  }
  seconds.erase(seconds.begin());
  llvm::sort(seconds);
  size_t count = seconds.size();
  double median = (seconds[count / 2] + seconds[(count - 1) / 2]) / 2;
  os << count + 1 << " steps: median " << inTime(median) << ", "
     << inTime(seconds.front()) << " to " << inTime(seconds.back())
     << "; the first took " << inTime(first) << "\n";
}

void hetero::printMemory(StepExecutable &step, llvm::raw_ostream &os) {
  constexpr size_t numShown = 8;
  auto inBytes = [](int64_t bytes) {
    return approximateQuantity(Dimension::Bytes, bytes);
  };
  for (auto [i, rank] : llvm::enumerate(step.getLocalRanks())) {
    runtime::Device &device = step.getDevice(i);
    os << "rank " << rank << " (" << device.getName() << "): at most "
       << inBytes(device.getPeakBytes());
    if (device.getCap())
      os << " of " << inBytes(*device.getCap());
    std::vector<runtime::Device::Use> uses = device.getPeakUses();
    os << " in use, in " << uses.size() << " buffers"
       << (uses.empty() ? "\n" : "; the largest:\n");
    for (const auto &use :
         llvm::ArrayRef(uses).take_front(std::min(numShown, uses.size())))
      os << "  " << llvm::left_justify(inBytes(use.bytes), 12) << use.label
         << "\n";
  }
}
