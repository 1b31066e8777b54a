//===- Process.h - Who the processes of a run are ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells whether another process still lives, if it runs on the same machine
// and its number means the same there (containers may have numbers of their
// own).

#ifndef HETERO_LIB_RUNTIME_MPI_PROCESS_H
#define HETERO_LIB_RUNTIME_MPI_PROCESS_H

#include <cstdint>
#include <string>

namespace hetero::runtime {

/// Plain data, which processes exchange as bytes.
struct ProcessId {
  int64_t pid;
  /// Tells it from a later process with the same number.
  uint64_t startTime;
  /// Name of the machine, for messages.
  char host[128];
  /// Equal where process numbers mean the same; empty if that is not known.
  char space[128];
};

enum class ProcessState { Unknown, Running, Stopped, Ended };

ProcessId getOwnProcess();

/// As far as `self` can see it.
ProcessState getState(const ProcessId &process, const ProcessId &self);

/// "process 4711 on 'host'"
std::string describe(const ProcessId &process);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_MPI_PROCESS_H
