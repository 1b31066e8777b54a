//===- HeteroPlanOps.h - Layers and plans -----------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_DIALECT_HETERO_HETEROPLANOPS_H
#define HETERO_DIALECT_HETERO_HETEROPLANOPS_H

#include "hetero/Dialect/Hetero/HeteroClusterOps.h"

namespace hetero {
class StageOp;
} // namespace hetero

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroPlanOps.h.inc"

#endif // HETERO_DIALECT_HETERO_HETEROPLANOPS_H
