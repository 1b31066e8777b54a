//===- Ending.cpp - How the stand-in ends a process -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ending.h"
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace hetero::standin;

static std::string &getReport() {
  static auto *report = new std::string;
  return *report;
}

/// Few: the records, and the table of NCCL.
constexpr size_t mostFarewells = 4;
static void (*farewells[mostFarewells])();
static std::atomic<size_t> numFarewells{0};

static std::atomic<bool> isEnding{false};

bool hetero::standin::isLeaving() { return isEnding; }

void hetero::standin::setReport(const std::string &path) { getReport() = path; }

void hetero::standin::addFarewell(void (*function)()) {
  farewells[numFarewells++] = function;
  std::atexit(function);
}

void hetero::standin::leaveProcess(const std::string &sentence) {
  // Of several threads the first one speaks.
  if (isEnding.exchange(true))
    for (;;)
      pause();
  std::string line = "hetero stand-in: " + sentence + "\n";
  std::fflush(nullptr);
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) {
    // There is nobody to tell.
  }
  if (!getReport().empty())
    if (FILE *file = std::fopen(getReport().c_str(), "a")) {
      std::fputs(line.c_str(), file);
      std::fclose(file);
    }
  for (size_t i = 0; i < numFarewells; ++i)
    farewells[i]();
  std::_Exit(endStatus);
}

std::string hetero::standin::str(int64_t value) {
  return std::to_string(value);
}

std::string hetero::standin::hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

std::string hetero::standin::quote(const std::string &text) {
  return "'" + text + "'";
}
