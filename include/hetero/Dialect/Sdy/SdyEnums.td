//===- SdyEnums.td - Enumerations of the sdy dialect -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_SDY_SDYENUMS_TD
#define HETERO_DIALECT_SDY_SDYENUMS_TD

include "hetero/Dialect/Sdy/SdyBase.td"
include "mlir/IR/EnumAttr.td"

def Sdy_PropagationDirection : I32EnumAttr<
    "PropagationDirection", "propagation direction enum",
    [I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
     I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = Sdy_Dialect.cppNamespace;
}

def Sdy_EdgeNodeType : I32EnumAttr<
    "EdgeNodeType", "side of an operation that a propagation edge touches",
    [I32EnumAttrCase<"OPERAND", 0, "operand">,
     I32EnumAttrCase<"RESULT", 1, "result">]> {
  let cppNamespace = Sdy_Dialect.cppNamespace;
}

#endif // HETERO_DIALECT_SDY_SDYENUMS_TD
