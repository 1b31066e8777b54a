//===- Progress.cpp - Signs of life ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Progress.h"
#include "hetero/Support/Approximate.h"
#include <chrono>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr std::chrono::seconds interval(2);

Progress::Progress(std::string what)
    : what(std::move(what)), thread([this] { run(); }) {}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_all();
  thread.join();
}

void Progress::report(const Plan &plan) {
  std::lock_guard<std::mutex> lock(mutex);
  best = "; best so far " + approximate(plan.predicted);
}

void Progress::run() {
  std::unique_lock<std::mutex> lock(mutex);
  for (std::chrono::seconds passed = interval;; passed += interval) {
    if (changed.wait_for(lock, interval, [this] { return done; }))
      return;
    errs() << what << " for " << passed.count() << " s" << best << '\n';
  }
}
