//===- Report.cpp - What a run took ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace hetero;

void PhaseTimes::begin(std::string phase) {
  end();
  phases.emplace_back(std::move(phase), 0.0);
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

void hetero::printProfile(const std::vector<runtime::TraceEvent> &events,
                          llvm::raw_ostream &os) {
  constexpr size_t numShown = 15;
  struct Sum {
    int64_t nanoseconds = 0, count = 0;
  };
  int64_t lastStep = 0, kernels = 0, operations = 0;
  for (const runtime::TraceEvent &event : events)
    lastStep = std::max(lastStep, event.step);
  // By name.
  std::map<std::string, Sum> sums;
  for (const runtime::TraceEvent &event : events) {
    if (event.opcode != runtime::Opcode::Call ||
        (lastStep > 0 && event.step == 0))
      continue;
    int64_t took = event.end - event.begin;
    if (!event.isOperation) {
      kernels += took;
      continue;
    }
    operations += took;
    sums[event.label].nanoseconds += took;
    ++sums[event.label].count;
  }
  if (kernels == 0)
    return;
  double numSteps = std::max<int64_t>(lastStep, 1);
  os << "kernels take " << inTime(kernels / numSteps / 1e9) << " of a step, "
     << llvm::format("%.3g", 100.0 * operations / kernels)
     << " % of it in operations; those that take the most:\n";
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  llvm::sort(sorted, [](auto &a, auto &b) {
    return std::make_pair(-a.second.nanoseconds, a.first) <
           std::make_pair(-b.second.nanoseconds, b.first);
  });
  for (auto &[name, sum] :
       llvm::ArrayRef(sorted).take_front(std::min(numShown, sorted.size())))
    os << llvm::format("  %5.1f %%  ", 100.0 * sum.nanoseconds / kernels)
       << llvm::left_justify(inTime(sum.nanoseconds / numSteps / 1e9), 10)
       << llvm::format("%5.0f x  ", sum.count / numSteps) << name << "\n";
}
