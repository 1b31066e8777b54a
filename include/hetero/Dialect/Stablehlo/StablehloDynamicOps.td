//===- StablehloDynamicOps.td - Shapes of run time ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of StablehloShapeOps.td whose sizes are operands instead of
// attributes. With constant operands they become their static counterparts.

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLODYNAMICOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLODYNAMICOPS_TD

include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

class StableHLO_Static1DTensorOf<list<Type> elements> : Type<
    And<[StaticShapeTensorOf<elements>.predicate, HasAnyRankOfPred<[1]>]>,
    "statically shaped 1-dimensional tensor of " #
    AnyTypeOf<elements>.summary # " values",
    "::mlir::RankedTensorType">;

/// A shape, or one number for each dimension, of a known number of dimensions.
def StableHLO_StaticDimensionTensor
    : StableHLO_Static1DTensorOf<[Index, StableHLO_Int]>;
def StableHLO_StaticIntVector : StableHLO_Static1DTensorOf<[StableHLO_Int]>;

/// The value that fills the gaps of a pad.
def StableHLO_PaddingValue : StableHLO_ScalarTensorOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex,
     StableHLO_PerTensorQuantized]>;

def StableHLO_DynamicBroadcastInDimOp
    : StableHLO_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let summary = "broadcast_in_dim to a shape of run time";
  let description = [{
    Like broadcast_in_dim, with the shape of the result as an operand. Operand
    dimensions that are known to grow from size 1, or known not to, can be
    listed.

    Constraints:
    * (dynamic_broadcast_in_dim_c1) operand and result have the same element
      type.
    * (dynamic_broadcast_in_dim_c2) `broadcast_dimensions` has one entry for
      each dimension of the operand.
    * (dynamic_broadcast_in_dim_c3) its entries are dimensions of the result.
    * (dynamic_broadcast_in_dim_c4) no dimension is listed twice.
    * (dynamic_broadcast_in_dim_c5) a dimension of the operand has size 1 or the
      size of the dimension that it becomes.
    * (dynamic_broadcast_in_dim_c6) with per-axis quantization, the quantized
      dimension of the operand becomes that of the result, and if it has size 1
      all scales of the result are the operand's.
    * (dynamic_broadcast_in_dim_c7) `output_dimensions` has one element for each
      dimension of the result. This is checked when it is a constant.
    * (dynamic_broadcast_in_dim_c8) no dimension is listed twice among the
      known expanding and known nonexpanding ones.
    * (dynamic_broadcast_in_dim_c9) the known expanding dimensions are
      dimensions of the operand.
    * (dynamic_broadcast_in_dim_c10) the known nonexpanding dimensions are
      dimensions of the operand.

    ```mlir
    %r = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1]
        : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand,
      StableHLO_StaticDimensionTensor:$output_dimensions,
      DenseI64ArrayAttr:$broadcast_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_DynamicGatherOp : StableHLO_Op<"dynamic_gather", [
    Pure, AllElementTypesMatch<["operand", "result"]>,
    StableHLO_InferredTypes]> {
  let summary = "gather of slices with sizes of run time";
  let description = [{
    Like gather, with the sizes of a slice as an operand. The constraints are
    those of gather under the labels dynamic_gather_c1 to dynamic_gather_c23;
    what they say of slice sizes is up to run time, but for their number.

    ```mlir
    %rows = "stablehlo.dynamic_gather"(%table, %ids, %sizes) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
                                            start_index_map = [0], index_vector_dim = 1>
    }> : (tensor<1000x64xf32>, tensor<8x1xi32>, tensor<2xi32>) -> tensor<8x?xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
      StableHLO_IntTensor:$start_indices,
      StableHLO_StaticIntVector:$slice_sizes,
      StableHLO_GatherDimensionNumbers:$dimension_numbers,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let hasCanonicalizeMethod = 1;
}

def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota", [Pure]> {
  let summary = "iota of a shape of run time";
  let description = [{
    Each element is its own index along `iota_dimension`; the shape is an
    operand.

    Constraints:
    * (dynamic_iota_c1) `iota_dimension` is a dimension of the result.
    * (dynamic_iota_c2) `output_shape` has one element for each dimension of the
      result. This is checked when it is a constant.

    ```mlir
    %r = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
    ```
  }];
  let arguments = (ins StableHLO_StaticDimensionTensor:$output_shape,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad", [
    Pure, AllElementTypesMatch<["operand", "padding_value", "result"]>,
    AllRanksMatch<["operand", "result"]>,
    AllTypesMatch<["edge_padding_low", "edge_padding_high",
                   "interior_padding"]>]> {
  let summary = "pad by amounts of run time";
  let description = [{
    Like pad, with the amounts as operands.

    Constraints:
    * (dynamic_pad_c1) operand, padding value and result have the same element
      type.
    * (dynamic_pad_c2) the amounts have one element for each dimension of the
      operand.
    * (dynamic_pad_c3) interior padding is not negative, as far as it is known.
    * (dynamic_pad_c4) operand and result have the same rank, and the sizes of
      the result are those of pad, as far as they are known.

    ```mlir
    %r = stablehlo.dynamic_pad %x, %v, %low, %high, %interior
        : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
      StableHLO_PaddingValue:$padding_value,
      StableHLO_StaticDimensionTensor:$edge_padding_low,
      StableHLO_StaticDimensionTensor:$edge_padding_high,
      StableHLO_StaticDimensionTensor:$interior_padding);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape", [Pure]> {
  let summary = "reshape to a shape of run time";
  let description = [{
    Like reshape, with the shape of the result as an operand.

    Constraints:
    * (dynamic_reshape_c1) operand and result have the same element type.
    * (dynamic_reshape_c2) operand and result have the same number of elements,
      as far as it is known.
    * (dynamic_reshape_c3) with per-axis quantization, the constraint of
      reshape.
    * (dynamic_reshape_c4) `output_shape` has one element for each dimension of
      the result.

    ```mlir
    %r = stablehlo.dynamic_reshape %x, %shape : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins StableHLO_Tensor:$operand,
                       StableHLO_StaticDimensionTensor:$output_shape);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def StableHLO_RealDynamicSliceOp : StableHLO_Op<"real_dynamic_slice", [
    Pure, AllElementTypesMatch<["operand", "result"]>,
    AllTypesMatch<["start_indices", "limit_indices", "strides"]>]> {
  let summary = "slice with bounds of run time";
  let description = [{
    Like slice, with starts, limits and strides as operands.

    Constraints:
    * (real_dynamic_slice_c1) operand and result have the same element type.
    * (real_dynamic_slice_c2) starts, limits and strides have the same type.
    * (real_dynamic_slice_c3) they have one element for each dimension.

    ```mlir
    %r = stablehlo.real_dynamic_slice %x, %starts, %limits, %strides
        : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       StableHLO_DimensionTensor:$start_indices,
                       StableHLO_DimensionTensor:$limit_indices,
                       StableHLO_DimensionTensor:$strides);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLODYNAMICOPS_TD
