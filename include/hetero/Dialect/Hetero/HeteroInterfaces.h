//===- HeteroInterfaces.h - Interfaces of the hetero dialect ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROINTERFACES_H
#define HETERO_DIALECT_HETERO_HETEROINTERFACES_H

#include "hetero/Dialect/Hetero/HeteroClusterOps.h"
#include "hetero/Dialect/Hetero/HeteroTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "hetero/Dialect/Hetero/HeteroInterfaces.h.inc"

#endif // HETERO_DIALECT_HETERO_HETEROINTERFACES_H
