//===- SdyAttrs.td - Attributes of the sdy dialect ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint carries a label; the negative test of the same label is in
// test/Dialect/Sdy. Examples have a blank before a closing bracket that follows
// a brace, because tablegen would end the description there; it is optional.

#ifndef HETERO_DIALECT_SDY_SDYATTRS_TD
#define HETERO_DIALECT_SDY_SDYATTRS_TD

include "hetero/Dialect/Sdy/SdyBase.td"
include "hetero/Dialect/Sdy/SdyEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Sdy_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Sdy_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "One axis of a mesh: a name and a number of devices";
  let description = [{
    ```mlir
    #sdy<mesh_axis"data"=4>
    ```

    Constraints:
    - (mesh_axis_c1) the size is at least 1.
  }];
  let parameters = (ins StringRefParameter<"name of the axis">:$name,
      AttrOrTypeParameter<"int64_t", "devices along the axis">:$size);
  let assemblyFormat = "`` $name `` `=` `` $size";
  let genVerifyDecl = 1;
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "A grid of devices with named axes";
  let description = [{
    The axes are ordered from major to minor. Device ids say which device
    stands at each place of the grid in row-major order; without them device
    `i` stands at place `i`, and a list that says just that is dropped.

    A mesh with no axes and one device id is *maximal*: what is bound to it
    lives on that device alone. A mesh with neither is *empty*: a placeholder
    that fits any other mesh.

    ```mlir
    #sdy.mesh<["data"=4, "model"=2]>
    #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
    #sdy.mesh<[], device_ids=[3]>   // maximal
    #sdy.mesh<[]>                   // empty
    ```

    Constraints:
    - (mesh_c1) no two axes have the same name;
    - (mesh_c2) no device id is negative;
    - (mesh_c3) without axes there is at most one device id;
    - (mesh_c4) with axes, device ids are as many as the product of the sizes;
    - (mesh_c5) with axes, the device ids are a permutation of `0 .. n-1`.
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
      OptionalArrayRefParameter<"int64_t", "device at each place">:$device_ids);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($axes^ `]`)?
    (`,` `device_ids` `` `=` `` `[` $device_ids^ `]`)? `>`
  }];
  let genVerifyDecl = 1;

  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<MeshAxisAttr>":$axes,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$device_ids), [{
      return $_get($_ctxt, axes,
                   isDefaultDeviceOrder(axes, device_ids)
                       ? ::llvm::ArrayRef<int64_t>()
                       : device_ids);
    }]>
  ];

  let extraClassDeclaration = [{
    /// True when there are neither axes nor device ids.
    bool empty() const { return getAxes().empty() && getDeviceIds().empty(); }
    /// True when this stands for a single device.
    bool isMaximal() const {
      return getAxes().empty() && getDeviceIds().size() == 1;
    }
    /// The position of an axis, from major to minor, if the mesh has it.
    std::optional<size_t> getAxisIndex(::llvm::StringRef name) const;
    /// The size of an axis, if the mesh has it.
    std::optional<int64_t> getAxisSize(::llvm::StringRef name) const;
    bool hasAxis(::llvm::StringRef name) const {
      return getAxisIndex(name).has_value();
    }
    /// True when `deviceIds` only repeats the order that a mesh with these
    /// axes has without device ids.
    static bool isDefaultDeviceOrder(::llvm::ArrayRef<MeshAxisAttr> axes,
                                     ::llvm::ArrayRef<int64_t> deviceIds);
  }];
}

//===----------------------------------------------------------------------===//
// References to axes
//===----------------------------------------------------------------------===//

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "Which factor of an axis a sub-axis is";
  let description = [{
    An axis of size `p * k * q` is a grid `p x k x q`; the sub-axis `(p)k` is
    the middle factor: `k` devices, below `p` groups.

    ```mlir
    #sdy<sub_axis_info(2)4>
    ```

    Constraints, against the axis that it is a part of:
    - (sub_axis_c1) the pre-size is at least 1;
    - (sub_axis_c2) the size is greater than 1;
    - (sub_axis_c3) pre-size times size divides the size of the axis;
    - (sub_axis_c4) the size is not that of the whole axis;
    - (sub_axis_c5) it overlaps no other reference to the axis in the same
      sharding, neither a sub-axis nor the whole.
  }];
  let parameters = (ins
      AttrOrTypeParameter<"int64_t", "product of the factors above">:$pre_size,
      AttrOrTypeParameter<"int64_t", "devices along the sub-axis">:$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";

  let extraClassDeclaration = [{
    /// The pre-size of the sub-axis that follows directly; the largest integer
    /// if it does not fit.
    int64_t getNextPreSize() const;
  }];
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "A whole axis of a mesh, or a factor of one";
  let description = [{
    ```mlir
    #sdy<axis_ref"model">
    #sdy<axis_ref"model":(2)4>
    ```

    Constraints, for the references in one list and against its mesh:
    - (axes_c1) the mesh has an axis of that name;
    - (axes_c2) no reference occurs twice;
    - (axes_c3) a sub-axis is not followed by the sub-axis that it could be
      merged with.
  }];
  let parameters = (ins StringRefParameter<"name of the axis">:$name,
      OptionalParameter<"SubAxisInfoAttr", "factor">:$sub_axis_info);
  let assemblyFormat = "`` $name (`` `:` `` $sub_axis_info^)?";

  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name), [{
      return $_get($_ctxt, name, SubAxisInfoAttr());
    }]>,
    AttrBuilder<(ins "::llvm::StringRef":$name, "int64_t":$pre_size,
                     "int64_t":$size), [{
      return $_get($_ctxt, name, SubAxisInfoAttr::get($_ctxt, pre_size, size));
    }]>
  ];

  let extraClassDeclaration = [{
    /// The reference as it is written inside a list: `"x":(1)2`.
    std::string toString() const;
    /// Devices along this reference; 0 when `mesh` lacks the axis.
    int64_t getSize(MeshAttr mesh) const;
    /// 1 for a whole axis.
    int64_t getSubAxisPreSize() const;
    /// Pre-size of what follows: for a whole axis its size.
    int64_t getNextPreSizeOrFullSize(MeshAttr mesh) const;
    /// True when `other` is this or a factor of this.
    bool contains(AxisRefAttr other) const;
    /// True when the two have a device grouping in common.
    bool overlaps(AxisRefAttr other) const;
    /// True when this is the minor end of `other`, or all of it.
    bool suffixOf(AxisRefAttr other, MeshAttr mesh) const;
    /// True when this and `other` are sub-axes and `other` follows directly.
    bool canMerge(AxisRefAttr other) const;
    /// This and `other` as one reference; `canMerge(other)` must hold.
    AxisRefAttr merge(AxisRefAttr other, MeshAttr mesh) const;
    /// What is left of this, if anything, once its minor end `suffix` is
    /// removed.
    std::optional<AxisRefAttr> withoutSuffix(AxisRefAttr suffix) const;
  }];
}

def Sdy_AxisRefs : OptionalArrayRefParameter<"AxisRefAttr", "axis references">;

def Sdy_AxisRefList : ArrayOfAttr<Sdy_Dialect, "AxisRefList", "axis_ref_list",
                                  "AxisRefAttr"> {
  let summary = "Axis references from major to minor";
  let description = [{
    ```mlir
    #sdy<axis_ref_list{"data", "model":(1)2}>
    ```
  }];
  let assemblyFormat = "`{` (`}`) : ($value^ `` `}`)?";
}

def Sdy_ListOfAxisRefLists : ArrayOfAttr<Sdy_Dialect, "ListOfAxisRefLists",
                                         "list_of_axis_ref_lists",
                                         "AxisRefListAttr"> {
  let summary = "A list of axis references for each dimension of a tensor";
  let description = [{
    ```mlir
    #sdy<list_of_axis_ref_lists[{"data"}, {} ]>
    ```
  }];
}

