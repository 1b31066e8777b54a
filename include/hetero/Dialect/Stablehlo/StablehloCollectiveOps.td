//===- StablehloCollectiveOps.td - Between devices ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops through which the processes that run a program exchange data. Processes
// are numbered by replica and partition; `replica_groups` lists those that
// take part together, and `channel_handle` with `use_global_device_ids` says
// whether its numbers count replicas, partitions or both.
//
// None of them is free of side effects: every process of a group has to take
// part, used or not.

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOCOLLECTIVEOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOCOLLECTIVEOPS_TD

include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

def StableHLO_OptionalChannel : OptionalAttr<StableHLO_ChannelHandle>;
def StableHLO_DimensionAttr : ConfinedAttr<I64Attr, [IntNonNegative]>;
def StableHLO_ScalarUI32Tensor : StableHLO_ScalarTensorOf<[UI32]>;

/// An op with `replica_groups`, whose mesh may be a symbol.
class StableHLO_GroupedOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic,
        traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

//===----------------------------------------------------------------------===//
// Where am I
//===----------------------------------------------------------------------===//

def StableHLO_PartitionIdOp : StableHLO_Op<"partition_id", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Number of this process's partition";
  let description = [{
    ```mlir
    %p = stablehlo.partition_id : tensor<ui32>
    ```
  }];
  let results = (outs StableHLO_ScalarUI32Tensor);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def StableHLO_ReplicaIdOp : StableHLO_Op<"replica_id", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Number of this process's replica";
  let description = [{
    ```mlir
    %r = stablehlo.replica_id : tensor<ui32>
    ```
  }];
  let results = (outs StableHLO_ScalarUI32Tensor);
  let assemblyFormat = "attr-dict `:` type(results)";
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

