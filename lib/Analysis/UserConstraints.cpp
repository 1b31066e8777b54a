//===- UserConstraints.cpp - What the user asks of a plan -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/UserConstraints.h"
#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include <map>

using namespace mlir;
using namespace hetero;

namespace {
class Reader {
public:
  explicit Reader(func::FuncOp step) : step(step), roles(getRoles(step)) {}
  FailureOr<UserShardings> read();

private:
  InFlightDiagnostic fail(unsigned argument) {
    return emitError(step.getArgument(argument).getLoc())
           << "argument " << argument << ": sdy.sharding ";
  }
  LogicalResult readBatch(unsigned argument, const FormAxis &axis);
  LogicalResult readState(unsigned argument);
  bool isState(unsigned argument) const {
    RoleAttr role = roles.arguments[argument];
    return role && role.isState();
  }

  func::FuncOp step;
  StepRoles roles;
  UserShardings result;
  SmallVector<sdy::AxisRefAttr> dataAxes;
  /// The argument that has decided the number of parts.
  std::optional<unsigned> first;
};
} // namespace

SmallVector<ShardedDim> hetero::getShardedDims(func::FuncOp step,
                                               unsigned argument) {
  SmallVector<ShardedDim> splits;
  auto sharding = step.getArgAttrOfType<sdy::TensorShardingAttr>(
      argument, sdy::kShardingAttr);
  auto type = dyn_cast<RankedTensorType>(step.getArgument(argument).getType());
  sdy::MeshAttr mesh = sharding ? sharding.getMesh(step) : sdy::MeshAttr();
  if (!mesh || !type || sharding.getRank() != type.getRank())
    return splits;
  for (auto [dim, entry] : llvm::enumerate(sharding.getDimShardings()))
    if (int64_t parts = entry.getShardedSize(mesh); parts > 1)
      splits.push_back({int64_t(dim), parts, entry.getAxes()});
  return splits;
}

LogicalResult Reader::readBatch(unsigned argument, const FormAxis &axis) {
  auto given = axis.given.find(step.getArgument(argument));
  for (const ShardedDim &split : getShardedDims(step, argument)) {
    if (given == axis.given.end())
      return fail(argument)
             << "splits dimension " << split.dim
             << " of a batch argument that has no dimension of " << axis.units
             << " samples, and only these can be divided";
    if (split.dim != given->second.dim)
      return fail(argument) << "splits dimension " << split.dim
                            << " of a batch; only its samples, dimension "
                            << given->second.dim << ", can be divided";
    if (!result.data)
      result.data = {argument, split.parts};
    for (sdy::AxisRefAttr axisRef : split.axes)
      if (!llvm::is_contained(dataAxes, axisRef))
        dataAxes.push_back(axisRef);
  }
  return success();
}

LogicalResult Reader::readState(unsigned argument) {
  auto type = dyn_cast<RankedTensorType>(step.getArgument(argument).getType());
  for (const ShardedDim &split : getShardedDims(step, argument)) {
    size_t shared = llvm::count_if(split.axes, [&](sdy::AxisRefAttr axis) {
      return llvm::any_of(
          dataAxes, [&](sdy::AxisRefAttr data) { return data.overlaps(axis); });
    });
    if (shared != 0 && shared != split.axes.size())
      return fail(argument) << "splits dimension " << split.dim
                            << " over axes of the batch and others together, "
                               "which no plan can follow";
    auto &dims = shared != 0 ? result.storageDims : result.tensorDims;
    if (!dims.insert({argument, split.dim}).second)
      return fail(argument)
             << "splits dimensions " << dims[argument] << " and " << split.dim
             << "; a plan splits one of them in the same way";
    if (shared != 0)
      continue;
    if (split.parts > type.getDimSize(split.dim))
      return fail(argument)
             << "splits dimension " << split.dim << " in " << split.parts
             << " parts, but it has " << type.getDimSize(split.dim);
    if (first && split.parts != result.tensor) {
      return (fail(argument) << "asks for " << split.parts
                             << " parts; all arguments must ask for as many")
                 .attachNote(step.getArgument(*first).getLoc())
             << "argument " << *first << " asks for " << result.tensor;
    }
    first = argument;
    result.tensor = split.parts;
  }
  return success();
}

FailureOr<UserShardings> Reader::read() {
  FailureOr<FormAxis> axis = getBatchAxis(step);
  if (failed(axis))
    return failure();
  for (unsigned i = 0; i < step.getNumArguments(); ++i) {
    RoleAttr role = roles.arguments[i];
    bool isBatch = role && role.getKind() == RoleKind::Batch;
    if (isBatch && failed(readBatch(i, *axis)))
      return failure();
    if (!isBatch && !isState(i) && !getShardedDims(step, i).empty())
      return LogicalResult(
          fail(i) << "splits an argument that is neither batch nor state, "
                     "which every device has whole");
  }
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    if (isState(i) && failed(readState(i)))
      return failure();
  return std::move(result);
}

FailureOr<UserShardings> hetero::readUserShardings(func::FuncOp step) {
  return Reader(step).read();
}

/// A `hetero.placement` that is already there decides for its whole layer.
LogicalResult hetero::addPins(func::FuncOp step, const StepLayers &layers,
                              planner::Problem &problem) {
  std::map<int64_t, Operation *> pinned;
  for (Operation &op : step.getBody().front()) {
    auto placement =
        op.getAttrOfType<PlacementAttr>(HeteroDialect::getPlacementAttrName());
    auto place = layers.ofOp.find(&op);
    if (!placement || place == layers.ofOp.end())
      continue;
    planner::Pin pin;
    pin.layer = place->second.layer;
    pin.stage = placement.getStage();
    if (FlatSymbolRefAttr name = placement.getMesh()) {
      auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(step, name);
      pin.devices.assign(mesh.getDevices().begin(), mesh.getDevices().end());
      llvm::sort(pin.devices);
    }
    auto [other, inserted] = pinned.try_emplace(pin.layer, &op);
    if (inserted) {
      problem.constraints.pins.push_back(std::move(pin));
      continue;
    }
    auto first = other->second->getAttrOfType<PlacementAttr>(
        HeteroDialect::getPlacementAttrName());
    if (first == placement)
      continue;
    return (op.emitOpError() << "is placed on stage " << placement.getStage()
                             << ", but another operation of layer " << pin.layer
                             << " is on stage " << first.getStage())
               .attachNote(other->second->getLoc())
           << "the other one is here";
  }
  return success();
}
