//===- PlanTrial.h - What the program of a plan needs -----------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planners count memory by layers and formulas. Of a plan that fills its
// devices only the program itself says whether it fits: how large temporaries
// are, what is there at the same time, whether new state lies beside the old.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_TRANSFORMS_PLANNING_PLANTRIAL_H
#define HETERO_LIB_TRANSFORMS_PLANNING_PLANTRIAL_H

#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace hetero {

/// Schedules and partitions a planned module, which is the caller's to throw
/// away, and returns the most bytes that each rank needs, by the model of
/// hetero-verify. Fails without a diagnostic if the module cannot be
/// partitioned; the passes that follow say why.
mlir::FailureOr<std::map<int64_t, int64_t>>
measureMemory(mlir::ModuleOp planned, llvm::StringRef scheduleKind);

} // namespace hetero

#endif // HETERO_LIB_TRANSFORMS_PLANNING_PLANTRIAL_H
