//===- StablehloTypes.td - Types of StableHLO --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOTYPES_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "hetero/Dialect/Stablehlo/StablehloBase.td"

def StableHLO_TokenType : TypeDef<Stablehlo_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "Orders operations with side effects";
  let description = [{
    A value without contents. An operation that takes a token happens after the
    operation that made it.

    ```mlir
    %t = stablehlo.create_token : !stablehlo.token
    ```
  }];
}

def StableHLO_FutureType : TypeDef<Stablehlo_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "The results of an operation that has been started";
  let description = [{
    What `stablehlo.async_start` returns and `stablehlo.async_done` waits for.

    ```mlir
    !stablehlo.future<tensor<4xf32>, tensor<i32>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOTYPES_TD
