//===- BatchAxis.cpp - The axis that the samples of a step run along ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/UserConstraints.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Stablehlo.h"
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

/// Whether loops take single elements along dimension 0 of `value`, and nothing
/// else uses it.
static bool isScanned(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUses(), [](OpOperand &use) {
           unsigned index = use.getOperandNumber();
           if (auto loop = dyn_cast<stablehlo::WhileOp>(use.getOwner())) {
             BlockArgument carried = loop.getBody().front().getArgument(index);
             return loop->getResult(index).use_empty() &&
                    loop.getCond().front().getArgument(index).use_empty() &&
                    isScanned(carried);
           }
           Operation *loop = use.getOwner()->getParentOp();
           if (!isa<stablehlo::WhileOp>(loop))
             return false;
           // Handed on as it is.
           if (use.getOwner()->hasTrait<OpTrait::IsTerminator>()) {
             auto carried = dyn_cast<BlockArgument>(use.get());
             return carried && carried.getOwner()->getParentOp() == loop &&
                    carried.getArgNumber() == index;
           }
           auto slice = dyn_cast<stablehlo::DynamicSliceOp>(use.getOwner());
           return slice && index == 0 && slice.getSliceSizes().front() == 1;
         });
}

/// How the samples of an argument are split that the step itself takes in k
/// parts: it comes as [k, samples, ..], or becomes that by a reshape.
static std::optional<std::pair<int64_t, Form>>
findScannedSamples(BlockArgument argument) {
  ArrayRef<int64_t> shape = getShape(argument);
  if (shape.size() > 1 && isScanned(argument))
    return std::pair(shape[1], Form::split(1));
  if (!argument.hasOneUse())
    return std::nullopt;
  auto reshape = dyn_cast<stablehlo::ReshapeOp>(*argument.user_begin());
  if (!reshape || !isScanned(reshape.getResult()))
    return std::nullopt;
  ArrayRef<int64_t> parts = reshape.getType().getShape();
  if (parts.size() != shape.size() + 1 ||
      parts.drop_front(2) != shape.drop_front())
    return std::nullopt;
  return std::pair(parts[1], Form::split(0, parts[0]));
}

/// Where a step accumulates gradients by itself, the samples are those of one
/// of its parts. Nothing if it is not so for all arguments that begin with
/// `units`, which then number the parts or all samples.
static std::optional<FormAxis>
findScannedAxis(ArrayRef<BlockArgument> arguments, int64_t units) {
  FormAxis axis;
  for (BlockArgument argument : arguments) {
    if (getShape(argument).front() != units)
      continue;
    auto found = findScannedSamples(argument);
    if (!found || found->first < 2 ||
        (!axis.given.empty() && found->first != axis.units))
      return std::nullopt;
    axis.units = found->first;
    axis.given[argument] = found->second;
  }
  if (axis.given.empty())
    return std::nullopt;
  return axis;
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

/// The batch that a plan of the step is for, if that is the size of a
/// dimension.
static std::optional<int64_t>
findPlannedSamples(func::FuncOp step, ArrayRef<BlockArgument> arguments) {
  for (PlanOp plan : step->getParentRegion()->getOps<PlanOp>()) {
    int64_t batch = plan.getBatch();
    if (plan.getStep() == step.getSymName() &&
        llvm::any_of(arguments, [&](BlockArgument argument) {
          std::optional<std::pair<int64_t, Form>> scanned =
              findScannedSamples(argument);
          return llvm::is_contained(getShape(argument), batch) ||
                 (scanned && scanned->first == batch);
        }))
      return batch;
  }
  return std::nullopt;
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
  std::optional<int64_t> planned = findPlannedSamples(step, arguments);
  bool isSaid = planned || llvm::any_of(arguments, [&](BlockArgument argument) {
                  return findSplit(step, argument).has_value();
                });
  std::optional<FormAxis> scanned = findScannedAxis(arguments, axis.units);
  if (scanned && (!isSaid || planned == scanned->units))
    axis = std::move(*scanned);
  else if (planned)
    axis.units = *planned;
  for (BlockArgument argument : arguments)
    if (std::optional<int64_t> dim = findDimension(step, argument, axis.units);
        dim && !axis.given.count(argument))
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
