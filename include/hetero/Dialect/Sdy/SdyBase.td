//===- SdyBase.td - The sdy dialect ------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_SDY_SDYBASE_TD
#define HETERO_DIALECT_SDY_SDYBASE_TD

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::mlir::sdy";
  let summary = "Shardings by named mesh axes, as JAX writes them";
  let description = [{
    JAX states how the user wants tensors to be distributed in Shardy's `sdy`
    dialect: a *mesh* is a grid of devices with named axes, and a *sharding*
    says for each dimension of a tensor along which axes it is split. This
    dialect declares the same operations and attributes, in the same text and
    bytecode, so that a step is read and written back without loss. Shardings
    are constraints for the planner: nothing here propagates or partitions.

    ```mlir
    sdy.mesh @mesh = <["data"=4, "model"=2]>
    func.func @f(%x: tensor<64x32xf32>
                   {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {} ]>})
        -> tensor<64x32xf32> {
      %0 = sdy.sharding_constraint %x <@mesh, [{"data"}, {"model", ?} ]>
             : tensor<64x32xf32>
      return %0 : tensor<64x32xf32>
    }
    ```

    Discardable attributes that the dialect verifies:
    - `sdy.sharding` on an argument or result of a `func.func`: a
      `#sdy.sharding` for its type;
    - `sdy.sharding` on any other operation: a `#sdy.sharding_per_value` with
      one sharding for each result;
    - `sdy.sharding_rule` on an operation: a `#sdy.op_sharding_rule`;
    - `sdy.propagation_edges`: a `#sdy.propagation_edges`;
      `sdy.result_propagation_edges` and `sdy.block_arg_propagation_edges`: an
      array of them.
  }];

  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;

  let extraClassDeclaration = [{
  private:
    void registerAttributes();
    void addBytecodeInterface();

  public:
  }];
}

#endif // HETERO_DIALECT_SDY_SDYBASE_TD