def Sdy_ManualAxes : ArrayOfAttr<Sdy_Dialect, "ManualAxes", "manual_axes",
                                 "StringAttr"> {
  let summary = "Axes along which the body of a computation is per device";
  let description = [{
    Whole axes only.

    ```mlir
    #sdy<manual_axes{"data", "model"}>
    ```
  }];
  let assemblyFormat = "`{` (`}`) : ($value^ `` `}`)?";
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding",
                                     "dimension_sharding"> {
  let summary = "How one dimension of a tensor is split";
  let description = [{
    The axes split the dimension from major to minor. A question mark leaves
    it *open*: a propagation may split it further. A priority, which is not
    negative, orders user shardings that compete for an axis; 0 is the most
    urgent, and what an absent priority means.

    ```mlir
    #sdy<dimension_sharding{"data", "model":(1)2}>
    #sdy<dimension_sharding{"data", ?}p1>
    ```

    Constraints:
    - (dim_sharding_c1) a dimension with a priority has an axis or is open.
  }];
  let parameters = (ins Sdy_AxisRefs:$axes,
      AttrOrTypeParameter<"bool", "nothing may be added">:$is_closed,
      OptionalParameter<"std::optional<int64_t>", "urgency">:$priority);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<AxisRefAttr>":$axes,
                     "bool":$is_closed), [{
      return $_get($_ctxt, axes, is_closed, std::optional<int64_t>());
    }]>
  ];
  let hasCustomAssemblyFormat = 1;

  let extraClassDeclaration = [{
    bool emptyAxes() const { return getAxes().empty(); }
    /// The number of parts: the product of the axis sizes, or the largest
    /// integer if it does not fit. 0 when `mesh` lacks one of the axes.
    int64_t getShardedSize(MeshAttr mesh) const;
  }];
}

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "How a tensor is distributed over a mesh";
  let description = [{
    Bound to a mesh, by symbol or inline. Axes that split no dimension hold
    copies of the tensor; `replicated` lists those that must stay so, and
    `unreduced` those over which each device holds one term of a sum.

    ```mlir
    #sdy.sharding<@mesh, [{"data"}, {"model", ?} ]>
    #sdy.sharding<@mesh, [{} ], replicated={"data"}, unreduced={"model"}>
    #sdy.sharding<mesh<["x"=2]>, [{"x"} ]>
    ```

    Constraints, besides those on dimensions, axes and sub-axes:
    - (sharding_c1) a mesh given by symbol is an `sdy.mesh` of the nearest
      enclosing module;
    - (sharding_c2) on a maximal mesh there are no dimensions and no
      replicated or unreduced axes, whatever the type;
    - (sharding_c3) a tuple type has one element, and stands for it;
    - (sharding_c4) for a type without a shape there are no dimensions and no
      replicated or unreduced axes;
    - (sharding_c5) a shaped type has a rank;
    - (sharding_c6) dimensions are as many as the rank;
    - (sharding_c7) the replicated axes are in the order of the mesh;
    - (sharding_c8) the unreduced axes are in the order of the mesh;
    - (sharding_c9) inside an `sdy.manual_computation` none of its manual axes
      is referred to.
  }];
  let parameters = (ins
      AttrParameter<"::mlir::Attribute",
                    "a mesh or the symbol of one">:$mesh_or_ref,
      OptionalArrayRefParameter<"DimensionShardingAttr">:$dim_shardings,
      Sdy_AxisRefs:$replicated_axes, Sdy_AxisRefs:$unreduced_axes);
  let assemblyFormat = [{
    `<` custom<MeshOrRef>($mesh_or_ref) `,` `[` (`]`) : ($dim_shardings^ `]`)?
    `` custom<NamedAxisLists>($replicated_axes, $unreduced_axes) `>`
  }];

  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimShardings().size(); }
    DimensionShardingAttr getDimSharding(int64_t dim) const {
      return getDimShardings()[dim];
    }
    /// True when no dimension is split.
    bool isFullyReplicated() const;
    /// The mesh; null when it is given by a symbol that the nearest module
    /// around `op` (not counting `op`) does not define as a mesh.
    MeshAttr getMesh(::mlir::Operation *op) const;
    /// The symbol of the mesh; null when it is inline.
    ::mlir::FlatSymbolRefAttr getMeshSymName() const;
    /// Calls `callback` on all axes of the dimensions, then on the replicated
    /// and the unreduced ones.
    void forEachAxisRef(
        ::llvm::function_ref<void(AxisRefAttr)> callback) const;
    /// All dimensions empty, and closed or open.
    static TensorShardingAttr getFullyReplicated(::mlir::MLIRContext *context,
                                                 int64_t rank,
                                                 ::mlir::Attribute meshOrRef,
                                                 bool isClosed);
  }];
}

def Sdy_TensorShardingPerValue : Sdy_Attr<"TensorShardingPerValue",
                                          "sharding_per_value"> {
  let summary = "A sharding for each operand or result of an operation";
  let description = [{
    ```mlir
    #sdy.sharding_per_value<[<@mesh, [{"data"} ]>, <@mesh, [{} ]>]>
    ```

    Constraints:
    - (per_value_c1) shardings are as many as values; only an operation with
      no values may have one, that splits nothing.
  }];
  let parameters = (ins
      OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
  let assemblyFormat = "`<` `[` (`]`) : ($shardings^ `]`)? `>`";

  let extraClassDeclaration = [{
    bool empty() const { return getShardings().empty(); }
    int64_t size() const { return getShardings().size(); }
    TensorShardingAttr getSharding(int64_t index) const {
      return getShardings()[index];
    }
  }];
}

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "The factors of which a dimension is the product";
  let description = [{
    Factors are written `i`, `j`, .. `z`, `z_1`, `z_2` and so on, one after the
    other, from major to minor.

    ```mlir
    #sdy<dim_mapping ij>
    ```
  }];
  let parameters = (ins
      OptionalArrayRefParameter<"int64_t", "factor indices">:$factor_indices);
  let hasCustomAssemblyFormat = 1;
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "The factors of each dimension of a tensor";
  let description = [{
    ```mlir
    #sdy<tensor_mapping[i, jk]>
    ```
  }];
  let parameters = (ins
      OptionalArrayRefParameter<"DimMappingAttr">:$dim_mappings);
  let assemblyFormat = "`` `[` (`]`) : ($dim_mappings^ `]`)? ``";

  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimMappings().size(); }
  }];
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "Which dimensions of operands and results correspond";
  let description = [{
    Every dimension is a product of factors; a factor that occurs in several
    tensors is to be split alike in all of them. Factors of a kind:
    `reduction` ones are summed over (a contracted dimension),
    `need_replication` ones cannot be split (a sorted dimension), `permutation`
    ones need neighbours' data when split (a padded dimension); the others pass
    through. Shardings do not propagate along `blocked_propagation` factors. A
    `custom` rule comes from the user and is kept.

    ```mlir
    #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
    ```

    Constraints, on the operation that carries the rule:
    - (rule_c1) there is a mapping for each operand and for each result;
    - (rule_c2) there is at least one operand and one result;
    - (rule_c3) each operand and result has a static shape;
    - (rule_c4) each mapping has the rank of its tensor;
    - (rule_c5) each dimension has a factor;
    - (rule_c6) each factor of a dimension is listed with its size;
    - (rule_c7) no factor occurs twice in the same tensor;
    - (rule_c8) a factor of size 1 is alone in its dimension;
    - (rule_c9) each listed factor occurs in some tensor;
    - (rule_c10) the factors of a kind, and the blocked ones, are listed in
      increasing order without repetition;
    - (rule_c11) and they are listed with their sizes;
    - (rule_c12) no factor is of two kinds;
    - (rule_c13) no result has a reduction factor.
  }];
  let parameters = (ins
      OptionalArrayRefParameter<"int64_t">:$factor_sizes,
      OptionalArrayRefParameter<"TensorMappingAttr">:$operand_mappings,
      OptionalArrayRefParameter<"TensorMappingAttr">:$result_mappings,
      OptionalArrayRefParameter<"int64_t">:$reduction_factors,
      OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
      OptionalArrayRefParameter<"int64_t">:$permutation_factors,
      OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
      DefaultValuedParameter<"bool", "false">:$is_custom_rule);
  let assemblyFormat = [{
    `<` `(` $operand_mappings `)` `` `->` `` `(` $result_mappings `)` ``
    custom<FactorSizes>($factor_sizes) ``
    custom<FactorsOfKind>($reduction_factors, "\"reduction\"") ``
    custom<FactorsOfKind>($need_replication_factors, "\"need_replication\"") ``
    custom<FactorsOfKind>($permutation_factors, "\"permutation\"") ``
    custom<FactorsOfKind>($blocked_propagation_factors,
                          "\"blocked_propagation\"") ``
    custom<IsCustomRule>($is_custom_rule) `>`
  }];

  let extraClassDeclaration = [{
    int64_t getNumFactors() const { return getFactorSizes().size(); }
    bool isCustom() const { return getIsCustomRule(); }
    /// How factor `index` is written.
    static std::string getFactorSymbol(int64_t index);
  }];
}

//===----------------------------------------------------------------------===//
// All-to-all
//===----------------------------------------------------------------------===//

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that move from one dimension to another";
  let description = [{
    ```mlir
    #sdy<all_to_all_param{"data"}: 0->1>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes,
      AttrOrTypeParameter<"int64_t", "dimension they leave">:$src_dim,
      AttrOrTypeParameter<"int64_t", "dimension they join">:$tgt_dim);
  let assemblyFormat = "`` `{` $axes `}` `` `:` $src_dim `` `->` `` $tgt_dim";
}

def Sdy_AllToAllParamList : ArrayOfAttr<Sdy_Dialect, "AllToAllParamList",
                                        "all_to_all_param_list",
                                        "AllToAllParamAttr"> {
  let summary = "All moves of an all-to-all";
  let description = [{
    ```mlir
    #sdy<all_to_all_param_list[{"data"}: 0->1, {"model"}: 2->3]>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Propagation edges
//===----------------------------------------------------------------------===//

def Sdy_EdgeValueRef : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "An operand or a result of the operation";
  let description = [{
    ```mlir
    #sdy<edge_value_ref operand-0>
    ```
  }];
  let parameters = (ins
      EnumParameter<Sdy_EdgeNodeType>:$type,
      AttrOrTypeParameter<"int64_t", "position">:$index);
  let assemblyFormat = "`` $type `` custom<DashedIndex>($index)";
}

def Sdy_AxisToPropagationDetails : Sdy_Attr<"AxisToPropagationDetails",
                                            "axis_to_propagation_details"> {
  let summary = "From which value to which others an axis was propagated";
  let description = [{
    ```mlir
    #sdy<axis_to_propagation_details{"x" = operand-0 -> [result-0]}>
    ```
  }];
  let parameters = (ins
      AttrParameter<"AxisRefAttr", "what was propagated">:$axis_name,
      AttrParameter<"EdgeValueRefAttr", "where it came from">:$source,
      ArrayRefParameter<"EdgeValueRefAttr", "where it went">:$targets);
  let assemblyFormat = [{
    `` `{` $axis_name `=` $source `->` `[` $targets `]` `}`
  }];
}

def Sdy_PropagationOneStep : Sdy_Attr<"PropagationOneStep",
                                      "propagation_one_step"> {
  let summary = "What one step of a propagation did";
  let description = [{
    ```mlir
    #sdy<propagation_one_step{step-0 = [{"x" = operand-0 -> [result-0]} ]}>
    ```
  }];
  let parameters = (ins AttrOrTypeParameter<"int64_t", "step">:$step_index,
      ArrayRefParameter<"AxisToPropagationDetailsAttr">:$axis_entries);
  let assemblyFormat = [{
    `` `{` `step` `` custom<DashedIndex>($step_index) `=`
    `[` $axis_entries `]` `}`
  }];
}

def Sdy_PropagationEdges : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary = "The history of an operation's shardings, for debugging";
  let description = [{
    ```mlir
    #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]} ]} ]>
    ```

    Constraints:
    - (edges_c1) no step index is negative;
    - (edges_c2) no step index occurs twice;
    - (edges_c3) no source is one of its own targets;
    - (edges_c4) no target occurs twice in an entry.

    As `sdy.propagation_edges` of an operation, moreover:
    - (edges_c5) each position is that of an operand or result;
    - (edges_c6) in each entry a source or target has a sharding;
    - (edges_c7) and those that have one are bound to the same mesh;
    - (edges_c8) which has the axis.
  }];
  let parameters = (ins ArrayRefParameter<"PropagationOneStepAttr">:$value);
  let assemblyFormat = "`<` `[` $value `]` `>`";
  let genVerifyDecl = 1;
}

#endif // HETERO_DIALECT_SDY_SDYATTRS_TD
