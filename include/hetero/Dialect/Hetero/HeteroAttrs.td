//===- HeteroAttrs.td - All attributes ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROATTRS_TD
#define HETERO_DIALECT_HETERO_HETEROATTRS_TD

include "hetero/Dialect/Hetero/HeteroClusterAttrs.td"
include "hetero/Dialect/Hetero/HeteroFormAttrs.td"
include "hetero/Dialect/Hetero/HeteroQuantities.td"
include "hetero/Dialect/Hetero/HeteroScheduleAttrs.td"
include "hetero/Dialect/Hetero/HeteroStepAttrs.td"

#endif // HETERO_DIALECT_HETERO_HETEROATTRS_TD
