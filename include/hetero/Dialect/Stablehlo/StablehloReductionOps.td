//===- StablehloReductionOps.td - Ops that apply a function to elements ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOREDUCTIONOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOREDUCTIONOPS_TD

include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def StableHLO_ReduceOp : StableHLO_Op<"reduce", [
    RecursiveMemoryEffects, SameVariadicOperandSize,
    SingleBlockImplicitTerminator<"ReturnOp">, StableHLO_InferredTypes]> {
  let summary = "Combines the elements along dimensions";
  let description = [{
    Folds `body` over all elements along `dimensions`, in any order, starting
    from the initial values. With several inputs the body combines all of them
    at once: it takes N accumulated and N new elements and returns N.

    A body that is one commutative op on its two arguments is written by name
    only; the op and its terminator then take the location of the reduction.

    Constraints:
    * (reduce_c1) the inputs have compatible shapes.
    * (reduce_c2) the result element types are those that the body returns.
    * (reduce_c3) there is at least one input, and one initial value for each.
    * (reduce_c4) the dimensions are within the rank of the inputs.
    * (reduce_c5) no dimension is named twice.
    * (reduce_c6) the body takes and returns tensors of rank 0 whose element
      types the inputs' and initial values' can be promoted to.
    * (reduce_c7) the results have the shape of the inputs without `dimensions`.

    ```mlir
    %r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %s = stablehlo.reduce(%x init: %c) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
     reducer(%a: tensor<f32>, %b: tensor<f32>)  {
      %d = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %d : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$inputs,
      Variadic<StableHLO_TensorPerTensor>:$init_values,
      DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def StableHLO_ReduceWindowOp : StableHLO_Op<"reduce_window", [
    RecursiveMemoryEffects, SameVariadicOperandSize,
    SingleBlockImplicitTerminator<"ReturnOp">, StableHLO_InferredTypes]> {
  let summary = "Combines the elements of sliding windows";
  let description = [{
    Pads and dilates the inputs with the initial values, slides a window over
    them, and folds `body` over the elements under each position of the window.
    Attributes that are left out are ones, and zeros for `padding`.

    Constraints:
    * (reduce_window_c1) there is at least one input, and one initial value for
      each.
    * (reduce_window_c2) the inputs have compatible shapes.
    * (reduce_window_c3) inputs and initial values have the same element types.
    * (reduce_window_c4) `window_dimensions` has a size for each dimension.
    * (reduce_window_c5) the sizes in `window_dimensions` are positive.
    * (reduce_window_c6) `window_strides` has a size for each dimension.
    * (reduce_window_c7) the strides are positive.
    * (reduce_window_c8) `base_dilations` has a size for each dimension.
    * (reduce_window_c9) the base dilations are positive.
    * (reduce_window_c10) `window_dilations` has a size for each dimension.
    * (reduce_window_c11) the window dilations are positive.
    * (reduce_window_c12) `padding` has the shape [rank, 2].
    * (reduce_window_c13) the body takes and returns tensors of rank 0 whose
      element types the inputs' can be promoted to.
    * (reduce_window_c14) the results have one shape.
    * (reduce_window_c15) that shape is the number of window positions.
    * (reduce_window_c16) the result element types are those that the body
      returns.

    ```mlir
    %r = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$inputs,
      Variadic<StableHLO_TensorPerTensor>:$init_values,
      DenseI64ArrayAttr:$window_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides,
      OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
      OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
      StableHLO_PaddingAttr:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

def StableHLO_SelectAndScatterOp : StableHLO_Op<"select_and_scatter", [
    RecursiveMemoryEffects, StableHLO_InferredTypes]> {
  let summary = "The transpose of a pooling";
  let description = [{
    Slides a window over the operand; in each position `select` picks one
    element, and `scatter` adds the source's element of that position to the
    result's at the picked place. The result starts from `init_value`.
    Attributes that are left out are ones, and zeros for `padding`.

    Constraints:
    * (select_and_scatter_c1) operand and source have the same element type.
    * (select_and_scatter_c2) the source has the shape of the window positions.
    * (select_and_scatter_c3) `init_value` has the operand's element type.
    * (select_and_scatter_c4) `window_dimensions` has a size for each dimension.
    * (select_and_scatter_c5) the sizes in `window_dimensions` are positive.
    * (select_and_scatter_c6) `window_strides` has a size for each dimension.
    * (select_and_scatter_c7) the strides are positive.
    * (select_and_scatter_c8) `padding` has the shape [rank, 2].
    * (select_and_scatter_c9) `select` compares two elements of the operand and
      returns a `tensor<i1>`.
    * (select_and_scatter_c10) `scatter` combines two elements of a type that
      the operand's can be promoted to.
    * (select_and_scatter_c11) operand and result have compatible shapes.
    * (select_and_scatter_c12) the result element type is what `scatter` returns.

    ```mlir
    %r = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
      StableHLO_TensorPerTensor:$source,
      StableHLO_TensorPerTensor:$init_value,
      OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides,
      StableHLO_PaddingAttr:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs StableHLO_TensorPerTensor);
  let hasVerifier = 1;
}

def StableHLO_ScatterOp : StableHLO_Op<"scatter", [
    RecursiveMemoryEffects, SameVariadicOperandSize, StableHLO_InferredTypes]> {
  let summary = "Combines updates into slices of the inputs";
  let description = [{
    Copies the inputs and combines the updates into the places that
    `scatter_indices` name, with `update_computation` of old and new element.
    Updates outside of the inputs are dropped. `indices_are_sorted` and
    `unique_indices` promise what they say.

    Constraints:
    * (scatter_c1) the inputs have compatible shapes.
    * (scatter_c2) `update_window_dims`, `inserted_window_dims` and
      `input_batching_dims` together are as many as the inputs' dimensions.
    * (scatter_c3) the updates have compatible shapes.
    * (scatter_c4) the updates' shape combines the scatter dimensions of
      `scatter_indices` with a window no larger than the inputs.
    * (scatter_c5) there is at least one input, and one update for each.
    * (scatter_c6) inputs and updates have the same element types.
    * (scatter_c7) `update_window_dims` is sorted, without repetition.
    * (scatter_c8) `update_window_dims` are within the updates' rank.
    * (scatter_c9) `inserted_window_dims` and `input_batching_dims` are distinct.
    * (scatter_c10) `inserted_window_dims` is sorted.
    * (scatter_c11) `inserted_window_dims` are within the inputs' rank.
    * (scatter_c12) `input_batching_dims` is sorted.
    * (scatter_c13) `input_batching_dims` are within the inputs' rank.
    * (scatter_c14) `scatter_indices_batching_dims` are distinct.
    * (scatter_c15) `scatter_indices_batching_dims` are within the indices' rank.
    * (scatter_c16) `index_vector_dim` is not one of them.
    * (scatter_c17) inputs and indices have as many batching dimensions.
    * (scatter_c18) paired batching dimensions have the same size.
    * (scatter_c19) `scatter_dims_to_operand_dims` has an entry for each
      component of an index.
    * (scatter_c20) `scatter_dims_to_operand_dims` and `input_batching_dims` are
      distinct.
    * (scatter_c21) `scatter_dims_to_operand_dims` are within the inputs' rank.
    * (scatter_c22) `index_vector_dim` is at most the indices' rank.
    * (scatter_c23) `update_computation` takes and returns tensors of rank 0
      whose element types the inputs' can be promoted to.
    * (scatter_c24) inputs and results have compatible shapes.
    * (scatter_c25) the result element types are those that the computation
      returns.

    ```mlir
    %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$inputs,
      RankedTensorOf<[AnyInteger, Index]>:$scatter_indices,
      Variadic<StableHLO_TensorPerTensor>:$updates,
      StableHLO_ScatterDimensionNumbers:$scatter_dimension_numbers,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Sorting and mapping
//===----------------------------------------------------------------------===//

def StableHLO_SortOp : StableHLO_Op<"sort", [
    RecursiveMemoryEffects, SameOperandsAndResultShape,
    StableHLO_InferredTypes]> {
  let summary = "Sorts along a dimension";
  let description = [{
    Sorts all inputs together along `dimension`, negative numbers counting from
    the last: `comparator` of two elements of each input says whether the first
    of each stand before the second. `is_stable` keeps the order of equal ones.

    Constraints:
    * (sort_c1) there is at least one input.
    * (sort_c2) results have the types of the inputs.
    * (sort_c3) the inputs have compatible shapes.
    * (sort_c4) `dimension` is at least -rank and less than the rank.
    * (sort_c5) `comparator` takes two tensors of rank 0 for each input and
      returns a `tensor<i1>`.

    ```mlir
    %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$inputs,
      DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<StableHLO_TensorPerTensor>);
  let hasVerifier = 1;
}

def StableHLO_MapOp : StableHLO_Op<"map", [
    RecursiveMemoryEffects, SameOperandsAndResultShape,
    SingleBlockImplicitTerminator<"ReturnOp">, StableHLO_InferredTypes]> {
  let summary = "Applies a function to elements";
  let description = [{
    Applies `computation` to the elements of the inputs that stand at the same
    place.

    Constraints:
    * (map_c1) inputs and result have compatible shapes.
    * (map_c2) there is at least one input.
    * (map_c3) `dimensions` are all dimensions of the inputs in order.
    * (map_c4) `computation` takes a tensor of rank 0 for each input and returns
      one with the result's element type.

    ```mlir
    %r = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %p : tensor<f32>
    }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorPerTensor>:$inputs,
                       DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_TensorPerTensor);
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOREDUCTIONOPS_TD
