//===- ScheduleReference.h - Lists followed in another way ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only one stage sends over a boundary in one direction, in the order of its
// list, so when nothing is shared nothing has to be sorted by time: each stage
// goes on until it waits for a message that has not been sent. This is what the
// simulator must give for lists without collectives and with one chunk.

#ifndef HETERO_TEST_UNIT_SIMULATOR_SCHEDULEREFERENCE_H
#define HETERO_TEST_UNIT_SIMULATOR_SCHEDULEREFERENCE_H

#include "hetero/Simulator/Simulator.h"

namespace hetero::simulator {

struct ReferenceTiming {
  std::vector<std::vector<Span>> spans;
  Time total;
};

/// Follows lists that do not wait for each other in a circle.
ReferenceTiming followLists(const Schedule &schedule,
                            llvm::ArrayRef<std::vector<StageTimes>> times);

} // namespace hetero::simulator

#endif // HETERO_TEST_UNIT_SIMULATOR_SCHEDULEREFERENCE_H
