//===- StablehloCollectiveOps.td - Between devices -*- tablegen -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOCOLLECTIVEOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOCOLLECTIVEOPS_TD

include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOCOLLECTIVEOPS_TD
