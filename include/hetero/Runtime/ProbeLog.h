//===- ProbeLog.h - What a kernel does while it runs ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that was compiled to be profiled calls `hetero_probe_begin` and
// `hetero_probe_end` around each of its operations (hetero/Runtime/Hooks.h).
// They write to the log of the thread that the kernel was called on:
//
//   ProbeLog log;
//   {
//     ProbeLog::Scope scope(log);
//     kernel(buffers);
//   }
//   for (const ProbeLog::Span &span : log.takeSpans())
//     ...
//
// Threads that help the kernel have no log: an operation is what the calling
// thread waits for. A log takes a million spans, for loops that have no end in
// sight; what is more than that is not kept.

#ifndef HETERO_RUNTIME_PROBELOG_H
#define HETERO_RUNTIME_PROBELOG_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace hetero::runtime {

class ProbeLog {
public:
  /// An operation of the kernel, which has the name.
  struct Span {
    std::string_view name;
    /// On the clock of the log.
    int64_t begin = 0, end = 0;
  };
  static constexpr size_t maxSpans = 1000000;

  /// What says when something begins or ends; without, the clock of traces.
  explicit ProbeLog(std::function<int64_t()> clock = {});

  void begin(const char *name);
  /// Ends what began last. One too many is ignored.
  void end();

  /// What was recorded, in the order in which it began; what has not ended has
  /// no length.
  std::vector<Span> takeSpans();

  /// Makes a log that of this thread as long as it lives.
  class Scope {
  public:
    explicit Scope(ProbeLog &log);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    ProbeLog *previous;
  };

private:
  std::function<int64_t()> clock;
  std::vector<Span> spans;
  /// Indices of the spans that have not ended; `maxSpans` for those not kept.
  std::vector<size_t> open;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_PROBELOG_H
