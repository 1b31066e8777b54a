//===- SdyAttrs.cpp - Meshes, axes and shardings --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Sdy/Sdy.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <set>

using namespace mlir;
using namespace mlir::sdy;

/// a * b for non-negative numbers, or the largest integer.
static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (llvm::MulOverflow(a, b, product))
    return std::numeric_limits<int64_t>::max();
  return product;
}

/// The number of devices; the largest integer if it does not fit.
static int64_t getTotalSizeOf(ArrayRef<MeshAxisAttr> axes) {
  int64_t total = 1;
  for (MeshAxisAttr axis : axes)
    total = saturatingMultiply(total, axis.getSize());
  return total;
}

//===----------------------------------------------------------------------===//
// MeshAxisAttr, MeshAttr
//===----------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t size) {
  // mesh_axis_c1
  if (size < 1)
    return emitError() << "axis \"" << name << "\" has size " << size
                       << ", but it must be at least 1";
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  // mesh_c1
  llvm::SmallDenseSet<StringRef> names;
  for (MeshAxisAttr axis : axes)
    if (!names.insert(axis.getName()).second)
      return emitError() << "mesh has two axes of the name \"" << axis.getName()
                         << "\"";
  if (deviceIds.empty())
    return success();

  // mesh_c2
  for (int64_t id : deviceIds)
    if (id < 0)
      return emitError() << "device id " << id << " is negative";
  // mesh_c3
  if (axes.empty()) {
    if (deviceIds.size() != 1)
      return emitError() << "mesh without axes has " << deviceIds.size()
                         << " device ids, but it may have only one";
    return success();
  }
  // mesh_c4
  int64_t count = deviceIds.size();
  int64_t total = getTotalSizeOf(axes);
  if (total != count)
    return emitError() << "mesh of " << total << " devices has " << count
                       << " device ids";
  // mesh_c5
  std::set<int64_t> ids;
  for (int64_t id : deviceIds) {
    if (id >= count)
      return emitError() << "device id " << id
                         << " is out of range in a mesh of " << count
                         << " devices";
    if (!ids.insert(id).second)
      return emitError() << "device id " << id << " occurs twice";
  }
  return success();
}

bool MeshAttr::isDefaultDeviceOrder(ArrayRef<MeshAxisAttr> axes,
                                    ArrayRef<int64_t> deviceIds) {
  return !axes.empty() && getTotalSizeOf(axes) == int64_t(deviceIds.size()) &&
         llvm::equal(deviceIds, llvm::seq<int64_t>(0, deviceIds.size()));
}

std::optional<size_t> MeshAttr::getAxisIndex(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(getAxes()))
    if (axis.getName() == name)
      return index;
  return std::nullopt;
}

std::optional<int64_t> MeshAttr::getAxisSize(StringRef name) const {
  std::optional<size_t> index = getAxisIndex(name);
  if (!index)
    return std::nullopt;
  return getAxes()[*index].getSize();
}

//===----------------------------------------------------------------------===//
// SubAxisInfoAttr, AxisRefAttr
//===----------------------------------------------------------------------===//

int64_t SubAxisInfoAttr::getNextPreSize() const {
  return saturatingMultiply(getPreSize(), getSize());
}

std::string AxisRefAttr::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '"';
  llvm::printEscapedString(getName(), os);
  os << '"';
  if (SubAxisInfoAttr info = getSubAxisInfo())
    os << ":(" << info.getPreSize() << ")" << info.getSize();
  return text;
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  if (SubAxisInfoAttr info = getSubAxisInfo())
    return info.getSize();
  return mesh.getAxisSize(getName()).value_or(0);
}

int64_t AxisRefAttr::getSubAxisPreSize() const {
  return getSubAxisInfo() ? getSubAxisInfo().getPreSize() : 1;
}

int64_t AxisRefAttr::getNextPreSizeOrFullSize(MeshAttr mesh) const {
  if (SubAxisInfoAttr info = getSubAxisInfo())
    return info.getNextPreSize();
  return mesh.getAxisSize(getName()).value_or(0);
}

bool AxisRefAttr::contains(AxisRefAttr other) const {
  if (getName() != other.getName())
    return false;
  SubAxisInfoAttr info = getSubAxisInfo(), otherInfo = other.getSubAxisInfo();
  if (!info || !otherInfo)
    return !info;
  return info.getPreSize() <= otherInfo.getPreSize() &&
         otherInfo.getNextPreSize() <= info.getNextPreSize();
}

