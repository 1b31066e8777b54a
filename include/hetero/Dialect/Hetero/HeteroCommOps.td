//===- HeteroCommOps.td - Communication --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks say to each other, and the little around it that a rank
// program needs.

#ifndef HETERO_DIALECT_HETERO_HETEROCOMMOPS_TD
#define HETERO_DIALECT_HETERO_HETEROCOMMOPS_TD

include "hetero/Dialect/Hetero/HeteroInterfaces.td"
include "hetero/Dialect/Hetero/HeteroOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// What transfers write as far as other operations are concerned: they keep
/// their order among themselves and are never removed or merged.
def Hetero_TransferResource : Resource<"::hetero::TransferResource">;

def Hetero_TensorOrHandle
    : AnyTypeOf<[AnyRankedTensor, Hetero_HandleType], "ranked tensor or handle">;

/// An operation between ranks.
class Hetero_CommOp<string opMnemonic, list<Trait> traits = []>
    : Hetero_Op<opMnemonic, traits # [
        MemoryEffects<[MemWrite<Hetero_TransferResource>]>,
        DeclareOpInterfaceMethods<Hetero_CommunicationOpInterface>]>;

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// A collective of the devices of `mesh` along `axes`. Its operand and the
/// parameters that are its own come first, in the arguments and in the text.
class Hetero_CollectiveOp<string opMnemonic, dag own, string ownFormat,
                          string types = "type($operand) `->` type($result)">
    : Hetero_CommOp<opMnemonic,
                    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = !con(own,
      (ins FlatSymbolRefAttr:$mesh, StrArrayAttr:$axes,
           DefaultValuedAttr<Hetero_AlgorithmAttr, "::hetero::Algorithm::Auto">
               :$algorithm,
           OptionalAttr<I64Attr>:$bucket,
           DefaultValuedAttr<I64Attr, "0">:$channel));
  let results = (outs Hetero_TensorOrHandle:$result);
  let assemblyFormat = !strconcat(ownFormat, [{
    `over` custom<Group>($mesh, $axes)
    oilist(`algorithm` $algorithm | `bucket` $bucket | `channel` $channel)
    attr-dict `:` }], types);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::FlatSymbolRefAttr $cppClass::getGroupMesh() {
      return getMeshAttr();
    }
    ::mlir::ArrayAttr $cppClass::getGroupAxes() { return getAxes(); }
    std::optional<int64_t> $cppClass::getPeerRank() { return std::nullopt; }
    int64_t $cppClass::getChannelNumber() { return getChannel(); }
    ::mlir::ArrayAttr $cppClass::getMatchingKey(int64_t rank, MeshOp mesh) {
      return getCollectiveKey(*this, rank, mesh);
    }
  }];
}

defvar collectiveText = [{

    All devices of the mesh along the axes take part, each in the order of its
    own program. `algorithm` is how it is done, `bucket` joins operations of
    equal number that follow each other into one transfer, `channel` tells apart
    what is under way at the same time. With a `!hetero.handle` as result it is
    only started.

    Constraints of all collectives:
    - (collective_c1) The mesh exists and has the axes, each named once.
    - (collective_c2) Every rank that runs the function is in the mesh.
    - (collective_c3) The result is a ranked tensor or a handle of one.
    - (collective_c4) Channel and bucket are not negative.
    - (collective_c5) There are as many sizes as members, and they are given.
    - (collective_c6) `and` and `or` are of integers; `sum`, `max` and `min` not
      of booleans, and the last two not of complex numbers.
}];

def Hetero_AllGatherOp : Hetero_CollectiveOp<"all_gather",
    (ins AnyRankedTensor:$operand, Hetero_SplitAttr:$split),
    "$operand `split` custom<Split>($split)"> {
  let summary = "puts the parts of a split value together on every member";
  let description = !strconcat([{
    Split to replicated. Member k brings its part of the dimension; every one
    gets the whole.}], collectiveText, [{
    Constraints:
    - (all_gather_c1) Operand and result have the same element type and rank,
      and the split dimension exists.
    - (all_gather_c2) They agree in the other dimensions.
    - (all_gather_c3) The result has the whole dimension.
    - (all_gather_c4) The operand has the part of each rank that runs the
      function (of any member if the ranks are not known).

    ```mlir
    hetero.mesh @stage0 = [4, 5]
    func.func @rank5(%part: tensor<3x8xf32>) -> tensor<8x8xf32>
        attributes {hetero.program = #hetero.program<on [5]>} {
      %all = hetero.all_gather %part split 0 : [5, 3] over @stage0
          algorithm padded : tensor<3x8xf32> -> tensor<8x8xf32>
      return %all : tensor<8x8xf32>
    }
    ```
  }]);
}

