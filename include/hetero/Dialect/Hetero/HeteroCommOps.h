//===- HeteroCommOps.h - Communication --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROCOMMOPS_H
#define HETERO_DIALECT_HETERO_HETEROCOMMOPS_H

#include "hetero/Dialect/Hetero/HeteroInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hetero {

/// Stands for the data that is under way between memories.
struct TransferResource
    : public mlir::SideEffects::Resource::Base<TransferResource> {
  llvm::StringRef getName() final { return "HeteroTransfer"; }
};

/// The ranks that run the function around `op`, by its `hetero.program`; empty
/// if that is not said.
llvm::ArrayRef<int64_t> getProgramRanks(mlir::Operation *op);

} // namespace hetero

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroCommOps.h.inc"

#endif // HETERO_DIALECT_HETERO_HETEROCOMMOPS_H
