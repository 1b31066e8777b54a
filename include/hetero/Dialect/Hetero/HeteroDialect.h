//===- HeteroDialect.h - The hetero dialect ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETERODIALECT_H
#define HETERO_DIALECT_HETERO_HETERODIALECT_H

#include "mlir/IR/Dialect.h"

#include "hetero/Dialect/Hetero/HeteroDialect.h.inc"

#endif // HETERO_DIALECT_HETERO_HETERODIALECT_H
