//===- HeteroBase.td - The hetero dialect ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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
    | `hetero.layer` | operations | layer and phase |
    | `hetero.forms` | arguments, results, operations | form on each axis |
    | `hetero.placement` | arguments, operations | stage and mesh |
    | `hetero.sharding` | arguments, results, operations | layout in computation |
    | `hetero.storage` | arguments, results | layout between steps |
    | `hetero.program` | functions | which ranks run it, and as what |
    | `hetero.instruction` | operations | which instruction it carries out |

    Constraints:
    - (hetero_c1) An attribute named `hetero.*` is one of these, on what it is
      for.
    - (hetero_c2) Its value is of the kind that it needs.
  }];
  let cppNamespace = "::hetero";
  let useDefaultTypePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;

    // The names of the discardable attributes.
    static constexpr ::llvm::StringLiteral getRoleAttrName() {
      return "hetero.role";
    }
    static constexpr ::llvm::StringLiteral getLayerAttrName() {
      return "hetero.layer";
    }
    static constexpr ::llvm::StringLiteral getFormsAttrName() {
      return "hetero.forms";
    }
    static constexpr ::llvm::StringLiteral getPlacementAttrName() {
      return "hetero.placement";
    }
    static constexpr ::llvm::StringLiteral getShardingAttrName() {
      return "hetero.sharding";
    }
    static constexpr ::llvm::StringLiteral getStorageAttrName() {
      return "hetero.storage";
    }
    static constexpr ::llvm::StringLiteral getPartAttrName() {
      return "hetero.part";
    }
    static constexpr ::llvm::StringLiteral getProgramAttrName() {
      return "hetero.program";
    }
    static constexpr ::llvm::StringLiteral getInstructionAttrName() {
      return "hetero.instruction";
    }

  private:
    void registerAttributes();
    void registerTypes();
    void registerOperations();

  public:
  }];
}

class Hetero_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Hetero_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // HETERO_DIALECT_HETERO_HETEROBASE_TD