def Hetero_ReduceScatterOp : Hetero_CollectiveOp<"reduce_scatter",
    (ins Hetero_ReductionKindAttr:$reduction, AnyRankedTensor:$operand,
         Hetero_SplitAttr:$split),
    "$reduction $operand `split` custom<Split>($split)"> {
  let summary = "combines partial values and leaves each member its part";
  let description = !strconcat([{
    Partial to split. What the members bring is combined; member k gets its part
    of the dimension.}], collectiveText, [{
    Constraints:
    - (reduce_scatter_c1) Operand and result have the same element type and
      rank, and the split dimension exists.
    - (reduce_scatter_c2) They agree in the other dimensions.
    - (reduce_scatter_c3) The operand has the whole dimension.
    - (reduce_scatter_c4) The result has the part of each rank that runs the
      function (of any member if the ranks are not known).

    ```mlir
    hetero.mesh @stage0 = [4, 5]
    func.func @rank4(%partial: tensor<8x8xf32>) -> tensor<5x8xf32>
        attributes {hetero.program = #hetero.program<on [4]>} {
      %part = hetero.reduce_scatter sum %partial split 0 : [5, 3] over @stage0
          : tensor<8x8xf32> -> tensor<5x8xf32>
      return %part : tensor<5x8xf32>
    }
    ```
  }]);
}

def Hetero_AllReduceOp : Hetero_CollectiveOp<"all_reduce",
    (ins Hetero_ReductionKindAttr:$reduction, AnyRankedTensor:$operand),
    "$reduction $operand"> {
  let summary = "combines partial values on every member";
  let description = !strconcat([{
    Partial to replicated.}], collectiveText, [{
    Constraints:
    - (all_reduce_c1) Operand and result have the same type.

    ```mlir
    hetero.mesh @grid (data = 2, tensor = 2) = [0, 1, 2, 3]
    func.func @sum(%a: tensor<8xf32>, %b: tensor<2xf32>)
        -> (tensor<8xf32>, tensor<2xf32>) {
      %0 = hetero.all_reduce sum %a over @grid(data) bucket 1
          : tensor<8xf32> -> !hetero.handle<tensor<8xf32>>
      %1 = hetero.all_reduce sum %b over @grid(data) bucket 1
          : tensor<2xf32> -> !hetero.handle<tensor<2xf32>>
      %2 = hetero.wait %0 : !hetero.handle<tensor<8xf32>>
      %3 = hetero.wait %1 : !hetero.handle<tensor<2xf32>>
      return %2, %3 : tensor<8xf32>, tensor<2xf32>
    }
    ```
  }]);
}

def Hetero_AllToAllOp : Hetero_CollectiveOp<"all_to_all",
    (ins AnyRankedTensor:$operand, Hetero_SplitAttr:$from,
         Hetero_SplitAttr:$to),
    "$operand `split` custom<Split>($from) `to` custom<Split>($to)"> {
  let summary = "changes how a value is split";
  let description = !strconcat([{
    Split to split: from one dimension to another, or to other sizes along the
    same one.}], collectiveText, [{
    Constraints:
    - (all_to_all_c1) Operand and result have the same element type and rank,
      and the split dimensions exist.
    - (all_to_all_c2) They agree in the dimensions that are not split.
    - (all_to_all_c3) The operand is whole in the dimension that becomes split,
      and the result in the one that was.
    - (all_to_all_c4) The operand and the result have the parts of each rank
      that runs the function (of one member if the ranks are not known).
    - (all_to_all_c5) If both splits are of the same dimension, they give it the
      same length.

    ```mlir
    hetero.mesh @stage0 = [0, 1]
    func.func @rank1(%rows: tensor<3x8xf32>) -> tensor<8x4xf32>
        attributes {hetero.program = #hetero.program<on [1]>} {
      %columns = hetero.all_to_all %rows split 0 : [5, 3] to 1 : [4, 4]
          over @stage0 : tensor<3x8xf32> -> tensor<8x4xf32>
      return %columns : tensor<8x4xf32>
    }
    ```
  }]);
}

