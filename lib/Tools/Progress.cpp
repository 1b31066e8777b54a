//===- Progress.cpp - What is being done, for how long --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/Progress.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace hetero;

static constexpr std::chrono::seconds interval(2);

Progress::Progress(std::string before, std::string after, bool isQuiet)
    : before(std::move(before)), after(std::move(after)), isQuiet(isQuiet),
      thread([this] { run(); }) {}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_all();
  thread.join();
}

void Progress::set(std::string newBefore, std::string newAfter) {
  std::lock_guard<std::mutex> lock(mutex);
  before = std::move(newBefore);
  after = std::move(newAfter);
}

void Progress::run() {
  std::unique_lock<std::mutex> lock(mutex);
  std::chrono::seconds passed(0);
  while (!changed.wait_for(lock, interval, [this] { return done; })) {
    passed += interval;
    if (!isQuiet)
      llvm::errs() << before << passed.count() << after << '\n';
  }
}
