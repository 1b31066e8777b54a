//===- Progress.h - What a long run is doing --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_HETERO_RUN_PROGRESS_H
#define HETERO_TOOLS_HETERO_RUN_PROGRESS_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace hetero {

/// Says on standard error what is being done, every two seconds: a short run
/// says nothing.
class Progress {
public:
  /// Says nothing if it is quiet.
  explicit Progress(bool isQuiet = false);
  ~Progress();
  void set(std::string what);

private:
  void run();

  const bool isQuiet;
  std::mutex mutex;
  std::condition_variable changed;
  std::string doing = "reading";
  bool done = false;
  std::thread thread;
};

} // namespace hetero

#endif // HETERO_TOOLS_HETERO_RUN_PROGRESS_H
