//===- HeteroBase.td - The hetero dialect ------------------*- tablegen -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_DIALECT_HETERO_HETEROBASE_TD
#define HETERO_DIALECT_HETERO_HETEROBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Hetero_Dialect : Dialect {
  let name = "hetero";
  let summary = "training steps on a mix of unlike devices";
  let description = [{
    The vocabulary in which a training step is planned for a cluster of unlike
    devices: what the cluster is (`hetero.cluster`), which value plays which
    part in the step (`hetero.role`), how the step is laid out on the cluster
    (`hetero.plan`, `hetero.placement`, `hetero.sharding`), in which order each
    stage works (`hetero.schedule`), and what the ranks say to each other
    (`hetero.all_gather`, `hetero.send`, ...).

    The mathematics stays in the dialect that the step came in. Decisions about
    it are discardable attributes named `hetero.*`, so a planned step is still
    the same step: removing them gives back the input.

    | attribute | on | says |
    |---|---|---|
    | `hetero.role` | arguments, results | what the value is to training |
  }];
  let cppNamespace = "::hetero";
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The name of the attribute that carries a RoleAttr.
    static constexpr ::llvm::StringLiteral getRoleAttrName() {
      return "hetero.role";
    }

  private:
    void registerAttributes();

  public:
  }];
}

class Hetero_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Hetero_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // HETERO_DIALECT_HETERO_HETEROBASE_TD
