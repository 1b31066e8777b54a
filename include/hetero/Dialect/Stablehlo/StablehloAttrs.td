//===- StablehloAttrs.td - Attributes of StableHLO ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOATTRS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "hetero/Dialect/Stablehlo/StablehloEnums.td"

class StableHLO_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// A list of dimensions, written `[0, 2]`.
def StableHLO_Dims : ArrayRefParameter<"int64_t"> {
  let parser = "::mlir::stablehlo::parseDimList($_parser)";
  let printer = "::mlir::stablehlo::printDimList($_printer, $_self)";
}

def StableHLO_ChannelHandle : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "Identifies the two ends of a channel";
  let description = [{
    Pairs sends with receives, and tells collectives apart. `handle` is the
    number of the channel, 0 or less meaning none; `type` says between whom it
    runs (1: devices, 2: device to host, 3: host to device).

    ```mlir
    #stablehlo.channel_handle<handle = 1, type = 0>
    ```
  }];
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_DotDimensionNumbers : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "The dimensions that a dot_general pairs";
  let description = [{
    Batching dimensions are kept and paired, contracting dimensions are paired
    and summed over; all others are free. Empty lists are left out, and the
    members may be written in any order.

    ```mlir
    #stablehlo.dot<lhs_batching_dimensions = [0],
                   rhs_batching_dimensions = [0],
                   lhs_contracting_dimensions = [2],
                   rhs_contracting_dimensions = [1]>
    ```
  }];
  let parameters = (ins StableHLO_Dims:$lhsBatchingDimensions,
                        StableHLO_Dims:$rhsBatchingDimensions,
                        StableHLO_Dims:$lhsContractingDimensions,
                        StableHLO_Dims:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_DotAlgorithm : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "The arithmetic inside a dot_general";
  let description = [{
    The types that operands are rounded to, the type that products are summed
    in, how many components an operand is decomposed into, how many primitive
    dot operations make up the result, and whether low-precision accumulation
    between them is acceptable.

    Constraints:
    * (dot_general_c22) `lhs_component_count` is at least 1.
    * (dot_general_c23) `rhs_component_count` is at least 1.
    * (dot_general_c24) `num_primitive_operations` is at least 1.
    * (dot_general_i8, dot_general_i9, dot_general_i10) the combination is one
      that some hardware has.

    ```mlir
    #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32,
      accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
      num_primitive_operations = 1, allow_imprecise_accumulation = false>
    ```
  }];
  let parameters = (ins "::mlir::Type":$lhsPrecisionType,
                        "::mlir::Type":$rhsPrecisionType,
                        "::mlir::Type":$accumulationType,
                        "int64_t":$lhsComponentCount,
                        "int64_t":$rhsComponentCount,
                        "int64_t":$numPrimitiveOperations,
                        "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,`
        `rhs_precision_type` `=` $rhsPrecisionType `,`
        `accumulation_type` `=` $accumulationType `,`
        `lhs_component_count` `=` $lhsComponentCount `,`
        `rhs_component_count` `=` $rhsComponentCount `,`
        `num_primitive_operations` `=` $numPrimitiveOperations `,`
        `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
  let genVerifyDecl = 1;
}

def StableHLO_GatherDimensionNumbers
    : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "How a gather maps its operands to its result";
  let description = [{
    `offset_dims` are the result dimensions that run over a slice;
    `collapsed_slice_dims` and `operand_batching_dims` are the operand
    dimensions of extent 1 that the slice loses; `start_index_map` says which
    operand dimension each component of a start index addresses;
    `index_vector_dim` is the dimension of the indices that holds the
    components. Empty lists and a zero are left out.

    ```mlir
    #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
                      start_index_map = [0], index_vector_dim = 1>
    ```
  }];
  let parameters = (ins StableHLO_Dims:$offsetDims,
                        StableHLO_Dims:$collapsedSliceDims,
                        StableHLO_Dims:$operandBatchingDims,
                        StableHLO_Dims:$startIndicesBatchingDims,
                        StableHLO_Dims:$startIndexMap,
                        "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ScatterDimensionNumbers
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "How a scatter maps its updates to its result";
  let description = [{
    The mirror image of `#stablehlo.gather`: `update_window_dims` are the
    update dimensions that run over a window, `inserted_window_dims` and
    `input_batching_dims` the input dimensions that the window lacks, and
    `scatter_dims_to_operand_dims` says which input dimension each component of
    an index addresses.

    ```mlir
    #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
                       scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
    ```
  }];
  let parameters = (ins StableHLO_Dims:$updateWindowDims,
                        StableHLO_Dims:$insertedWindowDims,
                        StableHLO_Dims:$inputBatchingDims,
                        StableHLO_Dims:$scatterIndicesBatchingDims,
                        StableHLO_Dims:$scatterDimsToOperandDims,
                        "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ConvDimensionNumbers
    : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "The meaning of each dimension of a convolution";
  let description = [{
    Lists the dimensions of input, kernel and output in order: `b` batch, `f`
    feature, `i` and `o` input and output feature of the kernel, and a number
    for each spatial dimension.

    ```mlir
    #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
    ```

    The `raw` form names every member. It is what is printed when the numbers
    do not describe a permutation, so that a diagnostic can show them.
  }];
  let parameters = (ins "int64_t":$inputBatchDimension,
                        "int64_t":$inputFeatureDimension,
                        StableHLO_Dims:$inputSpatialDimensions,
                        "int64_t":$kernelInputFeatureDimension,
                        "int64_t":$kernelOutputFeatureDimension,
                        StableHLO_Dims:$kernelSpatialDimensions,
                        "int64_t":$outputBatchDimension,
                        "int64_t":$outputFeatureDimension,
                        StableHLO_Dims:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_OutputOperandAlias
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "An operand of a custom call that shares memory with a result";
  let description = [{
    The index lists walk into nested tuples and are empty for values that are
    not tuples.

    ```mlir
    #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
                                    operand_tuple_indices = [1]>
    ```
  }];
  let parameters = (ins StableHLO_Dims:$outputTupleIndices,
                        "int64_t":$operandIndex,
                        StableHLO_Dims:$operandTupleIndices);
  let assemblyFormat = [{
    `<` `output_tuple_indices` `=` $outputTupleIndices `,`
        `operand_index` `=` $operandIndex `,`
        `operand_tuple_indices` `=` $operandTupleIndices `>`
  }];
}

def StableHLO_TypeExtensions : StableHLO_Attr<"TypeExtensions", "bounds", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Upper bounds of dynamic dimensions";
  let description = [{
    The encoding of a tensor type with bounded dynamic dimensions: one bound for
    each dimension, `?` where there is none. Only dynamic dimensions have one.

    ```mlir
    tensor<?x?x4xf32, #stablehlo.bounds<8, ?, ?>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ResultAccuracy : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "The accuracy that is asked of a transcendental function";
  let description = [{
    Absolute and relative tolerance and units in the last place. They are only
    given with the mode TOLERANCE.

    ```mlir
    #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 10,
                               mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
    ```
  }];
  let parameters = (ins "::llvm::APFloat":$atol, "::llvm::APFloat":$rtol,
                        "int64_t":$ulps,
                        StableHLO_ResultAccuracyModeAttr:$mode);
  let constBuilderCall =
      "::mlir::stablehlo::getResultAccuracy($_builder.getContext(), $0)";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Groups of devices by the axes of a mesh
//===----------------------------------------------------------------------===//

def StableHLO_SubAxisInfo : StableHLO_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "A factor of an axis of a mesh";
  let description = [{
    `(pre_size)size`: of an axis that is split from major to minor, the factor
    `size` that follows factors with the product `pre_size`. It is only written
    inside `#stablehlo.axis_ref`.

    ```mlir
    #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
    ```
  }];
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def StableHLO_AxisRef : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis of a mesh, or a factor of one";
  let description = [{
    Names an axis. Without `sub_axis_info` the whole axis is meant.

    ```mlir
    #stablehlo.axis_ref<name = "y", sub_axis_info = (2)4>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
      OptionalParameter<"::mlir::stablehlo::SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_MeshAxis : StableHLO_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh and its number of devices";
  let description = [{
    ```mlir
    #stablehlo.mesh_axis<name = "x", size = 2>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_Mesh : StableHLO_Attr<"Mesh", "mesh"> {
  let summary = "Devices arranged along named axes";
  let description = [{
    The devices are numbered along the axes, the last one fastest, unless
    `device_ids` lists them in that order.

    ```mlir
    #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>],
                    device_ids=dense<[0, 2, 1, 3]> : tensor<4xi64>>
    ```
  }];
  let parameters = (ins
      ArrayRefParameter<"::mlir::stablehlo::MeshAxisAttr">:$axes,
      OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` `[` $axes `]`
    (`,` `device_ids` `` `=` `` $device_ids^)? `>`
  }];
}

def StableHLO_ReplicaGroupMeshAxes
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes", [
        DeclareAttrInterfaceMethods<SymbolUserAttrInterface>]> {
  let summary = "The groups of a collective, by the axes of a mesh";
  let description = [{
    Devices that differ only in their position along `axes` form a group. The
    mesh is written out or is the name of a symbol.

    Constraints:
    * (replica_group_mesh_axes_c1) `mesh` is a `#stablehlo.mesh` or the name of
      a symbol.
    * (replica_group_mesh_axes_c2) with a mesh that is written out, `axes` are
      `#stablehlo.axis_ref`s.
    * (replica_group_mesh_axes_c3) with a mesh that is written out, each of
      `axes` is an axis of it.
    * (replica_group_mesh_axes_c4) a symbol of that name exists.

    ```mlir
    #stablehlo.replica_group_mesh_axes<mesh = @mesh,
      axes = [#stablehlo.axis_ref<name = "x">]>
    ```
  }];
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints on builtin attributes
//===----------------------------------------------------------------------===//

def StableHLO_PrecisionConfigAttr
    : OptionalAttr<TypedArrayAttrBase<StableHLO_PrecisionAttr,
                                      "Precision Config attribute">>;

/// `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`, one group a row, or axes of a
/// mesh.
def StableHLO_ReplicaGroupsAttr : AnyAttrOf<
    [I64ElementsAttr, StableHLO_ReplicaGroupMeshAxes],
    "64-bit signless integer elements attribute or mesh and axes based replica "
    "groups">;

/// `dense<...> : tensor<Nx2xi64>`: low and high padding of each dimension.
/// The exact shape is checked by the ops.
def StableHLO_PaddingAttr : OptionalAttr<I64ElementsAttr>;

/// A permutation of dimensions, minor to major.
def StableHLO_LayoutAttr : Attr<
    And<[IndexElementsAttr.predicate,
         CPred<"::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getType().getRank() == 1">]>,
    "a 1D tensor of index type (layout)"> {
  let storageType = IndexElementsAttr.storageType;
  let returnType = IndexElementsAttr.returnType;
  let convertFromStorage = IndexElementsAttr.convertFromStorage;
}
def StableHLO_ArrayOfLayoutAttr : TypedArrayAttrBase<StableHLO_LayoutAttr,
    "array of layout (1D tensor of index type) attributes">;

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOATTRS_TD
