//===- StepTimeline.h - The picture of a run --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts together what a plan predicts and what a run has measured:
//
//   step->setTracing(true);
//   step->step();
//   simulator::Timeline timeline =
//       makeTimeline(step->getPlanned(), step->takeTrace(),
//                    step->getRankNames());
//   simulator::writeTimeline(timeline, os);

#ifndef HETERO_TOOLS_STEPTIMELINE_H
#define HETERO_TOOLS_STEPTIMELINE_H

#include "hetero/Runtime/Trace.h"
#include "hetero/Simulator/Timeline.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace hetero {

/// `planned` is a module with plan and schedule, or null; what it has no
/// prediction for is left out. Of the events the last step is shown; there may
/// be none.
simulator::Timeline
makeTimeline(mlir::ModuleOp planned,
             const std::vector<runtime::TraceEvent> &events,
             const std::map<int64_t, std::string> &rankNames);

} // namespace hetero

#endif // HETERO_TOOLS_STEPTIMELINE_H
