//===- SdyCollectives.td - Collectives of the sdy dialect --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective changes the sharding of a tensor and not its (global) type.
// Included by SdyOps.td.

#ifndef HETERO_DIALECT_SDY_SDYCOLLECTIVES_TD
#define HETERO_DIALECT_SDY_SDYCOLLECTIVES_TD

include "hetero/Dialect/Sdy/SdyInterfaces.td"

class Sdy_Collective<string mnemonic, list<string> overrides = []>
    : Sdy_Op<mnemonic, [
        SameOperandsAndResultType,
        DeclareOpInterfaceMethods<Sdy_CollectiveOpInterface, overrides>]> {
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

def Sdy_AllGatherOp : Sdy_Collective<"all_gather"> {
  let summary = "Removes axes from dimensions by gathering";
  let description = [{
    ```mlir
    // %0 has sharding <@mesh, [{"a", "b"}, {"c"} ]>
    %1 = sdy.all_gather [{"b"}, {} ] %0
           out_sharding=<@mesh, [{"a"}, {"c"} ]> : tensor<8x8xf32>
    ```

    Constraints:
    - (gather_c1) there is a list of axes for each dimension;
    - (gather_c2) each list is the minor end of the operand's axes of the
      dimension;
    - (gather_c3) `out_sharding` has the axes that are left.
  }];
  let arguments = (ins AnyType:$tensor, Sdy_ListOfAxisRefLists:$gathering_axes,
      Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $gathering_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
}

def Sdy_AllSliceOp : Sdy_Collective<"all_slice",
    ["allowMissingInputSharding"]> {
  let summary = "Adds axes to dimensions by keeping each device's part";
  let description = [{
    ```mlir
    // %0 has sharding <@mesh, [{"a"}, {"c"} ]>
    %1 = sdy.all_slice [{"b"}, {} ] %0
           out_sharding=<@mesh, [{"a", "b"}, {"c"} ]> : tensor<8x8xf32>
    ```

    Constraints:
    - (slice_c1) there is a list of axes for each dimension;
    - (slice_c2) `out_sharding` has the operand's axes followed by these.
  }];
  let arguments = (ins AnyType:$tensor, Sdy_ListOfAxisRefLists:$slicing_axes,
      Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $slicing_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
}

def Sdy_AllToAllOp : Sdy_Collective<"all_to_all"> {
  let summary = "Moves axes from dimensions to others";
  let description = [{
    ```mlir
    // %0 has sharding <@mesh, [{"a", "b"}, {} ]>
    %1 = sdy.all_to_all [{"b"}: 0->1] %0
           out_sharding=<@mesh, [{"a"}, {"b"} ]> : tensor<8x8xf32>
    ```

    Constraints:
    - (all_to_all_c1) there is at least one move;
    - (all_to_all_c2) dimensions are in range;
    - (all_to_all_c3) no dimension occurs twice;
    - (all_to_all_c4) source dimensions increase;
    - (all_to_all_c5) the axes of a move are the minor end of the operand's
      axes of the source dimension;
    - (all_to_all_c6) `out_sharding` has the axes after all moves.
  }];
  let arguments = (ins AnyType:$tensor, Sdy_AllToAllParamList:$params,
      Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $params $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
}

def Sdy_CollectivePermuteOp : Sdy_Collective<"collective_permute",
    ["allowDifferentMeshes"]> {
  let summary = "Replaces axes by others of the same size";
  let description = [{
    Each device sends its part to another one; the parts stay of the same size.

    ```mlir
    // %0 has sharding <@mesh, [{"a"}, {"b"} ]>, "a" and "b" of the same size
    %1 = sdy.collective_permute %0
           out_sharding=<@mesh, [{"b"}, {"a"} ]> : tensor<8x8xf32>
    ```

    Constraints:
    - (permute_c1) both meshes have the same axes;
    - (permute_c2) different meshes have different device ids;
    - (permute_c3) each dimension is split into as many parts as before.
  }];
  let arguments = (ins AnyType:$tensor, Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_AllReduceOp : Sdy_Collective<"all_reduce",
    ["allowMissingInputSharding"]> {
  let summary = "Sums over axes";
  let description = [{
    ```mlir
    // %0 has sharding <@mesh, [{"a"} ], unreduced={"b"}>
    %1 = sdy.all_reduce {"b"} %0 out_sharding=<@mesh, [{"a"} ]> : tensor<8xf32>
    ```

    Constraints:
    - (all_reduce_c1) operand and result have the same axes in each dimension
      and, if there are any, refer to the mesh alike;
    - (all_reduce_c2) no reduction axis overlaps an axis that splits the
      operand or that is replicated in it;
    - (all_reduce_c3) nor an unreduced axis of the result;
    - (all_reduce_c4) reduction axes are in the order of the mesh.
  }];
  let arguments = (ins AnyType:$tensor, Sdy_AxisRefList:$reduction_axes,
      Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $reduction_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
}

def Sdy_ReduceScatterOp : Sdy_Collective<"reduce_scatter",
    ["allowMissingInputSharding"]> {
  let summary = "Sums over axes and adds them to dimensions";
  let description = [{
    ```mlir
    // %0 has sharding <@mesh, [{"a"} ], unreduced={"b"}>
    %1 = sdy.reduce_scatter [{"b"} ] %0
           out_sharding=<@mesh, [{"a", "b"} ]> : tensor<8xf32>
    ```

    Constraints:
    - (reduce_scatter_c1) there is a list of axes for each dimension;
    - (reduce_scatter_c2) `out_sharding` has the operand's axes followed by
      these.
  }];
  let arguments = (ins AnyType:$tensor,
      Sdy_ListOfAxisRefLists:$reduce_scatter_axes,
      Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $reduce_scatter_axes $tensor `out_sharding` `` `=` `` $out_sharding
    attr-dict `:` type($result)
  }];
}

def Sdy_ShardedToUnreducedOp : Sdy_Collective<"sharded_to_unreduced"> {
  let summary = "Turns axes that split dimensions into unreduced ones";
  let description = [{
    Each device fills what it does not hold with zeros, so that the whole
    tensor is the sum over the axes.

    ```mlir
    // %0 has sharding <@mesh, [{"a", "b"} ]>
    %1 = sdy.sharded_to_unreduced [{"b"} ] %0
           out_sharding=<@mesh, [{"a"} ], unreduced={"b"}> : tensor<8xf32>
    ```

    Constraints:
    - (to_unreduced_c1) there is a list of axes for each dimension;
    - (to_unreduced_c2) each list is the minor end of the operand's axes of the
      dimension;
    - (to_unreduced_c3) `out_sharding` has the axes that are left;
    - (to_unreduced_c4) its unreduced axes are the operand's and these.
  }];
  let arguments = (ins AnyType:$tensor, Sdy_ListOfAxisRefLists:$axes,
      Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
}

def Sdy_ReplicatedToUnreducedOp : Sdy_Collective<"replicated_to_unreduced"> {
  let summary = "Turns axes that hold copies into unreduced ones";
  let description = [{
    One device along the axes keeps its copy, the others hold zeros.

    ```mlir
    // %0 has sharding <@mesh, [{"a"} ]>
    %1 = sdy.replicated_to_unreduced {"b"} %0
           out_sharding=<@mesh, [{"a"} ], unreduced={"b"}> : tensor<8xf32>
    ```

    Constraints:
    - (replicated_to_unreduced_c1) operand and result have equal dimension
      shardings;
    - (replicated_to_unreduced_c2) no axis of the list is in use in the
      operand, except as replicated;
    - (replicated_to_unreduced_c3) the unreduced axes of `out_sharding` are
      the operand's and these;
    - (replicated_to_unreduced_c4) there is at least one axis;
    - (replicated_to_unreduced_c5) the axes are in the order of the mesh.
  }];
  let arguments = (ins AnyType:$tensor, Sdy_AxisRefList:$axes,
      Sdy_TensorSharding:$out_sharding);
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
}

#endif // HETERO_DIALECT_SDY_SDYCOLLECTIVES_TD
