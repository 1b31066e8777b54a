//===- HeteroPlanOps.h - Layers and plans -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROPLANOPS_H
#define HETERO_DIALECT_HETERO_HETEROPLANOPS_H

#include "hetero/Dialect/Hetero/HeteroClusterOps.h"

namespace hetero {
class StageOp;
} // namespace hetero

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroPlanOps.h.inc"

#endif // HETERO_DIALECT_HETERO_HETEROPLANOPS_H
