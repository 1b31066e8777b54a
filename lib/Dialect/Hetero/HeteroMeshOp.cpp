//===- HeteroMeshOp.cpp - Devices in a shape ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroClusterOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace hetero;

void MeshOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   ArrayRef<int64_t> devices) {
  build(builder, state, name, builder.getStrArrayAttr({"devices"}),
        {static_cast<int64_t>(devices.size())}, devices);
}

LogicalResult MeshOp::verify() {
  if (getDevices().empty())
    return emitOpError() << "mesh_c1: has no devices";
  std::set<int64_t> seen;
  for (int64_t device : getDevices())
    if (device < 0 || !seen.insert(device).second)
      return emitOpError() << "mesh_c1: device " << device
                           << (device < 0 ? " does not exist"
                                          : " is listed twice");

  if (getAxisNames().empty() || getAxisNames().size() != getAxisSizes().size())
    return emitOpError() << "mesh_c2: has " << getAxisNames().size()
                         << " axis names for " << getAxisSizes().size()
                         << " sizes; there must be as many, at least one";
  llvm::SmallPtrSet<Attribute, 4> names;
  int64_t product = 1;
  for (auto [name, size] : llvm::zip_equal(
           getAxisNames().getAsRange<StringAttr>(), getAxisSizes())) {
    if (!names.insert(name).second)
      return emitOpError() << "mesh_c2: has two axes '" << name.getValue()
                           << "'";
    if (size < 1)
      return emitOpError() << "mesh_c2: axis '" << name.getValue()
                           << "' has size " << size;
    if (llvm::MulOverflow(product, size, product))
      return emitOpError() << "mesh_c2: the product of the axes overflows";
  }
  if (product != static_cast<int64_t>(getDevices().size()))
    return emitOpError() << "mesh_c2: has " << getDevices().size()
                         << " devices, but its axes need " << product;
  return success();
}

LogicalResult MeshOp::verifySymbolUses(SymbolTableCollection &) {
  ClusterOp cluster = ClusterOp::lookupNear(*this);
  if (!cluster)
    return success();
  std::vector<Device> devices = cluster.getDevices();
  for (int64_t rank : getDevices()) {
    bool exists = rank < static_cast<int64_t>(devices.size());
    if (exists && devices[rank].available)
      continue;
    InFlightDiagnostic error =
        emitOpError() << "mesh_c3: device " << rank
                      << (exists ? " is unavailable" : " does not exist");
    if (exists)
      error.attachNote(devices[rank].node.getLoc())
          << "it is device " << devices[rank].index << " of this node";
    else
      error.attachNote(cluster.getLoc())
          << "the cluster has devices 0 to " << devices.size() - 1;
    return error;
  }
  return success();
}

/// The index of each of `axes` in `mesh`, of all axes if there are none.
static std::optional<SmallVector<int64_t>> getAxisIndices(MeshOp mesh,
                                                          ArrayAttr axes) {
  ArrayAttr names = mesh.getAxisNames();
  SmallVector<int64_t> indices;
  if (!axes || axes.empty()) {
    llvm::append_range(indices, llvm::seq<int64_t>(0, names.size()));
    return indices;
  }
  for (Attribute axis : axes) {
    const auto *found = llvm::find(names, axis);
    if (found == names.end())
      return std::nullopt;
    indices.push_back(found - names.begin());
  }
  return indices;
}

std::optional<int64_t> MeshOp::getGroupSize(ArrayAttr axes) {
  std::optional<SmallVector<int64_t>> indices = getAxisIndices(*this, axes);
  if (!indices)
    return std::nullopt;
  int64_t size = 1;
  for (int64_t index : *indices)
    size *= getAxisSizes()[index];
  return size;
}

std::optional<int64_t> MeshOp::getMember(int64_t rank, ArrayAttr axes) {
  std::optional<SmallVector<int64_t>> indices = getAxisIndices(*this, axes);
  const int64_t *device = llvm::find(getDevices(), rank);
  if (!indices || device == getDevices().end())
    return std::nullopt;
  SmallVector<int64_t> coordinates = delinearize(
      device - getDevices().begin(), computeStrides(getAxisSizes()));
  int64_t member = 0;
  for (int64_t index : *indices)
    member = member * getAxisSizes()[index] + coordinates[index];
  return member;
}

SmallVector<int64_t> MeshOp::getGroup(int64_t rank, ArrayAttr axes) {
  std::optional<SmallVector<int64_t>> indices = getAxisIndices(*this, axes);
  const int64_t *device = llvm::find(getDevices(), rank);
  if (!indices || device == getDevices().end())
    return {};
  SmallVector<int64_t> strides = computeStrides(getAxisSizes());
  SmallVector<int64_t> coordinates =
      delinearize(device - getDevices().begin(), strides);
  SmallVector<int64_t> groupSizes;
  for (int64_t index : *indices)
    groupSizes.push_back(getAxisSizes()[index]);

  SmallVector<int64_t> group;
  for (int64_t member = 0, e = *getGroupSize(axes); member < e; ++member) {
    SmallVector<int64_t> inGroup =
        delinearize(member, computeStrides(groupSizes));
    for (auto [index, coordinate] : llvm::zip_equal(*indices, inGroup))
      coordinates[index] = coordinate;
    group.push_back(getDevices()[linearize(coordinates, strides)]);
  }
  return group;
}
