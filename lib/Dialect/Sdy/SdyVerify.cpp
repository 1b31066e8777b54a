//===- SdyVerify.cpp - Checks that several sdy verifiers share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SdyVerify.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sdy;

//===----------------------------------------------------------------------===//
// AxisUses
//===----------------------------------------------------------------------===//

AxisUses::AxisUses(MeshAttr mesh) : mesh(mesh) {
  for (auto [index, axis] : llvm::enumerate(mesh.getAxes()))
    indices.insert({axis.getName(), index});
}

LogicalResult AxisUses::add(ArrayRef<AxisRefAttr> axes, ErrorFn emitError) {
  AxisRefAttr previous;
  for (AxisRefAttr axis : axes) {
    // axes_c1
    if (!indices.contains(axis.getName()))
      return emitError() << "axis \"" << axis.getName() << "\" is not in "
                         << mesh;
    // axes_c2
    if (!seen.insert(axis).second)
      return emitError() << "axis " << axis.toString() << " is used twice";
    // axes_c3
    if (previous && previous.canMerge(axis))
      return emitError() << "sub-axes " << previous.toString() << " and "
                         << axis.toString() << " must be merged into "
                         << previous.merge(axis, mesh).toString();
    if (axis.getSubAxisInfo())
      subAxes.push_back(axis);
    previous = axis;
  }
  return success();
}

AxisUses::Position AxisUses::getPosition(AxisRefAttr axis) const {
  SubAxisInfoAttr info = axis.getSubAxisInfo();
  return {indices.lookup(axis.getName()), axis.getSubAxisPreSize(), !info,
          info ? info.getSize() : 0};
}

bool AxisUses::isOrdered(ArrayRef<AxisRefAttr> axes) const {
  return llvm::is_sorted(axes, [&](AxisRefAttr a, AxisRefAttr b) {
    return getPosition(a) < getPosition(b);
  });
}

/// Checks a sub-axis against its axis, of the given size.
static LogicalResult verifySubAxis(AxisRefAttr axis, int64_t axisSize,
                                   ErrorFn emitError) {
  SubAxisInfoAttr info = axis.getSubAxisInfo();
  // sub_axis_c1
  if (info.getPreSize() < 1)
    return emitError() << "sub-axis " << axis.toString() << " has pre-size "
                       << info.getPreSize() << ", but it must be at least 1";
  // sub_axis_c2
  if (info.getSize() < 2)
    return emitError() << "sub-axis " << axis.toString() << " has size "
                       << info.getSize() << ", but it must be at least 2";
  // sub_axis_c3
  int64_t next;
  if (llvm::MulOverflow(info.getPreSize(), info.getSize(), next) ||
      axisSize % next != 0)
    return emitError() << "pre-size times size of sub-axis " << axis.toString()
                       << " does not divide the size of the axis, " << axisSize;
  // sub_axis_c4
  if (info.getSize() == axisSize)
    return emitError() << "sub-axis " << axis.toString()
                       << " is the whole axis and must be written as such";
  return success();
}