bool AxisRefAttr::overlaps(AxisRefAttr other) const {
  if (getName() != other.getName())
    return false;
  SubAxisInfoAttr info = getSubAxisInfo(), otherInfo = other.getSubAxisInfo();
  if (!info || !otherInfo)
    return true;
  return info.getPreSize() < otherInfo.getNextPreSize() &&
         otherInfo.getPreSize() < info.getNextPreSize();
}

bool AxisRefAttr::suffixOf(AxisRefAttr other, MeshAttr mesh) const {
  return other.contains(*this) &&
         getNextPreSizeOrFullSize(mesh) == other.getNextPreSizeOrFullSize(mesh);
}

bool AxisRefAttr::canMerge(AxisRefAttr other) const {
  return getName() == other.getName() && getSubAxisInfo() &&
         other.getSubAxisInfo() &&
         getSubAxisInfo().getNextPreSize() == other.getSubAxisPreSize();
}

AxisRefAttr AxisRefAttr::merge(AxisRefAttr other, MeshAttr mesh) const {
  int64_t preSize = getSubAxisPreSize();
  int64_t size =
      saturatingMultiply(getSize(mesh), other.getSubAxisInfo().getSize());
  if (preSize == 1 && mesh.getAxisSize(getName()) == size)
    return AxisRefAttr::get(getContext(), getName());
  return AxisRefAttr::get(getContext(), getName(), preSize, size);
}

std::optional<AxisRefAttr>
AxisRefAttr::withoutSuffix(AxisRefAttr suffix) const {
  int64_t preSize = getSubAxisPreSize();
  int64_t end = suffix.getSubAxisPreSize();
  if (preSize < 1 || end <= preSize)
    return std::nullopt;
  return AxisRefAttr::get(getContext(), getName(), preSize, end / preSize);
}

//===----------------------------------------------------------------------===//
// DimensionShardingAttr, TensorShardingAttr
//===----------------------------------------------------------------------===//

int64_t DimensionShardingAttr::getShardedSize(MeshAttr mesh) const {
  int64_t size = 1;
  for (AxisRefAttr axis : getAxes())
    size = saturatingMultiply(size, axis.getSize(mesh));
  return size;
}

bool TensorShardingAttr::isFullyReplicated() const {
  return llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
    return dim.emptyAxes();
  });
}

FlatSymbolRefAttr TensorShardingAttr::getMeshSymName() const {
  return dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
}

MeshAttr TensorShardingAttr::getMesh(Operation *op) const {
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  FlatSymbolRefAttr name = getMeshSymName();
  auto module = op->getParentOfType<ModuleOp>();
  if (!name || !module)
    return MeshAttr();
  auto meshOp = dyn_cast_or_null<MeshOp>(
      SymbolTable::lookupSymbolIn(module, name.getAttr()));
  return meshOp ? meshOp.getMesh() : MeshAttr();
}

void TensorShardingAttr::forEachAxisRef(
    function_ref<void(AxisRefAttr)> callback) const {
  for (DimensionShardingAttr dim : getDimShardings())
    llvm::for_each(dim.getAxes(), callback);
  llvm::for_each(getReplicatedAxes(), callback);
  llvm::for_each(getUnreducedAxes(), callback);
}

TensorShardingAttr TensorShardingAttr::getFullyReplicated(MLIRContext *context,
                                                          int64_t rank,
                                                          Attribute meshOrRef,
                                                          bool isClosed) {
  SmallVector<DimensionShardingAttr> dims(
      rank, DimensionShardingAttr::get(context, {}, isClosed));
  return TensorShardingAttr::get(context, meshOrRef, dims, {}, {});
}

//===----------------------------------------------------------------------===//
// PropagationEdgesAttr
//===----------------------------------------------------------------------===//

LogicalResult
PropagationEdgesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             ArrayRef<PropagationOneStepAttr> steps) {
  std::set<int64_t> indices;
  for (PropagationOneStepAttr step : steps) {
    int64_t index = step.getStepIndex();
    // edges_c1
    if (index < 0)
      return emitError() << "propagation step " << index << " is negative";
    // edges_c2
    if (!indices.insert(index).second)
      return emitError() << "propagation step " << index << " occurs twice";
    for (AxisToPropagationDetailsAttr entry : step.getAxisEntries()) {
      llvm::SmallDenseSet<EdgeValueRefAttr> targets;
      for (EdgeValueRefAttr target : entry.getTargets()) {
        // edges_c3
        if (target == entry.getSource())
          return emitError()
                 << "axis " << entry.getAxisName().toString()
                 << " is propagated to its source in step " << index;
        // edges_c4
        if (!targets.insert(target).second)
          return emitError() << "axis " << entry.getAxisName().toString()
                             << " is propagated twice to the same value in "
                                "step "
                             << index;
      }
    }
  }
  return success();
}
