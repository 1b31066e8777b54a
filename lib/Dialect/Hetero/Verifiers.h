//===- Verifiers.h - Checks shared between files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the verifiers that attributes and operations share. Each emits an
// error at `op` that starts with `label`, the name of the constraint.

#ifndef HETERO_LIB_DIALECT_HETERO_VERIFIERS_H
#define HETERO_LIB_DIALECT_HETERO_VERIFIERS_H

#include "hetero/Dialect/Hetero/HeteroClusterOps.h"

namespace hetero {

/// Checks the role of argument or result `index` of `op` (HeteroRoles.cpp).
llvm::LogicalResult verifyArgumentRole(mlir::Operation *op, unsigned index,
                                       RoleAttr role);
llvm::LogicalResult verifyResultRole(mlir::Operation *op, unsigned index,
                                     RoleAttr role);

/// Checks that `sharding` fits a value of `type` and names an existing mesh.
/// `mesh` is what the symbol resolves to, possibly null.
llvm::LogicalResult verifySharding(mlir::Operation *op, ShardingAttr sharding,
                                   mlir::Type type, MeshOp mesh);

/// Checks that `reduction` can combine elements of `type`.
llvm::LogicalResult verifyReduction(mlir::Operation *op,
                                    ReductionKind reduction, mlir::Type type,
                                    llvm::StringRef label);

} // namespace hetero

#endif // HETERO_LIB_DIALECT_HETERO_VERIFIERS_H