LogicalResult AxisUses::verifySubAxes(ErrorFn emitError) const {
  SmallVector<AxisRefAttr> sorted(subAxes);
  llvm::sort(sorted, [&](AxisRefAttr a, AxisRefAttr b) {
    return getPosition(a) < getPosition(b);
  });
  AxisRefAttr previous;
  for (AxisRefAttr axis : sorted) {
    size_t index = indices.lookup(axis.getName());
    if (failed(verifySubAxis(axis, mesh.getAxes()[index].getSize(), emitError)))
      return failure();
    // sub_axis_c5
    if (seen.contains(AxisRefAttr::get(axis.getContext(), axis.getName())))
      return emitError() << "sub-axis " << axis.toString()
                         << " is used besides its whole axis";
    if (previous && previous.overlaps(axis))
      return emitError() << "sub-axes " << previous.toString() << " and "
                         << axis.toString() << " overlap";
    previous = axis;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

ManualComputationOp sdy::findManualOwner(Operation *op, StringRef axis) {
  auto owner = op->getParentOfType<ManualComputationOp>();
  for (; owner; owner = owner->getParentOfType<ManualComputationOp>())
    for (StringAttr name : owner.getManualAxes())
      if (name.getValue() == axis)
        return owner;
  return nullptr;
}

LogicalResult sdy::mergeMesh(MeshAttr &common, MeshAttr mesh) {
  if (!common || common.empty())
    common = mesh;
  return success(mesh.empty() || common == mesh);
}

/// True when the sharding says nothing: no dimensions, no other axes.
static bool isTrivial(TensorShardingAttr sharding) {
  return sharding.getRank() == 0 && sharding.getReplicatedAxes().empty() &&
         sharding.getUnreducedAxes().empty();
}

static LogicalResult verifyDimension(DimensionShardingAttr dim, size_t index,
                                     ErrorFn emitError) {
  if (!dim.getPriority())
    return success();
  if (*dim.getPriority() < 0)
    return emitError() << "dimension " << index << " has negative priority "
                       << *dim.getPriority();
  // dim_sharding_c1
  if (dim.getIsClosed() && dim.emptyAxes())
    return emitError() << "dimension " << index << " has priority "
                       << *dim.getPriority()
                       << ", but it is closed and has no axes";
  return success();
}

/// Checks everything that refers to axes.
static LogicalResult verifyAxes(TensorShardingAttr sharding, MeshAttr mesh,
                                Operation *op, ErrorFn emitError) {
  AxisUses uses(mesh);
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings()))
    if (failed(verifyDimension(dim, index, emitError)) ||
        failed(uses.add(dim.getAxes(), emitError)))
      return failure();
  // sharding_c7, sharding_c8
  for (auto [name, axes] :
       {std::pair("replicated", sharding.getReplicatedAxes()),
        std::pair("unreduced", sharding.getUnreducedAxes())}) {
    if (failed(uses.add(axes, emitError)))
      return failure();
    if (!uses.isOrdered(axes))
      return emitError() << name << " axes are not in the order of " << mesh;
  }
  if (failed(uses.verifySubAxes(emitError)))
    return failure();
  // sharding_c9
  if (!op->getParentOfType<ManualComputationOp>())
    return success();
  LogicalResult result = success();
  sharding.forEachAxisRef([&](AxisRefAttr axis) {
    if (failed(result))
      return;
    if (auto owner = findManualOwner(op, axis.getName()))
      result = (emitError() << "axis " << axis.toString()
                            << " is manual in an enclosing computation")
                   .attachNote(owner.getLoc())
               << "axis \"" << axis.getName() << "\" is manual here";
  });
  return result;
}

LogicalResult sdy::verifySharding(TensorShardingAttr sharding, Type type,
                                  Operation *op, ErrorFn emitError) {
  // sharding_c1
  MeshAttr mesh = sharding.getMesh(op);
  if (!mesh)
    return emitError() << "there is no mesh " << sharding.getMeshOrRef()
                       << " in the module";
  // sharding_c2
  if (mesh.isMaximal()) {
    if (!isTrivial(sharding))
      return emitError() << "sharding on the maximal mesh " << mesh
                         << " must have no dimensions and no replicated or "
                            "unreduced axes";
    return success();
  }
  // sharding_c3
  if (auto tuple = dyn_cast_or_null<TupleType>(type)) {
    if (tuple.size() != 1)
      return emitError() << "only a tuple of one element has a sharding, not "
                         << tuple;
    type = tuple.getType(0);
  }
  // sharding_c4
  auto shaped = dyn_cast_or_null<ShapedType>(type);
  if (!shaped) {
    if (isTrivial(sharding))
      return success();
    InFlightDiagnostic diag = emitError();
    diag << "sharding must have no dimensions and no replicated or unreduced "
            "axes for ";
    if (type)
      return diag << type << ", which has no shape";
    return diag << "an operation without results";
  }
  // sharding_c5
  if (!shaped.hasRank())
    return emitError() << "only a ranked type has a sharding, not " << type;
  // sharding_c6
  if (shaped.getRank() != sharding.getRank())
    return emitError() << "sharding has " << sharding.getRank()
                       << " dimensions, but " << type << " has "
                       << shaped.getRank();
  return verifyAxes(sharding, mesh, op, emitError);
}

LogicalResult sdy::verifyShardings(TensorShardingPerValueAttr shardings,
                                   TypeRange types, Operation *op,
                                   StringRef kind) {
  auto verifyOne = [&](size_t index, Type type) {
    return verifySharding(shardings.getSharding(index), type, op, [&]() {
      return op->emitOpError() << kind << " " << index << ": ";
    });
  };
  // per_value_c1
  if (types.empty() && shardings.size() == 1)
    return verifyOne(0, Type());
  if (shardings.size() != int64_t(types.size()))
    return op->emitOpError() << "has " << types.size() << " " << kind
                             << "s, but shardings for " << shardings.size();
  for (auto [index, type] : llvm::enumerate(types))
    if (failed(verifyOne(index, type)))
      return failure();
  return success();
}
