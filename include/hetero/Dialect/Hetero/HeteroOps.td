//===- HeteroOps.td - All of the dialect -------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the documentation is generated from. Code is generated from its parts.

#ifndef HETERO_DIALECT_HETERO_HETEROOPS_TD
#define HETERO_DIALECT_HETERO_HETEROOPS_TD

include "hetero/Dialect/Hetero/HeteroClusterOps.td"
include "hetero/Dialect/Hetero/HeteroCommOps.td"
include "hetero/Dialect/Hetero/HeteroKernelOps.td"
include "hetero/Dialect/Hetero/HeteroPlanOps.td"
include "hetero/Dialect/Hetero/HeteroScheduleOps.td"

#endif // HETERO_DIALECT_HETERO_HETEROOPS_TD
