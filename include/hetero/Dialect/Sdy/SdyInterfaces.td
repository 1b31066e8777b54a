//===- SdyInterfaces.td - Interfaces of sdy operations -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_SDY_SDYINTERFACES_TD
#define HETERO_DIALECT_SDY_SDYINTERFACES_TD

include "mlir/IR/OpBase.td"

def Sdy_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let description = [{
    What the collectives have in common: a tensor, whose sharding is known from
    the operation or function argument that defines it, and the sharding of the
    result.

    Constraints, besides those on `out_sharding`:
    - (collective_c1) the operand has a sharding; where the operation allows
      that it has none, it counts as split nowhere;
    - (collective_c2) operand and result are bound to equal meshes;
    - (collective_c3) both shardings have the same rank.
  }];
  let cppNamespace = "::mlir::sdy";
  let methods = [
    InterfaceMethod<"The operand.", "::mlir::Value", "getTensor">,
    InterfaceMethod<"The sharding of the result.",
                    "::mlir::sdy::TensorShardingAttr", "getOutSharding">,
    InterfaceMethod<"True when the operand may be without a sharding.", "bool",
                    "allowMissingInputSharding", (ins), "", "return false;">,
    InterfaceMethod<"True when the meshes may differ.", "bool",
                    "allowDifferentMeshes", (ins), "", "return false;">
  ];
  let verify = "return ::mlir::sdy::detail::verifyCollective($_op);";
}

#endif // HETERO_DIALECT_SDY_SDYINTERFACES_TD
