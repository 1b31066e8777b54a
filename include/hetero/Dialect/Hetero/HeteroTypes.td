//===- HeteroTypes.td - Types of the hetero dialect --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROTYPES_TD
#define HETERO_DIALECT_HETERO_HETEROTYPES_TD

include "hetero/Dialect/Hetero/HeteroBase.td"

class Hetero_Type<string name, string typeMnemonic>
    : TypeDef<Hetero_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Hetero_HandleType : Hetero_Type<"Handle", "handle"> {
  let summary = "a communication or copy under way";
  let description = [{
    What an operation gives that has only been started. `hetero.wait` turns it
    into the value when that has arrived. A handle without a type is of an
    operation that gives no value, as a send.

    Constraints:
    - (handle_c1) The value is a ranked tensor or a `!hetero.host`.

    ```mlir
    func.func private @started(!hetero.handle<tensor<4xf32>>, !hetero.handle)
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::Type">:$value);
  let assemblyFormat = "(`<` $value^ `>`)?";
  let genVerifyDecl = 1;
}

def Hetero_HostType : Hetero_Type<"Host", "host"> {
  let summary = "a tensor in the memory of the host";
  let description = [{
    The copy of a tensor that has been moved out of the device's memory, to make
    room until it is needed again. Only `hetero.copy` makes and takes it.

    Constraints:
    - (host_c1) The value is a ranked tensor.

    ```mlir
    func.func private @parked(!hetero.host<tensor<8x4xf32>>)
    ```
  }];
  let parameters = (ins "::mlir::Type":$value);
  let assemblyFormat = "`<` $value `>`";
  let genVerifyDecl = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROTYPES_TD
