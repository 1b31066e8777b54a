//===- FormInterface.td - How operations treat forms -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_ANALYSIS_FORMINTERFACE_TD
#define HETERO_ANALYSIS_FORMINTERFACE_TD

include "mlir/IR/OpBase.td"

def Hetero_FormOpInterface : OpInterface<"FormOpInterface"> {
  let cppNamespace = "::hetero";
  let description = [{
    What an operation does to the forms of its operands on one axis. An
    operation says which dimensions of its operands and results run together and
    in which operands it is linear (`getDimensionMap`); its rules follow from
    that. Only operations that rearrange a dimension, or hold other operations,
    give their rule themselves (`getFormRule`).

    Operations without the interface take their operands replicated.
  }];
  let methods = [
    InterfaceMethod<"The dimensions that run together, and where it is linear.",
      "::hetero::DimensionMap", "getDimensionMap">,
    InterfaceMethod<[{The forms that the operands are needed in, given the forms
                      that they have, and those of the results.}],
      "::hetero::FormRule", "getFormRule",
      (ins "::llvm::ArrayRef<::hetero::Form>":$forms,
           "::hetero::FormScope &":$scope), "", [{
        return ::hetero::deriveFormRule($_op, ::llvm::cast<::hetero::FormOpInterface>($_op.getOperation())
                .getDimensionMap(), forms,
                                        scope);
      }]>,
    InterfaceMethod<[{The form that `operand` has to have so that the result is
                      `form`; nothing if it has no part in that, or if none
                      would do. Used to make values split where they are
                      needed split.}],
      "std::optional<::hetero::Form>", "getOperandForm",
      (ins "::mlir::OpOperand &":$operand, "unsigned":$result,
           "const ::hetero::Form &":$form, "int64_t":$units), "", [{
        return ::hetero::deriveOperandForm(::llvm::cast<::hetero::FormOpInterface>($_op.getOperation())
                .getDimensionMap(),
                                           operand.getOperandNumber(), result,
                                           form);
      }]>
  ];
}

#endif // HETERO_ANALYSIS_FORMINTERFACE_TD
