//===- HeteroKernelOps.h - Within kernels -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROKERNELOPS_H
#define HETERO_DIALECT_HETERO_HETEROKERNELOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroKernelOps.h.inc"

#endif // HETERO_DIALECT_HETERO_HETEROKERNELOPS_H
