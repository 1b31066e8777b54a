//===- Ending.h - How the stand-in ends a process ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mistake that a device would answer with wrong results, a hang or an error
// that comes later ends the process here, with one sentence that says who did
// what to what.

#ifndef HETERO_TEST_CUDA_STANDIN_ENDING_H
#define HETERO_TEST_CUDA_STANDIN_ENDING_H

#include <string>

namespace hetero::standin {

/// What the process returns; no tool of ours and no sanitizer uses it.
constexpr int endStatus = 97;

/// Writes the sentence to the error output and the report, the counts to their
/// file, and leaves without destructors.
[[noreturn]] void leaveProcess(const std::string &sentence);

/// Where sentences go as well; empty for nowhere.
void setReport(const std::string &path);

/// Is called before the process ends, also by `leaveProcess`.
void addFarewell(void (*function)());

/// Whether `leaveProcess` was called.
bool isLeaving();

std::string str(int64_t value);
/// "0x7f0012340000".
std::string hex(uint64_t value);
std::string quote(const std::string &text);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_ENDING_H
