//===- StablehloShapeOps.td - Moving data ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that rearrange, cut, repeat and join elements without computing any, with
// shapes that are known when the program is compiled.

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOSHAPEOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOSHAPEOPS_TD

include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

/// All dimensions are static, or all but one, which has a bound: the shapes
/// that a compiler can lay out in advance.
def StableHLO_StaticOrSingleBoundedTensor : Type<
    And<[StableHLO_Tensor.predicate,
         CPred<"::mlir::stablehlo::isStaticOrSingleBounded($_self)">]>,
    "statically shaped or single bounded dimension tensor of " #
    "float, bool, integer, complex or quantized values",
    "::mlir::RankedTensorType">;

/// One element, of any type.
def StableHLO_ScalarTensor : StableHLO_ScalarTensorOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex,
     StableHLO_PerTensorQuantized]>;

def StableHLO_I32Tensor : StableHLO_TensorOf<[I32]>;

//===----------------------------------------------------------------------===//
// Another shape for the same elements
//===----------------------------------------------------------------------===//

def StableHLO_ReshapeOp : StableHLO_Op<"reshape", [Pure]> {
  let summary = "Another shape for the same elements";
  let description = [{
    The result has the elements of the operand in the same row-major order.

    Constraints:
    * (reshape_c1) operand and result have the same element type.
    * (reshape_c2) operand and result have the same number of elements.
    * (reshape_c3) with per-axis quantization, the quantized dimensions of
      operand and result have the same size, and so have the products of the
      dimensions before them and after them.

    ```mlir
    %r = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_StaticOrSingleBoundedTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert", [Pure]> {
  let summary = "The bits of each element as another type";
  let description = [{
    Reads the bits of the elements as those of another element type. When the
    widths differ, one wide element stands for a whole innermost dimension of
    narrow ones.

    Constraints:
    * (bitcast_convert_c1) the shapes agree when the element types are equally
      wide (only as many dimensions as both have are compared); otherwise the side with the narrow elements has one more dimension,
      the last, of size wide / narrow.
    * (bitcast_convert_c2) both element types are complex or neither is.

    ```mlir
    %r = stablehlo.bitcast_convert %x : (tensor<2xf64>) -> tensor<2x4xf16>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_TransposeOp : StableHLO_Op<"transpose", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Permutes dimensions";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand.

    Constraints:
    * (transpose_c1) operand and result have the same element type.
    * (transpose_c2) `permutation` is a permutation of the operand's dimensions.
    * (transpose_c3) `shape(result)[i] = shape(operand)[permutation[i]]`.
    * (transpose_c4) with per-axis quantization, `permutation` takes the
      result's quantized dimension to that of the operand.

    ```mlir
    %r = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand,
                       DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_ReverseOp : StableHLO_Op<"reverse", [
    Pure, StableHLO_CompatibleOperandsAndResultType]> {
  let summary = "Turns dimensions around";
  let description = [{
    Reverses the order of the elements along each of the given dimensions.

    Constraints:
    * (reverse_c1) operand and result have compatible types.
    * (reverse_c2) no dimension is listed twice.
    * (reverse_c3) each one listed is a dimension of the operand.

    ```mlir
    %r = stablehlo.reverse %x, dims = [1] : tensor<3x2xi32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
      custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

def StableHLO_BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim", [Pure]> {
  let summary = "Repeats along new dimensions and those of size 1";
  let description = [{
    Dimension i of the operand becomes dimension `broadcast_dimensions[i]` of
    the result; the elements repeat along all others, and along those that grow
    from size 1.

    Constraints:
    * (broadcast_in_dim_c1) operand and result have the same element type.
    * (broadcast_in_dim_c2) `broadcast_dimensions` has one entry for each
      dimension of the operand.
    * (broadcast_in_dim_c3) its entries are dimensions of the result.
    * (broadcast_in_dim_c4) no dimension is listed twice.
    * (broadcast_in_dim_c5) a dimension of the operand has size 1 or the size of
      the dimension that it becomes.
    * (broadcast_in_dim_c6) with per-axis quantization, the quantized dimension
      of the operand becomes that of the result, and if it has size 1 all scales
      of the result are the operand's.

    ```mlir
    %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand,
                       DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_StaticOrSingleBoundedTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_BroadcastOp : StableHLO_Op<"broadcast", [
    Pure, SameOperandsAndResultElementType, StableHLO_InferredTypes]> {
  let summary = "Repeats along new leading dimensions";
  let description = [{
    The older form of broadcast_in_dim: adds dimensions of the given sizes in
    front.

    Constraints:
    * (broadcast_c1) operand and result have the same element type.
    * (broadcast_c2) no size is negative.
    * (broadcast_c3) `shape(result) = broadcast_sizes + shape(operand)`.

    ```mlir
    %r = stablehlo.broadcast %x, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:`
      functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Cutting and joining
//===----------------------------------------------------------------------===//

def StableHLO_SliceOp : StableHLO_Op<"slice", [
    Pure, SameOperandsAndResultElementType, StableHLO_InferredTypes]> {
  let summary = "Cuts out a box, with strides";
  let description = [{
    Takes, in each dimension, the elements from `start` up to and without
    `limit`, every `stride`-th one. Written `[start:limit]`, or
    `[start:limit:stride]` for a stride other than 1.

    Constraints:
    * (slice_c1) operand and result have the same element type.
    * (slice_c2) starts, limits and strides have one entry for each dimension.
    * (slice_c3) `0 <= start <= limit <= size` in each dimension.
    * (slice_c4) strides are positive.
    * (slice_c5) `shape(result) = ceil((limit - start) / stride)`.

    ```mlir
    %r = stablehlo.slice %x [1:3, 0:8:2] : (tensor<3x8xi64>) -> tensor<2x4xi64>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_DynamicSliceOp : StableHLO_Op<"dynamic_slice", [
    Pure, AllElementTypesMatch<["operand", "result"]>,
    StableHLO_InferredTypes]> {
  let summary = "Cuts out a box at a place computed at run time";
  let description = [{
    Cuts out a box of the given sizes. The start indices are first moved so that
    the box lies within the operand.

    Constraints:
    * (dynamic_slice_c1) operand and result have the same element type.
    * (dynamic_slice_c2) there is one start index and one size for each
      dimension.
    * (dynamic_slice_c3) the start indices have one type.
    * (dynamic_slice_c4) `0 <= slice_sizes <= shape(operand)`.
    * (dynamic_slice_c5) `shape(result) = slice_sizes`.

    ```mlir
    %r = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2]
        : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       Variadic<StableHLO_ScalarIntTensor>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsBeforeAttribute>($start_indices)
      `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_DynamicUpdateSliceOp : StableHLO_Op<"dynamic_update_slice", [
    Pure, AllElementTypesMatch<["operand", "update", "result"]>,
    StableHLO_InferredTypes]> {
  let summary = "Replaces a box at a place computed at run time";
  let description = [{
    The operand with `update` written over the box at the start indices, which
    are first moved so that the box lies within the operand.

    Constraints:
    * (dynamic_update_slice_c1) operand and result have compatible types.
    * (dynamic_update_slice_c2) update and operand have the same element type.
    * (dynamic_update_slice_c3) update and operand have the same rank.
    * (dynamic_update_slice_c4) there is one start index for each dimension.
    * (dynamic_update_slice_c5) the start indices have one type.
    * (dynamic_update_slice_c6) `0 <= shape(update) <= shape(operand)`.

    ```mlir
    %r = stablehlo.dynamic_update_slice %x, %u, %i, %j
        : (tensor<4x4xi32>, tensor<2x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       StableHLO_TensorPerTensor:$update,
                       Variadic<StableHLO_ScalarIntTensor>:$start_indices);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def StableHLO_ConcatenateOp : StableHLO_Op<"concatenate", [
    Pure, SameOperandsAndResultElementType, StableHLO_InferredTypes]> {
  let summary = "Joins tensors along a dimension";
  let description = [{
    Lays the inputs one after the other along a dimension.

    Constraints:
    * (concatenate_c1) the inputs have the same element type.
    * (concatenate_c2) the inputs have the same shape but for `dimension`.
    * (concatenate_c3) there is at least one input.
    * (concatenate_c4) `dimension` is a dimension of the inputs.
    * (concatenate_c5) the result has the element type of the inputs.
    * (concatenate_c6) the result has the shape of the inputs, with their sizes
      in `dimension` added up.

    ```mlir
    %r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$inputs,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    custom<OperandsBeforeAttribute>($inputs) `dim` `=` $dimension attr-dict `:`
      functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_PadOp : StableHLO_Op<"pad", [
    Pure, SameOperandsAndResultElementType, StableHLO_InferredTypes]> {
  let summary = "Adds elements at the edges and in between";
  let description = [{
    Adds copies of the padding value before, after and between the elements of
    each dimension. A negative number at an edge removes elements instead, those
    between the elements included.

    Constraints:
    * (pad_c1) operand, padding value and result have the same element type.
    * (pad_c2) the three lists have one entry for each dimension.
    * (pad_c3) interior padding is not negative.
    * (pad_c4) the size of each dimension of the result is
      `low + size + max(size - 1, 0) * interior + high`, and not negative.

    ```mlir
    %r = stablehlo.pad %x, %v, low = [0, 1], high = [2, 1], interior = [1, 2]
        : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       StableHLO_ScalarTensor:$padding_value,
                       DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high,
                       DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,`
      `high` `=` $edge_padding_high `,` `interior` `=` $interior_padding
      attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

def StableHLO_GatherOp : StableHLO_Op<"gather", [
    Pure, AllElementTypesMatch<["operand", "result"]>,
    StableHLO_InferredTypes]> {
  let summary = "Collects slices at a list of places";
  let description = [{
    Cuts, for each index vector in `start_indices`, a slice of `slice_sizes` out
    of the operand, and arranges the slices as `dimension_numbers` says: the
    batch dimensions of the result run over the index vectors, its offset
    dimensions over a slice. An index that would put a slice outside the operand
    is moved until the slice fits.

    Constraints (names as in `#stablehlo.gather`):
    * (gather_c1) offset, collapsed and operand batching dimensions together are
      as many as the operand has.
    * (gather_c2) `0 <= index_vector_dim <= rank(start_indices)`.
    * (gather_c3) `start_index_map` is as long as an index vector: the size of
      `index_vector_dim`, or 1 if that is the rank of `start_indices`.
    * (gather_c4) `offset_dims` is sorted without repetitions.
    * (gather_c5) `offset_dims` are dimensions of the result.
    * (gather_c6) collapsed and operand batching dimensions are distinct.
    * (gather_c7) `collapsed_slice_dims` is sorted.
    * (gather_c8) `collapsed_slice_dims` are dimensions of the operand.
    * (gather_c9) slices have size 1 or 0 in collapsed dimensions.
    * (gather_c10) `operand_batching_dims` is sorted.
    * (gather_c11) `operand_batching_dims` are dimensions of the operand.
    * (gather_c12) slices have size 1 or 0 in operand batching dimensions.
    * (gather_c13) `start_indices_batching_dims` has no repetitions.
    * (gather_c14) `start_indices_batching_dims` are dimensions of
      `start_indices`.
    * (gather_c15) `index_vector_dim` is not among them.
    * (gather_c16) there are as many as `operand_batching_dims`.
    * (gather_c17) and they have the same sizes, one by one.
    * (gather_c18) `start_index_map` and operand batching dimensions are
      distinct.
    * (gather_c19) `start_index_map` names dimensions of the operand.
    * (gather_c20) `slice_sizes` has one entry for each dimension of the operand.
    * (gather_c21) `0 <= slice_sizes <= shape(operand)`.
    * (gather_c22) the shape of the result is that of `start_indices` without
      `index_vector_dim`, with the sizes of a slice (without collapsed and
      batching dimensions) inserted at `offset_dims`.
    * (gather_c23) operand and result have the same element type.

    ```mlir
    %rows = "stablehlo.gather"(%table, %ids) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
                                            start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 64>
    }> : (tensor<1000x64xf32>, tensor<8x1xi32>) -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
      StableHLO_IntTensor:$start_indices,
      StableHLO_GatherDimensionNumbers:$dimension_numbers,
      DenseI64ArrayAttr:$slice_sizes,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let hasFolder = 1;
}

def StableHLO_TorchIndexSelectOp : StableHLO_Op<"torch_index_select", [Pure]> {
  let summary = "Collects slices along one dimension";
  let description = [{
    An older op: replaces dimension `dim` of the operand by the dimensions of
    `index` from `batch_dims` on, each slice being the one that the index names.

    ```mlir
    %r = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 0 : i64}>
        : (tensor<8x128xf32>, tensor<3xi32>) -> tensor<3x128xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       StableHLO_TensorPerTensor:$index,
                       I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs StableHLO_TensorPerTensor:$result);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

def StableHLO_GetDimensionSizeOp : StableHLO_Op<"get_dimension_size", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "The size of a dimension";
  let description = [{
    The number of elements along a dimension, as known at run time.

    Constraints:
    * (get_dimension_size_c1) `dimension` is a dimension of the operand.

    ```mlir
    %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_I32Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:`
      functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def StableHLO_SetDimensionSizeOp : StableHLO_Op<"set_dimension_size", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Cuts a dimension to a size known at run time";
  let description = [{
    The operand with only the first `size` slices along a dimension, which then
    is dynamic, with the former size as its bound.

    Constraints:
    * (set_dimension_size_c1) `dimension` is a dimension of the operand.
    * (set_dimension_size_c2) `size` has rank 0.
    * (set_dimension_size_c3) the result has the shape of the operand but for
      `dimension`.

    ```mlir
    %r = stablehlo.set_dimension_size %x, %n, dim = 0
        : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       StableHLO_I32Tensor:$size,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:`
      functional-type(operands, results)
  }];
  let hasFolder = 1;
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOSHAPEOPS_TD
