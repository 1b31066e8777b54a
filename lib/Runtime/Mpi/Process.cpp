//===- Process.cpp - Who the processes of a run are -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process.h"
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <unistd.h>

using namespace hetero::runtime;

/// What /proc/<pid>/stat says; nothing if there is no such process.
static std::optional<std::pair<char, uint64_t>> readStat(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!file || !std::getline(file, line))
    return std::nullopt;
  // The name stands in parentheses and may contain anything.
  size_t end = line.rfind(')');
  if (end == std::string::npos)
    return std::nullopt;
  std::istringstream fields(line.substr(end + 1));
  char state = 0;
  fields >> state;
  // The start time is field 22, the state field 3.
  std::string skipped;
  for (int i = 4; i < 22; ++i)
    fields >> skipped;
  uint64_t startTime = 0;
  fields >> startTime;
  return std::make_pair(state, startTime);
}

ProcessId hetero::runtime::getOwnProcess() {
  ProcessId process = {};
  process.pid = getpid();
  gethostname(process.host, sizeof(process.host) - 1);
  auto stat = readStat(process.pid);
  std::ifstream bootId("/proc/sys/kernel/random/boot_id");
  std::string boot;
  char space[64] = {};
  if (!stat || !std::getline(bootId, boot) ||
      readlink("/proc/self/ns/pid", space, sizeof(space) - 1) <= 0)
    return process;
  process.startTime = stat->second;
  std::strncpy(process.space, (boot + " " + space).c_str(),
               sizeof(process.space) - 1);
  return process;
}

ProcessState hetero::runtime::getState(const ProcessId &process,
                                       const ProcessId &self) {
  if (!self.space[0] || std::strcmp(process.space, self.space) != 0)
    return ProcessState::Unknown;
  auto stat = readStat(process.pid);
  if (!stat || stat->second != process.startTime)
    return ProcessState::Ended;
  switch (stat->first) {
  case 'Z':
  case 'X':
    return ProcessState::Ended;
  case 'T':
  case 't':
    return ProcessState::Stopped;
  default:
    return ProcessState::Running;
  }
}

std::string hetero::runtime::describe(const ProcessId &process) {
  return "process " + std::to_string(process.pid) + " on '" + process.host +
         "'";
}
