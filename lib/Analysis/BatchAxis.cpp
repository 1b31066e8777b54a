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

/// The dimension of `type` that runs along `samples`: the leading one before
/// others.
static std::optional<int64_t> findDimension(RankedTensorType type,
                                            int64_t samples) {
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size == samples)
      return dim;
  return std::nullopt;
}

/// The number of samples: the leading size that most arguments have somewhere;
/// of these the one that most begin with, and of these the first.
static int64_t countSamples(ArrayRef<BlockArgument> arguments) {
  std::tuple<int64_t, int64_t> best = {0, 0};
  int64_t samples = 0;
  for (BlockArgument candidate : arguments) {
    int64_t size = cast<RankedTensorType>(candidate.getType()).getDimSize(0);
    int64_t somewhere = 0, leading = 0;
    for (BlockArgument argument : arguments) {
      std::optional<int64_t> dim =
          findDimension(cast<RankedTensorType>(argument.getType()), size);
      somewhere += dim.has_value();
      leading += dim == 0;
    }
    if (best < std::tuple(somewhere, leading)) {
      best = {somewhere, leading};
      samples = size;
    }
  }
  return samples;
}

FailureOr<FormAxis> hetero::getBatchAxis(func::FuncOp step) {
  StepRoles roles = getRoles(step);
  SmallVector<BlockArgument> arguments;
  for (BlockArgument argument : step.getArguments()) {
    RoleAttr role = roles.arguments[argument.getArgNumber()];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (role && role.getKind() == RoleKind::Batch && type &&
        type.getRank() != 0)
      arguments.push_back(argument);
  }
  if (arguments.empty())
    return step.emitError("has no argument with the role 'batch', so there is "
                          "nothing to share out");
  FormAxis axis;
  axis.units = countSamples(arguments);
  if (axis.units == 0)
    return emitError(arguments.front().getLoc(), "the batch has no samples");
  for (BlockArgument argument : arguments)
    if (std::optional<int64_t> dim = findDimension(
            cast<RankedTensorType>(argument.getType()), axis.units))
      axis.given[argument] = Form::split(*dim);
  return axis;
}

void hetero::warnOfWholeBatches(func::FuncOp step, const FormAxis &axis) {
  StepRoles roles = getRoles(step);
  for (BlockArgument argument : step.getArguments()) {
    RoleAttr role = roles.arguments[argument.getArgNumber()];
    if (!role || role.getKind() != RoleKind::Batch ||
        axis.given.count(argument))
      continue;
    emitWarning(argument.getLoc())
        << "argument " << argument.getArgNumber() << " of type "
        << argument.getType() << " has no dimension of " << axis.units
        << " samples, so every device gets all of it";
  }
}
