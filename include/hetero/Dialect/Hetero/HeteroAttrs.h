//===- HeteroAttrs.h - Attributes of the hetero dialect ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROATTRS_H
#define HETERO_DIALECT_HETERO_HETEROATTRS_H

#include "hetero/Support/Enums.h"
#include "hetero/Support/Quantity.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Hetero/HeteroAttrs.h.inc"

#endif // HETERO_DIALECT_HETERO_HETEROATTRS_H