def Hetero_BroadcastOp : Hetero_CollectiveOp<"broadcast",
    (ins Optional<AnyRankedTensor>:$operand, I64Attr:$root),
    "($operand^)? `from` $root",
    "functional-type($operand, $result)"> {
  let summary = "gives the value of one member to all";
  let description = !strconcat([{
    `from` is the member, by its position in the group, that has the value. The
    others bring nothing.}], collectiveText, [{
    Constraints:
    - (broadcast_c1) The member exists.
    - (broadcast_c2) That member brings the value, and only it (if the ranks are
      known).
    - (broadcast_c3) The value has the type of the result.

    ```mlir
    hetero.mesh @stage0 = [6, 7]
    func.func @rank7(%x: tensor<8xf32>) -> tensor<8xf32>
        attributes {hetero.program = #hetero.program<on [7]>} {
      %y = hetero.broadcast %x from 1 over @stage0
          : (tensor<8xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    func.func @rank6() -> tensor<8xf32>
        attributes {hetero.program = #hetero.program<on [6]>} {
      %y = hetero.broadcast from 1 over @stage0 : () -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```
  }]);
}

def Hetero_ExclusiveScanOp : Hetero_CollectiveOp<"exclusive_scan",
    (ins Hetero_ReductionKindAttr:$reduction, AnyRankedTensor:$operand),
    "$reduction $operand"> {
  let summary = "combines what the members before bring";
  let description = !strconcat([{
    Member k gets the combination of what members 0 to k - 1 bring, member 0 the
    neutral value of the reduction: the carry of a cumulative operation along a
    split dimension.}], collectiveText, [{
    Constraints:
    - (exclusive_scan_c1) Operand and result have the same type.

    ```mlir
    hetero.mesh @stage0 = [0, 1, 2]
    func.func @carry(%total: tensor<8xf32>) -> tensor<8xf32> {
      %before = hetero.exclusive_scan sum %total over @stage0
          : tensor<8xf32> -> tensor<8xf32>
      return %before : tensor<8xf32>
    }
    ```
  }]);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// One end of a message.
class Hetero_MessageOp<string opMnemonic> : Hetero_CommOp<opMnemonic> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::FlatSymbolRefAttr $cppClass::getGroupMesh() { return {}; }
    ::mlir::ArrayAttr $cppClass::getGroupAxes() { return {}; }
    std::optional<int64_t> $cppClass::getPeerRank() { return getPeer(); }
    int64_t $cppClass::getChannelNumber() { return getChannel(); }
  }];
}

def Hetero_SendOp : Hetero_MessageOp<"send"> {
  let summary = "sends a value to another rank";
  let description = [{
    Matches the `hetero.recv` of rank `to` from this rank with the same channel;
    several on one channel match in order. It blocks until the value may be
    overwritten, unless it gives a handle.

    Constraints of sends and receives:
    - (message_c1) The other rank and the channel are not negative.
    - (message_c2) One rank runs the function (if the ranks are known), and it is
      not the other one.
    - (message_c3) If there is a cluster, it has the other rank.

    ```mlir
    func.func @rank0(%x: tensor<8x4xf32>)
        attributes {hetero.program = #hetero.program<on [0]>} {
      hetero.send %x to 1 : tensor<8x4xf32>
      %sent = hetero.send %x to 2 channel 7 : tensor<8x4xf32> -> !hetero.handle
      hetero.wait %sent : !hetero.handle
      return
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, I64Attr:$peer,
                       DefaultValuedAttr<I64Attr, "0">:$channel);
  let results = (outs Optional<Hetero_HandleType>:$handle);
  let assemblyFormat = [{
    $operand `to` $peer (`channel` $channel^)? attr-dict `:` type($operand)
    (`->` type($handle)^)?
  }];
}

def Hetero_RecvOp : Hetero_MessageOp<"recv"> {
  let summary = "receives a value from another rank";
  let description = [{
    Matches a `hetero.send`; constraints are the same.

    - (recv_c1) The result is a ranked tensor or a handle of one.

    ```mlir
    func.func @rank1() -> tensor<8x4xf32>
        attributes {hetero.program = #hetero.program<on [1]>} {
      %x = hetero.recv from 0 : tensor<8x4xf32>
      %coming = hetero.recv from 2 channel 7 : !hetero.handle<tensor<8x4xf32>>
      %y = hetero.wait %coming : !hetero.handle<tensor<8x4xf32>>
      return %y : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$peer,
                       DefaultValuedAttr<I64Attr, "0">:$channel);
  let results = (outs Hetero_TensorOrHandle:$result);
  let assemblyFormat = [{
    `from` $peer (`channel` $channel^)? attr-dict `:` type($result)
  }];
}

def Hetero_WaitOp : Hetero_Op<"wait",
    [MemoryEffects<[MemWrite<Hetero_TransferResource>]>,
     DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "waits for what was started";
  let description = [{
    Ends a communication or copy and gives what the handle holds, if that is
    anything. Each handle is waited for once.

    ```mlir
    func.func @end(%handle: !hetero.handle<tensor<4xf32>>, %sent: !hetero.handle)
        -> tensor<4xf32> {
      %value = hetero.wait %handle : !hetero.handle<tensor<4xf32>>
      hetero.wait %sent : !hetero.handle
      return %value : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Hetero_HandleType:$handle);
  let results = (outs Optional<AnyType>:$value);
  let assemblyFormat = "$handle attr-dict `:` qualified(type($handle))";
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return inferred == actual;
    }
  }];
}

//===----------------------------------------------------------------------===//
// Around communication
//===----------------------------------------------------------------------===//

def Hetero_ReshardOp : Hetero_Op<"reshard",
    [Pure, SameOperandsAndResultType,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "gives a value another sharding";
  let description = [{
    On the whole, not yet partitioned program: the same value, laid out as
    given, possibly on another mesh. Partitioning turns it into the collectives
    or messages that do so. The constraints are those of `#hetero.sharding`.

    ```mlir
    hetero.mesh @stage0 = [0, 1]
    hetero.mesh @stage1 = [2, 3, 4]
    func.func @boundary(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %y = hetero.reshard %x to <@stage1, split 0 : [4, 3, 1]> : tensor<8x4xf32>
      return %y : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, Hetero_ShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `to` $sharding attr-dict `:` type($operand)";
}

def Hetero_OffsetOp : Hetero_Op<"offset",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "where the part of this rank begins";
  let description = [{
    The number of units that the members before this rank's have, along the axes
    of the mesh: what a local index is short of the global one. Random numbers
    and masks made from indices stay those of the whole program with it.

    Constraints:
    - (offset_c1) The result is a tensor of rank 0 of integers.
    - (offset_c2) The mesh exists, has the axes, and has as many members along
      them as there are sizes, none negative.

    ```mlir
    hetero.mesh @stage0 = [0, 1, 2]
    func.func @begin() -> tensor<i32> {
      %offset = hetero.offset [5, 3, 2] over @stage0 : tensor<i32>
      return %offset : tensor<i32>
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes, FlatSymbolRefAttr:$mesh,
                       StrArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    custom<Sizes>($sizes) `over` custom<Group>($mesh, $axes) attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

def Hetero_AccumulateOp : Hetero_Op<"accumulate",
    [Pure, SameOperandsAndResultType]> {
  let summary = "adds a microbatch to what was accumulated";
  let description = [{
    Combines a partial value with those of earlier microbatches: partial to
    replicated over time. The accumulator may be overwritten if nothing else
    uses it. Each use is one contribution, so that a gradient can be proved to
    be complete.

    Constraints:
    - (accumulate_c1) The reduction fits the elements, as in collective_c6.

    ```mlir
    func.func @next(%sum: tensor<4x2xf32>, %gradient: tensor<4x2xf32>)
        -> tensor<4x2xf32> {
      %0 = hetero.accumulate sum %gradient into %sum : tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let arguments = (ins Hetero_ReductionKindAttr:$reduction,
                       AnyRankedTensor:$operand,
                       AnyRankedTensor:$accumulator);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $reduction $operand `into` $accumulator attr-dict `:` type($operand)
  }];
  let hasVerifier = 1;
}

def Hetero_CopyOp : Hetero_Op<"copy",
    [MemoryEffects<[MemWrite<Hetero_TransferResource>]>]> {
  let summary = "moves a value between the memories of device and host";
  let description = [{
    From a tensor to a `!hetero.host` of it, or back. With a handle as result it
    is only started.

    Constraints:
    - (copy_c1) One side is a tensor, the other a `!hetero.host` of that tensor
      (or a handle of it, if it is the result).

    ```mlir
    func.func @park(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %parked = hetero.copy %x : tensor<8x4xf32> -> !hetero.host<tensor<8x4xf32>>
      %coming = hetero.copy %parked
          : !hetero.host<tensor<8x4xf32>> -> !hetero.handle<tensor<8x4xf32>>
      %y = hetero.wait %coming : !hetero.handle<tensor<8x4xf32>>
      return %y : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, Hetero_HostType]>:$operand);
  let results = (outs AnyTypeOf<[AnyRankedTensor, Hetero_HostType,
                                 Hetero_HandleType]>:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROCOMMOPS_TD
