//===- PlanTrial.cpp - What the program of a plan needs -------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTrial.h"
#include "Verify/Checks.h"
#include "hetero/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace hetero;

FailureOr<std::map<int64_t, int64_t>>
hetero::measureMemory(ModuleOp planned, StringRef scheduleKind) {
  MLIRContext *context = planned.getContext();
  // What is wrong with a trial is not an error of the user.
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
  PassManager manager(context);
  // Nothing of it is kept.
  manager.enableVerifier(false);
  SchedulePassOptions schedule;
  schedule.kind = scheduleKind.str();
  manager.addPass(createSchedulePass(schedule));
  manager.addPass(createPartitionPass());
  manager.addPass(createSelectCollectivesPass());
  if (failed(manager.run(planned)))
    return failure();
  FailureOr<std::unique_ptr<ranks::Programs>> programs =
      ranks::Programs::read(planned);
  if (failed(programs))
    return failure();
  std::map<int64_t, verify::Peak> peaks;
  (void)verify::checkMemory(**programs, peaks);
  std::map<int64_t, int64_t> bytes;
  for (auto &[rank, peak] : peaks)
    bytes[rank] = peak.bytes;
  return bytes;
}
