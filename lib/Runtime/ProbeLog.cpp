//===- ProbeLog.cpp - What a kernel does while it runs --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/ProbeLog.h"
#include "hetero/Runtime/Hooks.h"
#include "hetero/Runtime/Trace.h"
#include <utility>

using namespace hetero::runtime;

static thread_local ProbeLog *currentLog = nullptr;

ProbeLog::ProbeLog(std::function<int64_t()> theClock)
    : clock(theClock ? std::move(theClock) : getTraceTime) {}

ProbeLog::Scope::Scope(ProbeLog &log)
    : previous(std::exchange(currentLog, &log)) {}

ProbeLog::Scope::~Scope() { currentLog = previous; }

void ProbeLog::begin(const char *name) {
  if (spans.size() >= maxSpans) {
    open.push_back(maxSpans);
    return;
  }
  open.push_back(spans.size());
  int64_t now = clock();
  spans.push_back({name, now, now});
}

void ProbeLog::end() {
  if (open.empty())
    return;
  if (open.back() < maxSpans)
    spans[open.back()].end = clock();
  open.pop_back();
}

std::vector<ProbeLog::Span> ProbeLog::takeSpans() {
  open.clear();
  return std::exchange(spans, {});
}

extern "C" void hetero_probe_begin(const char *name) {
  if (currentLog)
    currentLog->begin(name);
}

extern "C" void hetero_probe_end() {
  if (currentLog)
    currentLog->end();
}
