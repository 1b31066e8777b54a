//===- Leaks.cpp - What a program has not given back ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Leaks.h"
#include "Ending.h"
#include <cstdint>
#include <cstdlib>

using namespace hetero::standin;

static const char *const names[] = {
    "allocation",       "block of pinned memory",
    "stream",           "event",
    "capture",          "graph",
    "executable graph", "module",
    "context",          "handle of cuBLAS",
    "communicator"};
static int64_t numHeld[sizeof(names) / sizeof(names[0])];

void hetero::standin::noteGiven(Thing thing) { ++numHeld[int(thing)]; }
void hetero::standin::noteGivenBack(Thing thing) { --numHeld[int(thing)]; }

static void checkLeaks() {
  std::string list;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (numHeld[i] > 0)
      list += (list.empty() ? "" : ", ") + str(numHeld[i]) + " of '" +
              names[i] + "'";
  if (!list.empty() && !isLeaving())
    leaveProcess("the program ends and has not given back " + list);
}

void hetero::standin::refuseLeaks() { std::atexit(checkLeaks); }
