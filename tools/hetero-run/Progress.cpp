//===- Progress.cpp - What a long run is doing ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Progress.h"
#include <chrono>
#include <iostream>

using namespace hetero;

static constexpr std::chrono::seconds period(2);

Progress::Progress(bool isQuiet)
    : isQuiet(isQuiet), thread([this] { run(); }) {}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_all();
  thread.join();
}

void Progress::set(std::string what) {
  std::lock_guard<std::mutex> lock(mutex);
  doing = std::move(what);
}

void Progress::run() {
  std::unique_lock<std::mutex> lock(mutex);
  std::chrono::seconds elapsed(0);
  while (!changed.wait_for(lock, period, [this] { return done; })) {
    elapsed += period;
    if (!isQuiet)
      std::cerr << doing << " (" << elapsed.count() << " s)" << std::endl;
  }
}
