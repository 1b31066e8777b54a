//===- BatchAxis.cpp - The axis that the samples of a step run along ------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/UserShardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace hetero;

static ArrayRef<int64_t> getShape(BlockArgument argument) {
  return cast<RankedTensorType>(argument.getType()).getShape();
}

/// The dimension that the user splits, before others.
static std::optional<int64_t> findSplit(func::FuncOp step,
                                        BlockArgument argument) {
  SmallVector<ShardedDim> dims = getShardedDims(step, argument.getArgNumber());
  return dims.empty() ? std::nullopt : std::optional(dims.front().dim);
}

/// The dimension of `argument` that runs along `samples`: the one that the user
/// splits, else the leading one before others.
static std::optional<int64_t>
findDimension(func::FuncOp step, BlockArgument argument, int64_t samples) {
  ArrayRef<int64_t> shape = getShape(argument);
  if (std::optional<int64_t> split = findSplit(step, argument);
      split && shape[*split] == samples)
    return split;
  const int64_t *found = llvm::find(shape, samples);
  return found == shape.end() ? std::nullopt
                              : std::optional<int64_t>(found - shape.begin());
}

/// The number of samples: the size that the user splits in the first argument
/// with a sharding. Else the leading size that most arguments have somewhere;
/// of these the one that most begin with, and of these the first.
static int64_t countSamples(func::FuncOp step,
                            ArrayRef<BlockArgument> arguments) {
  for (BlockArgument argument : arguments)
    if (std::optional<int64_t> split = findSplit(step, argument))
      return getShape(argument)[*split];
  std::tuple<int64_t, int64_t> best = {0, 0};
  int64_t samples = 0;
  for (BlockArgument candidate : arguments) {
    int64_t size = getShape(candidate).front();
    int64_t somewhere = 0, leading = 0;
    for (BlockArgument argument : arguments) {
      somewhere += llvm::is_contained(getShape(argument), size);
      leading += getShape(argument).front() == size;
    }
    if (best < std::tuple(somewhere, leading)) {
      best = {somewhere, leading};
      samples = size;
    }
  }
  return samples;
}

/// The arguments that may hold samples.
static SmallVector<BlockArgument> getBatchArguments(func::FuncOp step) {
  StepRoles roles = getRoles(step);
  SmallVector<BlockArgument> arguments;
  for (BlockArgument argument : step.getArguments()) {
    RoleAttr role = roles.arguments[argument.getArgNumber()];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (role && role.getKind() == RoleKind::Batch && type &&
        type.getRank() != 0)
      arguments.push_back(argument);
  }
  return arguments;
}

FailureOr<FormAxis> hetero::getBatchAxis(func::FuncOp step) {
  SmallVector<BlockArgument> arguments = getBatchArguments(step);
  if (arguments.empty())
    return step.emitError("has no argument with the role 'batch', so there is "
                          "nothing to share out");
  FormAxis axis;
  axis.units = countSamples(step, arguments);
  if (axis.units == 0)
    return emitError(arguments.front().getLoc(), "the batch has no samples");
  for (BlockArgument argument : arguments)
    if (std::optional<int64_t> dim = findDimension(step, argument, axis.units))
      axis.given[argument] = Form::split(*dim);
  return axis;
}

void hetero::warnOfWholeBatches(func::FuncOp step, const FormAxis &axis) {
  for (BlockArgument argument : getBatchArguments(step))
    if (!axis.given.count(argument))
      emitWarning(argument.getLoc())
          << "argument " << argument.getArgNumber() << " of type "
          << argument.getType() << " has no dimension of " << axis.units
          << " samples, so every device gets all of it";
}
