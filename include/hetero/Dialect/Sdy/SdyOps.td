//===- SdyOps.td - Operations of the sdy dialect -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives are in SdyCollectives.td. As to labels and to blanks in examples
// see SdyAttrs.td.

#ifndef HETERO_DIALECT_SDY_SDYOPS_TD
#define HETERO_DIALECT_SDY_SDYOPS_TD

include "hetero/Dialect/Sdy/SdyAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Meshes and constraints
//===----------------------------------------------------------------------===//

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "Names a mesh";
  let description = [{
    ```mlir
    sdy.mesh @mesh = <["data"=4, "model"=2]>
    ```

    Constraints:
    - (mesh_op_c1) it stands directly in a module.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

def Sdy_ShardingConstraintOp : Sdy_Op<"sharding_constraint",
    [SameOperandsAndResultType]> {
  let summary = "The sharding that the user wants at this point";
  let description = [{
    The result is the input. The uses of the result are to see the tensor with
    this sharding; without uses, the input itself is meant. It is not pure, so
    that a constraint whose result is unused is kept.

    ```mlir
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {?} ]> : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "A change of sharding that a propagation decided on";
  let description = [{
    ```mlir
    %1 = sdy.reshard %0 <@mesh, [{}, {"model"} ]> : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group",
    [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Puts a tensor in a group that is sharded alike";
  let description = [{
    ```mlir
    sdy.sharding_group %0 group_id=1 : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = [{
    $input `group_id` `` `=` `` $group_id attr-dict `:` type($input)
  }];
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "Ends the body of an sdy operation";
  let description = [{
    ```mlir
    sdy.return %0, %1 : tensor<8xf32>, tensor<8xf32>
    ```

    Constraints:
    - (return_c1) where it ends a function, the values have the function's
      result types.
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ValueRange());">];
  let hasVerifier = 1;
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation",
    [IsolatedFromAbove, RecursiveMemoryEffects,
     SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A program of one device, such as the body of a shard_map";
  let description = [{
    Along the manual axes the body is what each device does with its own part
    of the operands: its arguments and results have the local shapes, and
    communication in it is explicit. Other axes are free: along them the body
    is still about whole tensors, and may have shardings of its own.

    ```mlir
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"data"} ]>]
           out_shardings=[<@mesh, [{"data"} ]>] manual_axes={"data"}
           (%arg1: tensor<2xf32>) {
      sdy.return %arg1 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```

    Constraints, besides those on the shardings of operands and results:
    - (manual_c1) no manual axis is one of an enclosing manual computation;
    - (manual_c2) the body has an argument for each operand and returns a value
      for each result;
    - (manual_c3) within a dimension manual axes come before free ones;
    - (manual_c4) the manual axes of a dimension divide its size;
    - (manual_c5) arguments and returned values have the type of one device's
      part;
    - (manual_c6) with manual axes, all shardings are bound to equal meshes,
      empty ones aside;
    - (manual_c7) and that mesh has the manual axes.
  }];
  let arguments = (ins Variadic<AnyType>:$tensors,
      Sdy_TensorShardingPerValue:$in_shardings,
      Sdy_TensorShardingPerValue:$out_shardings,
      Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<ShardingList>($in_shardings)
    `out_shardings` `` `=` `` custom<ShardingList>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<BodyWithArguments>($body) attr-dict
    `:` functional-type(operands, results)
  }];
  let hasRegionVerifier = 1;
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
     SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A group of operations with a name";
  let description = [{
    Stands for a call of a function whose body is copied in.

    ```mlir
    %1 = sdy.named_computation<"layer">(%0) (%arg1: tensor<8xf32>) {
      sdy.return %arg1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```

    Constraints, besides those on the shardings of operands and results:
    - (named_c1) the body's arguments have the types of the operands;
    - (named_c2) the returned values have the types of the results.
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
      OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
      OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<ShardingList>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<ShardingList>($out_shardings)^)?
    custom<BodyWithArguments>($body) attr-dict
    `:` functional-type($operands, results)
  }];
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Helpers of a propagation
//===----------------------------------------------------------------------===//

def Sdy_ConstantOp : Sdy_Op<"constant",
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "A constant that folders leave alone";
  let description = [{
    Not constant-like, so that copies of it, each sharded for its own uses, are
    not folded into one.

    ```mlir
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    ```

    Constraints:
    - (constant_c1) the result has the shape and element type of the value.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange l,
                                        ::mlir::TypeRange r);
  }];
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge",
    [SameOperandsAndResultType]> {
  let summary = "Carries one sharding for all values that an edge connects";
  let description = [{
    Put on a result (or block argument) of an operation with regions, in place
    of its other uses: operands, arguments, terminator operands and results
    that are the same variable share this sharding.

    ```mlir
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"data"} ]> : tensor<8xf32>
    ```

    Constraints:
    - (edge_c1) the shape is static;
    - (edge_c2) nothing else uses the input;
    - (edge_c3) the input is not the result of an sdy operation, except of a
      computation.
  }];
  let arguments = (ins AnyShaped:$input,
      OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge",
    [SameOperandsAndResultType]> {
  let summary = "Marks a value that crosses the boundary of a function";
  let description = [{
    ```mlir
    %1 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
    ```

    Constraints:
    - (func_edge_c1) the shape is static;
    - (func_edge_c2) nothing else uses the operand;
    - (func_edge_c3) the operand is an argument of a function or the result of
      a call.
  }];
  let arguments = (ins AnyShaped:$operand);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier",
    [Pure, SameOperandsAndResultType]> {
  let summary = "Lets shardings pass in one direction, or not at all";
  let description = [{
    ```mlir
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8xf32>
    ```

    Constraints:
    - (barrier_c1) the direction is not `BOTH`.
  }];
  let arguments = (ins AnyRankedTensor:$input,
      Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict
    `:` type($input)
  }];
  let hasVerifier = 1;
}

include "hetero/Dialect/Sdy/SdyCollectives.td"

#endif // HETERO_DIALECT_SDY_SDYOPS_TD
