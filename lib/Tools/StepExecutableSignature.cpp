//===- StepExecutableSignature.cpp - Arguments and results of a step ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Step.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Tools/StepExecutable.h"

using namespace mlir;
using namespace hetero;

/// What JAX calls an argument: the outermost name of its location.
static std::string getArgumentName(BlockArgument argument) {
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    return name.getName().str();
  return "";
}

static std::string getResultName(func::FuncOp step, unsigned index) {
  auto info = step.getResultAttrOfType<StringAttr>(index, "jax.result_info");
  return info ? info.str() : "";
}

static void setRole(StepTensor &tensor, RoleAttr role) {
  if (!role)
    return;
  tensor.role = stringifyRoleKind(role.getKind()).str();
  if (role.getKind() == RoleKind::UpdatedState)
    tensor.updates = role.getArgument();
}

static LogicalResult setType(StepTensor &tensor, Type type, Location loc,
                             const Twine &what) {
  std::optional<runtime::TensorType> known = getRuntimeType(type);
  if (!known)
    return emitError(loc) << what << " has type " << type
                          << ", which cannot be executed";
  tensor.type = *known;
  return success();
}

static FailureOr<StepSignature> readStep(func::FuncOp step) {
  StepSignature signature;
  StringRef roleName = HeteroDialect::getRoleAttrName();
  for (BlockArgument argument : step.getArguments()) {
    StepTensor &tensor = signature.arguments.emplace_back();
    unsigned index = argument.getArgNumber();
    tensor.name = getArgumentName(argument);
    setRole(tensor, step.getArgAttrOfType<RoleAttr>(index, roleName));
    if (failed(setType(tensor, argument.getType(), argument.getLoc(),
                       "argument " + Twine(index))))
      return failure();
  }
  for (auto [index, type] : llvm::enumerate(step.getResultTypes())) {
    StepTensor &tensor = signature.results.emplace_back();
    tensor.name = getResultName(step, index);
    setRole(tensor, step.getResultAttrOfType<RoleAttr>(index, roleName));
    if (failed(setType(tensor, type, step.getLoc(), "result " + Twine(index))))
      return failure();
  }
  return signature;
}

/// Extends what is known of tensor `part.index` by a part of it.
static LogicalResult addPart(std::vector<StepTensor> &tensors, PartAttr part,
                             Type type, Location loc) {
  size_t index = part.getIndex();
  constexpr size_t maxTensors = 1 << 20;
  if (index >= maxTensors)
    return emitError(loc) << "names tensor " << index << " of the step";
  if (tensors.size() <= index)
    tensors.resize(index + 1);
  StepTensor local;
  if (failed(setType(local, type, loc, "a part")))
    return failure();
  runtime::TensorType &whole = tensors[index].type;
  bool isFirst = whole.shape.empty();
  whole.element = local.type.element;
  if (isFirst)
    whole.shape.assign(local.type.shape.size(), 0);
  if (whole.shape.size() != part.getRanges().size())
    return emitError(loc) << "parts of tensor " << index
                          << " differ in their number of dimensions";
  for (auto [length, ranges] : llvm::zip_equal(whole.shape, part.getRanges()))
    if (!ranges.empty())
      length = std::max(length, ranges.asArrayRef().back());
  return success();
}

/// Puts the signature together from the parts that rank programs have.
static FailureOr<StepSignature> readRanks(ArrayRef<func::FuncOp> ranks) {
  StepSignature signature;
  StringRef partName = HeteroDialect::getPartAttrName(),
            roleName = HeteroDialect::getRoleAttrName();
  for (func::FuncOp rank : ranks) {
    auto argumentIndex = [&](int64_t argument) -> std::optional<int64_t> {
      if (argument < 0 || argument >= int64_t(rank.getNumArguments()))
        return std::nullopt;
      auto part = rank.getArgAttrOfType<PartAttr>(argument, partName);
      return part ? std::optional<int64_t>(part.getIndex()) : std::nullopt;
    };
    for (BlockArgument argument : rank.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto part = rank.getArgAttrOfType<PartAttr>(number, partName);
      if (!part)
        continue; // The conversion reports it.
      if (failed(addPart(signature.arguments, part, argument.getType(),
                         argument.getLoc())))
        return failure();
      StepTensor &tensor = signature.arguments[part.getIndex()];
      tensor.name = getArgumentName(argument);
      setRole(tensor, rank.getArgAttrOfType<RoleAttr>(number, roleName));
    }
    for (auto [number, type] : llvm::enumerate(rank.getResultTypes())) {
      auto part = rank.getResultAttrOfType<PartAttr>(number, partName);
      if (!part)
        continue;
      if (failed(addPart(signature.results, part, type, rank.getLoc())))
        return failure();
      StepTensor &tensor = signature.results[part.getIndex()];
      tensor.name = getResultName(rank, number);
      setRole(tensor, rank.getResultAttrOfType<RoleAttr>(number, roleName));
      if (tensor.updates)
        tensor.updates = argumentIndex(*tensor.updates);
    }
  }
  return signature;
}

FailureOr<StepSignature> hetero::getStepSignature(ModuleOp module) {
  SmallVector<func::FuncOp> ranks = getRankPrograms(module);
  if (!ranks.empty())
    return readRanks(ranks);
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return failure();
  return readStep(*step);
}
