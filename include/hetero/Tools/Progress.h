//===- Progress.h - What is being done, for how long ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_PROGRESS_H
#define HETERO_TOOLS_PROGRESS_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace hetero {

/// Says on standard error what is being done, and for how many seconds, every
/// two seconds until it is destroyed: what is done sooner says nothing.
class Progress {
public:
  /// The number of seconds stands between the two texts. Says nothing if it is
  /// quiet.
  Progress(std::string before, std::string after, bool isQuiet = false);
  ~Progress();

  void set(std::string before, std::string after);

private:
  void run();

  std::string before, after;
  const bool isQuiet;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread thread;
};

} // namespace hetero

#endif // HETERO_TOOLS_PROGRESS_H
