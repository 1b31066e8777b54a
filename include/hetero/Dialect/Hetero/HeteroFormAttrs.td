//===- HeteroFormAttrs.td - Forms, shardings, placement ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which form an axis (the microbatches of a step, or an axis of a mesh)
// holds a value, and with which exact sizes.

#ifndef HETERO_DIALECT_HETERO_HETEROFORMATTRS_TD
#define HETERO_DIALECT_HETERO_HETEROFORMATTRS_TD

include "hetero/Dialect/Hetero/HeteroEnums.td"

def Hetero_FormAttr : Hetero_Attr<"Form", "form"> {
  let summary = "how the members of one axis hold a value";
  let description = [{
    An axis has N units that its members share; a member is a microbatch or a
    device. On an axis a value is

    - `replicated`: every member has all of it;
    - `split D outer O inner U`: dimension D has length `O * N * U` and its
      middle factor is split, so a member with n units holds `O * n * U`. The
      default of `O` and `U` is 1, a plain split into blocks; others appear
      where a reshape or a concatenation has merged the split dimension with
      its neighbours;
    - `partial sum` (or `max`, `min`, `and`, `or`): the value is the sum of what
      the members have.

    A form does not say how many units each member has: rules on forms hold for
    even and uneven members alike.

    Constraints:
    - (form_c1) The dimension is not negative; `outer` and `inner` are positive.

    ```mlir
    module attributes {example.forms = [#hetero.form<replicated>,
                                        #hetero.form<split 0>,
                                        #hetero.form<split 2 outer 3 inner 64>,
                                        #hetero.form<partial max>]} {}
    ```
  }];
  let parameters = (ins "FormKind":$kind, "int64_t":$dim, "int64_t":$outer,
                        "int64_t":$inner, "ReductionKind":$reduction);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Parameters that the kind does not use are set to their defaults, so that
    // equal forms are equal attributes.
    AttrBuilder<(ins "FormKind":$kind, "int64_t":$dim, "int64_t":$outer,
                     "int64_t":$inner, "ReductionKind":$reduction), [{
      bool split = kind == FormKind::Split;
      return $_get($_ctxt, kind, split ? dim : 0, split ? outer : 1,
                   split ? inner : 1,
                   kind == FormKind::Partial ? reduction : ReductionKind::Sum);
    }]>
  ];
  let extraClassDeclaration = [{
    static FormAttr getReplicated(::mlir::MLIRContext *context);
    static FormAttr getSplit(::mlir::MLIRContext *context, int64_t dim,
                             int64_t outer = 1, int64_t inner = 1);
    bool isReplicated() const { return getKind() == FormKind::Replicated; }
    bool isSplit() const { return getKind() == FormKind::Split; }
    bool isPartial() const { return getKind() == FormKind::Partial; }
  }];
}

def Hetero_FormsAttr : Hetero_Attr<"Forms", "forms"> {
  let summary = "the form of a value on each axis";
  let description = [{
    Attached as `hetero.forms` to arguments and results of a function, and to an
    operation as an array with one entry per result. An axis that is not named
    holds the value replicated. `at level L` says that L completions (partial or
    split values made whole) are on the longest path to the value: the sweep
    over the microbatches that can compute it first.

    Constraints:
    - (forms_c1) Each axis is named at most once.
    - (forms_c2) The level is not negative.
    - (forms_c3) A split dimension exists in the value.

    ```mlir
    func.func @square(
        %x: tensor<8x4xf32> {hetero.forms = #hetero.forms<microbatch = split 0>})
        -> tensor<8x4xf32> {
      %y = arith.mulf %x, %x {
          hetero.forms = [#hetero.forms<microbatch = split 0,
                                        tensor = partial sum at level 1>]}
          : tensor<8x4xf32>
      return %y : tensor<8x4xf32>
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes,
                        ArrayRefParameter<"FormAttr">:$forms,
                        "int64_t":$level);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The form on `axis`; replicated where the axis is not named.
    FormAttr getForm(::llvm::StringRef axis) const;
  }];
}

def Hetero_SplitAttr : Hetero_Attr<"Split", "split"> {
  let summary = "exact sizes of the parts of a split dimension";
  let description = [{
    `D outer O inner U : [n0, n1, ...]` is the split form of `#hetero.form` with
    the number of units of each member in turn: member k holds `O * nk * U` of
    the dimension. Sizes are whole rows, not ratios, and may be 0. Runs may be
    shortened: `[3 x 16, 8]` is `[16, 16, 16, 8]`.

    `D : batch` splits in the shares of the batch that the plan gives to each
    member, microbatch by microbatch, and is only used where the whole batch is
    seen, before the step is cut into microbatches.

    Constraints:
    - (split_c1) The dimension is not negative; `outer` and `inner` are positive.
    - (split_c2) No size is negative, and the length of the dimension fits in 63
      bits.

    ```mlir
    module attributes {example.splits = [
        #hetero.split<0 : [13, 12, 34, 5]>,
        #hetero.split<1 outer 3 inner 64 : [8, 4]>,
        #hetero.split<0 : [96 x 2, 32 x 6]>,
        #hetero.split<0 : batch>]} {}
    ```
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$outer, "int64_t":$inner,
                        ArrayRefParameter<"int64_t">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the sizes are the plan's shares of the batch.
    bool isBatch() const { return getSizes().empty(); }
    /// Length of the whole dimension; only if !isBatch().
    int64_t getLength() const;
    /// Length of the dimension on `member`; only if !isBatch().
    int64_t getLength(int64_t member) const;
    /// The form without the sizes.
    FormAttr getForm() const;
  }];
}

