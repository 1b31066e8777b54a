//===- CallTimeout.h - Ends a process that hangs ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_RUNTIME_MPI_CALLTIMEOUT_H
#define HETERO_LIB_RUNTIME_MPI_CALLTIMEOUT_H

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace hetero::runtime {

/// Ends the process with a message if it lives longer than `limit`: for calls
/// that wait for other processes and cannot be interrupted. After a tenth of
/// that, `notice` tells what is awaited.
class CallTimeout {
public:
  CallTimeout(std::chrono::seconds limit, const char *message,
              const char *notice = nullptr)
      : thread([this, limit, message, notice] {
          std::unique_lock<std::mutex> lock(mutex);
          if (changed.wait_for(lock, limit / 10, [this] { return isDone; }))
            return;
          if (notice)
            std::fprintf(stderr, "note: %s\n", notice);
          if (changed.wait_for(lock, limit, [this] { return isDone; }))
            return;
          std::fprintf(stderr, "error: %s\n", message);
          std::_Exit(1);
        }) {}
  ~CallTimeout() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isDone = true;
    }
    changed.notify_all();
    thread.join();
  }
  CallTimeout(const CallTimeout &) = delete;
  CallTimeout &operator=(const CallTimeout &) = delete;

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::thread thread;
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_MPI_CALLTIMEOUT_H
