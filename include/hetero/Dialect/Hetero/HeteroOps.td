//===- HeteroOps.td - All of the dialect -------------------*- tablegen -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the documentation is generated from. Code is generated from its parts.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_DIALECT_HETERO_HETEROOPS_TD
#define HETERO_DIALECT_HETERO_HETEROOPS_TD

include "hetero/Dialect/Hetero/HeteroClusterOps.td"
include "hetero/Dialect/Hetero/HeteroCommOps.td"
include "hetero/Dialect/Hetero/HeteroPlanOps.td"
include "hetero/Dialect/Hetero/HeteroScheduleOps.td"

#endif // HETERO_DIALECT_HETERO_HETEROOPS_TD