def StableHLO_AllGatherOp : StableHLO_GroupedOp<"all_gather"> {
  let summary = "Concatenates the operands of a group";
  let description = [{
    Every process of a group gets the concatenation of their operands along
    `all_gather_dim`, in the order of the group.

    Constraints:
    * (all_gather_c1) `all_gather_dim` is a dimension of every operand.
    * (all_gather_c2) the members of `replica_groups` are distinct.
    * (all_gather_c4) the members of `replica_groups` are 0 up to their number.
    * (all_gather_c5) with `use_global_device_ids`, the channel is not negative.
    * (all_gather_c6) operand and result agree except along `all_gather_dim`,
      where the result's size is a multiple of the operand's.
    * (all_gather_i3) `replica_groups` has rank 2, and is not empty with
      `use_global_device_ids`.

    ```mlir
    %r = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
      : (tensor<2x4xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$operands,
      StableHLO_DimensionAttr:$all_gather_dim,
      StableHLO_ReplicaGroupsAttr:$replica_groups,
      StableHLO_OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
  let hasVerifier = 1;
}

def StableHLO_AllReduceOp : StableHLO_GroupedOp<"all_reduce", [
    SingleBlockImplicitTerminator<"ReturnOp">, StableHLO_InferredTypes]> {
  let summary = "Reduces the operands of a group";
  let description = [{
    Every process of a group gets the elementwise reduction of their operands by
    `computation`, in an order that is not specified.

    Constraints:
    * (all_reduce_c1) the members of `replica_groups` are distinct.
    * (all_reduce_c3) the members of `replica_groups` are 0 up to their number;
      -1 fills up the rows of smaller groups.
    * (all_reduce_c4) with `use_global_device_ids`, the channel is positive.
    * (all_reduce_c5) `computation` maps two scalars of the operand's element
      type, or of one that it can be promoted to, to another.
    * (all_reduce_c6) operands and results have the same shapes.
    * (all_reduce_c7) the results have the element type of `computation`.
    * (all_reduce_i2) `replica_groups` has rank 2, and is not empty with
      `use_global_device_ids`.

    ```mlir
    %r = "stablehlo.all_reduce"(%x) <{
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$operands,
      StableHLO_ReplicaGroupsAttr:$replica_groups,
      StableHLO_OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
  let hasVerifier = 1;
}

def StableHLO_CollectiveReduceOp : StableHLO_GroupedOp<"collective_reduce", [
    SingleBlockImplicitTerminator<"ReturnOp">, StableHLO_InferredTypes]> {
  let summary = "Reduces the operands of a group to its first process";
  let description = [{
    The first process of a group gets the elementwise reduction of their
    operands by `computation`, in an order that is not specified; the others get
    zeros.

    Constraints:
    * (collective_reduce_c1) the members of `replica_groups` are distinct.
    * (collective_reduce_c3) the members of `replica_groups` are 0 up to their
      number; -1 fills up the rows of smaller groups.
    * (collective_reduce_c4) with `use_global_device_ids`, the channel is
      positive.
    * (collective_reduce_c5) `computation` maps two scalars of the operand's
      element type, or of one that it can be promoted to, to another.
    * (collective_reduce_c6) operands and results have the same shapes.
    * (collective_reduce_c7) the results have the element type of `computation`.
    * (collective_reduce_i2) `replica_groups` has rank 2, and is not empty with
      `use_global_device_ids`.

    ```mlir
    %r = "stablehlo.collective_reduce"(%x) <{
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$operands,
      StableHLO_ReplicaGroupsAttr:$replica_groups,
      StableHLO_OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
  let hasVerifier = 1;
}

def StableHLO_ReduceScatterOp : StableHLO_GroupedOp<"reduce_scatter", [
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Reduces the operands of a group and hands out the parts";
  let description = [{
    Reduces the operands of a group by `computation`, splits the outcome along
    `scatter_dimension`, and gives each process the part at its place in the
    group.

    Constraints:
    * (reduce_scatter_c2) `scatter_dimension` is a dimension of the operand.
    * (reduce_scatter_c3) the members of `replica_groups` are distinct.
    * (reduce_scatter_c5) the members of `replica_groups` are 0 up to their
      number.
    * (reduce_scatter_c6) with `use_global_device_ids`, the channel is positive.
    * (reduce_scatter_c7) `computation` maps two scalars of the operand's
      element type, or of one that it can be promoted to, to another.
    * (reduce_scatter_c8) operand and result agree except along
      `scatter_dimension`, where the operand's size is a multiple of the
      result's and neither is zero.
    * (reduce_scatter_c9) the result has the element type of `computation`.
    * (reduce_scatter_i3) `replica_groups` has rank 2, and is not empty with
      `use_global_device_ids`.

    ```mlir
    %r = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
      StableHLO_DimensionAttr:$scatter_dimension,
      StableHLO_ReplicaGroupsAttr:$replica_groups,
      StableHLO_OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_TensorPerTensor);
  let hasVerifier = 1;
}

def StableHLO_AllToAllOp : StableHLO_GroupedOp<"all_to_all", [
    StableHLO_InferredTypes]> {
  let summary = "Every process sends a part to every other";
  let description = [{
    Each process splits its operand into `split_count` parts along
    `split_dimension`, sends the i-th to the i-th process of its group, and
    concatenates what it gets along `concat_dimension`.

    Constraints:
    * (all_to_all_c1) `split_dimension` is a dimension of every operand.
    * (all_to_all_c2) `split_count` divides the size of that dimension.
    * (all_to_all_c3) `concat_dimension` is a dimension of every operand.
    * (all_to_all_c4) `split_count` is positive.
    * (all_to_all_c5) the members of `replica_groups` are distinct.
    * (all_to_all_c7) the members of `replica_groups` are 0 up to their number.
    * (all_to_all_c8) every group has `split_count` members.
    * (all_to_all_c9) the results have the operands' types but for the split and
      the concatenated dimension.
    * (all_to_all_i5) `replica_groups` has rank 2.

    ```mlir
    %r = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64,
      concat_dimension = 0 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
      : (tensor<2x4xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$operands,
      StableHLO_DimensionAttr:$split_dimension,
      StableHLO_DimensionAttr:$concat_dimension,
      ConfinedAttr<I64Attr, [IntPositive]>:$split_count,
      StableHLO_ReplicaGroupsAttr:$replica_groups,
      StableHLO_OptionalChannel:$channel_handle);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
}

def StableHLO_CollectiveBroadcastOp : StableHLO_GroupedOp<"collective_broadcast", [
    StableHLO_CompatibleOperandsAndResultType]> {
  let summary = "The first process of a group sends to the others";
  let description = [{
    Every process of a group gets the operand of its first one; processes
    outside all groups get zeros.

    Constraints:
    * (collective_broadcast_c1) the members of `replica_groups` are distinct.
    * (collective_broadcast_c2) the members of `replica_groups` are not
      negative.
    * (collective_broadcast_c3) operand and result have compatible types.
    * (collective_broadcast_i2) `replica_groups` has rank 2.

    ```mlir
    %r = "stablehlo.collective_broadcast"(%x) <{
      replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}>
      : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
      StableHLO_ReplicaGroupsAttr:$replica_groups,
      StableHLO_OptionalChannel:$channel_handle);
  let results = (outs StableHLO_TensorPerTensor);
  let hasVerifier = 1;
}

def StableHLO_CollectivePermuteOp : StableHLO_Op<"collective_permute", [
    StableHLO_CompatibleOperandsAndResultType]> {
  let summary = "Processes send to one another in pairs";
  let description = [{
    The target of each pair gets the operand of its source; a process that is no
    target gets zeros.

    Constraints:
    * (collective_permute_c1) the shape of `source_target_pairs` is [N, 2].
    * (collective_permute_c2) the sources are distinct.
    * (collective_permute_c3) the targets are distinct.
    * (collective_permute_c4) sources and targets are not negative.
    * (collective_permute_c5) operand and result have compatible types.
    * (collective_permute_i2) `source_target_pairs` has rank 2.

    ```mlir
    %r = "stablehlo.collective_permute"(%x) <{
      source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>
      : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
      I64ElementsAttr:$source_target_pairs,
      StableHLO_OptionalChannel:$channel_handle);
  let results = (outs StableHLO_TensorPerTensor);
  let hasVerifier = 1;
}

def StableHLO_CrossReplicaSumOp : StableHLO_Op<"cross-replica-sum", [
    StableHLO_CompatibleOperandsAndResultType]> {
  let summary = "Sums the operands of a group";
  let description = [{
    The `all_reduce` whose computation is `add`.

    ```mlir
    %r = "stablehlo.cross-replica-sum"(%x) <{
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
      : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       I64ElementsAttr:$replica_groups);
  let results = (outs StableHLO_TensorPerTensor);
}

//===----------------------------------------------------------------------===//
// Pairs of processes, or process and host
//===----------------------------------------------------------------------===//

def StableHLO_SendOp : StableHLO_TokenOp<"send"> {
  let summary = "Sends to a channel";
  let description = [{
    Sends `inputs` to the channel: to another process, or to the host if
    `is_host_transfer`. The token orders the transfer.

    Constraints:
    * (send_c1_i3) the type of the channel is 2 (device to host) if
      `is_host_transfer`, otherwise 1 (device to device).

    `source_target_pairs` says which processes send to which; it is not checked.

    ```mlir
    %t = "stablehlo.send"(%x, %token) <{
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>,
      is_host_transfer = true}>
      : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    ```
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
      StableHLO_Token:$token, StableHLO_ChannelHandle:$channel_handle,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
      OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHLO_Token);
  let hasVerifier = 1;
}

def StableHLO_RecvOp : StableHLO_Op<"recv"> {
  let summary = "Receives from a channel";
  let description = [{
    Receives from the channel: from another process, or from the host if
    `is_host_transfer`. The last result is a token.

    Constraints:
    * (recv_c1_i3) the type of the channel is 3 (host to device) if
      `is_host_transfer`, otherwise 1 (device to device).
    * (recv_c2) there is at least one result.
    * (recv_c3) all results but the last are tensors.
    * (recv_c4) the last result is a token.

    `source_target_pairs` says which processes send to which; it is not checked.

    ```mlir
    %x, %t = "stablehlo.recv"(%token) <{
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>,
      is_host_transfer = true}>
      : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    ```
  }];
  let arguments = (ins StableHLO_Token:$token,
      StableHLO_ChannelHandle:$channel_handle,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
      OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<AnyTypeOf<[
      StableHLO_StaticTensor, StableHLO_Token]>>);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Start and wait
//===----------------------------------------------------------------------===//

def StableHLO_AsyncStartOp : StableHLO_Op<"async_start", [
    IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">,
    StableHLO_InferredTypes]> {
  let summary = "Starts an operation without waiting for it";
  let description = [{
    Starts the one operation in the body and returns a future of its results.

    Constraints:
    * (async_start_c1) the body holds one collective or slice and a return of
      one value.
    * (async_start_c2) the arguments of the body have the operands' types.
    * (async_start_c3) the result is a future of what the body returns.

    ```mlir
    %f = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<4xf32>):
      %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
        : (tensor<4xf32>) -> tensor<8xf32>
      stablehlo.return %r : tensor<8xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHLO_Future);
}

def StableHLO_AsyncDoneOp : StableHLO_Op<"async_done", [
    StableHLO_InferredTypes]> {
  let summary = "Waits for an operation that was started";
  let description = [{
    Constraints:
    * (async_done_c1) the future holds one value, of the type of the result.

    ```mlir
    %r = "stablehlo.async_done"(%f)
      : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins StableHLO_Future:$operand);
  let results = (outs StableHLO_TensorPerTensor);
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOCOLLECTIVEOPS_TD
