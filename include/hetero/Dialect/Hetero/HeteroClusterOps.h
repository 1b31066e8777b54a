//===- HeteroClusterOps.h - Clusters and meshes -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROCLUSTEROPS_H
#define HETERO_DIALECT_HETERO_HETEROCLUSTEROPS_H

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <vector>

namespace hetero {
struct Device;
} // namespace hetero

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroClusterOps.h.inc"

namespace hetero {

/// A device of a cluster, as ClusterOp::getDevices finds it by rank.
struct Device {
  NodeOp node;
  DeviceClassOp deviceClass;
  /// Its number inside of the node.
  int64_t index;
  bool available;
};

} // namespace hetero

#endif // HETERO_DIALECT_HETERO_HETEROCLUSTEROPS_H