def Hetero_AxisShardingAttr : Hetero_Attr<"AxisSharding", "axis_sharding"> {
  let summary = "how some axes of a mesh hold a value";
  let description = [{
    One entry of `#hetero.sharding`: the value is split over the members of the
    named axes taken together (in row-major order of the axes as they are named
    here), or partial on them. No axes means all axes of the mesh.

    Constraints:
    - (axis_sharding_c1) Each axis is named at most once.

    ```mlir
    module attributes {example.entries = [
        #hetero.axis_sharding<split 0 : [5, 3]>,
        #hetero.axis_sharding<data = split 0 : [5, 3]>,
        #hetero.axis_sharding<(data, tensor) = split 0 : [3, 2, 2, 1]>,
        #hetero.axis_sharding<tensor = partial sum>]} {}
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes,
                        OptionalParameter<"SplitAttr">:$split,
                        "ReductionKind":$reduction);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hetero_ShardingAttr : Hetero_Attr<"Sharding", "sharding"> {
  let summary = "how the devices of a mesh hold a value";
  let description = [{
    The exact layout of a value on a mesh. Axes that are not named hold it
    replicated.

    - As `hetero.sharding` on an operation with one result, or as an array with
      one entry per result, and on arguments and results of a function: the
      layout that the value is computed in.
    - As `hetero.storage` on arguments and results of a function: the layout in
      which state lives between steps. It may differ from the one it is computed
      in, as state goes by free memory and work goes by speed.

    Constraints:
    - (sharding_c1) Each axis is named at most once, and an entry for all axes
      is the only one.
    - (sharding_c2) Each dimension is split by at most one entry.
    - (sharding_c3) The mesh exists and has the named axes.
    - (sharding_c4) The number of sizes is the number of members of the axes.
    - (sharding_c5) A split dimension exists, and `outer * inner * sum of sizes`
      is its length.
    - (sharding_c6) The value is a ranked tensor.
    - (sharding_c7) `and` and `or` are of integers; `sum`, `max` and `min` not of
      booleans, and the last two not of complex numbers.
    - (sharding_c8) An array has one entry per result.

    ```mlir
    hetero.mesh @stage0 = [0, 1, 2, 3]
    hetero.mesh @grid (data = 2, tensor = 2) = [0, 1, 2, 3]
    func.func @layer(
        %w: tensor<64x8xf32> {
          hetero.sharding = #hetero.sharding<@grid, tensor = split 1 : [5, 3]>,
          hetero.storage = #hetero.sharding<@grid, split 0 : [40, 8, 8, 8]>})
        -> tensor<64x8xf32> {
      %y = arith.negf %w {
          hetero.sharding = #hetero.sharding<@stage0, split 0 : [13, 12, 34, 5]>}
          : tensor<64x8xf32>
      return %y : tensor<64x8xf32>
    }
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
                        ArrayRefParameter<"AxisShardingAttr">:$entries);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether every device has the whole value.
    bool isReplicated() const { return getEntries().empty(); }
  }];
}

def Hetero_PlacementAttr : Hetero_Attr<"Placement", "placement"> {
  let summary = "the stage and the mesh that an operation runs on";
  let description = [{
    Attached as `hetero.placement` to operations and arguments. The mesh is that
    of the stage unless another one is named: a part of the stage's devices, for
    an operation that is not worth spreading. `chunk` tells apart the several
    runs of layers that a stage has in an interleaved pipeline.

    Constraints:
    - (placement_c1) Stage and chunk are not negative.
    - (placement_c2) The mesh exists.

    ```mlir
    hetero.mesh @stage0 = [0, 1]
    func.func @layer(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %y = arith.negf %x {
          hetero.placement = #hetero.placement<stage = 0, mesh = @stage0>}
          : tensor<8x4xf32>
      return %y : tensor<8x4xf32>
    }
    ```
  }];
  let parameters = (ins "int64_t":$stage,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$mesh,
                        DefaultValuedParameter<"int64_t", "0">:$chunk);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROFORMATTRS_TD
