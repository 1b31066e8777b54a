//===- HeteroEnums.td - Enumerations of the hetero dialect -*- tablegen -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_DIALECT_HETERO_HETEROENUMS_TD
#define HETERO_DIALECT_HETERO_HETEROENUMS_TD

include "hetero/Dialect/Hetero/HeteroBase.td"

class Hetero_Enum<string name, string summary, list<EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::hetero";
}

def Hetero_RoleKind : Hetero_Enum<"RoleKind", "what a value is to training", [
  I32EnumCase<"Parameter", 0, "parameter">,
  I32EnumCase<"OptimizerState", 1, "optimizer_state">,
  I32EnumCase<"ModelState", 2, "model_state">,
  I32EnumCase<"Batch", 3, "batch">,
  I32EnumCase<"Rng", 4, "rng">,
  I32EnumCase<"HyperParameter", 5, "hyper_parameter">,
  I32EnumCase<"Loss", 6, "loss">,
  I32EnumCase<"Metric", 7, "metric">,
  I32EnumCase<"Gradient", 8, "gradient">,
  I32EnumCase<"UpdatedState", 9, "updated_state">
]>;

#endif // HETERO_DIALECT_HETERO_HETEROENUMS_TD
