//===- BatchAxis.cpp - The axis that the samples of a step run along ------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace hetero;

FailureOr<FormAxis> hetero::getBatchAxis(func::FuncOp step) {
  StepRoles roles = getRoles(step);
  FormAxis axis;
  BlockArgument first;
  for (BlockArgument argument : step.getArguments()) {
    RoleAttr role = roles.arguments[argument.getArgNumber()];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!role || role.getKind() != RoleKind::Batch || !type ||
        type.getRank() == 0)
      continue;
    if (!first) {
      first = argument;
      axis.units = type.getDimSize(0);
    } else if (type.getDimSize(0) != axis.units) {
      InFlightDiagnostic error =
          emitError(argument.getLoc())
          << "batch arguments differ in their number of samples: argument "
          << argument.getArgNumber() << " has " << type.getDimSize(0)
          << ", argument " << first.getArgNumber() << " has " << axis.units;
      error.attachNote(first.getLoc())
          << "argument " << first.getArgNumber()
          << " is here; give the role 'hyper_parameter' to one that does not "
             "run along the batch";
      return error;
    }
    axis.given[argument] = Form::split(0);
  }
  if (!first)
    return step.emitError("has no argument with the role 'batch', so there is "
                          "nothing to share out");
  if (axis.units == 0)
    return emitError(first.getLoc(), "the batch has no samples");
  return axis;
}
