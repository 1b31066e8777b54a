//===- Progress.h - Signs of life -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_HETERO_PLAN_PROGRESS_H
#define HETERO_TOOLS_HETERO_PLAN_PROGRESS_H

#include "hetero/Planner/Plan/Plan.h"
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace hetero::planner {

/// Says on stderr every two seconds, until it is destroyed, what is going on
/// and what the best plan is so far. Work that is done sooner says nothing.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();

  /// A better plan was found.
  void report(const Plan &best);

private:
  void run();

  std::string what, best;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread thread;
};

} // namespace hetero::planner

#endif // HETERO_TOOLS_HETERO_PLAN_PROGRESS_H
